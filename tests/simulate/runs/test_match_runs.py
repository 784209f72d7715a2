"""Runs of whole matches: their rows, parts, summary and replays."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sviten
from simulate.cards import SEATS
from simulate.errors import IllegalPlay, RunError
from simulate.rules import Rules, load_rules
from simulate.runs.play import Execution, Run, open_run, plan_run, resume_run, simulate_run
from simulate.store.buffer import GROUP_HANDS
from simulate.store.make import make_settings
from simulate.store.parts import find_fault, part_path
from strategies.declare.spec import load_entrant
from sviten.api.tables import Tables
from sviten.cli import main
from tests import naive
from tests.fixtures.runs import BOLD, SHY, files, match_settings_of, rows

TABLES = ("hands", "matches", "calls", "plays")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run of 200 duplicate matches that was not disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return simulate_run(folder, match_settings_of(detail=["calls", "plays"]), load_entrant)


@pytest.fixture(scope="module")
def tables(whole: Run) -> Tables:
    return Tables(whole)


def copy_of(whole: Run, folder: Path) -> Run:
    shutil.copytree(whole.folder, folder)
    return Run(folder, whole.settings)


# Rows


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--variant", "three-player", "--set", "kitty=dead"],
        ["--set", "max_hands=1", "--set", "target_score=300"],
        ["--set", "all_pass=play-out", "--set", "hand_limit=2"],
    ],
)
def test_rows_are_those_of_the_naive_engine(tmp_path: Path, words: list[str]) -> None:
    spec = "random(pass_percent=75)/random"
    command = ["simulate", "--ns", spec, "--ew", spec, "--matches", "12", "--seed", "7", *words]
    assert main([*command, "--jobs", "1", "--out", str(tmp_path / "run")]) == 0
    told = sviten.load(tmp_path / "run")
    fields = told.settings.rules.model_dump(mode="json")
    assert told.matches["match_id"].tolist() == list(range(12))
    hands = iter(told.hands.to_dict("records"))
    for row in told.matches.to_dict("records"):
        match_id = row["match_id"]
        records, match = naive.play_match(
            fields, 7, match_id, lambda deal_id: naive.random_seats(fields, 7, deal_id, 75)
        )
        assert SEATS[row["first_dealer"]] == match["first_dealer"]
        assert (None if pd.isna(row["winner"]) else row["winner"]) == match["winner"]
        for name in ("hands", "lead_changes", "ended"):
            assert row[name] == match[name]
        for side, score in match["scores"].items():
            assert row[f"score_{side.lower()}"] == score
        for hand_no, (record, before) in enumerate(zip(records, match["before"], strict=True)):
            hand = next(hands)
            assert hand["deal_id"] == 1024 * match_id + hand_no
            assert (hand["match_id"], hand["hand_no"], hand["leg"]) == (match_id, hand_no, 0)
            assert SEATS[hand["dealer"]] == record["dealer"]
            for end, name in (("decl", "declarers"), ("def", "defenders")):
                side = record["sides"][name]
                assert hand[f"score_{end}"] == side["score"]
                assert hand[f"tricks_{end}"] == side["tricks"]
                assert hand[f"meld_points_{end}"] == side["meld_points"]
            for side, score in before.items():
                assert hand[f"before_{side.lower()}"] == score
    assert next(hands, None) is None


def test_scores_add_up(tables: Tables) -> None:
    hands, matches = tables.hands, tables.matches
    assert len(matches) == 400
    keys = ["match_id", "leg"]
    for side in ("ns", "ew"):
        by_match = hands.groupby(keys)[f"score_{side}"]
        assert (hands[f"before_{side}"] == by_match.cumsum() - hands[f"score_{side}"]).all()
        assert by_match.sum().tolist() == matches[f"score_{side}"].tolist()
    assert hands.groupby(keys).size().tolist() == matches["hands"].tolist()
    assert (hands["dealer"] == (hands.groupby(keys)["dealer"].transform("first")
            + hands["hand_no"]) % 4).all()  # fmt: skip
    won = matches["winner"].astype(object).map({"NS": "score_ns", "EW": "score_ew"})
    assert (matches["ended"] == "target").all()
    assert all(matches.loc[at, name] >= 100 for at, name in won.items())


def test_both_legs_see_the_same_deals_with_the_seats_changed(tables: Tables) -> None:
    matches = tables.matches
    legs = [matches[matches["leg"] == leg].reset_index() for leg in (0, 1)]
    assert (legs[0]["first_dealer"] == legs[1]["first_dealer"]).all()
    assert legs[0]["first_dealer"].nunique() == 4
    assert set(legs[0]["entrant_n"]) == set(legs[1]["entrant_e"]) == {BOLD}
    # A hand is dealt by its deal id, whatever the leg: what lies on the table is the same.
    plays = tables.plays.merge(tables.hands[["deal_id", "leg", "match_id"]], on=["deal_id", "leg"])
    dealt = plays.groupby(["deal_id", "leg", "seat"])["card"].apply(frozenset).unstack("leg")
    both = dealt.dropna()
    assert len(both) > 400
    assert (both[0] == both[1]).all()
    cards = sviten.deals(tables, int(both.index[0][0]))
    assert cards.shape == (1, 4)


def test_an_entrant_meets_the_same_fate_on_both_legs(tmp_path: Path) -> None:
    level = sviten.simulate(
        BOLD, BOLD, matches=50, duplicate=True, seed=3, out=tmp_path / "run", jobs=1
    )
    told = level.matches.groupby("match_id")
    assert (told["hands"].nunique() == 1).all()
    assert (told["winner"].nunique() == 1).all()
    assert level.summary.sentence() == (
        f"{BOLD} against itself: level in every one of 50 paired matches, as it must be."
    )


def test_three_players(tmp_path: Path) -> None:
    run = sviten.simulate(
        BOLD, SHY, matches=40, duplicate=True, rules="three-player", seed=5, out=tmp_path / "run"
    )
    matches = run.matches
    assert matches["leg"].tolist() == [0, 1, 2] * 40
    assert set(matches["winner"].dropna()) == {"N", "E", "S"}
    assert {"score_n", "score_e", "score_s", "entrant_s"} <= set(matches)
    assert {"before_n", "before_e", "before_s"} <= set(run.hands)
    match = run.summary.matches
    assert match
    assert [team.label for team in match.teams] == [f"{BOLD} at N", SHY, f"{BOLD} at S"]
    # In leg k everyone sits k seats further round.
    first = sum(
        (matches["winner"][matches["leg"] == leg] == seat).sum() for leg, seat in enumerate("NES")
    )
    assert match.wins[0].events == first
    hand = run.hands.iloc[-1]
    record = sviten.replay(run, int(hand["deal_id"]), int(hand["leg"]))
    assert SEATS[hand["dealer"]] == record["dealer"]


# Parts


def test_rows_do_not_depend_on_jobs_backend_and_part_size(tmp_path: Path, whole: Run) -> None:
    expected = {table: rows(whole, table) for table in TABLES}
    for jobs, backend, size in ((2, "threading", 7), (2, "loky", 64), (1, "threading", 4096)):
        run = simulate_run(
            tmp_path / f"{backend}{size}",
            match_settings_of(size, detail=["plays", "calls"]),
            load_entrant,
            execution=Execution(jobs, backend=backend),
        )
        for table, told in expected.items():
            assert rows(run, table).equals(told), (jobs, backend, size, table)
        if size == 64:
            assert files(run) == files(whole)


def test_row_groups_are_full_and_do_not_depend_on_the_pace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = match_settings_of(
        4096, matches=130, duplicate=False, entrants=["pass/random"] * 4,
        rules=Rules(hand_limit=600),
    )  # fmt: skip
    told = [files(simulate_run(tmp_path / "a", settings, load_entrant))]
    monkeypatch.setattr("simulate.runs.workers.CALL_SECONDS", 1e-9)
    told.append(files(simulate_run(tmp_path / "b", settings, load_entrant)))
    assert told[0] == told[1]
    batches = [len(batch) for batch in open_run(tmp_path / "a").batches()]
    assert sum(batches) == 130 * 600
    assert max(batches) <= GROUP_HANDS


def test_a_resumed_run_has_the_same_bytes(tmp_path: Path, whole: Run) -> None:
    run = copy_of(whole, tmp_path / "run")
    for table, part in (("hands", 0), ("matches", 1), ("plays", 2)):
        part_path(run.folder, table, part).unlink()
    assert open_run(run.folder).missing == [0, 1, 2]
    resume_run(run.folder, load_entrant, execution=Execution(2))
    assert files(run) == files(whole)


@pytest.mark.parametrize("table", ["matches", "hands"])
def test_a_damaged_part_is_made_again(
    tmp_path: Path, whole: Run, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = copy_of(whole, tmp_path / "run")
    path = part_path(run.folder, table, 1)
    content = bytearray(path.read_bytes())
    content[150] ^= 0x40
    path.write_bytes(content)
    resume_run(run.folder, load_entrant)
    assert str(path) in caplog.text
    assert files(run) == files(whole)


def test_tables_of_different_parts_are_no_whole(tmp_path: Path, whole: Run) -> None:
    """A kill between two renames can leave the one table of a part new and the other old."""
    for table in ("matches", "hands"):
        run = copy_of(whole, tmp_path / table)
        shutil.copy(part_path(run.folder, table, 0), part_path(run.folder, table, 1))
        assert find_fault(run.folder, run.settings, 1, thorough=True)
    fault = find_fault(whole.folder, whole.settings.with_count(220), 3, thorough=False)
    assert "has 16 matches, where 56 are expected" in str(fault)


def test_an_extended_run_is_as_one_of_that_length(tmp_path: Path, whole: Run) -> None:
    short = match_settings_of(matches=100, detail=["calls", "plays"])
    run = simulate_run(tmp_path / "run", short, load_entrant)
    with pytest.raises(RunError, match=r"is a run of matches: matches=\.\.\. extends it"):
        resume_run(run.folder, load_entrant, deals=200)
    with pytest.raises(RunError, match="has 100 matches"):
        resume_run(run.folder, load_entrant, matches=50)
    assert main(["resume", str(run.folder), "--matches", "200"]) == 0
    run = open_run(run.folder)
    assert run.settings.matches == 200
    assert files(run) == files(whole)


def test_a_run_that_was_killed_is_finished(tmp_path: Path) -> None:
    settings = match_settings_of(256, matches=6000)
    expected = simulate_run(tmp_path / "whole", settings, load_entrant, execution=Execution(2))
    words = ["simulate", "--ns", BOLD, "--ew", SHY, "--matches", "6000", "--duplicate"]
    words += ["--seed", "7", "--part-size", "256", "--out", str(tmp_path / "run")]
    chance = random.Random(1)
    child = subprocess.Popen(
        [sys.executable, "-m", "sviten.cli", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not (tmp_path / "run" / "hands" / "part-00003.parquet").is_file():
        assert child.poll() is None
        time.sleep(0.01)
    time.sleep(0.05 * chance.random())
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    run = resume_run(tmp_path / "run", load_entrant, execution=Execution(2))
    assert files(run) == files(expected)


def test_progress_counts_matches(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    simulate_run(
        tmp_path / "run",
        match_settings_of(),
        load_entrant,
        execution=Execution(progress=lambda *seen: told.append(seen)),
    )
    assert (told[0], told[-1]) == ((0, 200, 0), (200, 200, 0))


def test_settings_name_what_the_run_is_of(whole: Run) -> None:
    told = json.loads((whole.folder / "run.json").read_text())
    assert (told["matches"], told["part_matches"]) == (200, 64)
    assert not {"deals", "first_deal", "part_deals"} & set(told)
    with pytest.raises(RunError, match="either deals or matches"):
        match_settings_of(deals=10)
    with pytest.raises(RunError, match="0 matches"):
        match_settings_of(matches=0)


def test_a_plan_counts_matches(tmp_path: Path) -> None:
    settings = match_settings_of(0, matches=3000)
    plan = plan_run(settings, load_entrant)
    run = simulate_run(tmp_path / "run", settings, load_entrant)
    size = sum(len(content) for content in files(run).values())
    assert 0.5 < plan.size / size < 2


# Summary


def test_matches_won_are_those_of_the_table(tables: Tables) -> None:
    matches = tables.matches
    summary = tables.summary.matches
    assert summary
    ours = np.where(matches["leg"] == 0, matches["winner"] == "NS", matches["winner"] == "EW")
    wins = summary.wins[0]
    assert (wins.trials, wins.events, wins.clusters) == (400, ours.sum(), 200)
    assert wins.effect >= 1
    by_id = pd.Series(ours.astype(int)).groupby(matches["match_id"]).sum()
    assert wins.events2 == (by_id**2).sum()
    lead = (2 * by_id - 2).to_numpy()
    assert summary.leads[0, 1].events2 == (lead**2).sum()
    final = np.where(matches["leg"] == 0, matches["score_ns"], matches["score_ew"])
    assert summary.scores[0].rate == pytest.approx(final.mean())
    assert summary.mean_hands == pytest.approx(matches["hands"].mean())
    for share in (0.5, 0.9):
        expected = np.quantile(matches["hands"], share, method="inverted_cdf")
        assert summary.hands_reached(share) == expected
    assert summary.lead_changes.rate == pytest.approx(matches["lead_changes"].mean())
    assert summary.ended == {"target": 400, "cap": 0, "limit": 0}
    told = summary.sentence()
    assert f"{100 * ours.mean():.1f} % of the matches" in told or "200 paired matches" in told


def test_hands_of_a_match_are_not_independent(tables: Tables) -> None:
    hands = tables.hands
    summary = tables.summary
    made = summary.contracts[0].made
    assert made.clusters <= hands["match_id"].nunique() == 200
    assert summary.passed_out.clusters == 200
    ours = np.where(hands["leg"] == 0, hands["score_ns"], hands["score_ew"])
    assert summary.scores[0].rate == pytest.approx(ours.mean())
    assert summary.scores[0].clusters == 200


def test_nobody_wins_where_all_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--ns", "pass/random", "--ew", "pass/random", "--matches", "3"]
    assert main([*words, "--seed", "1", "--out", str(tmp_path / "run")]) == 0
    out = capsys.readouterr().out
    assert out.endswith("Nobody wins: all of 3 matches are unfinished.\n")
    run = sviten.load(tmp_path / "run")
    assert run.matches["ended"].tolist() == ["limit"] * 3
    assert run.matches["winner"].isna().all()
    assert run.matches["hands"].tolist() == [1000] * 3
    match = run.summary.matches
    assert match
    assert (match.unfinished, match.drawn, match.wins[0].events) == (3, 0, 0)
    assert run.summary.as_dict()["match"]["unfinished"] == 3


def test_draws_are_shown_apart(tmp_path: Path) -> None:
    rules = load_rules("three-player", {"max_hands": 1, "target_score": 1000})
    run = sviten.simulate(SHY, BOLD, matches=60, rules=rules, seed=2, out=tmp_path / "run")
    match = run.summary.matches
    assert match
    draws = int(run.matches["winner"].isna().sum())
    assert match.drawn == draws > 0
    assert sum(wins.events for wins in match.wins) == 60 - draws
    assert f"{100 * draws / 60:.1f} % are drawn" in match.sentence()
    assert match.tables()[0].rows[-2][:4] == ["drawn", "", str(draws), f"{100 * draws / 60:.1f} %"]


# Command


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "--ns", BOLD, "--ew", SHY, "--out", str(tmp_path / "run")]
    assert main([*words, "--matches", "5", "--deals", "5"]) == 2
    assert "one or the other" in capsys.readouterr().err
    assert main([*words, "--matches", "1", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert f"{tmp_path / 'run'}: 1 match, seed 4" in out
    assert "matches and" in out
    assert "too close to call" in out.splitlines()[-1]
    assert main(["resume", str(tmp_path / "run"), "--matches", "30", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["matches"], told["match"]["played"]) == (30, 30)
    assert "deals" not in told
    assert told["matches_per_second"] > 0
    assert main([*words[:5], "--matches", "5000", "--plan"]) == 0
    assert capsys.readouterr().out.startswith("5,000 matches: about ")


def test_hands_of_a_match_replay(tables: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    for at in (0, 3, len(tables.hands) - 1):
        hand = tables.hands.iloc[at]
        deal_id, leg = int(hand["deal_id"]), int(hand["leg"])
        assert sviten.replay(tables, deal_id, leg)["dealer"] == SEATS[hand["dealer"]]
        words = ["replay", str(tables.folder), str(deal_id), "--leg", str(leg), "--json"]
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out)["dealer"] == SEATS[hand["dealer"]]
    played = tables.hand(deal_id, leg)
    assert played.after(calls=played.calls).record == played.record
    with pytest.raises(RunError, match=r"match 2 has \d+ hands: deal 2948 is none of them"):
        tables.hand(2948)
    with pytest.raises(RunError, match="match 200, which is not in the run: it has matches 0 to"):
        tables.hand(200 * 1024)
    run = Run(tables.folder, make_settings(Rules(), [BOLD] * 4, load_entrant, deals=5))
    with pytest.raises(RunError, match="is a run of deals"):
        list(run.batches(table="matches"))


@pytest.mark.parametrize("variant", ["classic", "three-player"])
def test_a_hand_that_is_not_written_is_played_up_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, variant: str
) -> None:
    run = sviten.simulate(
        SHY, SHY, matches=5, duplicate=True, rules=variant, seed=3, out=tmp_path / "run"
    )
    keys = run.hands[["deal_id", "leg"]].to_numpy().tolist()[-12:]
    written = [sviten.replay(run, deal_id, leg) for deal_id, leg in keys]
    part_path(run.folder, "hands", 0).unlink()
    assert not caplog.records
    assert [sviten.replay(run.folder, deal_id, leg) for deal_id, leg in keys] == written
    assert "not written yet" in caplog.text


FAILS = """
import numpy as np
from strategies.declare.registry import bidder

