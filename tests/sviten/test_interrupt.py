"""Ctrl-C, where a strategy never comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.fixtures.waiting import LIMIT, wait_until

BAD = Path(__file__).parents[1] / "contract" / "plugins" / "bad.py"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are not sent so on Windows")
def test_a_strategy_that_loops_is_ended(tmp_path: Path) -> None:
    words = ["simulate", "--ns", f"random/{BAD}:loops", "--deals", "2000", "--jobs", "1"]
    command = [sys.executable, "-m", "sviten.cli", *words, "--out", str(tmp_path / "run")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        # Two seconds to import, a few to compile: whoever has computed for so long is in the loop.
        wait_until(lambda: psutil.Process(running.pid).cpu_times().user > 20)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=LIMIT)
    assert running.returncode == 130
    assert told.splitlines()[-1].startswith("sviten: interrupted while a strategy did not answer")
    assert not list(tmp_path.rglob("part-*.parquet"))
