"""What players add to their side, from margins that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.bootstrap import Resampled
from analysis.tournament.partners import Sides, add_up, fit_players

PLAYERS = np.array([3.0, 1.0, -4.0])
MEETINGS: list[Sides] = [((a, a), (b, b)) for a, b in ((0, 1), (0, 2), (1, 2))]
MEETINGS += [((a, b), (c, c)) for a, b in ((0, 1), (0, 2), (2, 1)) for c in (a, b)]


def margin(sides: Sides) -> float:
    own, against = sides
    return float(PLAYERS[list(own)].sum() - PLAYERS[list(against)].sum())


def sums_of(beyond: float, deals: int, noise: float) -> Resampled:
    """Deals whose margins are sums of players, but for `beyond` of the partners 0 and 2."""
    stream = np.random.default_rng(5)
    means = np.array([margin(sides) + beyond * (sides[0] == (0, 2)) for sides in MEETINGS])
    drawn = stream.normal(2 * means, noise, (deals, len(MEETINGS)))
    return Resampled.of(np.arange(deals), np.rint(drawn).astype(np.int64))


def test_sums_of_players_are_found_again() -> None:
    margins = np.array([list(map(margin, MEETINGS))] * 2)
    assert fit_players(3, MEETINGS, margins) == pytest.approx(np.array([PLAYERS] * 2))
    assert np.isnan(fit_players(4, MEETINGS, margins)).all()  # the fourth has met nobody


def test_the_fit_is_that_of_least_squares() -> None:
    margins = np.random.default_rng(1).normal(size=len(MEETINGS))
    design = np.array([np.bincount(own, minlength=3) - np.bincount(against, minlength=3)
                       for own, against in MEETINGS])  # fmt: skip
    expected, *_ = np.linalg.lstsq(design, margins, rcond=None)
    assert fit_players(3, MEETINGS, margins) == pytest.approx(expected - expected.mean())


def test_what_partners_make_beyond_their_sum_is_told_and_nothing_else() -> None:
    additions = add_up(3, MEETINGS, sums_of(1.5, 4000, 20.0), 2)
    first, *others = additions.partners
    assert (first.one, first.other) == (0, 2)
    assert first.beyond == pytest.approx((first.over_one + first.over_other) / 2)
    assert first.interval
    assert first.interval.low < 1.5 < first.interval.high
    assert first.p_value < 0.001
    assert [(pair.one, pair.other) for pair in others if pair.p_value < 0.05] == []
    assert {(pair.one, pair.other) for pair in others} == {(0, 1), (1, 2)}
    level = add_up(3, MEETINGS, sums_of(0.0, 4000, 20.0), 2)
    for value, interval, true in zip(level.values, level.intervals, PLAYERS, strict=True):
        assert interval
        assert interval.low < true < interval.high
        assert interval.high - interval.low < 1
        assert value == pytest.approx(true, abs=0.5)


def test_few_deals_have_no_interval() -> None:
    additions = add_up(3, MEETINGS, sums_of(0.0, 5, 1.0), 2)
    assert additions.intervals == [None] * 3
    assert [(pair.interval, pair.p_value) for pair in additions.partners] == [(None, 1.0)] * 3
