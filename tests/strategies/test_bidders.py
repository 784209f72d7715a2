"""What the bidders are worth, and whether the chances that they state are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.reliability import brier, decompose
from simulate.engine.engine import Engine, make_buffer
from simulate.rules import Rules
from strategies.declare.spec import load_entrant


def margins(ours: str, theirs: str, deals: int, rules: Rules | None = None) -> np.ndarray:
    """Margins a hand over deals that are played twice, the seats changed."""
    pair = [load_entrant(ours), load_entrant(theirs)]
    engine = Engine(rules or Rules(), pair * 2, 41, 2)
    buffer = make_buffer(2 * deals)
    engine.play(buffer, 0, deals)
    scores = buffer.rows["scores"].astype(np.int64)
    lead = (scores[:, 0] - scores[:, 1]) * np.where(buffer.rows["leg"] == 0, 1, -1)
    return lead.reshape(deals, 2).mean(axis=1)


@pytest.mark.parametrize(
    ("ours", "theirs", "deals"),
    [
        ("tips", "pass", 1000),
        ("tips", "random", 1000),
        ("points", "tips", 1000),
        ("calibrated", "tips", 1000),
        ("montecarlo(worlds=4)", "tips", 150),
        ("calibrated", "points", 1000),
    ],
)
def test_one_bidder_beats_another_with_the_same_player(ours: str, theirs: str, deals: int) -> None:
    found = margins(f"{ours}/greedy", f"{theirs}/greedy", deals)
    sure = stats.t.ppf(0.995, deals - 1) * found.std(ddof=1) / np.sqrt(deals)
    assert found.mean() - sure > 0


def reliability(spec: str, other: str, hands: int) -> tuple[int, float]:
    """Contracts with a stated chance, and the miscalibration part of their Brier score."""
    engine = Engine(Rules(), [load_entrant(spec), load_entrant(other)] * 2, 2**40 + 1)
    counts = np.zeros((2, 1001), np.int64)
    buffer = make_buffer(min(hands, 50_000))
    for first in range(0, hands, len(buffer.rows)):
        engine.play(buffer, first, len(buffer.rows))
        rows = buffer.rows[buffer.rows["stated"] >= 0]
        for place, weights in ((0, None), (1, rows["made"])):
            counts[place] += np.bincount(rows["stated"], weights, 1001).astype(np.int64)
    contracts, made = counts
    stated = np.arange(1001) / 1000
    told = contracts > 0
    parts = decompose(brier, stated[told], contracts[told], made[told])
    return int(contracts.sum()), parts.miscalibration


@pytest.mark.parametrize("other", ["calibrated", "tips"])
def test_chances_are_what_they_say(other: str) -> None:
    contracts, miscalibration = reliability("calibrated/greedy", f"{other}/greedy", 20_000)
    assert contracts > 18_000
    assert miscalibration < 0.001


@pytest.mark.slow
def test_chances_of_a_million_contracts_are_what_they_say() -> None:
    contracts, miscalibration = reliability("calibrated/greedy", "calibrated/greedy", 1_001_000)
    assert contracts > 1_000_000 - 5000
    assert miscalibration < 0.001


@pytest.mark.slow
def test_chances_of_sampled_worlds_are_what_they_say() -> None:
    contracts, miscalibration = reliability("montecarlo/greedy", "montecarlo/greedy", 5000)
    assert contracts > 4900
    assert miscalibration < 0.003


def test_a_bid_is_as_high_as_it_must_be_unless_opponents_bid() -> None:
    rules = Rules()
    engine = Engine(rules, [load_entrant("calibrated/random"), load_entrant("pass/random")] * 2, 5)
    buffer = make_buffer(2000)
    engine.play(buffer, 0, 2000)
    bid = buffer.rows[buffer.rows["declarer"] >= 0]
    assert len(bid) > 1500
    assert np.median(bid["level"]) == 1


def test_points_lets_the_partners_bid_stand() -> None:
    rules = Rules()
    engine = Engine(rules, [load_entrant("points/random"), load_entrant("pass/random")] * 2, 5)
    buffer = make_buffer(2000, calls=True)
    engine.play(buffer, 0, 2000)
    assert ((buffer.calls > 0).sum(axis=1) <= 1).all()
