"""Runs in Python; `sviten` gives these out under its own name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from simulate.cards import SEATS
from simulate.runs.cluster import reach_cluster
from simulate.runs.merge import merge_runs
from simulate.runs.play import Execution, Progress, simulate_run
from simulate.runs.workers import Backend, StopFlag
from simulate.store.make import make_settings
from simulate.store.settings import Settings
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike, seat_entrants
from sviten.api.tables import Tables
from sviten.defaults import ENTRANT_EW, ENTRANT_NS, RUN_DEALS
from sviten.display.progress import only_called, shows_progress

RESULTS = Path("results")

_LONGEST_NAME = 80


def default_jobs(backend: Backend = "threading", scheduler: str = "") -> int:
    """Cores that this process may use, or those of the cluster."""
    if backend == "dask":
        with reach_cluster(scheduler) as cluster:
            return cluster.cores
    return choices.cores()


def make_execution(
    jobs: int | None,
    backend: Backend,
    scheduler: str,
    progress: Progress | bool | None = None,
    stop: StopFlag | None = None,
) -> Execution:
    """Who works on a study; as many as :func:`default_jobs` says where `jobs` is not given."""
    workers = default_jobs(backend, scheduler) if jobs is None else jobs
    return Execution(workers, backend, only_called(progress), stop, scheduler)


def default_folder(settings: Settings) -> Path:
    """Folder under ``results/`` that is not there yet, named by what is played."""
    return free_folder(run_name(settings))


def run_name(settings: Settings) -> str:
    """Name a run by its entrants, by what its rules change, and by its seed."""
    texts = [settings.entrants[seat].text for seat in SEATS if seat in settings.entrants]
    named = [re.sub(r"[^/]*/(?=[^/]*\.py:)", "", text) for text in texts]  # no folders of files
    sides = ["+".join(dict.fromkeys(named[side::2])) for side in (0, 1)]
    changes = ",".join(f"{name}={value}" for name, value in settings.rules.changes().items())
    message = "-v-".join(sides) + (f"-{changes}" if changes else "")
    message = f"forced-{message}" if settings.forced else message
    name = re.sub(r"[^A-Za-z0-9]+", "-", message).strip("-")[:_LONGEST_NAME].rstrip("-")
    return f"{name}-seed-{settings.seed}"


def free_folder(name: str) -> Path:
    """Folder under ``results/`` that is not there yet: of this name, or with a number behind it."""
    folder = RESULTS / name
    number = 1
    while folder.exists():
        number += 1
        folder = RESULTS / f"{name}-{number}"
    return folder


@shows_progress("deals")
def simulate(
    ns: str = ENTRANT_NS,
    ew: str = ENTRANT_EW,
    *,
    seats: Mapping[str, str] | None = None,
    deals: int | range | None = None,
    matches: int | range | None = None,
    rules: RulesLike = "classic",
    duplicate: bool = False,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    detail: str | Sequence[str] = (),
    hands: Mapping[str, str] | None = None,
    forced: bool = False,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str = "",
    overwrite: bool = False,
    progress: Progress | bool | None = None,
    stop: StopFlag | None = None,
) -> Tables:
    """Play deals or whole matches, and write a run.

    Parameters
    ----------
    ns, ew : str
        Entrants, written ``bidder/player``.
    seats : mapping of str to str, optional
        An entrant for each of N, E, S and W, in place of `ns` and `ew`.
    deals, matches : int or range, optional
        One of them, how many or which ids; 100 000 deals where neither is given.
    rules : str, Rules or mapping
        Variant, rule set, or fields that differ from the classic game.
    duplicate : bool
        Play each deal or match again with the seats changed.
    seed : int, optional
        0..2**64 - 1; drawn where it is not given.
    out : path, optional
        Folder of the run; one under ``results/`` where it is not given.
    detail : {"calls", "plays"}, or a sequence of them
        Further tables to write.
    hands : mapping of str to str, optional
        Hands that seats are given in every deal.
    forced : bool
        Play every hand in every denomination, declared by every seat, without an auction.
    jobs : int, optional
        Workers; as many as there are cores where it is not given.
    backend : {"threading", "loky", "dask"}
        Threads, processes, or the workers of a dask cluster, which must see the folder under the
        same path.
    scheduler : str
        Address of the cluster; that of dask's own settings where it is empty.
    overwrite : bool
        Replace a run that stands in the folder.
    progress : bool or callable, optional
        True shows it. A function is given deals or matches done, in all, and done before.
    stop : optional
        Has ``is_set()``, such as a `threading.Event`; ends the run when it is.

    Returns
    -------
    Tables

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    chosen = choices.rules(rules)
    settings = make_settings(
        chosen,
        seat_entrants(ns, ew, seats, chosen),
        load_entrant,
        deals=RUN_DEALS if deals is None and matches is None else deals,
        matches=matches,
        seed=seed,
        duplicate=duplicate,
        detail=detail,
        hands=hands,
        forced=forced,
    )
    run = simulate_run(
        out if out is not None else default_folder(settings),
        settings,
        load_entrant,
        execution=make_execution(jobs, backend, scheduler, progress, stop),
        overwrite=overwrite,
    )
    return Tables(run)


def merge(
    runs: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> Tables:
    """Join runs of the same settings whose deals follow one another.

    Parameters
    ----------
    runs : sequence of path
        Finished, in any order.
    out : path
        Folder of the run that they make: its rows are those of a run made in one go.
    overwrite : bool
        Replace a run that stands in the folder.

    Returns
    -------
    Tables

    Raises
    ------
    SvitenError
        When they cannot be joined.
    """
    return Tables(merge_runs(runs, out, overwrite=overwrite))
