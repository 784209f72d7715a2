"""The best layout of a pile, exactly: sets and runs, each card once (rules, The melds).

Everything works on a MELD_AREA record (see :mod:`simulate.melds.area`), prepared for one rule set
and lent to one thread. Two calls with the same pile give the same answer; nothing is remembered
between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import LANE, LANE_ONES, lowest, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import (
    INNER,
    MELD_AREA,
    NATURAL,
    TOO_MANY,
    U1,
    U2,
    U14,
    links,
    three_or_more,
    trump_lane,
)
from simulate.melds.counting import count_melds
from simulate.melds.listing import list_melds, runs_key
from simulate.melds.sweep import sweep

__all__ = ["MELD_AREA", "best_layout", "lay_out", "prepare_melds"]


@kernel
def prepare_melds(
    area: Any, set3: int, set4: int, run3: int, step: int, trump_multiplier: int, dead_penalty: int
) -> None:
    """Write the values of a rule set into an area.

    Parameters
    ----------
    area : MELD_AREA record
        Overwritten; need not be zeroed before.
    set3, set4, run3, step, dead_penalty : int64
        Points, 0..1000: all keys then fit in 32 bits.
    trump_multiplier : int64
        1..10.
    """
    unit = np.int64(4096)
    area.penalty = dead_penalty
    area.set3 = (set3 + 3 * dead_penalty) * unit + 64 + 3
    area.set4 = (set4 + 4 * dead_penalty) * unit + 64 + 4
    for kind in range(2):
        multiplier = trump_multiplier if kind == 1 else np.int64(1)
        area.card[kind] = (step * multiplier + dead_penalty) * unit + 1
        area.split[kind] = (run3 - 3 * step) * multiplier * unit + 64
    area.slot_of[:] = 0
    area.shift = (-(area.lane.ctypes.data >> 2)) & 15


@kernel(inline=True)
def useful_cards(pile: np.uint64) -> np.uint64:
    """Cards of `pile` that lie in a run when no set is laid and aces lie on both sides."""
    both = (pile & NATURAL) | ((pile >> np.uint64(13)) & (LANE_ONES << U1))
    link = links(both)
    run = link | (link << U1) | (link << U2)
    return (run | ((run & (LANE_ONES << U1)) << np.uint64(13))) & NATURAL


@kernel
def best_key(area: Any, pile: np.uint64, trump: int, at_least: int) -> int:
    """Key of the best layout with at least `at_least` melds; -1 when there is none."""
    if 3 * at_least > popcount(pile):
        return np.int64(-1)
    useful = useful_cards(pile)
    key = list_melds(area, pile, useful, trump, at_least)
    if key != TOO_MANY:
        return key
    if area.split[0] < 0:
        key = sweep(area, pile, useful, trump)
        if (key & 4095) >> 6 >= at_least:
            return key
    return count_melds(area, pile, useful, trump, at_least)


@kernel
def best_layout(area: Any, pile: np.uint64, trump: int, at_least: int) -> tuple[int, int, int]:
    """Value of the best layout of a pile (rules, The melds).

    The best is the one with the most points after the penalty for dead cards; of these, with the
    most melds; of these, with the fewest dead cards.

    Parameters
    ----------
    area : MELD_AREA record
        Prepared; its scratch memory is overwritten.
    pile : uint64
        Natural cards, 0..52.
    trump : int64
        Denomination 0..4; 4 is no trump.
    at_least : int64
        Melds that the layout must have, 0..17.

    Returns
    -------
    points, melds, dead : int64
        Points of the melds, the penalty not taken off; their number, -1 when no layout has
        `at_least` melds; cards in no meld.
    """
    key = best_key(area, pile, trump, at_least)
    if key < 0:
        return np.int64(0), np.int64(-1), np.int64(popcount(pile))
    covered = key & 63
    return (key >> 12) - area.penalty * covered, (key & 4095) >> 6, popcount(pile) - covered


@kernel
def lay_out(area: Any, pile: np.uint64, trump: int, at_least: int, out: NDArray[np.uint64]) -> int:
    """Write down the best layout of a pile, always the same one of those that tie.

    Sets come first, then runs; a set is laid wherever some best layout has it.

    Parameters
    ----------
    area : MELD_AREA record
        Prepared; its scratch memory is overwritten.
    pile, trump, at_least
        As for :func:`best_layout`.
    out : ndarray of uint64, shape (17,) or longer
        The first entries are overwritten with the melds' cards, the ace as bit 14.

    Returns
    -------
    int64
        Number of melds; -1 when no layout has `at_least` melds.
    """
    key = best_key(area, pile, trump, at_least)
    if key < 0:
        return np.int64(-1)
    laid = np.int64(0)
    three = three_or_more(pile)
    while three != np.uint64(0):
        cards = pile & (LANE_ONES << np.uint64(lowest(three)))
        three &= three - U1
        for turn in range(5):
            # The set of four first, or of all three; then without each suit in turn.
            meld = cards
            if turn > 0:
                meld &= ~(LANE << np.uint64(16 * turn - 16))
            number = popcount(meld)
            if number < 3 or (turn > 0 and meld == cards):
                continue
            worth = area.set4 if number == 4 else area.set3
            need = max(at_least - 1, 0)
            if worth <= key and best_key(area, pile ^ meld, trump, need) == key - worth:
                out[laid] = meld
                laid += 1
                pile ^= meld
                key -= worth
                at_least = need
                break
    return laid + _lay_runs(area, pile, trump, at_least, key, out[laid:])


@kernel
def _lay_runs(
    area: Any,
    pile: np.uint64,
    trump: int,
    at_least: int,
    key: int,
    out: NDArray[np.uint64],
) -> int:
    """Write the runs that are worth `key` with at least `at_least` melds; return their number."""
    trumps = trump_lane(trump)
    aces = (pile >> U14) & LANE_ONES
    cards = np.uint64(0)
    low = aces
    while True:  # all subsets of the aces laid low
        cards = (pile & INNER) | (low << U1) | ((aces ^ low) << U14)
        if low == np.uint64(0) or runs_key(area, cards, trumps, 0, at_least) == key:
            break
        low = (low - U1) & aces
    link = links(cards)
    more = max(at_least - popcount(link & ~(link << U1)), 0)
    laid = np.int64(0)
    for turn in range(5):  # the trump suit is split last
        suit = trump if turn == 4 else turn
        if suit == 4 or (turn < 4 and suit == trump):
            continue
        link = links(cards) & (LANE << np.uint64(16 * suit))
        first = link & ~(link << U1)
        while first != np.uint64(0):
            start = np.uint64(lowest(first))
            first &= first - U1
            length = lowest(~(link >> start)) + 2
            runs = length // 3
            if area.split[0] < 0:
                runs = min(runs, more + 1)
                more -= runs - 1
            for run in range(runs):
                size = 3 if run + 1 < runs else length
                meld = ((U1 << np.uint64(size)) - U1) << start
                ace = meld & (LANE_ONES << U1)
                out[laid] = (meld ^ ace) | (ace << np.uint64(13))
                laid += 1
                start += np.uint64(3)
                length -= 3
    return laid
