"""Cases at the bounds of what the statistics decide: one more or one less comes out otherwise."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.compare.interim import Looks
from analysis.compare.margins import Pairs
from analysis.compare.sprt import Bounds
from analysis.stats.bootstrap import Resampled
from analysis.stats.intervals import Clustered, Interval, jeffreys, rate_interval, wilson
from analysis.stats.measures import Columns, Estimate, Measure, equivalence_p, judge_fair, ratio
from analysis.stats.multiple import band_quantile
from analysis.stats.reliability import CELLS, Reliability, judge
from analysis.stats.weighted import ClusterSums, Mean


def test_the_design_effect_of_few_clusters_by_hand() -> None:
    """Of two trials each: both, none, one, both."""
    sums = Clustered(clusters=4, trials=8, events=5, trials2=16, cross=10, events2=9)
    # Rate 5/8: the clusters are off by 3/4, -5/4, -1/4, 3/4.
    spread = (9 + 25 + 1 + 9) / 16
    assert sums.effect == pytest.approx(spread * 4 / 3 / (8 * 5 / 8 * 3 / 8))
    two = Clustered(clusters=2, trials=4, events=2, trials2=8, cross=4, events2=4)
    assert two.effect == pytest.approx(2 * 2 / 1 / (4 / 4))  # off by 1 and -1
    one = Clustered(clusters=1, trials=3, events=1, trials2=9, cross=3, events2=1)
    assert one.effect == 3


def test_the_effect_of_all_alike_is_the_size_of_a_cluster() -> None:
    none = Clustered(clusters=4, trials=8, events=0, trials2=16, cross=0, events2=0)
    assert none.effect == 2
    assert none._replace(events=8, cross=16, events2=16).effect == 2
    one = none._replace(events=1, cross=2, events2=1)
    assert one.effect == pytest.approx(max(1, (1 - 4 / 8 + 16 / 64) * 4 / 3 / (8 * 7 / 64)))


@pytest.mark.parametrize(("events", "method"), [(4, jeffreys), (5, wilson), (95, wilson)])
def test_of_five_events_wilson_is_believed(events: int, method: object) -> None:
    assert rate_interval(events, 100) == method(events, 100)  # type: ignore[operator]
    assert rate_interval(2 * events, 200, 2.0) == method(events, 100)  # type: ignore[operator]


def test_twenty_clusters_that_are_alike_tell_a_mean() -> None:
    alike = Clustered(19, 19, 57, 19, 57, 171)
    assert alike.mean_interval() is None
    more = alike.merge(Clustered(1, 1, 3, 1, 3, 9))
    assert more.mean_interval() == Interval(3.0, 3.0)


def looks_with(differing: int, pairs: int = 512) -> Looks:
    """Sum up pairs of which so many are ahead by a hundred."""
    margins = np.zeros(pairs, np.int64)
    margins[:differing] = 100
    looks = Looks()
    looks.add(Pairs(np.arange(pairs), margins, margins**2))
    return looks


def test_a_test_decides_on_fifty_pairs_that_differ() -> None:
    bounds = Bounds(0.0, 4.0)
    assert bounds.decide(looks_with(49)) is None
    assert bounds.decide(looks_with(50)) == (0, "H1")


def test_a_test_decides_at_its_bounds_themselves() -> None:
    looks = looks_with(200, 256)
    ratio = float(Bounds(0.0, 0.5).ratio(looks.pairs, looks.mean, looks.variance)[0])
    error = 1 / (1 + math.exp(ratio))  # such errors put the bound where the ratio is
    for alpha, decision in ((error * (1 + 1e-9), (0, "H1")), (error * (1 - 1e-9), None)):
        assert Bounds(0.0, 0.5, alpha, alpha).decide(looks) == decision


ALIKE = Measure("mean", "a mean", lambda means: means["x"])


@pytest.mark.parametrize(("deals", "p_value"), [(19, 1.0), (20, 0.0)])
def test_twenty_deals_are_ground_for_a_test(deals: int, p_value: float) -> None:
    columns = Columns(["x"], Resampled.of(np.arange(deals), np.full((deals, 1), 3)))
    assert columns.estimate(ALIKE).p_value == p_value
    exact = Estimate(0.1, 0.0, Interval(0.1, 0.1), deals, "student")
    assert judge_fair(exact, 2.0) == ("fair" if deals == 20 else "unsure")


def test_an_advantage_without_error_is_fair_below_the_bound() -> None:
    exact = Estimate(1.0, 0.0, Interval(1.0, 1.0), 50, "student")
    assert [equivalence_p(exact, within) for within in (1.001, 1.0, 0.5)] == [0.0, 1.0, 1.0]
    assert judge_fair(exact, 1.001) == "fair"
    assert judge_fair(exact, 1.0) == "unsure"
    assert judge_fair(exact, 0.5) == "unfair"
    assert judge_fair(replace_value(exact, -1.0), 0.5) == "unfair"


def replace_value(estimate: Estimate, value: float) -> Estimate:
    return estimate._replace(value=value, interval=Interval(value, value))


def test_fair_is_at_five_per_cent() -> None:
    """With ten thousand deals 1.645 errors to the bound; with two a Cauchy variable's."""
    for room, verdict in ((1.646, "fair"), (1.644, "unsure")):
        error = 0.1
        found = Estimate(2 - room * error, error, Interval(1.0, 2.5), 10_001, "student")
        assert judge_fair(found, 2.0) == verdict
    two = Estimate(0.0, 1.0, Interval(-12.7, 12.7), 2, "student")
    assert equivalence_p(two, 1.0) == pytest.approx(0.25)
    assert equivalence_p(two._replace(n=1), 1.0) == 1.0


