"""Playing parts in threads, processes, or on a cluster; the worker itself writes its part.

What is shared between the caller and its workers is a board of counters, in memory for threads and
in a file of the run for others: a stop flag that workers look at between kernel calls, and the
deals or matches that each task has played. So progress counts work done, and all backends stop
alike.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np
from joblib import Parallel, delayed, parallel_config

from simulate.engine.engine import Engine
from simulate.engine.entrant import Loader
from simulate.errors import Call, RunError, SvitenError
from simulate.runs.cluster import Cluster
from simulate.store.buffer import PartBuffer
from simulate.store.identity import engine_hash
from simulate.store.parts import PartWriter
from simulate.store.settings import SETTINGS_FILE, Settings
from simulate.store.sources import load_checked

Backend = Literal["threading", "loky", "dask"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)

#: Seconds that a kernel call is to take: so long it takes at most to stop.
CALL_SECONDS = 0.1
#: Seconds between two looks at the workers.
LOOK_SECONDS = 0.05
#: Seconds between a process worker's looks at whether its parent lives.
WATCH_SECONDS = 0.5
#: Seconds without a beat of the caller after which a worker elsewhere takes it for dead; a file
#: that machines share may show what is written with a minute's delay.
PATIENCE_SECONDS = 120.0


class _Quiet(logging.Filter):
    """Drops what joblib logs, traceback and all, where it is shut down while it hands out tasks."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to tell of this."""
        kind = record.exc_info[0] if record.exc_info else None
        return kind is None or kind.__name__ != "ShutdownExecutorError"  # not public in joblib


#: Added to a logger, a filter that is there already is not added again.
_QUIET = _Quiet()


class StopFlag(Protocol):
    """What tells a run to stop: a `threading.Event`, say."""

    def is_set(self) -> bool:
        """Whether to stop."""


class Stopped(Exception):
    """A worker was told to stop."""


class Board:
    """Stop flag, the caller's beats, and the deals or matches that each task has played.

    Parameters
    ----------
    tasks : int
    path : Path, optional
        File that processes share; memory of this process where it is not given. It is opened for
        each look, which is what makes it reliable where machines share a folder.
    """

    def __init__(self, tasks: int, path: Path | None = None) -> None:
        self._path = path
        self._cells = np.zeros(0 if path else _HEAD + tasks, np.int64)
        self._heard = (-1, 0.0)
        if path:
            path.write_bytes(bytes(8 * (_HEAD + tasks)))

    def _read(self, count: int = -1) -> np.ndarray:
        """First cells; raises Stopped where the run has ended without waiting for this worker."""
        if self._path is None:
            return self._cells[: None if count < 0 else count]
        try:
            return np.fromfile(self._path, np.int64, count)
        except FileNotFoundError:
            raise Stopped from None

    def _write(self, place: int, number: int) -> None:
        if self._path is None:
            self._cells[place] = number
            return
        try:
            with self._path.open("r+b", buffering=0) as file:
                file.seek(8 * place)
                file.write(np.int64(number).tobytes())
        except FileNotFoundError:
            raise Stopped from None

    def stop(self) -> None:
        """Tell all workers to stop."""
        self._write(_STOP, 1)

    @property
    def stopped(self) -> bool:
        """Whether the workers are to stop."""
        return bool(self._read(_HEAD)[_STOP])

    def check(self) -> None:
        """Raise Stopped where the workers are to stop."""
        if self.stopped:
            raise Stopped

    def beat(self) -> None:
        """Tell that the caller lives."""
        self._write(_BEAT, time.monotonic_ns())

    def listen(self) -> None:
        """Raise Stopped where the caller has not been heard of for long."""
        beat, now = int(self._read(_HEAD)[_BEAT]), time.monotonic()
        if beat != self._heard[0]:
            self._heard = beat, now
        elif now > self._heard[1] + PATIENCE_SECONDS:
            raise Stopped

    def count(self, task: int, units: int) -> None:
        """Say that a task has played so many deals or matches."""
        self._write(_HEAD + task, units)

    def done(self) -> int:
        """Deals or matches played by all tasks."""
        return int(self._read()[_HEAD:].sum())


