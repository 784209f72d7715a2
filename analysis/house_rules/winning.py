"""The chance to win a match from a score, and what it tells of matches: drama, excitement, length.

The chance is read off the matches themselves: for each own score, highest score of the others, and
whether the own side deals. Neighbours are few, so it is smoothed to what must be so: it rises with
the own score and falls with the others'. Of all such tables it is the nearest one, by weighted
least squares.

Sources: C. Browne, "Automatic generation and evaluation of recombination games" (2008), for drama
and decisiveness; R. Dykstra, T. Robertson, "An algorithm for isotonic regression for two or more
independent variables" (1982).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from analysis.summary.tally import whole_clusters
from simulate.engine.loop_match import ENDINGS
from simulate.runs.play import Run
from simulate.store.schema import before_columns, score_columns
from simulate.store.settings import Settings

#: Steps of the score from 0 to the target, and as many below 0.
STEPS = 10
BINS = 2 * STEPS
#: Chance from which a match counts as decided.
DECIDED = 0.95
#: Hands that what the difference alone tells of a score counts for.
_PRIOR = 4.0
_ROUNDS, _CLOSE = 500, 1e-5

#: Columns of a match; each is 0 where nobody has won.
MATCH_COLUMNS = (
    "matches", "decided", "hands", "hands_square", "drama", "comebacks", "excitement",
    "hands_after", "lead_changes", "drawn", "unfinished", "first_dealer",
)  # fmt: skip


@dataclass(frozen=True)
class Winning:
    """Chances to win a match, by score.

    Attributes
    ----------
    sides : int
    target : int
        Score that wins.
    chances : float64 array, shape (2, 20, 20)
        By whether the own side deals, by own score, and by the highest of the others; in steps of a
        tenth of the target from a whole target below 0.
    views : int64 array, shape (2, 20, 20)
        How often a side has been there.
    leverage : float64 array, shape (2, 20, 20)
        Mean change of the chance in a hand from there; nan where nobody has been.
    """

    sides: int
    target: int
    chances: np.ndarray
    views: np.ndarray
    leverage: np.ndarray

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them: null where nobody has been."""

        def of_seen(values: np.ndarray) -> list[Any]:
            cells = values.round(4).astype(object)
            cells[self.views == 0] = None
            listed: list[Any] = cells.tolist()
            return listed

        return {
            "target": self.target,
            "steps_below_0": STEPS,
            "views": self.views.tolist(),
            "chances": of_seen(self.chances),
            "leverage": of_seen(self.leverage),
        }


def smooth(events: np.ndarray, views: np.ndarray) -> np.ndarray:
    """Chances nearest to what was seen that rise with the own score and fall with the other.

    Parameters
    ----------
    events : float64 array, shape (n, n)
        Wins by own and other score; a draw is part of one.
    views : int64 array, shape (n, n)

    Returns
    -------
    float64 array, shape (n, n)
    """
    n = len(views)
    apart = np.arange(n)[:, None] - np.arange(n) + n - 1
    seen = np.bincount(apart.ravel(), views.ravel(), 2 * n - 1)
    won = np.bincount(apart.ravel(), events.ravel(), 2 * n - 1)
    known = np.flatnonzero(seen)
    if not len(known):
        return np.full((n, n), 0.5)
    rates = isotonic_regression(won[known] / seen[known], weights=seen[known]).x
    prior = np.interp(apart, known, rates)
    weights = views + _PRIOR
    return _rising_falling((events + _PRIOR * prior) / weights, weights)


