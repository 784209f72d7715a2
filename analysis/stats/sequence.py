"""Intervals that hold at every look: an asymptotic confidence sequence of a mean.

With chance 1 - alpha the mean lies within the interval at all looks together, however often
somebody looks and whenever they stop. An interval for one look, taken at each of many, would leave
a true 0 outside sooner or later.

Source: I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-uniform central limit
theory and asymptotic confidence sequences", arXiv 2103.06476, theorem 2.2 and appendix B.2.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from scipy import special

from analysis.stats.intervals import Interval

#: Number of pairs at which the intervals are narrowest for their kind, 1.55 times as wide as those
#: for one look; at a hundred times as many it is 1.8 times, at a hundredth 4.6.
TIGHTEST = 10_000


class Summed(Protocol):
    """Pairs added up: how many, their mean, and the variance of one of them (None: not known)."""

    @property
    def pairs(self) -> int: ...  # noqa: D102 (said above)
    @property
    def mean(self) -> float | None: ...  # noqa: D102
    @property
    def variance(self) -> float | None: ...  # noqa: D102


def tuning(alpha: float, tightest: float = TIGHTEST) -> float:
    """Make rho, which places the number of pairs at which the intervals are narrowest."""
    exact = -special.lambertw(-(alpha**2) / math.e, -1).real - 1
    return math.sqrt(exact / tightest)


def half_width(
    pairs: np.ndarray, deviation: np.ndarray, alpha: float = 0.05, tightest: float = TIGHTEST
) -> np.ndarray:
    """Half the width of the interval at each look.

    Parameters
    ----------
    pairs : array
        At least 1.
    deviation : array
        Standard deviation of a pair, as it stands at the look.
    alpha : float
        Chance that an interval of any look misses the mean.
    tightest : float

    Returns
    -------
    float64 array
    """
    rho2 = tuning(alpha, tightest) ** 2
    n = np.asarray(pairs, np.float64)
    spread = 2 * (n * rho2 + 1) / (n * n * rho2) * np.log(np.sqrt(n * rho2 + 1) / alpha)
    width: np.ndarray = np.asarray(deviation) * np.sqrt(spread)
    return width


def sequence_interval(margins: Summed, alpha: float = 0.05) -> Interval | None:
    """Interval of a mean margin at one look of many; None where the spread is not known."""
    if margins.mean is None or not margins.variance:
        return None
    deviation = math.sqrt(margins.variance * margins.pairs / (margins.pairs - 1))
    half = float(half_width(np.array(margins.pairs), np.array(deviation), alpha))
    return Interval(margins.mean - half, margins.mean + half)