@bidder("late", looks_at="scores", source="a test")
def bid(view, work):
    if view.scores[0] != 0:
        return np.int64(99)
    return np.int64(view.legal >> np.uint64(1) & np.uint64(1))
"""


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_strategy_that_fails_in_a_match_is_named(tmp_path: Path, backend: Any) -> None:
    (tmp_path / "late.py").write_text(FAILS)
    entrant = f"{tmp_path / 'late.py'}:late/random"
    with pytest.raises(IllegalPlay, match=r"answered 99, .* in deal \d+, leg 0, seed 1") as failure:
        sviten.simulate(entrant, entrant, matches=9, seed=1, out=tmp_path / "run", backend=backend)
    told = str(failure.value)
    deal_id = int(told.split("in deal ")[1].split(",")[0])
    assert deal_id % 1024 > 0
    if (tmp_path / "run" / "run.json").is_file():
        with pytest.raises(IllegalPlay, match="answered 99"):
            sviten.replay(tmp_path / "run", deal_id)
        assert sviten.replay(tmp_path / "run", deal_id - 1)["deal_id"] == deal_id - 1


SCORES = """
import numpy as np
from strategies.declare.registry import bidder

@bidder("behind", looks_at="scores", source="a test")
def bid(view, work):
    call = np.uint64(1)
    us, them = view.scores[np.uint64(view.seat)], view.scores[np.uint64(view.seat ^ 1)]
    return np.int64(1) if us <= them and view.legal >> call & np.uint64(1) else np.int64(0)
"""


def test_scores_before_reach_the_strategies_and_their_replays(tmp_path: Path) -> None:
    (tmp_path / "behind.py").write_text(SCORES)
    entrant = f"{tmp_path / 'behind.py'}:behind/random"
    run = sviten.simulate(entrant, entrant, matches=20, seed=1, out=tmp_path / "run")
    hands = run.hands
    ahead = np.where(hands["before_ns"] > hands["before_ew"], 0, 1)
    uneven = hands["before_ns"] != hands["before_ew"]
    assert uneven.any()
    assert (hands["declarer"][uneven] % 2 != ahead[uneven]).all()
    for deal_id in hands["deal_id"][uneven][:5]:
        sviten.replay(run, int(deal_id))  # compared with its row
