"""Bradley-Terry against a general optimiser, and where there is no finite fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, special, stats

from analysis.stats.bradley_terry import fit_strengths, rate_matches


def minus_likelihood(strengths: np.ndarray, wins: np.ndarray) -> float:
    chance = special.log_expit(strengths[:, None] - strengths[None, :])
    return -float((wins * chance).sum())


def wins_of(rng: np.random.Generator, strengths: np.ndarray, games: int) -> np.ndarray:
    chance = special.expit(strengths[:, None] - strengths[None, :])
    wins = np.triu(rng.binomial(games, chance), 1).astype(float)
    return wins + np.tril(games - wins.T, -1)


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_the_most_likely(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = wins_of(rng, rng.normal(0.0, 1.5, 6), 20) + 0.5  # draws count half
    np.fill_diagonal(wins, 0.0)
    best = optimize.minimize(minus_likelihood, np.zeros(6), (wins,), method="BFGS", tol=1e-10)
    assert fit_strengths(wins) == pytest.approx(best.x - best.x.mean(), abs=1e-5)


def test_two_entrants_have_the_log_of_their_odds() -> None:
    first, second = rate_matches(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert first.value - second.value == pytest.approx(math.log(3))
    half = 1.96 * math.sqrt(1 / 30 + 1 / 10) / 2
    assert first.interval == pytest.approx((first.value - half, first.value + half), rel=1e-3)
    wide = rate_matches(np.array([[0.0, 30.0], [10.0, 0.0]]), effect=4.0)[0].interval
    assert wide.high - wide.low == pytest.approx(4 * half, rel=1e-3)


def test_intervals_cover() -> None:
    rng = np.random.default_rng(9)
    strengths = np.array([1.0, 0.3, 0.0, -1.3])
    covered = 0
    for _ in range(500):
        for truth, found in zip(strengths, rate_matches(wins_of(rng, strengths, 60)), strict=True):
            covered += found.interval.low <= truth <= found.interval.high
    assert covered / 2000 == pytest.approx(0.95, abs=0.02)


def test_who_won_or_lost_everything_is_unbounded_and_the_others_finite() -> None:
    inner = np.array([[0.0, 6.0, 7.0], [4.0, 0.0, 5.0], [3.0, 5.0, 0.0]])
    wins = np.zeros((5, 5))
    wins[1:4, 1:4] = inner
    wins[0, 1:] = 10.0
    wins[:4, 4] = 10.0
    found = rate_matches(wins)
    assert found[0].value == math.inf
    assert found[0].interval.high == math.inf
    assert found[4].value == -math.inf
    assert found[4].interval.low == -math.inf
    assert [each.value for each in found[1:4]] == pytest.approx(list(fit_strengths(inner)))
    assert all(np.isfinite(each.interval).all() for each in found[1:4])
    # At its lower bound, who won everything wins all of 30 matches with a chance of 2.5 %.
    low = found[0].interval.low
    chances = [special.expit(low - each.value) for each in found[1:4]]
    assert np.prod(chances) ** 10 == pytest.approx(0.025)
    assert found[4].interval.high == pytest.approx(-rate_matches(wins.T)[4].interval.low)


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_the_winner_has_the_exact_bound(first: int) -> None:
    """Ten of ten: Clopper and Pearson's lower bound of the chance to win."""
    wins = np.zeros((2, 2))
    wins[first, 1 - first] = 10.0
    found = rate_matches(wins)
    assert (found[first].value, found[1 - first].value) == (math.inf, 0.0)
    assert found[1 - first].interval == (-math.inf, math.inf)
    chance = stats.binomtest(10, 10).proportion_ci(method="exact").low
    assert special.expit(found[first].interval.low) == pytest.approx(chance)


def test_of_a_ladder_the_middle_stands_for_0() -> None:
    wins = np.triu(np.full((3, 3), 4.0), 1)
    assert [each.value for each in rate_matches(wins)] == [math.inf, 0.0, -math.inf]


def test_groups_that_do_not_compare() -> None:
    wins = np.zeros((5, 5))
    wins[0, 1] = wins[1, 0] = wins[2, 1] = wins[1, 2] = 5.0
    wins[3, 4] = wins[4, 3] = 2.0  # never met the first three
    found = fit_strengths(wins)
    assert found[:3] == pytest.approx([0.0, 0.0, 0.0])
    assert np.isnan(found[3:]).all()
    wins[3, 0] = 1.0  # one of them has beaten one of the others, and lost to none
    assert fit_strengths(wins)[3:].tolist() == [math.inf, math.inf]


def test_no_matches_at_all() -> None:
    found = rate_matches(np.zeros((2, 2)))
    assert [each.interval for each in found] == [(-math.inf, math.inf)] * 2
    assert rate_matches(np.zeros((1, 1)))[0].value == 0.0
