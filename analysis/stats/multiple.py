"""Many comparisons at once: Holm's correction, and which candidates may be the best.

Sources: S. Holm, "A simple sequentially rejective multiple test procedure" (1979); J. C. Hsu,
"Multiple comparisons with the best" (1996), for the set that may be best.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special


def holm(values: np.ndarray) -> np.ndarray:
    """Adjust p-values so that the chance of any false one among all is held.

    Parameters
    ----------
    values : float64 array, shape (n,)
        P-values, of tests that may depend on each other in any way.

    Returns
    -------
    float64 array, shape (n,)
        Adjusted; a hypothesis is rejected where it is at most the wanted level.
    """
    values = np.asarray(values, np.float64)
    order = np.argsort(values, kind="stable")
    left = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(left * values[order]))
    return adjusted


def behind_best(means: np.ndarray, covariance: np.ndarray, pairs: int) -> np.ndarray:
    """P-value, for each candidate, of its being the best in truth.

    For each candidate every other is tested for being better, one-sided, on the same deals, and
    Holm's correction is taken over those. The candidates whose value is above the level are a set
    that holds the best one with at least that confidence, although the data chose the order.

    Parameters
    ----------
    means : float64 array, shape (k,)
    covariance : float64 array, shape (k, k)
        Of the means.
    pairs : int
        Deals that they were measured on.

    Returns
    -------
    float64 array, shape (k,)
        1 where there is no other candidate.
    """
    k = len(means)
    result = np.ones(k)
    if pairs < 2:
        return result
    for one in range(k):
        others = np.delete(np.arange(k), one)
        more = means[others] - means[one]
        spread = covariance[others, others] + covariance[one, one] - 2 * covariance[others, one]
        # Candidates that differ in no deal have neither a difference nor a spread.
        known = spread > 1e-12 * covariance[one, one]
        t = np.divide(more, np.sqrt(np.abs(spread)), out=np.zeros(k - 1), where=known)
        t[~known & (more > 0)] = math.inf
        if len(others):
            result[one] = holm(special.stdtr(pairs - 1, -t)).min()
    return result


def band_quantile(curves: int, pairs: int, confidence: float = 0.95) -> float:
    """Quantile of Student's t for intervals that hold for all of several means together."""
    return float(special.stdtrit(pairs - 1, 1 - (1 - confidence) / (2 * curves)))
