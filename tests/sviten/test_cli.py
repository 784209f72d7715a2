"""The command: what it prints where, its exit codes, what it says to bad input."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sviten as in_python
from analysis.show.text import Table
from simulate.rules import Rules, variant_names
from sviten import defaults
from sviten.cli import app, main
from sviten.display.output import print_json
from sviten.display.progress import Compiling, Progress
from sviten.display.text import show_table
from tests.fixtures.command import Sviten
from tests.fixtures.waiting import LIMIT, wait_until

RANDOM = ["--ns", "random/random", "--ew", "random(pass_percent=80)/random"]
ALL = ",".join(f"{seat}=random/random" for seat in "NESW")
COMMANDS = ["simulate", "resume", "merge", "tournament", "melds", "replay", "strategies", "rules"]
COMMANDS += ["bench"]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "run"
    words = ["simulate", *RANDOM, "--deals", "200", "--seed", "7", "--duplicate", "--jobs", "1"]
    assert main([*words, "--detail", "calls,plays", "--out", str(folder)]) == 0
    return folder


def process(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sviten.cli", *map(str, words)]
    options = {"capture_output": True, "text": True, "check": False, "timeout": LIMIT} | options
    return subprocess.run(command, **options)


def test_help_names_the_commands() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    for command in COMMANDS:
        assert f"  {command} " in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_helps_and_takes_json(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "--json" in result.output


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "sviten.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert not loaded & {"numpy", "numba", "pandas", "pyarrow", "pydantic", "scipy", "rich"}


@pytest.mark.parametrize(
    ("command", "default"),
    [
        ("simulate", f"{defaults.RUN_DEALS:,}"),
        ("simulate", defaults.ENTRANT_NS),
        ("simulate", defaults.ENTRANT_EW),
        ("odds", f"{defaults.WORLDS:,}"),
        ("odds", defaults.ENTRANT_NS),
        ("tournament", f"{defaults.PAIRING_DEALS:,}"),
        ("sweep", f"{defaults.SWEEP_DEALS:,}"),
        ("variants", f"{defaults.HOUSE_DEALS:,}"),
        ("variants", f"{defaults.WITHIN}"),
        ("compare", f"({defaults.MOST_PAIRS['deals']:,} of deals"),
        ("compare", f"{defaults.MARGIN_H1['matches']} of matches"),
        ("compare", f"{defaults.ALPHA}"),
    ],
)
def test_help_says_what_is_played_unasked(command: str, default: str) -> None:
    text = " ".join(CliRunner().invoke(app, [command, "--help"]).output.split())
    assert re.search(rf"\[default: [^]]*{re.escape(default)}\b", text)


@pytest.mark.parametrize("name", ["check", "compare", "variants"])
def test_python_and_the_command_line_take_the_same_unasked(name: str) -> None:
    def numbers(function: Any) -> dict[str, float]:
        given = {each.name: each.default for each in signature(function).parameters.values()}
        return {each: value for each, value in given.items() if type(value) in (int, float)}

    command = next(each.callback for each in app.registered_commands if each.name == name)
    assert numbers(command) == numbers(getattr(in_python, name)) != {}


class TestSimulate:
    def test_summary(self, sviten: Sviten) -> None:
        done = sviten("simulate", *RANDOM, "--deals", 50, "--seed", 1, "--out", "r")
        assert done.code == 0
        assert done.err == ""
        assert done.out.startswith("r: 50 deals, seed 1\nrules: classic\n")
        assert "hands a second" in done.out
        assert "more a hand than" in done.out.splitlines()[-1]
        assert Path("r/run.json").is_file()

    def test_json(self, sviten: Sviten) -> None:
        done = sviten(
            "simulate", *RANDOM, "--deals", 50, "--duplicate", "--variant", "dead-cards",
            "--set", "slam_bonus=10", "--seed", 2**64 - 1, "--json", "--out", "r",
        )  # fmt: skip
        facts = json.loads(done.out)
        assert facts["seed"] == 2**64 - 1
        assert facts["hands"] == 100
        assert facts["rules_changed"] == {"dead_card_penalty": 1, "slam_bonus": 10}
        assert facts["hands_per_second"] > 0
        assert facts["contracts"][0]["interval"][0] <= facts["contracts"][0]["rate"]

    def test_default_folder(self, sviten: Sviten) -> None:
        done = sviten("simulate", *RANDOM, "--deals", 5, "--json")
        folder = Path(json.loads(done.out)["run"])
        assert folder.parts[0] == "results"
        assert (folder / "run.json").is_file()

    def test_seats_with_parameters(self, sviten: Sviten) -> None:
        four = [f"random(pass_percent={percent})/random" for percent in (20, 30, 40, 50)]
        seats = ",".join(f"{seat}={text}" for seat, text in zip("NESW", four, strict=True))
        assert sviten("simulate", "--seats", seats, "--deals", 5, "--out", "r").code == 0
        settings = json.loads(Path("r/run.json").read_text())
        assert [entrant["text"] for entrant in settings["entrants"].values()] == four

    def test_plan_plays_nothing(self, sviten: Sviten) -> None:
        words = ["simulate", *RANDOM, "--deals", 10**9, "--plan"]
        done = sviten(*words)
        assert done.code == 0
        assert done.out.startswith("1,000,000,000 deals: about ")
        facts = json.loads(sviten(*words, "--json").out)
        assert facts["bytes"] > 10**9
        assert not Path("results").exists()

    def test_fixed_hand(self, sviten: Sviten) -> None:
        words = ["simulate", *RANDOM, "--deals", 5, "--out", "r"]
        done = sviten(*words, "--hands-of", "AKQ52.QJ3.K84.A7", "--seat", "s")
        assert done.code == 0
        record = json.loads(sviten("replay", "r", 3, "--json").out)
        assert record["hands"]["S"][:5] == ["AS", "KS", "QS", "5S", "2S"]

    def test_a_folder_that_is_taken(self, sviten: Sviten) -> None:
        words = ["simulate", *RANDOM, "--deals", 5, "--out", "r"]
        assert sviten(*words).code == 0
        again = sviten(*words)
        assert again.code == 1
        assert again.err.count("\n") == 0
        assert "--overwrite" in again.err
        assert sviten(*words, "--overwrite").code == 0
        Path("foreign").mkdir()
        Path("foreign/notes.txt").touch()
        foreign = sviten(*words[:-1], "foreign")
        assert foreign.code == 1
        assert "is no run" in foreign.err
        assert os.listdir("foreign") == ["notes.txt"]

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["--ns", "tipz/greedy"], "did you mean tips?"),
            (["--ns", "tips"], "write bidder/player"),
            (["--ns", "tips(min_structure=3)/greedy"], "has no parameter"),
            (["--ns", "tips(min_structures=99)/greedy"], "must be a number"),
            (["--ns", "nowhere.py:mine"], "there is no file nowhere.py"),
            (["--variant", "clasic"], "did you mean classic?"),
            (["--set", "slam_bonos=3"], "did you mean slam_bonus?"),
            (["--set", "slam_bonus"], "write field=value"),
            (["--set", "max_level=9"], "max_level"),
            (["--variant", "classic", "--set", "jokers=3"], "jokers"),
            (["--seed", "-1"], "0 to 18446744073709551615"),
            (["--seed", str(2**64)], "0 to 18446744073709551615"),
            (["--seed", "abc"], "--seed"),
            (["--deals", "0"], "--deals"),
            (["--deals", str(10**20)], "a run has 1 to 4611686018427387903"),
            (["--deals", str(10**20), "--plan"], "a run has 1 to 4611686018427387903"),
            (["--detail", "cards"], "calls, plays or both"),
            (["--backend", "slurm"], "--backend"),
            (["--seats", "N=random/random"], "N,E,S,W"),
            (["--seats", "random/random"], "write N="),
            (["--seats", "N=a/b,N=a/b"], "names N twice"),
            (["--seats", ALL, "--ns", "random/random"], "leave --ns and --ew out"),
            (["--seats", ALL, "--ew", "random/random"], "leave --ns and --ew out"),
            (["--seat", "N"], "--hands-of"),
            (["--hands-of", "AKQ52.QJ3.K84.A"], "12 cards"),
            (["--hands-of", "AKQ52.QJ3.K84.AA"], "AC appears twice"),
            (["--hands-of", "AKQ52.QJ3.K84.A7", "--seat", "X"], "N, E, S, W"),
            (["--nss", "3"], "--nss"),
        ],
    )
    def test_wrong_usage(self, sviten: Sviten, words: list[str], told: str) -> None:
        done = sviten("simulate", *words, "--out", "r")
        assert done.code == 2
        assert done.out == ""
        assert done.err.count("\n") == 0
        assert told in done.err
        assert not Path("r").exists()

    def test_a_plugin_that_fails(self, sviten: Sviten) -> None:
        Path("mine.py").write_text("def oops(:\n")
        done = sviten("simulate", "--ns", "mine.py:mine/random", "--deals", 5, "--out", "r")
        assert done.code == 1
        assert "mine.py" in done.err
        Path("bad.py").write_text(
            "from strategies.declare.registry import player\n"
            '@player("bad", looks_at="nothing", source="a test")\n'
            "def bad(view, work):\n"
            '    """Answer no card."""\n'
            "    return 99\n"
        )
        done = sviten("simulate", "--ns", "random/bad.py:bad", "--deals", 5, "--out", "r")
        assert done.code == 1
        assert done.err.count("\n") == 0
        assert "answered 99, which is no legal card in deal" in done.err
        assert not list(Path("r").glob("hands/part-*.parquet"))


class TestResume:
    def test_a_finished_run(self, sviten: Sviten, run_folder: Path) -> None:
        facts = json.loads(sviten("resume", run_folder, "--json").out)
        assert facts["deals"] == 200
        assert facts["hands_per_second"] is None

    def test_extends(self, sviten: Sviten) -> None:
        assert sviten("simulate", *RANDOM, "--deals", 50, "--seed", 1, "--out", "r").code == 0
        assert json.loads(sviten("resume", "r", "--deals", 80, "--json").out)["deals"] == 80
        assert sviten("resume", "r", "--deals", 10).code == 1

    def test_no_run(self, sviten: Sviten) -> None:
        done = sviten("resume", "nowhere")
        assert done.code == 1
        assert "does not exist" in done.err


class TestReplayOfOtherCode:
    def change(self, run_folder: Path, place: Path, **changes: object) -> None:
        shutil.copytree(run_folder, place)
        values = json.loads((place / "run.json").read_text())
        (place / "run.json").write_text(json.dumps(values | changes))

    def test_another_engine_is_warned_of(
        self, sviten: Sviten, run_folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.change(run_folder, Path("old"), engine="0123456789abcdef")
        right = sviten("replay", run_folder, 5)
        assert not caplog.messages
        utf8 = os.environ | {"PYTHONIOENCODING": "utf-8"}
        done = process("replay", "old", 5, env=utf8, encoding="utf-8")
        assert done.returncode == 0
        assert done.stdout == right.out
        told = [line for line in done.stderr.splitlines() if not line.startswith("compiling")]
        assert len(told) == 1
        assert "old was played by sviten" in told[0]
        assert "of other source: a hand may replay otherwise" in told[0]
        assert sviten("replay", "old", 5).code == 0
        assert caplog.messages == told

    def test_other_sources_are_refused(self, sviten: Sviten, run_folder: Path) -> None:
        entrants = json.loads((run_folder / "run.json").read_text())["entrants"]
        entrants["E"]["source"] = "0123456789abcdef"
        self.change(run_folder, Path("other"), entrants=entrants)
        done = sviten("replay", "other", 5)
        assert done.code == 1
        assert "(seat E) is 0123456789abcdef there" in done.err


class TestMelds:
    def test_text_and_json(self, sviten: Sviten) -> None:
        words = ["melds", "2H 3H 4H 5H 6H 7H", "--trump", "h", "--at-least", "2"]
        assert sviten(*words).out.splitlines()[0] == "20 points, 2 melds, 0 dead cards"
        facts = json.loads(sviten(*words, "--json").out)
        assert facts == {
            "points": 20,
            "melds": [["2H", "3H", "4H"], ["5H", "6H", "7H"]],
            "dead": 0,
        }

    def test_a_hand_may_begin_with_a_void(self, sviten: Sviten) -> None:
        written = sviten("melds", "-.AKQ5432.K84.A75")
        assert written.code == 0
        assert written.out == sviten("melds", ".AKQ5432.K84.A75").out

    def test_more_melds_than_there_are_cards(self, sviten: Sviten) -> None:
        done = sviten("melds", "QH KH AH", "--at-least", str(10**30))
        assert done.code == 0
        assert "No layout of these cards" in done.out

    def test_cards_may_stand_apart(self, sviten: Sviten) -> None:
        assert sviten("melds", "QH", "KH", "AH").out == sviten("melds", "QHKHAH").out

    def test_none_exists(self, sviten: Sviten) -> None:
        done = sviten("melds", "QH KH AH", "--at-least", 2)
        assert (done.code, done.out) == (0, "No layout of these cards has 2 melds.\n")
        assert sviten("melds", "QH KH AH", "--at-least", 2, "--json").out == "null\n"

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["QH QH"], "QH appears twice"),
            (["QH 1H"], "'1H' is no card"),
            (["QH", "--trump", "X"], "no denomination"),
            (["QH", "--variant", "clasic"], "did you mean"),
            ([], "cards"),
        ],
    )
    def test_wrong_usage(self, sviten: Sviten, words: list[str], told: str) -> None:
        done = sviten("melds", *words)
        assert done.code == 2
        assert told in done.err


class TestReplay:
    def test_text_and_json(self, sviten: Sviten, run_folder: Path) -> None:
        record = json.loads(sviten("replay", run_folder, 123, "--leg", 1, "--json").out)
        assert (record["seed"], record["deal_id"], record["leg"]) == (7, 123, 1)
        assert record["entrants"]["E"] == "random/random"
        assert sviten("replay", run_folder, 123).out.startswith("Deal 123, leg 0, seed 7; ")

    def test_what_is_not_there(self, sviten: Sviten, run_folder: Path) -> None:
        done = sviten("replay", run_folder, 200)
        assert done.code == 1
        assert "it has 0 to 199" in done.err
        assert sviten("replay", run_folder, 1, "--leg", 2).code == 1
        assert sviten("replay", "nowhere", 1).code == 1
        assert sviten("replay", run_folder).code == 2


class TestLists:
    def test_strategies(self, sviten: Sviten) -> None:
        facts = json.loads(sviten("strategies", "--json").out)
        tips = next(each for each in facts if each["name"] == "tips")
        assert tips["kind"] == "bidder"
        assert tips["source"]
        assert {"name", "default", "low", "high", "about"} == set(tips["parameters"][0])
        text = sviten("strategies").out
        for each in facts:
            assert each["about"] in text

    @pytest.mark.parametrize("variant", [*variant_names(), "no-trump+dead-cards"])
    def test_rules(self, sviten: Sviten, variant: str) -> None:
        facts = json.loads(sviten("rules", variant, "--json").out)
        assert list(facts["fields"]) == list(Rules.model_fields)
        done = sviten("rules", variant)
        assert done.code == 0
        lines = done.out.splitlines()
        assert lines[0].startswith(variant)
        fields = [line.split()[0] for line in lines if line.split() and line[:2] == "  "]
        changed = list(facts["changes"])
        assert fields[1 : 1 + len(changed)] == changed  # what differs stands first
        assert set(Rules.model_fields) <= set(fields)

    def test_rules_tell_their_source(self, sviten: Sviten) -> None:
        assert sviten("rules", "jokers").out.splitlines()[1] == "Source: rules, variant 3"
        facts = json.loads(sviten("rules", "jokers+no-trump", "--json").out)
        assert facts["source"] == "rules, variant 3; rules, variant 1"

    def test_schema_of_rules(self, sviten: Sviten) -> None:
        schema = json.loads(sviten("rules", "--json-schema").out)
        assert list(schema["properties"]) == list(Rules.model_fields)
        assert schema["properties"]["kitty"]["enum"][0] == "none"

    def test_notes(self, sviten: Sviten) -> None:
        words = ["rules", "no-trump", "--set", "trump_run_multiplier=3"]
        assert "trump_run_multiplier has no effect" in sviten(*words).out

    def test_wrong_usage(self, sviten: Sviten) -> None:
        assert sviten("rules", "clasic").code == 2
        assert sviten("rules", "--set", "kitty=pile").code == 2


class TestOutput:
    def test_no_command_shows_help(self, sviten: Sviten) -> None:
        done = sviten()
        assert done.code == 2
        assert done.err.startswith("Usage: sviten")

    def test_debug_raises(self, sviten: Sviten) -> None:
        from sviten.display.failures import UsageError

        with pytest.raises(UsageError):
            sviten("rules", "clasic", "--debug")

    def test_what_nobody_foresaw(self, sviten: Sviten, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*rest: object) -> None:
            raise ZeroDivisionError("by\nnothing")

        monkeypatch.setattr("sviten.display.listing.strategy_facts", fail)
        done = sviten("strategies", "--json")
        assert done.code == 1
        assert done.err == "sviten: ZeroDivisionError: by nothing (--debug shows where)"

    def test_not_a_number_is_no_json(self) -> None:
        with pytest.raises(ValueError, match="JSON"):
            print_json(float("nan"))

    def test_signs_where_they_can_be_shown(self, sviten: Sviten, run_folder: Path) -> None:
        words = ["replay", run_folder, 5]
        plain = process(*words, env=os.environ | {"PYTHONIOENCODING": "ascii"})
        assert plain.returncode == 0
        assert plain.stdout.isascii()
        assert "♠" in sviten(*words).out

    def test_closed_pipe_ends_quietly(self, run_folder: Path) -> None:
        for words in (["rules"], ["replay", run_folder, 5, "--json"]):
            shell = f'"{sys.executable}" -m sviten.cli {" ".join(map(str, words))} | true'
            shell += '; exit "${PIPESTATUS[0]}"'
            done = subprocess.run(
                ["bash", "-c", shell], capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")

    def test_a_full_disk_is_told(self) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("this system has no /dev/full")
        with open("/dev/full", "w") as full:
            done = process("rules", capture_output=False, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 1
        assert done.stderr == "sviten: No space left on device\n"


def test_interrupted_and_resumed(tmp_path: Path) -> None:
    """Ctrl-C: exit code 130, one line that says how to go on, whole parts only."""
    words = ["simulate", *RANDOM, "--seed", 1, "--out", "r", "--part-size", 4096, "--jobs", 1]
    command = [sys.executable, "-m", "sviten.cli", *map(str, words), "--deals", "100000000"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: list(tmp_path.glob("r/hands/part-*.parquet")) or running.poll() is not None)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=LIMIT)
    assert running.returncode == 130
    assert out == ""
    assert err.splitlines()[-1].startswith("sviten: stopped: ")
    assert "`sviten resume r`" in err
    kept = len(list(tmp_path.glob("r/hands/part-*.parquet")))
    assert f" {4096 * kept} of 100000000 deals are kept" in err


class TestProgress:
    def test_few_lines_in_a_log(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = [100.0]
        monkeypatch.setattr("sviten.display.progress.time.monotonic", lambda: clock[0])
        with Progress(Compiling()) as progress:
            for done in range(400, 1001):
                progress(done, 1000, 400)
                clock[0] += 1
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == "400 of 1,000 deals are there already"
        assert 3 <= len(lines) <= 10
        assert progress.played == 600
        assert progress.seconds == 600

    def test_bar_on_a_terminal(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        with Progress(Compiling()) as progress:
            for done in (400, 700, 1000):
                progress(done, 1000, 400)
        assert "1,000 of 1,000 deals" in capsys.readouterr().err

    def test_compiling_is_told_once_and_not_counted(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = [0.0]
        monkeypatch.setattr("sviten.display.progress.time.monotonic", lambda: clock[0])
        compiling = Compiling()
        with Progress(compiling) as progress:
            progress(0, 10, 0)
            for depth in (2, 1):
                for _ in range(depth):
                    compiling.begin()
                    clock[0] += 5
                for _ in range(depth):
                    compiling.end()
            clock[0] += 1
            progress(10, 10, 0)
        assert compiling.seconds == 15
        assert progress.seconds == 1
        assert capsys.readouterr().err.count("compiling") == 1


def test_narrow_terminals_cut_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    heads = ["side", "won", "95 % interval"]
    table = Table("Matches", heads, [["tips/greedy(keep=7)", "9,005", "47.5 to 59.3"]])
    for columns, lines in (80, 6), (46, 4), (42, 7), (30, 4):  # drawn, plain, folded, plain
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = Terminal()
        show_table(table, shown)
        told = re.sub(r"\x1b\[\d*m", "", shown.getvalue())
        assert max(map(len, told.splitlines())) <= columns or columns == 30
        assert told.count("\n") == lines, told
        for word in ("tips/greedy", "7)", "9,005", "47.5", "59.3"):
            assert word in told
