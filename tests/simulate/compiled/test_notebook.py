"""Strategies of notebook cells: run again they are new, and no other process has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sviten
from simulate.errors import RunError, StrategyError
from strategies.declare import registry
from strategies.declare.spec import load_entrant

CELLS = '''
from simulate.compiled.bits import highest, lowest
from simulate.compiled.kernels import kernel
from strategies.declare.registry import player

HIGH = False

@kernel
def pick(cards):
    return lowest(cards)

@kernel
def deeper(cards):
    return pick(cards)

@player("mine", looks_at="the legal cards", source="the tests")
def mine(view, work):
    """Pick a card."""
    if HIGH:
        return highest(view.legal)
    return deeper(view.legal)

@player("slow", looks_at="the legal cards", source="the tests", python=True)
def slow(view, work):
    """Pick a card."""
    return highest(view.legal) if HIGH else deeper(view.legal)
'''


class Notebook:
    """Runs cells one after the other, in one namespace."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "cells"}
        self.count = 0

    def run(self, text: str) -> None:
        self.count += 1
        exec(compile(text, f"<cell {self.count}>", "exec"), self.names)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    registry.all_strategies()
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    made = Notebook()
    made.run(CELLS)
    return made


def first_card(name: str) -> str:
    hand = sviten.play(f"pass/{name}", seed=3, rules={"all_pass": "play-out"})
    return hand.plays[0]


@pytest.mark.parametrize("name", ["mine", "slow"])
def test_a_cell_that_is_run_again_takes_effect(notebook: Notebook, name: str) -> None:
    low = first_card(name)
    before = load_entrant(f"pass/{name}")
    assert load_entrant(f"pass/{name}") == before
    notebook.run("@kernel\ndef pick(cards):\n    return highest(cards)\n")
    high = first_card(name)
    assert high != low
    assert load_entrant(f"pass/{name}").source != before.source
    notebook.run("@kernel\ndef pick(cards):\n    return lowest(cards)\n")
    assert first_card(name) == low
    notebook.run("HIGH = True")
    assert first_card(name) == high
    notebook.run(CELLS)
    assert first_card(name) == low
    assert load_entrant(f"pass/{name}").source == before.source
    with pytest.raises(StrategyError, match="declared twice"):
        notebook.run(CELLS.replace('"mine"', '"high"'))


@pytest.mark.parametrize("name", ["mine", "slow"])
def test_threads_play_it_and_processes_are_refused(
    notebook: Notebook, name: str, tmp_path: Path
) -> None:
    run = sviten.simulate(f"random/{name}", "random/high", deals=300, out=tmp_path / "a", jobs=2)
    assert len(run.hands) == 300
    with pytest.raises(StrategyError, match=rf"^player {name} was declared in a notebook cell"):
        sviten.simulate(f"random/{name}", deals=9, out=tmp_path / "b", backend="loky")
    assert not (tmp_path / "b").exists()
    with pytest.raises(StrategyError, match="cell: write it to a file, and check that"):
        sviten.check(f"tips/{name}")
    sviten.resume(tmp_path / "a", deals=400)
    del registry._registered["player", name]
    with pytest.raises(RunError, match="only that notebook can go on with the run"):
        sviten.resume(tmp_path / "a", deals=500)


SCRIPT = """
import sys
import sviten
from strategies.declare.registry import player

@player("typed", looks_at="the legal cards", source="the tests", python=True)
def typed(view, work):
    \"\"\"Pick a card.\"\"\"
    return int(view.legal).bit_length() - 1

if __name__ == "__main__":
    for spec in sys.argv[1:]:
        try:
            run = sviten.simulate(
                spec, "random/high", deals=64, out="run", backend="loky", jobs=2, overwrite=True,
            )
            print(len(run.hands))
        except sviten.SvitenError as error:
            print(error)
"""


@pytest.mark.parametrize("typed_in", [True, False])
def test_processes_play_what_lies_in_a_file(tmp_path: Path, typed_in: bool) -> None:
    (tmp_path / "mine.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-" if typed_in else "mine.py", "random/typed", "random/mine.py:typed"],
        input=SCRIPT, capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    refused, played = done.stdout.splitlines()
    why = "was declared in a notebook cell: write it" if typed_in else "is known to this process"
    assert refused.startswith(f"player typed {why}")
    assert played == "64"
