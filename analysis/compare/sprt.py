"""A test that stops when the answer is sure: the generalised sequential probability ratio test.

H0 says that the mean margin is `h0` or less, H1 that it is `h1` or more. After each whole batch of
pairs, in the order of the deals, the log likelihood ratio of the two is compared with two bounds.
The standard deviation, which nobody knows beforehand, is in each hypothesis what fits it best.

Sources: A. Wald, "Sequential analysis" (1947); M. Van den Bergh, "The generalized SPRT for
normalized Elo" and fishtest's mathematics page, whose t is the mean over the standard deviation:
bounds in points are bounds of t times the standard deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from analysis.compare.interim import Looks

#: With fewer pairs that are not level the standard deviation is not known well enough to decide.
LEAST_DIFFERING = 50

Decision = Literal["H0", "H1"]


@dataclass(frozen=True)
class Bounds:
    """What is tested, and how sure it is to be.

    Attributes
    ----------
    h0, h1 : float
        Mean margin a hand under both hypotheses; ``h0 < h1``.
    alpha, beta : float
        How often H1 is taken where H0 is so, and H0 where H1 is so; each above 0 and below 1/2.
    """

    h0: float = 0.0
    h1: float = 0.5
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raise ValueError where they are none."""
        if not (math.isfinite(self.h0) and math.isfinite(self.h1) and self.h0 < self.h1):
            text = "h1 must be the greater, and neither without end"
            raise ValueError(f"h0 = {self.h0:g}, h1 = {self.h1:g}: {text}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name} = {value:g}: it must lie between 0 and 0.5")

    @property
    def low(self) -> float:
        """Log likelihood ratio at or below which H0 is taken."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """Log likelihood ratio at or above which H1 is taken."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: ArrayLike, mean: ArrayLike, variance: ArrayLike) -> np.ndarray:
        """Log likelihood ratio of H1 against H0.

        Parameters
        ----------
        pairs, mean, variance : arrays of one shape, or numbers
            Sums up to a look; the variance has the divisor n. Without any variance the ratio is 0:
            such pairs do not tell how surprising the next may be.

        Returns
        -------
        float64 array
        """
        known = np.asarray(variance) > 0
        deviation = np.sqrt(np.where(known, variance, 1.0))
        t, t0, t1 = (np.asarray(value) / deviation for value in (mean, self.h0, self.h1))
        ratio: np.ndarray = (
            0.5 * np.asarray(pairs) * (np.log1p((t - t0) ** 2) - np.log1p((t - t1) ** 2))
        )
        return np.where(known, ratio, 0.0)

    def decide(self, looks: Looks) -> tuple[int, Decision] | None:
        """Find the first look that decides, and what; None while none does."""
        ratio = self.ratio(looks.pairs, looks.mean, looks.variance)
        ripe = looks.differing >= LEAST_DIFFERING
        crossed = np.flatnonzero(ripe & ((ratio <= self.low) | (ratio >= self.high)))
        if not len(crossed):
            return None
        look = int(crossed[0])
        return look, "H1" if ratio[look] > 0 else "H0"
