"""A parameter swept over values that were all played on the same deals.

The band holds for all values together, so also for the one that the data pick as the best; and the
best value comes with the set of values that it cannot be told from (see
:mod:`analysis.stats.multiple`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from analysis.compare.margins import no_margins
from analysis.compare.side_by_side import side_by_side
from analysis.show.text import Table, count, number, numbers
from analysis.stats.bootstrap import Resampled
from analysis.stats.intervals import Interval
from analysis.stats.multiple import band_quantile, behind_best
from simulate.runs.play import Run

CONFIDENCE = 0.95


class Point(NamedTuple):
    """What one value comes to.

    Attributes
    ----------
    value : float
    margin : float
        Points a hand over the opponent.
    band : Interval or None
        That holds for all values together; None with fewer than two deals.
    p_best : float
        P-value of its being the best of all.
    may_be_best : bool
        Whether it cannot be told from the best.
    """

    value: float
    margin: float
    band: Interval | None
    p_best: float
    may_be_best: bool


@dataclass(frozen=True)
class Sweep:
    """What a sweep comes to.

    Attributes
    ----------
    entrant, against : str
        Whose parameter it is, as it was given, and whom each value played.
    parameter : str
    values : tuple of float
        Ascending.
    sums : Resampled
        A column for each value, of margins; no replicates.
    unit : int
        Margin that is one point a hand.
    """

    entrant: str
    against: str
    parameter: str
    values: tuple[float, ...]
    sums: Resampled
    unit: int

    @cached_property
    def points(self) -> list[Point]:
        """What each value comes to."""
        means = self.sums.means / self.unit
        covariance = self.sums.covariance / self.unit**2
        bands: list[Interval | None] = [None] * len(means)
        if self.sums.deals > 1:
            quantile = band_quantile(len(means), self.sums.deals, CONFIDENCE)
            half = quantile * np.sqrt(np.diag(covariance))
            bands = [Interval(float(m - h), float(m + h)) for m, h in zip(means, half, strict=True)]
        p_values = behind_best(means, covariance, self.sums.deals)
        return [
            Point(value, float(mean), band, float(p), bool(p > 1 - CONFIDENCE))
            for value, mean, band, p in zip(self.values, means, bands, p_values, strict=True)
        ]

    @property
    def best(self) -> Point:
        """Value with the greatest margin, the first of equals."""
        return max(self.points, key=lambda point: point.margin)

    @property
    def best_values(self) -> list[float]:
        """Values that may be the best."""
        return [point.value for point in self.points if point.may_be_best]

    def sentence(self) -> str:
        """Say which value is best, and how sure that is."""
        best, may, units = self.best, self.best_values, count(self.sums.deals, "paired deal")
        does = f"does best of {len(self.values)} values" if len(self.values) > 1 else "makes"
        text = f"{self.parameter} = {best.value:g} {does} against {self.against}: "
        text += f"{number(best.margin)} points a hand"
        if best.band:
            text += f" ({numbers(best.band)} for all values together)"
        text += f", {units} each."
        if len(self.values) == 1:
            return text
        if len(may) == len(self.values):
            return f"{text} No value can be told from the best."
        if len(may) == 1:
            sure = "With 95 % confidence it is the best of these"
        else:
            joined = self.values.index(may[-1]) - self.values.index(may[0]) == len(may) - 1
            among = (
                f"from {may[0]:g} to {may[-1]:g}" if joined else ", ".join(f"{v:g}" for v in may)
            )
            sure = f"With 95 % confidence the best of these is {'' if joined else 'one of '}{among}"
        edges = [edge for edge in (self.values[0], self.values[-1]) if edge in may]
        beyond = f"; it may lie beyond {' and '.join(f'{e:g}' for e in edges)}" if edges else ""
        return f"{text} {sure}{beyond}."

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        return {
            "entrant": self.entrant,
            "against": self.against,
            "parameter": self.parameter,
            "deals": self.sums.deals,
            "points": self.rows(),
            "best": self.best.value,
            "may_be_best": self.best_values,
            "confidence": CONFIDENCE,
            "sentence": self.sentence(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Facts about each value; for a table."""
        return [
            {
                "value": point.value,
                "margin": point.margin,
                "low": point.band.low if point.band else None,
                "high": point.band.high if point.band else None,
                "deviation": math.sqrt(variance) / self.unit,
                "p_best": point.p_best,
                "may_be_best": point.may_be_best,
            }
            for point, variance in zip(self.points, self._variances, strict=True)
        ]

    @property
    def _variances(self) -> np.ndarray:
        """Of the margin of a pair, by value."""
        variances: np.ndarray = np.diag(self.sums.covariance) * self.sums.deals
        return variances

    def table(self) -> Table:
        """Table for a person."""
        rows = [
            [
                f"{point.value:g}",
                number(point.margin),
                numbers(point.band),
                f"{point.p_best:.3f}" if len(self.values) > 1 else "-",
                "yes" if point.may_be_best else "no",
            ]
            for point in self.points
        ]
        columns = [self.parameter, "margin", "95 % band", "p", "may be best"]
        return Table(f"{self.entrant} v {self.against}, points a hand", columns, rows)


def sweep_runs(
    entrant: str, against: str, parameter: str, values: Sequence[float], runs: Sequence[Run]
) -> Sweep:
    """Add up finished runs, one a value, on the same deals.

    Raises
    ------
    RunError
        When the deals differ, or a part is missing or damaged.
    """
    sums = Resampled.of(np.zeros(0, np.int64), np.zeros((0, len(runs)), np.int64), replicates=0)
    for ids, margins in side_by_side(runs):
        sums = sums.merge(Resampled.of(ids, margins, replicates=0))
    none = no_margins(runs[0].settings)
    return Sweep(entrant, against, parameter, tuple(values), sums, none.unit)
