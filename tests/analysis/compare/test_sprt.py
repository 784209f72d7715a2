"""The sequential test: its formula, its error rates, and how long it takes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

import sviten
from analysis.compare.interim import Looks
from analysis.compare.margins import Pairs, join_pairs, run_pairs
from analysis.compare.power import expected_pairs, fixed_pairs
from analysis.compare.sprt import LEAST_DIFFERING, Bounds
from analysis.stats.sequence import half_width, sequence_interval, tuning

TESTS = 1000


def looks_at(values: np.ndarray) -> Looks:
    looks = Looks()
    values = np.asarray(values, np.int64)
    looks.add(Pairs(np.arange(len(values)), values, values**2))
    return looks


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> list[np.ndarray]:
    """Margins of real pairings: unlike, alike, and such as differ in few deals."""
    folder = tmp_path_factory.mktemp("stored")
    others = ["tips/high", "tips/greedy(keep=7)", "tips/greedy(touch=0.06)"]
    margins = []
    for number, other in enumerate(others):
        out = folder / str(number)
        made = sviten.simulate(
            "tips/greedy", other, deals=6000, duplicate=True, seed=7, out=out, jobs=1
        )
        margins.append(join_pairs(run_pairs(made.run)).margins)
    return margins


def likelihood(values: np.ndarray, mean: float) -> float:
    """Greatest log likelihood of normal values with a known mean, found by search."""

    def minus(log_deviation: float) -> float:
        return -float(stats.norm(mean, np.exp(log_deviation)).logpdf(values).sum())

    return -float(optimize.minimize_scalar(minus, bounds=(-5, 10), method="bounded").fun)


@pytest.mark.parametrize(("h0", "h1"), [(0.0, 0.5), (-1.0, 1.0), (2.0, 7.0)])
def test_the_ratio_is_that_of_the_likelihoods(h0: float, h1: float) -> None:
    values = np.random.default_rng(1).normal(1.0, 9.0, 300)
    ratio = Bounds(h0, h1).ratio(np.array(300), values.mean(), values.var())
    assert float(ratio) == pytest.approx(likelihood(values, h1) - likelihood(values, h0), abs=1e-4)


def test_bounds_are_walds() -> None:
    bounds = Bounds(alpha=0.05, beta=0.1)
    assert bounds.low == pytest.approx(np.log(0.1 / 0.95))
    assert bounds.high == pytest.approx(np.log(0.9 / 0.05))


@pytest.mark.parametrize(
    "values",
    [{"h0": 1.0, "h1": 0.5}, {"h0": 0.5, "h1": 0.5}, {"h1": float("nan")}, {"h1": float("inf")}]
    + [{name: value} for name in ("alpha", "beta") for value in (0.0, 0.5, 1.0, -0.1)],
)
def test_what_is_no_test_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must (be the greater|lie between)"):
        Bounds(**values)


def test_nothing_is_decided_without_spread_or_on_few_differing_pairs() -> None:
    assert Bounds().decide(Looks()) is None
    assert Bounds().decide(looks_at(np.zeros(5000))) is None
    assert Bounds().decide(looks_at(np.full(5000, 40))) is None
    rare = np.zeros(5120)
    rare[100 : 100 + LEAST_DIFFERING - 1] = 1
    assert Bounds().decide(looks_at(rare)) is None
    rare[-1] = 1
    assert Bounds().decide(looks_at(rare)) == (19, "H0")


def test_it_decides_at_the_first_look_that_is_out_of_bounds() -> None:
    values = np.random.default_rng(2).normal(1.0, 20.0, 25_600).round()
    looks = looks_at(values)
    bounds = Bounds()
    found = bounds.decide(looks)
    assert found is not None
    look, decision = found
    assert decision == "H1"
    assert look > 0
    ratios = [
        float(bounds.ratio(np.array(n), values[:n].mean() / 2, (values[:n] / 2).var()))
        for n in range(256, 256 * (look + 2), 256)
    ]
    assert ratios[look] >= bounds.high
    assert all(bounds.low < ratio < bounds.high for ratio in ratios[:look])


def null_tests(margins: np.ndarray, n: int, bounds: Bounds, seed: int) -> tuple[int, int, int]:
    """H1 taken, H0 taken, sequences that miss 0 at any look, of 1,000 with a mean of exactly 0."""
    rng = np.random.default_rng(seed)
    taken = {"H0": 0, "H1": 0}
    missed = 0
    for _ in range(TESTS):
        looks = looks_at(rng.choice(margins, n) * rng.choice([-1, 1], n))
        if found := bounds.decide(looks):
            taken[found[1]] += 1
        deviation = np.sqrt(looks.variance * looks.pairs / (looks.pairs - 1))
        missed += bool((np.abs(looks.mean) > half_width(looks.pairs, deviation)).any())
    return taken["H1"], taken["H0"], missed


def test_error_rates_on_simulated_margins() -> None:
    margins = np.random.default_rng(3).normal(0.0, 40.0, 50_000).round().astype(np.int64)
    wrong, right, missed = null_tests(margins, 10_240, Bounds(0.0, 1.0), 4)
    assert wrong <= 0.05 * TESTS
    assert right > 0.8 * TESTS
    assert missed <= 0.05 * TESTS


def test_error_rates_on_margins_of_real_hands(stored: list[np.ndarray]) -> None:
    """A true null: margins of two entrants that differ, each with a sign of its own."""
    for margins, h1, n in zip(stored, (1.0, 0.5, 0.2), (10_240, 7_680, 7_680), strict=True):
        wrong, right, missed = null_tests(margins, n, Bounds(0.0, h1), 5)
        assert wrong <= 0.05 * TESTS
        assert right > 0.8 * TESTS
        assert missed <= 0.05 * TESTS


def test_power_and_length_are_as_expected(stored: list[np.ndarray]) -> None:
    """With real margins moved so that H1 is exactly true."""
    margins = stored[1]
    moved = margins - round(margins.mean()) + 2  # a margin of 2 in two legs is a point a hand
    rng = np.random.default_rng(6)
    deviation, mean = moved.std() / 2, moved.mean() / 2
    bounds = Bounds(0.0, mean)
    taken = []
    for _ in range(300):
        looks = looks_at(rng.choice(moved, 12_800))
        found = bounds.decide(looks)
        assert found is not None
        taken.append((int(looks.pairs[found[0]]), found[1]))
    assert sum(decision == "H0" for _, decision in taken) <= 0.05 * 300 + 11  # three deviations
    expected = expected_pairs(bounds, mean, deviation)
    # Whole batches overshoot the bounds.
    assert 0.9 * expected < np.mean([pairs for pairs, _ in taken]) < 1.1 * expected + 256


@pytest.mark.parametrize("mean", [-0.5, 0.0, 0.25, 0.2500001, 0.4, 0.5, 2.0])
def test_expected_length_is_that_of_brownian_motion(mean: float) -> None:
    """Steps of a normal walk so small that they hardly overshoot."""
    bounds, deviation = Bounds(0.0, 0.5, 0.05, 0.1), 12.0
    rng = np.random.default_rng(7)
    step = 0.5 / deviation
    walk = rng.normal(step * (mean - 0.25) / deviation, step, (400, 20_000)).cumsum(axis=1)
    out = (walk <= bounds.low) | (walk >= bounds.high)
    lengths = np.where(out.any(axis=1), out.argmax(axis=1) + 1, 20_000)
    expected = expected_pairs(bounds, mean, deviation)
    error = lengths.std() / 20
    assert lengths.mean() == pytest.approx(expected, abs=3 * error + 0.02 * expected)


def test_pairs_of_a_test_of_one_look() -> None:
    n = fixed_pairs(0.2, 10.0, 0.05, 0.1)
    reach = stats.norm(0.2, 10.0 / np.sqrt(n)).sf(stats.norm(0.0, 10.0 / np.sqrt(n)).isf(0.05))
    assert reach == pytest.approx(0.9, abs=1e-4)
    assert fixed_pairs(1000.0, 1.0) == 2


# ---------------------------------------------------------------------- confidence sequences


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.32])
def test_the_sequence_is_narrowest_where_it_is_tuned(alpha: float) -> None:
    assert tuning(alpha, 500) == pytest.approx(tuning(alpha, 5000) * np.sqrt(10))
    scales = np.geomspace(300, 900, 601)
    widths = [float(half_width(np.array(500), np.array(1.0), alpha, scale)) for scale in scales]
    assert scales[int(np.argmin(widths))] == pytest.approx(500, rel=0.01)


def test_the_sequence_is_the_papers() -> None:
    rho, n, alpha = 0.03, 700, 0.05
    expected = 4.0 * np.sqrt(
        2 * (n * rho**2 + 1) / (n**2 * rho**2) * np.log(np.sqrt(n * rho**2 + 1) / alpha)
    )
    tightest = (tuning(alpha, 1.0) / rho) ** 2
    assert float(half_width(np.array(n), np.array(4.0), alpha, tightest)) == pytest.approx(expected)


def test_the_sequence_of_few_pairs() -> None:
    looks = looks_at(np.r_[np.zeros(256), np.arange(256)])
    assert sequence_interval(looks.margins(0)) is None  # no spread is no knowledge
    found = sequence_interval(looks.margins(1))
    assert found is not None
    assert found.low < looks.mean[1] < found.high
    student = looks.margins(1).interval()
    assert student is not None
    assert found.low < student.low < student.high < found.high


def test_a_fixed_interval_at_every_look_would_miss() -> None:
    """What the sequence is for: with 40 looks Student's interval misses far more often."""
    rng = np.random.default_rng(8)
    missed = 0
    for _ in range(400):
        looks = looks_at(rng.integers(-50, 51, 10_240))
        half = 1.96 * np.sqrt(looks.variance / looks.pairs)
        missed += bool((np.abs(looks.mean) > half).any())
    assert missed > 0.15 * 400


def test_the_sequence_covers_means_of_real_hands(stored: list[np.ndarray]) -> None:
    """At every look, with margins as skew as they are; their mean is known, since all are drawn."""
    rng = np.random.default_rng(9)
    for margins in stored:
        missed = 0
        for _ in range(500):
            looks = looks_at(rng.choice(margins, 7_680))
            deviation = np.sqrt(looks.variance * looks.pairs / (looks.pairs - 1))
            off = np.abs(looks.mean - margins.mean() / 2)
            missed += bool((off > half_width(looks.pairs, deviation)).any())
        assert missed <= 0.05 * 500
