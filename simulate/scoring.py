"""The score of a hand: tricks, the best layouts, the contract, the slam.

Source: rules, 'The score of a hand'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.kernels import kernel
from simulate.melds import best_layout


@kernel
def score_side(
    rules: Any,
    melds: Any,
    pile: np.uint64,
    trump: int,
    level: int,
    tricks: int,
    all_tricks: int,
    shown: bool,
) -> tuple[int, bool, int, int, int, int]:
    """Lay out one side's pile and score it.

    Parameters
    ----------
    rules : RULES record
    melds : MELD_AREA record
        Prepared for `rules`; its scratch is modified.
    pile : uint64
        All that the side has captured, with what lay aside for it.
    trump : int64
        Denomination 0..4.
    level : int64
        Melds that the side has promised; 0 for defenders.
    tricks, all_tricks : int64
        Tricks of the side, and of the hand.
    shown : bool
        Whether the layout is asked for where it does not score, in a failed contract.

    Returns
    -------
    score : int64
    made : bool
        Whether there is a layout of `level` melds.
    slam, points, laid, dead : int64
        The slam bonus, and the layout: points of the melds, their number, cards in none.
    """
    points, laid, dead = best_layout(melds, pile, trump, level)
    made = laid >= 0
    if not made and (shown or rules.failed_contract_scores):
        points, laid, dead = best_layout(melds, pile, trump, 0)
    slam = np.int64(rules.slam_bonus) if tricks == all_tricks else np.int64(0)
    score = slam
    if made or rules.failed_contract_scores:
        score += rules.trick_points * tricks + points
        score -= rules.dead_card_penalty * dead
    if not made:
        score -= rules.fail_multiplier * level
    return score, made, slam, points, laid, dead


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
    trump = np.int64(state.denomination)
    state.made = -1
    for side in range(2):
        pile = state.piles[side] | state.aside[side]
        state.piles[side] = pile
        level = np.int64(state.level) if side == 0 else np.int64(0)
        score, made, slam, points, laid, dead = score_side(
            state.rules,
            melds,
            pile,
            trump,
            level,
            np.int64(state.tricks[side]),
            np.int64(state.hand_size),
            True,
        )
        if level > 0:
            state.made = 1 if made else 0
        state.melds[side] = laid
        state.meld_points[side] = points
        state.dead[side] = dead
        state.slam[side] = slam != 0
        state.scores[side] = score
