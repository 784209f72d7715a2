"""What is wrong with a strategy's kernel: the place, the fault and the remedy in one line.

The compiler's own messages are long and name its inner steps; a strategy's author needs a line of
their own file and what to write there instead.
"""

from __future__ import annotations

import difflib
import dis
import hashlib
import inspect
import os
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import types as numba_types
from numba.core.dispatcher import Dispatcher

Function = Callable[..., Any]

#: numba's types are made at run time, so that type checkers do not know them.
types: Any = numba_types

_PLACE = re.compile(r'File "(.+?)", line (\d+)|at (\S+) \((\d+)\)')
_NOISE = ("Failed in", "During", "File ", "There are", "- Of which", "Overload", "raised from")


def place(function: Function, line: int | None = None) -> str:
    """File and line of a function, or of a line in it."""
    code = function.__code__
    return f"{code.co_filename}, line {line or code.co_firstlineno}"


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def references(function: Function) -> Iterator[tuple[int, str, Any]]:
    """Line, text and value of the globals that a function names, with their attributes."""
    known = function.__globals__ | dict(inspect.getclosurevars(function).nonlocals)
    for code in _codes(function.__code__):
        value: Any = None
        text = ""
        for step in dis.get_instructions(code):
            if step.opname in {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"}:
                text = str(step.argval)
                value = known.get(text)
            elif step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and isinstance(value, ModuleType):
                text += f".{step.argval}"
                value = getattr(value, str(step.argval), None)
            else:
                value = None
            if value is not None:
                line = step.positions.lineno if step.positions else None
                yield line or code.co_firstlineno, text, value


def reached(function: Function) -> list[Function]:
    """Collect `function` and the compiled functions that it calls, directly or not."""
    rows = [function]
    for caller in rows:  # grows meanwhile
        for _, _, value in references(caller):
            called = value.py_func if isinstance(value, Dispatcher) else value
            if isinstance(called, FunctionType) and called not in rows and not _foreign(called):
                rows.append(called)
    return rows


def frozen_values(function: Function, of: Callable[[Function], bool]) -> list[str]:
    """Texts of the values that a kernel freezes when it is compiled, the same in every process.

    Parameters
    ----------
    function : callable
    of : callable
        Which of the functions that it calls are looked at.
    """
    values = {
        f"{called.__qualname__} {text} {value_text(value)}"
        for called in reached(function)
        if of(called)
        for _, text, value in references(called)
        if not isinstance(value, ModuleType | type | Dispatcher) and not callable(value)
    }
    return sorted(values)


def value_text(value: Any) -> str:
    """Text of a value that is the same in every process; of functions their name alone."""
    if isinstance(value, CodeType):
        return f"{value.co_code.hex()} {value.co_names} {value_text(value.co_consts)}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, dict):
        return value_text(tuple(value.items()))
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, set | frozenset):
        return f"[{', '.join(sorted(map(value_text, value)))}]"
    if isinstance(value, int | float | complex | str | bytes | np.generic | None):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, ModuleType):
        return value.__name__
    return str(getattr(value, "__qualname__", type(value).__name__))


def _foreign(function: FunctionType) -> bool:
    """Tell whether a function is none of this project's, nor of a strategy's author."""
    top = (function.__module__ or "").partition(".")[0]
    return top in {"numpy", "numba"} or (top in sys.stdlib_module_names and top != "__main__")


def _draws(value: Any) -> bool:
    """Tell whether a value is a random generator that no seed of a run reaches."""
    if isinstance(value, ModuleType):
        return value in (random, np.random)
    holder = getattr(value, "__self__", value)
    if isinstance(holder, random.Random | np.random.RandomState | np.random.Generator):
        return True
    return isinstance(value, FunctionType) and value.__module__ in {"random", "numpy.random"}


