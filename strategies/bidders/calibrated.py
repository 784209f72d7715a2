"""A bidder that knows what its hand promises, and what others' calls say of it.

Source: the points that bridge players count for honours and lengths (M. C. Work, 1923), here with
numbers fitted to what contracts scored in millions of playouts, for every rank, length and level.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import (
    PASS,
    Parameter,
    TableParameter,
    bid,
    bidder,
    denomination_of,
    level_of,
    own_chance,
    own_margin,
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

OPEN = 0
CAUTION = 1
LEAP = 2
MATCH = 3
TABLE = 4


@bidder(
    "calibrated",
    looks_at="own hand, the calls so far",
    source="point count (M. C. Work, 1923), with numbers fitted from forced runs",
    parameters=[
        Parameter("open", 10, -200, 200, "margin that the first bid must promise"),
        Parameter("caution", 10, -200, 200, "margin that a bid must promise above one that stands"),
        Parameter("leap", 12, 0, 100, "margin given up for each level, so that opponents give in"),
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
def calibrated(view: Any, work: int) -> int:
    """Bid what promises the best margin, where it is better than what the bid that stands does."""
    table = table_at(view.params[TABLE], view)
    facts = hear(view)
    stake = claim(view, view.params[MATCH])
    least = least_margin(table, view, facts, view.params[OPEN], view.params[CAUTION], stake)
    best = np.int64(PASS)
    for denomination in range(5):
        level, gained = aim(table, view, facts, denomination, view.params[LEAP])
        if level == 0:
            continue
        margin = own_margin(table, view, denomination, level)
        margin = heard_margin(table, facts, denomination, level, margin) + gained
        if stake > 0.0:
            margin += stake * own_chance(table, view, denomination, level)
        if margin > least:
            least = margin
            best = np.int64(bid(level, denomination))
    if best != PASS:
        denomination = denomination_of(best)
        level = level_of(best)
        chance = own_chance(table, view, denomination, level)
        view.stated = stated_chance(table, facts, denomination, level, chance)
    return best
