"""Has a strategy checked in a process of its own, and ends that process where it hangs.

A loop in compiled code cannot be interrupted from within, and what holds Python's lock stops every
thread. So the play's state lies in a file that both processes map: a decision during which nothing
in it moves for too long is named, and its process is killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simulate.cards import SEATS
from simulate.errors import StrategyError
from simulate.game.records import ANNOUNCING, BIDDING
from strategies.checks.stage import Shared
from strategies.checks.verdict import CHECKS, DEALS, LIMIT, SECONDS, Row, Verdict
from strategies.declare.registry import declared_here

#: Seconds for what is no decision: importing, compiling.
_LOADING = 300.0
_LOOK = 0.05
_SIGNATURE = "a strategy is name(view, work) -> int64: a call, or a card of view.legal"

#: What the process runs: with bounds checked it is the strategies' code alone that has them.
_BOOT = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import simulate.compiled.kernels, simulate.engine.match, simulate.game.scoring_jokers
if sys.argv[2] == "bounds":
    simulate.compiled.kernels.BOUNDS_CHECKED = True
from strategies.checks.child import main
main()
"""


class _Run(NamedTuple):
    """What a process wrote down, and how it ended: `hung` and `died` are empty where all went well.

    `during` is the check that was going on.
    """

    rows: dict[str, Row]
    facts: dict[str, Any]
    hung: str
    died: str
    during: str


