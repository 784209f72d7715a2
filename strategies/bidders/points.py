"""A bidder that counts points, and lets its partner's bid stand.

Source: as for `calibrated`; what it leaves out is what the calls tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import (
    PASS,
    Parameter,
    TableParameter,
    against_others,
    bid,
    bidder,
    has,
    table_at,
)
from strategies.knowledge.card_points import estimate, kind_of

MARGIN = 0
SPARE = 1
TABLE = 2


@bidder(
    "points",
    looks_at="own hand, the bid that stands",
    source="point count (M. C. Work, 1923), with numbers fitted from forced runs",
    parameters=[
        Parameter("margin", 15, -200, 200, "points that it must expect to score above the others"),
        Parameter("spare", 0, -6, 6, "melds that it must expect beyond those it promises"),
        TableParameter("table", "shipped", "what hands are worth, by the rules"),
    ],
)
def points(view: Any, work: int) -> int:
    """Bid the denomination with the most points, as high as the melds that the hand promises."""
    if view.declarer >= 0 and not against_others(view):
        return PASS  # the partner's bid stands
    table = table_at(view.params[TABLE], view)
    best = np.int64(PASS)
    most = view.params[MARGIN]
    for denomination in range(5):
        kind = kind_of(denomination)
        melds = estimate(table.melds[kind], view.hand, view.jokers, denomination)
        for level in range(1, view.rules.max_level + 1):
            call = bid(level, denomination)
            if not has(view.legal, call):
                continue
            margin = estimate(table.declare[kind, 0], view.hand, view.jokers, denomination)
            if level <= melds - view.params[SPARE] and margin > most:
                most = margin
                best = call
            break
    return best
