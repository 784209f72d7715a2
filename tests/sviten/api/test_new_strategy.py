"""`sviten new-strategy` writes what passes `sviten check` as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sviten
from simulate.errors import StrategyError
from strategies.declare.registry import Kind
from sviten.api.check import verdict_table
from sviten.api.new_strategy import write_strategy
from sviten.cli import main
from tests.fixtures.checks import checked


@pytest.mark.parametrize("kinds", [("bidder", "player"), ("bidder",), ("player",)])
def test_what_is_written_passes(tmp_path: Path, kinds: tuple[Kind, ...]) -> None:
    spec = write_strategy(tmp_path / "my-own_1.py", kinds)
    assert spec == f"{tmp_path}/my-own_1.py:my-own_1"
    text = (tmp_path / "my-own_1.py").read_text()
    assert text.count("#") >= 6 * len(kinds)
    assert "NAME" not in text
    assert "FILE" not in text
    assert all(len(line) <= 100 for line in text.splitlines() if spec not in line)
    rows, facts = checked(tmp_path, spec, variants=("classic", "three-player"), seconds=1)
    assert {row.outcome for row in rows.values()} == {"pass"}, rows
    assert facts["what"] == ", ".join(f"{kind} {spec}" for kind in kinds)


def test_a_file_is_not_overwritten_unasked(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("precious")
    with pytest.raises(StrategyError, match=r"mine\.py is there already: overwrite=True "):
        write_strategy(file)
    assert file.read_text() == "precious"
    write_strategy(file, overwrite=True)
    assert "@bidder" in file.read_text()


@pytest.mark.parametrize("name", ["mine", "mine.txt", "two words.py", "a(b).py", "nowhere/mine.py"])
def test_names_that_no_strategy_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(StrategyError, match=r"write one like mine\.py|cannot write"):
        write_strategy(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-strategy", "mine.py", "--player"]) == 0
    printed = capsys.readouterr().out
    assert "sviten check mine.py:mine" in printed
    assert "--ns tips/mine.py:mine" in printed
    assert main(["new-strategy", "mine.py"]) == 2


@pytest.mark.slow
def test_check_prints_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_strategy(Path("mine.py"))
    arguments = "--deals 200 --seconds 4 --variant no-trump --json".split()
    assert main(["check", "mine.py:mine", *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["passed"]
    assert told["facts"]["hands"] == {"no-trump": 200}
    assert {row["outcome"] for row in told["rows"]} == {"pass"}


@pytest.mark.slow
def test_exit_codes_of_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("import nothing_there\n")
    assert main(["check", f"{tmp_path}/mine.py:mine"]) == 1
    assert "ModuleNotFoundError" in capsys.readouterr().out
    for spec, told in (("gredy", "did you mean greedy?"), ("greedy --variant x", "'x'")):
        assert main(["check", *spec.split()]) == 2
        assert told in capsys.readouterr().err


@pytest.mark.slow
def test_check_in_python() -> None:
    verdict = sviten.check("tips", deals=100, seconds=3, variants=["classic"], quiet=True)
    assert verdict.passed
    table = verdict_table(verdict)
    assert table.title == "bidder tips: passed"
    assert [row[0] for row in table.rows] == [row.check for row in verdict.rows]
