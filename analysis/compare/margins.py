"""The margin of each pair: what one side makes of a deal's cards more than the other.

A pair is a deal, or a match, in all its legs: the sides have changed seats between them, so good
cards cancel out. With three players it is a triple, and the margin is that of the entrant at N in
leg 0 over the mean of the two others. Margins are kept as whole numbers, so that sums of any parts
in any order come out the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from analysis.stats.intervals import Interval
from analysis.summary.tally import whole_clusters
from simulate.runs.play import Run
from simulate.store.parts import part_batches
from simulate.store.schema import score_columns
from simulate.store.settings import Settings

#: What a margin is made of: points, in deals; matches won, in matches.
Kind = Literal["points", "wins"]


class Pairs(NamedTuple):
    """Pairs in the order of their ids.

    Attributes
    ----------
    ids : int64 array, shape (n,)
        Deal ids or match ids.
    margins : int64 array, shape (n,)
        Sum over the legs, times the number of opponents.
    squares : int64 array, shape (n,)
        Sum over the legs of each leg's margin squared: what unpaired hands would tell.
    """

    ids: np.ndarray
    margins: np.ndarray
    squares: np.ndarray


@dataclass(frozen=True)
class Margins:
    """Sums over pairs; those of two parts add up.

    Attributes
    ----------
    pairs : int
    total, squares : int
        Sums of the margins and of their squares.
    differing : int
        Pairs whose margin is not 0.
    leg_squares : int
        Sum over all legs of the leg's margin squared.
    legs, opponents : int
        A margin of ``legs * opponents`` is one point a hand.
    """

    pairs: int = 0
    total: int = 0
    squares: int = 0
    differing: int = 0
    leg_squares: int = 0
    legs: int = 2
    opponents: int = 1

    @classmethod
    def of(cls, pairs: Pairs, legs: int = 2, opponents: int = 1) -> Margins:
        """Add up pairs."""
        return cls(
            pairs=len(pairs.margins),
            total=int(pairs.margins.sum()),
            squares=int((pairs.margins**2).sum()),
            differing=int(np.count_nonzero(pairs.margins)),
            leg_squares=int(pairs.squares.sum()),
            legs=legs,
            opponents=opponents,
        )

    def merge(self, other: Margins) -> Margins:
        """Add up the pairs of both.

        Raises
        ------
        ValueError
            When their margins are not of the same unit.
        """
        if (self.legs, self.opponents) != (other.legs, other.opponents):
            raise ValueError("margins of other numbers of legs or players do not add up")
        return Margins(
            pairs=self.pairs + other.pairs,
            total=self.total + other.total,
            squares=self.squares + other.squares,
            differing=self.differing + other.differing,
            leg_squares=self.leg_squares + other.leg_squares,
            legs=self.legs,
            opponents=self.opponents,
        )

    @property
    def unit(self) -> int:
        """Margin of a pair that is one point a hand."""
        return self.legs * self.opponents

    @property
    def mean(self) -> float | None:
        """Mean margin a hand; None without pairs."""
        return self.total / (self.pairs * self.unit) if self.pairs else None

    @property
    def variance(self) -> float:
        """Variance of a pair's margin a hand, about its mean, with the divisor n; 0 for none."""
        if not self.pairs:
            return 0.0
        # Whole numbers as far as possible: the difference of two large floats loses its digits.
        spread = self.pairs * self.squares - self.total**2
        return spread / (self.pairs * self.unit) ** 2

    @property
    def deviation(self) -> float:
        """Standard deviation of a pair's margin a hand."""
        return math.sqrt(self.variance)

    @property
    def leg_deviation(self) -> float:
        """Standard deviation of one leg's margin, as of a hand that is not paired; 0 for none."""
        hands = self.pairs * self.legs
        if not hands:
            return 0.0
        return math.sqrt(hands * self.leg_squares - self.total**2) / (hands * self.opponents)

    def interval(self, confidence: float = 0.95) -> Interval | None:
        """Student's interval of the mean, for one look; None with fewer than two pairs."""
        if self.pairs < 2 or self.mean is None:
            return None
        quantile = float(special.stdtrit(self.pairs - 1, (1 + confidence) / 2))
        half = quantile * math.sqrt(self.variance / (self.pairs - 1))
        return Interval(self.mean - half, self.mean + half)


def kind_of(settings: Settings) -> Kind:
    """Tell what the margins of a run are made of."""
    return "wins" if settings.unit == "matches" else "points"


def no_margins(settings: Settings) -> Margins:
    """Make the sums over no pairs of a run, to add others to."""
    return Margins(legs=settings.legs, opponents=len(score_columns(settings.rules)) - 1)


def part_pairs(run: Run, part: int) -> Pairs:
    """Pairs of one part, which is there; the run may be unfinished.

    Raises
    ------
    RunError
        When the part is missing or damaged.
    """
    return join_pairs(_part_pairs(run, part))


def run_pairs(run: Run) -> Iterator[Pairs]:
    """Pairs of a finished run, part by part.

    Raises
    ------
    RunError
        When a part is missing or damaged.
    """
    return (part_pairs(run, part) for part in run.settings.parts)


def stream_pairs(run: Run) -> Iterator[Pairs]:
    """Pairs of a finished run, some ten thousand at a time.

    Raises
    ------
    RunError
        When a part is missing or damaged.
    """
    for part in run.settings.parts:
        yield from _part_pairs(run, part)


def run_margins(run: Run) -> Margins:
    """Add up all pairs of a finished run."""
    sums = no_margins(run.settings)
    for pairs in run_pairs(run):
        sums = sums.merge(Margins.of(pairs, sums.legs, sums.opponents))
    return sums


def join_pairs(pieces: Iterable[Pairs]) -> Pairs:
    """Put pieces one behind another."""
    listed = list(pieces) or [Pairs(*(np.zeros(0, np.int64),) * 3)]
    return Pairs(*map(np.concatenate, zip(*listed, strict=True)))


def _part_pairs(run: Run, part: int) -> Iterator[Pairs]:
    settings = run.settings
    scores = list(score_columns(settings.rules))
    sides = len(scores)
    if kind_of(settings) == "wins":
        table, key, columns = "matches", "match_id", ["match_id", "leg", "winner"]
        words = {"winner": [name.removeprefix("score_").upper() for name in scores]}
    else:
        table, key, columns, words = "hands", "deal_id", ["deal_id", "leg", *scores], {}
    batches = part_batches(run.folder, table, part, columns)
    for rows in whole_clusters(batches, columns, key, 1, words):
        everyone = np.arange(len(rows[key]))
        first = np.flatnonzero(np.r_[True, rows[key][1:] != rows[key][:-1]])
        if words:  # a draw is won by nobody
            made = (rows["winner"] == np.arange(sides)[:, None]).astype(np.int64)
        else:
            made = np.array([rows[name] for name in scores])
        own = made[rows["leg"] % sides, everyone]  # who sits N in leg 0 is k seats on in leg k
        margin = sides * own - made.sum(axis=0)
        yield Pairs(
            ids=rows[key][first],
            margins=np.add.reduceat(margin, first),
            squares=np.add.reduceat(margin * margin, first),
        )


__all__ = [
    "Kind",
    "Margins",
    "Pairs",
    "join_pairs",
    "kind_of",
    "no_margins",
    "part_pairs",
    "run_margins",
    "run_pairs",
    "stream_pairs",
]
