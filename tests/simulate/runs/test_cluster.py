"""Parts on a dask cluster: a scheduler and workers in other processes, some of them killed."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulate.errors import IllegalPlay, RunError
from simulate.runs import cluster as cluster_module
from simulate.runs import workers
from simulate.runs.cluster import reach_cluster
from simulate.runs.play import Execution, RunInterrupted, open_run, resume_run, simulate_run
from simulate.runs.workers import Board, Stopped
from strategies.declare.spec import load_entrant
from tests.fixtures.command import Sviten
from tests.fixtures.runs import BOLD, files, script, settings_of
from tests.fixtures.studies import MEEK, contents, fixtures, pairing, play
from tests.fixtures.waiting import LIMIT, wait_until


class Machines:
    """A scheduler, and workers that can be started and killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._all: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        pattern = r"Scheduler at:\s*(tcp://\S+)"
        wait_until(lambda: re.search(pattern, (folder / "log").read_text()))
        self.address = re.findall(pattern, (folder / "log").read_text())[0]

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-W", "ignore", "-m", "dask", *words, "--no-dashboard"]
        with (self._folder / "log").open("ab") as log:
            self._all.append(subprocess.Popen(command, cwd=self._folder, stderr=log))
        return self._all[-1]

    def add_worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def end(self) -> None:
        for process in self._all:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    started = Machines(tmp_path_factory.mktemp("machines"))
    try:
        started.add_worker()
        yield started
    finally:
        started.end()


def test_a_worker_that_is_killed_midway_changes_no_row(tmp_path: Path, machines: Machines) -> None:
    victim = machines.add_worker()
    with reach_cluster(machines.address) as cluster:
        cluster.client.wait_for_workers(2, timeout=LIMIT)
        assert cluster.cores == 2
    settings = settings_of(deals=120_000, part_deals=4096)
    told: list[int] = []

    def look(done: int, total: int, start: int) -> None:
        told.append(done)
        if done > 30_000 and victim.poll() is None:
            victim.kill()

    run = simulate_run(
        tmp_path / "run",
        settings,
        load_entrant,
        execution=Execution(2, backend="dask", scheduler=machines.address, progress=look),
    )
    assert victim.wait() == -signal.SIGKILL
    assert told[-1] == 120_000
    assert len(set(told)) > 20
    assert files(run) == files(
        simulate_run(tmp_path / "local", settings, load_entrant, execution=Execution(2))
    )
    assert not [path for path in run.folder.rglob("*.tmp")]


def test_a_study_runs_there_too_and_tells_who_fails(
    tmp_path: Path, machines: Machines, faulty: str
) -> None:
    execution = Execution(2, "dask", scheduler=machines.address)
    assert contents(play(tmp_path / "study", fixtures(), execution=execution)) == contents(
        play(tmp_path / "local", fixtures())
    )
    wrong = f"{faulty}:wrong/random"
    runs = {"a": pairing(MEEK, wrong, deals=3000), "b": pairing(BOLD, MEEK)}
    study = play(tmp_path / "tolerant", runs, tolerant=True, execution=execution)
    assert [failure.entrant for failure in study.failures] == [wrong]
    assert "in deal 700, leg 0, seed 7" in study.failures[0].why
    assert study.run("b").complete
    with pytest.raises(IllegalPlay, match="answered 99"):
        simulate_run(
            tmp_path / "run",
            runs["a"],
            load_entrant,
            execution=Execution(2, backend="dask", scheduler=machines.address),
        )


