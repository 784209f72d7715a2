"""Measures of a rule set: functions of the means of columns, with intervals and differences.

A measure may be any smooth function of means over deals. Its standard error comes from the
covariance of the means by linearisation, and that of a difference of two rule sets from their
covariance with each other: on the same deals much of the chance cancels out.

Sources: the delta method as in Cochran, "Sampling Techniques" (1977), section 6; R. Newcombe,
"Interval estimation for the difference between independent proportions: comparison of eleven
methods" (1998), method 10, for rates with few events; D. Schuirmann, "A comparison of the two
one-sided tests procedure" (1987), for equivalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from analysis.stats.bootstrap import LEAST_DEALS, Resampled
from analysis.stats.intervals import FEW_EVENTS, Interval, rate_interval

Means = Mapping[str, float]

#: What equivalence is tested for.
Verdict = Literal["fair", "unfair", "unsure"]


@dataclass(frozen=True)
class Measure:
    """A measure of a rule set.

    Attributes
    ----------
    name : str
    about : str
        What it is, in words, with its unit.
    of : callable
        Its value from means by name of column; nan where it has none.
    rate : (str, str) or None
        Columns of events and of trials, where it is a rate.
    worth : float
        Smallest difference that is worth a word.
    more, less : str
        What a rule set is that has more of it, and less: ``longer matches``.
    fair : bool
        Whether it is an advantage, which is fair at 0.
    head : str
        What stands at the head of its column; with it, in the table of its `group`.
    group : str
        Table in which it stands, if in any.
    """

    name: str
    about: str
    of: Callable[[Means], float]
    rate: tuple[str, str] | None = None
    worth: float = 0.0
    more: str = ""
    less: str = ""
    fair: bool = False
    head: str = ""
    group: str = ""

    @property
    def percent(self) -> bool:
        """Whether it is told in per cent."""
        return self.about.endswith("%")

    @property
    def scale(self) -> float:
        """What its values are multiplied by to be told."""
        return 100.0 if self.percent else 1.0


class Estimate(NamedTuple):
    """A value and how sure it is.

    Attributes
    ----------
    value : float
    error : float
        Standard error.
    interval : Interval or None
        95 %; None with fewer than two deals.
    n : int
        Deals or matches; of a rate, its trials.
    method : str
        ``wilson``, ``jeffreys``, ``newcombe`` or ``student``.
    p_value : float
        Chance of a value so far from 0 where it is 0 in truth; of rates alone no test is made.
    """

    value: float
    error: float
    interval: Interval | None
    n: int
    method: str
    p_value: float = math.nan


def ratio(events: str, trials: str) -> Callable[[Means], float]:
    """Make a measure that is the ratio of two columns."""
    return lambda means: means[events] / means[trials] if means[trials] else math.nan


class Columns:
    """Sums of named columns over the same deals, or matches.

    Parameters
    ----------
    names : sequence of str
    sums : Resampled
        A column for each name.
    legs : int
        Trials of a rate that share a deal.
    """

    def __init__(self, names: Sequence[str], sums: Resampled, legs: int = 1) -> None:
        self.names = list(names)
        self.sums = sums
        self.legs = legs
        self._place = {name: place for place, name in enumerate(self.names)}
        self._covariance = sums.covariance

    @property
    def n(self) -> int:
        """Deals or matches."""
        return self.sums.deals

    def total(self, name: str) -> float:
        """Sum of a column."""
        return float(self.sums.totals[self._place[name]])

    def mean(self, name: str) -> float:
        """Mean of a column."""
        return self.total(name) / self.n

    def means(self, prefix: str = "") -> dict[str, float]:
        """Means of the columns whose name begins with `prefix`, which is left off."""
        result = zip(self.names, self.sums.means, strict=True)
        return {name[len(prefix) :]: float(m) for name, m in result if name.startswith(prefix)}

    def value(self, measure: Measure, prefix: str = "") -> float:
        """Value of a measure on the columns of a prefix."""
        return measure.of(self.means(prefix))

    def gradient(self, measure: Measure, prefix: str = "") -> np.ndarray:
        """Change of a measure with each mean, by central differences, shape (columns,)."""
        means = self.means(prefix)
        slopes = np.zeros(len(self.names))
        for name, mean in means.items():
            place = self._place[prefix + name]
            step = 1e-3 * math.sqrt(max(float(self._covariance[place, place]), 0.0))
            if step:
                high = measure.of({**means, name: mean + step})
                low = measure.of({**means, name: mean - step})
                slopes[place] = (high - low) / (2 * step)
        return slopes

    def estimate(self, measure: Measure, prefix: str = "") -> Estimate:
        """Value of a measure with its interval."""
        value = self.value(measure, prefix)
        if math.isnan(value):
            return Estimate(value, math.nan, None, 0, "none")
        slopes = self.gradient(measure, prefix)
        error = _error(slopes, self._covariance)
        if measure.rate is None:
            interval = _student(value, error, self.n)
            return Estimate(value, error, interval, self.n, "student", _p(value, error, self.n))
        events, trials = (self.total(prefix + name) for name in measure.rate)
        spread = value * (1 - value) / trials
        effect = max(1.0, error**2 / spread) if spread > 0 else float(self.legs)
        few = min(events, trials - events) / effect < FEW_EVENTS
        interval = rate_interval(events, trials, effect)
        return Estimate(value, error, interval, int(trials), "jeffreys" if few else "wilson")

    def difference(self, measure: Measure, one: str, other: str) -> Estimate:
        """Difference of a measure between two prefixes, on the same deals."""
        values = [self.estimate(measure, prefix) for prefix in (one, other)]
        value = values[0].value - values[1].value
        if math.isnan(value):
            return Estimate(value, math.nan, None, 0, "none")
        slopes = self.gradient(measure, one) - self.gradient(measure, other)
        error = _error(slopes, self._covariance)
        p_value = _p(value, error, self.n)
        if any(each.method == "jeffreys" for each in values):
            first, second = (each.interval or Interval(each.value, each.value) for each in values)
            below = math.hypot(values[0].value - first.low, second.high - values[1].value)
            above = math.hypot(first.high - values[0].value, values[1].value - second.low)
            interval = Interval(value - below, value + above)
            # The test must not be surer than the interval: no events at all leave no error.
            half = below if value > 0 else above
            if half:
                p_value = max(p_value, _p(value, half / special.ndtri(0.975), self.n))
            return Estimate(value, error, interval, self.n, "newcombe", p_value)
        return Estimate(value, error, _student(value, error, self.n), self.n, "student", p_value)


def judge_fair(estimate: Estimate, within: float) -> Verdict:
    """Tell whether an advantage is as good as none.

    Fair is one that two one-sided tests at 5 % show to be less than `within` on both sides; unfair
    one whose 95 % interval lies beyond. With fewer than 20 deals it is unsure.
    """
    if estimate.interval is None or estimate.n < LEAST_DEALS:
        return "unsure"
    if equivalence_p(estimate, within) <= 0.05:
        return "fair"
    low, high = estimate.interval
    return "unfair" if low > within or high < -within else "unsure"


def equivalence_p(estimate: Estimate, within: float) -> float:
    """P-value of the two one-sided tests that an advantage is `within` or more on either side."""
    if estimate.n < 2 or math.isnan(estimate.error):
        return 1.0
    room = within - abs(estimate.value)
    if estimate.error == 0:
        return 0.0 if room > 0 else 1.0
    return float(special.stdtr(estimate.n - 1, -room / estimate.error))


def _error(slopes: np.ndarray, covariance: np.ndarray) -> float:
    return math.sqrt(max(float(slopes @ covariance @ slopes), 0.0))


def _student(value: float, error: float, n: int) -> Interval | None:
    if n < 2:
        return None
    half = float(special.stdtrit(n - 1, 0.975)) * error
    return Interval(value - half, value + half)


def _p(value: float, error: float, n: int) -> float:
    """Two-sided p-value of a value that is 0 in truth; rounding is no difference.

    Few deals may all be alike by chance, and tell no error: they are no ground for a test.
    """
    if n < LEAST_DEALS or abs(value) < 1e-12:
        return 1.0
    if error < 1e-12 * abs(value):
        return 0.0
    return float(2 * special.stdtr(n - 1, -abs(value) / error))
