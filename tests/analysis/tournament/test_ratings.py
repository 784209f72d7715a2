"""Ratings: the bootstrap, least squares, circles, lack of fit."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.bootstrap import Resampled, quantile_interval
from analysis.tournament.circles import find_circles
from analysis.tournament.ratings import least_squares, rate

PAIRINGS = list(combinations(range(4), 2))


def margins_of(
    rng: np.random.Generator, deals: int, strengths: list[float], curl: float = 0.0
) -> np.ndarray:
    """Margins of all pairings, in which each entrant's luck with a deal shows in all of them."""
    means = np.array([strengths[a] - strengths[b] for a, b in PAIRINGS])
    means[[0, 3]] += curl  # 0 over 1 and 1 over 2
    means[1] -= curl  # 2 over 0
    luck = rng.normal(0.0, 6.0, (deals, 4))
    shared = np.array([luck[:, a] - luck[:, b] for a, b in PAIRINGS]).T
    values = means + shared + rng.normal(0.0, 9.0, (deals, len(PAIRINGS)))
    return (2 * values).round().astype(np.int64)


# ----------------------------------------------------------------------------- the bootstrap


def test_weights_are_poisson() -> None:
    ids = np.arange(5_000)
    found = Resampled.of(ids, np.eye(5_000, 40, dtype=np.int64), replicates=500)
    drawn = found.sums.ravel()  # weights of the first forty deals
    observed = np.bincount(drawn.astype(int), minlength=6)[:6]
    expected = stats.poisson.pmf(np.arange(6), 1) * len(drawn)
    assert (
        stats.chisquare(observed[:5], expected[:5] * observed[:5].sum() / expected[:5].sum())[1]
        > 0.001
    )
    assert found.weights.mean() == pytest.approx(5_000, abs=5 * math.sqrt(5_000 / 500))


def test_parts_add_up_to_the_last_digit() -> None:
    values = margins_of(np.random.default_rng(1), 5000, [1.0, 0.0, 0.0, -1.0])
    ids = np.arange(3000, 8000)
    whole = Resampled.of(ids, values, replicates=50)
    for cuts in ([1, 1024, 2500], [4999], [123, 124]):
        pieces = list(
            zip(np.split(ids, cuts), np.split(values, cuts), strict=True),
        )
        sums = Resampled.of(*pieces[-1], replicates=50)
        for piece in pieces[:-1]:
            sums = sums.merge(Resampled.of(*piece, replicates=50))
        assert sums.deals == 5000
        for name in ("totals", "products", "weights", "sums"):
            assert np.array_equal(getattr(sums, name), getattr(whole, name)), name
    empty = Resampled.of(ids[:0], values[:0], replicates=50)
    assert np.array_equal(whole.merge(empty).sums, whole.sums)
    with pytest.raises(ValueError, match="do not add up"):
        whole.merge(Resampled.of(ids, values, replicates=50, seed=1))


def test_the_bootstrap_spreads_as_the_closed_form() -> None:
    values = margins_of(np.random.default_rng(2), 3000, [1.0, 0.0, 0.0, -1.0])
    found = Resampled.of(np.arange(3000), values, replicates=4000)
    assert found.covariance == pytest.approx(np.cov(values.T) / 3000)
    spread = found.covariance.max()
    assert np.cov(found.replicates.T) == pytest.approx(found.covariance, rel=0.1, abs=0.1 * spread)
    low, high = quantile_interval(found.replicates[:, 0])
    half = 1.96 * math.sqrt(found.covariance[0, 0])
    assert (low, high) == pytest.approx(
        (found.means[0] - half, found.means[0] + half), abs=0.15 * half
    )


def test_quantiles_of_infinite_replicates() -> None:
    values = np.r_[np.zeros(50), np.full(50, math.inf)]
    assert quantile_interval(values) == (0.0, math.inf)


# ----------------------------------------------------------------------------- least squares


def test_ratings_are_found_again_without_noise() -> None:
    strengths = np.array([3.0, 1.0, -0.5, -3.5])
    margins = np.array([strengths[a] - strengths[b] for a, b in PAIRINGS])
    assert least_squares(4, PAIRINGS, margins) == pytest.approx(strengths)
    gauntlet = [(0, 1), (0, 2), (0, 3)]
    assert least_squares(4, gauntlet, margins[:3], np.array([1.0, 5.0, 2.0])) == pytest.approx(
        strengths
    )


def test_ratings_are_those_of_weighted_regression() -> None:
    rng = np.random.default_rng(3)
    margins, weights = rng.normal(size=6), rng.uniform(1.0, 3.0, 6)
    design = np.zeros((6, 4))
    for row, (a, b) in enumerate(PAIRINGS):
        design[row, a], design[row, b] = 1.0, -1.0
    root = np.sqrt(weights)
    solved = np.linalg.lstsq(design * root[:, None], margins * root, rcond=None)[0]
    assert least_squares(4, PAIRINGS, margins, weights) == pytest.approx(solved - solved.mean())


