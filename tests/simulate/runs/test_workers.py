"""Workers: they stop when told, end with their parent, and one that dies costs nothing else."""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from joblib.externals.loky._base import Future
from joblib.externals.loky.process_executor import ShutdownExecutorError

from simulate.errors import IllegalPlay, RunError, StrategyError
from simulate.runs.play import Execution, RunInterrupted, open_run, resume_run, simulate_run
from simulate.runs.workers import Backend, Board, Pace, Stopped
from strategies.declare.spec import load_entrant
from tests.fixtures.runs import files, rows, script, settings_of
from tests.fixtures.scripts import failing_bidders
from tests.fixtures.waiting import LIMIT, wait_until

BACKENDS: list[Backend] = ["threading", "loky"]


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    path = tmp_path / "faulty.py"
    path.write_text(failing_bidders(7, [5000], [5000]))
    return str(path)


def workers_of(pid: int) -> list[psutil.Process]:
    """Worker processes of joblib below a process."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # one that ends at this moment, of a test before
            if "popen_loky" in " ".join(process.cmdline()):
                found.append(process)
    return found


def _but_for_joblib(errors: str) -> str:
    """Drop what joblib itself says where processes were still starting.

    Its tracker of temporary folders is then told twice that a folder is gone, now and then.
    """
    twice = r"Traceback [^\n]*\n(?:  [^\n]*\n)+KeyError: '[^\n]*joblib_memmapping_folder[^\n]*\n"
    gone = r"[^\n]*UserWarning: Failed to delete temporary folder: [^\n]*\n  warnings\.warn\(\n"
    return re.sub(f"{twice}|{gone}", "", errors)


def test_a_kernel_call_comes_to_take_a_tenth_of_a_second() -> None:
    pace = Pace()
    for _ in range(20):
        pace.learn(pace.units, pace.units * 1e-5)
    assert pace.units == pytest.approx(10_000, rel=0.01)
    pace.learn(pace.units, 10)  # a slow stretch is met at once
    assert pace.units == pytest.approx(100, rel=0.01)
    pace.learn(pace.units, 1e9)
    assert pace.units == 1


def test_a_board_is_shared_through_its_file(tmp_path: Path) -> None:
    board = Board(3, tmp_path / "board")
    there = pickle.loads(pickle.dumps(board))
    there.count(0, 5)
    there.count(2, 7)
    assert board.done() == 12
    board.check()
    there.stop()
    with pytest.raises(Stopped):
        board.check()
    late = pickle.loads(pickle.dumps(board))
    (tmp_path / "board").unlink()
    with pytest.raises(Stopped):  # the run is over
        late.check()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["wrong", "raises"])
def test_a_failing_strategy_stops_the_run_and_is_named(
    tmp_path: Path, faulty: str, name: str, backend: Backend
) -> None:
    entrant = f"{faulty}:{name}/random"
    settings = settings_of(entrants=[entrant] * 4, deals=10**9, part_deals=1024)
    folder = tmp_path / "run"
    with pytest.raises(StrategyError, match=r"deal 5000, leg 0, seed 7") as caught:
        simulate_run(folder, settings, load_entrant, execution=Execution(2, backend=backend))
    assert isinstance(caught.value, IllegalPlay) == (name == "wrong")
    told = str(caught.value)
    assert "seat E" in told
    assert name in told
    assert ("99" if name == "wrong" else "ValueError: boom") in told
    kept = {path.name for path in (folder / "hands").iterdir()}
    assert kept <= {f"part-{k:05d}.parquet" for k in range(50)} - {"part-00004.parquet"}
    # Whoever met the failure had played all earlier parts but the one that the other was at.
    assert len(kept & {f"part-{k:05d}.parquet" for k in range(4)}) >= 3


def test_a_strategy_that_fails_at_once_leaves_no_folder(tmp_path: Path, faulty: str) -> None:
    settings = settings_of(
        entrants=[f"{faulty}:wrong/random"] * 4, deals=range(5000, 5009), part_deals=0
    )
    with pytest.raises(IllegalPlay):
        simulate_run(tmp_path / "run", settings, load_entrant)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_stop_flag_is_heeded_soon(tmp_path: Path, backend: Backend) -> None:
    stop = threading.Event()

    def look(done: int, total: int, start: int) -> None:
        if done > 20_000 and not stop.is_set():
            stop.set()

    settings = settings_of(deals=10**8, part_deals=4096)
    with pytest.raises(RunInterrupted, match=r"deals are kept .*`sviten\.resume\(.*` finishes"):
        simulate_run(
            tmp_path / "run",
            settings,
            load_entrant,
            execution=Execution(2, backend=backend, progress=look, stop=stop),
        )
    run = open_run(tmp_path / "run")
    assert 0 < len(run.settings.parts) - len(run.missing) < 1000
    assert not list(run.folder.rglob("*.tmp"))


def test_a_progress_callback_that_fails_stops_the_workers(tmp_path: Path) -> None:
    def look(done: int, total: int, start: int) -> None:
        if done:
            raise ZeroDivisionError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        simulate_run(
            tmp_path / "run",
            settings_of(deals=10**8),
            load_entrant,
            execution=Execution(2, progress=look),
        )
    # A pool's own threads end a moment after it has let go of its tasks.
    wait_until(lambda: threading.active_count() <= before)
    assert open_run(tmp_path / "run").missing


@pytest.mark.parametrize(
    ("backend", "wait"), [("threading", 0.5), ("loky", 0.2), ("loky", 1.5)]
)  # processes are still starting after 0.2 s
def test_ctrl_c_stops_with_one_line(tmp_path: Path, backend: Backend, wait: float) -> None:
    folder = tmp_path / "run"
    lines = (
        "settings = make_settings(Rules(), [BOLD, SHY] * 2, load_entrant, deals=10**8, seed=7)",
        "settings = settings.with_part_size(4096)",
        "def look(done, total, start):",
        "    if not done: print('playing', flush=True)",
        f"try: simulate_run({str(folder)!r}, settings, load_entrant, execution=",
        f"    Execution(2, {backend!r}, progress=look))",
        "except KeyboardInterrupt as error: print(type(error).__name__, error)",
    )
    process = subprocess.Popen(
        script(*lines),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    process.stdout.readline()
    time.sleep(wait)
    # A terminal sends it to the workers as well.
    os.killpg(process.pid, signal.SIGINT)
    told, errors = process.communicate(timeout=LIMIT)
    assert re.fullmatch(r"RunInterrupted stopped: \d+ of 100000000 deals .*resume.*\n", told)
    assert _but_for_joblib(errors) == ""
    assert not list(folder.rglob("*.tmp"))
    assert open_run(folder).missing


@pytest.mark.parametrize("options", [{"jobs": 2, "deals": 500}, {"jobs": 1, "deals": 3000}])
def test_a_lone_process_worker_plays_like_a_thread(tmp_path: Path, options: dict[str, int]) -> None:
    folder = tmp_path / "run"
    done = subprocess.run(
        script(
            f"settings = make_settings(Rules(), [BOLD, SHY] * 2, load_entrant, seed=7,"
            f" deals={options['deals']}).with_part_size(1024)",
            f"simulate_run({str(folder)!r}, settings, load_entrant,"
            f" execution=Execution({options['jobs']}, 'loky'))",
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    settings = settings_of(deals=options["deals"])
    threaded = simulate_run(tmp_path / "threaded", settings, load_entrant)
    assert files(open_run(folder)) == files(threaded)


def test_a_pool_that_is_shut_down_by_ctrl_c_logs_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(deals=5)
    run = simulate_run(
        tmp_path / "run", settings, load_entrant, execution=Execution(2, backend="loky")
    )
    assert not run.missing

    def tell(error: Exception) -> None:
        future = Future()
        future.add_done_callback(lambda _: (_ for _ in ()).throw(error))
        future.set_result(None)

    with caplog.at_level(logging.ERROR):
        tell(ShutdownExecutorError("cannot schedule new futures after shutdown"))
        assert not caplog.records
        tell(ValueError("another"))
    assert len(caplog.records) == 1


def test_a_killed_worker_costs_no_finished_part(tmp_path: Path) -> None:
    settings = settings_of(deals=200_000, part_deals=4096)
    killed: list[int] = []

    def look(done: int, total: int, start: int) -> None:
        if done > 30_000 and not killed:
            victim = workers_of(os.getpid())[0]
            victim.kill()
            killed.append(victim.pid)

    with pytest.raises(RunError, match=r"worker process .* parts [\d, .]+ are missing; `sviten"):
        simulate_run(
            tmp_path / "run",
            settings,
            load_entrant,
            execution=Execution(2, backend="loky", progress=look),
        )
    assert killed
    run = open_run(tmp_path / "run")
    assert 0 < len(run.missing) < len(run.settings.parts)
    resumed = resume_run(tmp_path / "run", load_entrant, execution=Execution(2, backend="loky"))
    fresh = simulate_run(tmp_path / "fresh", settings, load_entrant, execution=Execution(2))
    assert files(resumed) == files(fresh)
    assert rows(resumed).num_rows == 200_000


def test_workers_end_with_their_parent_and_write_nothing_later(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    lines = (
        "settings = make_settings(Rules(), [BOLD, SHY] * 2, load_entrant, deals=10**8, seed=7)",
        "settings = settings.with_part_size(4096)",
        "def look(done, total, start):",
        "    if done > 30_000: print('playing', flush=True)",
        f"simulate_run({str(folder)!r}, settings, load_entrant,",
        "    execution=Execution(3, 'loky', progress=look))",
    )
    process = subprocess.Popen(script(*lines), stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()
    family = psutil.Process(process.pid).children(recursive=True)
    assert len(workers_of(process.pid)) == 3
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(family, timeout=LIMIT)
    assert not alive  # so none is left that could write
    assert open_run(folder).missing


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_full_disk_is_told_in_a_line(tmp_path: Path, backend: Backend) -> None:
    folder = tmp_path / "run"
    lines = (
        "import resource",
        "settings = make_settings(Rules(), [BOLD, SHY] * 2, load_entrant, deals=90_000, seed=7)",
        "settings = settings.with_part_size(30_000)",
        "plan_run(settings, load_entrant)  # the cache of compiled code is to fit",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))",
        f"try: simulate_run({str(folder)!r}, settings, load_entrant, execution=",
        f"    Execution(2, {backend!r}))",
        "except Exception as error: print(type(error).__name__, error)",
    )
    done = subprocess.run(script(*lines), capture_output=True, text=True, check=True)
    assert re.fullmatch(
        r"RunError cannot write .*: File too large; parts .* `sviten\.resume\(.*run.\)` goes on\n",
        done.stdout,
    )
    assert done.stderr == ""
    assert not list(folder.rglob("*.tmp"))
    assert not list(folder.rglob("*.parquet"))
