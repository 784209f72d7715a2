"""Forced runs: every hand in every denomination, declared by every seat."""

from __future__ import annotations

import os
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
from simulate.cards import DENOMINATIONS, SEATS
from simulate.engine.engine import Engine
from simulate.engine.forced import check_heedless, heedless_of_level
from simulate.errors import RunError, StrategyError
from simulate.rules import load_rules
from simulate.runs.play import Execution, Run, open_run, plan_run, resume_run, simulate_run
from simulate.store.parts import find_fault, part_path
from simulate.store.settings import Settings
from strategies.declare.registry import all_strategies
from strategies.declare.spec import load_entrant
from sviten.api.tables import Tables
from sviten.cli import main
from tests import naive
from tests.fixtures.runs import files, settings_from

LEVELS = range(1, 7)
PLAYERS = [strategy for strategy in all_strategies() if strategy.kind == "player"]


def settings_of(size: int = 64, **changes: Any) -> Settings:
    options = {"deals": 200, "seed": 7, "duplicate": True, "forced": True}
    entrants = ["pass/high", "pass/random"] * 2
    return settings_from({"entrants": entrants} | options | changes).with_part_size(size)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run of 200 deals in two legs that was not disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return simulate_run(folder, settings_of(), load_entrant)


@pytest.fixture(scope="module")
def table(whole: Run) -> pd.DataFrame:
    return Tables(whole).forced


# Rows


def forced_seats(
    fields: dict[str, Any], deal_id: int, declarer: int, bid: str
) -> dict[str, list[Any]]:
    """Random players after an auction in which one seat bids and the others pass."""
    seats = naive.random_seats(fields, 7, deal_id)

    def bidder(seat: int) -> Any:
        return lambda view: bid if seat == declarer and bid in view.legal else "pass"

    return seats | {"bidder": [bidder(seat) for seat in range(fields["players"])]}


@pytest.mark.parametrize(
    ("variant", "changes"),
    [
        ("classic", {}),
        ("three-player+dead-cards", {"max_level": 4}),
        ("three-player+triple-trump-runs", {"kitty": "last-trick"}),
        ("no-trump", {"failed_contract_scores": True, "slam_bonus": 0}),
        ("jokers", {"joker_deal": "declarers", "denominations": ("H",)}),
        ("hard-bid", {"hard_bid": "at-least", "denominations": ("S",), "max_level": 5}),
        ("hard-bid", {"fail_value": "target", "denominations": ("NT",), "hard_bid_melds": False}),
    ],
)
def test_rows_are_those_of_the_naive_engine(
    tmp_path: Path, variant: str, changes: dict[str, Any]
) -> None:
    rules = load_rules(variant, changes)
    deals = 15 if rules.hard_bid == "exact" else 3
    told = sviten.simulate(
        "pass/random", "pass/random", rules=rules, deals=deals, seed=7, forced=True,
        jobs=1, out=tmp_path / "run",
    ).forced  # fmt: skip
    keys = told[["deal_id", "leg", "declarer", "denomination"]].to_numpy().tolist()
    known = sorted(DENOMINATIONS.index(name) for name in rules.denominations)
    assert keys == [[d, 0, s, k] for d in range(deals) for s in range(rules.players) for k in known]
    fields = rules.model_dump(mode="json")
    outcomes = set()
    for row in told.to_dict("records")[::2]:
        for level in LEVELS:
            if level > rules.max_level:
                assert pd.isna(row[f"score_{level}"])
                assert pd.isna(row[f"made_{level}"])
                continue
            target = row.get(f"target_{level}", -1)
            bid = f"{level}{DENOMINATIONS[row['denomination']]}"
            record = naive.play_hand(
                fields,
                naive.deal(fields, 7, row["deal_id"]),
                row["deal_id"] % rules.players,
                announce=lambda view, target=target: int(target),
                **forced_seats(fields, row["deal_id"], row["declarer"], bid),
            )
            assert record["contract"]["declarer"] == SEATS[row["declarer"]]
            sides = record["sides"]
            assert row[f"score_{level}"] == sides["declarers"]["score"]
            assert row[f"made_{level}"] == record["made"]
            assert row["score_def"] == sides["defenders"]["score"]
            outcomes.add((level, record["made"]))
            assert (row["tricks_decl"], row["tricks_def"]) == tuple(
                side["tricks"] for side in sides.values()
            )
            assert row["melds_def"] == len(sides["defenders"]["melds"])
            best = rules.hard_bid == "off" and level <= row["melds_decl"]
            if best or not record["made"]:
                assert row["meld_points_decl"] == sides["declarers"]["meld_points"]
                assert row["dead_decl"] == sides["declarers"]["dead"]
    assert {made for _, made in outcomes} == {True, False}


