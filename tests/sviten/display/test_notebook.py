"""A real notebook kernel: strategies of its cells, what it shows, and stopping it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from tests.fixtures.waiting import LIMIT

DECLARE = '''
import pathlib
import sviten
from simulate.compiled.bits import highest, lowest
from strategies.declare.registry import player

@player("mine", looks_at="the legal cards", source="the tests")
def mine(view, work):
    """Pick a card."""
    return lowest(view.legal)

def first(spec="pass/mine"):
    return sviten.play(spec, seed=3, rules={"all_pass": "play-out"}).plays[0]
'''
AGAIN = """
@player("mine", looks_at="the legal cards", source="the tests")
def mine(view, work):
    return highest(view.legal)
"""
FILE = """%%writefile filed.py
from simulate.compiled.bits import lowest
from strategies.declare.registry import player

@player("filed", looks_at="the legal cards", source="the tests")
def filed(view, work):
    return lowest(view.legal)
"""
EDIT = """
file = pathlib.Path("filed.py")
file.write_text(file.read_text().replace("lowest", "highest"))
"""


class Kernel:
    """Runs cells and tells what came out."""

    def __init__(self, manager: KernelManager, client: Any) -> None:
        self.manager = manager
        self.client = client

    def run(self, cell: str, stop_at: str = "") -> list[dict[str, Any]]:
        """Run a cell, and interrupt the kernel when it has shown a certain text."""
        outputs: list[dict[str, Any]] = []
        stopped = False

        def take(message: dict[str, Any]) -> None:
            nonlocal stopped
            kind, content = message["msg_type"], message["content"]
            if kind in {"status", "execute_input"}:
                return
            outputs.append({"kind": kind, **content})
            if stop_at and not stopped and stop_at in str(content.get("data")):
                stopped = True
                self.manager.interrupt_kernel()

        self.client.execute_interactive(cell, output_hook=take, timeout=LIMIT)
        return outputs

    def value(self, cell: str) -> str:
        """Text of the last value of a cell that raises nothing."""
        outputs = self.run(cell)
        assert not [each for each in outputs if each["kind"] == "error"], outputs
        return str(outputs[-1]["data"]["text/plain"])

    def error(self, cell: str, stop_at: str = "") -> str:
        """Last line of the error of a cell."""
        (error,) = [each for each in self.run(cell, stop_at) if each["kind"] == "error"]
        return f"{error['ename']}: {error['evalue']}"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path_factory.mktemp("notebook")))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LIMIT)
        made = Kernel(manager, client)
        made.run(DECLARE)
        yield made
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_cell_that_is_run_again_is_played_as_it_is_now(kernel: Kernel) -> None:
    low = kernel.value("first()")
    kernel.run(AGAIN)
    high = kernel.value("first()")
    assert high != low
    kernel.run(DECLARE)
    assert kernel.value("first()") == low


def test_a_file_may_be_run_imported_and_reloaded(kernel: Kernel) -> None:
    kernel.run(FILE)
    low = kernel.value("first()")
    for cell in ("%run filed.py", "%run filed.py", "import filed, importlib"):
        assert not kernel.run(cell)
    assert kernel.value("first('pass/filed')") == low
    kernel.run(EDIT)
    assert kernel.value("importlib.reload(filed); first('pass/filed')") != low
    told = kernel.error("sviten.simulate('random/filed', deals=9, backend='loky', out='never')")
    assert re.search(r"known to this process alone: name it .*filed\.py:filed", told)
    double = FILE.partition("\n")[2].replace("def filed", "def other")
    assert "player 'filed' is declared twice, in " in kernel.error(double)


def test_processes_and_checks_refuse_a_cell_by_name(kernel: Kernel) -> None:
    told = "StrategyError: player mine was declared in a notebook cell: write it to a file"
    calls = {
        "sviten.simulate('random/mine', deals=9, backend='loky', out='never')",
        "sviten.compare('random/mine', 'random/high', backend='loky', out='never-too')",
        "sviten.check('random/mine')",
    }
    for call in calls:
        assert kernel.error(call).startswith(told), call


def test_a_run_that_is_interrupted_goes_on_and_shows_how_far_it_is(
    kernel: Kernel, tmp_path: Path
) -> None:
    out = str(tmp_path / "run")
    told = kernel.error(
        "sviten.simulate('random/mine', 'random/random', deals=3_000_000, seed=7,"
        f" jobs=2, out={out!r}, progress=True)",
        stop_at="of 3,000,000 deals played, ",
    )
    assert re.match(r"RunInterrupted: stopped: \d+ of 3000000 deals are kept in .*resume", told)
    kernel.run(AGAIN)
    assert "a run goes on only with what it was begun with" in kernel.error(
        f"sviten.resume({out!r})"
    )
    kernel.run(DECLARE)
    again = kernel.error(f"sviten.resume({out!r}, progress=True)", stop_at="played, ")
    assert again.startswith("RunInterrupted")


def test_progress_is_one_line_that_is_rewritten(kernel: Kernel, tmp_path: Path) -> None:
    call = "sviten.simulate('random/mine', deals=20000, seed=7, out={!r}, progress=True)"
    outputs = kernel.run(call.format(str(tmp_path / "run")))
    kinds = [each["kind"] for each in outputs if each["kind"] != "stream"]
    assert kinds[0] == "display_data"
    assert kinds[-2:] == ["update_display_data", "execute_result"]
    assert set(kinds[1:-1]) == {"update_display_data"}
    last = outputs[-2]["data"]
    assert last["text/plain"] == "20,000 of 20,000 deals played"
    assert '<progress value="1.0000"></progress>' in last["text/html"]


def test_a_result_is_shown_by_its_tables(kernel: Kernel, tmp_path: Path) -> None:
    out = str(tmp_path / "duel")
    (shown,) = kernel.run(f"sviten.compare('random/mine', 'random/high', deals=64, out={out!r})")
    assert "<table" in shown["data"]["text/html"]
    assert shown["data"]["text/plain"].startswith("<Compared: random/high scores ")
