"""Errors: their words in Python, their way through processes, and who may know a flag."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulate.errors import Call, CardError, IllegalPlay, Option, RunError, StrategyError
from simulate.runs.play import RunInterrupted

ROOT = Path(__file__).parents[2]
FLAG = re.compile(r"(?<![\w-])--[a-z]")

#: What writes flags for the command, below the commands themselves.
WRITERS = {"sviten/cli.py", "sviten/display/command_line.py", "sviten/display/failures.py"}


@pytest.mark.parametrize("kind", [CardError, IllegalPlay, RunError, RunInterrupted, StrategyError])
def test_a_message_of_pieces_goes_through_processes(kind: type[Exception]) -> None:
    pieces = "a is taken: ", Option("overwrite", True), " or ", Call("resume", "a", deals=...)
    error = kind(*pieces)
    error.seat = "N"  # type: ignore[attr-defined]
    sent = pickle.loads(pickle.dumps(error))
    assert type(sent) is kind
    assert sent.seat == "N"
    assert str(sent) == "a is taken: overwrite=True or `sviten.resume('a', deals=...)`"
    assert [type(piece) for piece in sent.args] == [str, Option, str, Call]


def test_a_message_may_be_plain_or_empty() -> None:
    assert str(RunError("it is {so}: 100 %")) == "it is {so}: 100 %"
    assert str(RunError()) == ""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of a module with their lines, but for docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def flags(package: str) -> list[str]:
    """List the flags in the texts of a package; those of scripts are their own."""
    return [
        f"{name}:{line}: {text.strip()}"
        for path in sorted((ROOT / package).rglob("*.py"))
        if not (name := path.relative_to(ROOT).as_posix()).startswith("sviten/commands/")
        and name not in WRITERS
        and "/templates/" not in name
        and not re.search("argparse|__main__", path.read_text(encoding="utf-8"))
        for line, text in texts(path)
        if FLAG.search(text)
    ]


@pytest.mark.parametrize("package", ["simulate", "strategies", "analysis", "sviten"])
def test_only_the_command_knows_flags(package: str) -> None:
    assert flags(package) == []


def test_a_flag_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.simulate.test_errors.ROOT", tmp_path)
    (tmp_path / "simulate").mkdir()
    text = '"""Not --this."""\nWHY = f"{1}: --overwrite replaces it"\nrow = "a -- b"\n'
    (tmp_path / "simulate" / "new.py").write_text(text)
    assert flags("simulate") == ["simulate/new.py:2: : --overwrite replaces it"]
