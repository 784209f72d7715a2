"""Comparisons at the bounds of what they decide, and numbers of pairs by their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from analysis.compare.comparison import Comparison, Verdict
from analysis.compare.interim import Looks
from analysis.compare.margins import Margins, Pairs, join_pairs
from analysis.compare.needed import Needed, doubt_of
from analysis.compare.power import expected_pairs, fixed_pairs, pairs_left
from analysis.compare.sprt import Bounds
from analysis.stats.sequence import sequence_interval


def pairs_of(margins: np.ndarray | list[int], squares: list[int] | None = None) -> Pairs:
    values = np.asarray(margins, np.int64)
    each = values**2 if squares is None else np.array(squares)
    return Pairs(np.arange(len(values)), values, each)


def looks_at(margins: np.ndarray | list[int], **given: int) -> Looks:
    looks = Looks(**given)
    looks.add(pairs_of(margins))
    return looks


def test_sums_at_each_look_in_pieces_of_any_size() -> None:
    margins = np.array([4, 0, -2, 6, 0, 8, 2, 2, 5])
    squares = [10, 8, 2, 20, 2, 40, 2, 4, 13]
    for cuts in ([9], [1, 5, 9], [4, 8, 9], [3, 3, 6, 9]):
        looks = Looks(legs=2, opponents=1, batch=3)
        start = 0
        for stop in cuts:
            looks.add(pairs_of(margins[start:stop], squares[start:stop]))
            start = stop
        assert (len(looks), looks.taken) == (3, 9)
        assert looks.pairs.tolist() == [3, 6, 9]
        assert looks.differing.tolist() == [2, 4, 7]
        for look, n in enumerate((3, 6, 9)):
            assert looks.mean[look] == pytest.approx(margins[:n].mean() / 2)
            assert looks.variance[look] == pytest.approx((margins[:n] / 2).var())
            sums = Margins(n, sum(margins[:n]), sum(margins[:n] ** 2), [2, 4, 7][look])
            assert looks.margins(look) == sums.__class__(
                **{**vars(sums), "leg_squares": sum(squares[:n])}
            )
        assert looks.rest() == looks.margins(-1) == looks.margins(2)


def test_pairs_that_wait_for_a_batch_count_in_the_end() -> None:
    looks = looks_at([1, 2, 3, 4, 5], batch=3, opponents=2)
    assert (len(looks), looks.taken) == (1, 5)
    assert (looks.margins(-1).pairs, looks.margins(-1).total) == (3, 6)
    assert (looks.rest().pairs, looks.rest().total, looks.rest().squares) == (5, 15, 55)
    assert looks.rest().mean == pytest.approx(3 / 4)  # two legs against two
    assert looks_at([7], batch=3).margins(-1) == Margins()
    assert looks_at([7], batch=3).rest().total == 7


def test_many_looks_are_kept() -> None:
    margins = np.random.default_rng(1).integers(-9, 12, 400)
    looks = Looks(batch=2)
    for first in range(0, 400, 50):
        looks.add(pairs_of(margins[first : first + 50]))
    assert len(looks) == 200
    assert looks.mean == pytest.approx(np.cumsum(margins)[1::2] / np.arange(2, 402, 2) / 2)


def test_pairs_that_are_alike_have_no_variance() -> None:
    assert looks_at([3] * 6, batch=3).variance.tolist() == [0.0, 0.0]


def test_a_variance_may_be_small() -> None:
    margins = [8, 0, -4, 12] * 64
    assert looks_at(margins, opponents=2).variance == pytest.approx(np.var(np.array(margins) / 4))
    found = looks_at([1] + [0] * 511).variance
    assert found == pytest.approx([np.var([0.5] + [0] * (n - 1)) for n in (256, 512)])


def test_sums_of_margins_by_hand() -> None:
    sums = Margins.of(pairs_of([4, 0, -2, 6], [10, 8, 2, 20]))
    assert (sums.unit, sums.mean, sums.differing) == (2, 1.0, 3)
    assert sums.variance == pytest.approx(np.var([2, 0, -1, 3]))
    # Eight legs with squares of 40 in all and a mean of one.
    assert sums.leg_deviation == pytest.approx(math.sqrt(40 / 8 - 1))
    known = stats.ttest_1samp([2, 0, -1, 3], 0).confidence_interval(0.9)
    assert sums.interval(0.9) == pytest.approx(tuple(known))
    two = Margins.of(pairs_of([4, 0]))
    assert two.interval() == pytest.approx(
        tuple(stats.ttest_1samp([2, 0], 0).confidence_interval())
    )
    assert Margins.of(pairs_of([4])).interval() is None
    none = Margins()
    assert (none.mean, none.variance, none.leg_deviation, none.interval()) == (None, 0, 0, None)
    assert Margins.of(join_pairs([])) == none
    assert sums.merge(two).total == 12
    for other in (Margins(legs=3), Margins(opponents=2)):
        with pytest.raises(ValueError, match="do not add up"):
            sums.merge(other)


@pytest.mark.parametrize(
    ("effect", "deviation", "alpha", "beta"),
    [(0.5, 10, 0.05, 0.05), (2, 7, 0.01, 0.1), (1, 0.1, 0.05, 0.05)],
)
def test_fixed_numbers_are_those_of_two_errors(
    effect: float, deviation: float, alpha: float, beta: float
) -> None:
    pairs = fixed_pairs(effect, deviation, alpha, beta)
    for n, enough in ((pairs, True), (pairs - 1, False)):
        # Power of a one-sided test, by the normal distribution.
        critical = stats.norm.ppf(1 - alpha)
        power = stats.norm.sf(critical - effect / deviation * math.sqrt(max(n, 0)))
        assert (power >= 1 - beta - 1e-9) == enough or pairs == 2
    assert pairs >= 2


def walk(bounds: Bounds, mean: float, deviation: float) -> float:
    """Mean steps of a random walk of fine steps until it leaves the bounds."""
    rng = np.random.default_rng(2)
    step = (bounds.h1 - bounds.h0) / deviation
    drift = step * (mean - (bounds.h0 + bounds.h1) / 2) / deviation
    ratio, steps, inside = np.zeros(1500), np.zeros(1500), np.ones(1500, bool)
    while inside.any():
        ratio[inside] += rng.normal(drift, step, inside.sum())
        steps[inside] += 1
        inside &= (ratio > bounds.low) & (ratio < bounds.high)
    return float(steps.mean())


@pytest.mark.parametrize("mean", [-0.5, 0.25, 0.75])
def test_expected_numbers_are_those_of_random_walks(mean: float) -> None:
    bounds = Bounds(0.0, 0.5, 0.05, 0.2)
    expected = expected_pairs(bounds, mean, 8.0)
    assert walk(bounds, mean, 8.0) == pytest.approx(expected, rel=0.08)


def test_half_way_between_the_bounds_the_number_is_continuous() -> None:
    bounds = Bounds(0.0, 0.5, 0.05, 0.2)
    at = expected_pairs(bounds, 0.25, 8.0)
    assert at == pytest.approx(-bounds.low * bounds.high * (8.0 / 0.5) ** 2)
    for near in (0.2499, 0.2501):
        assert expected_pairs(bounds, near, 8.0) == pytest.approx(at, rel=5e-3)


def test_pairs_left_end_with_whole_batches() -> None:
    margins = np.random.default_rng(3).normal(1.0, 30.0, 512).round()
    looks = looks_at(margins)
    bounds = Bounds()
    left = pairs_left(bounds, looks.rest(), 20_000)
    assert left is not None
    assert 0 < left.low < left.likely < left.high <= 20_480 - 512
    assert all((each + 512) % 256 == 0 for each in (left.low, left.likely, left.high))
    assert 0 <= left.undecided < 0.5
    fewer = pairs_left(bounds, looks.rest(), 600)
    assert fewer is not None
    assert fewer.undecided > left.undecided
    assert fewer.high == 256
    assert pairs_left(bounds, Margins(), 1000) is None
    assert pairs_left(bounds, looks_at([3] * 256).rest(), 1000) is None


def compared(
    margins: np.ndarray | list[int], bounds: Bounds | None = None, most: int = 100_000, **given: str
) -> Comparison:
    names = {"first": "a/x", "second": "b/y", "kind": "points"} | given
    return Comparison(looks=looks_at(margins), most=most, bounds=bounds, **names)  # type: ignore[arg-type]


def test_level_in_sixteen_batches_is_level() -> None:
    zeros = np.zeros(4096, np.int64)
    assert compared(zeros, Bounds()).verdict == Verdict(15, "level")
    assert compared(zeros[:3840], Bounds()).verdict is None
    assert compared(zeros).verdict is None
    assert compared(zeros[:256], Bounds(), second="a/x").verdict == Verdict(0, "level")
    assert compared(zeros[:255], Bounds(), second="a/x").verdict is None
    once = zeros.copy()
    once[4095] = 1
    assert compared(once, Bounds()).verdict is None
    later = np.r_[zeros, np.ones(40, np.int64)]
    assert compared(later, Bounds()).verdict == Verdict(15, "level")


def test_it_is_over_when_all_are_played_or_it_is_sure() -> None:
    margins = np.random.default_rng(4).normal(0, 30, 300).round()
    assert not compared(margins, most=301).over
    assert compared(margins, most=300).over
    assert compared(margins + 20, Bounds()).over
    assert not compared(margins, Bounds()).over


def test_the_interval_is_of_a_sequence_until_the_end_of_a_fixed_number() -> None:
    margins = np.random.default_rng(4).normal(0, 30, 300).round()
    fixed = compared(margins, most=300)
    assert fixed.interval == pytest.approx(fixed.sums.interval(0.95))
    assert fixed.interval_method == "95 % interval"
    for going in (compared(margins, most=301), compared(margins, Bounds(), most=300)):
        assert going.interval == pytest.approx(sequence_interval(going.sums, 0.05))
        assert going.interval_method == "95 % confidence sequence"
    assert compared([3] * 300, most=300).interval is None


def test_the_ratio_is_that_of_the_deciding_look() -> None:
    margins = np.random.default_rng(4).normal(20, 30, 1000).round()
    found = compared(margins, Bounds())
    assert found.verdict == Verdict(0, "H1")
    first = margins[:256] / 2
    assert found.sums.pairs == 256
    assert found.ratio == pytest.approx(float(Bounds().ratio(256, first.mean(), first.var())))
    assert compared(margins[:255], Bounds()).ratio is None
    assert compared(margins).ratio is None
    assert compared(margins, Bounds()).unpaired_hands == fixed_pairs(
        0.5, found.sums.leg_deviation, 0.05, 0.05
    )
    assert compared(margins).unpaired_hands is None


@pytest.mark.parametrize(
    ("margins", "given", "sentence"),
    [
        ([], {}, "a/x and b/y: nothing is played yet."),
        (
            [0] * 300,
            {"second": "a/x"},
            "a/x against itself: level in every one of 300 paired deals, as it must be.",
        ),
        ([0] * 255, {}, "a/x and b/y are level in 255 paired deals: too few to tell."),
        (
            [0] * 256,
            {},
            "a/x and b/y are level in every one of 256 paired deals: if they play differently at "
            "all, then in fewer than 1.2 % of deals.",  # 0.988^256 = 0.05
        ),
        ([4], {}, "a/x scores 2.0 more a hand than b/y (1 paired deal, too few for an interval)."),
        ([-4, -4], {}, "b/y scores 2.0 more a hand than a/x (2 paired deals, too few for an "
         "interval)."),
        ([4, 6] * 50, {}, "a/x scores 2.50 more a hand than b/y (95 % interval 2.40 to 2.60, 100 "
         "paired deals): a/x is better."),
        ([-4, -6] * 50, {}, "b/y scores 2.50 more a hand than a/x (95 % interval 2.40 to 2.60, 100 "
         "paired deals): b/y is better."),
        ([4, -4] * 50, {}, "a/x scores 0.00 more a hand than b/y (95 % interval -0.40 to 0.40, 100 "
         "paired deals): too close to call."),
        ([2, 0] * 50, {"kind": "wins"}, "a/x wins 50.0 percentage points more of the matches than "
         "b/y (95 % interval 40.0 to 60.0, 100 paired matches): a/x is better."),
    ],
)  # fmt: skip
def test_what_is_said(margins: list[int], given: dict[str, str], sentence: str) -> None:
    found = compared(margins, most=len(margins), **given)
    assert found.sentence() == sentence
    facts = found.as_dict()
    assert (facts["sentence"], facts["test"]) == (sentence, None)
    assert facts["unit"] == ("matches" if given.get("kind") == "wins" else "deals")


@pytest.mark.parametrize(
    ("shift", "bounds", "end"),
    [
        (20, Bounds(), "a/x is better, with an error of at most 5 %."),
        (20, Bounds(1, 2, 0.01), "a/x is better by more than 1, with an error of at most 1 %."),
        (-20, Bounds(), "b/y is better."),
        (0, Bounds(0, 4, beta=0.1), "a/x is not better by 4 or more, with an error of at most "
         "10 %."),
        (0, Bounds(-1, 1), "undecided."),
    ],
)  # fmt: skip
def test_what_a_test_says(shift: int, bounds: Bounds, end: str) -> None:
    noise = np.random.default_rng(4).normal(0, 30, 256).round()
    margins = noise - round(noise.mean()) + shift
    found = compared(margins, bounds)
    assert found.sentence().endswith(": " + end)
    test = found.as_dict()["test"]
    assert (test["ratio"], test["low"], test["high"]) == (found.ratio, bounds.low, bounds.high)
    facts = dict(found.table().rows)
    assert facts["log likelihood ratio"] == found.ratio_text()
    assert ("unpaired, fixed number" in facts) == (found.verdict is not None)
    assert facts["pairs"] == f"{found.sums.pairs:,} ({2 * found.sums.pairs:,} hands)"


@pytest.mark.parametrize(
    ("margins", "text"),
    [
        ([0, 10] * 45, "2.5 (2.0 to 3.0)"),  # a little wider than 1
        ([0, 10] * 50, "2.50 (2.00 to 3.00)"),
        ([4, 6] * 190, "2.50 (2.45 to 2.55)"),  # a little wider than 0.1
        ([4, 6] * 195, "2.500 (2.450 to 2.550)"),
        ([5], "2.5"),
        ([], "-"),
    ],
)
def test_digits_follow_the_width_of_the_interval(margins: list[int], text: str) -> None:
    assert compared(margins, most=len(margins)).margin_text() == text


def test_of_three_players_it_is_said_who_sat_where() -> None:
    looks = looks_at([6, 0] * 20, legs=3, opponents=2)
    table = Comparison("a/x", "b/y", "points", looks, 40, None).table()
    assert table.title == "a/x v b/y: one of the first among two of the second, from every seat"
    assert dict(table.rows)["pairs"] == "40 (120 hands)"
    assert compared([6, 0] * 20).table().title == "a/x v b/y"


def needed(margins: list[int] | np.ndarray, **given: object) -> Needed:
    facts = dict(first="a/x", second="b/y", kind="points", effect=1.0, alpha=0.05, beta=0.1)
    sums = Margins.of(pairs_of(margins))
    return Needed(**{**facts, "pilot": sums, "doubt": 0.1, "pace": 0.25, **given})  # type: ignore[arg-type]


def test_ways_to_find_out() -> None:
    found = needed([20, -20] * 128)
    bounds = Bounds(0.0, 1.0, 0.05, 0.1)
    whole = [math.ceil(expected_pairs(bounds, truth, 10.0)) for truth in (0.0, 1.0, 0.5)]
    fixed = fixed_pairs(1.0, 10.0, 0.05, 0.1)
    unpaired = fixed_pairs(1.0, math.sqrt(200), 0.05, 0.1)
    assert [way.pairs for way in found.ways] == [*whole, fixed, None]
    assert [way.hands for way in found.ways] == [*(2 * n for n in [*whole, fixed]), unpaired]
    facts = found.as_dict()
    assert [way["seconds"] for way in facts["ways"]] == pytest.approx(
        [0.25 * n for n in [*whole, fixed, unpaired / 2]]
    )
    assert f"about {whole[0]:,} paired deals" in found.sentence()
    assert f"{fixed:,} of a fixed number (errors 5 % and 10 %)" in found.sentence()
    assert facts["unit"] == "deals"
    table = found.table(lambda seconds: f"{seconds:.0f} s")
    assert table.columns[2] == "hands"
    assert table.rows[0][1:] == [f"{whole[0]:,}", f"{2 * whole[0]:,}", f"{whole[0] / 4:.0f} s"]
    assert table.rows[4][1:3] == ["-", f"{unpaired:,}"]
    wins = needed([20, -20], kind="wins", effect=0.04)
    assert wins.as_dict()["unit"] == wins.table(str).columns[2] == "matches"
    assert "paired matches where it stops when sure" in wins.sentence()
    level = needed([0] * 256)
    assert level.ways == []
    assert "level in all of 256 pairs" in level.sentence()
    assert "margin of 4 % between" in needed([20, -20], kind="wins", effect=0.04).sentence()


def test_doubt_is_by_the_fourth_moment() -> None:
    margins = np.array([1, 2, 3, 10])
    off = margins - 4
    kurtosis = (off**4).mean() / (off**2).mean() ** 2
    assert doubt_of(pairs_of(margins)) == pytest.approx(1.96 * math.sqrt((kurtosis - 1) / 4))
    assert doubt_of(pairs_of([])) == doubt_of(pairs_of([3, 3])) == 0.0
