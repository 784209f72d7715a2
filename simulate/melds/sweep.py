"""The sweep: the best key of a large pile, whatever the number of melds.

A state is the ranks passed since the last set and, where that set spared a suit, the ranks passed
since the last set that took a card of this suit. Beyond 3 a distance makes no difference as long
as one run a stretch is best, so that 28 states do. See :mod:`simulate.melds.area` for keys and for
what the other searches do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.kernels import kernel
from simulate.melds.area import (
    LANES,
    NEVER,
    ROWS,
    SLOTS,
    U1,
    U2,
    U3,
    all_suits,
    list_aces,
    three_or_more,
)


@kernel(inline=True)
def _sum(a: int, b: int) -> int:
    """Sum of two int32 as an int32: numba would widen it, and the loop would not fill vectors."""
    return np.int32(a + b)


@kernel(inline=True)
def _max(a: int, b: int) -> int:
    """Larger of two int32 as an int32."""
    return a if a > b else b


# Rows of the sweep's lanes. With t the ranks passed since the last set, at most 3, row t is the
# state of all suits alike; where the last set spared a suit, and a set took that suit's card a
# ranks ago, row 4 + 6 * suit + (0..5) has (a, t) = (1,0) (2,0) (3,0) (2,1) (3,1) (3,2).
_OPENED = SLOTS  # t = 0, then (1,0) (2,0) (3,0) for each suit
_GAIN2 = _OPENED + 13  # gain of a suit's card when a set was 2 ranks ago
_GAIN3 = _GAIN2 + 4  # 3 ranks or more ago
_LOW = _GAIN3 + 4  # -1 where the suit's ace lies low
_HIGH = _LOW + 4


@kernel(inline=True)
def _open_none(lane: NDArray[np.int32]) -> None:
    for at in range(_OPENED * LANES, (_OPENED + 13) * LANES):
        lane[at] = NEVER


@kernel(inline=True)
def _open_set(lane: NDArray[np.int32], worth: int) -> None:
    """Take all cards of the rank as a set."""
    for at in range(LANES):
        best = lane[at]
        for row in range(1, SLOTS):
            best = _max(best, lane[row * LANES + at])
        lane[_OPENED * LANES + at] = _sum(best, worth)


@kernel(inline=True)
def _open_sparing(
    lane: NDArray[np.int32], worth: int, suit: int, other1: int, other2: int, other3: int
) -> None:
    """Take three of the rank's four cards as a set, sparing that of `suit`."""
    own = (4 + 6 * suit) * LANES
    row1 = (4 + 6 * other1) * LANES
    row2 = (4 + 6 * other2) * LANES
    row3 = (4 + 6 * other3) * LANES
    opened = (_OPENED + 1 + 3 * suit) * LANES
    for at in range(LANES):
        best0 = lane[at]
        for step in range(3):
            best0 = _max(best0, lane[row1 + step * LANES + at])
            best0 = _max(best0, lane[row2 + step * LANES + at])
            best0 = _max(best0, lane[row3 + step * LANES + at])
        best1 = _max(lane[LANES + at], lane[own + at])
        for step in range(3, 5):
            best1 = _max(best1, lane[row1 + step * LANES + at])
            best1 = _max(best1, lane[row2 + step * LANES + at])
            best1 = _max(best1, lane[row3 + step * LANES + at])
        best2 = _max(lane[2 * LANES + at], lane[own + LANES + at])
        best2 = _max(best2, lane[own + 3 * LANES + at])
        best2 = _max(best2, lane[row1 + 5 * LANES + at])
        best2 = _max(best2, lane[row2 + 5 * LANES + at])
        best2 = _max(best2, lane[row3 + 5 * LANES + at])
        best3 = _max(lane[3 * LANES + at], lane[own + 2 * LANES + at])
        best3 = _max(best3, _max(lane[own + 4 * LANES + at], lane[own + 5 * LANES + at]))
        best2 = _sum(best2, lane[(_GAIN2 + suit) * LANES + at])
        best3 = _sum(best3, lane[(_GAIN3 + suit) * LANES + at])
        lane[opened + at] = _sum(best0, worth)
        lane[opened + LANES + at] = _sum(best1, worth)
        lane[opened + 2 * LANES + at] = _sum(_max(best2, best3), worth)