def find_fault(function: Function) -> str:
    """Say what is wrong with a strategy before it is compiled; an empty text if nothing is.

    A strategy takes a view and its scratch, and draws from its view's stream alone: numpy's
    generators are seeded apart in every thread, so no hand could be played again.
    """
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        takes = inspect.signature(function)
        return f"{place(function)}: {function.__name__} takes {takes}, and must take (view, work)"
    for called in reached(function):
        for line, text, value in references(called):
            if _draws(value):
                return (
                    f"{place(called, line)}: {called.__name__} draws from {text}, which no seed "
                    "repeats: draw from the view's stream, with below(view.stream, n) of "
                    "simulate.compiled.philox"
                )
    return ""


def find_answer_fault(function: Function, answer: Any) -> str:
    """Say what is wrong with the type that a strategy returns; an empty text for an int64."""
    answer = types.unliteral(answer)
    if answer == types.int64:
        return ""
    start = f"{place(function)}: {function.__name__}"
    if answer == types.none or isinstance(answer, types.Optional):
        return f"{start} may end without an answer: end every path with `return` and an int64"
    kind = str(answer)
    if isinstance(answer, types.Float):
        remedy = "compute with whole numbers (// for /), or return np.int64(...)"
    elif isinstance(answer, types.Integer | types.Boolean):
        remedy = "end every path with return np.int64(...)"
    else:
        kind = type(answer).__name__.lower()
        remedy = "answer the number of a card or a call"
    return f"{start} returns {kind}, where an int64 is expected: {remedy}"


def explain(function: Function, error: Exception, view: Any) -> str:
    """Say in a line why a strategy does not compile.

    Parameters
    ----------
    function : callable
    error : Exception
        What the compiler raised.
    view : numba type
        The view's, for fields that are misspelt.
    """
    functions = reached(function)
    start = f"{function.__name__} does not compile"
    if isinstance(error, KeyError) and error.args:  # a record has no such field
        name = str(error.args[0])
        deeper = [name for field in view.fields.values() for name in _fields_of(field.type)]
        close = difflib.get_close_matches(name, [*view.fields, *deeper], n=1)
        hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(view.fields)}"
        where = _line_naming(functions, name) or place(function)
        return f"{where}: {start}: the view has no field {name!r}: {hint}"
    text = str(error)
    where = _place_told(functions, text, getattr(error, "loc", None)) or place(function)
    shown = _first_told(text)
    return f"{where}: {start}: {shown}: {_remedy(shown)}"


def _fields_of(kind: Any) -> list[str]:
    return list(kind.fields) if isinstance(kind, types.Record) else []


def _line_naming(functions: Iterable[Function], name: str) -> str:
    for function in functions:
        for code in _codes(function.__code__):
            for step in dis.get_instructions(code):
                attribute = step.opname in {"LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD"}
                if attribute and step.argval == name and step.positions:
                    return place(function, step.positions.lineno)
    return ""


def _place_told(functions: Iterable[Function], text: str, loc: Any) -> str:
    """Place of the first line that a message names in one of the functions' files."""
    files = {function.__code__.co_filename for function in functions}
    rows = [(m[1] or m[3], m[2] or m[4]) for m in _PLACE.finditer(text)]
    if loc is not None:
        rows.append((str(loc.filename), str(loc.line)))
    for file, line in rows:
        for known in files:
            if known == file or os.path.realpath(known) == os.path.realpath(file):
                return f"{known}, line {line}"
    return ""


def _first_told(text: str) -> str:
    """Cut a message to what it says first, without the compiler's framing."""
    lines = [line.strip() for line in text.splitlines()]
    tried = next((line[4:] for line in lines if line.startswith(">>> ")), "")
    if tried:
        return f"there is no {re.sub(r'Record[(].*?[)](?=[,)])', 'view', tried)[:120]}"
    shown = next((line for line in lines if line and not line.startswith(_NOISE)), "no reason told")
    return shown.removesuffix(" Raised from None").rstrip(". ")[:200]


def _remedy(text: str) -> str:
    if "float" in text:
        return "card sets and cards are whole numbers: use // for /, and np.uint64(...) on masks"
    if "too large" in text:
        return "write masks as np.uint64(...)"
    return "write plain numbers, arrays and the helpers of simulate.compiled.bits"
