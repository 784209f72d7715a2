"""Finishing what was interrupted, a run or a study; `sviten` gives it out under its own name."""

from __future__ import annotations

import os
from typing import Any

from simulate.runs.play import Progress, resume_run
from simulate.runs.study import is_study, open_study
from simulate.runs.workers import Backend, StopFlag
from strategies.declare.spec import load_entrant
from sviten.api.runs import make_execution
from sviten.api.tables import Tables
from sviten.display.failures import UsageError
from sviten.display.progress import shows_progress
from sviten.studies.base import finish_study


@shows_progress("deals or matches")
def resume(
    run: str | os.PathLike[str],
    *,
    deals: int | None = None,
    matches: int | None = None,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str = "",
    progress: Progress | bool | None = None,
    stop: StopFlag | None = None,
) -> Any:
    """Finish a run or a study that was interrupted, or extend a run.

    Parameters
    ----------
    run : path
    deals, matches : int, optional
        What the run is to have in all.
    jobs, backend, scheduler, progress, stop
        As for :func:`sviten.simulate`. A comparison shows no progress.

    Returns
    -------
    Tables, or of a study what the function that began it returns

    Raises
    ------
    SvitenError
        When it is neither, or what it was begun with is not what is here.
    """
    execution = make_execution(jobs, backend, scheduler, progress, stop)
    if not is_study(run):
        return Tables(
            resume_run(run, load_entrant, deals=deals, matches=matches, execution=execution)
        )
    if deals is not None or matches is not None:
        raise UsageError(f"{run} is a study: the call that began it extends it")
    return finish_study(open_study(run), execution)
