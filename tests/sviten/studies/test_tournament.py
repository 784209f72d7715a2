"""Tournaments: whoever meets whom comes out as the runs say, whatever happens on the way."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.compare.side_by_side import side_by_side
from analysis.tournament.result import Pairing
from analysis.tournament.tables import tournament_notes, tournament_tables
from simulate.errors import RunError, StrategyError
from simulate.runs.play import Run, RunInterrupted, simulate_run
from strategies.declare.spec import load_entrant
from sviten.api.tables import load
from sviten.display.failures import UsageError
from sviten.studies.tournament import Played, tournament
from tests.fixtures.command import Sviten
from tests.fixtures.runs import BOLD, SHY, settings_of
from tests.fixtures.scripts import failing_bidders

GOOD, MEEK = "tips/high", "pass/random"
FOUR = [MEEK, BOLD, GOOD, SHY]

BAD = """
import numpy as np
from strategies.declare.registry import bidder

@bidder("broken", looks_at="nothing", source="a test")
def broken(view, work):
    return view.nosuch
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("tournament") / "four"
    return tournament(FOUR, deals=300, matches=40, mixed=True, seed=7, out=folder, jobs=2)


def outcomes(played: Played) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in played.files}


def test_the_best_stands_first(played: Played) -> None:
    judged = played.tournament
    assert judged.entrants[0] == GOOD
    assert sorted(judged.entrants) == sorted(FOUR)
    assert judged.ratings
    assert judged.strengths
    assert list(judged.ratings.values) == sorted(judged.ratings.values, reverse=True)
    assert sum(judged.ratings.values) == pytest.approx(0)
    assert str(played).startswith(f"{GOOD} is first of 4 entrants, ")
    assert "300 paired deals each pairing" in str(played)
    assert played.failed == {}


def test_margins_are_those_of_the_runs(played: Played) -> None:
    judged = played.tournament
    seen = 0
    for name, settings in played.study.runs.items():
        texts = [seated.text for seated in settings.entrants.values()]
        if len(set(texts)) > 2 or texts[0] != texts[2]:
            continue
        one, other = (judged.entrants.index(text) for text in texts[:2])
        pairing = judged.between(one, other)
        back = judged.between(other, one)
        assert pairing
        assert back
        tables = load(played.study.folder / name)
        if settings.unit == "deals":
            hands = tables.hands
            own = np.where(hands.leg == 0, hands.score_ns, hands.score_ew)
            margin = (2 * own - hands.score_ns - hands.score_ew).groupby(hands.deal_id).mean()
            interval = tables.summary.margin.mean_interval()
            assert pairing.margin == pytest.approx(margin.mean())
            assert back.margin == -pairing.margin
            assert tuple(pairing.interval or ()) == pytest.approx(tuple(interval or ()))
        else:
            won = tables.matches.winner.astype(object)
            sides = np.where(tables.matches.leg == 0, "NS", "EW")
            assert pairing.matches
            assert pairing.matches.won == (won == sides).sum()
            assert pairing.matches.lost == (won.notna() & (won != sides)).sum()
            assert back.matches == pairing.matches.turned
        seen += 1
    assert seen == 12
    assert judged.between(0, 0) is None


def test_runs_are_set_side_by_side_whatever_their_parts(tmp_path: Path) -> None:
    def run(name: str, size: int, first: int = 0) -> Run:
        settings = settings_of(deals=range(first, 300), part_deals=size, duplicate=True)
        return simulate_run(tmp_path / name, settings, load_entrant)

    runs = [run("a", 64), run("b", 128), run("c", 512)]
    ids, margins = (np.concatenate(each) for each in zip(*side_by_side(runs), strict=True))
    assert ids.tolist() == list(range(300))
    assert (margins == margins[:, :1]).all()
    assert len(np.unique(margins)) > 50
    with pytest.raises(RunError, match="has other deals than"):
        next(side_by_side([*runs, run("d", 64, first=1)]))


