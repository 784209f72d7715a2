"""The bootstrap: weights of Poisson, sums of parts, quantiles; by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from analysis.stats import bootstrap
from analysis.stats.bootstrap import Resampled, quantile_interval


def test_weights_are_those_of_poisson() -> None:
    drawn = Counter(bootstrap._WEIGHTS.tolist())
    assert sum(drawn.values()) == 2**16
    for weight, times in drawn.items():
        chance = math.exp(-1) / math.factorial(int(weight))
        assert times == pytest.approx(2**16 * chance, abs=1.01)
    assert max(drawn) == 8


def test_an_id_has_the_same_weight_in_any_part_and_in_any_column() -> None:
    ids = np.array([3, 127, 128, 129, 700])
    values = np.array([[1, 2], [10, -20], [100, 200], [1000, -2000], [5, 10]])
    whole = Resampled.of(ids, values, 200, seed=4)
    parts = [Resampled.of(ids[cut], values[cut], 200, seed=4) for cut in (slice(0, 2), slice(2, 5))]
    joined = parts[0].merge(parts[1])
    assert joined.deals == whole.deals == 5
    for name in ("totals", "products", "weights", "sums"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()
    alone = Resampled.of(ids[1:2], values[1:2], 200, seed=4)
    assert (alone.sums == np.outer(alone.weights, [10, -20])).all()
    assert set(alone.weights) >= {0.0, 1.0, 2.0}
    other = Resampled.of(ids[1:2], values[1:2], 200, seed=5)
    assert (other.weights != alone.weights).any()
    assert len(alone.replicates) == (alone.weights > 0).sum() < 200
    assert np.unique(alone.replicates, axis=0).tolist() == [[10, -20]]
    with pytest.raises(ValueError, match="do not add up"):
        alone.merge(other)
    with pytest.raises(ValueError, match="do not add up"):
        alone.merge(Resampled.of(ids[2:3], values[2:3, :1], 200, seed=4))


def test_neighbours_have_weights_of_their_own() -> None:
    ids = np.arange(120, 136)
    weights = [Resampled.of(ids[i : i + 1], np.ones((1, 1), int), 300).weights for i in range(16)]
    together = np.corrcoef(weights) - np.eye(16)
    assert np.abs(together).max() < 0.25
    assert np.mean(weights) == pytest.approx(1.0, abs=0.05)
    assert np.var(weights) == pytest.approx(1.0, abs=0.1)


def test_means_and_their_covariance() -> None:
    values = np.array([[1, 4], [2, 2], [6, 3]])
    sums = Resampled.of(np.arange(3), values)
    assert sums.means.tolist() == [3, 3]
    assert sums.covariance == pytest.approx(np.cov(values.T) / 3)
    two = Resampled.of(np.arange(2), values[:2])
    assert two.covariance == pytest.approx(np.cov(values[:2].T) / 2)
    assert Resampled.of(np.arange(1), values[:1]).covariance.tolist() == [[0, 0], [0, 0]]
    assert sums.sums.shape == (1000, 2)


def test_quantiles_are_replicates_themselves() -> None:
    """Of 999 the 25th from either end."""
    replicates = np.random.default_rng(1).permutation(np.arange(1.0, 1000.0))
    assert quantile_interval(replicates) == (25, 975)
    assert quantile_interval(replicates, 0.9) == (50, 950)
    replicates[replicates > 900] = math.inf
    assert quantile_interval(replicates).high == math.inf
