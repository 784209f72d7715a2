"""The score of a side under any rules: with jokers, and with announced totals.

Apart from :mod:`simulate.game.scoring`, since the layouts with jokers and of exact totals take the
compiler as long as all the rest of the engine.

Source: rules, variants 3 and 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.kernels import kernel
from simulate.game.records import EXACT_BID, LOSE_TARGET
from simulate.game.scoring import add_up
from simulate.melds.totals import reach_total
from simulate.melds.wild import best_layout_wild


@kernel
def score_any(side: Any, melds: Any, rules: Any) -> int:
    """Lay out and score one side; as :func:`simulate.game.scoring.score_plain`, for all rules."""
    hard = side.level > 0 and rules.hard_bid != 0
    needed = 0 if hard and not rules.hard_bid_melds else side.level
    tricks = rules.trick_points * side.tricks
    pile = side.pile
    # Typed, or numba compiles every search for 32 bits, and for the number as written, as well.
    natural = np.int64(rules.min_natural_cards)
    none = np.int64(0)
    if hard and rules.hard_bid == EXACT_BID:
        points, laid, dead = reach_total(
            melds, pile, side.jokers, natural, side.trump, needed, side.target - tricks
        )
        side.made = laid >= 0
    else:
        points, laid, dead = best_layout_wild(melds, pile, side.jokers, natural, side.trump, needed)
        side.made = laid >= 0
        if hard and tricks + points - rules.dead_card_penalty * dead < side.target:
            side.made = 0
    if not side.made and (side.shown or rules.failed_contract_scores):
        points, laid, dead = best_layout_wild(melds, pile, side.jokers, natural, side.trump, none)
    side.points = points
    side.laid = laid
    side.dead = dead
    by_target = hard and rules.fail_value == LOSE_TARGET
    return add_up(side, rules, rules.fail_multiplier * (side.target if by_target else side.level))