def test_tables_and_plots_are_written(played: Played) -> None:
    assert [path.name for path in played.files] == [
        "ratings.parquet", "ratings.csv", "pairings.parquet", "pairings.csv", "partners.parquet",
        "partners.csv", "cross.png", "ratings.png",
    ]  # fmt: skip
    for name in ("ratings", "pairings", "partners"):
        written = pd.read_csv(played.study.folder / f"{name}.csv")
        pd.testing.assert_frame_equal(written, getattr(played, name), check_dtype=False)
    assert played.ratings["name"].tolist() == played.tournament.entrants
    assert {"rating", "low", "high", "strength", "adds_low"} <= set(played.ratings.columns)
    assert len(played.pairings) == len(played.partners) == 6
    assert (played.pairings.low < played.pairings.margin).all()
    assert played.pairings.won.sum() + played.pairings.lost.sum() <= 6 * 2 * 40
    for path in played.files[6:]:
        assert path.read_bytes().startswith(b"\x89PNG")
    facts = json.loads(json.dumps(played.as_dict(), allow_nan=False))
    assert len(facts["partners"]) == 6
    assert len(facts["circles"]) == 4
    names = [each["name"] for each in facts["entrants"]]
    assert names == played.tournament.entrants


def test_tables_for_a_person(played: Played) -> None:
    ratings, margins, matches, players, partners = tournament_tables(played.tournament)
    assert [row[1] for row in ratings.rows] == played.tournament.entrants
    assert [len(row) for row in margins.rows] == [5] * 4
    assert [margins.rows[place][place + 1] for place in range(4)] == [""] * 4
    assert matches.rows[0][4] == f"{100 - float(matches.rows[3][1]):.1f}"
    assert {row[0] for row in players.rows} == set(FOUR)
    assert len(partners.rows) == 6
    assert any(note.startswith("Ratings explain") for note in tournament_notes(played.tournament))


def test_what_rounds_to_zero_has_no_sign() -> None:
    shown = [Pairing(0, 1, margin).margin_text for margin in (-0.04, 0.04, -0.06, 12.34, None)]
    assert shown == ["0.0", "0.0", "-0.1", "12.3", "-"]


def test_an_interrupted_one_comes_to_the_same_last_digit(tmp_path: Path, played: Played) -> None:
    options: dict[str, Any] = {"deals": 300, "matches": 40, "mixed": True, "out": tmp_path / "t"}
    for jobs, seed in ((1, 7), (3, None)):
        stop = threading.Event()

        def look(done: int, total: int, start: int, stop: threading.Event = stop) -> None:
            if done > start + 1000:
                stop.set()

        with pytest.raises(RunInterrupted, match="of 5640 deals and matches are kept"):
            tournament(FOUR, seed=seed, jobs=jobs, progress=look, stop=stop, **options)
    again = tournament(FOUR, jobs=2, backend="loky", **options)
    assert outcomes(again) == outcomes(played)
    with pytest.raises(RunError, match="seed 7 there, 8 here"):
        tournament(FOUR, seed=8, **options)


@pytest.mark.slow
def test_one_that_is_killed_again_and_again_comes_to_the_same_last_digit(tmp_path: Path) -> None:
    entrants = ["tips/greedy", "random/random", GOOD, MEEK]
    words = ["tournament", *entrants, "--deals", "20000", "--matches", "500", "--seed", "7"]
    command = [sys.executable, "-m", "sviten.cli", *words, "--jobs", "2", "--out", "t"]
    folder = tmp_path / "t"
    kills = 0
    for wanted in range(8, 60, 14):  # so many parts there are when it is killed
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(folder.rglob("part-*.parquet"))) < wanted:
            time.sleep(0.01)
        if process.poll() is not None:
            break
        process.kill()
        process.wait()
        kills += 1
    assert kills >= 2
    killed = tournament(entrants, deals=20_000, matches=500, out=folder)
    whole = tournament(entrants, deals=20_000, matches=500, seed=7, out=tmp_path / "whole", jobs=1)
    assert outcomes(killed) == outcomes(whole)


def test_entrants_are_taken_in_later(tmp_path: Path, played: Played) -> None:
    short = tournament(FOUR[:3], deals=300, seed=7, out=tmp_path / "t")
    assert len(short.study.runs) == 3
    more = tournament(FOUR, deals=300, matches=40, mixed=True, out=tmp_path / "t")
    assert outcomes(more) == outcomes(played)


