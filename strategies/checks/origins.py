"""What a strategy's source names that is neither its view nor its stream.

What it could learn there, no test of its answers finds for certain: a clock is the same for a
while, and a seed gives the same deal however often the hidden cards are dealt anew.
"""

from __future__ import annotations

import builtins
import ctypes
import dis
import pickle
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

import numba

from simulate.compiled import kernels, philox
from simulate.compiled.callbacks import Plain
from simulate.compiled.diagnose import place, reached, references
from simulate.game import deal

Function = Callable[..., Any]

_OURS = ("simulate.", "strategies.")
_CLOCKS = {"time", "datetime"}
_OUTSIDE = {
    "os", "sys", "gc", "inspect", "ctypes", "subprocess", "socket", "secrets", "uuid", "threading",
    "tracemalloc", "pathlib", "io", "pickle", "tempfile", "shutil",
}  # fmt: skip
_BUILTINS = {"open", "input", "eval", "exec", "globals", "__import__", "id", "vars", "locals"}
#: Ways to memory that the view does not hold.
_MEMORY = (kernels.record_at, kernels.call_strategy, kernels.copy_bytes, numba.carray, numba.farray)
#: Ways to the deal, by the seed that is in the stream.
_DEAL = (deal.deal_cards, deal.deal_jokers, philox.fill, philox.open_stream)


def find_origin(kernel: Any) -> str:
    """Say what a strategy's own code names that it may not; an empty text if nothing.

    Functions of the project itself are left out: what they use, they are trusted with.
    """
    for function in reached(kernel.py_func):
        if (function.__module__ or "").startswith(_OURS):
            continue
        named = list(references(function))
        for line, text, value in named:
            within = isinstance(value, ModuleType) and any(
                other.startswith(f"{text}.") for _, other, _ in named
            )
            if not within and (why := _judge(text, value)):  # what it takes of a module is told
                return f"{place(function, line)}: {function.__name__} uses {text}: {why}"
        if fault := _instructions(function, plain=isinstance(kernel, Plain)):
            return fault
    return ""


def _judge(text: str, value: Any) -> str:
    """Say why a global that is named may not be used; an empty text where it may."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    top = str(module or "").partition(".")[0]
    if top in _CLOCKS:
        return "an answer that depends on a clock cannot be had again"
    if any(value is way for way in _MEMORY) or isinstance(value, ctypes._SimpleCData):
        return "a strategy reads its view, no other memory"
    if any(value is way for way in _DEAL):
        return "a seat does not know the seed, nor what it deals"
    outside = top in _OUTSIDE and not isinstance(value, type)
    if outside or type(value).__module__ in {"_ctypes", "cffi", "_cffi_backend"}:
        return "a strategy has its view and its stream, and nothing else"
    if text in {"objmode", "numba.objmode"}:
        return "compiled code that goes back to Python is slow, and may see anything"
    return ""


def _instructions(function: Function, *, plain: bool) -> str:
    """Find what is no global: the seed in the stream, a global that is set, an import."""
    last = ""
    line = function.__code__.co_firstlineno
    for step in dis.get_instructions(function.__code__):
        if step.positions and step.positions.lineno:
            line = step.positions.lineno
        start = f"{place(function, line)}: {function.__name__}"
        name = str(step.argval)
        if step.opname == "STORE_GLOBAL":
            return f"{start} sets the global {name}: notes belong into view.memo"
        if step.opname == "IMPORT_NAME" and name.partition(".")[0] in _CLOCKS | _OUTSIDE | {
            "random"
        }:
            return f"{start} imports {name}: a strategy has its view and its stream alone"
        if plain and step.opname == "LOAD_GLOBAL" and name in _BUILTINS:
            known = function.__globals__
            if known.get(name, getattr(builtins, name, None)) is getattr(builtins, name, None):
                return f"{start} uses {name}(): a strategy has its view and its stream alone"
        attribute = step.opname in {"LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"}
        if attribute and last == "stream":
            return (
                f"{start} uses view.stream.{name}: draw with below(view.stream, n), "
                "and leave the stream itself alone"
            )
        last = name if attribute else ""
    return ""


class Globals:
    """What plain functions keep in their modules, to be compared later.

    Parameters
    ----------
    kernels : iterable
        Of compiled ones nothing is looked at: their globals are frozen.
    """

    def __init__(self, kernels: Iterable[Any]) -> None:
        self._functions = [k.py_func for k in kernels if isinstance(k, Plain)]
        self._before = self._now()

    def _now(self) -> dict[str, bytes]:
        entries = {}
        for function in self._functions:
            for called in reached(function):
                for _, text, value in references(called):
                    if isinstance(value, ModuleType | FunctionType | type):
                        continue
                    try:
                        entries[text] = pickle.dumps(value)
                    except Exception:  # what cannot be compared is not judged
                        continue
        return entries

    def changed(self) -> str:
        """Name one that is other than it was; an empty text where none is."""
        now = self._now()
        for name, value in self._before.items():
            if now.get(name) != value:
                return f"the global {name} changed while hands were played: notes go in view.memo"
        return ""
