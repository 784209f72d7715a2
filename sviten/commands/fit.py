"""``sviten fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulate.errors import Call
from sviten.commands.options import Json
from sviten.display.command_line import command, command_of
from sviten.display.output import print_json


def fit(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a forced run.")],
    out: Annotated[Path, typer.Option(help="File to write, ending in .json.")],
    rounds: Annotated[
        int, typer.Option(min=0, help="How often auctions are held and learnt from.")
    ] = 4,
    as_json: Json = False,
) -> None:
    """Fit from a forced run what bidders reckon with: calibrated(table=FILE)."""
    from analysis.fitting.tables import ROUNDS, fit_table
    from simulate.runs.play import open_run
    from sviten.display.progress import tell, watch_compiling

    watch_compiling()
    opened = open_run(run)
    more = {} if rounds == ROUNDS else {"rounds": rounds}
    again = command(Call("fit", opened.folder.name, out=out.name, **more))
    commands = command_of(opened.settings, opened.folder.name), again
    content = fit_table(opened, out, rounds, tell, commands)
    facts = {name: value for name, value in content.items() if name != "coefficients"}
    if as_json:
        print_json({"table": str(out)} | facts)
        return
    print(f"{out}: fitted from {content['playouts']:,} playouts of {content['deals']:,} deals")
    print(f'sviten simulate --ns "calibrated(table={out})/greedy" bids by it')
