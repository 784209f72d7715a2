"""Logistic and linear regression on data that comes in pieces: nothing but sums is kept.

Source: Newton's method for the log likelihood, McCullagh and Nelder, *Generalized Linear Models*
(1989), chapter 4; a small ridge keeps columns apart that say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import linalg, special

#: Weight of the squared coefficients, in rows.
RIDGE = 1.0
STEPS = 50
CLOSE = 1e-5
#: The curvature is taken from so many rows or a few more, and scaled up: it steers the steps, and
#: where the gradient is 0 does not depend on it.
CURVATURE_ROWS = 50_000

#: Gives rows and their outcomes, shapes (n, p) and (n, m); outcomes may be NaN: those do not count.
Pieces = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


class Squares:
    """Sums for a linear regression of several outcomes on the same columns.

    Parameters
    ----------
    columns, outcomes : int
    start : array, shape (columns,), optional
        What the coefficients are drawn to, by a little; 0 where it is not given.
    """

    def __init__(self, columns: int, outcomes: int, start: np.ndarray | None = None) -> None:
        self.rows = 0
        self._start = np.zeros(columns) if start is None else start
        self._left = np.zeros((columns, columns))
        self._right = np.zeros((columns, outcomes))

    def add(self, rows: np.ndarray, outcomes: np.ndarray) -> None:
        """Add rows, shape (n, columns), and their outcomes, shape (n, outcomes)."""
        self.rows += len(rows)
        self._left += rows.T @ rows
        self._right += rows.T @ outcomes

    def solve(self) -> np.ndarray:
        """Coefficients, shape (outcomes, columns)."""
        left = self._left + RIDGE * np.eye(len(self._left))
        right = self._right + RIDGE * self._start[:, None]
        solved: np.ndarray = linalg.solve(left, right, assume_a="pos").T
        return solved


def fit_logistic(
    pieces: Pieces, columns: int, outcomes: int, start: np.ndarray | None = None
) -> np.ndarray:
    """Fit the log odds of several outcomes, each by itself, by Newton's method.

    Parameters
    ----------
    pieces : callable
        Called once a step.
    columns, outcomes : int
    start : array, shape (columns,), optional
        What the coefficients are drawn to, by a little; 0 where it is not given.

    Returns
    -------
    float64 array, shape (outcomes, columns)
    """
    origin = np.zeros((outcomes, columns)) if start is None else np.tile(start, (outcomes, 1))
    result = origin.copy()
    for _ in range(STEPS):
        gradient = -RIDGE * (result - origin)
        curvature = np.zeros((outcomes, columns, columns))
        counted = seen = 0
        for rows, happened in pieces():
            chance = special.expit(rows @ result.T)
            known = ~np.isnan(happened)
            gradient += np.where(known, happened - chance, 0.0).T @ rows
            seen += len(rows)
            if counted < CURVATURE_ROWS:
                counted += len(rows)
                weight = np.where(known, chance * (1 - chance), 0.0)
                for i in range(outcomes):
                    curvature[i] += (rows * weight[:, i, None]).T @ rows
        curvature *= seen / max(counted, 1)
        curvature += RIDGE * np.eye(columns)
        step = np.array(
            [linalg.solve(c, g, assume_a="pos") for c, g in zip(curvature, gradient, strict=True)]
        )
        result += step
        if np.abs(step).max() < CLOSE:
            break
    return result
