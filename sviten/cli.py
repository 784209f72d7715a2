"""The command ``sviten``: its commands put together, and what becomes of their errors."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from sviten.commands.bench import bench
from sviten.commands.calibrate import calibrate
from sviten.commands.check import check
from sviten.commands.compare import compare
from sviten.commands.fit import fit
from sviten.commands.melds import melds
from sviten.commands.merge import merge
from sviten.commands.new_strategy import new_strategy
from sviten.commands.odds import odds
from sviten.commands.replay import replay
from sviten.commands.report import report
from sviten.commands.resume import resume
from sviten.commands.rules import show_rules
from sviten.commands.simulate import simulate
from sviten.commands.strategies import strategies
from sviten.commands.sweep import sweep
from sviten.commands.tournament import tournament
from sviten.commands.variants import variants
from sviten.display.failures import DONE, complain, end_when_stuck

app = typer.Typer(
    name="sviten",
    help="Tournament simulation and analysis of the card game Sviten Special.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def _common(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error arose.")] = False,
) -> None:
    """Take the options of all commands."""


for name, command in (
    ("simulate", simulate),
    ("resume", resume),
    ("merge", merge),
    ("compare", compare),
    ("sweep", sweep),
    ("tournament", tournament),
    ("variants", variants),
    ("melds", melds),
    ("odds", odds),
    ("replay", replay),
    ("calibrate", calibrate),
    ("fit", fit),
    ("report", report),
    ("strategies", strategies),
    ("check", check),
    ("new-strategy", new_strategy),
    ("rules", show_rules),
    ("bench", bench),
):
    app.command(name)(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process where they are not given.

    Returns
    -------
    int
        0 done, 1 failed, 2 wrong usage, 130 interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words  # wherever it stands
    words = [word for word in words if word != "--debug"]
    # A hand that begins with a void is no option: what the void is written as may be left out.
    words = [word[1:] if word.startswith("-.") else word for word in words]
    if sys.stdout is None:  # it was closed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a path may have letters that the output has not
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    if arguments is None:  # the process is ours
        end_when_stuck()
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()  # the reader has seen enough
        return DONE
    except BaseException as error:
        if debug and not isinstance(error, KeyboardInterrupt):
            raise
        if isinstance(error, OSError):
            _drop_output()  # or Python would try once more to write it as it ends
        return complain(error)
    return code


def _drop_output() -> None:
    """Let what is still buffered for stdout go nowhere, without a complaint."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    """Carry out a command; its errors are raised."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("sviten", words) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return DONE


if __name__ == "__main__":
    sys.exit(main())
