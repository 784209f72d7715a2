"""The ladder: rungs come out as the runs say, and the page shows what the command made."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.tournament.ladder import climb, write_ladders
from simulate.rules import Rules
from strategies.declare.registry import all_strategies
from sviten.api.tables import load
from sviten.display.failures import UsageError
from sviten.studies.ladder import ENDS, OPPONENT, hand_microseconds, ladder_groups
from sviten.studies.tournament import Played, tournament
from tests.fixtures.command import Sviten
from tests.fixtures.runs import BOLD, SHY

ROOT = Path(__file__).parents[3]
LOW, HIGH, MIDDLE = SHY, "tips/high", BOLD
GROUPS = {"Bidders": [LOW, HIGH, MIDDLE, "pass/random"], "Others": [MIDDLE]}
COSTS = dict.fromkeys([LOW, HIGH, MIDDLE, "pass/random"], 2.5)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("ladder") / "run"
    entrants = ["pass/random", LOW, HIGH, MIDDLE]
    return tournament(entrants, form="gauntlet", deals=300, matches=20, seed=7, out=folder)


def margins(played: Played, entrant: str) -> np.ndarray:
    """Margin of an entrant over the opponent in each deal."""
    for name, settings in played.study.runs.items():
        if settings.entrants["E"].text == entrant and settings.unit == "deals":
            hands = load(played.study.folder / name).hands
            own = np.where(hands.leg == 0, hands.score_ew, hands.score_ns)
            margin = 2 * own - hands.score_ns - hands.score_ew
            return margin.groupby(hands.deal_id).mean().to_numpy()
    raise AssertionError(entrant)


def test_rungs_are_those_of_the_runs(played: Played) -> None:
    ladder, others = climb(played.study, GROUPS, COSTS, (LOW, HIGH))
    assert ladder.opponent == "pass/random"
    assert (ladder.deals, ladder.matches) == (300, 20)
    means = [rung.margin for rung in ladder.rungs]
    assert means == sorted(means, reverse=True)
    assert ladder.rungs[0].entrant == HIGH
    by_name = {rung.entrant: rung for rung in ladder.rungs}
    for name in (LOW, HIGH, MIDDLE):
        rung, margin = by_name[name], margins(played, name)
        expected = stats.ttest_1samp(margin, 0).confidence_interval(0.95)
        assert rung.margin == pytest.approx(margin.mean())
        assert tuple(rung.interval or ()) == pytest.approx(tuple(expected))
        assert rung.won
        assert rung.won.trials == 40
    alone = by_name["pass/random"]
    assert (alone.margin, alone.interval, alone.won) == (0.0, None, None)
    for above, below in zip(ladder.rungs, ladder.rungs[1:], strict=False):
        if "pass/random" in (above.entrant, below.entrant):
            continue
        step = margins(played, above.entrant) - margins(played, below.entrant)
        expected = stats.ttest_1samp(step, 0).confidence_interval(0.99)
        assert above.step == pytest.approx(step.mean())
        assert tuple(above.step_interval or ()) == pytest.approx(tuple(expected))
    assert ladder.rungs[-1].step is None
    shares = {name: rung.share for name, rung in by_name.items()}
    assert (shares[LOW], shares[HIGH]) == (0.0, 1.0)
    assert others.rungs[0].share is None  # its ends are not in that group
    assert json.dumps([ladder.as_dict(), others.as_dict()], allow_nan=False)
    assert [len(row) for row in ladder.table().rows] == [6] * 4
    assert "300 paired deals and 20 paired matches each" in ladder.note()
    written = pd.read_csv(write_ladders([ladder, others], played.study.folder))
    assert written.entrant.tolist() == [*(rung.entrant for rung in ladder.rungs), MIDDLE]
    assert written.margin[:4].tolist() == means
    assert set(written.n) == {300}
    assert written.step_low[0] < written.step[0] < written.step_high[0]


def test_every_shipped_strategy_stands_on_it() -> None:
    groups = ladder_groups()
    players, bidders = groups.values()
    named = {(each.kind, each.name) for each in all_strategies() if not each.variants}
    assert {("player", text.split("/")[1]) for text in players if "(" not in text} | {
        ("bidder", text.split("/")[0]) for text in bidders
    } == named
    assert OPPONENT in players
    assert OPPONENT in bidders
    assert set(ENDS) <= set(players)
    assert ladder_groups([f" {BOLD}"])["Entered"] == [BOLD]


def test_a_hand_is_timed() -> None:
    quick, slow = (hand_microseconds(text, Rules()) for text in ("pass/random", "tips/greedy"))
    assert 0 < quick < slow


def test_who_cheats_plays_when_asked_for_alone(sviten: Sviten, tmp_path: Path) -> None:
    done = sviten("tournament", "tips/oracle", HIGH, "--deals", 2, "--out", "t")
    assert (done.code, done.err) == (
        2, "sviten: tips/oracle is declared to cheat: --allow-cheating lets it play",
    )  # fmt: skip
    with pytest.raises(UsageError, match="declared to cheat"):
        tournament(["tips/oracle", HIGH], deals=2, out=tmp_path / "t")
    done = sviten("tournament", "tips/oracle", HIGH, "--deals", 2, "--out", "t", "--allow-cheating")
    assert done.code == 0, done.err
    assert sviten("tournament").code == 2


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ladder_page", ROOT / "docs" / "ladder.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_rewritten_between_its_marks(played: Played) -> None:
    page = script()
    text = page.PAGE.read_text(encoding="utf-8")
    told = page.block(climb(played.study, GROUPS, COSTS, (LOW, HIGH)), 7)
    assert f"| `{HIGH}` | " in told
    assert " ± " in told
    assert "Seed 7, sviten " in told
    once = page.replace_block(text, page.BEGIN, page.END, told)
    assert once.count(told) == 1
    assert page.replace_block(once, page.BEGIN, page.END, told) == once
    assert once.split(page.BEGIN)[0] == text.split(page.BEGIN)[0]
    assert once.split(page.END)[1] == text.split(page.END)[1]