def test_legs_change_the_seats(table: pd.DataFrame, whole: Run) -> None:
    assert len(table) == 200 * 2 * 4 * 5
    assert set(table.loc[table["leg"] == 1, "entrant_e"]) == {"pass/high"}
    turned = simulate_run(
        whole.folder.parent / "turned",
        settings_of(entrants=["pass/random", "pass/high"] * 2, duplicate=False),
        load_entrant,
    )
    told = Tables(turned).forced.drop(columns="leg").astype(str)
    leg = table[table["leg"] == 1].drop(columns="leg").reset_index(drop=True).astype(str)
    pd.testing.assert_frame_equal(leg, told)


def test_a_given_hand_stays_with_its_seat(tmp_path: Path) -> None:
    hand = "AKQJT98765432.-.-.-"
    run = sviten.simulate(
        "pass/high", "pass/high", deals=20, seed=7, forced=True, hands={"N": hand}, jobs=1,
        out=tmp_path / "run",
    )  # fmt: skip
    spades = run.forced[run.forced.denomination == DENOMINATIONS.index("S")]
    assert (spades.loc[spades.declarer == 0, "tricks_decl"] == 13).all()


# The level


@pytest.mark.parametrize("player", PLAYERS, ids=[player.name for player in PLAYERS])
@pytest.mark.parametrize("variant", ["classic", "three-player", "last-three-open"])
def test_players_that_are_declared_to_look_at_no_level_do_not(player: Any, variant: str) -> None:
    rules = load_rules(variant)
    entrant = load_entrant(f"pass/{player.name}")
    if heedless_of_level(entrant, rules):
        check_heedless(Engine(rules, [entrant] * rules.players, 5), 0, 150)


def test_players_that_look_at_the_level_are_refused(tmp_path: Path) -> None:
    rules = load_rules("last-three-open")
    with pytest.raises(RunError, match=r"player greedy .* looks at the level .*open_last = 3"):
        settings_of(rules=rules, entrants=["pass/greedy"] * 4)
    settings_of(rules=rules, entrants=["pass/high"] * 4)
    mine = tmp_path / "mine.py"
    head = (
        "from simulate.compiled.bits import highest, lowest\n"
        "from strategies.declare.registry import player\n\n\n"
    )
    body = '''(view, work):
    """Play low, but high to make many melds."""
    return highest(view.legal) if view.level > 3 else lowest(view.legal)
'''
    declared = '@player("{}", looks_at="the level", source="a test"{})\ndef {}'
    mine.write_text(
        head
        + declared.format("told", "", "told")
        + body
        + "\n\n"
        + declared.format("lies", ', heeds_level="never"', "lies")
        + body
    )
    with pytest.raises(RunError, match=r'player told of .* heeds_level="never"'):
        settings_of(entrants=[f"pass/{mine}:told"] * 4)
    entrants = ["pass/high", f"pass/{mine}:lies"] * 2
    with pytest.raises(StrategyError, match=r"player lies of .*\(seat [EW]\) is declared") as told:
        simulate_run(tmp_path / "run", settings_of(entrants=entrants), load_entrant)
    assert "6NT rather than 1NT in deal 0, seed 7" in str(told.value)
    mine.write_text(head + declared.format("bad", ', heeds_level="no"', "bad") + body)
    with pytest.raises(StrategyError, match="heeds_level='no' may be 'always'"):
        load_entrant(f"pass/{mine}:bad")


# A run


def test_rows_are_the_same_for_any_jobs_backend_and_part_size(
    tmp_path: Path, table: pd.DataFrame
) -> None:
    for jobs, backend, size in ((2, "loky", 32), (3, "threading", 128)):
        settings = settings_of(size)
        folder = tmp_path / backend
        run = simulate_run(
            folder, settings, load_entrant, execution=Execution(jobs, backend=backend)
        )  # type: ignore[arg-type]
        pd.testing.assert_frame_equal(Tables(run).forced, table)


