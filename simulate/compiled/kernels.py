"""How compiled code is cached, and how a strategy is called by its address.

Three numba internals are used, here and nowhere else: the calling convention of compiled functions
(:func:`call_strategy`; `simulate.compiled.callbacks` answers by it), the library of a compile
result (:func:`address_of`), and a dispatcher's cache (:class:`_LateCache`).

The cache: numba looks at the time stamp of a function's own file alone, so an edit in a helper
module would leave stale machine code behind. Each kernel is therefore cached in a folder named by a
hash of its file and of every project or plug-in file that this file imports, directly or not. The
kernels of a user's file may freeze numbers that come from elsewhere: a data file, the environment.
They are cached when they are first compiled, under the hash of those numbers as well.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import extending
from numba.core import cgutils, types
from numba.core.caching import FunctionCache

from simulate.compiled.callbacks import Plain
from simulate.compiled.diagnose import explain, find_answer_fault, find_fault, frozen_values
from simulate.errors import StrategyError

Function = Callable[..., Any]

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("simulate", "strategies", "analysis", "sviten")

#: numba's decorator, whose own annotations do not describe the function that it makes.
intrinsic: Any = extending.intrinsic

#: Bounds are checked where the user asks numba for it; such code must not share a cache folder.
BOUNDS_CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "") not in {"", "0"}


def cache_root() -> Path:
    """Folder of all compiled code: ``$SVITEN_CACHE``, or the user's cache folder."""
    if configured := os.environ.get("SVITEN_CACHE"):
        return Path(configured)
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "sviten"


@functools.cache
def _can_cache() -> bool:
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return True
    except OSError as error:
        text = f"sviten: compiled code is not kept, since {root} cannot be written"
        print(f"{text} ({error.strerror}); SVITEN_CACHE names another folder", file=sys.stderr)
        return False


@functools.cache
def _libraries() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]})


def installed_package(file: Path) -> str:
    """Top-level name of the installed package that `file` belongs to; empty for other files."""
    for folder, name in zip(file.parts, file.parts[1:], strict=False):
        if folder in {"site-packages", "dist-packages"}:
            return name
    return "python" if str(file).startswith(_libraries()) else ""


#: Names that modules had before, and have now, for files that import them so.
renamed: dict[str, str] = {}


def _found_file(name: str) -> list[Path]:
    """Source file of a module that is imported by its full name."""
    try:
        spec = importlib.util.find_spec(renamed.get(name, name))
    except (ImportError, AttributeError, ValueError):
        return []
    return [Path(spec.origin)] if spec and spec.origin and spec.origin.endswith(".py") else []


def _neighbour_files(path: Path, node: ast.ImportFrom) -> list[Path]:
    """Source files of a relative import in the file at `path`."""
    base = path.parents[node.level - 1]
    if node.module:
        base = base.joinpath(*node.module.split("."))
    places = [base, *(base / alias.name for alias in node.names)]
    files = [f for place in places for f in (place.with_suffix(".py"), place / "__init__.py")]
    return [file for file in files if file.is_file()]


def _imported_files(path: Path) -> list[Path]:
    """Source files that the file at `path` imports, those of other installed packages left out."""
    rows: list[Path] = []
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            rows += _neighbour_files(path, node)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in {"numpy", "numba", "llvmlite"}:
                rows += [file for part in _dotted(name) for file in _found_file(part)]
    own = {"", installed_package(path), "simulate", "strategies"}
    return [file for file in rows if installed_package(file) in own]


def _dotted(name: str) -> list[str]:
    """Give ``a``, ``a.b`` and ``a.b.c`` for ``a.b.c``: importing it runs all of them."""
    parts = name.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]


_contents: dict[Path, bytes] = {}
_imports: dict[Path, list[Path]] = {}
#: What the file at a path read or imported by name while it was loaded.
_reads: dict[Path, tuple[Path, ...]] = {}
_sources: dict[Path, tuple[Path, ...]] = {}


