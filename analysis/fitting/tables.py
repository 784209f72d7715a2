"""Makes the tables that bidders reckon with, and their files: `sviten fit`.

First the points of hands, from a forced run; then, in rounds, what the calls tell: `calibrated`
holds the auctions of the same deals with what it knows so far, and from them it learns what its
calls mean. It takes no play, as the forced run has played every contract.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from analysis.fitting.auctions import hear
from analysis.fitting.hands import fit_estimates
from simulate.engine.engine import Engine
from simulate.errors import Call, RunError
from simulate.runs.play import Run
from simulate.store.atomic import check_place, write_whole
from strategies.declare.spec import load_entrant
from strategies.knowledge.estimates import ESTIMATES, SCHEMA

ROUNDS = 4
#: Whose calls `calibrated` learns to read: bidders of different kinds.
SPARRING = ("calibrated", "points", "tips")
_DIGITS = 5


def fit_table(
    run: Run,
    out: Path,
    rounds: int = ROUNDS,
    tell: Callable[[str], None] | None = None,
    commands: Sequence[str] = (),
) -> dict[str, Any]:
    """Fit a table from a forced run, and write it.

    Parameters
    ----------
    run : Run
        Forced, finished.
    out : Path
        File to write, ending in ``.json``.
    rounds : int
        How often auctions are held and learnt from.
    tell : callable, optional
        Told what is being done.
    commands : sequence of str
        What plays the run and makes the file again, to be kept in it.

    Returns
    -------
    dict
        What stands in the file.

    Raises
    ------
    RunError
        When the run is no forced run, unfinished or damaged, or the file cannot be written.
    """
    if out.suffix != ".json":
        raise RunError(f"{out}: a table is a file that ends in .json")
    if not run.settings.forced:
        raise RunError(
            f"{run.folder} is no forced run: ",
            Call("simulate", forced=True),
            " makes one to fit from",
        )
    check_place(out)
    say = tell or (lambda text: None)
    say("points of hands")
    fitted = fit_estimates(run)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            say(f"round {number + 1} of {rounds}: what calls mean")
            file = Path(folder, f"{number}.json")
            file.write_text(json.dumps(_content(run, fitted, number)))
            hear(run, [_table_of(run, file, other) for other in SPARRING], fitted)
    content = _content(run, fitted, rounds, commands)
    try:
        write_whole(out.absolute(), (_as_text(content) + "\n").encode())
    except OSError as error:
        raise RunError(f"cannot write {out}: {error.strerror or error}") from error
    return content


def _table_of(run: Run, file: Path, other: str) -> Engine:
    """Engine that holds auctions of `calibrated`, with what it knows so far, against another."""
    settings = run.settings
    ours = load_entrant(f"calibrated(table={file})/random")
    theirs = load_entrant(f"{other}/random" if other == "tips" else f"{other}(table={file})/random")
    sides = ours, theirs
    seats = [sides[seat % 2] for seat in range(settings.rules.players)]
    return Engine(settings.rules, seats, settings.seed, 1, settings.fixed)


def _content(
    run: Run, fitted: np.ndarray, rounds: int, commands: Sequence[str] = ()
) -> dict[str, Any]:
    settings = run.settings
    seats = {seat: entrant.text for seat, entrant in settings.entrants.items()}
    return {
        "schema": SCHEMA,
        "rules": settings.rules.model_dump(mode="json"),
        "players": {seat: text.rpartition("/")[2] for seat, text in seats.items()},
        "seed": settings.seed,
        "deals": settings.count,
        "playouts": settings.count * settings.legs * settings.rows_a_leg,
        "rounds": rounds,
        "versions": settings.versions | {"sviten": version("sviten")},
        "sources": {seat: entrant.source for seat, entrant in settings.entrants.items()},
        "commands": list(commands),
        "coefficients": {name: _rounded(fitted[name][0]) for name in ESTIMATES.names or ()},
    }


def _rounded(values: np.ndarray) -> Any:
    """Write down few digits, which is all that the numbers are known to."""
    if values.ndim > 1:
        return [_rounded(row) for row in values]
    return [float(f"{value:.{_DIGITS}g}") for value in values]


def _as_text(content: dict[str, Any]) -> str:
    """JSON with a line for each list of numbers."""
    facts = {name: value for name, value in content.items() if name != "coefficients"}
    lines = json.dumps(facts, indent=1)[:-2]
    parts = [f'  "{name}": {_lists(value, 3)}' for name, value in content["coefficients"].items()]
    return lines + ',\n "coefficients": {\n' + ",\n".join(parts) + "\n }\n}"


def _lists(values: list[Any], depth: int) -> str:
    if not isinstance(values[0], list):
        return json.dumps(values)
    pad = " " * depth
    inner = ",\n".join(f"{pad}{_lists(value, depth + 1)}" for value in values)
    return f"[\n{inner}\n{pad[:-1]}]"