@pytest.mark.parametrize("jobs", [1, 2])
def test_who_fails_is_named_and_the_others_finish(tmp_path: Path, jobs: int) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(BAD + failing_bidders(7, range(70, 200, 10), [90]))
    broken, wrong, raises = (f"{bad}:{name}/random" for name in ("broken", "wrong", "raises"))
    entrants = [MEEK, broken, BOLD, wrong, GOOD, raises]
    played = tournament(entrants, deals=200, seed=7, out=tmp_path / "t", jobs=jobs)
    judged = played.tournament
    assert judged.entrants[0] == GOOD
    assert sorted(judged.entrants) == sorted([MEEK, BOLD, GOOD])
    assert len(judged.pairings) == 3
    assert list(played.failed) == [broken, wrong, raises]
    assert f"{bad}, line 7: broken does not compile" in played.failed[broken]
    assert "answered 99, which is no legal call in deal 70, leg 0, seed 7" in played.failed[wrong]
    assert "raised ValueError: boom in deal 90, leg 0, seed 7" in played.failed[raises]
    notes = "\n".join(tournament_notes(judged))
    for entrant in (broken, wrong, raises):
        assert f"Failed, and left out: {entrant}" in notes
    alone = tournament([MEEK, BOLD, GOOD], deals=200, seed=7, out=tmp_path / "alone")
    pd.testing.assert_frame_equal(played.ratings, alone.ratings)