def source_files(path: Path) -> tuple[Path, ...]:
    """File at `path`, all that it imports outside the installed libraries, what it read; sorted."""
    if path not in _sources:
        seen: set[Path] = set()
        queue = [path]
        while queue:
            file = queue.pop()
            if file not in seen:
                seen.add(file)
                if file not in _imports:
                    _imports[file] = _imported_files(file) if file.suffix == ".py" else []
                queue += [*_imports[file], *_reads.get(file, ())]
        _sources[path] = tuple(sorted(seen))
    return _sources[path]


def source_hash(path: Path) -> str:
    """Hash of the contents of :func:`source_files`, wherever they lie.

    A file is read once per process: a module that is loaded keeps the code it was loaded with.
    """
    for file in source_files(path):
        if file not in _contents:
            _contents[file] = hashlib.sha256(file.read_bytes()).digest()
    contents = sorted(_contents[file] for file in source_files(path))
    return hashlib.sha256(b"".join(contents)).hexdigest()[:16]


def note_reads(path: Path, files: Iterable[Path]) -> None:
    """Take in what the file at `path` read while it was loaded: it is made of that as well."""
    _reads[path] = tuple(sorted(files))
    _sources.clear()


def reads_of(path: Path) -> tuple[Path, ...]:
    """Files that the file at `path` read, or imported by name, while it was loaded."""
    return _reads.get(path, ())


def forget_sources(files: Iterable[Path]) -> None:
    """Read `files` again when next asked for: the modules in them are about to be loaded again."""
    for file in files:
        for known in (_contents, _imports, _sources, _reads):
            known.pop(file, None)


def values_hash(function: Function) -> str:
    """Hash of the numbers that a user's kernel freezes; empty where it freezes none."""
    values = frozen_values(function, lambda called: not is_own(Path(called.__code__.co_filename)))
    return hashlib.sha256("\n".join(values).encode()).hexdigest()[:16] if values else ""


def is_own(path: Path) -> bool:
    """Tell whether a file is this project's, whose kernels freeze nothing but its source."""
    inside = path.relative_to(_ROOT).parts if path.is_relative_to(_ROOT) else ("",)
    return inside[0] in _PACKAGES


def _cache_folder(path: Path, values: str = "") -> Path:
    """Cache folder of the kernels in the file at `path` that freeze `values`."""
    key = f"{source_hash(path)} {path} {numba.__version__} {BOUNDS_CHECKED} {values}"
    return cache_root() / f"{path.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def kernel(function: Function | None = None, *, inline: bool = False, strict: bool = False) -> Any:
    """Declare a compiled function: no Python objects, no GIL, cached by content, compiled lazily.

    Parameters
    ----------
    function : callable
        Plain Python of numbers, arrays and records.
    inline : bool
        Ask LLVM to inline it wherever it is called.
    strict : bool
        Let a division by zero raise, rather than give 0 or infinity: a strategy's author must
        hear of it.
    """
    if function is None:
        return lambda function: kernel(function, inline=inline, strict=strict)
    path = Path(function.__code__.co_filename)
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "python" if strict else "numpy",
        "boundscheck": BOUNDS_CHECKED,
    }
    if inline:
        options["forceinline"] = True
    # A notebook cell has no text to key a cache by; and where the folder cannot be written, numba
    # would fall back on caches of its own that an edit in another file does not make stale.
    if not path.is_file() or not _can_cache():
        return numba.njit(**options)(function)
    if not is_own(path):
        dispatcher = numba.njit(**options)(function)
        dispatcher._cache = _LateCache(function, path)
        return dispatcher
    with _caching_in(_cache_folder(path)):
        return numba.njit(cache=True, **options)(function)


@contextlib.contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """Have numba cache in a folder, which it reads only as a function is decorated."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class _LateCache:
    """Cache of a user's kernel, in a folder that is chosen when it is first compiled.

    Only then is all known that it is made of: the module is loaded, the numbers are read.
    """

    def __init__(self, function: Function, path: Path) -> None:
        self._function = function
        self._path = path

    @functools.cached_property
    def _cache(self) -> Any:
        with _caching_in(_cache_folder(self._path, values_hash(self._function))):
            return FunctionCache(self._function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)


def _call_by_address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the call of the code at the first argument with the others; errors pass through."""
    convention = context.call_conv
    argument_types = signature.args[1:]
    function_type = convention.get_function_type(signature.return_type, argument_types)
    function = builder.inttoptr(arguments[0], function_type.as_pointer())
    status, result = convention.call_function(
        builder, function, signature.return_type, argument_types, arguments[1:]
    )
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result


