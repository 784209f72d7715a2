"""A bidder that deals the hidden cards and plays every denomination out.

Source: Monte Carlo bidding (M. Ginsberg, "GIB: imperfect information in a computationally
challenging game", *JAIR* 14, 2001), with honest playouts rather than open-handed ones. The worlds
are dealt blind to the calls; what those tell is weighed in as `calibrated` does it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import (
    PASS,
    Parameter,
    PlayerParameter,
    TableParameter,
    bid,
    bidder,
    next_world,
    open_playouts,
    own_chance,
    own_margin,
    play_contract,
    playouts_of,
    table_at,
)
from strategies.knowledge.prospects import (
    aim,
    claim,
    hear,
    heard_margin,
    least_margin,
    stated_chance,
)

WORLDS = 0
BELIEF = 1
OPEN = 2
CAUTION = 3
LEAP = 4
PLAYOUT = 5
MATCH = 6
TABLE = 7


@bidder(
    "montecarlo",
    looks_at="own hand, the calls so far",
    source="Monte Carlo bidding (Ginsberg, JAIR 2001), with honest playouts",
    parameters=[
        Parameter("worlds", 16, 1, 10000, "worlds that each denomination is played out in"),
        Parameter("belief", 64, 0, 10000, "worlds that what the table says counts as"),
        Parameter("open", 10, -200, 200, "margin that the first bid must promise"),
        Parameter("caution", 10, -200, 200, "margin that a bid must promise above one that stands"),
        Parameter("leap", 12, 0, 100, "margin given up for each level, so that opponents give in"),
        PlayerParameter("playout", "greedy", "who plays the worlds, at every seat"),
        Parameter(
            "match",
            0,
            0,
            1000,
            "worth of a contract made, both sides being at the target",
        ),
        TableParameter("table", "shipped", "what hands are worth, by the rules"),
    ],
)
def montecarlo(view: Any, work: int) -> int:
    """Bid what scores best over sampled worlds, where that beats what the bid that stands does.

    The worlds refine what the table says of the own hand, as so many more that were seen.
    """
    table = table_at(view.params[TABLE], view)
    facts = hear(view)
    stake = claim(view, view.params[MATCH])
    least = least_margin(table, view, facts, view.params[OPEN], view.params[CAUTION], stake)
    levels = np.zeros(5, np.int64)
    extra = np.zeros(5)
    margins = np.zeros(5)
    chances = np.zeros(5)
    belief = view.params[BELIEF]
    for denomination in range(5):
        level, gained = aim(table, view, facts, denomination, view.params[LEAP])
        levels[denomination] = level
        if level > 0:
            extra[denomination] = gained
            margins[denomination] = belief * own_margin(table, view, denomination, level)
            chances[denomination] = belief * own_chance(table, view, denomination, level)
    if not levels.any():
        return PASS
    room = playouts_of(work)
    open_playouts(room, view, work, np.int64(view.params[PLAYOUT]), np.int64(0))
    worlds = np.int64(view.params[WORLDS])
    for _ in range(worlds):
        next_world(room, view)
        for denomination in range(5):
            level = levels[denomination]
            if level > 0:
                play_contract(room, work, np.int64(view.seat), level, denomination)
                scores = room.state.scores
                margins[denomination] += np.int64(scores[0]) - np.int64(scores[1])
                chances[denomination] += np.int64(room.state.made)
    best = np.int64(PASS)
    for denomination in range(5):
        level = levels[denomination]
        if level == 0:
            continue
        margin = margins[denomination] / (worlds + belief)
        margin = heard_margin(table, facts, denomination, level, margin) + extra[denomination]
        chance = chances[denomination] / (worlds + belief)
        margin += stake * chance
        if margin > least:
            least = margin
            best = np.int64(bid(level, denomination))
            view.stated = stated_chance(table, facts, denomination, level, chance)
    return best