def test_two_deals_have_an_interval_and_one_has_none() -> None:
    for values in ([3, 8], [3]):
        columns = Columns(["x"], Resampled.of(np.arange(len(values)), np.array(values)[:, None]))
        found = columns.estimate(ALIKE).interval
        if len(values) == 1:
            assert found is None
        else:
            assert found == pytest.approx(tuple(stats.ttest_1samp(values, 0).confidence_interval()))


def test_slopes_are_taken_close_by() -> None:
    """The slope of a cube, whose spread is large: 3 x^2, and next to nothing of the step."""
    values = np.array([[-40], [10], [90], [60]])
    columns = Columns(["x"], Resampled.of(np.arange(4), values))
    cube = Measure("cube", "a cube", lambda means: means["x"] ** 3)
    assert columns.gradient(cube) == pytest.approx([3 * 30.0**2], rel=1e-5)


def test_a_rate_of_legs_that_go_together_has_half_the_trials() -> None:
    events = np.repeat([2, 0], [30, 20])
    columns = Columns(
        ["x", "n"], Resampled.of(np.arange(50), np.column_stack([events, np.full(50, 2)])), 1
    )
    found = columns.estimate(Measure("", "", ratio("x", "n"), ("x", "n")))
    assert found.interval == pytest.approx(wilson(30 / (50 / 49), 50 / (50 / 49)), rel=1e-6)
    assert found.n == 100


def test_a_rate_of_nothing_has_no_number() -> None:
    columns = Columns(["x", "n"], Resampled.of(np.arange(9), np.zeros((9, 2))), 2)
    rate = Measure("", "", ratio("x", "n"), ("x", "n"))
    for found in (columns.estimate(rate), columns.difference(rate, "", "")):
        assert math.isnan(found.value)
        assert math.isnan(found.error)
        assert (found.interval, found.n, found.method) == (None, 0, "none")


def test_bands_share_their_error() -> None:
    assert band_quantile(1, 10) == pytest.approx(stats.t.ppf(0.975, 9))
    assert band_quantile(3, 10) == pytest.approx(stats.t.ppf(1 - 0.05 / 6, 9))
    assert band_quantile(2, 7, 0.9) == pytest.approx(stats.t.ppf(0.975, 6))


def judged(stated: list[int], contracts: list[int], made: list[int]) -> Reliability:
    """Judge contracts, all of the first half, of clusters of their own."""
    n, hits = np.zeros((2, CELLS), np.int64), np.zeros((2, CELLS), np.int64)
    n[0, stated], hits[0, stated] = contracts, made
    offs = np.concatenate(
        [
            np.repeat([1000 - s, -s], [m, c - m])
            for s, c, m in zip(stated, contracts, made, strict=True)
        ]
    )
    sums = [
        Clustered(len(v), len(v), int(v.sum()), len(v), int(v.sum()), int((v**2).sum()))
        for v in (offs, offs**2)
    ]
    return judge("x/y", n, hits, *sums)


