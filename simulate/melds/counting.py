"""The counting search: the best key of a pile for any rule values and any least number of melds.

See :mod:`simulate.melds.area` for keys and for what the other searches do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import LANE_ONES, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import INNER, NEVER, U1, U14, list_aces


@kernel
def count_melds(area: Any, pile: np.uint64, useful: np.uint64, trump: int, at_least: int) -> int:
    """Best key of a pile laid as at least `at_least` melds.

    Parameters
    ----------
    area : MELD_AREA record
        `state`, `best`, `turn` and the aces' choices are overwritten; `slot_of` is all zero
        before and after.
    pile, useful : uint64
        The cards, and those of them that could lie in a run.
    trump : int64
        Denomination 0..4.
    at_least : int64
        0..17.

    Returns
    -------
    int64
        -1 when no layout has so many melds.
    """
    best = np.int64(-1)
    inner = pile & INNER
    for choice in range(list_aces(area, pile, useful)):
        cards = inner | (area.aces_low[choice] << U1) | (area.aces_high[choice] << U14)
        best = max(best, _count_runs(area, cards, area.aces_key[choice], trump, at_least))
    return best


@kernel
def _count_runs(area: Any, cards: np.uint64, aces_key: int, trump: int, at_least: int) -> int:
    """Best key when each ace lies on one side and sets are made of the ranks 2..13 alone."""
    slot_of = area.slot_of
    source = np.int64(0)
    states = np.int64(1)
    none, no_cards = np.int64(0), np.uint64(0)
    area.state[0, 0] = 0
    for melds in range(at_least + 1):
        area.best[0, 0, melds] = NEVER
    area.best[0, 0, min(aces_key >> 6 & 63, at_least)] = aces_key
    for rank in range(1, 15):
        present = (cards >> np.uint64(rank)) & LANE_ONES
        if present == np.uint64(0):
            continue
        ahead = (cards >> np.uint64(rank + 1)) & LANE_ONES
        target = 1 - source
        opened = np.int64(0)
        number = popcount(present) if 1 < rank < 14 else 0
        for slot in range(states):
            state = area.state[source, slot]
            opened = _lay(area, source, slot, state, present, ahead, trump, none, at_least, opened)
            if number == 3:
                opened = _lay(
                    area, source, slot, none, no_cards, ahead, trump, area.set3, at_least, opened
                )
            elif number == 4:
                whole = max(area.set3, area.set4)
                opened = _lay(
                    area, source, slot, none, no_cards, ahead, trump, whole, at_least, opened
                )
                for suit in range(4):
                    spared = U1 << np.uint64(16 * suit)
                    opened = _lay(
                        area, source, slot, state, spared, ahead, trump, area.set3, at_least, opened
                    )
        for slot in range(opened):
            slot_of[area.state[target, slot]] = 0
        source = target
        states = opened
    # No card is ahead of an ace laid high, so one state is left.
    return max(np.int64(area.best[source, 0, at_least]), np.int64(-1))


@kernel
def _lay(
    area: Any,
    source: int,
    slot: int,
    state: int,
    kept: np.uint64,
    ahead: np.uint64,
    trump: int,
    worth: int,
    at_least: int,
    opened: int,
) -> int:
    """Carry one state over a rank whose cards `kept` (bit 0 of a lane) join the runs.

    A state holds 3 bits a suit: the length of the stretch of cards so far, where 3, 4, 5 stand
    for all lengths of the same remainder by 3; 0 where no card is ahead. `worth` is the key of the
    rank's set, 0 for none.

    Returns
    -------
    int64
        Number of states open behind the rank.
    """
    gain = worth
    more = np.int64(1) if worth > 0 else np.int64(0)
    thirds = np.int64(0)
    third_trump = False
    key = np.int64(0)
    for suit in range(4):
        shift = np.uint64(16 * suit)
        if (kept >> shift) & U1 == np.uint64(0):
            continue
        is_trump = np.int64(1) if suit == trump else np.int64(0)
        length = (state >> (3 * suit)) & 7
        if length == 2:
            gain += 3 * area.card[is_trump] + area.split[is_trump]
            more += 1
        elif length > 2:
            gain += area.card[is_trump]
            if length == 5:
                length = np.int64(2)
                if is_trump:
                    third_trump = True
                else:
                    thirds += 1
        if (ahead >> shift) & U1:
            key |= (length + 1) << (3 * suit)
    turn = area.turn
    for melds in range(at_least + 1):
        turn[melds] = NEVER
    for melds in range(at_least + 1):
        to = min(melds + more, at_least)
        turn[to] = max(turn[to], np.int32(area.best[source, slot, melds] + gain))
    # Each suit's stretch that grew to a multiple of 3 may be split once more.
    for split in range(thirds + third_trump):
        cost = area.split[1] if split == thirds else area.split[0]
        for melds in range(at_least, -1, -1):
            to = min(melds + 1, at_least)
            turn[to] = max(turn[to], np.int32(turn[melds] + cost))
    target = 1 - source
    place = np.int64(area.slot_of[key]) - 1
    if place < 0:
        place = opened
        opened += 1
        area.slot_of[key] = opened
        area.state[target, place] = key
        for melds in range(at_least + 1):
            area.best[target, place, melds] = turn[melds]
    else:
        for melds in range(at_least + 1):
            area.best[target, place, melds] = max(area.best[target, place, melds], turn[melds])
    return opened
