"""The command that makes a run again, played; and errors as the command words them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sviten
from simulate.errors import Call, Option, RunError
from simulate.rules import load_rules
from simulate.store.make import make_settings
from simulate.store.settings import Settings
from strategies.declare.spec import load_entrant
from sviten.cli import main
from sviten.display.command_line import command, command_of, worded

BIDS = "random(pass_percent=80)/random"
HANDS = {"N": "AKQ52.QJ3.K84.A7", "S": "43.AK2.AQJ.K6543"}

#: What is played, by what is different about it.
RUNS: dict[str, dict[str, Any]] = {
    "deals": {"deals": 20, "duplicate": True},
    "a range of deals": {"deals": range(30, 45)},
    "matches": {"matches": 2, "rules": {"target_score": 40, "hand_limit": 9}},
    "a range of matches": {"matches": range(5, 7), "rules": {"max_hands": 3}, "duplicate": True},
    "forced": {"deals": range(7, 12), "forced": True},
    "two given hands": {"deals": 15, "hands": HANDS},
    "both tables of detail": {"deals": 10, "detail": ("plays", "calls")},
    "fields of rules": {
        "deals": 20,
        "rules": {
            "denominations": ("D", "H", "NT"),
            "passed_may_return": False,
            "failed_contract_scores": True,
            "jokers": 2,
            "joker_deal": "one-each",
        },
    },
    "a preset, with three": {"deals": 20, "rules": "three-player", "duplicate": True},
    "each seat alone": {
        "deals": 20,
        "seats": {"N": BIDS, "E": "pass/random", "S": "random/random", "W": "pass/high"},
    },
    "three, each alone": {
        "deals": 20,
        "rules": "three-player",
        "seats": {"N": BIDS, "E": "pass/random", "S": "random/random"},
    },
}


def rows(run: sviten.Tables) -> dict[str, pa.Table]:
    """Rows of all tables of a run."""
    tables = sorted(path.name for path in run.folder.iterdir() if path.is_dir())
    return {
        table: pa.Table.from_batches(run.run.batches(table=table)).replace_schema_metadata()
        for table in tables
        if table != "sources"
    }


def check_plays_again(run: sviten.Tables, out: Path) -> str:
    """Check that the command of a run gives its rows again; returns the command."""
    text = command_of(run.settings, str(out))
    name, *words = shlex.split(text)
    assert name == "sviten"
    assert main([*words, "--jobs", "1"]) == 0
    again = sviten.load(out)
    assert rows(again) == rows(run)
    assert command_of(again.settings, str(out)) == text
    return text


@pytest.mark.parametrize("what", RUNS)
def test_the_command_of_a_run_plays_its_rows_again(what: str, tmp_path: Path) -> None:
    forced = RUNS[what].get("forced")
    ns, ew = ("pass/high", "pass/random") if forced else (BIDS, "random/high")
    run = sviten.simulate(ns, ew, seed=11, out=tmp_path / "run", jobs=1, **RUNS[what])
    assert sum(map(len, rows(run).values())) > 0
    check_plays_again(run, tmp_path / "the same again")


def test_a_plug_in_in_a_folder_with_a_blank(tmp_path: Path) -> None:
    folder = tmp_path / "my own, it's new"
    folder.mkdir()
    assert main(["new-strategy", str(folder / "mine.py"), "--player"]) == 0
    entrant = f"random/{folder / 'mine.py'}:mine"
    run = sviten.simulate(entrant, "pass/high", deals=5, seed=1, out=tmp_path / "run", jobs=1)
    check_plays_again(run, tmp_path / "again")


def settings(rules: str = "classic", part: int = 0, **more: Any) -> Settings:
    chosen = load_rules(rules, more.pop("changes", {}))
    entrants = ["tips/greedy", "pass/high"] * 2
    made = make_settings(chosen, entrants[: chosen.players], load_entrant, seed=7, **more)
    return made.with_part_size(part)


PLAIN = "sviten simulate --ns tips/greedy --ew pass/high"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (settings(deals=5), f"{PLAIN} --deals 5 --seed 7"),
        (settings(deals=range(3, 5)), f"{PLAIN} --deal-range 3:5 --seed 7"),
        (settings(matches=range(3, 5)), f"{PLAIN} --match-range 3:5 --seed 7"),
        (settings("jokers", deals=5), f"{PLAIN} --variant jokers --deals 5 --seed 7"),
        (
            settings(deals=5, changes={"denominations": ("C", "NT"), "hard_bid": "exact",
                                       "hard_bid_melds": False}),
            f"{PLAIN} --set denominations=C,NT --set hard_bid=exact --set hard_bid_melds=false "
            "--deals 5 --seed 7",
        ),
        (settings(deals=5, part=4096), f"{PLAIN} --deals 5 --seed 7"),
        (settings(deals=5, part=1000), f"{PLAIN} --deals 5 --part-size 1000 --seed 7"),
        (settings(deals=5, detail="calls"), f"{PLAIN} --deals 5 --detail calls --seed 7"),
        (
            settings(deals=5, hands=HANDS, duplicate=True),
            f"{PLAIN} --duplicate --deals 5 --hands-of AKQ52.QJ3.K84.A7 --seat N "
            "--hands-of 43.AK2.AQJ.K6543 --seat S --seed 7",
        ),
    ],
)  # fmt: skip
def test_the_text_of_a_command(made: Settings, text: str) -> None:
    assert command_of(made) == text


def test_the_command_takes_hands_and_seats_in_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    hands = [word for hand in HANDS.values() for word in ("--hands-of", hand)]

    def says(*words: str) -> str:
        assert main(["simulate", "--deals", "1", *words]) == 2
        return capsys.readouterr().err.strip()

    assert says("--seat", "N") == "sviten: --seat names the seat of a hand: add --hands-of HAND"
    assert says(*hands, "--seat", "N").endswith("2 --hands-of, 1 --seat: each hand has its seat")
    assert says(*hands).endswith("2 --hands-of, 1 --seat: each hand has its seat")
    assert "names a seat twice" in says(*hands, "--seat", "N", "--seat", "n")


@pytest.mark.parametrize(
    ("piece", "python", "flags"),
    [
        (Option("overwrite", True), "overwrite=True", "--overwrite"),
        (Option("out"), "out", "--out"),
        (Option("max_deals"), "max_deals", "--max-deals"),
        (Option("deals", ...), "deals=...", "--deals N"),
        (Option("deals", range(2, 9)), "deals=range(2, 9)", "--deal-range 2:9"),
        (Option("matches", range(2, 9)), "matches=range(2, 9)", "--match-range 2:9"),
        (Option("detail", "calls"), "detail='calls'", "--detail calls"),
        (Option("rules", "jokers"), "rules='jokers'", "--variant jokers"),
        (Call("resume", "a b"), "`sviten.resume('a b')`", "`sviten resume 'a b'`"),
        (
            Call("resume", "r", deals=...),
            "`sviten.resume('r', deals=...)`",
            "`sviten resume r --deals N`",
        ),
        (
            Call("simulate", forced=True),
            "`sviten.simulate(forced=True)`",
            "`sviten simulate --forced`",
        ),
    ],
)
def test_what_helps_is_worded_by_who_asks(piece: Option | Call, python: str, flags: str) -> None:
    error = RunError("so it is: ", piece, " helps")
    assert str(error) == f"so it is: {python} helps"
    assert worded(error) == f"so it is: {flags} helps"


def test_a_command_has_dashes() -> None:
    assert command(Call("new_strategy", "m.py")) == "sviten new-strategy m.py"
