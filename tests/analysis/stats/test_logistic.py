"""Fits piece by piece against scipy's optimiser over all rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import optimize, special

from analysis.stats import logistic
from analysis.stats.logistic import Squares, fit_logistic

N = 600
RIDGE = 1.0  # as much as one row more says of each column


def data() -> tuple[np.ndarray, np.ndarray]:
    """Rows of three columns, the first all ones, and two outcomes, of which some are unknown."""
    rng = np.random.default_rng(8)
    rows = np.column_stack([np.ones(N), rng.normal(size=(N, 2))])
    chances = special.expit(rows @ np.array([[0.4, -1.0], [1.5, 0.2], [-0.7, 0.9]]))
    happened = (rng.random((N, 2)) < chances).astype(float)
    happened[rng.random((N, 2)) < 0.2] = np.nan
    return rows, happened


def best(rows: np.ndarray, happened: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Most likely coefficients of one outcome, drawn to `start`."""
    known = ~np.isnan(happened)

    def minus(b: np.ndarray) -> float:
        odds = rows[known] @ b
        sign = 2 * happened[known] - 1
        return -float(special.log_expit(sign * odds).sum()) + RIDGE / 2 * float(
            ((b - start) ** 2).sum()
        )

    return np.asarray(optimize.minimize(minus, np.zeros(3), method="BFGS", tol=1e-9).x)


@pytest.mark.parametrize("counted", [50_000, 250])
@pytest.mark.parametrize("start", [None, np.array([0.5, 0.5, 0.5])])
def test_the_fit_is_the_most_likely(
    monkeypatch: pytest.MonkeyPatch, counted: int, start: np.ndarray | None
) -> None:
    """Also where the curvature is taken from the first rows alone: the end is the same."""
    monkeypatch.setattr(logistic, "CURVATURE_ROWS", counted)
    rows, happened = data()
    passes = 0

    def pieces() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        nonlocal passes
        passes += 1
        for first in range(0, N, 200):
            yield rows[first : first + 200], happened[first : first + 200]

    found = fit_logistic(pieces, 3, 2, start)
    for outcome in range(2):
        origin = np.zeros(3) if start is None else start
        expected = best(rows, happened[:, outcome], origin)
        assert found[outcome] == pytest.approx(expected, abs=1e-4)
    assert passes <= 15  # Newton's method takes few steps


def test_without_rows_the_start_stays() -> None:
    start = np.array([1.0, 2.0])

    def none() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        yield from ()

    assert fit_logistic(none, 2, 1, start) == pytest.approx(start[None])


def test_least_squares_add_up() -> None:
    rng = np.random.default_rng(9)
    rows = rng.normal(size=(300, 3))
    outcomes = rng.normal(size=(300, 2))
    squares = Squares(3, 2)
    for first in (0, 100, 200):
        squares.add(rows[first : first + 100], outcomes[first : first + 100])
    assert squares.rows == 300
    expected = np.linalg.solve(rows.T @ rows + RIDGE * np.eye(3), rows.T @ outcomes).T
    assert squares.solve() == pytest.approx(expected)
    start = np.array([1.0, -2.0, 3.0])
    assert Squares(3, 2, start).solve() == pytest.approx(np.tile(start, (2, 1)))
