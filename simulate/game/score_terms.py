"""What the score of a side is made of: the one declared list, read off the columns of a row.

:mod:`simulate.game.scoring` adds the same up in compiled code. A test holds the two together, hand
by hand: what one of them counts and the other does not know fails it.

Source: rules, 'The score of a hand'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulate.game.records import LOSE_TARGET

#: Columns of a side that are read, without ``_decl`` or ``_def``; and those of a hand.
SIDE_COLUMNS = ("tricks", "meld_points", "dead")
HAND_COLUMNS = ("declarer", "level", "target", "made")

#: Kinds of melds, by which the points of melds may be told apart.
MELD_KINDS = ("sets", "runs", "trump runs")


class Side(NamedTuple):
    """What there is to score of one side, each a column of many hands."""

    tricks: Any
    meld_points: Any
    dead: Any
    swept: Any  # 1 where it has taken every trick
    failed: Any  # 1 where it has not made its contract
    level: Any  # of the own contract; 0 for defenders
    target: Any  # announced, in a hard bid

    def scoring(self, rules: Any) -> Any:
        """1 where what it has won and laid scores, 0 where a failed contract has cost it."""
        return 1 - self.failed * (1 - int(rules["failed_contract_scores"]))


def side_of(rows: Mapping[str, np.ndarray], end: str) -> Side:
    """Read a side off columns of ``hands/``.

    Parameters
    ----------
    rows : mapping of str to int64 array, shape (n,)
        :data:`SIDE_COLUMNS` of both sides and :data:`HAND_COLUMNS`.
    end : str
        ``decl`` or ``def``.
    """
    other = {"decl": "def", "def": "decl"}[end]
    swept = (rows[f"tricks_{end}"] > 0) & (rows[f"tricks_{other}"] == 0)
    failed = (rows["declarer"] >= 0) & (rows["made"] != 1) & (end == "decl")
    return Side(
        **{name: rows[f"{name}_{end}"] for name in SIDE_COLUMNS},
        swept=swept.astype(np.int64),
        failed=failed.astype(np.int64),
        level=rows["level"] * (end == "decl"),
        target=rows["target"],
    )


@dataclass(frozen=True)
class ScoreTerm:
    """A part of a side's score.

    Attributes
    ----------
    name : str
        Of its column among the columns of house rules.
    short, about : str
        What it is called at the head of a column, and in a sentence.
    of : callable
        Its points from a `Side` and a RULES record; those of a loss are told as more than 0.
    sign : int
        1, or -1 for a loss.
    monotone : callable
        Whether it never lowers the score when the side gets more cards or tricks, under a RULES
        record. The search of an ending (:mod:`simulate.game.endgame`) bounds by that.
    parts : tuple of str
        Kinds that it can be told apart by, where the hand is played anew.
    """

    name: str
    short: str
    about: str
    of: Callable[[Side, Any], Any]
    sign: int = 1
    monotone: Callable[[Any], bool] = lambda rules: True
    parts: tuple[str, ...] = ()


def _from_tricks(side: Side, rules: Any) -> Any:
    return int(rules["trick_points"]) * side.scoring(rules) * side.tricks


def _from_melds(side: Side, rules: Any) -> Any:
    return side.scoring(rules) * side.meld_points


def _from_slams(side: Side, rules: Any) -> Any:
    return int(rules["slam_bonus"]) * side.swept


def _by_dead_cards(side: Side, rules: Any) -> Any:
    return int(rules["dead_card_penalty"]) * side.scoring(rules) * side.dead


def _by_failing(side: Side, rules: Any) -> Any:
    by_target = rules["hard_bid"] and rules["fail_value"] == LOSE_TARGET
    worth = side.target if by_target else side.level
    return int(rules["fail_multiplier"]) * side.failed * worth


#: All of them: a side's score is their sum, the losses taken off.
SCORE_TERMS = (
    ScoreTerm("trick_points", "tricks", "from tricks", _from_tricks),
    ScoreTerm(
        "meld_points",
        "melds",
        "from melds",
        _from_melds,
        # A layout that makes the contract may be worth less than the best one, which is kept.
        monotone=lambda rules: not rules["failed_contract_scores"],
        parts=MELD_KINDS,
    ),
    ScoreTerm("slam_points", "slam", "from slams", _from_slams),
    ScoreTerm(
        "penalty",
        "dead",
        "lost by dead cards",
        _by_dead_cards,
        sign=-1,
        monotone=lambda rules: not rules["dead_card_penalty"],
    ),
    ScoreTerm(
        "lost",
        "lost",
        "lost by failed contracts",
        _by_failing,
        sign=-1,
        # More points may be too many for what was announced.
        monotone=lambda rules: not rules["hard_bid"],
    ),
)


def score_of(side: Side, rules: Any) -> Any:
    """Score of a side: the terms added up.

    Parameters
    ----------
    side : Side
    rules : RULES record
    """
    return sum(term.sign * term.of(side, rules) for term in SCORE_TERMS)
