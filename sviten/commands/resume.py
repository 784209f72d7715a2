"""``sviten resume``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sviten.commands.options import Backend, BackendOption, Jobs, Json, Scheduler
from sviten.display.failures import UsageError
from sviten.display.output import show_run, show_study


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
    from simulate.runs.play import Execution, open_run, resume_run
    from simulate.runs.study import is_study, open_study, resume_study
    from strategies.declare.spec import load_entrant
    from sviten.api.runs import make_execution
    from sviten.api.tables import Tables
    from sviten.display.progress import Progress, watch_compiling

    def crew_of(progress: Progress | None) -> Execution:
        return make_execution(jobs, backend.value, progress, None, scheduler)

    compiling = watch_compiling()
    if is_study(run):
        if deals is not None or matches is not None:
            raise UsageError(f"{run} is a study: the command that began it extends it")
        study = open_study(run)
        if study.kind == "compare":
            from sviten.commands.compare import show_comparison
            from sviten.display.watching import Watcher
            from sviten.studies.compare import resume_comparison

            with Watcher(compiling) as watcher:
                compared = resume_comparison(run, crew_of(None), watcher)
            show_comparison(compared, watcher, as_json=as_json)
            return
        if study.kind == "sweep":
            from sviten.commands.sweep import show_sweep
            from sviten.studies.sweep import resume_sweep

            with Progress(compiling) as progress:
                swept = resume_sweep(run, crew_of(progress))
            show_sweep(swept, progress, as_json=as_json)
            return
        if study.kind == "tournament":
            from sviten.commands.tournament import show_tournament
            from sviten.studies.tournament import resume_tournament

            with Progress(compiling, study.unit) as progress:
                played = resume_tournament(run, crew_of(progress))
            show_tournament(played, progress, as_json=as_json)
            return
        if study.kind == "variants":
            from sviten.commands.variants import show_variants
            from sviten.studies.variants import resume_variants

            with Progress(compiling, study.unit) as progress:
                weighed = resume_variants(run, crew_of(progress))
            show_variants(weighed, progress, as_json=as_json)
            return
        with Progress(compiling, study.unit) as progress:
            study = resume_study(run, load_entrant, execution=crew_of(progress))
        show_study(study, run, as_json=as_json)
        return
    with Progress(compiling, open_run(run).settings.unit) as progress:
        done = resume_run(
            run,
            load_entrant,
            deals=deals,
            matches=matches,
            **vars(crew_of(progress)),
        )
    show_run(Tables(done).summary, done.settings, run, progress, as_json=as_json)
