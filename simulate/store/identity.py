"""What a run was made with: the engine by a hash of its source, and the versions of software."""

from __future__ import annotations

import platform
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from simulate.compiled.kernels import source_hash
from simulate.engine import forced as forced_play
from simulate.engine import match


def engine_hash() -> str:
    """Hash of the source of the engine and of all that it is compiled from."""
    files = [module.__file__ for module in (match, forced_play)]
    sources = [source_hash(Path(file)) for file in files if file]
    return sha256("".join(sources).encode()).hexdigest()[:16]


def software_versions() -> dict[str, str]:
    """Versions of this package, Python, and what the numbers pass through."""
    packages = ("sviten", "numba", "numpy", "pyarrow")
    return {name: version(name) for name in packages} | {"python": platform.python_version()}
