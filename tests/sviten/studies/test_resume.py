"""`sviten.resume` finishes whatever was interrupted, and says what cannot be."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sviten
from simulate.errors import RunError
from simulate.runs.play import RunInterrupted
from sviten.display.failures import UsageError
from tests.fixtures.shown import check_shown

TWO = ["tips/greedy", "tips/high"]
BEGIN: dict[str, Callable[..., Any]] = {
    "compare": lambda **how: sviten.compare(*TWO, deals=700, **how),
    "sweep": lambda **how: sviten.sweep("tips/greedy", "keep", [6, 7], deals=300, **how),
    "tournament": lambda **how: sviten.tournament(TWO, deals=300, matches=50, **how),
    "variants": lambda **how: sviten.variants(["no-trump"], entrants=TWO, deals=100, **how),
}


def interrupt(begin: Callable[..., Any], out: Path) -> None:
    """Begin it, and stop it at once."""
    flag = threading.Event()
    flag.set()
    with pytest.raises(RunInterrupted, match=r"sviten\.resume\("):
        begin(seed=7, out=out, jobs=1, stop=flag)


@pytest.mark.parametrize("kind", BEGIN)
def test_a_study_is_finished_as_if_it_had_never_stopped(kind: str, tmp_path: Path) -> None:
    whole = BEGIN[kind](seed=7, out=tmp_path / "whole")
    interrupt(BEGIN[kind], tmp_path / "stopped")
    done = sviten.resume(tmp_path / "stopped", progress=True)
    assert type(done) is type(whole)
    assert done.sentence() == whole.sentence()
    check_shown(done)
    with pytest.raises(UsageError, match="is a study: the call that began it extends it"):
        sviten.resume(tmp_path / "stopped", deals=1000)


def test_a_run_is_extended_and_made_whole(tmp_path: Path) -> None:
    sviten.simulate(*TWO, deals=500, seed=7, out=tmp_path / "run")
    run = sviten.resume(tmp_path / "run", deals=600)
    longer = run.hands
    assert len(longer) == 600
    for part in run.run.files():
        part.unlink()
    assert sviten.resume(tmp_path / "run").hands.equals(longer)
    with pytest.raises(RunError, match="is no run"):
        sviten.resume(tmp_path / "nowhere")