@kernel(inline=True)
def _pass_rank(lane: NDArray[np.int32]) -> None:
    """Lay no set of the rank; then bring in the states that its sets opened."""
    for at in range(LANES):
        all2 = np.int32(0)
        all3 = np.int32(0)
        for suit in range(4):
            all2 = _sum(all2, lane[(_GAIN2 + suit) * LANES + at])
            all3 = _sum(all3, lane[(_GAIN3 + suit) * LANES + at])
        long = _max(_sum(lane[2 * LANES + at], all2), _sum(lane[3 * LANES + at], all3))
        for suit in range(4):
            gain2 = lane[(_GAIN2 + suit) * LANES + at]
            gain3 = lane[(_GAIN3 + suit) * LANES + at]
            row = (4 + 6 * suit) * LANES + at
            opened = (_OPENED + 1 + 3 * suit) * LANES + at
            long = _max(long, _sum(lane[row + 5 * LANES], _sum(all2, _sum(gain3, -gain2))))
            lane[row + 5 * LANES] = _max(
                _sum(lane[row + 3 * LANES], gain2), _sum(lane[row + 4 * LANES], gain3)
            )
            lane[row + 4 * LANES] = _max(
                _sum(lane[row + LANES], gain2), _sum(lane[row + 2 * LANES], gain3)
            )
            lane[row + 3 * LANES] = lane[row]
            lane[row] = lane[opened]
            lane[row + LANES] = lane[opened + LANES]
            lane[row + 2 * LANES] = lane[opened + 2 * LANES]
        lane[3 * LANES + at] = long
        lane[2 * LANES + at] = lane[LANES + at]
        lane[LANES + at] = lane[at]
        lane[at] = lane[_OPENED * LANES + at]


@kernel
def sweep(area: Any, pile: np.uint64, useful: np.uint64, trump: int) -> int:
    """Best key of a pile, one run a stretch (`split` < 0), any number of melds.

    Parameters
    ----------
    area : MELD_AREA record
        `lane` and the aces' choices are overwritten.
    pile, useful : uint64
        The cards, and those of them that could lie in a run.
    trump : int64

    Returns
    -------
    int64
    """
    lane = area.lane[area.shift : area.shift + ROWS * LANES]
    choices = list_aces(area, pile, useful)
    three = three_or_more(pile)
    four = all_suits(pile)
    whole = np.int32(max(area.set3, area.set4))
    set3 = np.int32(area.set3)
    # The third and the next card of a run of cards below, aces laid low left out.
    third = pile & (pile << U1) & (pile << U2)
    later = third & (pile << U3)
    best = np.int64(-1)
    for block in range(0, choices, LANES):
        used = min(choices - block, LANES)
        for at in range(SLOTS * LANES):
            lane[at] = NEVER
        for at in range(used):
            lane[3 * LANES + at] = np.int32(area.aces_key[block + at])
            low = area.aces_low[block + at]
            high = area.aces_high[block + at]
            for suit in range(4):
                shift = np.uint64(16 * suit)
                lane[(_LOW + suit) * LANES + at] = -np.int32((low >> shift) & U1)
                lane[(_HIGH + suit) * LANES + at] = -np.int32((high >> shift) & U1)
        for rank in range(2, 15):
            for suit in range(4):
                bit = U1 << np.uint64(16 * suit + rank)
                card = np.int32(area.card[1] if suit == trump else area.card[0])
                first = np.int32(3 * card + (area.split[1] if suit == trump else area.split[0]))
                gain2 = first if third & bit else np.int32(0)
                gain3 = card if later & bit else gain2
                row2 = (_GAIN2 + suit) * LANES
                row3 = (_GAIN3 + suit) * LANES
                for at in range(LANES):
                    lane[row2 + at] = gain2
                    lane[row3 + at] = gain3
                if rank == 3 or rank == 4:
                    # An ace laid low makes the 3 a third card and the 4 a later one.
                    below = (U3 if rank == 3 else np.uint64(7)) << np.uint64(16 * suit + 2)
                    more = first if rank == 3 else _sum(card, -first)
                    if pile & below == below:
                        for at in range(LANES):
                            low_lane = lane[(_LOW + suit) * LANES + at]
                            lane[row3 + at] = _sum(gain3, np.int32(more & low_lane))
                elif rank == 14:
                    for at in range(LANES):
                        high_lane = lane[(_HIGH + suit) * LANES + at]
                        lane[row2 + at] = np.int32(gain2 & high_lane)
                        lane[row3 + at] = np.int32(gain3 & high_lane)
            _open_none(lane)
            if rank < 14 and (three >> np.uint64(rank)) & U1:
                if (four >> np.uint64(rank)) & U1:
                    _open_set(lane, whole)
                    _open_sparing(lane, set3, 0, 1, 2, 3)
                    _open_sparing(lane, set3, 1, 0, 2, 3)
                    _open_sparing(lane, set3, 2, 0, 1, 3)
                    _open_sparing(lane, set3, 3, 0, 1, 2)
                else:
                    _open_set(lane, set3)
            _pass_rank(lane)
        for at in range(used):
            for row in range(SLOTS):
                best = max(best, np.int64(lane[row * LANES + at]))
    return best
