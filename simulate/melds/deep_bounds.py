"""Bounds of what the deep search can still gain (:mod:`simulate.melds.deep`).

The cards above a place are laid out by themselves, by the fast searches; an open piece adds a
little to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import LANE_ONES
from simulate.melds.deep_steps import DONE, LENGTH
from simulate.melds.solve import best_key
from simulate.melds.wild_one import MANY, wild_bound
from simulate.melds.wild_two import free_key

#: A bound that is not worked out yet.
UNKNOWN = np.int64(-2)
# Typed, since numba compiles a function anew for an argument that is written as a number.
TWO = np.int64(2)
NO_MELDS = np.int64(0)


@kernel(inline=True)
def _above(pile: np.uint64, place: int) -> np.uint64:
    """Cards of a pile above a place, the ace being high."""
    return pile & (LANE_ONES * np.uint64((0x7FFC >> (place + 1)) << (place + 1)))


@kernel
def bound_pieces(area: Any, more: NDArray[np.int64]) -> None:
    """Bound what an open piece adds to the key of the cards above it.

    Parameters
    ----------
    area : MELD_AREA record
    more : ndarray of int64, shape (3, 2, 10)
        Overwritten, by jokers left, trump and code.
    """
    for left in range(3):
        # As many cards that join the piece are no meld of their own: two, or with two jokers three.
        joined = 3 if left == 2 else 2
        for kind in range(2):
            card = area.card[kind]
            split = area.split[kind]
            more[left, kind, 0] = 0
            for code in range(1, 10):
                length = LENGTH[code]
                if code == DONE:
                    more[left, kind, code] = max(joined * card, -split)
                else:
                    more[left, kind, code] = max(
                        (joined + length) * card + max(split, 2 * split), length * card
                    )


@kernel
def bound_rest(
    area: Any,
    pile: np.uint64,
    place: int,
    left: int,
    melds: int,
    trump: int,
    rest: NDArray[np.int64],
) -> int:
    """Bound what the cards above a place come to by themselves.

    Parameters
    ----------
    area : MELD_AREA record
        Its scratch memory is overwritten.
    pile : uint64
    place, left, melds : int64
        The place, the jokers left, and melds that these cards must make.
    trump : int64
    rest : ndarray of int64, shape (15, 3, 18)
        What is known by place, jokers and melds; `UNKNOWN` elsewhere.

    Returns
    -------
    int64
        A key that is not exceeded; negative where there are not so many melds.
    """
    if rest[place, left, melds] == UNKNOWN:
        cards = _above(pile, place)
        if left == 0:
            rest[place, left, melds] = best_key(area, cards, trump, melds)
        else:
            sure, doubt = free_key(area, cards, left, TWO, trump, NO_MELDS)
            if (sure & 4095) >> 6 < melds:
                if left == 1 or popcount(cards) <= MANY:
                    sure, doubt = free_key(area, cards, left, TWO, trump, melds)
                else:
                    sure = min(max(sure, doubt), wild_bound(area, cards, left, trump, melds))
            rest[place, left, melds] = max(sure, doubt)
    return rest[place, left, melds]


@kernel
def cover(area: Any, worth: int, melds: int) -> int:
    """Bound the covered cards of so many melds that are worth so much in all."""
    set3 = (area.set3 >> 12) - 3 * area.penalty
    set4 = (area.set4 >> 12) - 4 * area.penalty
    cheapest = set3
    step = set4 - set3
    for kind in range(2):
        card = area.card[kind] >> 12
        cheapest = min(
            cheapest, ((3 * area.card[kind] + area.split[kind]) >> 12) - 3 * area.penalty
        )
        step = min(step, card - area.penalty)
    if step < 0 or step + area.penalty == 0:
        return np.int64(64)
    return (worth - melds * (cheapest - 3 * step)) // (step + area.penalty)
