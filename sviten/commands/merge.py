"""``sviten merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sviten.commands.options import Json
from sviten.display.output import show_run, show_study


def merge(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Runs, or studies, of the same settings.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of what they make together.")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what stands in the folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Join runs whose deals follow one another, as if they had been played in one go."""
    from simulate.runs.merge import merge_runs, merge_studies
    from simulate.runs.study import is_study
    from sviten.api.tables import Tables

    if all(map(is_study, runs)):
        study = merge_studies(runs, out, overwrite=overwrite)
        show_study(study, out, as_json=as_json)
    else:
        merged = Tables(merge_runs(runs, out, overwrite=overwrite))
        show_run(merged.summary, merged.settings, out, None, as_json=as_json)