@intrinsic
def call_strategy(typing_context: Any, address: Any, view: Any, work: Any) -> Any:
    """Call the compiled strategy at `address`: ``call_strategy(address, view, work) -> int64``.

    An exception that the strategy raises passes through to the caller.
    """
    return types.int64(types.int64, view, types.int64), _call_by_address


@intrinsic
def call_scorer(typing_context: Any, address: Any, side: Any, melds: Any, rules: Any) -> Any:
    """Call the compiled scorer at `address`: ``call_scorer(address, side, melds, rules) -> int64``.

    Which scorer it is depends on the rules, so that those without jokers or hard bids need not
    wait for the compiler to make the code for them.
    """
    return types.int64(types.int64, side, melds, rules), _call_by_address


@intrinsic
def call_rarely(typing_context: Any, function: Any, argument: Any) -> Any:
    """Call a kernel that must not be inlined: ``call_rarely(function, argument)``.

    LLVM would inline a rare branch's work and make each caller save the registers it needs: 15 %
    of the time of a hand of random cards.
    """
    signature = function.get_call_type(typing_context, (argument,), {})

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        result = function.dispatcher.get_compile_result(signature.replace(args=(argument,)))
        context.active_code_library.add_linking_library(result.library)
        compiled = context.declare_function(builder.module, result.fndesc)
        convention = context.call_conv
        status, value = convention.call_function(
            builder,
            compiled,
            result.fndesc.restype,
            result.fndesc.argtypes,
            arguments[1:],
            attrs=("noinline",),
        )
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    return signature.return_type(function, argument), generate


@intrinsic
def record_at(typing_context: Any, address: Any, record_type: Any) -> Any:
    """View memory at `address` as a record: ``record_at(address, record_type) -> Record``."""
    record = record_type.instance_type

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return record(address, record_type), generate


@intrinsic
def copy_bytes(typing_context: Any, target: Any, source: Any, start: Any, stop: Any) -> Any:
    """Copy a span of bytes of a record to another: ``copy_bytes(target, source, start, stop)``."""
    if target != source:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        target, source, start, stop = arguments
        to, origin = (
            builder.gep(builder.bitcast(record, byte), [start]) for record in (target, source)
        )
        cgutils.raw_memcpy(builder, to, origin, builder.sub(stop, start), 1)
        return context.get_dummy_value()

    return types.none(target, source, types.int64, types.int64), generate


def code_address(dispatcher: Any, argument_types: tuple[Any, ...]) -> int:
    """Address of a kernel's machine code for `argument_types`, as for :func:`address_of`."""
    dispatcher.compile(argument_types)
    result = dispatcher.overloads[argument_types]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def address_of(dispatcher: Any, argument_types: tuple[Any, ...]) -> int:
    """Compile a strategy's kernel for `argument_types` and return the address of its machine code.

    The dispatcher, or the :class:`simulate.compiled.callbacks.Plain`, must be kept alive for as
    long as the address is used.

    Raises
    ------
    StrategyError
        When it does not compile, draws from elsewhere than its stream, or does not return an
        int64.
    """
    if isinstance(dispatcher, Plain):
        return dispatcher.address(argument_types[0].dtype)
    function = dispatcher.py_func
    known = argument_types in dispatcher.overloads  # it was looked into then
    if not known and (fault := find_fault(function)):
        raise StrategyError(fault)
    try:
        dispatcher.compile(argument_types)
    except Exception as error:  # the compiler raises KeyError and others beside its own
        raise StrategyError(explain(function, error, argument_types[0])) from error
    result = dispatcher.overloads[argument_types]
    if fault := find_answer_fault(function, result.signature.return_type):
        raise StrategyError(fault)
    return code_address(dispatcher, argument_types)
