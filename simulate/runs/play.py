"""Runs on disk: beginning one, finishing or extending one.

A run folder holds ``run.json``, the part files, and copies of the plug-ins that were run; a part
that exists is whole, and what is missing is what is still to be done. Nothing else is kept.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from simulate.engine.engine import Engine
from simulate.engine.entrant import Entrant, Loader
from simulate.engine.forced import check_heedless
from simulate.errors import Option, RunError, StrategyError
from simulate.runs.cluster import Cluster, ClusterError, check_scheduler, reach_cluster
from simulate.runs.plan import Plan, choose_part, plan_run
from simulate.runs.workers import (
    BACKENDS,
    Backend,
    Board,
    BrokenProcessPool,
    Job,
    StopFlag,
    make_parts,
)
from simulate.store.buffer import PartBuffer
from simulate.store.differences import name_differences
from simulate.store.folder import check_free, clear, locked, remove_leftovers
from simulate.store.identity import engine_hash
from simulate.store.make import check_count
from simulate.store.parts import find_estrangement, find_fault
from simulate.store.run import Run, open_run, resume_call
from simulate.store.settings import SETTINGS_FILE, Settings, read_settings, write_settings
from simulate.store.sources import (
    Copies,
    copy_sources,
    load_checked,
    plan_copies,
    stored_specs,
)

BOARD_FILE = ".board.tmp"

#: Given deals or matches done, those of the whole run, and those done when it was taken up.
Progress = Callable[[int, int, int], None]

log = logging.getLogger(__name__)


class RunInterrupted(RunError, KeyboardInterrupt):
    """A run that was stopped by Ctrl-C or its stop flag; finished parts are kept."""


@dataclass(frozen=True)
class Execution:
    """Who works on a run or a study, and who looks on.

    Attributes
    ----------
    jobs : int
        Workers.
    backend : {"threading", "loky", "dask"}
        Threads of this process, processes, or the workers of a dask cluster, which must see the
        folder under the same path.
    progress : callable, optional
        Told of deals or matches done, in the thread that began the work.
    stop : StopFlag, optional
        Looked at while the work goes on.
    scheduler : str
        Address of the cluster's scheduler, for dask; that of dask's own settings where it is empty.
    """

    jobs: int = 1
    backend: Backend = "threading"
    progress: Progress | None = None
    stop: StopFlag | None = None
    scheduler: str = ""

    def __post_init__(self) -> None:
        """Raise RunError where there can be no such workers."""
        check_count("jobs", self.jobs, 1)
        if self.backend not in BACKENDS:
            known = f"{', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}"
            raise RunError(f"backend {self.backend!r} is not known: it is {known}")
        if self.backend == "dask":
            check_scheduler(self.scheduler)
        elif self.scheduler:
            raise RunError("a scheduler is for backend dask alone: ", Option("backend", "dask"))

    def reach(self) -> contextlib.AbstractContextManager[Cluster | None]:
        """Connect to the cluster, where the workers are there."""
        return reach_cluster(self.scheduler) if self.backend == "dask" else nullcontext()


#: One worker, in this thread's process, that nobody looks at.
ALONE = Execution()


def simulate_run(
    out: str | os.PathLike[str],
    settings: Settings,
    load: Loader,
    *,
    execution: Execution = ALONE,
    overwrite: bool = False,
) -> Run:
    """Play a run into a folder.

    Parameters
    ----------
    out : path
        A new folder, or an empty one.
    settings : Settings
    load : Loader
    execution : Execution, optional
    overwrite : bool
        Replace a run that stands in the folder.

    Returns
    -------
    Run
        Finished.

    Raises
    ------
    RunError
        When the folder is taken, or a worker dies.
    RunInterrupted
        After Ctrl-C, or where the execution is told to stop.
    IllegalPlay, StrategyError
        When a strategy fails.
    """
    folder = Path(out).absolute()
    check_free(folder, settings, overwrite=overwrite)
    specs = stored_specs(folder, settings)
    entrants = load_checked(settings, specs, load)
    _check_reach(entrants, execution)
    copies: Copies = {}
    if not any(entrant.stored for entrant in settings.entrants.values()):  # else its study has them
        (settings,), copies = plan_copies([(settings, entrants)])
    if not settings.part_size:
        loaded = {entrant.text: entrant for entrant in entrants}
        plan = plan_run(settings, loaded.__getitem__, execution.jobs)
        settings = settings.with_part_size(plan.part_size)
    with execution.reach() as cluster, locked(folder, make=True):
        check_free(folder, settings, overwrite=overwrite)
        clear(folder)
        copy_sources(folder, copies)
        write_settings(folder, settings)
        if execution.backend != "threading":
            specs = stored_specs(folder, settings)
        parts = list(settings.parts)
        _make_parts(folder, settings, specs, load, parts, execution, cluster)
    return Run(folder, settings)


def resume_run(
    out: str | os.PathLike[str],
    load: Loader,
    *,
    deals: int | None = None,
    matches: int | None = None,
    execution: Execution = ALONE,
) -> Run:
    """Finish a run, or extend one; parts that are damaged are made again.

    Parameters
    ----------
    out : path
    load : Loader
    deals, matches : int, optional
        What the run is to have in all, where it is to be more.
    execution : Execution, optional

    Returns
    -------
    Run
        Finished.

    Raises
    ------
    RunError
        When it is no run, or its sources or settings are not what they were.
    RunInterrupted, IllegalPlay, StrategyError
        As for :func:`simulate_run`.
    """
    folder = Path(out).absolute()
    read_settings(folder)
    with execution.reach() as cluster, locked(folder):
        begun = read_settings(folder)
        settings = begun.with_count(_wanted(folder, begun, deals=deals, matches=matches))
        if changed := name_differences(begun, begun.model_copy(update={"engine": engine_hash()})):
            made = begun.versions.get("sviten")
            raise RunError(f"{folder} was begun with sviten {made} of other source: {changed}")
        specs = stored_specs(folder, begun)
        _check_reach(load_checked(begun, specs, load), execution)
        if changed := find_estrangement(folder, begun):
            raise RunError(
                f"{folder / SETTINGS_FILE} is not what the parts were written under: {changed}; "
                "put it back as it was"
            )
        parts = _parts_to_make(folder, begun, settings)
        if settings != begun:
            write_settings(folder, settings)
        remove_leftovers(folder)
        _make_parts(folder, settings, specs, load, parts, execution, cluster)
    return Run(folder, settings)


def _check_reach(entrants: Sequence[Entrant], execution: Execution) -> None:
    """Refuse entrants that the workers could not load."""
    if execution.backend != "threading":
        for entrant in entrants:
            if entrant.alone:
                raise StrategyError(f"{entrant.alone}, or take backend threading")


def _wanted(folder: Path, begun: Settings, **counts: int | None) -> int:
    """Deals or matches that a run is to have in all."""
    wanted = counts.pop(begun.unit)
    if wanted is not None:
        wanted = check_count(begun.unit, wanted, 1)
    if any(count is not None for count in counts.values()):
        more = Option(begun.unit, ...)
        raise RunError(f"{folder} is a run of {begun.unit}: ", more, " extends it")
    if wanted is not None and wanted < begun.count:
        raise RunError(f"{folder} has {begun.count} {begun.unit}: it can be extended, not cut")
    return begun.count if wanted is None else wanted


def _parts_to_make(folder: Path, begun: Settings, settings: Settings) -> list[int]:
    """Parts that are missing, damaged, or have more in `settings` than in `begun`."""
    parts = []
    for part in settings.parts:
        if part in begun.parts:
            fault = find_fault(folder, begun, part, thorough=True)
            if fault and fault != "missing":
                log.warning("%s: it is made again", fault)
            if not fault and begun.part_range(part) == settings.part_range(part):
                continue
        parts.append(part)
    return parts


def _make_parts(
    folder: Path,
    settings: Settings,
    specs: Sequence[str],
    load: Loader,
    parts: Sequence[int],
    execution: Execution,
    cluster: Cluster | None,
) -> None:
    """Make the parts `parts` of a run whose settings stand on disk."""
    left = sum(len(settings.part_range(part)) for part in parts)
    start = settings.count - left
    shown = -1

    def look(done: int) -> None:
        nonlocal shown
        if execution.progress and done != shown:
            shown = done
            execution.progress(start + done, settings.count, start)

    if not parts:
        look(0)
        return
    threads = execution.backend == "threading"
    try:
        look(0)
        entrants = load_checked(settings, specs, load)
        _compile(settings, entrants, settings.part_range(parts[0]).start)
        if threads:  # loaded once, so that a file may be edited while it plays
            load = dict(zip(specs, entrants, strict=True)).__getitem__
        board = Board(len(parts), None if threads else folder / BOARD_FILE)
        job = Job(folder, settings, tuple(specs), load, board, 0 if cluster else os.getpid())
        outcomes = make_parts(
            job, parts, execution.jobs, execution.backend, look, execution.stop, cluster
        )
    except BrokenProcessPool as error:
        why = "a worker process was killed or ran out of memory"
        raise _broken(why, folder, settings) from error
    except ClusterError as error:
        raise _broken(str(error), folder, settings) from error
    except KeyboardInterrupt as error:
        raise _interrupted(folder, settings) from error
    finally:
        remove_leftovers(folder)
    for outcome in outcomes:
        if outcome.error:
            raise outcome.error
    if sum(outcome.made for outcome in outcomes) < len(parts):
        raise _interrupted(folder, settings)


def _compile(settings: Settings, entrants: Sequence[Entrant], first: int) -> None:
    """Play a deal or match and throw it away: what it compiles, the workers find in the cache."""
    engine = Engine(settings.rules, entrants, settings.seed, settings.legs, settings.fixed)
    PartBuffer(settings, 1).play(engine, first, 1)
    if settings.forced:
        check_heedless(engine, first)


def _broken(why: str, folder: Path, settings: Settings) -> RunError:
    missing = Run(folder, settings).missing
    names = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
    return RunError(f"{why}: parts {names} are missing; ", resume_call(folder), " makes them")


def _interrupted(folder: Path, settings: Settings) -> RunInterrupted:
    return RunInterrupted(
        f"stopped: {Run(folder, settings).done} of {settings.count} {settings.unit} are kept in "
        f"{folder}; ",
        resume_call(folder),
        " finishes it",
    )


__all__ = [
    "ALONE",
    "Execution",
    "Plan",
    "Progress",
    "Run",
    "RunInterrupted",
    "choose_part",
    "open_run",
    "plan_run",
    "resume_run",
    "simulate_run",
]
