"""Strategies in plain Python: a slow path, for prototypes and notebooks.

A compiled strategy is machine code at an address. Here Python's own function stands behind such an
address: a ctypes callback, made to the calling convention that
`simulate.compiled.kernels.call_strategy` uses. The engine does not know the difference, but for the
time that an answer takes.
"""

from __future__ import annotations

import ctypes
import operator
import threading
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from simulate.compiled.diagnose import find_fault
from simulate.errors import StrategyError

Function = Callable[..., Any]

#: ``status f(int64 *answer, void **error, void *view, int64 work)``: numba's calling convention.
CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
)
_DONE = 0
#: No strategy may answer this, whatever it is asked for.
_NO_ANSWER = -1
#: Records of views that are kept: an engine of three players in three legs has nine.
_MOST_VIEWS = 1024

_pending = threading.local()


class WrongAnswer(TypeError):
    """A plain function answered what is no whole number."""


class PlainRecord(np.record):  # type: ignore[misc] # final in numpy's stubs alone
    """A record as plain Python reads it: small numbers are ints, which do not overflow.

    Sets of cards and calls stay uint64, as the functions of `simulate.compiled.bits` take them.
    Lists of cards or calls are copies that cannot be written to; `memo` can.
    """

    def __getattribute__(self, name: str) -> Any:
        """Field or attribute of that name."""
        try:
            value = np.void.__getitem__(self, name)
        except (ValueError, KeyError):  # no field
            return object.__getattribute__(self, name)
        if isinstance(value, np.ndarray):
            if value.dtype.itemsize < 8:
                value = value.astype(np.int64)
                value.flags.writeable = False
            return value
        if isinstance(value, np.void):
            return value.view((PlainRecord, value.dtype))
        return value if isinstance(value, np.uint64) else value.item()


class Plain:
    """A function of plain Python that the engine can call by an address.

    Parameters
    ----------
    function : callable
        ``(view, work) -> int``.

    Attributes
    ----------
    py_func : callable
        The function, by the name that compiled ones have it under.
    """

    def __init__(self, function: Function) -> None:
        self.py_func = function
        self._callbacks: dict[Any, Any] = {}

    def address(self, view: np.dtype[Any]) -> int:
        """Address at which the function can be called; valid while this object lives.

        Parameters
        ----------
        view : dtype
            Of the record that it is given.

        Raises
        ------
        StrategyError
            When it takes other arguments, or draws from elsewhere than its stream.
        """
        if fault := find_fault(self.py_func):
            raise StrategyError(fault)
        if view not in self._callbacks:
            self._callbacks[view] = CALLBACK(_answering(self.py_func, view))
        return int(ctypes.cast(self._callbacks[view], ctypes.c_void_p).value or 0)


def _answering(function: Function, view: np.dtype[Any]) -> Callable[[int, int, int, int], int]:
    """Make the callback: it answers for `function`, and keeps what that raises."""
    kind = np.dtype((PlainRecord, view))
    memory = ctypes.c_char * view.itemsize
    answer_at = ctypes.c_int64.from_address
    views: dict[int, Any] = {}

    def callback(answer: int, _: int, at: int, work: int) -> int:
        try:
            record = views.get(at)
            if record is None:
                if len(views) >= _MOST_VIEWS:
                    views.clear()
                buffer: Any = memory.from_address(at)
                record = np.frombuffer(buffer, kind)[0]
                views[at] = record
            given = _whole(function(record, work))
        except BaseException as error:  # it must not pass through compiled code
            _pending.error = error
            given = _NO_ANSWER
        answer_at(answer).value = given
        return _DONE

    return callback


def _whole(answer: Any) -> int:
    """Answer as an int64; a plain function may return anything."""
    if isinstance(answer, bool | np.bool_) or not hasattr(answer, "__index__"):
        if answer is None:
            raise WrongAnswer("gave no answer: end every path with `return` and an int")
        raise WrongAnswer(f"answered {answer!r:.40}, where an int is expected")
    number = operator.index(answer)
    if not -(2**63) <= number < 2**63:
        raise WrongAnswer(f"answered {number}, which is no card and no call")
    return number


def take_error() -> BaseException | None:
    """Give what a plain function last raised in this thread, once."""
    error: BaseException | None = getattr(_pending, "error", None)
    _pending.error = None
    return error


def tell_raised(error: BaseException) -> str:
    """Say in a line what a plain function raised, and where in it."""
    if isinstance(error, WrongAnswer):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    where = f" ({own[0].filename}, line {own[0].lineno})" if own else ""
    return raised(error) + where


def raised(error: BaseException) -> str:
    """Say in one line that a strategy raised `error`."""
    lines = str(error).strip().splitlines()
    return f"raised {type(error).__name__}" + (f": {lines[0]}" if lines else "")
