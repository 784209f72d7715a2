"""How many pairs an answer takes, before they are played."""

from __future__ import annotations

import math

from scipy import special

from analysis.sprt import Bounds


def expected_pairs(bounds: Bounds, mean: float, deviation: float) -> float:
    """Pairs that the test takes on average, by Wald's identity for Brownian motion.

    Parameters
    ----------
    bounds : Bounds
    mean, deviation : float
        True mean margin a hand, and standard deviation of a pair's; ``deviation > 0``.
    """
    step = (bounds.h1 - bounds.h0) / deviation
    drift = step * (mean - (bounds.h0 + bounds.h1) / 2) / deviation
    low, high = bounds.low, bounds.high
    tilt = 2 * drift / step**2
    if abs(tilt) * max(high, -low) < 1e-6:
        return -low * high / step**2
    # Chance to leave above: the martingale exp(-tilt * ratio) stays 1.
    above = special.expm1(-tilt * low) / (special.expm1(-tilt * low) - special.expm1(-tilt * high))
    return float((low + above * (high - low)) / drift)


def fixed_pairs(effect: float, deviation: float, alpha: float = 0.05, beta: float = 0.05) -> int:
    """Pairs that a test of one look takes to tell a margin of `effect` from 0.

    One-sided, as the sequential test is: wrong in `alpha` of the cases where the margin is 0, and
    in `beta` of those where it is `effect`.

    Parameters
    ----------
    effect : float
        Margin a hand, above 0.
    deviation : float
        Standard deviation of a pair's, or where hands are not paired, of a hand's.
    alpha, beta : float
    """
    both = float(special.ndtri(1 - alpha) + special.ndtri(1 - beta))
    return max(2, math.ceil((both * deviation / effect) ** 2))
