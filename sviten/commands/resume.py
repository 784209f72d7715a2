"""``sviten resume``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sviten.commands.options import Backend, BackendOption, Jobs, Json, Scheduler
from sviten.commands.playing import finish
from sviten.display.failures import UsageError
from sviten.display.output import show_run


def resume(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the run.")],
    deals: Annotated[
        int | None, typer.Option(min=1, help="Deals that the run is to have in all.")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Matches that the run is to have in all.")
    ] = None,
    jobs: Jobs = None,
    backend: BackendOption = Backend.threading,
    scheduler: Scheduler = "",
    as_json: Json = False,
) -> None:
    """Finish a run or a study that was interrupted, or extend a run."""
    from simulate.runs.play import open_run, resume_run
    from simulate.runs.study import is_study, open_study
    from strategies.declare.spec import load_entrant
    from sviten.api.runs import make_execution
    from sviten.api.tables import Tables
    from sviten.display.progress import Progress, watch_compiling

    compiling = watch_compiling()
    if is_study(run):
        if deals is not None or matches is not None:
            raise UsageError(f"{run} is a study: the command that began it extends it")
        study = open_study(run)
        execution = make_execution(jobs, backend.value, scheduler)
        finish(study, execution, compiling=compiling, as_json=as_json)
        return
    with Progress(compiling, open_run(run).settings.unit) as progress:
        execution = make_execution(jobs, backend.value, scheduler, progress)
        done = resume_run(run, load_entrant, deals=deals, matches=matches, execution=execution)
    show_run(Tables(done).summary, done.settings, run, progress, as_json=as_json)
