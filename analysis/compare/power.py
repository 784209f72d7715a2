"""How many pairs an answer takes, before they are played."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.compare.interim import BATCH
from analysis.compare.margins import Margins
from analysis.compare.sprt import Bounds

_PATHS = 400
_STEPS = 80


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


class Left(NamedTuple):
    """Pairs that a test may still take.

    Attributes
    ----------
    likely : int
        The median.
    low, high : int
        Between which it ends in eight cases of ten.
    undecided : float
        Chance that it is still undecided at the most pairs that it may have.
    """

    likely: int
    low: int
    high: int
    undecided: float


def pairs_left(bounds: Bounds, sums: Margins, most: int) -> Left | None:
    """Predict how many pairs a test still takes.

    Paths are drawn from what is known: a true mean out of what the pairs so far allow, then pairs
    that spread as those did. The draws are the same whenever they are asked for.

    Parameters
    ----------
    bounds : Bounds
    sums : Margins
        Up to the last look.
    most : int
        Pairs that the test may have in all.

    Returns
    -------
    Left or None
        None where the spread is not known.
    """
    if sums.mean is None or not sums.variance:
        return None
    stream = np.random.default_rng(0)
    steps = np.unique(np.geomspace(sums.pairs, max(most, sums.pairs + 1), _STEPS + 1).astype(int))
    more = np.diff(steps)
    truth = stream.normal(sums.mean, sums.deviation / math.sqrt(sums.pairs), (_PATHS, 1))
    added = stream.normal(more * truth, sums.deviation * np.sqrt(more))
    mean = (sums.pairs * sums.mean + added.cumsum(axis=1)) / steps[1:]
    ratio = bounds.ratio(steps[1:], mean, np.full_like(mean, sums.variance))
    out = (ratio <= bounds.low) | (ratio >= bounds.high)
    ends = np.where(out.any(axis=1), steps[1:][out.argmax(axis=1)], most)
    ends = -(-ends // BATCH) * BATCH - sums.pairs  # it is decided after whole batches
    low, likely, high = np.quantile(ends, [0.1, 0.5, 0.9])
    return Left(int(likely), int(low), int(high), float(1 - out.any(axis=1).mean()))
