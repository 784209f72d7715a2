"""What is asked between auction and lead, for strategies that say nothing of it.

Source: rules, variants 5 (the announced points of a hard bid) and 6 (the discard for the kitty).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.bits import lowest, popcount
from simulate.cards import NT
from simulate.kernels import kernel
from strategies.judgement import spread_aces

_ONE = np.uint64(1)
_LANE = np.uint64(0xFFFF)


@kernel
def discard_weak(view: Any, work: int) -> int:
    """Lay down the card that would win least, rather one with neighbours in hand.

    It is captured all the same, so nothing is lost by it but its power in the play, and melds
    with its neighbours stay possible.
    """
    line = spread_aces(view.hand)
    found = -1
    least = 1e9
    cards = view.legal
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - _ONE
        lane = (line >> np.uint64(16 * (card >> 4))) & _LANE
        rank = np.uint64(card & 15)
        touching = (lane >> (rank - _ONE) & _ONE) + (lane >> (rank + _ONE) & _ONE)
        worth = 2.0 * (card & 15) - 1.0 * np.int64(touching)
        if card >> 4 == view.denomination:
            worth += 30.0
        if worth < least:
            least = worth
            found = card
    return found


@kernel
def announce_expected(view: Any, work: int) -> int:
    """Announce the tricks that the hand should take and most of the meld points they bring.

    Tricks are counted by honours and long trumps; melds by the average that captured cards bring,
    somewhat less for an exact bid, since unlaid melds hit a lower total but none a higher one.
    """
    hand = view.hand
    tricks = 0.0
    for suit in range(4):
        lane = (hand >> np.uint64(16 * suit)) & _LANE
        tricks += 0.9 * np.int64(lane >> np.uint64(14) & _ONE)
        tricks += 0.6 * np.int64(lane >> np.uint64(13) & _ONE)
        tricks += 0.3 * np.int64(lane >> np.uint64(12) & _ONE)
        if suit == view.denomination and suit != NT:
            tricks += 0.5 * max(popcount(lane) - 3, 0)
    size = 13.0
    if view.players == 4:
        tricks += 3.2  # what the partner takes
    else:
        size = 17.0
        tricks += 1.5
    tricks = min(tricks, size)
    rules = view.rules
    per_trick = 0.8 * rules.run_step_points if view.players == 4 else 0.6 * rules.run_step_points
    melds = per_trick * tricks
    unit = max(rules.run_step_points, 1)
    share = 0.6 if rules.hard_bid == 1 else 0.5
    laid = max(np.int64(share * melds / unit), np.int64(view.level))
    return np.int64(np.round(tricks)) * rules.trick_points + laid * unit