def check_strategy(
    spec: str,
    *,
    deals: int = DEALS,
    seconds: float = SECONDS,
    limit: float = LIMIT,
    variants: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """Check a strategy.

    Parameters
    ----------
    spec : str
        A bidder, a player, or an entrant ``bidder/player``.
    deals : int
        Hands of each variant.
    seconds : float
        Time for all checks, compiling aside; where it is short, fewer hands are played, and the
        verdict says how many.
    limit : float
        Seconds that one decision may take.
    variants : sequence of str
        Rules to play by, in place of those that the strategy is declared for.
    progress : callable, optional
        Told the name of each check as it begins.

    Returns
    -------
    Verdict

    Raises
    ------
    StrategyError
        When there is none of that name, or it was declared in a notebook cell, which another
        process cannot load.
    """
    if alone := declared_here(spec):
        raise StrategyError(f"{alone}, and check that: a check runs in a process of its own")
    wanted = {"spec": spec, "deals": deals, "seconds": seconds, "variants": list(variants)}
    with tempfile.TemporaryDirectory(prefix="sviten-check-", ignore_cleanup_errors=True) as folder:
        run = _run(Path(folder, "play"), wanted, limit, seconds, progress)
        rows, facts = dict(run.rows), dict(run.facts)
        if "unknown" in facts:
            raise StrategyError(facts["unknown"])
        if run.hung or run.died or "counts" not in facts:
            _blame(run, rows, limit)
        else:
            rows["ends"] = Row("ends", "pass", f"no decision took {limit:g} s")
            counts = {name: max(2, count // 2) for name, count in facts["counts"].items()}
            other = _run(
                Path(folder, "bounds"), wanted | {"counts": counts}, limit, seconds, progress
            )
            rows |= other.rows
            _blame(other, rows, limit)
            rows |= _compare(facts, other.facts, rows)
    what = facts.pop("what", spec)
    for name in ("counts", "digests"):
        facts.pop(name, None)
    lines = [rows.get(name, Row(name, "not run", "an earlier check failed")) for name in CHECKS]
    return Verdict(spec, what, tuple(lines), facts)


def _compare(facts: dict[str, Any], others: dict[str, Any], rows: dict[str, Row]) -> dict[str, Row]:
    """Compare the hands of two processes; the second plays half as many."""
    if rows["repeatable"].outcome != "pass":
        return {}
    for name, theirs in others.get("digests", {}).items():
        for deal_id, pair in enumerate(zip(facts["digests"][name], theirs, strict=False)):
            if pair[0] != pair[1]:
                text = f"deal {deal_id} of variant {name} went otherwise in another process"
                return {"repeatable": Row("repeatable", "fail", f"{text}: the order of a set?")}
    return {}


def _blame(run: _Run, rows: dict[str, Row], limit: float) -> None:
    """Write down what ended a process before its end."""
    if run.hung:
        name = "compiles" if run.during == "compiles" else "ends"
        rows[name] = Row(name, "fail", run.hung)
    elif run.died:
        rows[run.during] = Row(run.during, "fail", run.died)
    failed = rows.get("compiles")
    if failed and failed.outcome == "fail":
        rows["compiles"] = Row("compiles", "fail", f"{failed.text} ({_SIGNATURE})")


def _run(
    folder: Path,
    wanted: dict[str, Any],
    limit: float,
    seconds: float,
    progress: Callable[[str], None] | None,
) -> _Run:
    """Run the checks in a process, to its end or to what looks like none."""
    folder.mkdir()
    shared = Shared(folder / "shared")
    report = folder / "report"
    report.touch()
    values = wanted | {
        "report": str(report),
        "shared": str(folder / "shared"),
        "parent": os.getpid(),
        "alarm": 10 * seconds + 4 * _LOADING,
    }
    paths = json.dumps([str(Path(path).resolve()) if path else os.getcwd() for path in sys.path])
    kind = "bounds" if "counts" in wanted else "plain"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, paths, kind],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
        try:
            assert process.stdin
            process.stdin.write(json.dumps(values).encode())
            process.stdin.close()
            hung = _watch(process, shared, report, limit, progress)
        finally:
            process.kill()
            process.wait()
    lines = _read(report)
    during = next((line["begin"] for line in reversed(lines) if "begin" in line), "compiles")
    where = _where(shared, lines)
    if hung:
        hung = (
            f"no answer within {limit:g} s: {where}"
            if shared.head["playing"][0]
            else f"it did not load within {_LOADING:g} s"
        )
    died = ""
    if not hung and process.returncode:
        died = _death(process.returncode, folder / "log")
        died += f": {where}" if shared.head["playing"][0] else ""
    facts: dict[str, Any] = {}
    for line in lines:
        for name, value in line.items():
            if name == "facts":
                facts |= value
            elif name in {"unknown", "what", "counts", "digests"}:
                facts[name] = value
    rows = {line["row"]["check"]: Row(**line["row"]) for line in lines if "row" in line}
    return _Run(rows, facts, hung, died, during)


def _watch(
    process: subprocess.Popen[bytes],
    shared: Shared,
    report: Path,
    limit: float,
    progress: Callable[[str], None] | None,
) -> str:
    """Wait for the end; gives a text where nothing moved for too long."""
    seen: Any = None
    moved = time.monotonic()
    begun = 0
    while process.poll() is None:
        time.sleep(_LOOK)
        if progress:
            lines = [line["begin"] for line in _read(report) if "begin" in line]
            for name in lines[begun:]:
                progress(name)
            begun = len(lines)
        playing = bool(shared.head["playing"][0])
        place = int(shared.head["stage"][0])
        now = shared.head.tobytes(), shared.states[place].tobytes()
        if now != seen:
            seen, moved = now, time.monotonic()
        elif time.monotonic() - moved > (limit if playing else _LOADING):
            return "hung"
    return ""


def _read(report: Path) -> list[dict[str, Any]]:
    """Read what was written down; a last line may not be whole."""
    lines = report.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _where(shared: Shared, lines: list[dict[str, Any]]) -> str:
    """Say at which decision the play stands."""
    place = int(shared.head["stage"][0])
    stage = next((line for line in lines if line.get("stage") == place), None)
    state = shared.states[place]
    seat = int(state["acting"])
    if stage is None:
        return f"seat {SEATS[seat]}, deal {int(state['deal_id'])}"
    bids = int(state["phase"]) in {BIDDING, ANNOUNCING}
    name = stage["names"][seat][0 if bids else 1]
    return (
        f"{'bidder' if bids else 'player'} {name}, seat {SEATS[seat]}, in deal "
        f"{int(state['deal_id'])}, leg 0, seed {stage['seed']} ({stage['text']})"
    )


def _death(code: int, log: Path) -> str:
    """Say how a process ended that should not have."""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return f"the process was ended by {name} (memory that is not its own?)"
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"the process ended with code {code}" + (f": {last[-1]}" if last else "")
