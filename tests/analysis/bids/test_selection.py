"""Chosen contracts beside forced ones: against pandas, and where the answer is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sviten
from analysis.bids.plots import write_plots
from analysis.bids.selection import Forced, Selected
from analysis.stats.intervals import Clustered
from simulate.errors import RunError
from sviten.api.tables import Tables
from sviten.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("selection")


@pytest.fixture(scope="module")
def chosen(folder: Path) -> Tables:
    return sviten.simulate("tips/greedy", "pass/greedy", deals=900, duplicate=True, seed=7,
                           out=folder / "chosen", jobs=1)  # fmt: skip


@pytest.fixture(scope="module")
def given(folder: Path) -> Tables:
    # More deals than were chosen from, in parts of another size.
    return sviten.simulate("pass/greedy", "pass/greedy", deals=1000, seed=7, forced=True,
                           out=folder / "given", jobs=1)  # fmt: skip


@pytest.fixture(scope="module")
def forced(chosen: Tables, given: Tables) -> Forced:
    found = sviten.calibrate(chosen, forced=given).forced
    assert found
    return found


def test_forced_bids_are_those_of_pandas(forced: Forced, given: Tables) -> None:
    rows = given.forced
    assert len(forced.bids) == 30
    for bid in forced.bids:
        own = rows[rows.denomination == bid.denomination]
        made = own[f"made_{bid.level}"].astype(int)
        assert bid.made.trials == len(own)
        assert bid.made.clusters == 1000
        assert bid.made.rate == pytest.approx(made.mean())
        score = own[f"score_{bid.level}"].astype(float)
        assert bid.score.rate == pytest.approx(score.mean())
        assert bid.margin.rate == pytest.approx((score - own.score_def).mean())
        if bid.level == 6:
            assert bid.adds is None
            continue
        assert bid.adds
        more = own[f"score_{bid.level + 1}"].astype(float) - own[f"score_{bid.level}"].astype(float)
        assert bid.adds.rate == pytest.approx(more.mean())


def test_a_player_without_regard_for_calls_makes_the_same_of_the_same_hands(
    forced: Forced, chosen: Tables, given: Tables
) -> None:
    assert forced.paired
    hands = chosen.hands[chosen.hands.declarer >= 0]
    joined = hands.merge(given.forced, on=["deal_id", "declarer", "denomination"])
    assert len(joined) == len(hands)
    for each in forced.selected:
        assert each.same_hand == each.chosen
        own = joined
        seats = joined[[f"entrant_{seat}_x" for seat in "nesw"]].astype(str).to_numpy()
        own = own[seats[np.arange(len(own)), own.declarer] == each.entrant]
        if each.level is not None:
            own = own[own.level == each.level]
        if each.denomination is not None:
            own = own[own.denomination == each.denomination]
        assert each.chosen.trials == len(own)
        if each.adds and each.level:
            more = own[f"score_{each.level + 1}"].astype(float) - own.score_decl
            assert each.adds.rate == pytest.approx(more.mean())


def test_a_careful_bidder_selects_and_a_blind_one_does_not(
    forced: Forced, given: Tables, folder: Path
) -> None:
    (careful,) = (each for each in forced.selected if each.level is None)
    low, _ = careful.effect_interval() or (0.0, 0.0)
    assert low > 0
    assert "the choice of hands is worth" in forced.sentences()[0]
    run = sviten.simulate("random/greedy", "pass/greedy", deals=900, seed=7, out=folder / "blind")
    told = sviten.calibrate(run, forced=given).forced
    assert told
    (blind,) = (each for each in told.selected if each.level is None)
    low, high = blind.effect_interval() or (1.0, 1.0)
    assert low <= 0 <= high
    assert blind.chosen.trials > 500
    assert "no choice of hands is to be seen" in told.sentences()[0]


def test_the_same_mix_of_bids_is_compared(forced: Forced) -> None:
    rates = {(bid.level, bid.denomination): bid.made.rate for bid in forced.bids}
    of_bids = [s for s in forced.selected if s.denomination is not None]
    for each in of_bids:
        assert each.level
        assert each.any_hand == pytest.approx(rates[each.level, each.denomination or 0])
    for whole in forced.selected:
        own = [
            each
            for each in of_bids
            if each.entrant == whole.entrant and whole.level in {None, each.level}
        ]
        if whole.denomination is None:
            mean = np.average([s.any_hand for s in own], weights=[s.chosen.trials for s in own])
            assert whole.any_hand == pytest.approx(mean)


def test_other_deals_are_not_paired(chosen: Tables, folder: Path) -> None:
    other = sviten.simulate("pass/greedy", "pass/greedy", deals=300, seed=8, forced=True,
                            out=folder / "other", jobs=1)  # fmt: skip
    found = sviten.calibrate(chosen, forced=other).forced
    assert found
    assert not found.paired
    assert {each.same_hand for each in found.selected} == {None}
    careful = next(s for s in found.selected if s.entrant == "tips/greedy" and s.level is None)
    assert careful.effect == pytest.approx((careful.chosen.rate or 0) - careful.any_hand)
    low, _ = careful.effect_interval() or (0.0, 0.0)
    assert low > 0
    for table in found.tables():
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_a_forced_run_alone(
    given: Tables, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = sviten.calibrate(given)
    assert told.bids == ()
    assert told.forced
    assert told.forced.selected == ()
    assert "not of contracts that were chosen" in told.sentence()
    (plot,) = write_plots(told, folder / "plots")
    assert plot.name == "made-forced.png"
    assert main(["calibrate", str(given.folder), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["bids"] == []
    assert len(facts["forced"]["bids"]) == 30
    (table,) = facts["tables"]
    assert pd.read_csv(table).rate.tolist() == [bid["rate"] for bid in facts["forced"]["bids"]]


def test_the_chance_of_a_hand_grows_with_its_trumps(given: Tables, folder: Path) -> None:
    told = sviten.calibrate(given, by="length")
    assert told.forced
    rows = given.forced
    of_level = {
        (bid.value, bid.level): bid.made
        for bid in told.forced.by_feature
        if bid.denomination is None
    }
    assert sum(made.trials for (_, level), made in of_level.items() if level == 3) == len(rows)
    in_suit = [
        (int(bid.value or 0), bid.made)
        for bid in told.forced.by_feature
        if bid.denomination == 0 and bid.level == 4 and bid.made.trials > 150
    ]
    assert sum(made.events for _, made in in_suit) <= rows[rows.denomination == 0].made_4.sum()
    rates = [made.rate or 0 for _, made in in_suit]
    assert len(rates) >= 4
    assert rates[-1] > rates[0] + 0.1
    assert told.tables()[-1].columns[:3] == ["length", "contracts", "level 1"]
    assert len(write_plots(told, folder / "by")) == 2


def test_what_cannot_be_set_beside_is_refused(chosen: Tables, given: Tables, folder: Path) -> None:
    with pytest.raises(RunError, match=r"no forced run: `sviten\.simulate\(forced=True\)` "):
        sviten.calibrate(chosen, forced=chosen)
    with pytest.raises(RunError, match="its contracts were not chosen"):
        sviten.calibrate(given, forced=given)
    for name in ("position", "score"):
        with pytest.raises(RunError, match=f"not by='{name}'"):
            sviten.calibrate(given, by=name)
    other = sviten.simulate("tips/greedy", "tips/greedy", deals=5, seed=7,
                            rules={"slam_bonus": 0}, out=folder / "rules", jobs=1)  # fmt: skip
    with pytest.raises(RunError, match="other rules"):
        sviten.calibrate(other, forced=given)


def test_runs_go_side_by_side_whatever_their_batches(
    chosen: Tables, given: Tables, monkeypatch: pytest.MonkeyPatch, forced: Forced
) -> None:
    import simulate.store.parts

    monkeypatch.setattr(simulate.store.parts, "GROUP_HANDS", 70)
    again = sviten.calibrate(chosen.folder, forced=given.folder).forced
    assert again
    assert again.selected == forced.selected
    assert again.bids == forced.bids


def test_the_interval_of_the_effect_covers() -> None:
    """Hands of a deal go together, and are chosen by what decides them; any hand is estimated."""
    rng = np.random.default_rng(1)
    deals, rounds = 300, 1500
    # Chance of a hand: 0.4 or 0.8; chosen with probability 0.1 or 0.4. Truth: 0.72 less 0.6.
    covered = 0
    for _ in range(rounds):
        good = rng.random((deals, 4)) < 0.5
        shared = rng.random((deals, 1))
        luck = np.where(rng.random((deals, 4)) < 0.5, shared, rng.random((deals, 4)))
        made = luck < np.where(good, 0.8, 0.4)
        chosen = rng.random((deals, 4)) < np.where(good, 0.4, 0.1)
        n, m = chosen.sum(axis=1), (chosen & made).sum(axis=1)
        sums = [int(x) for x in ((n > 0).sum(), n.sum(), m.sum(), n @ n, n @ m, m @ m)]
        same = Clustered(*sums)
        told = Selected("x/y", None, None, same, float(made.mean()), same, None, None)
        low, high = told.effect_interval() or (1.0, 0.0)
        covered += low <= 0.72 - 0.6 <= high
    assert 0.94 <= covered / rounds <= 0.99