def test_reliability_of_given_counts() -> None:
    found = judged([100, 500, 800], [1, 40, 30], [0, 22, 21])
    assert found.stated.tolist() == [0.1, 0.5, 0.8]  # a chance stated once counts
    assert found.held_out is None
    squares = np.concatenate(
        [[0.01], np.full(22, 0.25), np.full(18, 0.25), np.full(21, 0.04), np.full(9, 0.64)]
    )
    known = stats.ttest_1samp(squares, 0).confidence_interval()
    assert found.brier_interval == pytest.approx(tuple(known))
    assert found.brier.score == pytest.approx(squares.mean())
    assert found.error == pytest.approx(math.sqrt(max(0, found.brier.miscalibration - found.null)))
    curve = found.as_dict()["curve"]
    assert [row["band"][0] for row in curve] == found.band[0].tolist()
    assert [row["band"][1] for row in curve] == found.band[1].tolist()
    assert all(row["band"][0] <= row["stated"] <= row["band"][1] for row in curve)
    text = found.sentence()
    assert "states 62.1 % on average and makes 60.6 % of 71 contracts" in text
    low, high = found.groups()[0].low, found.groups()[-1].high
    assert (low, high) == (0.1, 0.8)


@pytest.mark.parametrize(("p_value", "seen"), [(0.0501, False), (0.05, True)])
def test_miscalibration_is_seen_at_five_per_cent(p_value: float, seen: bool) -> None:
    found = replace(judged([100, 500], [50, 50], [20, 40]), p_value=p_value)
    assert ("no miscalibration" not in found.sentence()) == seen
    assert ("too timid" in found.sentence()) == seen


def test_it_is_set_beside_five_hundred_draws_and_told_in_ten_groups() -> None:
    stated = list(range(40, 1000, 80))
    found = judged(stated, [10] * 12, [2, 0, 3, 1, 5, 2, 7, 5, 8, 6, 9, 8])
    assert 0.01 < found.p_value < 0.99
    assert found.p_value * 501 == pytest.approx(round(found.p_value * 501))
    assert [group.contracts for group in found.groups()] == [20, 10, 10, 10, 10, 20, *[10] * 4]
    assert found.groups()[1].interval == rate_interval(found.groups()[1].made, 10, found.effect)


def test_a_certainty_that_fails_costs_as_much_as_the_last_half_per_mille() -> None:
    found = judged([1000], [20], [19])
    assert found.log.score == pytest.approx(-(math.log(0.0005) + 19 * math.log(0.9995)) / 20)


def test_the_other_half_recalibrates() -> None:
    """What was stated as a half came home always in one half of the deals, never in the other."""
    n, hits = np.zeros((2, CELLS), np.int64), np.zeros((2, CELLS), np.int64)
    n[:, 500] = 10
    hits[1, 500] = 10
    none = Clustered(20, 20, 0, 20, 0, 20 * 500**2)
    squares = Clustered(20, 20, 20 * 500**2, 20, 20 * 500**2, 20 * 500**4)
    assert judge("x/y", n, hits, none, squares, 20).held_out == pytest.approx((0.25, 1.0))


def sums_of(values: list[int]) -> ClusterSums:
    table = np.array(values, float)[:, None]
    return ClusterSums.of(len(values), np.arange(len(values)), np.ones(len(values)), table)


def test_two_clusters_have_an_interval() -> None:
    sums = sums_of([3, 8])
    known = stats.ttest_1samp([3, 8], 0).confidence_interval()
    assert sums.student(sums.mean(0)) == pytest.approx(tuple(known))
    assert sums_of([3]).student(Mean(3.0, 0.0)) is None


@pytest.mark.parametrize("events", [0, 4, 5, 36, 40])
def test_a_rate_of_few_events_is_guarded_at_every_look(events: int) -> None:
    sums = sums_of([1] * events + [0] * (40 - events))
    rate = sums.mean(0)
    error = rate.error
    if min(events, 40 - events) < 5:
        guarded = (events + 1) / 42  # as if one event more and one failure more had been seen
        error = max(error, math.sqrt(guarded * (1 - guarded) / 40))
    expected = sums.sequence(Mean(rate.value, error), 40.0, 0.05)
    found = sums.rate_sequence(rate, 40.0)
    assert found == pytest.approx((max(0.0, expected.low), min(1.0, expected.high)))
    assert found.high - found.low > 0.05


def test_members_count_for_three_at_most() -> None:
    """Clusters in which one of two always comes home tell the rate without an error."""
    values = np.tile([1.0, 0.0], 10)[:, None]
    sums = ClusterSums.of(10, np.repeat(np.arange(10), 2), np.ones(20), values)
    interval, method = sums.rate_interval(sums.mean(0))
    assert (interval, method) == (pytest.approx(wilson(30, 60)), "wilson")
    interval, _ = sums.rate_interval(sums.mean(0), trials=4)
    assert interval == pytest.approx(wilson(120, 240))
