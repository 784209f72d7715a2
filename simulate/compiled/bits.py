"""Bit operations on 64-bit card sets, compiled to single machine instructions where there are such.

A card set is a ``uint64`` (see :mod:`simulate.cards`). numba turns a mixture of signed and unsigned
integers into ``float64``, so every function here takes and returns fully typed values; strategies
are best written with these helpers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from simulate.compiled.kernels import intrinsic, kernel

#: Masks as compiled code reckons with them; a plain number beside one of them would make a float64.
ZERO = np.uint64(0)
ONE = np.uint64(1)
#: The lowest lane, and the lowest bit of every lane (:mod:`simulate.cards` draws them).
LANE = np.uint64(0xFFFF)
LANE_ONES = np.uint64(0x0001_0001_0001_0001)
#: The four aces.
ACES = np.uint64(0x4000_4000_4000_4000)

_HAS_PDEP = bool(llvm.get_host_cpu_features().get("bmi2", False))


def popcount(mask: Any) -> Any:
    """Count the cards of a set: ``popcount(mask) -> int64``."""
    return int(mask).bit_count()


def lowest(mask: Any) -> Any:
    """Lowest card of a set: ``lowest(mask) -> int64``; 64 for the empty set."""
    return (int(mask) & -int(mask)).bit_length() - 1 if mask else 64


def highest(mask: Any) -> Any:
    """Highest card of a set: ``highest(mask) -> int64``; -1 for the empty set."""
    return int(mask).bit_length() - 1


def _instruction(function: Callable[[Any], Any], emit: Callable[[Any, Any], Any]) -> None:
    """Have compiled code use what `emit` makes in place of a function of a set.

    Plain Python calls the function itself.
    """

    @type_callable(function)
    def declare(_: Any) -> Callable[[Any], Any]:
        def typed(mask: Any) -> Any:
            return types.int64(types.uint64) if isinstance(mask, types.Integer) else None

        return typed

    @lower_builtin(function, types.uint64)
    def lower(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, arguments[0])


def _emit_highest(builder: Any, mask: Any) -> Any:
    zeros = builder.ctlz(mask, ir.Constant(ir.IntType(1), 0))
    return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)


_instruction(popcount, lambda builder, mask: builder.ctpop(mask))
_instruction(lowest, lambda builder, mask: builder.cttz(mask, ir.Constant(ir.IntType(1), 0)))
_instruction(highest, _emit_highest)


@intrinsic
def _deposit(typing_context: Any, source: Any, mask: Any) -> Any:
    """BMI2 ``pdep``: the bits of `source` put where `mask` has ones."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function_type = ir.FunctionType(word, [word, word])
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=function_type)
        return builder.call(function, arguments)

    return types.uint64(types.uint64, types.uint64), generate


@kernel(inline=True)
def nth_bit_by_loop(mask: np.uint64, index: int) -> int:
    """Card number `index` of a set, where the machine has no deposit instruction."""
    for _ in range(index):
        mask &= mask - ONE
    return lowest(mask)


if _HAS_PDEP:

    @kernel(inline=True)
    def nth_bit(mask: np.uint64, index: int) -> int:
        """Card number `index` of a set, counted from the lowest, 0-based.

        Parameters
        ----------
        mask : uint64
            A card set.
        index : int64
            0 <= `index` < number of cards; not checked.

        Returns
        -------
        int64
        """
        return lowest(_deposit(ONE << np.uint64(index), mask))

else:
    nth_bit = nth_bit_by_loop


@kernel(inline=True)
def bit(card: int) -> np.uint64:
    """Set that holds `card` alone."""
    return ONE << np.uint64(card)


@kernel(inline=True)
def has(mask: np.uint64, card: int) -> bool:
    """Tell whether `card` (int64) lies in the set `mask` (uint64)."""
    return (mask >> np.uint64(card)) & ONE != ZERO


@kernel(inline=True)
def suit_cards(mask: np.uint64, suit: int) -> np.uint64:
    """Cards of one suit (0..3) in the set `mask`, where they lie."""
    return mask & (LANE << np.uint64(16 * suit))
