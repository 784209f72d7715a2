"""Reliability of stated chances against naive computations, and by simulation."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from analysis.stats.cells import CellSums
from analysis.stats.reliability import (
    CELLS,
    Reliability,
    brier,
    decompose,
    draw_calibrated,
    isotonic,
    judge,
    log_score,
)


def naive_isotonic(n: list[int], made: list[int]) -> list[float]:
    """Pool adjacent violators, block by block."""
    blocks: list[list[float]] = []
    for trials, events in zip(n, made, strict=True):
        blocks.append([trials, events, 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return [events / trials for trials, events, size in blocks for _ in range(int(size))]


def judged(
    stated: np.ndarray, made: np.ndarray, clusters: np.ndarray | None = None, draws: int = 100
) -> Reliability:
    """Judge contracts with chances per mille."""
    clusters = np.arange(len(stated)) if clusters is None else clusters
    half = clusters // 4 % 2
    contracts, hits = np.zeros((2, CELLS), np.int64), np.zeros((2, CELLS), np.int64)
    np.add.at(contracts, (half, stated), 1)
    np.add.at(hits, (half, stated), made)
    off = 1000 * made - stated
    sums = CellSums(1, ("bias", "squares"))
    sums.add(np.zeros(len(stated), np.int64), clusters, np.stack([off, off * off]))
    return judge("x/y", contracts, hits, sums.of(0, "bias"), sums.of(0, "squares"), draws)


def test_isotonic_is_the_naive_one() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = rng.integers(1, 30, 40)
        made = rng.binomial(n, np.linspace(0, 1, 40))
        assert isotonic(n, made) == pytest.approx(naive_isotonic(n.tolist(), made.tolist()))


def test_scores_are_those_of_single_contracts_and_add_up() -> None:
    rng = np.random.default_rng(2)
    p = np.array([0.1, 0.25, 0.6, 0.9])
    n = np.array([20, 30, 25, 40])
    made = rng.binomial(n, [0.2, 0.2, 0.5, 0.95])
    chance = np.repeat(p, n)
    outcome = np.concatenate([np.arange(k) < m for k, m in zip(n, made, strict=True)])
    assert brier(p, n, made) == pytest.approx(np.mean((chance - outcome) ** 2))
    expected = -np.mean(np.log(np.where(outcome, chance, 1 - chance)))
    assert log_score(p, n, made) == pytest.approx(expected)
    base = made.sum() / n.sum()
    for score, uncertainty in (
        (brier, base * (1 - base)),
        (log_score, -base * math.log(base) - (1 - base) * math.log(1 - base)),
    ):
        parts = decompose(score, p, n, made)
        assert parts.uncertainty == pytest.approx(uncertainty)
        assert parts.score == pytest.approx(
            parts.miscalibration - parts.discrimination + parts.uncertainty
        )
        assert parts.miscalibration >= 0
        assert parts.discrimination >= 0


def test_a_wrong_certainty_is_bad_but_not_infinitely() -> None:
    assert log_score(np.array([0.0, 1.0]), np.array([1, 1]), np.array([1, 1])) == math.inf
    told = judged(np.array([0, 1000, 1000, 500, 500]), np.array([1, 1, 1, 0, 1]))
    expected = (-math.log(0.0005) - 2 * math.log(0.9995) - 2 * math.log(0.5)) / 5
    assert told.log.score == pytest.approx(expected)
    right = judged(np.array([0, 1000]), np.array([0, 1]))
    assert right.brier.score == 0.0
    assert right.log.score == pytest.approx(-math.log(0.9995))


def test_the_band_holds_95_percent_of_calibrated_fits() -> None:
    rng = np.random.default_rng(3)
    stated = np.linspace(0.05, 0.95, 30)
    n = rng.integers(20, 400, 30)
    low, high = np.quantile(draw_calibrated(stated, n, 1.0)[0], [0.025, 0.975], axis=0)
    inside = [
        (low <= (fit := isotonic(n, rng.binomial(n, stated)))) & (fit <= high) for _ in range(600)
    ]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.01)


def test_p_values_of_calibrated_bidders_are_uniform_also_where_legs_go_together() -> None:
    rng = np.random.default_rng(4)
    rejected = off = covered = 0
    rounds = 200
    for _ in range(rounds):
        stated = rng.integers(100, 900, 400)
        clusters = np.arange(400) // 2
        stated[1::2] = stated[::2]
        draw = np.repeat(rng.random(200), 2)  # both legs come out alike
        told = judged(stated, (draw < stated / 1000).astype(np.int64), clusters)
        assert told.effect == pytest.approx(2.0, abs=1e-6)
        rejected += told.p_value <= 0.05
        interval = told.bias.mean_interval()
        assert interval
        assert told.brier_interval
        off += not interval.low <= 0 <= interval.high
        expected = np.mean(stated / 1000 * (1 - stated / 1000))
        covered += told.brier_interval.low <= expected <= told.brier_interval.high
    assert rejected / rounds <= 0.09
    assert off / rounds == pytest.approx(0.05, abs=0.04)
    assert covered / rounds == pytest.approx(0.95, abs=0.04)


def test_a_miscalibrated_bidder_is_told_and_mended_on_other_deals() -> None:
    rng = np.random.default_rng(5)
    truth = rng.uniform(0.1, 0.8, 20_000)
    stated = np.rint(1000 * np.sqrt(truth)).astype(np.int64)  # too bold everywhere
    told = judged(stated, (rng.random(20_000) < truth).astype(np.int64))
    off = np.sqrt(np.mean((np.sqrt(truth) - truth) ** 2))
    assert told.error == pytest.approx(off, abs=0.01)
    assert told.p_value < 0.02
    assert "too bold" in told.sentence()
    assert told.held_out is not None
    best = np.mean(truth * (1 - truth))
    assert told.held_out[0] == pytest.approx(told.brier.score)
    assert told.held_out[1] == pytest.approx(best, abs=0.004)
    assert told.recalibrate(0.7) == pytest.approx(0.49, abs=0.04)


def test_a_calibrated_bidder_is_believed() -> None:
    rng = np.random.default_rng(6)
    stated = rng.integers(0, 1001, 5000)
    told = judged(stated, (rng.random(5000) < stated / 1000).astype(np.int64))
    assert told.p_value > 0.05
    assert told.error < 0.02
    assert "no miscalibration to be seen" in told.sentence()
    groups = told.groups()
    assert len(groups) == 10
    assert sum(group.contracts for group in groups) == 5000
    assert all(a.high < b.low for a, b in pairwise(groups))


def test_one_stated_chance_alone() -> None:
    told = judged(np.array([700]), np.array([1]))
    assert told.held_out is None
    assert told.brier_interval is None
    assert len(told.groups()) == 1
    assert told.as_dict()["made_less_stated_interval"] is None
    assert told.sentence()
