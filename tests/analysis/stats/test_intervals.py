"""Intervals against scipy's, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.intervals import Clustered, Interval, jeffreys, rate_interval, wilson


def clustered(trials: np.ndarray, events: np.ndarray) -> Clustered:
    return Clustered(
        int((trials > 0).sum()),
        int(trials.sum()),
        int(events.sum()),
        int((trials**2).sum()),
        int((trials * events).sum()),
        int((events**2).sum()),
    )


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(("events", "trials"), [(0, 1), (1, 1), (3, 7), (50, 100), (999, 1000)])
def test_wilson_is_scipys(events: int, trials: int, confidence: float) -> None:
    expected = stats.binomtest(events, trials).proportion_ci(confidence, method="wilson")
    assert wilson(events, trials, confidence) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("events", "trials"), [(1, 9), (2.5, 10.25), (40, 41)])
def test_jeffreys_is_the_beta_posterior(events: float, trials: float) -> None:
    posterior = stats.beta(events + 0.5, trials - events + 0.5)
    assert jeffreys(events, trials) == pytest.approx(tuple(posterior.ppf([0.025, 0.975])))


def test_jeffreys_reaches_the_ends() -> None:
    assert jeffreys(0, 20).low == 0.0
    assert 0 < jeffreys(0, 20).high < 0.2
    assert jeffreys(20, 20).high == 1.0


def test_rate_interval_changes_near_the_ends() -> None:
    assert rate_interval(4, 100) == jeffreys(4, 100)
    assert rate_interval(96, 100) == jeffreys(96, 100)
    assert rate_interval(5, 100) == wilson(5, 100)
    assert rate_interval(50, 100, effect=2.0) == wilson(25, 50)
    assert rate_interval(0, 0) is None


def test_design_effect_of_independent_and_of_copied_trials() -> None:
    rng = np.random.default_rng(1)
    once = rng.integers(0, 2, 20_000)
    pairs = once.reshape(-1, 2).sum(axis=1)
    assert clustered(np.full(len(pairs), 2), pairs).effect == pytest.approx(1.0, abs=0.05)
    assert clustered(np.full(len(once), 2), 2 * once).effect == pytest.approx(2.0, abs=0.01)
    assert clustered(np.ones(len(once), int), once).effect == 1.0


def test_design_effect_without_information_takes_the_worst() -> None:
    alike = clustered(np.array([2, 2, 1]), np.array([0, 0, 0]))
    assert alike.effect == pytest.approx(9 / 5)
    assert Clustered().effect == 1.0
    assert Clustered().rate is None
    assert Clustered().interval() is None
    assert clustered(np.array([2]), np.array([1])).effect == 2.0


def test_coverage_of_a_clustered_rate() -> None:
    """Legs that share a deal: the plain interval covers too rarely, the divided one does not."""
    rng = np.random.default_rng(2)
    rounds, deals = 2000, 150
    covered = plain = 0
    for _ in range(rounds):
        chance = rng.beta(1.2, 1.2, deals)  # of the deal: its legs are alike
        trials = rng.integers(1, 3, deals)
        events = rng.binomial(trials, chance)
        sums = clustered(trials, events)
        low, high = sums.interval() or (1, 0)
        covered += low <= 0.5 <= high
        low, high = wilson(sums.events, sums.trials)
        plain += low <= 0.5 <= high
    assert covered / rounds == pytest.approx(0.95, abs=0.015)
    assert plain < covered


@pytest.mark.parametrize(("rate", "trials"), [(0.5, 40), (0.1, 40), (0.02, 300), (0.001, 500)])
def test_coverage_of_a_rate(rate: float, trials: int) -> None:
    events = np.arange(trials + 1)
    chance = stats.binom.pmf(events, trials, rate)
    covers = []
    for k in events:
        interval = rate_interval(int(k), trials)
        assert interval
        covers.append(interval.low <= rate <= interval.high)
    assert 0.90 <= chance[np.array(covers)].sum() <= 1.0


def test_means_are_those_of_scipy_and_merge() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(-60, 200, 999)
    ones = np.ones_like(values)
    merged = clustered(ones[:400], values[:400]).merge(clustered(ones[400:], values[400:]))
    assert merged == clustered(ones, values)
    assert merged.rate == pytest.approx(values.mean())
    expected = stats.t.interval(0.95, 998, values.mean(), stats.sem(values))
    assert merged.mean_interval() == pytest.approx(expected)
    # Clusters of one size are as good as their means.
    pairs = values[:998].reshape(-1, 2)
    expected = stats.t.interval(0.95, 498, pairs.mean(), stats.sem(pairs.mean(axis=1)))
    told = clustered(np.full(499, 2), pairs.sum(axis=1)).mean_interval()
    assert told == pytest.approx(expected)


def test_interval_of_a_mean_over_clusters_of_many_sizes_covers() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        trials = rng.integers(1, 12, 200)
        level = rng.normal(30, 10, 200)  # hands of one match are alike
        events = np.rint(trials * level + rng.normal(0, 40, 200)).astype(np.int64)
        told = clustered(trials, events).mean_interval()
        assert told
        covered += told.low <= 30 <= told.high
    assert 0.92 <= covered / 400 <= 0.98


def test_means_of_little() -> None:
    assert Clustered().rate is None
    assert Clustered().mean_interval() is None
    assert clustered(np.array([1]), np.array([5])).mean_interval() is None
    assert clustered(np.ones(19, int), np.full(19, -30)).mean_interval() is None
    assert clustered(np.ones(20, int), np.full(20, -30)).mean_interval() == Interval(-30.0, -30.0)


def test_clustered_sums_merge() -> None:
    trials, events = np.array([2, 1, 2, 0]), np.array([1, 1, 0, 0])
    halves = clustered(trials[:2], events[:2]).merge(clustered(trials[2:], events[2:]))
    assert halves == clustered(trials, events)


@pytest.mark.slow
@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.97])
def test_intervals_of_rates_cover_95_percent(rate: float, legs: int) -> None:
    """A thousand deals; three in five have legs that come out alike, one leg in five is missing."""
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(8):
        luck = rng.random((500, 1000, legs))
        luck[..., -1] = np.where(rng.random((500, 1000)) < 0.6, luck[..., 0], luck[..., -1])
        there = rng.random(luck.shape) < (0.8 if legs > 1 else 1.0)
        trials, events = there.sum(axis=-1), (there & (luck < rate)).sum(axis=-1)
        for n, m in zip(trials, events, strict=True):
            low, high = clustered(n, m).interval() or (1.0, 0.0)
            covered += low <= rate <= high
    assert 0.94 <= covered / 4000 <= 0.96


@pytest.mark.slow
@pytest.mark.parametrize("legs", [1, 2])
def test_intervals_of_means_cover_95_percent(legs: int) -> None:
    """Skewed scores, of legs that share a deal."""
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(8):
        level = rng.normal(30, 20, (500, 300, 1))
        scores = np.rint(level + rng.gamma(2, 20, (500, 300, legs))).astype(np.int64)
        for each in scores:
            told = clustered(np.full(300, legs), each.sum(axis=1)).mean_interval()
            assert told
            covered += told.low <= 70 <= told.high
    assert 0.94 <= covered / 4000 <= 0.96
