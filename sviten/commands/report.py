"""``sviten report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sviten.commands.options import Json
from sviten.display.output import print_json


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run or a study.")],
    out: Annotated[
        Path | None, typer.Option(help="The file.", show_default="report.html in it")
    ] = None,
    forced: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="A forced run of the same deals, to set beside.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a web page of a run or a study: one file that needs nothing else."""
    from sviten.display.progress import watch_compiling
    from sviten.studies.report import report as write_report

    watch_compiling()
    path = write_report(run, out, forced=forced)
    if as_json:
        print_json({"run": str(run), "report": str(path), "bytes": path.stat().st_size})
    else:
        print(f"{path}: {path.stat().st_size / 1024:.0f} KiB, to be opened in any browser")
