"""The score of a hand: tricks, the best layouts, the contract, the slam.

What is added up here is declared in :mod:`simulate.game.score_terms`, term by term: a new term
stands in both, or a test fails.

Source: rules, 'The score of a hand'. A side is scored by the code at an address, which
:mod:`simulate.engine.scratch` chooses by the rules.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.kernels import call_scorer, kernel
from simulate.game.records import RULES
from simulate.melds.solve import MELD_AREA, best_layout

#: What is scored of a side, and what comes of it.
SIDE = np.dtype(
    [
        ("pile", np.uint64),  # all that it has captured, with what lay aside for it
        ("trump", np.int64),  # denomination 0..4
        ("level", np.int64),  # melds that it has promised; 0 for defenders
        ("target", np.int64),  # points that it has announced
        ("tricks", np.int64),
        ("all_tricks", np.int64),  # of the hand
        ("jokers", np.int64),
        ("shown", np.int64),  # whether the layout is asked for where it does not score
        ("made", np.int64),  # 1 where it has what it promised, or has promised nothing
        ("slam", np.int64),  # the bonus
        ("points", np.int64),  # of the melds
        ("laid", np.int64),  # melds
        ("dead", np.int64),
    ],
    align=True,
)

#: Types of the arguments of a scorer.
SCORER_TYPES: Any = tuple(numba.from_dtype(dtype) for dtype in (SIDE, MELD_AREA, RULES))


@kernel
def add_up(side: Any, rules: Any, loss: int) -> int:
    """Score of a side whose layout is known: `made`, `points` and `dead` are read, `slam` written.

    Parameters
    ----------
    side : SIDE record
    rules : RULES record
    loss : int64
        What a failed contract costs.
    """
    side.slam = rules.slam_bonus if side.tricks == side.all_tricks else 0
    score = np.int64(side.slam)
    if side.made or rules.failed_contract_scores:
        score += rules.trick_points * side.tricks + side.points
        score -= rules.dead_card_penalty * side.dead
    return score if side.made else score - loss


@kernel
def never_less(rules: Any) -> bool:
    """Whether more cards never lower a side's score: every declared term is monotone."""
    return rules.dead_card_penalty == 0 and not rules.failed_contract_scores and rules.hard_bid == 0


@kernel
def score_plain(side: Any, melds: Any, rules: Any) -> int:
    """Lay out and score one side where there are neither jokers nor hard bids.

    Parameters
    ----------
    side : SIDE record
        What comes of it is modified in place.
    melds : MELD_AREA record
        Prepared for `rules`; its scratch is modified.
    rules : RULES record

    Returns
    -------
    int64
        The score.
    """
    points, laid, dead = best_layout(melds, side.pile, side.trump, side.level)
    side.made = laid >= 0
    if laid < 0 and (side.shown or rules.failed_contract_scores):
        points, laid, dead = best_layout(melds, side.pile, side.trump, np.int64(0))
    side.points = points
    side.laid = laid
    side.dead = dead
    return add_up(side, rules, rules.fail_multiplier * side.level)


@kernel
def score_hand(state: Any, work: Any) -> None:
    """Lay out both piles and score them.

    Parameters
    ----------
    state : STATE record
        After the last trick; the piles take what lies aside, and what comes of the hand is
        modified in place: `melds`, `meld_points`, `dead`, `slam`, `scores` and `made`.
    work : WORK record
        Prepared for the rules of `state`; its scratch is modified.
    """
    side = work.side
    side.trump = state.denomination
    side.target = state.target
    side.all_tricks = state.hand_size
    side.shown = 1
    state.made = -1
    for at in range(2):
        state.piles[at] |= state.aside[at]
        side.pile = state.piles[at]
        side.level = state.level if at == 0 else 0
        side.tricks = state.tricks[at]
        side.jokers = 0
        for seat in range(state.players):
            if state.sides[seat] == at:
                side.jokers += state.jokers[seat]
        score = call_scorer(work.scorer, side, work.melds, state.rules)
        if side.level > 0:
            state.made = side.made
        state.melds[at] = side.laid
        state.meld_points[at] = side.points
        state.dead[at] = side.dead
        state.slam[at] = side.slam != 0
        state.scores[at] = score
