"""Intervals for rates and means, from sufficient statistics that merge.

Deals, not hands, are independent: where legs share a deal, sums are kept by deal, and a rate's
number of trials is divided by its design effect. Whatever can be counted part by part is kept as
exact whole numbers, so that any order of parts gives the same interval.

Sources: Wilson (1927) and Jeffreys as compared by Brown, Cai and DasGupta, "Interval estimation
for a binomial proportion" (2001); the design effect of Kish, "Survey Sampling" (1965); the variance
of a ratio by linearisation, Cochran, "Sampling Techniques" (1977), section 6.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import special

#: With fewer events, or fewer non-events, than this Jeffreys' interval stands in for Wilson's.
FEW_EVENTS = 5
#: Fewer clusters that all came out alike do not tell how far others may lie.
_FEW_CLUSTERS = 20


class Interval(NamedTuple):
    """Two bounds."""

    low: float
    high: float


def wilson(events: float, trials: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a rate.

    Parameters
    ----------
    events, trials : float
        Effective numbers, which need not be whole; ``0 <= events <= trials``, ``trials > 0``.
    confidence : float

    Returns
    -------
    Interval
    """
    z = float(special.ndtri((1 + confidence) / 2))
    rate = events / trials
    centre = rate + z * z / (2 * trials)
    half = z * math.sqrt(rate * (1 - rate) / trials + (z / (2 * trials)) ** 2)
    scale = 1 + z * z / trials
    return Interval(max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale))


def jeffreys(events: float, trials: float, confidence: float = 0.95) -> Interval:
    """Jeffreys' interval of a rate: the beta posterior of the prior Beta(1/2, 1/2).

    The bound that the data do not limit is 0 or 1 where no event, or nothing else, was seen.

    Parameters
    ----------
    events, trials : float
        As for :func:`wilson`.
    confidence : float

    Returns
    -------
    Interval
    """
    a, b = events + 0.5, trials - events + 0.5
    tail = (1 - confidence) / 2
    low = 0.0 if events <= 0 else float(special.betaincinv(a, b, tail))
    high = 1.0 if events >= trials else float(special.betaincinv(a, b, 1 - tail))
    return Interval(low, high)


def rate_interval(
    events: float, trials: float, effect: float = 1.0, confidence: float = 0.95
) -> Interval | None:
    """Interval of a rate: Wilson's, or Jeffreys' where events or non-events are few.

    Parameters
    ----------
    events, trials : float
    effect : float
        Design effect: both numbers are divided by it.
    confidence : float

    Returns
    -------
    Interval or None
        None without trials.
    """
    if trials <= 0:
        return None
    few = rate_method(events, trials, effect) == "jeffreys"
    return (jeffreys if few else wilson)(events / effect, trials / effect, confidence)


def rate_method(events: float, trials: float, effect: float = 1.0) -> str:
    """Name the interval that :func:`rate_interval` gives: ``wilson`` or ``jeffreys``."""
    return "jeffreys" if min(events, trials - events) / effect < FEW_EVENTS else "wilson"


class Clustered(NamedTuple):
    """Sums over clusters of trials `n` and events `m` of a rate; two of them add up.

    The events may be whole numbers of any kind, such as scores: the rate is then a mean.

    Attributes
    ----------
    clusters : int
        Clusters with any trial.
    trials, events : int
        Sums of n and of m.
    trials2, cross, events2 : int
        Sums of n squared, of n m, and of m squared.
    """

    clusters: int = 0
    trials: int = 0
    events: int = 0
    trials2: int = 0
    cross: int = 0
    events2: int = 0

    def merge(self, other: Clustered) -> Clustered:
        """Add up the clusters of both."""
        return Clustered(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def rate(self) -> float | None:
        """Events in a trial; None without trials."""
        return self.events / self.trials if self.trials else None

    @property
    def effect(self) -> float:
        """Design effect: variance of the rate over what independent trials would give.

        At least 1, so that chance never makes the interval too narrow. Where all trials came out
        alike the data say nothing of it, and clusters count as wholly dependent.
        """
        if self.trials == 0 or self.clusters == self.trials:
            return 1.0  # each trial is a cluster of its own
        if self.clusters < 2 or self.events in {0, self.trials}:
            return self.trials2 / self.trials
        rate = self.events / self.trials
        spread = self.events2 - 2 * rate * self.cross + rate * rate * self.trials2
        spread *= self.clusters / (self.clusters - 1)
        return max(1.0, spread / (self.trials * rate * (1 - rate)))

    @property
    def method(self) -> str:
        """Interval that :meth:`interval` gives: ``wilson`` or ``jeffreys``."""
        return rate_method(self.events, self.trials, self.effect)

    def interval(self, confidence: float = 0.95) -> Interval | None:
        """Interval of the rate; None without trials."""
        return rate_interval(self.events, self.trials, self.effect, confidence)

    def mean_interval(self, confidence: float = 0.95) -> Interval | None:
        """Student's interval of the rate as a mean.

        None with fewer than two clusters, or with few that all came out alike: they do not tell how
        far others may lie.
        """
        if self.clusters < 2 or self.rate is None:
            return None
        n, m = self.trials, self.events
        # Whole numbers as far as possible: the difference of two large floats loses its digits.
        spread = n * n * self.events2 - 2 * n * m * self.cross + m * m * self.trials2
        if spread == 0 and self.clusters < _FEW_CLUSTERS:
            return None
        variance = spread / n**4 * self.clusters / (self.clusters - 1)
        quantile = float(special.stdtrit(self.clusters - 1, (1 + confidence) / 2))
        half = quantile * math.sqrt(variance)
        return Interval(self.rate - half, self.rate + half)
