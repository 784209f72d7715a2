"""What is asked between auction and lead, for strategies that say nothing of it.

Source: rules, variants 5 (the announced points of a hard bid) and 6 (the discard for the kitty).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import NT
from simulate.compiled.bits import ACES, LANE, ONE, lowest, popcount
from strategies.knowledge.judgement import spread_aces

AT_LEAST = 2  # number of that `hard_bid`

# What the declarers take, by the declarer's hand: a constant, each ace, king, queen and knave, each
# trump, each trump honour (A K Q), no trump. Four players, then three.
_TRICKS = np.array(
    [
        [2.11, 0.60, 0.45, 0.23, 0.15, 0.73, 0.18, 3.69],
        [-3.82, 1.0, 0.82, 0.54, 0.35, 1.1, 0.28, 5.83],
    ]
)
_MELDS = np.array(
    [[-42.6, 10.3, 7.9, 3.0, 3.5, 16.8, 14.0, 83.0], [-107.4, 8.9, 6.5, 3.3, 4.3, 15.7, 16.5, 99.7]]
)


def discard_weak(view: Any, work: int) -> int:
    """Lay down the card that would win least, rather one with neighbours in hand.

    It is captured all the same, so nothing is lost by it but its power in the play, and melds
    with its neighbours stay possible.
    """
    line = spread_aces(view.hand)
    best = -1
    least = 1e9
    cards = view.legal
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - ONE
        lane = (line >> np.uint64(16 * (card >> 4))) & LANE
        rank = np.uint64(card & 15)
        touching = (lane >> (rank - ONE) & ONE) + (lane >> (rank + ONE) & ONE)
        worth = 2.0 * (card & 15) - 1.0 * np.int64(touching)
        if card >> 4 == view.denomination:
            worth += 30.0
        if worth < least:
            least = worth
            best = card
    return best


def announce_expected(view: Any, work: int) -> int:
    """Announce the tricks that the hand should take and 0.65 of the meld points they bring.

    The estimates are least squares on the declarer's hand over 21,643 (three players: 11,777)
    classic contracts between tips/greedy, seed 5; they leave a standard deviation of 1.5 (1.2)
    tricks. Melds may stay unlaid, so that an exact total below the best is hit as often as the
    tricks are guessed, about one time in five: 0.65 scored most. An at-least bid gains nothing by
    a high total, so that the lowest is announced.
    """
    if view.rules.hard_bid == AT_LEAST:
        return 0
    hand = view.hand
    row = 1 if view.players == 3 else 0
    no_trump = view.denomination == NT
    trumps = np.uint64(0)
    if not no_trump:
        trumps = (hand >> np.uint64(16 * view.denomination)) & LANE
    tricks = _TRICKS[row, 0]
    melds = _MELDS[row, 0]
    for i in range(4):  # aces, kings, queens, knaves
        count = popcount(hand & (ACES >> np.uint64(i)))
        tricks += _TRICKS[row, 1 + i] * count
        melds += _MELDS[row, 1 + i] * count
    for place, count in (
        (5, popcount(trumps)),
        (6, popcount(trumps >> np.uint64(12))),
        (7, np.int64(no_trump)),
    ):
        tricks += _TRICKS[row, place] * count
        melds += _MELDS[row, place] * count
    unit = max(np.int64(view.rules.run3_points), 1)
    laid = max(np.int64(np.round(0.65 * melds / 5.0)), np.int64(view.level))
    taken = max(np.int64(np.round(tricks)), 0)
    return taken * view.rules.trick_points + laid * unit
