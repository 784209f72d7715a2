"""Bootstrap over deal ids, for sets of pairings that share their deals.

A replicate gives each deal a weight, drawn from the Poisson distribution of mean 1, which stands
for how often the deal would be drawn. The weight belongs to the deal id, so that all pairings are
resampled together, and so that sums are added up part by part in bounded memory, in any order.

Sources: B. Efron, R. Tibshirani, "An introduction to the bootstrap" (1993); for Poisson weights
J. A. Hanley, B. MacGibbon, "Creating non-parametric bootstrap samples using Poisson frequencies"
(2006), and N. Chamandy and others, "Estimating uncertainty for massive data streams" (2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from analysis.stats.intervals import Interval

REPLICATES = 1000
#: With fewer deals than this their replicates do not tell how others would come out.
LEAST_DEALS = 20

#: Ids whose weights are drawn at one go.
_BLOCK = 128
#: Weight by a random number of 16 bits.
_WEIGHTS = np.searchsorted(
    np.rint(stats.poisson.cdf(np.arange(9), 1) * 2**16), np.arange(2**16), "right"
).astype(np.float64)


@dataclass(frozen=True)
class Resampled:
    """Sums of columns over deals, as they are and in each replicate; those of two parts add up.

    Attributes
    ----------
    deals : int
    totals : float64 array, shape (columns,)
        Whole numbers.
    products : float64 array, shape (columns, columns)
        Sums of products of two columns, whole numbers.
    weights : float64 array, shape (replicates,)
        Deals in each replicate.
    sums : float64 array, shape (replicates, columns)
    seed : int
    """

    deals: int
    totals: np.ndarray
    products: np.ndarray
    weights: np.ndarray
    sums: np.ndarray
    seed: int = 0

    @classmethod
    def of(
        cls, ids: np.ndarray, values: np.ndarray, replicates: int = REPLICATES, seed: int = 0
    ) -> Resampled:
        """Add up deals.

        Parameters
        ----------
        ids : int64 array, shape (n,)
            Ascending, each once.
        values : int64 array, shape (n, columns)
            A margin of each pairing. Sums of their products are exact up to 2**53.
        replicates, seed : int
            The same in all parts.
        """
        columns = values.shape[1]
        weights = np.zeros(replicates)
        sums = np.zeros((replicates, columns))
        numbers = values.astype(np.float64)
        blocks = np.asarray(ids) // _BLOCK
        ends = np.flatnonzero(np.r_[blocks[1:] != blocks[:-1], True][: len(ids)]) + 1
        for start, stop in zip(np.r_[0, ends][:-1], ends, strict=True):
            drawn = _draw(seed, int(blocks[start]), replicates)[ids[start:stop] % _BLOCK]
            weights += drawn.sum(axis=0)
            sums += drawn.T @ numbers[start:stop]
        return cls(
            deals=len(ids),
            totals=numbers.sum(axis=0),
            products=numbers.T @ numbers,
            weights=weights,
            sums=sums,
            seed=seed,
        )

    def merge(self, other: Resampled) -> Resampled:
        """Add up the deals of both, which are to be different ones.

        Raises
        ------
        ValueError
            When they were drawn otherwise.
        """
        if self.seed != other.seed or self.sums.shape != other.sums.shape:
            raise ValueError("sums of other replicates or columns do not add up")
        return Resampled(
            deals=self.deals + other.deals,
            totals=self.totals + other.totals,
            products=self.products + other.products,
            weights=self.weights + other.weights,
            sums=self.sums + other.sums,
            seed=self.seed,
        )

    @property
    def means(self) -> np.ndarray:
        """Mean of each column over the deals."""
        means: np.ndarray = self.totals / self.deals
        return means

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of the means, in closed form; zeros with fewer than two deals."""
        if self.deals < 2:
            return np.zeros_like(self.products)
        n = self.deals
        spread = n * self.products - np.outer(self.totals, self.totals)
        covariance: np.ndarray = spread / (n * n * (n - 1.0))
        return covariance

    @property
    def replicates(self) -> np.ndarray:
        """Means in each replicate that has any deal, shape (<= replicates, columns)."""
        drawn = self.weights > 0
        means: np.ndarray = self.sums[drawn] / self.weights[drawn, None]
        return means


def _draw(seed: int, block: int, replicates: int) -> np.ndarray:
    """Weights of the ids of a block, shape (128, replicates)."""
    stream = np.random.Generator(np.random.Philox(key=[seed, block]))
    drawn: np.ndarray = _WEIGHTS[stream.integers(0, 2**16, (_BLOCK, replicates), np.uint16)]
    return drawn


def quantile_interval(replicates: np.ndarray, confidence: float = 0.95) -> Interval:
    """Interval between quantiles of replicates, infinite ones included."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail], method="inverted_cdf")
    return Interval(float(low), float(high))
