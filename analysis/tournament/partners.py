"""What a player adds to its side: partnerships of unlike partners as sums of their two players.

Each side is taken for the sum of its players, so that the margin of A and B over two A is what B
adds less what A adds. All meetings are fitted at once by least squares. What two unlike partners
make beyond their sum is told beside it: it is 0 where a side is no more than its players.
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
from analysis.stats.multiple import holm

#: Two sides, each of its players by number.
Sides = tuple[tuple[int, ...], tuple[int, ...]]


class Partners(NamedTuple):
    """Two unlike partners.

    Attributes
    ----------
    one, other : int
    over_one, over_other : float
        Margin of the two over two of the one, and over two of the other, points a hand.
    beyond : float
        Mean of both: what they make beyond the sum of the two.
    interval : Interval or None
        For these two alone; None with fewer than 20 deals.
    p_value : float
        By Holm's correction over all partners; 1 where it is not known.
    """

    one: int
    other: int
    over_one: float
    over_other: float
    beyond: float
    interval: Interval | None
    p_value: float


@dataclass(frozen=True)
class Additions:
    """What players add to their side.

    Attributes
    ----------
    values : float64 array, shape (k,)
        Points a hand more than the average player in the same seat.
    intervals : list of Interval or None
        By bootstrap over deal ids; None with fewer than 20 deals.
    partners : list of Partners
        Who makes the most beyond the sum first.
    """

    values: np.ndarray
    intervals: list[Interval | None]
    partners: list[Partners]


def fit_players(k: int, meetings: Sequence[Sides], margins: np.ndarray) -> np.ndarray:
    """Fit players to the margins of their sides.

    Parameters
    ----------
    k : int
        Players.
    meetings : sequence of Sides
    margins : float64 array, shape (..., meetings)
        Points a hand.

    Returns
    -------
    float64 array, shape (..., k)
        Averaging 0; nan for all where the meetings do not tell every two apart.
    """
    design = np.zeros((len(meetings), k))
    for row, (own, against) in enumerate(meetings):
        np.add.at(design[row], list(own), 1.0)
        np.add.at(design[row], list(against), -1.0)
    normal = design.T @ design + 1.0  # the ones make the players average 0
    if np.linalg.matrix_rank(normal) < k:
        return np.full((*margins.shape[:-1], k), math.nan)
    players: np.ndarray = margins @ np.linalg.solve(normal, design.T).T
    return players


def add_up(
    k: int, meetings: Sequence[Sides], sums: Resampled, unit: float, confidence: float = 0.95
) -> Additions:
    """Tell what players add, and what partners make beyond that.

    Parameters
    ----------
    k : int
        Players.
    meetings : sequence of Sides
    sums : Resampled
        A column for each meeting.
    unit : float
        Margin that is one point a hand.
    confidence : float
    """
    margins = sums.means / unit
    values = fit_players(k, meetings, margins)
    intervals: list[Interval | None] = [None] * k
    if sums.deals >= LEAST_DEALS and not np.isnan(values).any():
        drawn = fit_players(k, meetings, sums.replicates / unit)
        intervals = [quantile_interval(drawn[:, one], confidence) for one in range(k)]
    covariance = sums.covariance / unit**2
    partners = _partners(meetings, margins, covariance, sums.deals, confidence)
    return Additions(values, intervals, partners)


def _partners(
    meetings: Sequence[Sides],
    margins: np.ndarray,
    covariance: np.ndarray,
    deals: int,
    confidence: float,
) -> list[Partners]:
    place = {meeting: number for number, meeting in enumerate(meetings)}
    pairs = sorted({own for own, _ in meetings if len(set(own)) > 1})
    rows = []
    for pair in pairs:
        one, other = sorted(pair)
        columns = [place.get((pair, (each, each))) for each in (one, other)]
        if None not in columns:
            rows.append((one, other, [column for column in columns if column is not None]))
    beyond = np.array([margins[columns].mean() for _, _, columns in rows])
    spread = np.array([covariance[np.ix_(columns, columns)].mean() for _, _, columns in rows])
    scale = np.sqrt(np.maximum(spread, 0.0))
    known = (scale > 0) & (deals >= LEAST_DEALS)
    z = np.divide(beyond, scale, out=np.zeros_like(beyond), where=known)
    p_values = holm(2 * special.ndtr(-np.abs(z)))
    half = float(special.ndtri((1 + confidence) / 2)) * scale
    partners = [
        Partners(
            one=one,
            other=other,
            over_one=float(margins[columns[0]]),
            over_other=float(margins[columns[1]]),
            beyond=float(mean),
            interval=Interval(float(mean - wide), float(mean + wide)) if ok else None,
            p_value=float(p) if ok else 1.0,
        )
        for (one, other, columns), mean, wide, ok, p in zip(
            rows, beyond, half, known, p_values, strict=True
        )
    ]
    return sorted(partners, key=lambda pair: -pair.beyond)