def test_a_run_goes_on_where_parts_are_missing_or_damaged(
    tmp_path: Path, whole: Run, caplog: pytest.LogCaptureFixture
) -> None:
    run = Run(tmp_path / "run", whole.settings)
    shutil.copytree(whole.folder, run.folder)
    part_path(run.folder, "forced", 0).unlink()
    assert open_run(run.folder).missing == [0]
    path = part_path(run.folder, "forced", 2)
    content = bytearray(path.read_bytes())
    content[150] ^= 0x40
    path.write_bytes(content)
    with pytest.raises(RunError, match="is unfinished"):
        _ = Tables(open_run(run.folder)).forced
    resume_run(run.folder, load_entrant, execution=Execution(2))
    assert str(path) in caplog.text
    assert files(run) == files(whole)
    shutil.copy(part_path(run.folder, "forced", 0), part_path(run.folder, "forced", 1))
    assert "other deals" in str(find_fault(run.folder, run.settings, 1, thorough=True))


def test_an_extended_run_is_as_one_of_that_length(tmp_path: Path, whole: Run) -> None:
    run = simulate_run(tmp_path / "run", settings_of(deals=100), load_entrant)
    assert main(["resume", str(run.folder), "--deals", "200"]) == 0
    assert files(open_run(run.folder)) == files(whole)


@pytest.mark.slow
def test_a_run_that_was_killed_is_finished(tmp_path: Path) -> None:
    options = {"deals": 2000, "duplicate": False, "entrants": ["pass/high"] * 4}
    expected = simulate_run(tmp_path / "whole", settings_of(128, **options), load_entrant)
    words = ["simulate", "--forced", "--ns", "pass/high", "--ew", "pass/high", "--seed", "7"]
    words += ["--deals", "2000", "--part-size", "128", "--jobs", "1"]
    child = subprocess.Popen(
        [sys.executable, "-m", "sviten.cli", *words, "--out", str(tmp_path / "run")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not part_path(tmp_path / "run", "forced", 2).is_file():
        assert child.poll() is None
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    run = resume_run(tmp_path / "run", load_entrant, execution=Execution(2))
    assert files(run) == files(expected)


def test_what_a_forced_run_has_not_is_told(tmp_path: Path, whole: Run) -> None:
    assert "forced" in (whole.folder / "run.json").read_text()
    for options, told in (({"detail": "calls"}, "detail is"), ({"deals": None, "matches": 3}, "m")):
        with pytest.raises(RunError, match=f"a forced run plays deals without an auction: {told}"):
            settings_of(**options)
    with pytest.raises(RunError, match="has no hands: it is a forced run"):
        _ = Tables(whole).hands
    with pytest.raises(RunError, match="are not hands to replay"):
        sviten.replay(whole, 3)
    hands = sviten.simulate("pass/high", "pass/high", deals=5, jobs=1, out=tmp_path / "run")
    assert "forced" not in (hands.folder / "run.json").read_text()
    with pytest.raises(RunError, match="has no forced: it is no forced run"):
        _ = hands.forced


def test_a_plan_counts_playouts(tmp_path: Path) -> None:
    settings = settings_of(0, deals=400)
    plan = plan_run(settings, load_entrant)
    run = simulate_run(tmp_path / "run", settings, load_entrant)
    size = sum(len(content) for content in files(run).values())
    assert 0.5 < plan.size / size < 2


# Summary


def test_the_summary_counts_every_level_of_every_playout(
    table: pd.DataFrame, whole: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = Tables(whole).summary
    assert len(summary.contracts) == 60
    declarers = np.array(table[[f"entrant_{seat}" for seat in "nesw"]].astype(str))
    declared_by = declarers[np.arange(len(table)), table["declarer"]]
    for contract in summary.contracts:
        own = table[(declared_by == contract.entrant)]
        own = own[own["denomination"] == contract.denomination]
        made = own[f"made_{contract.level}"].astype(int)
        assert (contract.made.trials, contract.made.events) == (800, made.sum())
        by_deal = made.groupby(own["deal_id"]).sum()
        assert contract.made.events2 == (by_deal**2).sum()
        assert contract.score == pytest.approx(own[f"score_{contract.level}"].mean())
        assert contract.against == pytest.approx(own["score_def"].mean())
    assert main(["resume", str(whole.folder)]) == 0
    told = capsys.readouterr().out
    assert "Forced contracts of pass/random" in told
    assert "8,000 playouts of 200 deals" in told
    assert "Passed out" not in told
