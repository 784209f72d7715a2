"""Ratings in points a hand of entrants that have all met, or some of them, on the same deals.

Entrants do not learn, so all pairings are fitted at once: the ratings r minimise the weighted sum
of (m_ij - (r_i - r_j)) squared, with the mean margins m, and average 0. What the ratings cannot
say is told beside them: how much of the margins they leave unexplained, and which three entrants
beat each other in a circle.

Sources: K. Massey, "Statistical models applied to the rating of sports teams" (1997), for the least
squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.stats.bootstrap import LEAST_DEALS, Resampled, quantile_interval
from analysis.stats.intervals import Interval
from analysis.tournament.circles import Circle, Pairing, find_circles


class Fit(NamedTuple):
    """How far the margins are from differences of ratings.

    Attributes
    ----------
    rms : float
        Root mean square of what is left of the margins, points a hand.
    chi_square : float
        Of what is left, by the covariance of the margins.
    freedom : int
        Margins more than ratings take.
    p_value : float
        Chance of so much where the ratings were all there is; 1 where there is nothing to test.
    """

    rms: float
    chi_square: float
    freedom: int
    p_value: float


@dataclass(frozen=True)
class Ratings:
    """Ratings and what they leave unexplained.

    Attributes
    ----------
    values : float64 array, shape (k,)
        Points a hand, averaging 0; of entrants that no chain of pairings connects, nan.
    intervals : list of Interval or None
        By bootstrap over deal ids; None with fewer than 20 deals.
    differences : float64 array, shape (k, k)
        Chance, by the bootstrap, that the row's entrant is rated above the column's.
    fit : Fit
    circles : list of Circle
        Of all triples that have met, the largest curl first.
    """

    values: np.ndarray
    intervals: list[Interval | None]
    differences: np.ndarray
    fit: Fit
    circles: list[Circle]


def least_squares(
    k: int, pairings: Sequence[Pairing], margins: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Fit ratings to margins.

    Parameters
    ----------
    k : int
        Entrants.
    pairings : sequence of (int, int)
    margins : float64 array, shape (..., pairings)
        Points a hand; any number of sets, such as replicates.
    weights : float64 array, shape (pairings,), optional
        Positive; all alike where they are not given.

    Returns
    -------
    float64 array, shape (..., k)
        nan for all where not every two entrants are connected by pairings.
    """
    margins = np.asarray(margins, np.float64)
    design = _design(k, pairings)
    weights = np.ones(len(pairings)) if weights is None else np.asarray(weights, np.float64)
    # The rows of ones make the ratings average 0, and the system regular where all are connected.
    normal = design.T @ (weights[:, None] * design) + 1.0
    if np.linalg.matrix_rank(normal) < k:
        return np.full((*margins.shape[:-1], k), math.nan)
    solver = np.linalg.solve(normal, design.T * weights)
    ratings: np.ndarray = margins @ solver.T
    return ratings


def rate(
    k: int,
    pairings: Sequence[Pairing],
    sums: Resampled,
    unit: float,
    weights: np.ndarray | None = None,
    confidence: float = 0.95,
) -> Ratings:
    """Rate entrants.

    Parameters
    ----------
    k : int
        Entrants.
    pairings : sequence of (int, int)
    sums : Resampled
        A column for each pairing: margins of the same deals, played by each.
    unit : float
        Margin that is one point a hand (see :class:`analysis.compare.margins.Margins`).
    weights : float64 array, shape (pairings,), optional
    confidence : float
    """
    margins = sums.means / unit
    covariance = sums.covariance / unit**2
    values = least_squares(k, pairings, margins, weights)
    drawn = least_squares(k, pairings, sums.replicates / unit, weights)
    intervals: list[Interval | None] = [None] * k
    above = np.full((k, k), 0.5)
    if sums.deals >= LEAST_DEALS and not np.isnan(values).any():
        intervals = [quantile_interval(drawn[:, one], confidence) for one in range(k)]
        level = drawn[:, :, None] == drawn[:, None, :]
        above = ((drawn[:, :, None] > drawn[:, None, :]) + 0.5 * level).mean(axis=0)
    return Ratings(
        values=values,
        intervals=intervals,
        differences=above,
        fit=_lack_of_fit(k, pairings, margins, covariance, values, sums.deals),
        circles=find_circles(k, pairings, margins, covariance, sums.deals, confidence),
    )


def _design(k: int, pairings: Sequence[Pairing]) -> np.ndarray:
    design = np.zeros((len(pairings), k))
    for row, (one, other) in enumerate(pairings):
        design[row, one] += 1
        design[row, other] -= 1
    return design


def _lack_of_fit(
    k: int,
    pairings: Sequence[Pairing],
    margins: np.ndarray,
    covariance: np.ndarray,
    values: np.ndarray,
    deals: int,
) -> Fit:
    """Test the residuals of the margins: those that no ratings whatever can explain.

    They are measured in a basis of what is orthogonal to all differences of ratings, in which the
    covariance is regular unless margins depend on each other exactly.
    """
    design = _design(k, pairings)
    left = margins - design @ values
    rms = float(np.sqrt(np.mean(left**2))) if len(left) else 0.0
    space, sizes, _ = np.linalg.svd(design)
    rank = int((sizes > 1e-9).sum())
    beyond = space[:, rank:]
    freedom = beyond.shape[1]
    if not freedom or np.isnan(values).any() or deals <= max(LEAST_DEALS, 2 * freedom):
        return Fit(rms, 0.0, freedom, 1.0)
    off = beyond.T @ margins
    spread = beyond.T @ covariance @ beyond
    size, axes = np.linalg.eigh(spread)
    real = size > 1e-9 * max(float(np.trace(covariance)), 1e-300)
    chi_square = float(np.sum((axes[:, real].T @ off) ** 2 / size[real]))
    freedom = int(real.sum())
    p_value = float(special.chdtrc(freedom, chi_square)) if freedom else 1.0
    return Fit(rms, chi_square, freedom, p_value)
