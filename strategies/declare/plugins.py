"""Loading a user's file as a module that is apart from all others of its name.

Two students hand in ``bid.py`` with a ``helpers.py`` beside each: both files, and both helpers,
must stay what they are. So a plug-in and the neighbours that it imports are known to Python and to
numba's cache by names made of path and contents, and their short names are forgotten afterwards.
The names are the same in every process, as numba needs to find a cached kernel's module.

What a file reads while it is loaded, such as its weights, is taken down: it is part of what the
strategy was made of, and is copied with it.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from simulate.compiled.kernels import (
    forget_sources,
    installed_package,
    is_own,
    note_reads,
    source_files,
    source_hash,
)
from strategies.declare.former import FormerFinder, forget_former

PREFIX = "sviten_plugin_"
_OWN = {"simulate", "strategies", "analysis", "sviten"}
_lock = threading.RLock()
#: What each file that is being loaded has read so far, the innermost last.
_reading: list[set[Path]] = []


def _take_down(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: notice what is opened for reading while a plug-in is loaded."""
    if not _reading or event != "open":
        return
    name, _, flags = arguments
    writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
    if writes or not isinstance(name, str | bytes):
        return
    file = Path(os.fsdecode(name)).resolve()
    if file.suffix not in {".py", ".pyc"} and not installed_package(file) and not is_own(file):
        _reading[-1].add(file)


@cache
def _watch_reading() -> None:
    sys.addaudithook(_take_down)  # for good: Python has no way to take one back


def _name_of(file: Path) -> str:
    key = f"{file} {source_hash(file)}"
    return f"{PREFIX}{file.stem}_{sha256(key.encode()).hexdigest()[:12]}"


def _is_apart(top: str, file: Path, folder: Path) -> bool:
    """Tell whether a plug-in in `folder` has a module of its own in `file`."""
    foreign = top in sys.stdlib_module_names or top in _OWN or installed_package(file)
    return not foreign and file.is_relative_to(folder)


class _NeighbourLoader(SourceFileLoader):
    """Loads a neighbour once for all plug-ins, under its lasting name."""

    def __init__(self, file: Path) -> None:
        super().__init__(_name_of(file), str(file))

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return sys.modules.get(self.name)

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text: bytecode is told apart by the second and the size of its file alone."""
        return self.source_to_code(self.get_data(self.path), self.path)

    def exec_module(self, module: ModuleType) -> None:
        if self.name in sys.modules:
            return
        module.__name__ = self.name
        sys.modules[self.name] = module
        _watch_reading()
        _reading.append(set())
        try:
            super().exec_module(module)
        except BaseException:
            del sys.modules[self.name]
            raise
        finally:
            files = _reading.pop()
        note_reads(Path(self.path), filter(Path.is_file, files))


class _NeighbourFinder(MetaPathFinder):
    """Finds what lies beside a plug-in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, [str(self.folder)] if path is None else path)
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            return None
        file = Path(spec.origin)
        if not _is_apart(name.partition(".")[0], file, self.folder):
            return None
        if _reading:  # an import by a name that is made as it runs stands in no source
            _reading[-1].add(file)
        return importlib.util.spec_from_file_location(
            name,
            file,
            loader=_NeighbourLoader(file),
            submodule_search_locations=spec.submodule_search_locations,
        )


def _tops(folder: Path) -> set[str]:
    """Names of the modules and packages in a plug-in's folder."""
    files = [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
    named = {(f.parent if f.name == "__init__.py" else f).stem: f for f in files}
    return {top for top, file in named.items() if _is_apart(top, file, folder)}


def _lies_in(module: ModuleType, folder: Path) -> bool:
    spec = getattr(module, "__spec__", None)
    if isinstance(getattr(spec, "loader", None), _NeighbourLoader):
        return True
    places = getattr(spec, "submodule_search_locations", None) or []  # of a bare folder
    return bool(places) and all(Path(place).is_relative_to(folder) for place in places)


def load_module(path: Path) -> ModuleType:
    """Load the file at `path`, which is absolute.

    Whatever the file raises passes through.
    """
    folder = path.parent
    with _lock:
        importlib.invalidate_caches()
        tops = _tops(folder)
        hidden = {
            name: sys.modules.pop(name)
            for name in list(sys.modules)
            if name.partition(".")[0] in tops
        }
        before = set(sys.modules)
        finder, former = _NeighbourFinder(folder), FormerFinder()
        sys.meta_path.insert(0, finder)
        sys.meta_path.append(former)
        sys.path.insert(0, str(folder))
        try:
            loader = _NeighbourLoader(path)
            spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
            assert spec
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            return module
        finally:
            sys.meta_path.remove(finder)
            sys.meta_path.remove(former)
            sys.path.remove(str(folder))
            forget_former(sys.modules)
            for name in set(sys.modules) - before:
                if not name.startswith(PREFIX) and _lies_in(sys.modules[name], folder):
                    del sys.modules[name]
            sys.modules.update(hidden)


def _sources(path: Path) -> list[Path]:
    """Files that loading the file at `path` again would read again."""
    folder = path.parent
    return [
        file for file in source_files(path) if file.suffix != ".py" or _is_apart("", file, folder)
    ]


def stamp(path: Path) -> tuple[tuple[int, int], ...]:
    """Size and time of the plug-in at `path` and of its neighbours: other after an edit."""
    rows = []
    for file in _sources(path):
        stat = file.stat() if file.is_file() else None
        rows.append((stat.st_mtime_ns, stat.st_size) if stat else (0, 0))
    return tuple(rows)


def forget(path: Path) -> None:
    """Have the plug-in at `path` and its neighbours read anew, since they were edited."""
    files = _sources(path)
    for name, module in list(sys.modules.items()):
        if name.startswith(PREFIX) and Path(getattr(module, "__file__", None) or "") in files:
            del sys.modules[name]
    forget_sources(files)
