"""``sviten calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulate.errors import RunError
from sviten.commands.options import Json
from sviten.display.failures import usage
from sviten.display.output import show_calibration


def calibrate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.")],
    by: Annotated[
        str | None,
        typer.Option(
            metavar="FEATURE",
            help="Tell contracts apart by seat, position, score, length or structures.",
        ),
    ] = None,
    forced: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="A forced run of the same deals, to set beside.", show_default=False
        ),
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(help="Folder for plots and tables.", show_default="RUN/plots")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell how often bids come home, what they score, and whether stated chances are right."""
    from analysis.bids.calibration import calibrate as calibrate_run
    from analysis.bids.features import make_feature
    from analysis.bids.plots import write_plots
    from analysis.bids.tables import write_tables
    from simulate.runs.play import open_run
    from simulate.store.atomic import check_place
    from simulate.store.folder import PLOTS
    from sviten.display.progress import watch_compiling

    watch_compiling()
    opened = open_run(run)
    if by:
        with usage(RunError):
            make_feature(by, opened.settings)
    folder = plots or run / PLOTS
    check_place(folder / "bids.csv", "" if plots else "--plots names another folder")
    calibration = calibrate_run(opened, by, open_run(forced) if forced else None)
    drawn, written = write_plots(calibration, folder), write_tables(calibration, folder)
    show_calibration(calibration, run, drawn, written, as_json=as_json)
