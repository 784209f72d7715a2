"""A player that weighs what a trick's cards are worth to either side's melds.

Source: rules, 'Tips': win the tricks that hold the cards your melds miss; trumps to protect or
capture such cards; watch the piles. That tricks come first, and that what matters is whether the
trick will be won, was measured (docs/strategies.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import (
    LANE,
    ONE,
    Parameter,
    bit,
    card_strength,
    in_sight,
    lowest,
    pile_promise,
    player,
    popcount,
    seen_cards,
    solve_ending,
    trick_so_far,
    winning_chance,
)

_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)

SET = 0
PAIR = 1
RUN = 2
TOUCH = 3
TRICK = 4
KEEP = 5
DECAY = 6
RUFF = 7


@player(
    "greedy",
    looks_at="the trick, own hand, both piles, suits shown out, cards not seen yet, open hands",
    source="rules, 'Tips that players give each other'",
    parameters=[
        Parameter("set", 0.3, 0, 20, "worth of a rank with three cards in a pile"),
        Parameter("pair", 0.4, 0, 20, "worth of a rank with two"),
        Parameter("run", 0.3, 0, 20, "worth of each card from the third of a run on"),
        Parameter("touch", 0.05, 0, 20, "worth of two neighbours in a suit"),
        Parameter("trick", 3.5, 0, 40, "worth of any trick beside what its cards make"),
        Parameter("keep", 7.5, 0, 40, "worth of keeping the highest card left of a suit"),
        Parameter("decay", 0.75, 0, 1, "share of that for each higher card that is hidden"),
        Parameter("ruff", 4, 0, 40, "worth of keeping a trump, whatever its rank"),
    ],
    heeds_level="in open hands",
)
def greedy(view: Any, work: int) -> int:
    """Play the card with the best expected change in both piles, less its power to win later.

    Where all hands lie face up and each holds four cards at most, play exactly.
    """
    legal = view.legal
    if legal & (legal - ONE) == np.uint64(0):
        return lowest(legal)
    if in_sight(view):
        return solve_ending(view, work)[0]
    trump = np.int64(view.denomination)
    factor = float(view.rules.trump_run_multiplier)
    params = view.params
    led, best, winner = trick_so_far(view)
    size = np.int64(view.trick_size)
    places = view.players - size - 1
    hidden = _CARDS & ~seen_cards(view)
    table = np.uint64(0)
    for i in range(size):
        table |= bit(view.trick[i])
    ours = winner >= 0 and view.sides[winner] == view.sides[view.seat]
    own_now = pile_promise(
        view.own_pile, trump, params[SET], params[PAIR], params[RUN], params[TOUCH], factor
    )
    other_now = pile_promise(
        view.other_pile, trump, params[SET], params[PAIR], params[RUN], params[TOUCH], factor
    )
    base = view.rules.trick_points + params[TRICK]
    chosen = -1
    most = -1e9
    cards = legal
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - ONE
        suit = card >> 4 if size == 0 else led
        strength = card_strength(card, suit, trump)
        beats = strength > best
        chance = winning_chance(
            view, max(strength, best), beats or ours, suit, places, hidden, False
        )
        gained = table | bit(card)
        won = (
            base
            - own_now
            + pile_promise(
                view.own_pile | gained,
                trump,
                params[SET],
                params[PAIR],
                params[RUN],
                params[TOUCH],
                factor,
            )
        )
        lost = (
            base
            - other_now
            + pile_promise(
                view.other_pile | gained,
                trump,
                params[SET],
                params[PAIR],
                params[RUN],
                params[TOUCH],
                factor,
            )
        )
        lane = (hidden >> np.uint64(16 * (card >> 4))) & LANE
        above = popcount(lane >> np.uint64((card & 15) + 1))
        power = params[KEEP] * params[DECAY] ** above
        if card >> 4 == trump:
            power += params[RUFF]
        worth = chance * won - (1.0 - chance) * lost - power
        if worth > most:
            most = worth
            chosen = card
    return chosen