def _rising_falling(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Nearest table that rises along the first axis and falls along the second: Dykstra's way."""
    n = len(values)
    table = values.copy()
    by_own, by_other = np.zeros((2, n, n))
    for _ in range(_ROUNDS):
        before = table
        up = table + by_own
        table = np.column_stack(
            [isotonic_regression(up[:, k], weights=weights[:, k]).x for k in range(n)]
        )
        by_own = up - table
        down = table + by_other
        table = np.vstack(
            [isotonic_regression(down[k], weights=weights[k], increasing=False).x for k in range(n)]
        )
        by_other = down - table
        if np.abs(table - before).max() < _CLOSE:
            break
    return table


def learn_winning(run: Run) -> Winning:
    """Learn the chances to win from a finished run of matches, one leg.

    Raises
    ------
    RunError
        When it is unfinished or damaged.
    """
    settings = run.settings
    sides, cells = len(score_columns(settings.rules)), 2 * BINS * BINS
    views, events, moved = np.zeros(cells, np.int64), np.zeros(cells), np.zeros(cells)
    for matches in _stream(run):
        views += np.bincount(matches.states.ravel(), minlength=cells)
        won = matches.outcomes[:, matches.match]
        events += np.bincount(matches.states.ravel(), won.ravel(), cells)
    shape = (2, BINS, BINS)
    chances = np.stack(
        [smooth(events.reshape(shape)[dealer], views.reshape(shape)[dealer]) for dealer in (0, 1)]
    )
    for matches in _stream(run):
        change = np.abs(matches.after(chances.ravel()) - chances.ravel()[matches.states])
        moved += np.bincount(matches.states.ravel(), change.ravel(), cells)
    with np.errstate(invalid="ignore"):
        leverage = (moved / views).reshape(shape)
    return Winning(sides, settings.rules.target_score, chances, views.reshape(shape), leverage)


def stream_matches(run: Run, winning: Winning) -> Iterator[np.ndarray]:
    """Columns of a finished run of matches, one leg, shape (n, columns), piece by piece."""
    for matches in _stream(run):
        yield np.column_stack(matches.columns(winning))


@dataclass(frozen=True)
class _Matches:
    """Whole matches: their hands one behind another.

    Attributes
    ----------
    match : int64 array, shape (hands,)
        Which match each hand is of, from 0.
    states : int64 array, shape (sides, hands)
        Cell of the table in which each side is before the hand.
    outcomes : float64 array, shape (sides, matches)
        1 for the side that has won; where nobody has, a share for each.
    facts : dict of str to int64 array, shape (matches,)
    """

    match: np.ndarray
    states: np.ndarray
    outcomes: np.ndarray
    facts: dict[str, np.ndarray]

    @property
    def last(self) -> np.ndarray:
        """Whether a hand is the last of its match."""
        last: np.ndarray = np.r_[self.match[1:] != self.match[:-1], True]
        return last

    def after(self, chances: np.ndarray) -> np.ndarray:
        """Chances of each side after each hand, shape (sides, hands)."""
        there = chances[self.states]
        after: np.ndarray = np.where(
            self.last, self.outcomes[:, self.match], np.roll(there, -1, axis=1)
        )
        return after

    def columns(self, winning: Winning) -> list[np.ndarray]:
        """Columns of the matches, as :data:`MATCH_COLUMNS` names them."""
        chances = winning.chances.ravel()
        before = chances[self.states]
        first = np.flatnonzero(np.r_[True, self.last[:-1]])
        hands = self.facts["hands"]
        winner = self.facts["winner"]
        decided = winner >= 0
        of_winner = before[np.maximum(winner, 0)[self.match], np.arange(len(self.match))]
        lowest = np.minimum.reduceat(of_winner, first)
        level = 1 / winning.sides
        change = np.abs(self.after(chances) - before).sum(axis=0) / 2
        sure = (before >= DECIDED).any(axis=0)
        place = np.arange(len(self.match)) - first[self.match]
        sure_from = np.minimum.reduceat(np.where(sure, place, hands[self.match]), first)
        ended = self.facts["ended"]
        entries = {
            "matches": np.ones(len(hands)),
            "decided": decided,
            "hands": hands,
            "hands_square": hands**2,
            "drama": decided * np.maximum(level - lowest, 0.0),
            "comebacks": decided & (lowest <= level / 2),
            "excitement": np.add.reduceat(change, first),
            "hands_after": decided * (hands - sure_from),
            "lead_changes": self.facts["lead_changes"],
            "drawn": (ended == ENDINGS.index("cap")) & ~decided,
            "unfinished": ended == ENDINGS.index("limit"),
            "first_dealer": decided & (self.facts["first_dealer"] % winning.sides == winner),
        }
        return [entries[name].astype(np.float64) for name in MATCH_COLUMNS]


def _stream(run: Run) -> Iterator[_Matches]:
    """Read the matches of a finished run, some at a time."""
    settings = run.settings
    names = list(score_columns(settings.rules))
    words = {"winner": [name.removeprefix("score_").upper() for name in names]}
    words["ended"] = list(ENDINGS)
    lines = ["match_id", "first_dealer", "hands", "winner", "lead_changes", "ended"]
    match_rows = whole_clusters(run.batches(lines, "matches"), lines, "match_id", 1, words)
    hand_columns = ["match_id", "dealer", *before_columns(settings.rules)]
    held: dict[str, np.ndarray] = {name: np.zeros(0, np.int64) for name in lines}
    for rows in whole_clusters(run.batches(hand_columns), hand_columns, "match_id", 1):
        last = rows["match_id"][-1]
        while not len(held["match_id"]) or held["match_id"][-1] < last:
            more = next(match_rows)
            held = {name: np.concatenate([held[name], more[name]]) for name in lines}
        count = int(np.searchsorted(held["match_id"], last, "right"))
        facts = {name: column[:count] for name, column in held.items()}
        held = {name: column[count:] for name, column in held.items()}
        yield _whole(rows, facts, settings)


def _whole(
    rows: dict[str, np.ndarray], facts: dict[str, np.ndarray], settings: Settings
) -> _Matches:
    scores = np.array([rows[name] for name in before_columns(settings.rules)])
    sides = len(scores)
    target = settings.rules.target_score
    steps = np.clip(scores * STEPS // target, -STEPS, STEPS - 1) + STEPS
    states = np.empty_like(steps)
    for side in range(sides):
        other = np.delete(steps, side, axis=0).max(axis=0)
        deals = (rows["dealer"] % sides == side).astype(np.int64)
        states[side] = (deals * BINS + steps[side]) * BINS + other
    winner = facts["winner"]
    outcomes = np.where(winner < 0, 1 / sides, winner == np.arange(sides)[:, None])
    match = np.repeat(np.arange(len(winner)), facts["hands"])
    return _Matches(match, states, outcomes, facts)