def test_nobody_is_left(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(BAD + failing_bidders(7, range(70, 200, 10), [90]))
    played = tournament([MEEK, f"{bad}:wrong/random"], deals=200, seed=7, out=tmp_path / "t")
    assert str(played) == "No two entrants are left to compare."
    assert played.tournament.entrants == [MEEK]
    assert tournament_tables(played.tournament) == []
    files = ["ratings.parquet", "ratings.csv", "pairings.parquet", "pairings.csv"]
    assert [path.name for path in played.files] == files
    assert json.dumps(played.as_dict(), allow_nan=False)


def test_who_loses_everything_is_unbounded_and_the_others_finite(tmp_path: Path) -> None:
    played = tournament([GOOD, SHY, BOLD], matches=4, seed=6, out=tmp_path / "t")
    judged = played.tournament
    assert judged.ratings is None
    assert judged.strengths
    assert judged.entrants[0] == GOOD
    assert math.isinf(judged.strengths[0].value)
    assert all(math.isfinite(each.value) for each in judged.strengths[1:])
    table = tournament_tables(judged)[0]
    assert table.rows[0][2:4] == ["100.0 %", "all"]
    assert "it has lost none" in str(played)
    facts = played.as_dict()["entrants"][0]
    assert (facts["strength"], facts["unbounded"]) == (None, True)
    assert facts["strength_interval"][1] is None


def test_two_deals_are_too_few_for_intervals(tmp_path: Path) -> None:
    played = tournament([GOOD, SHY], deals=2, seed=1, out=tmp_path / "t")
    assert played.tournament.ratings
    assert played.tournament.ratings.intervals == [None, None]
    assert "2 paired deals each pairing, too few for an interval" in str(played)
    one = tournament([GOOD, SHY], deals=1, seed=1, out=tmp_path / "one")
    assert one.tournament.pairings[0].interval is None
    for each in (played, one):
        assert json.dumps(each.as_dict(), allow_nan=False)


def test_what_is_no_tournament_is_refused(tmp_path: Path) -> None:
    cases: list[tuple[list[str], type[Exception], str]] = [
        ([GOOD], UsageError, "takes two entrants or more: there is 1"),
        (GOOD, UsageError, "takes two entrants or more: there is 1"),
        ([GOOD, "tips()/high"], UsageError, f"{GOOD} is entered twice"),
        ([GOOD, "tips/hihg"], StrategyError, "did you mean high"),
    ]
    for entrants, kind, told in cases:
        with pytest.raises(kind, match=told):
            tournament(entrants, deals=2, out=tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_three_players_are_each_the_one_among_two(tmp_path: Path) -> None:
    rules = {"players": 3, "kitty": "exchange"}
    entrants = [GOOD, SHY, MEEK]
    played = tournament(entrants, deals=60, matches=5, rules=rules, seed=7, out=tmp_path / "t")
    judged = played.tournament
    assert len(played.study.runs) == 12
    for pairing in judged.pairings:
        margins = []
        for name, settings in played.study.runs.items():
            texts = [seated.text for seated in settings.entrants.values()]
            pair = [judged.entrants[pairing.one], judged.entrants[pairing.other]]
            if settings.unit == "deals" and set(texts) == set(pair):
                summary = load(played.study.folder / name).summary
                rates = [summary.margins[0, k].rate for k in (1, 2)]
                alone = sum(rate for rate in rates if rate is not None) / 2
                margins.append(alone if texts[0] == pair[0] else -alone)
        assert len(margins) == 2
        assert pairing.margin == pytest.approx(sum(margins) / 2)
        assert pairing.matches
        assert sum(pairing.matches) <= 2 * 3 * 5 + 1e-9


def test_who_never_bids_is_level_and_finishes_nothing(tmp_path: Path) -> None:
    shy = ["pass/high", "pass/random"]
    level = tournament(shy, deals=20, seed=1, out=tmp_path / "deals")
    assert str(level) == "All 2 entrants are level in 20 paired deals each pairing."
    rules = {"hand_limit": 3}
    endless = tournament(shy, matches=2, seed=1, rules=rules, out=tmp_path / "matches")
    assert str(endless) == "No match was finished: there is none to rank the entrants by."


class TestCommand:
    def test_it_prints_tables_and_a_sentence(self, sviten: Sviten) -> None:
        done = sviten(
            "tournament", GOOD, "random/random", MEEK, "--deals", 50, "--matches", 5,
            "--seed", 7, "--out", "t",
        )  # fmt: skip
        assert done.code == 0, done.err
        assert done.out.startswith("t: round-robin, 6 runs, seed 7\nrules: classic\n")
        assert all(len(line) <= 80 for line in done.out.split("Ratings explain")[0].splitlines())
        resumed = sviten("resume", "t", "--json")
        facts = json.loads(resumed.out)
        assert facts["entrants"][0]["name"] == GOOD
        assert done.out.splitlines()[-1].startswith(f"{GOOD} is first of 3 entrants")

    def test_ranges_are_merged(self, sviten: Sviten) -> None:
        words = ["tournament", GOOD, SHY, "--format", "gauntlet", "--seed", 7]
        for ids in ("0:30", "30:50"):
            assert sviten(*words, "--deal-range", ids, "--out", ids[0]).code == 0
        assert sviten("merge", "3", "0", "--out", "both").code == 0
        whole = sviten(*words, "--deals", 50, "--out", "whole", "--json")
        both = sviten("resume", "both", "--json")
        there, here = (json.loads(done.out) for done in (whole, both))
        for facts in (there, here):
            assert facts.pop("files")
            del facts["study"], facts["seconds"]
        assert there == here
        more = sviten(*words[:-2], MEEK, "--deals", 50, "--out", "both", "--json")
        assert more.code == 0, more.err
        assert len(json.loads(more.out)["entrants"]) == 3

    def test_usage(self, sviten: Sviten) -> None:
        for words, told in (
            (["--deals", 5, "--deal-range", "0:5"], "--deals and --deal-range: give one of them"),
            (["--format", "swiss"], "'swiss'"),
            (["--set", "players=5"], "players"),
        ):
            done = sviten("tournament", GOOD, SHY, *words)
            assert done.code == 2
            assert told in done.err
        assert sviten("tournament", GOOD, "tips/nosuch").code == 2
        assert sviten("tournament", GOOD).code == 2


def test_parquet_has_types_that_do_not_depend_on_what_is_known(tmp_path: Path) -> None:
    played = tournament([GOOD, SHY], deals=2, seed=1, out=tmp_path / "t")
    schema = pq.read_schema(played.files[0])
    assert str(schema.field("low").type) == "double"
    with pytest.raises(RunError, match="has no partners: play it with mixed=True"):
        _ = played.partners
