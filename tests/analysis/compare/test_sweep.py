"""A sweep: bands that hold for all values, which of them may be the best, and what is said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.compare.sweep import Sweep
from analysis.stats.bootstrap import Resampled

N = 400


def sweep_of(*columns: np.ndarray, unit: int = 2) -> Sweep:
    table = np.column_stack(columns)
    sums = Resampled.of(np.arange(len(table)), table, replicates=0)
    values = tuple(float(v) for v in range(1, len(columns) + 1))
    return Sweep("a(x=1)/y", "b/y", "x", values, sums, unit)


def ahead(error: float, by: float) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of which the second is ahead by so many standard errors of the difference."""
    noise = np.random.default_rng(1).permutation(np.tile([1000, -1000], N // 2))
    gain = np.random.default_rng(2).permutation(np.tile([1, -1], N // 2)) * error
    shift = by * gain.std(ddof=1) / np.sqrt(N)
    return noise, np.rint(noise + gain + shift).astype(np.int64)


def test_bands_hold_for_all_values() -> None:
    first, second = ahead(300_000, 1.0)
    points = sweep_of(first, second).points
    for point, column in zip(points, (first, second), strict=True):
        half = stats.t.ppf(1 - 0.05 / 4, N - 1) * stats.sem(column) / 2
        assert point.margin == pytest.approx(column.mean() / 2)
        assert point.band == pytest.approx((point.margin - half, point.margin + half))


@pytest.mark.parametrize(("by", "may"), [(1.64, [1.0, 2.0]), (1.66, [2.0])])
def test_a_value_may_be_best_within_one_sided_five_per_cent(by: float, may: list[float]) -> None:
    """On 400 deals that is 1.6487 standard errors of the difference, taken deal by deal."""
    found = sweep_of(*ahead(300_000, by))
    assert found.best.value == 2.0
    assert found.best_values == may
    behind = found.points[0].p_best
    assert behind == pytest.approx(stats.t.sf(by, N - 1), rel=1e-2)
    assert found.table().rows[0][3:] == [f"{behind:.3f}", "yes" if len(may) == 2 else "no"]


def test_of_equals_the_first_is_the_best() -> None:
    column = np.tile([3, 5], 20)
    found = sweep_of(column, column)
    assert found.best.value == 1.0
    assert found.best_values == [1.0, 2.0]
    assert found.sentence().endswith("No value can be told from the best.")


def test_deviations_are_those_of_a_pair() -> None:
    first, second = ahead(3000, 1.0)
    deviations = [row["deviation"] for row in sweep_of(first, second).rows()]
    assert deviations == pytest.approx([first.std(ddof=1) / 2, second.std(ddof=1) / 2])


def test_one_deal_tells_nothing() -> None:
    found = sweep_of(np.array([4]), np.array([6]))
    assert [point.band for point in found.points] == [None, None]
    assert found.best_values == [1.0, 2.0]
    assert [row["low"] for row in found.rows()] == [None, None]
    assert "3.00 points a hand, 1 paired deal each." in found.sentence()


def test_two_deals_have_bands() -> None:
    found = sweep_of(np.array([4, 8]), np.array([6, 3]))
    half = stats.t.ppf(1 - 0.05 / 4, 1) * 1.0
    assert found.points[0].band == pytest.approx((3 - half, 3 + half))


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ([0, 0, 9000], "the best of these; it may lie beyond 3."),
        ([0, 9000, 0], "it is the best of these."),
        ([9000, 9000, 0], "the best of these is from 1 to 2; it may lie beyond 1."),
        ([0, 9000, 9000, 9000, 0], "the best of these is from 2 to 4."),
        ([9000, 9000, 0, 9000], "is one of 1, 2, 4; it may lie beyond 1 and 4."),
        ([9000, 0, 9000], "the best of these is one of 1, 3; it may lie beyond 1 and 3."),
    ],
)
def test_what_is_said_of_the_best(means: list[int], said: str) -> None:
    noise = np.random.default_rng(3).normal(0, 30, (len(means), 300))
    columns = [np.rint(m + row).astype(np.int64) for m, row in zip(means, noise, strict=True)]
    found = sweep_of(*columns)
    text = found.sentence()
    assert text.endswith(said)
    assert f"x = {found.best.value:g} does best of {len(means)} values against b/y: " in text
    assert found.as_dict()["may_be_best"] == found.best_values


def test_a_single_value_has_nothing_beside_it() -> None:
    found = sweep_of(np.tile([4, 8], 30))
    assert found.sentence().startswith("x = 1 makes against b/y: 3.00 points a hand (")
    assert found.sentence().endswith("60 paired deals each.")
    assert found.table().rows[0][3] == "-"
