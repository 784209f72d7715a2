"""The summary of a run: against plain sums over its table, and how it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sviten
from analysis.stats.intervals import wilson
from analysis.summary import tally
from analysis.summary.hands import Summary
from sviten.api.tables import Tables

BOLD = "random(pass_percent=30)/random"
SHY = "random(pass_percent=80)/random"


def run(folder: Path, *entrants: str, **options: Any) -> Tables:
    options = {"deals": 400, "seed": 7, "jobs": 1} | options
    if len(entrants) > 2:
        options["seats"] = dict(zip("NESW", entrants, strict=True))
        entrants = ()
    return sviten.simulate(*entrants, out=folder, **options)


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return run(tmp_path_factory.mktemp("run") / "paired", SHY, BOLD, duplicate=True)


def test_contracts_are_those_of_the_table(paired: Tables) -> None:
    hands = paired.hands
    entrants = np.array(
        [hands[f"entrant_{seat}"].astype(str) for seat in "nesw"] + [[""] * len(hands)]
    )
    hands = hands.assign(entrant=entrants[hands["declarer"], range(len(hands))])
    hands = hands[hands["declarer"] >= 0]
    contracts = paired.summary.contracts
    assert [c.entrant for c in contracts if c.level is None] == [SHY, BOLD]
    for contract in contracts:
        rows = hands[hands["entrant"] == contract.entrant]
        if contract.level is not None:
            rows = rows[rows["level"] == contract.level]
            rows = rows[rows["denomination"] == contract.denomination]
        assert contract.made.trials == len(rows)
        assert contract.made.events == rows["made"].sum()
        assert contract.made.clusters == rows["deal_id"].nunique()
        assert contract.score == pytest.approx(rows["score_decl"].mean())
        assert contract.against == pytest.approx(rows["score_def"].mean())
        a_deal = rows.groupby("deal_id")["made"].agg(["size", "sum"]).astype(int)
        assert contract.made.trials2 == (a_deal["size"] ** 2).sum()
        assert contract.made.cross == (a_deal["size"] * a_deal["sum"]).sum()
        assert contract.made.events2 == (a_deal["sum"] ** 2).sum()
    counted = {(c.entrant, c.level, c.denomination) for c in contracts if c.level}
    assert len(counted) == len(hands.groupby(["entrant", "level", "denomination"]))


def test_interval_is_wilsons_of_fewer_hands(paired: Tables) -> None:
    made = paired.summary.contracts[0].made
    assert made.effect >= 1.0
    assert made.interval() == wilson(made.events / made.effect, made.trials / made.effect)


def test_margin_is_that_of_deal_pairs(paired: Tables) -> None:
    hands = paired.hands
    sign = np.where(hands["leg"] == 0, 1, -1)
    margins = ((hands["score_ns"] - hands["score_ew"]) * sign).groupby(hands["deal_id"]).mean()
    summary = paired.summary
    mean, interval = summary.margin.rate, summary.margin.mean_interval()
    assert summary.margin.clusters == len(margins) == 400
    assert summary.hands == 800
    assert mean == pytest.approx(margins.mean())
    assert interval
    assert interval.high - mean == pytest.approx(1.966 * margins.sem(), rel=1e-3)
    ours = np.where(hands["leg"] == 0, hands["score_ns"], hands["score_ew"])
    assert summary.scores[0].rate == pytest.approx(ours.mean())


def test_passed_out(paired: Tables) -> None:
    out = paired.summary.passed_out
    assert out.trials == 800
    assert out.events == (paired.hands["declarer"] < 0).sum()
    assert f"{out.events:,} hands" in paired.summary.notes()[0]


def test_batches_do_not_part_legs(paired: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = paired.summary

    class Chopped:
        settings = paired.settings

        def batches(self, columns: list[str]) -> Any:
            for batch in paired.run.batches(columns):
                for start in range(0, len(batch), 7):
                    yield batch.slice(start, 7)

    seen = []
    sums = tally.Tally(paired.settings)
    for rows in tally.whole_deals(Chopped()):  # type: ignore[arg-type]
        ids = rows["deal_id"]
        assert set(np.unique(ids, return_counts=True)[1]) == {2}
        seen.append(ids)
        sums.add(rows)
    assert np.concatenate(seen).tolist() == sorted([*range(400), *range(400)])
    assert sums.margins == whole.margins
    assert sums.hands == whole.hands


def sentence(tables: Tables) -> str:
    told = tables.summary.sentence()
    assert "\n" not in told
    return told


def test_sentence_names_the_better_first(paired: Tables, tmp_path: Path) -> None:
    told = sentence(paired)
    other = sentence(run(tmp_path / "r", BOLD, SHY, duplicate=True))
    assert told == other
    assert told.startswith(f"{SHY} scores ")
    assert told.endswith(" more a hand than " + told.split(" than ")[1])
    assert "400 paired deals)." in told
    assert "95 % interval" in told


def test_an_entrant_against_itself(tmp_path: Path) -> None:
    level = run(tmp_path / "pairs", BOLD, BOLD, duplicate=True)
    assert level.summary.margin.events2 == 0
    assert sentence(level) == (
        f"{BOLD} against itself: level in every one of 400 paired deals, as it must be."
    )
    told = sentence(run(tmp_path / "single", BOLD, BOLD))
    assert f"{BOLD} at N+S" in told
    assert f"{BOLD} at E+W" in told
    assert "400 deals" in told


def test_four_entrants(tmp_path: Path) -> None:
    four = [f"random(pass_percent={percent})/random" for percent in (20, 40, 70, 80)]
    summary = run(tmp_path / "four", *four, duplicate=True).summary
    assert [team.name for team in summary.teams] == [
        f"{four[0]} + {four[2]}",
        f"{four[1]} + {four[3]}",
    ]
    assert [c.entrant for c in summary.contracts if c.level is None] == four
    assert len([t for t in summary.tables() if t.title.startswith("Contracts of")]) == 4


def test_three_players(tmp_path: Path) -> None:
    tables = run(tmp_path / "three", BOLD, SHY, rules="three-player", duplicate=True)
    summary = tables.summary
    assert [team.seats for team in summary.teams] == ["N", "E", "S"]
    told = summary.sentence().splitlines()
    assert len(told) == 3
    assert f"{BOLD} at N" in told[0]
    assert f"{BOLD} at N" in told[1]
    assert f"{BOLD} at S" in told[1]
    assert f"{BOLD} at S" in told[2]
    hands = tables.hands
    # In leg k everyone sits k seats further round.
    first = [hands[f"score_{'nes'[leg]}"][hands["leg"] == leg].to_numpy() for leg in range(3)]
    assert summary.scores[0].rate == pytest.approx(np.mean(first))


def test_a_single_deal_has_no_interval(tmp_path: Path) -> None:
    summary = run(tmp_path / "one", BOLD, SHY, deals=1).summary
    assert "1 deal, too few for an interval" in summary.sentence()
    check_tables(summary)
    assert summary.as_dict()["margins"][0]["interval"] is None


def test_all_passed_out(tmp_path: Path) -> None:
    summary = run(tmp_path / "out", "pass/random", "pass/random").summary
    assert summary.contracts == ()
    assert summary.passed_out.rate == 1.0
    check_tables(summary)


def check_tables(summary: Summary) -> None:
    for table in summary.tables():
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert all(isinstance(cell, str) for row in table.rows for cell in row)


def test_tables(paired: Tables) -> None:
    check_tables(paired.summary)
    first = paired.summary.tables()[0]
    assert first.rows[-1][0] == "all"
    assert first.rows[-1][1] == f"{paired.summary.contracts[0].made.trials:,}"
