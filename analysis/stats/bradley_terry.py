"""Ratings of matches won: the model of Bradley and Terry.

Entrant i beats entrant j with the odds exp(s_i - s_j). A drawn match counts half for both, an
unfinished one for nobody. Who has won or lost everything has no finite strength; it is given as
such with the bound that is known, and the others are fitted without it. The fit is maximum
likelihood by Newton's method, as of any logit model: the log likelihood is concave.

Sources: R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs" (1952); L. R. Ford,
"Solution of a ranking problem from binary comparisons" (1957), for when a finite fit exists;
A. Agresti, "Categorical Data Analysis" (2002), for the model as a logit model, and its fit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import optimize, special
from scipy.sparse import csgraph

from analysis.stats.intervals import Interval

_STEPS = 200
_CLOSE = 1e-12


class Strength(NamedTuple):
    """How strong an entrant is in matches.

    Attributes
    ----------
    value : float
        Logarithm of the odds against the average of the finite ones; infinite for who has won, or
        lost, everything against them, nan for who cannot be compared with them. Where none are
        finite, as when one of two has won everything, one entrant in the middle stands for 0.
    interval : Interval
        An infinite strength is bounded on one side.
    """

    value: float
    interval: Interval


def fit_strengths(wins: np.ndarray) -> np.ndarray:
    """Fit strengths to wins.

    Parameters
    ----------
    wins : float64 array, shape (k, k)
        Wins of the row's entrant over the column's.

    Returns
    -------
    float64 array, shape (k,)
        Averaging 0 over the largest set of entrants that finite strengths fit; infinite for those
        that stand above or below it, nan for those that do not compare.
    """
    wins = np.asarray(wins, np.float64)
    inside, above, below = _split(wins)
    strengths = np.full(len(wins), math.nan)
    strengths[above & ~below] = math.inf
    strengths[below & ~above] = -math.inf
    strengths[inside] = _newton(wins[np.ix_(inside, inside)])
    return strengths


def rate_matches(wins: np.ndarray, effect: float = 1.0, confidence: float = 0.95) -> list[Strength]:
    """Strengths with their intervals.

    Parameters
    ----------
    wins : float64 array, shape (k, k)
    effect : float
        Design effect: both legs of a match see the same deals, and say less than two matches.
    confidence : float

    Returns
    -------
    list of Strength
        The finite ones with the interval of the normal approximation.
    """
    wins = np.asarray(wins, np.float64) / effect
    strengths = fit_strengths(wins)
    inside = np.flatnonzero(np.isfinite(strengths))
    quantile = float(special.ndtri((1 + confidence) / 2))
    error = _standard_errors(wins[np.ix_(inside, inside)], strengths[inside])
    rows = [Strength(float(value), Interval(-math.inf, math.inf)) for value in strengths]
    for place, one in enumerate(inside):
        value, half = float(strengths[one]), quantile * float(error[place])
        rows[one] = Strength(value, Interval(value - half, value + half))
    for one in np.flatnonzero(np.isinf(strengths)):
        sign = 1.0 if strengths[one] > 0 else -1.0
        meetings = wins[one, inside] + wins[inside, one]
        bound = _one_sided(meetings, sign * strengths[inside], (1 - confidence) / 2)
        interval = Interval(bound, math.inf) if sign > 0 else Interval(-math.inf, -bound)
        rows[one] = Strength(float(strengths[one]), interval)
    return rows


def _split(wins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the largest set that beats each other in circles, and who stands above and below it."""
    k = len(wins)
    beats = wins > 0
    reach = np.eye(k, dtype=bool) | beats
    for _ in range(max(1, math.ceil(math.log2(max(k, 2))))):
        reach = reach @ reach
    count, label = csgraph.connected_components(beats, connection="strong")
    sizes = np.bincount(label, minlength=count)
    met = wins + wins.T
    lead = np.abs((wins - wins.T).sum(axis=1)) / np.maximum(met.sum(axis=1), 1e-300)

    def worth(each: int) -> tuple[int, float, float, float]:
        """Prefer many, then those who have met most; a lone one is to stand in the middle."""
        members = label == each
        games = met[np.ix_(members, members)].sum()
        return int(sizes[each]), float(games), -float(lead[members][0]), -float(wins[members].sum())

    chosen = max(range(count), key=worth)
    inside = label == chosen
    member = int(np.flatnonzero(inside)[0])
    above = reach[:, member] & ~inside
    below = reach[member] & ~inside
    return inside, above, below


def _newton(wins: np.ndarray) -> np.ndarray:
    """Maximum likelihood of strengths that are known to be finite, averaging 0."""
    k = len(wins)
    strengths = np.zeros(k)
    met = wins + wins.T
    won = wins.sum(axis=1)
    for _ in range(_STEPS):
        chance = special.expit(strengths[:, None] - strengths[None, :])
        slope = won - (met * chance).sum(axis=1)
        step = np.linalg.solve(_information(met, chance) + 1.0 / k, slope)
        # A long step may overshoot where the likelihood is flat.
        step *= min(1.0, 1.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        strengths = strengths + step - step.mean()
        if np.abs(step).max(initial=0.0) < _CLOSE:
            break
    return strengths


def _information(met: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Minus the second derivatives of the log likelihood."""
    weight = met * chance * (1 - chance)
    np.fill_diagonal(weight, 0.0)
    information: np.ndarray = np.diag(weight.sum(axis=1)) - weight
    return information


def _standard_errors(wins: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Of strengths that average 0; infinite for a lone one, which nothing is known of."""
    if len(strengths) < 2:
        return np.full(len(strengths), math.inf)
    chance = special.expit(strengths[:, None] - strengths[None, :])
    inverse = np.linalg.pinv(_information(wins + wins.T, chance), hermitian=True)
    errors: np.ndarray = np.sqrt(np.diag(inverse))
    return errors


def _one_sided(meetings: np.ndarray, others: np.ndarray, tail: float) -> float:
    """Strength at which winning all of `meetings` has the chance `tail`."""
    if not meetings.sum():
        return -math.inf

    def off(strength: float) -> float:
        chances = -np.logaddexp(0.0, others - strength)
        return float(meetings @ chances) - math.log(tail)

    centre = float(others.mean()) if len(others) else 0.0
    return float(optimize.brentq(off, centre - 800.0, centre + 800.0))
