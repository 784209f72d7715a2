"""Margins of pairs against the tables they are read from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import sviten
from analysis.compare.interim import Looks
from analysis.compare.margins import Margins, Pairs, join_pairs, part_pairs, run_margins, run_pairs
from simulate.errors import RunError
from simulate.runs.play import Run


def pairs(margins: list[int] | np.ndarray) -> Pairs:
    """Pairs whose first leg has the whole margin."""
    values = np.asarray(margins, np.int64)
    return Pairs(np.arange(len(values)), values, values**2)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("margins") / "run"
    return sviten.simulate(
        "tips/high", "random/random", deals=600, duplicate=True, seed=7, out=out, jobs=1
    ).run


def test_margins_are_those_of_the_table(run: Run) -> None:
    hands = sviten.load(run).hands
    own = np.where(hands.leg == 0, hands.score_ns, hands.score_ew)
    other = np.where(hands.leg == 0, hands.score_ew, hands.score_ns)
    margin = (own - other).reshape(-1, 2)
    found = join_pairs(run_pairs(run))
    assert found.ids.tolist() == list(range(600))
    assert found.margins.tolist() == margin.sum(axis=1).tolist()
    assert found.squares.tolist() == (margin**2).sum(axis=1).tolist()
    sums = run_margins(run)
    assert sums.mean == pytest.approx((margin / 2).sum(axis=1).mean())
    assert sums.mean == sviten.load(run).summary.margin.rate
    assert sums.deviation == pytest.approx((margin / 2).sum(axis=1).std())
    assert sums.leg_deviation == pytest.approx(margin.std())
    assert sums.interval() == pytest.approx(sviten.load(run).summary.margin.mean_interval())


def test_margins_of_matches_are_wins(tmp_path: Path) -> None:
    made = sviten.simulate(
        "tips/high", "random/random", matches=60, duplicate=True, seed=7, out=tmp_path / "m", jobs=1
    )
    sums = run_margins(made.run)
    assert made.summary.matches is not None
    lead = made.summary.matches.leads[0, 1]
    assert (sums.pairs, sums.total, sums.squares) == (60, lead.events, lead.events2)
    assert sums.mean == lead.rate


def test_an_entrant_against_itself_is_level_in_every_pair(tmp_path: Path) -> None:
    for unit in ("deals", "matches"):
        made = sviten.simulate(
            "random/random",
            "random/random",
            duplicate=True,
            seed=3,
            out=tmp_path / unit,
            jobs=1,
            **{unit: 300},  # type: ignore[arg-type]
        )
        found = join_pairs(run_pairs(made.run))
        assert len(found.margins) == 300
        assert not found.margins.any()
        assert found.squares.any() or unit == "matches"


def test_parts_add_up_in_any_order(run: Run) -> None:
    whole = join_pairs(run_pairs(run))
    pieces = [Pairs(*(column[k::7] for column in whole)) for k in range(7)]
    sums = Margins()
    for piece in reversed(pieces):
        sums = sums.merge(Margins.of(piece))
    assert sums == Margins.of(whole) == run_margins(run)
    with pytest.raises(ValueError, match="do not add up"):
        sums.merge(Margins(legs=1))


def test_a_part_that_is_missing_is_told(run: Run) -> None:
    with pytest.raises(RunError, match="missing"):
        part_pairs(run, 99)


def test_sums_of_few_pairs() -> None:
    none = Margins()
    assert (none.mean, none.variance, none.leg_deviation, none.interval()) == (None, 0, 0, None)
    one = Margins.of(pairs([6]))
    assert (one.mean, one.variance, one.interval()) == (3.0, 0.0, None)
    two = Margins.of(pairs([6, -2]))
    assert two.interval() == pytest.approx(stats.t.interval(0.95, 1, 1.0, 2.0))
    three = Margins.of(pairs([6, -2]), legs=3, opponents=2)
    assert three.mean == pytest.approx(2 / 6)


def test_the_spread_of_a_constant_is_exactly_zero() -> None:
    assert Margins.of(pairs([333_333_333] * 3)).variance == 0.0
    looks = Looks(batch=3)
    looks.add(pairs([333_333_333] * 9))
    assert looks.variance.tolist() == [0.0] * 3


def test_looks_do_not_depend_on_the_pieces() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(-200, 200, 1000)
    whole = Looks(batch=100)
    whole.add(pairs(values))
    pieced = Looks(batch=100)
    for piece in np.split(values, [1, 250, 250, 731, 999]):
        pieced.add(pairs(piece))
    assert len(whole) == len(pieced) == 10
    for look in range(10):
        assert whole.margins(look) == pieced.margins(look)
        assert whole.margins(look) == Margins.of(pairs(values[: 100 * (look + 1)]))
        assert whole.mean[look] == pytest.approx(whole.margins(look).mean)
        assert whole.variance[look] == pytest.approx(whole.margins(look).variance)
        assert whole.differing[look] == np.count_nonzero(values[: 100 * (look + 1)])


def test_pairs_that_fill_no_batch_wait() -> None:
    looks = Looks(batch=100)
    assert looks.rest() == looks.margins(-1) == Margins()
    values = np.arange(150)
    looks.add(pairs(values))
    assert (len(looks), looks.taken) == (1, 150)
    assert looks.margins(-1) == Margins.of(pairs(values[:100]))
    assert looks.rest() == Margins.of(pairs(values))
