"""How compiled code is cached, and how a strategy is called by its address.

Two numba internals are used, both here and nowhere else: the calling convention of compiled
functions (:func:`call_strategy`), and the library of a compile result (:func:`address_of`).

The cache: numba looks at the time stamp of a function's own file alone, so an edit in a helper
module would leave stale machine code behind. Each kernel is therefore cached in a folder named by a
hash of its file and of every project or plug-in file that this file imports, directly or not.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

from simulate.errors import StrategyError

Function = Callable[..., Any]

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
def _libraries() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]})


def _imported_files(path: Path) -> list[Path]:
    """Source files outside the installed libraries that the file at `path` imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    found = []
    for name in names:
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in {"numpy", "numba", "llvmlite"}:
            continue
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, AttributeError, ValueError):
            continue
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            continue
        own = top in {"simulate", "strategies"}
        if own or not spec.origin.startswith(_libraries()):
            found.append(Path(spec.origin))
    return found


@functools.cache
def source_files(path: Path) -> tuple[Path, ...]:
    """File at `path` and all that it imports outside the installed libraries, sorted."""
    seen: set[Path] = set()
    queue = [path]
    while queue:
        file = queue.pop()
        if file not in seen:
            seen.add(file)
            queue += _imported_files(file)
    return tuple(sorted(seen))


@functools.cache
def source_hash(path: Path) -> str:
    """Hash of the contents of :func:`source_files`, wherever they lie.

    Read once per process: a module that is loaded keeps the code it was loaded with.
    """
    contents = sorted(hashlib.sha256(file.read_bytes()).digest() for file in source_files(path))
    return hashlib.sha256(b"".join(contents)).hexdigest()[:16]


def _cache_folder(path: Path) -> Path:
    """Cache folder of the kernels in the file at `path`."""
    key = f"{source_hash(path)} {path} {numba.__version__} {BOUNDS_CHECKED}"
    return cache_root() / f"{path.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def kernel(function: Function | None = None, *, inline: bool = False) -> Any:
    """Declare a compiled function: no Python objects, no GIL, cached by content, compiled lazily.

    Parameters
    ----------
    function : callable
        Plain Python of numbers, arrays and records.
    inline : bool
        Ask LLVM to inline it wherever it is called.
    """
    if function is None:
        return lambda function: kernel(function, inline=inline)
    path = Path(function.__code__.co_filename)
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "boundscheck": BOUNDS_CHECKED,
    }
    if inline:
        options["forceinline"] = True
    if not path.is_file():  # a notebook cell: there is no text to key a cache by
        return numba.njit(**options)(function)
    # numba reads the folder from its configuration only at the moment of decoration.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_cache_folder(path))
    try:
        return numba.njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before


@intrinsic
def call_strategy(typing_context: Any, address: Any, view: Any, work: Any) -> Any:
    """Call the compiled strategy at `address`: ``call_strategy(address, view, work) -> int64``.

    An exception that the strategy raises passes through to the caller.
    """
    signature = types.int64(types.int64, view, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
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

    return signature, generate


@intrinsic
def record_at(typing_context: Any, address: Any, record_type: Any) -> Any:
    """View memory at `address` as a record: ``record_at(address, record_type) -> Record``."""
    record = record_type.instance_type

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return record(address, record_type), generate


@intrinsic
def copy_record(typing_context: Any, target: Any, source: Any) -> Any:
    """Copy all bytes of a record to another of the same type: ``copy_record(target, source)``."""
    if target != source:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = ir.Constant(ir.IntType(64), signature.args[0].size)
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], size, 1)
        return context.get_dummy_value()

    return types.none(target, source), generate


def address_of(dispatcher: Any, argument_types: tuple[Any, ...]) -> int:
    """Compile a kernel for `argument_types` and return the address of its machine code.

    The dispatcher must be kept alive for as long as the address is used.

    Raises
    ------
    StrategyError
        When it does not compile, or does not return an int64.
    """
    try:
        dispatcher.compile(argument_types)
    except numba.core.errors.NumbaError as error:
        raise StrategyError(_compile_message(dispatcher, error)) from error
    result = dispatcher.overloads[argument_types]
    if numba.core.types.unliteral(result.signature.return_type) != types.int64:
        raise StrategyError(
            f"{dispatcher.__name__} returns {result.signature.return_type}, where an int64 is "
            "expected: end every path with `return np.int64(...)`"
        )
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


def _compile_message(dispatcher: Any, error: Exception) -> str:
    """Shorten a compiler's message to what a strategy's author can act on."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next(
        (line for line in lines if "error" in line.lower() or "invalid" in line.lower()), ""
    )
    places = [line for line in lines if line.startswith("File ")]
    return " | ".join([f"{dispatcher.__name__} does not compile", told, *places[-1:]])
