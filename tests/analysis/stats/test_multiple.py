"""Many comparisons: Holm's correction, and the set that may be best."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.multiple import band_quantile, behind_best, holm


def test_a_worked_example() -> None:
    """Of Holm's paper in spirit: 0.01 x 4, 0.02 x 3, then never less than before."""
    assert holm(np.array([0.02, 0.01, 0.04, 0.03])) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(np.array([0.4, 0.9])).tolist() == [0.8, 0.9]
    assert holm(np.array([0.6, 0.9])).tolist() == [1.0, 1.0]
    assert holm(np.array([0.03])).tolist() == [0.03]
    assert holm(np.array([])).tolist() == []


def test_no_false_alarm_among_many_nulls() -> None:
    rng = np.random.default_rng(1)
    alarms = sum(bool((holm(rng.uniform(size=20)) <= 0.05).any()) for _ in range(2000))
    assert alarms <= 0.05 * 2000 + 3 * np.sqrt(2000 * 0.05 * 0.95)


def values_of(rng: np.random.Generator, means: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Means and their covariance of candidates on shared deals."""
    deals = rng.normal(0.0, 5.0, (n, 1)) + rng.normal(0.0, 2.0, (n, len(means))) + means
    return deals.mean(axis=0), np.cov(deals.T) / n


def test_with_two_candidates_it_is_the_paired_test() -> None:
    rng = np.random.default_rng(2)
    one, other = rng.normal(0.0, 1.0, 50), rng.normal(0.3, 1.0, 50)
    covariance = np.cov([one, other]) / 50
    found = behind_best(np.array([one.mean(), other.mean()]), covariance, 50)
    assert found[0] == pytest.approx(stats.ttest_rel(other, one, alternative="greater").pvalue)
    assert found[1] == pytest.approx(stats.ttest_rel(one, other, alternative="greater").pvalue)


def test_the_set_holds_the_best() -> None:
    rng = np.random.default_rng(3)
    means = np.array([0.0, 0.3, 0.5, 0.5, 0.2, -1.0])
    held = []
    for _ in range(1000):
        p = behind_best(*values_of(rng, means, 400), 400)
        held.append(p > 0.05)
    rates = np.mean(held, axis=0)
    assert rates[2] >= 0.95
    assert rates[3] >= 0.95
    assert rates[5] == 0.0
    assert rates[0] < 0.3


def test_candidates_that_play_alike() -> None:
    assert behind_best(np.array([1.0]), np.array([[0.5]]), 100).tolist() == [1.0]
    same = np.full((3, 3), 0.25)
    assert (behind_best(np.array([1.0, 1.0, 1.0]), same, 100) > 0.4).all()
    assert behind_best(np.array([1.0, 2.0]), np.full((2, 2), 0.25), 100).tolist() == [0.0, 0.5]
    assert (behind_best(np.zeros(2), np.zeros((2, 2)), 100) > 0.4).all()
    assert behind_best(np.array([1.0, 2.0]), np.zeros((2, 2)), 1).tolist() == [1.0, 1.0]


def test_a_band_holds_for_all_together() -> None:
    rng = np.random.default_rng(4)
    missed = 0
    for _ in range(2000):
        values = rng.normal(0.0, 1.0, (30, 8))
        half = band_quantile(8, 30) * values.std(axis=0, ddof=1) / np.sqrt(30)
        missed += bool((np.abs(values.mean(axis=0)) > half).any())
    assert missed <= 0.05 * 2000 + 3 * np.sqrt(2000 * 0.05 * 0.95)