#: Places of a board: the stop flag, the caller's last beat, then a count for each task.
_STOP, _BEAT, _HEAD = 0, 1, 2


@dataclass(frozen=True)
class Job:
    """What all workers of a run are told.

    Attributes
    ----------
    folder : Path
        The run.
    settings : Settings
    specs : tuple of str
        By seat, what loads the entrants.
    load : Loader
    board : Board
    parent : int
        Process that its workers must not outlive; they may be threads of it. 0 for workers that are
        not ours, on a cluster.
    """

    folder: Path
    settings: Settings
    specs: tuple[str, ...]
    load: Loader
    board: Board = field(repr=False)
    parent: int

    @property
    def orphaned(self) -> bool:
        """Whether this worker is a process of its own whose parent has died.

        joblib plays a lone task in the calling process, whatever the backend.
        """
        return self.parent not in (0, os.getpid(), os.getppid())

    def check(self) -> None:
        """Raise Stopped where this worker is to stop."""
        self.board.check()
        if not self.parent:
            self.board.listen()


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    Attributes
    ----------
    part : int
    made : bool
    error : SvitenError or None
        What stopped the run, where this task did.
    """

    part: int
    made: bool
    error: SvitenError | None = None


class Pace:
    """How many deals or matches make a kernel call of :data:`CALL_SECONDS`; learns as it goes."""

    def __init__(self) -> None:
        self.units = 1

    def learn(self, units: int, seconds: float) -> None:
        """Take in that so many took so long."""
        fitting = int(units * CALL_SECONDS / max(seconds, 1e-6))
        self.units = max(1, min(fitting, 4 * self.units))


_watching = threading.Lock()


def play_part(job: Job, number: int, part: int) -> Outcome:
    """Make one part, the task `number` on the board; runs in a worker.

    A failure stops all workers and is handed back rather than raised, so that the pool ends in
    order and the caller sees that one error.
    """
    if job.parent not in (0, os.getpid()):
        _watch_parent(job)
    try:
        try:
            if not job.parent:
                _check_place(job)
            _make_part(job, number, part)
        except SvitenError as error:
            with contextlib.suppress(Stopped):
                job.board.stop()
            return Outcome(part, made=False, error=error)
        except OSError as error:
            job.board.stop()
            where = error.filename or job.folder
            text = RunError(
                f"cannot write {where}: {error.strerror or error}; parts that are whole are kept: "
                "mend that, then ",
                Call("resume", str(job.folder)),
                " goes on",
            )
            return Outcome(part, made=False, error=text)
        except Stopped:
            raise
        except BaseException:
            job.board.stop()
            raise
    except Stopped:
        return Outcome(part, made=False)
    return Outcome(part, made=True)


def _make_part(job: Job, number: int, part: int) -> None:
    """Play a part and publish its files."""
    job.check()
    settings = job.settings
    entrants = load_checked(settings, job.specs, job.load)
    engine = Engine(settings.rules, entrants, settings.seed, settings.legs, settings.fixed)
    writer = PartWriter(job.folder, settings, part)
    try:
        for played in _play_groups(settings, part, engine, writer):
            job.board.count(number, played)
            job.check()
        writer.finish()
        job.check()
        if job.orphaned:
            raise Stopped
        writer.publish()
    finally:
        writer.discard()


def _play_groups(
    settings: Settings, part: int, engine: Engine, writer: PartWriter
) -> Iterator[int]:
    """Play and write a part row group by row group; yields what is played, often enough to stop."""
    ids = settings.part_range(part)
    buffer = PartBuffer(settings, len(ids))
    pace = Pace()
    at = ids.start
    while at < ids.stop:
        began = time.perf_counter()
        played = buffer.play(engine, at, min(pace.units, ids.stop - at))
        if played:
            pace.learn(played, time.perf_counter() - began)
            at += played
            yield at - ids.start
        if not played or at == ids.stop:
            for _ in writer.write(*buffer.first(buffer.units)):
                yield at - ids.start
            buffer.clear()


def _check_place(job: Job) -> None:
    """Raise RunError where a worker elsewhere does not have what it needs."""
    host = platform.node()
    if not (job.folder / SETTINGS_FILE).is_file():
        raise RunError(
            f"the worker on {host} does not see {job.folder}: all workers write their parts into "
            "the folder of the run, so put it where every machine sees it under the same path"
        )
    if engine_hash() != job.settings.engine:
        raise RunError(
            f"the worker on {host} has sviten of other source ({engine_hash()}, "
            f"{job.settings.engine} in the run): install the same there"
        )


def _watch_parent(job: Job) -> None:
    """End this process soon after its parent: nothing would wait for its work."""
    if job.orphaned:
        os._exit(1)
    if not _watching.acquire(blocking=False):
        return  # a worker that is used again is watching already

    def watch() -> None:
        while not job.orphaned:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="sviten-watch", daemon=True).start()


def make_parts(
    job: Job,
    parts: Sequence[int],
    jobs: int,
    backend: Backend,
    look: Callable[[int], None],
    stop: StopFlag | None,
    cluster: Cluster | None = None,
) -> list[Outcome]:
    """Have parts made.

    Parameters
    ----------
    job : Job
        Its board has a place for each part.
    parts : sequence of int
    jobs : int
        Workers.
    backend : {"threading", "loky", "dask"}
    look : callable
        Given the deals or matches played, every :data:`LOOK_SECONDS`, in the calling thread.
    stop : StopFlag, optional
    cluster : Cluster, optional
        For dask.

    Returns
    -------
    list of Outcome
        In the order of the parts; the later ones are absent where the run was stopped.

    Raises
    ------
    BrokenProcessPool
        When a worker process died.
    RunError
        When the cluster is gone.
    """
    logging.getLogger("concurrent.futures").addFilter(_QUIET)
    board = job.board
    outcomes: list[Outcome] = []
    failures: list[BaseException] = []
    pools: list[Any] = []

    def calls() -> Iterator[Any]:
        if backend == "loky" and hasattr(signal, "pthread_sigmask"):
            # Inherited by the processes that are started when the first task is handed out: Ctrl-C,
            # which a terminal sends to all of them, is the parent's affair. Not earlier, since
            # joblib changes the mask while it sets up, as does the tracker when it starts.
            resource_tracker.ensure_running()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        for number, part in enumerate(parts):
            if board.stopped:
                return
            yield delayed(play_part)(job, number, part)

    def work() -> None:
        options: dict[str, Any] = {"batch_size": 1, "max_nbytes": None}
        try:
            if cluster:
                # joblib would hand out as many as the cluster has cores.
                with parallel_config("dask", client=cluster.client):
                    pools.append(Parallel(pre_dispatch=jobs, **options))
            else:
                pools.append(Parallel(n_jobs=min(jobs, len(parts)), backend=backend, **options))
            outcomes.extend(pools[0](calls()))
        except BaseException as error:
            failures.append(error)

    # joblib waits in a thread of its own, so that this one can be interrupted and show progress.
    worker = threading.Thread(target=work, name="sviten-run", daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(LOOK_SECONDS)
            if cluster:
                board.beat()
                cluster.check()
            look(board.done())
            if stop is not None and stop.is_set():
                board.stop()
    except BaseException:
        board.stop()
        for pool in pools if cluster else ():
            pool._aborting = True  # or it waits for ever for what a cluster has lost
        worker.join()
        raise
    if failures:
        board.stop()
        raise failures[0]
    return outcomes


__all__ = [
    "BACKENDS",
    "Backend",
    "Board",
    "BrokenProcessPool",
    "Job",
    "Outcome",
    "StopFlag",
    "make_parts",
]
