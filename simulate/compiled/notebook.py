"""Compiled functions of a notebook's cells, which change while the process lives.

numba freezes what a function calls, and the globals that it reads, when it compiles it. Where a
cell is run again, what was compiled of another cell would go on as before. So a function that has
no file is made anew as soon as it, or anything that it reaches, is other than it was.
"""

from __future__ import annotations

import hashlib
import os
import sys
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher

from simulate.compiled.callbacks import Plain
from simulate.compiled.diagnose import reached, references, value_text

Function = Callable[..., Any]

#: How the hash of a source begins that lay in a cell.
CELL = "cell-"

#: What was made of a cell's kernel last, and of what.
_fresh: weakref.WeakKeyDictionary[Any, tuple[str, Any]] = weakref.WeakKeyDictionary()
#: What the cells' kernels that plain Python calls were compiled of.
_compiled: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()


def in_cell(function: Function) -> bool:
    """Tell whether a function has no file that another process could load it from."""
    main = sys.modules.get("__main__")
    typed = function.__module__ == "__main__" and not hasattr(main, "__file__")
    return typed or not os.path.isfile(function.__code__.co_filename)


def cell_hash(function: Function) -> str:
    """Hash of the code of a function and of all that it reaches, as it is now."""
    parts = []
    for called in reached(function):
        parts.append(f"{called.__qualname__} {value_text(called.__code__)}")
        parts += [f"{text} {value_text(value)}" for _, text, value in references(called)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def current(dispatcher: Any) -> Any:
    """Kernel that does what a cell's function says now.

    Parameters
    ----------
    dispatcher : numba dispatcher or Plain
        Whose function is :func:`in_cell`.

    Returns
    -------
    numba dispatcher or Plain
        The same one for as long as nothing has changed.
    """
    if isinstance(dispatcher, Plain):  # Python looks its names up; what it calls does not
        _renew(dispatcher.py_func, set())
        return dispatcher
    key = cell_hash(dispatcher.py_func)
    if dispatcher not in _fresh or _fresh[dispatcher][0] != key:
        _fresh[dispatcher] = key, _make(dispatcher, {})
    return _fresh[dispatcher][1]


def _renew(function: Function, seen: set[Any]) -> None:
    """Compile anew what a plain function calls of the cells' kernels, innermost first."""
    for _, _, value in references(function):
        if isinstance(value, Dispatcher) and value not in seen and in_cell(value.py_func):
            seen.add(value)
            _renew(value.py_func, seen)
            key = cell_hash(value.py_func)
            if _compiled.setdefault(value, key) != key:
                value.recompile()
                _compiled[value] = key


def _make(dispatcher: Any, made: dict[Any, Any]) -> Any:
    """Make a kernel anew, and with it the cells' kernels that it calls."""
    old = dispatcher.py_func
    known = dict(old.__globals__)
    new = FunctionType(old.__code__, known, old.__name__, old.__defaults__, old.__closure__)
    new.__module__, new.__doc__, new.__qualname__ = old.__module__, old.__doc__, old.__qualname__
    options = {k: v for k, v in dispatcher.targetoptions.items() if k != "nopython"}
    made[dispatcher] = numba.njit(**options)(new)
    for _, text, value in references(old):
        if isinstance(value, Dispatcher) and in_cell(value.py_func) and text in known:
            known[text] = made.get(value) or _make(value, made)
    return made[dispatcher]
