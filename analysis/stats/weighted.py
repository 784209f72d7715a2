"""Weighted means over clusters, many columns side by side, and differences between columns.

A cluster is what is drawn at a time, such as the turns of a deal; its members need not be alike or
independent. A mean is the ratio of weighted sums, with the variance of a ratio by linearisation.

Sources: Cochran, "Sampling Techniques" (1977), section 6; Kish, "Survey Sampling" (1965), for the
number of members that weights leave; Wilson, Jeffreys and Student as in `analysis.stats.intervals`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.stats.intervals import FEW_EVENTS, Interval, jeffreys, wilson
from analysis.stats.sequence import half_width

#: Members whose clusters go together so well that each counts for more than this many are not
#: believed.
_MOST_GAIN = 3.0


class Mean(NamedTuple):
    """A weighted mean and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class ClusterSums:
    """Sums over clusters; those of two parts add up.

    Attributes
    ----------
    clusters : int
        Those drawn, with members or without.
    filled : int
        Those with members.
    members : int
    squares : float
        Sum of squared weights of the members.
    sums : float64 array, shape (1 + columns,)
        Weight, and weighted values.
    products : float64 array, shape (1 + columns, 1 + columns)
        Sums over clusters of products of two such sums of a cluster.
    """

    clusters: int
    filled: int
    members: int
    squares: float
    sums: np.ndarray
    products: np.ndarray

    @classmethod
    def of(
        cls, clusters: int, ids: np.ndarray, weights: np.ndarray, values: np.ndarray
    ) -> ClusterSums:
        """Add up members.

        Parameters
        ----------
        clusters : int
            Those drawn.
        ids : int array, shape (n,)
            Cluster of each member, ascending; all members of a cluster are here.
        weights : float64 array, shape (n,)
        values : float64 array, shape (n, columns)
        """
        weighted = np.column_stack([np.ones(len(ids)), values]) * weights[:, None]
        starts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]][: len(ids)])
        each = np.add.reduceat(weighted, starts) if len(ids) else weighted
        return cls(
            clusters,
            len(starts),
            len(ids),
            float((weights * weights).sum()),
            each.sum(axis=0),
            each.T @ each,
        )

    def merge(self, other: ClusterSums) -> ClusterSums:
        """Add up the clusters of both."""
        return ClusterSums(
            self.clusters + other.clusters,
            self.filled + other.filled,
            self.members + other.members,
            self.squares + other.squares,
            self.sums + other.sums,
            self.products + other.products,
        )

    @property
    def effective(self) -> float:
        """Members of equal weight that would tell as much, the clusters aside (Kish)."""
        return float(self.sums[0]) ** 2 / self.squares if self.squares else 0.0

    def mean(self, column: int, less: int | None = None) -> Mean:
        """Mean of a column, or of its difference from another.

        Parameters
        ----------
        column : int
            0 for the first.
        less : int, optional
            Column that is taken off.
        """
        mix = np.zeros(len(self.sums))
        mix[1 + column] = 1
        if less is not None:
            mix[1 + less] -= 1
        weight = float(self.sums[0])
        value = float(mix @ self.sums) / weight
        mix[0] = -value  # what a cluster's sum differs by from what its weight lets expect
        spread = max(0.0, float(mix @ self.products @ mix))
        freedom = self.filled - 1
        error = math.sqrt(spread * self.filled / freedom) / weight if freedom > 0 else math.nan
        return Mean(value, error)

    def student(self, mean: Mean, confidence: float = 0.95) -> Interval | None:
        """Student's interval; None with fewer than two clusters."""
        if self.filled < 2:
            return None
        half = float(special.stdtrit(self.filled - 1, (1 + confidence) / 2)) * mean.error
        return Interval(mean.value - half, mean.value + half)

    def rate_interval(
        self, rate: Mean, confidence: float = 0.95, trials: int = 1
    ) -> tuple[Interval, str]:
        """Interval of a rate, and which: ``wilson``, or ``jeffreys`` where events are few.

        Trials are those independent ones that would give the same standard error. Where all came
        out alike the data say nothing of it, and clusters count as wholly dependent.

        Parameters
        ----------
        rate : Mean
        confidence : float
        trials : int
            Of a member, whose value is the share of them that came home.
        """
        value = min(max(rate.value, 0.0), 1.0)
        spread = value * (1 - value)
        if spread == 0 or self.filled < 2:
            worth = float(self.sums[0]) ** 2 / float(self.products[0, 0])
        else:
            most = _MOST_GAIN * self.effective * trials
            worth = most if rate.error == 0 else min(spread / rate.error**2, most)
        few = min(value, 1 - value) * worth < FEW_EVENTS
        return (jeffreys if few else wilson)(value * worth, worth, confidence), (
            "jeffreys" if few else "wilson"
        )

    def sequence(self, mean: Mean, tightest: float, alpha: float = 0.05) -> Interval:
        """Interval of a confidence sequence: with those of all looks it holds the mean.

        Parameters
        ----------
        mean : Mean
        tightest : float
            Clusters at which the intervals are narrowest for their kind, chosen beforehand.
        alpha : float
        """
        n = np.array(max(self.filled, 1))
        half = float(half_width(n, np.array(mean.error * math.sqrt(n)), alpha, tightest))
        return Interval(mean.value - half, mean.value + half)

    def rate_sequence(self, rate: Mean, tightest: float, alpha: float = 0.05) -> Interval:
        """Interval of a confidence sequence for a rate.

        Its standard error is at least what one event more and one failure more would give: a rate
        of 0 so far is no certainty.
        """
        n = self.effective
        error = rate.error
        if min(rate.value, 1 - rate.value) * n < FEW_EVENTS:
            guarded = (rate.value * n + 1) / (n + 2)
            error = max(error, math.sqrt(guarded * (1 - guarded) / n))
        low, high = self.sequence(Mean(rate.value, error), tightest, alpha)
        return Interval(max(0.0, low), min(1.0, high))
