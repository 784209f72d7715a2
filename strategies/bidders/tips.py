"""The tips that players give each other, as a bidder.

Source: rules, 'Tips': bid with at least two structures in hand and some trump strength; with a
hand that may sweep bid no trump.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import LANE, NT, PASS, Parameter, bid, bidder, count_structures, has, popcount

_HONOURS = np.uint64(0x7000_7000_7000_7000)  # A K Q of each suit
_ACES_KINGS = np.uint64(0x6000_6000_6000_6000)

MIN_STRUCTURES = 0
MIN_TRUMPS = 1
EXTRA_MELDS = 2
SWEEP_CARDS = 3


@bidder(
    "tips",
    looks_at="own hand and jokers, the calls so far",
    source="rules, 'Tips that players give each other'",
    parameters=[
        Parameter("min_structures", 2, 0, 8, "structures and jokers in hand that a bid needs"),
        Parameter(
            "min_trumps", 4, 0, 13, "trumps that a bid in a suit needs, an honour counting 1.5"
        ),
        Parameter("extra_melds", 1, -6, 6, "melds promised beyond the structures in hand"),
        Parameter("sweep_cards", 6, 0, 13, "aces and kings that make it a no-trump hand"),
    ],
)
def tips(view: Any, work: int) -> int:
    """Bid the longest strong suit with two structures in hand, no trump with a hand that sweeps."""
    hand = view.hand
    structures = count_structures(hand) + view.jokers  # a joker completes any two cards
    if structures < view.params[MIN_STRUCTURES]:
        return PASS
    if view.players == 4 and view.declarer == (view.seat + 2) % 4:
        return PASS  # the partner's bid stands
    best = -1
    strength = view.params[MIN_TRUMPS] - 0.25
    for suit in range(4):
        cards = (hand >> np.uint64(16 * suit)) & LANE
        trumps = popcount(cards) + 0.5 * popcount(cards & _HONOURS)
        if view.rules.denominations >> suit & 1 and trumps > strength:
            strength = trumps
            best = suit
    sweeps = popcount(hand & _ACES_KINGS) >= view.params[SWEEP_CARDS]
    only_nt = view.rules.denominations == 1 << NT
    if view.rules.denominations >> NT & 1 and (sweeps or only_nt):
        best = NT
    if best < 0:
        return PASS
    most = min(structures + view.params[EXTRA_MELDS], view.rules.max_level)
    for level in range(1, view.rules.max_level + 1):
        call = bid(level, best)
        if level <= most and has(view.legal, call):
            return call
    return PASS
