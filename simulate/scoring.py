"""The score of a hand: tricks, the best layouts, the contract, the slam.

Source: rules, 'The score of a hand'.
"""

from __future__ import annotations

from typing import Any

from simulate.kernels import kernel
from simulate.melds import best_layout


@kernel
def score_hand(state: Any, melds: Any) -> None:
    """Lay out both piles and score them.

    Parameters
    ----------
    state : STATE record
        After the last trick; the piles take what lies aside; `melds`, `meld_points`,
        `dead`, `slam`, `scores` and `made` are
        modified in place.
    melds : MELD_AREA record
        Prepared for the rules of `state`; its scratch is modified.
    """
    rules = state.rules
    trump = int(state.denomination)
    state.made = -1
    for side in range(2):
        pile = state.piles[side] | state.aside[side]
        state.piles[side] = pile
        level = int(state.level) if side == 0 else 0
        made = True
        points, laid, dead = best_layout(melds, pile, trump, level)
        if laid < 0:
            made = False
            points, laid, dead = best_layout(melds, pile, trump, 0)
        slam = rules.slam_bonus if state.tricks[side] == state.hand_size else 0
        score = slam
        if made or rules.failed_contract_scores:
            score += rules.trick_points * state.tricks[side] + points
            score -= rules.dead_card_penalty * dead
        if not made:
            score -= rules.fail_multiplier * level
        if level > 0:
            state.made = 1 if made else 0
        state.melds[side] = laid
        state.meld_points[side] = points
        state.dead[side] = dead
        state.slam[side] = slam != 0
        state.scores[side] = score
