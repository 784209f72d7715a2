"""Confidence sequences by the formula written out, and where they are narrowest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from analysis.stats.sequence import TIGHTEST, half_width, sequence_interval, tuning


class Summed(NamedTuple):
    pairs: int
    mean: float | None
    variance: float | None


def width(n: float, deviation: float, alpha: float, rho: float) -> float:
    """Waudby-Smith and others, theorem 2.2."""
    grown = n * rho * rho + 1
    return deviation * math.sqrt(2 * grown / (n**2 * rho**2) * math.log(math.sqrt(grown) / alpha))


@pytest.mark.parametrize("pairs", [1, 256, 10_000, 1_000_000])
@pytest.mark.parametrize(("alpha", "tightest"), [(0.05, 10_000), (0.01, 300)])
def test_the_width_is_that_of_the_theorem(pairs: int, alpha: float, tightest: float) -> None:
    rho = tuning(alpha, tightest)
    found = half_width(np.array(pairs), np.array(12.0), alpha, tightest)
    assert found == pytest.approx(width(pairs, 12.0, alpha, rho))


@pytest.mark.parametrize(("alpha", "tightest"), [(0.05, 10_000), (0.05, 400), (0.2, 1000)])
def test_it_is_narrowest_where_it_is_tuned_for(alpha: float, tightest: int) -> None:
    """No other rho gives a narrower interval at that number of pairs."""
    rho = tuning(alpha, tightest)
    least = width(tightest, 1.0, alpha, rho)
    for other in np.geomspace(rho / 3, 3 * rho, 601):
        assert width(tightest, 1.0, alpha, float(other)) >= least * (1 - 1e-12)


def test_how_much_wider_than_for_one_look() -> None:
    for pairs, times in ((TIGHTEST, 1.55), (100 * TIGHTEST, 1.8), (TIGHTEST // 100, 4.6)):
        one_look = stats.norm.ppf(0.975) / math.sqrt(pairs)
        wide = float(half_width(np.array(pairs), np.array(1.0)))
        assert wide / one_look == pytest.approx(times, abs=0.05)
    assert half_width(np.array(10_000), np.array(1.0)) == pytest.approx(
        width(10_000, 1.0, 0.05, tuning(0.05, 10_000))
    )


def test_the_interval_lies_about_the_mean() -> None:
    found = sequence_interval(Summed(512, 3.0, 50.0), 0.1)
    deviation = math.sqrt(50.0 * 512 / 511)
    half = width(512, deviation, 0.1, tuning(0.1))
    assert found == pytest.approx((3.0 - half, 3.0 + half))
    plain = sequence_interval(Summed(512, 3.0, 50.0))
    half = width(512, deviation, 0.05, tuning(0.05))
    assert plain == pytest.approx((3.0 - half, 3.0 + half))
    for unknown in (Summed(512, 3.0, 0.0), Summed(512, 3.0, None), Summed(0, None, None)):
        assert sequence_interval(unknown) is None