def test_entrants_that_nothing_connects_have_no_ratings() -> None:
    assert np.isnan(least_squares(4, [(0, 1), (2, 3)], np.array([1.0, 1.0]))).all()
    values = np.ones((50, 2), np.int64)
    found = rate(4, [(0, 1), (2, 3)], Resampled.of(np.arange(50), values), 2.0)
    assert np.isnan(found.values).all()
    assert found.intervals == [None] * 4
    assert least_squares(1, [], np.zeros(0)).tolist() == [0.0]


def test_intervals_cover() -> None:
    """All pairings share their deals, and so does the bootstrap: it must not be too narrow."""
    rng = np.random.default_rng(4)
    strengths = [1.5, 0.5, -0.5, -1.5]
    covered = 0
    for _ in range(300):
        values = margins_of(rng, 256, strengths)
        found = rate(4, PAIRINGS, Resampled.of(np.arange(256), values, replicates=200), 2.0)
        for one, interval in enumerate(found.intervals):
            assert interval is not None
            covered += interval.low <= strengths[one] <= interval.high
    assert covered / 1200 == pytest.approx(0.95, abs=0.03)


def test_who_is_rated_above_whom() -> None:
    values = margins_of(np.random.default_rng(5), 4000, [3.0, 0.0, 0.0, -3.0])
    found = rate(4, PAIRINGS, Resampled.of(np.arange(4000), values), 2.0)
    assert found.differences[0, 3] == 1.0
    assert found.differences[3, 0] == 0.0
    assert 0.0 < found.differences[1, 2] < 1.0
    assert np.diag(found.differences).tolist() == [0.5] * 4
    assert found.differences + found.differences.T == pytest.approx(np.ones((4, 4)))


def test_two_deals_have_ratings_but_no_intervals() -> None:
    values = margins_of(np.random.default_rng(6), 2, [1.0, 0.0, 0.0, -1.0])
    found = rate(4, PAIRINGS, Resampled.of(np.arange(2), values), 2.0)
    assert np.isfinite(found.values).all()
    assert found.intervals == [None] * 4
    assert found.fit.p_value == 1.0
    assert all(circle.interval is None and circle.p_value == 1.0 for circle in found.circles)


def test_equal_entrants_are_level() -> None:
    found = rate(2, [(0, 1)], Resampled.of(np.arange(64), np.zeros((64, 1), np.int64)), 2.0)
    assert found.values.tolist() == [0.0, 0.0]
    assert found.intervals == [(0.0, 0.0)] * 2
    assert found.differences.tolist() == [[0.5, 0.5], [0.5, 0.5]]


# -------------------------------------------------------------------- circles and lack of fit


def test_a_circle_is_found_and_turned_the_way_it_beats() -> None:
    margins = np.array([2.0, -3.0, 1.0])  # 0 over 1, 2 over 0, 1 over 2
    (circle,) = find_circles(3, [(0, 1), (0, 2), (1, 2)], margins, np.eye(3) * 0.01, 1000)
    assert circle.entrants == (0, 1, 2)
    assert circle.curl == pytest.approx(6.0)
    assert circle.beat
    assert circle.interval == pytest.approx(
        (6 - 1.96 * math.sqrt(0.03), 6 + 1.96 * math.sqrt(0.03)), rel=1e-4
    )
    (turned,) = find_circles(3, [(0, 1), (0, 2), (1, 2)], -margins, np.eye(3) * 0.01, 1000)
    assert turned.entrants == (0, 2, 1)
    assert turned.curl == pytest.approx(6.0)
    assert turned.beat


def test_triples_that_have_not_all_met_are_left_out() -> None:
    assert find_circles(3, [(0, 1), (0, 2)], np.zeros(2), np.eye(2), 1000) == []


def test_false_circles_and_misfits_are_rare() -> None:
    rng = np.random.default_rng(7)
    alarms = misfits = 0
    for _ in range(500):
        sums = Resampled.of(np.arange(400), margins_of(rng, 400, [2.0, 0.0, 0.0, -2.0]), 20)
        found = rate(4, PAIRINGS, sums, 2.0)
        alarms += any(circle.p_value <= 0.05 for circle in found.circles)
        misfits += found.fit.p_value <= 0.05
        assert found.fit.freedom == 3
    assert alarms <= 0.05 * 500 + 15
    assert 0.02 * 500 < misfits <= 0.05 * 500 + 15


def test_a_true_circle_shows_in_both() -> None:
    values = margins_of(np.random.default_rng(8), 2000, [0.0] * 4, curl=2.0)
    found = rate(4, PAIRINGS, Resampled.of(np.arange(2000), values), 2.0)
    assert found.circles[0].entrants == (0, 1, 2)
    assert found.circles[0].curl == pytest.approx(6.0, abs=1.5)
    assert found.circles[0].beat
    assert found.circles[0].p_value < 0.001
    assert found.fit.p_value < 0.001
    assert found.fit.rms > 1.0
