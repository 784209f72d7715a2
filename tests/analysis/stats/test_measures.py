"""Measures as functions of means: closed forms, paired differences, equivalence, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from analysis.house_rules.measures import ladder_measures
from analysis.stats.bootstrap import Resampled
from analysis.stats.intervals import Clustered, Interval, rate_interval
from analysis.stats.measures import Columns, Estimate, Measure, equivalence_p, judge_fair, ratio
from analysis.tournament.ratings import least_squares


def columns_of(legs: int = 1, **values: np.ndarray) -> Columns:
    table = np.column_stack(list(values.values()))
    names = [name.replace("__", ":") for name in values]
    return Columns(names, Resampled.of(np.arange(len(table)), table, replicates=0), legs)


MEAN = Measure("mean", "a mean", lambda means: means["x"])


def test_a_mean_and_a_paired_difference_are_students() -> None:
    draw = np.random.default_rng(1)
    one = draw.integers(-50, 60, 80)
    other = one + draw.integers(-5, 9, 80)
    columns = columns_of(a__x=one, b__x=other)
    for prefix, values in (("a:", one), ("b:", other)):
        found = columns.estimate(MEAN, prefix)
        oracle = stats.ttest_1samp(values, 0)
        assert found.interval == pytest.approx(tuple(oracle.confidence_interval()))
        assert found.p_value == pytest.approx(oracle.pvalue)
        assert (found.n, found.method) == (80, "student")
    difference = columns.difference(MEAN, "b:", "a:")
    paired = stats.ttest_rel(other, one)
    assert difference.interval == pytest.approx(tuple(paired.confidence_interval()))
    assert difference.p_value == pytest.approx(paired.pvalue)
    assert columns.difference(MEAN, "a:", "a:").p_value == 1


def test_a_ratio_is_that_of_cochran_and_a_rate_wilsons() -> None:
    draw = np.random.default_rng(2)
    trials = draw.integers(0, 3, 400)
    events = draw.binomial(trials, 0.3)
    columns = columns_of(x=events, n=trials)
    oracle = Clustered(
        clusters=len(trials),
        trials=int(trials.sum()),
        events=int(events.sum()),
        trials2=int((trials**2).sum()),
        cross=int((trials * events).sum()),
        events2=int((events**2).sum()),
    )
    mean = columns.estimate(Measure("", "", ratio("x", "n")))
    assert mean.interval == pytest.approx(oracle.mean_interval(), rel=1e-5)
    rate = columns.estimate(Measure("", "", ratio("x", "n"), ("x", "n")))
    assert rate.interval == pytest.approx(oracle.interval(), rel=1e-4)
    assert (rate.n, rate.method) == (oracle.trials, "wilson")


def test_a_rate_without_events_is_jeffreys_and_its_difference_newcombes() -> None:
    nothing, ones = np.zeros(50, np.int64), np.ones(50, np.int64)
    some = np.r_[np.ones(2, np.int64), np.zeros(48, np.int64)]
    columns = columns_of(a__x=some, a__n=ones, b__x=nothing, b__n=ones)
    rate = Measure("", "", ratio("x", "n"), ("x", "n"))
    few, none = (columns.estimate(rate, side) for side in ("a:", "b:"))
    assert none.interval == rate_interval(0, 50)
    assert none.method == "jeffreys"
    difference = columns.difference(rate, "a:", "b:")
    assert few.interval is not None
    assert none.interval is not None
    low = 0.04 - math.hypot(0.04 - few.interval.low, none.interval.high)
    high = 0.04 + math.hypot(few.interval.high - 0.04, 0)
    assert difference.interval == pytest.approx((low, high))
    assert difference.method == "newcombe"
    assert 0.05 < difference.p_value < 1
    both = columns.difference(rate, "b:", "b:")
    assert both.interval is not None
    assert both.interval.low < 0 < both.interval.high
    assert both.p_value == 1


def test_a_few_deals_that_are_alike_prove_nothing() -> None:
    for n, p_value in ((5, 1.0), (50, 0.0)):
        columns = columns_of(a__x=np.full(n, 3), b__x=np.full(n, 4))
        assert columns.difference(MEAN, "a:", "b:").p_value == p_value


def test_a_value_that_is_not_there_has_no_interval() -> None:
    columns = columns_of(a__x=np.zeros(9), a__n=np.zeros(9), b__x=np.ones(9), b__n=np.ones(9))
    found = columns.estimate(Measure("", "", ratio("x", "n"), ("x", "n")), "a:")
    assert math.isnan(found.value)
    assert found.interval is None
    assert columns.difference(Measure("", "", ratio("x", "n")), "a:", "b:").interval is None


@pytest.mark.parametrize("centre", [0.0, 0.5, 0.9, -0.7, 1.5])
def test_equivalence_is_by_two_one_sided_tests(centre: float) -> None:
    values = np.random.default_rng(3).integers(-9, 10, 500) / 4 + centre
    found = columns_of(x=values).estimate(MEAN)
    below = stats.ttest_1samp(values, 1.0, alternative="less").pvalue
    above = stats.ttest_1samp(values, -1.0, alternative="greater").pvalue
    assert equivalence_p(found, 1.0) == pytest.approx(max(below, above))
    assert (judge_fair(found, 1.0) == "fair") == (max(below, above) <= 0.05)


def test_fair_unfair_unsure() -> None:
    def of(value: float, error: float) -> str:
        interval = Interval(value - 1.96 * error, value + 1.96 * error)
        return judge_fair(Estimate(value, error, interval, 1000, "student"), 2.0)

    assert of(0.1, 0.3) == "fair"
    assert of(0.0, 5.0) == "unsure"  # no significant difference is no fairness
    assert of(3.0, 0.2) == "unfair"
    assert of(-3.0, 0.2) == "unfair"
    assert of(2.1, 0.2) == "unsure"
    assert judge_fair(Estimate(0.0, 0.0, Interval(0.0, 0.0), 10, "student"), 2.0) == "unsure"
    assert judge_fair(Estimate(0.0, math.nan, None, 1, "student"), 2.0) == "unsure"


def pairing(cards: float, chance: float, edge: float, legs: int, n: int, seed: int) -> np.ndarray:
    """Margins of legs: the edge, what the cards give and take, and what is drawn anew."""
    draw = np.random.default_rng(seed)
    luck = draw.normal(0, cards, (n, legs))
    luck = (luck - luck.mean(axis=1, keepdims=True)) * math.sqrt(legs / (legs - 1))
    margins = edge + luck + draw.normal(0, chance, (n, legs))
    total = margins.sum(axis=1)
    return np.column_stack([total, total**2, (margins**2).sum(axis=1)])


def ladder(tables: list[np.ndarray]) -> Columns:
    names = [
        f"{k}.{name}" for k in range(len(tables)) for name in ("margin", "square", "leg_squares")
    ]
    values = np.concatenate(tables, axis=1)
    return Columns(names, Resampled.of(np.arange(len(values)), values, replicates=0))


@pytest.mark.parametrize("legs", [2, 3])
def test_luck_is_the_share_that_the_cards_give_and_take(legs: int) -> None:
    luck, *_ = ladder_measures(2, [(0, 1)], legs, 1)
    for cards, chance in ((10.0, 0.0), (0.0, 10.0), (6.0, 8.0)):
        found = ladder([pairing(cards, chance, 5.0, legs, 20_000, 4)]).estimate(luck)
        share = cards**2 / (cards**2 + chance**2)
        assert found.value == pytest.approx(share, abs=4 * found.error + 1e-3)
        assert found.error < 0.02


def test_skill_is_the_spread_of_the_ratings() -> None:
    met = [(0, 1), (0, 2), (1, 2)]
    edges = [-3.0, -7.0, -4.0]
    tables = [pairing(8, 6, edge, 2, 4000, k) for k, edge in enumerate(edges)]
    _, skill, share = ladder_measures(3, met, 2, 1)
    columns = ladder(tables)
    found = columns.estimate(skill)
    means = np.array([table[:, 0].mean() / 2 for table in tables])
    assert found.value == pytest.approx(np.std(least_squares(3, met, means)))
    assert found.value == pytest.approx(np.std([0, 3, 7]), abs=4 * found.error)
    assert columns.estimate(share).value == pytest.approx(found.value / 10, rel=0.05)
    drawn = np.random.default_rng(5)
    again = []
    for _ in range(200):
        chosen = drawn.integers(0, 4000, 4000)
        again.append(ladder([table[chosen] for table in tables]).value(skill))
    assert found.error == pytest.approx(np.std(again), rel=0.2)


@pytest.mark.slow
def test_intervals_of_luck_and_of_differences_cover() -> None:
    luck, *_ = ladder_measures(2, [(0, 1)], 2, 1)
    held = paired = same = 0
    rounds = 2000
    for seed in range(rounds):
        found = ladder([pairing(6.0, 8.0, 5.0, 2, 300, seed)]).estimate(luck)
        assert found.interval is not None
        held += found.interval.low <= 0.36 <= found.interval.high
        draw = np.random.default_rng(seed)
        common = draw.exponential(10, 300)
        trials = draw.integers(1, 3, 300)
        columns = columns_of(
            a__x=trials * common + draw.normal(0, 3, 300),
            a__n=trials,
            b__x=trials * (common + 1) + draw.normal(0, 3, 300),
            b__n=trials,
        )
        gap = columns.difference(Measure("", "", ratio("x", "n")), "b:", "a:")
        assert gap.interval is not None
        paired += gap.interval.low <= 1 <= gap.interval.high
        edge = columns_of(x=draw.normal(2.0, 10, 300)).estimate(MEAN)
        same += judge_fair(edge, 2.0) == "fair"
    assert 0.94 <= held / rounds <= 0.96
    assert 0.94 <= paired / rounds <= 0.96
    assert same / rounds <= 0.06  # an advantage of the bound itself counts as fair in 5 % at most
