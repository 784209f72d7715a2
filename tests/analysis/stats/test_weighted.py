"""Weighted means over clusters: against plain formulas, and by how often their intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from analysis.stats.intervals import Clustered, jeffreys, wilson
from analysis.stats.weighted import ClusterSums, Mean


def sums_of(values: np.ndarray, size: int = 1, weights: np.ndarray | None = None) -> ClusterSums:
    """Add up clusters of `size` members each."""
    n = len(values)
    table = values.reshape(n, -1).astype(np.float64)
    ids = np.arange(n) // size
    return ClusterSums.of(
        n // size, ids, np.ones(n) if weights is None else weights.astype(float), table
    )


def test_clusters_of_one_give_the_plain_formulas() -> None:
    values = np.random.default_rng(7).normal(3, 2, 50)
    sums = sums_of(values)
    mean = sums.mean(0)
    assert mean.value == pytest.approx(values.mean())
    assert mean.error == pytest.approx(values.std(ddof=1) / math.sqrt(50))
    known = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert sums.student(mean) == pytest.approx((known.low, known.high))
    events = np.repeat([1, 0], [30, 70])
    interval, method = sums_of(events).rate_interval(sums_of(events).mean(0))
    assert method == "wilson"
    assert interval == pytest.approx(wilson(0.3 * 99, 99))


def test_clusters_of_three_agree_with_the_sums_of_runs() -> None:
    rng = np.random.default_rng(7)
    values = rng.integers(0, 9, 60) + np.repeat(rng.integers(0, 9, 20), 3)
    each = values.reshape(20, 3).sum(axis=1)
    known = Clustered(20, 60, int(values.sum()), 180, int(3 * each.sum()), int((each**2).sum()))
    sums = sums_of(values, 3)
    assert sums.student(sums.mean(0)) == pytest.approx(known.mean_interval())


def test_weights_and_differences() -> None:
    """Linearisation written out, for clusters of unlike size and weight."""
    rng = np.random.default_rng(3)
    ids = np.sort(rng.integers(0, 30, 80))
    weights = rng.uniform(0.2, 2, 80)
    values = rng.normal(size=(80, 2))
    sums = ClusterSums.of(35, ids, weights, values)
    less = values[:, 1] - values[:, 0]
    mean = (weights * less).sum() / weights.sum()
    parts = [(weights[ids == i] * (less[ids == i] - mean)).sum() for i in np.unique(ids).tolist()]
    k = len(parts)
    error = math.sqrt(sum(part**2 for part in parts) * k / (k - 1)) / weights.sum()
    assert sums.mean(1, 0) == pytest.approx(Mean(mean, error))
    assert sums.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert (sums.clusters, sums.filled, sums.members) == (35, k, 80)
    half = ids < 15
    parts_of = [
        ClusterSums.of(n, ids[rows], weights[rows], values[rows])
        for n, rows in ((15, half), (20, ~half))
    ]
    merged = parts_of[0].merge(parts_of[1])
    assert merged.mean(1, 0) == pytest.approx(sums.mean(1, 0))
    assert (merged.clusters, merged.filled, merged.members) == (35, k, 80)


def test_rates_without_spread_or_with_less_than_chance() -> None:
    none = sums_of(np.zeros(300), 3)
    assert none.rate_interval(none.mean(0)) == (jeffreys(0, 100), "jeffreys")
    one = sums_of(np.array([1, 0, 1]), 3)
    assert one.rate_interval(one.mean(0)) == (jeffreys(2 / 3, 1), "jeffreys")
    assert one.student(one.mean(0)) is None
    every = sums_of(np.tile([1, 0, 0], 100), 3)  # one turn of each deal: known better than by 300
    interval, _ = every.rate_interval(every.mean(0))
    assert interval == pytest.approx(wilson(300, 900))
    assert interval.high - interval.low < np.subtract(*wilson(100, 300)[::-1])


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.02])
def test_rate_intervals_hold_as_often_as_they_say(rate: float) -> None:
    """Turns that exclude each other in part, and weights that go with the outcome."""
    rng = np.random.default_rng(11)
    held = []
    pool = rng.random((200_000, 3)) < rate
    pool[: 200_000 // 3, 1] = ~pool[: 200_000 // 3, 0] & (rate == 0.5)
    heavy = np.where(pool, 1.0, 2.0)
    truth = (heavy * pool).sum() / heavy.sum()
    for _ in range(1500):
        rows = rng.integers(0, len(pool), 400)
        sums = sums_of(pool[rows].ravel(), 3, heavy[rows].ravel())
        low, high = sums.rate_interval(sums.mean(0))[0]
        held.append(low <= truth <= high)
    assert 0.93 < np.mean(held) < 0.97


@pytest.mark.parametrize("rate", [0.4, 0.01])
def test_sequences_hold_at_every_look(rate: float) -> None:
    """A plain interval that is looked at as often misses several times as often as it says."""
    rng = np.random.default_rng(5)
    missed, plain = [], []
    for _ in range(250):
        values = rng.random(256 * 3 * 16) < rate
        sums = None
        out = plain_out = False
        for start in range(0, len(values), 256 * 3):
            more = sums_of(values[start : start + 256 * 3], 3)
            sums = more if sums is None else sums.merge(more)
            mean = sums.mean(0)
            low, high = sums.rate_sequence(mean, 2500)
            out |= not low <= rate <= high
            low, high = sums.rate_interval(mean)[0]
            plain_out |= not low <= rate <= high
        missed.append(out)
        plain.append(plain_out)
    assert np.mean(missed) < 0.06
    assert np.mean(plain) > 0.1