def test_a_stop_flag_and_ctrl_c_are_heeded(tmp_path: Path, machines: Machines) -> None:
    stop = threading.Event()
    settings = settings_of(deals=10**8, part_deals=4096)
    with pytest.raises(RunInterrupted, match=r"deals are kept .*`sviten\.resume\(.*` finishes"):
        simulate_run(
            tmp_path / "run",
            settings,
            load_entrant,
            execution=Execution(
                2,
                backend="dask",
                scheduler=machines.address,
                stop=stop,
                progress=lambda done, *_: stop.set() if done > 10_000 else None,
            ),
        )
    lines = (
        "def look(done, total, start):",
        "    if done > start: print('playing', flush=True)",
        f"try: resume_run({str(tmp_path / 'run')!r}, load_entrant, execution=",
        f"    Execution(2, 'dask', scheduler={machines.address!r}, progress=look))",
        "except KeyboardInterrupt as error: print(type(error).__name__, error)",
    )
    process = subprocess.Popen(
        script(*lines), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "playing\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    assert out.splitlines()[-1].startswith("RunInterrupted stopped: ")
    assert err == ""


def test_a_cluster_that_is_lost_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines = Machines(tmp_path)
    settings = settings_of(deals=10**6, part_deals=4096)
    try:
        worker = machines.add_worker()

        def look(done: int, total: int, start: int) -> None:
            if done > 20_000 and worker.poll() is None:
                monkeypatch.setattr(cluster_module, "WORKER_SECONDS", 1.0)
                worker.kill()

        with pytest.raises(RunError, match=r"has no workers left: parts .* are missing; `sviten"):
            simulate_run(
                tmp_path / "run",
                settings,
                load_entrant,
                execution=Execution(2, backend="dask", scheduler=machines.address, progress=look),
            )
    finally:
        machines.end()
    run = open_run(tmp_path / "run")
    assert 0 < len(run.missing) < len(run.settings.parts)
    with pytest.raises(RunError, match=f"no scheduler answers at {machines.address}: "):
        resume_run(
            run.folder,
            load_entrant,
            execution=Execution(2, backend="dask", scheduler=machines.address),
        )


def test_what_is_wrong_is_told_in_a_line(
    tmp_path: Path, machines: Machines, sviten: Sviten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    words = ["simulate", "--ns", BOLD, "--ew", BOLD, "--deals", 10, "--out", "r"]
    for more, told in (
        (["--backend", "dask"], "name it, --scheduler tcp://HOST:8786"),
        (["--backend", "dask", "--scheduler", "here"], "'here' is no address of a scheduler"),
        (["--scheduler", machines.address], "a scheduler is for backend dask alone"),
    ):
        done = sviten(*words, *more)
        assert done.code in {1, 2}
        assert told in done.err
        assert "\n" not in done.err
        assert not Path("r").exists()
    done = sviten(*words, "--backend", "dask", "--scheduler", machines.address)
    assert done.code == 0, done.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = sviten(*words, "--backend", "dask", "--scheduler", machines.address)
    assert 'which is not installed: pip install "sviten[dask]"' in done.err


def test_a_worker_elsewhere_needs_the_folder_and_the_same_source(tmp_path: Path) -> None:
    settings = settings_of(deals=10)
    run = simulate_run(tmp_path / "run", settings, load_entrant)
    board = Board(1, tmp_path / "board")
    specs = tuple(each.text for each in settings.entrants.values())
    for folder, of, told in (
        (tmp_path / "nowhere", settings, "does not see .*nowhere: all workers write"),
        (run.folder, settings.model_copy(update={"engine": "other"}), "has sviten of other source"),
    ):
        job = workers.Job(folder, of, specs, load_entrant, board, 0)
        outcome = workers.play_part(job, 0, 0)
        assert not outcome.made
        assert re.search(told, str(outcome.error))


def test_a_worker_elsewhere_gives_up_when_the_caller_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = Board(1, tmp_path / "board")
    there = pickle.loads(pickle.dumps(board))
    clock = {"now": 1.0}
    monkeypatch.setattr(workers.time, "monotonic", lambda: clock["now"])
    for silent in (99.0, 119.0):
        board.beat()
        there.listen()
        clock["now"] += silent
        there.listen()
    clock["now"] += 2.0
    with pytest.raises(Stopped):
        there.listen()
    assert os.listdir(tmp_path) == ["board"]
