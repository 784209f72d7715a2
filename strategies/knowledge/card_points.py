"""What a hand is worth in a denomination: points for its cards and for the lengths of its suits.

As bridge players count honour and length points, but with a number for every rank and length, in
trumps, beside them and at no trump, fitted from forced runs (docs/methods.md, `sviten fit`). What
it estimates is linear in them. Three in sequence or of a rank count no more than their cards: that
was fitted too, and adds nothing.

Kernels and fit both read a hand through :func:`take_features`, so that they cannot differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import NT
from simulate.compiled.bits import LANE, ONE, lowest, popcount
from simulate.compiled.kernels import kernel

_CONTROLS = np.uint64(0x6000_6000_6000_6000)  # aces and kings

# Where the numbers of a hand lie. Ranks are counted from 0 for a two.
CONSTANT = 0
TRUMP_RANK = 1
SIDE_RANK = 14
TRUMP_LENGTH = 27
SIDE_LENGTH = 41
CONTROLS = 55  # aces and kings, squared: several of them keep the lead
JOKERS = 56
FEATURES = 57

#: Kinds of denomination, which have points of their own: a trump suit, and no trump.
KINDS = 2


@kernel(inline=True)
def kind_of(denomination: int) -> int:
    """Place of the points of a denomination."""
    return np.int64(denomination == NT)


@kernel
def estimate(points: Any, hand: np.uint64, jokers: int, denomination: int) -> float:
    """Add up the points of a hand.

    Parameters
    ----------
    points : float64 array, shape (FEATURES,)
        Those of the kind of the denomination.
    hand : uint64
    jokers : int64
        That the seat holds.
    denomination : int64

    Returns
    -------
    float64
    """
    total = points[CONSTANT] + points[JOKERS] * jokers
    controls = popcount(hand & _CONTROLS)
    total += points[CONTROLS] * (controls * controls)
    for suit in range(4):
        rank = TRUMP_RANK if suit == denomination else SIDE_RANK
        length = TRUMP_LENGTH if suit == denomination else SIDE_LENGTH
        cards = (hand >> np.uint64(16 * suit)) & LANE
        total += points[length + min(popcount(cards), 13)]
        while cards != np.uint64(0):
            total += points[rank + lowest(cards) - 2]
            cards &= cards - ONE
    return total


@kernel
def take_features(hands: Any, jokers: Any, denominations: Any, rows: Any) -> None:
    """Write the numbers of many hands, such that ``rows @ points`` is :func:`estimate`.

    Parameters
    ----------
    hands : uint64 array, shape (n,)
    jokers, denominations : int64 arrays, shape (n,)
    rows : float array, shape (n, FEATURES)
        Modified in place.
    """
    for i in range(len(hands)):
        row = rows[i]
        for place in range(FEATURES):
            row[place] = 0
        row[CONSTANT] = 1
        row[JOKERS] = jokers[i]
        controls = popcount(hands[i] & _CONTROLS)
        row[CONTROLS] = controls * controls
        for suit in range(4):
            rank = TRUMP_RANK if suit == denominations[i] else SIDE_RANK
            length = TRUMP_LENGTH if suit == denominations[i] else SIDE_LENGTH
            cards = (hands[i] >> np.uint64(16 * suit)) & LANE
            row[length + min(popcount(cards), 13)] += 1
            while cards != np.uint64(0):
                row[rank + lowest(cards) - 2] += 1
                cards &= cards - ONE
