"""Runs on disk: the same rows whatever happens on the way."""

from __future__ import annotations

import itertools
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from simulate.errors import CardError, RunError
from simulate.rules import Rules
from simulate.runs.plan import choose_part
from simulate.runs.play import Execution, Run, open_run, plan_run, resume_run, simulate_run
from simulate.store.differences import name_differences
from simulate.store.make import check_seed
from simulate.store.parts import part_path
from strategies.declare.spec import load_entrant
from tests.fixtures.runs import BOLD, SHY, files, rows, script, settings_of

PLUGIN = """
import numpy as np
from strategies.declare.registry import bidder, player
from simulate.compiled.bits import nth_bit
from {helper} import LEVEL

@bidder("mine", looks_at="nothing", source="a test")
def bid(view, work):
    call = np.uint64(5 * LEVEL)  # bids LEVEL NT once
    return np.int64(call) if view.legal >> call & np.uint64(1) else np.int64(0)

@player("mine", looks_at="legal", source="a test")
def play(view, work):
    return nth_bit(view.legal, 0)
"""


def run_script(*lines: str, **options: Any) -> str:
    done = subprocess.run(script(*lines), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run of 3000 deals that was not disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return simulate_run(folder, settings_of(detail=["calls", "plays"]), load_entrant)


def test_the_rows_are_the_same_for_any_jobs_backend_and_part_size(
    tmp_path: Path, whole: Run
) -> None:
    expected = {table: rows(whole, table) for table in ("hands", "calls", "plays")}
    assert expected["hands"]["deal_id"].to_pylist() == list(range(3000))
    for jobs, backend, part_deals in (
        (2, "threading", 256),
        (8, "threading", 100),
        (1, "threading", 8192),
        (2, "loky", 512),
    ):
        run = simulate_run(
            tmp_path / f"{backend}{part_deals}",
            settings_of(part_deals=part_deals, detail=["plays", "calls"]),
            load_entrant,
            execution=Execution(jobs, backend=backend),
        )
        for table, told in expected.items():
            assert rows(run, table).equals(told), (jobs, backend, part_deals, table)


def test_the_part_size_is_chosen_where_it_is_not_given(tmp_path: Path, whole: Run) -> None:
    run = simulate_run(
        tmp_path / "run", settings_of(part_deals=0), load_entrant, execution=Execution(2)
    )
    assert run.settings.part_deals == 1024
    assert files(run).keys() == {f"hands/part-{k:05d}.parquet" for k in range(3)}
    assert rows(run).equals(rows(whole))


def test_all_of_a_seed_counts(tmp_path: Path) -> None:
    seen = []
    for seed in (0, 1, 2**64 - 1, 1 + 2**32, 1 + 2**63):
        run = simulate_run(tmp_path / str(seed), settings_of(seed=seed, deals=50), load_entrant)
        assert open_run(run.folder).settings.seed == seed
        seen.append(rows(run)["score_decl"].to_pylist())
    assert len({str(scores) for scores in seen}) == len(seen)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "7", 7.0])
def test_other_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(RunError, match=r"from 0 to 18446744073709551615"):
        check_seed(seed)


def test_a_seed_is_drawn_where_none_is_given() -> None:
    seeds = {settings_of(seed=None).seed for _ in range(5)}
    assert len(seeds) == 5
    assert check_seed(np.uint64(2**64 - 1)) == 2**64 - 1


def test_a_later_range_of_deals_is_a_slice_of_the_whole(tmp_path: Path, whole: Run) -> None:
    later = settings_of(deals=range(1500, 2500), detail=["calls"])
    run = simulate_run(tmp_path / "run", later, load_entrant)
    assert [path.name for path in run.files()] == ["part-00001.parquet", "part-00002.parquet"]
    assert rows(run).equals(rows(whole).slice(1500, 1000))


def test_duplicate_plays_each_deal_in_both_seatings(tmp_path: Path) -> None:
    settings = settings_of(deals=100, duplicate=True)
    told = rows(simulate_run(tmp_path / "run", settings, load_entrant)).to_pydict()
    assert told["deal_id"] == [deal for deal in range(100) for _ in range(2)]
    assert told["leg"] == [0, 1] * 100
    assert told["entrant_n"] == [BOLD, SHY] * 100


def test_a_fixed_hand_is_held_in_every_deal(tmp_path: Path) -> None:
    settings = settings_of(deals=50, hands={"S": "AKQJT98765432..."}, detail=["plays"])
    told = rows(simulate_run(tmp_path / "run", settings, load_entrant), "plays").to_pydict()
    south = {card for card, seat in zip(told["card"], told["seat"], strict=True) if seat == 2}
    assert south == {48 + rank for rank in range(2, 15)}
    with pytest.raises(CardError, match="another seat"):
        settings_of(hands={"S": "AKQJT98765432...", "N": "A.AKQJT9876543.."})


def test_progress_counts_deals_played(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    run = simulate_run(
        tmp_path / "run",
        settings_of(),
        load_entrant,
        execution=Execution(progress=lambda *seen: told.append(seen)),
    )
    done = [seen[0] for seen in told]
    assert done == sorted(done)
    assert (told[0], told[-1]) == ((0, 3000, 0), (3000, 3000, 0))
    part_path(run.folder, "hands", 1).unlink()
    told.clear()
    resume_run(
        run.folder, load_entrant, execution=Execution(progress=lambda *seen: told.append(seen))
    )
    start = 3000 - 1024
    assert (told[0], told[-1]) == ((start, 3000, start), (3000, 3000, start))


# Folders


def test_a_finished_run_is_replaced_on_request_alone(tmp_path: Path, whole: Run) -> None:
    run = simulate_run(tmp_path / "run", settings_of(deals=4000, detail=["calls"]), load_entrant)
    notes = run.folder / "notes.txt"
    notes.write_text("mine")
    (run.folder / "hands" / "mine.csv").write_text("mine")
    with pytest.raises(
        RunError, match=r"finished run: `sviten\.resume\(.*, deals=\.\.\.\)` extends it, ov"
    ):
        simulate_run(run.folder, settings_of(), load_entrant)
    run = simulate_run(run.folder, settings_of(), load_entrant, overwrite=True)
    assert rows(run).equals(rows(whole))
    assert not list((run.folder / "calls").iterdir())
    assert notes.is_file()
    assert (run.folder / "hands" / "mine.csv").is_file()


def test_an_unfinished_run_is_refused_and_the_difference_named(tmp_path: Path) -> None:
    run = simulate_run(tmp_path / "run", settings_of(), load_entrant)
    part_path(run.folder, "hands", 1).unlink()
    with pytest.raises(RunError, match=r"unfinished run: `sviten\.resume\(.*\)` finishes it"):
        simulate_run(run.folder, settings_of(), load_entrant)
    with pytest.raises(RunError, match=r"other settings \(seed 7 there, 8 here\)"):
        simulate_run(run.folder, settings_of(seed=8), load_entrant)


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(RunError, match="not empty, and is no run"):
            simulate_run(tmp_path, settings_of(), load_entrant, overwrite=overwrite)
        with pytest.raises(RunError, match="is a file"):
            simulate_run(tmp_path / "thesis.tex", settings_of(), load_entrant, overwrite=overwrite)
    with pytest.raises(RunError, match="no name in UTF-8"):
        simulate_run(os.fsdecode(bytes(tmp_path) + b"/\xff"), settings_of(), load_entrant)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_run_killed_as_it_began_does_not_block_its_folder(tmp_path: Path) -> None:
    (tmp_path / ".run.json.0123456789ab.tmp").write_text('{"deals"')
    copy = tmp_path / "sources" / "0"
    copy.mkdir(parents=True)
    for name in ("1999", "notes"):  # those of a user are no copies
        (other := copy.with_name(name)).mkdir()
        with pytest.raises(RunError, match="not empty, and is no run"):
            simulate_run(tmp_path, settings_of(), load_entrant)
        other.rmdir()
    simulate_run(tmp_path, settings_of(), load_entrant)
    assert not [*tmp_path.glob(".run*"), *copy.parent.glob("*")]


def test_what_is_no_whole_run_is_told_apart(tmp_path: Path, whole: Run) -> None:
    with pytest.raises(RunError, match="does not exist"):
        open_run(tmp_path / "none")
    with pytest.raises(RunError, match=r"has no run\.json"):
        open_run(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"is a file, where the folder of a run is expected"):
        open_run(tmp_path / "file")
    (tmp_path / "torn").mkdir()
    for text in ("{", '{"schema": 1}'):
        (tmp_path / "torn" / "run.json").write_text(text)
        with pytest.raises(RunError, match=r"; put it back .* the run anew with overwrite=True"):
            open_run(tmp_path / "torn")
    run = Run(tmp_path / "run", whole.settings)
    shutil.copytree(whole.folder, run.folder)
    part_path(run.folder, "hands", 2).unlink()
    assert not open_run(run.folder).complete
    assert open_run(run.folder).missing == [2]
    with pytest.raises(RunError, match=r"1 of 3 parts are missing; `sviten\.resume"):
        rows(open_run(run.folder))
    path = run.folder / "run.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps(values | {"schema": 2, "new": 1}))
    with pytest.raises(RunError, match=r"newer sviten \(schema 2"):
        open_run(run.folder)
    path.write_text(json.dumps(values | {"seed": -3}))
    with pytest.raises(RunError, match="seed"):
        open_run(run.folder)
    path.write_text("{")
    with pytest.raises(RunError, match="not readable"):
        open_run(run.folder)


def test_columns_are_read_by_name_and_tables_by_detail(tmp_path: Path, whole: Run) -> None:
    batch = next(open_run(whole.folder).batches(["score_ns", "made"]))
    assert batch.schema.names == ["score_ns", "made"]
    run = simulate_run(tmp_path / "run", settings_of(), load_entrant)
    with pytest.raises(RunError, match="was run without detail='plays'"):
        rows(run, "plays")


def test_a_second_process_is_kept_out(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    told = []

    def look(done: int, total: int, start: int) -> None:
        if not told:
            lines = (
                "for act in ('resume', 'simulate'):",
                "  try:",
                f"    if act == 'resume': resume_run({str(folder)!r}, load_entrant)",
                f"    else: simulate_run({str(folder)!r}, make_settings(Rules(), [BOLD] * 4, "
                "load_entrant, deals=10), load_entrant, overwrite=True)",
                "  except Exception as error: print(error)",
            )
            told.append(run_script(*lines))

    run = simulate_run(folder, settings_of(), load_entrant, execution=Execution(progress=look))
    assert told[0].count(f"another process works on {folder}") == 2
    assert run.complete


# Taking up


def test_a_resumed_run_has_the_same_bytes(tmp_path: Path, whole: Run) -> None:
    run = Run(tmp_path / "run", whole.settings)
    shutil.copytree(whole.folder, run.folder)
    for table, part in (("hands", 0), ("calls", 1), ("plays", 2)):
        part_path(run.folder, table, part).unlink()
    (run.folder / "hands" / ".part-00000.parquet.1-1.tmp").write_bytes(b"PAR1")
    resume_run(run.folder, load_entrant, execution=Execution(2))
    assert files(run) == files(whole)
    assert not list(run.folder.rglob("*.tmp"))
    before = {path: path.stat().st_mtime_ns for path in run.folder.rglob("*.parquet")}
    resume_run(run.folder, load_entrant)  # nothing is left to do
    assert before == {path: path.stat().st_mtime_ns for path in run.folder.rglob("*.parquet")}


def test_a_damaged_part_is_named_and_made_again(
    tmp_path: Path, whole: Run, caplog: pytest.LogCaptureFixture
) -> None:
    run = Run(tmp_path / "run", whole.settings)
    shutil.copytree(whole.folder, run.folder)
    path = part_path(run.folder, "hands", 1)
    content = bytearray(path.read_bytes())
    content[2000] ^= 0x40
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"part-00001\.parquet is damaged.*sviten\.resume"):
        rows(open_run(run.folder))
    with caplog.at_level(logging.WARNING):
        resume_run(run.folder, load_entrant)
    assert len(caplog.records) == 1
    assert str(path) in caplog.text
    assert files(run) == files(whole)


@pytest.mark.parametrize("deals", [2500, 3000])
def test_an_extended_run_is_as_one_of_that_length(tmp_path: Path, whole: Run, deals: int) -> None:
    short = settings_of(deals=1500, detail=["calls", "plays"])
    run = simulate_run(tmp_path / "run", short, load_entrant)
    first = part_path(run.folder, "hands", 0)
    before = first.stat().st_mtime_ns
    run = resume_run(run.folder, load_entrant, deals=deals, execution=Execution(2))
    assert first.stat().st_mtime_ns == before
    assert open_run(run.folder).settings.deals == deals
    assert rows(run).equals(rows(whole).slice(0, deals))
    if deals == 3000:
        assert files(run) == files(whole)
    with pytest.raises(RunError, match=f"has {deals} deals"):
        resume_run(run.folder, load_entrant, deals=100)


def test_other_sources_are_refused_and_named(tmp_path: Path) -> None:
    run = simulate_run(tmp_path / "run", settings_of(), load_entrant)
    path = run.folder / "run.json"
    kept = path.read_text()
    values = json.loads(kept)
    values["entrants"]["E"]["source"] = "0123456789abcdef"
    path.write_text(json.dumps(values))
    with pytest.raises(RunError, match=r"source of random.* \(seat E\) is 0123456789abcdef there"):
        resume_run(run.folder, load_entrant)
    path.write_text(json.dumps(json.loads(kept) | {"engine": "0123456789abcdef"}))
    with pytest.raises(RunError, match="engine 0123456789abcdef there"):
        resume_run(run.folder, load_entrant)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 8}, "seed 7 in the parts, 8 in run.json; put it back"),
        ({"part_deals": 500}, "part_deals 1024 in the parts, 500 in run.json; put it back"),
    ],
)
def test_settings_that_the_parts_are_not_of_are_refused(
    tmp_path: Path, whole: Run, change: dict[str, int], told: str
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole.folder, folder)
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    text = path.read_text()
    for deals in (None, 4000):
        with pytest.raises(RunError, match=told):
            resume_run(folder, load_entrant, deals=deals)
    assert path.read_text() == text
    assert files(open_run(folder)) == files(whole)


def test_a_part_of_other_settings_among_others_is_made_again(tmp_path: Path, whole: Run) -> None:
    other = simulate_run(
        tmp_path / "other", settings_of(seed=8, detail=["calls", "plays"]), load_entrant
    )
    folder = tmp_path / "run"
    shutil.copytree(whole.folder, folder)
    shutil.copy(part_path(other.folder, "hands", 0), part_path(folder, "hands", 0))
    part_path(folder, "hands", 1).write_bytes(b"none")
    assert files(resume_run(folder, load_entrant)) == files(whole)


def test_differences_are_named_in_one_line() -> None:
    here = settings_of()
    there = settings_of(seed=8, rules=Rules(slam_bonus=0), part_deals=2048, deals=1)
    told = name_differences(there, here)
    assert told.startswith("rules.slam_bonus 0 there, 25 here; seed 8 there, 7 here")
    assert told.endswith("; and 1 more")
    assert not name_differences(here, here.model_copy(update={"created": "", "versions": {}}))


BEGIN = (
    "settings = make_settings(Rules(), [BOLD, SHY] * 2, load_entrant, deals={deals}, seed=7,",
    "    detail=['calls']).with_part_size(8192)",
    "def look(done, total, start): print('playing', flush=True)",
    "try: simulate_run({folder!r}, settings, load_entrant, execution=Execution(2, progress=look))",
    "except RunError: resume_run({folder!r}, load_entrant, execution=Execution(2, progress=look))",
)


def interrupt_and_resume(tmp_path: Path, times: int, deals: int) -> None:
    chance = random.Random(times)
    fresh = settings_of(deals=deals, part_deals=8192, detail=["calls"])
    undisturbed = simulate_run(tmp_path / "fresh", fresh, load_entrant, execution=Execution(2))
    folder = tmp_path / "run"
    lines = [line.format(deals=deals, folder=str(folder)) for line in BEGIN]
    lines.insert(0, "from simulate.errors import RunError")
    kept = 0
    for _ in range(times):
        process = subprocess.Popen(script(*lines), stdout=subprocess.PIPE, text=True)
        assert process.stdout
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        run = open_run(folder)
        assert len(run.settings.parts) - len(run.missing) >= kept  # none is lost
        kept = len(run.settings.parts) - len(run.missing)
    run = resume_run(folder, load_entrant, execution=Execution(2))
    assert files(run) == files(undisturbed)
    assert not list(folder.rglob("*.tmp"))


def test_a_run_killed_at_any_moment_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    interrupt_and_resume(tmp_path, times=2, deals=150_000)


@pytest.mark.slow
def test_twenty_kills_change_no_byte(tmp_path: Path) -> None:
    interrupt_and_resume(tmp_path, times=20, deals=800_000)


# Plug-ins


@pytest.fixture
def plugins(tmp_path: Path) -> list[str]:
    """Specs of two plug-ins of one name, in folders of their own, each with a helper."""
    for place, level in (("a", 2), ("b", 3)):
        folder = tmp_path / "bots" / place
        folder.mkdir(parents=True)
        (folder / "mine.py").write_text(PLUGIN.format(helper=f"helper_{place}"))
        (folder / f"helper_{place}.py").write_text(f"LEVEL = {level}\n")
    return ["bots/a/mine.py:mine", "bots/b/mine.py:mine/random"]


def test_a_run_goes_on_with_the_plugins_it_was_begun_with(
    tmp_path: Path, plugins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin = (
        f"settings = make_settings(Rules(), {plugins!r} * 2, load_entrant, deals=1000, seed=7)",
        "settings = settings.with_part_size(256)",
        "simulate_run('run', settings, load_entrant)",
    )
    run_script(*begin)
    run = open_run("run")
    expected = files(run)
    assert set(rows(run)["level"].to_pylist()) == {3}  # both are heard: 2 NT, then 3 NT
    assert [entrant.text for entrant in run.settings.entrants.values()] == plugins * 2
    copies = sorted(path.relative_to("run/sources") for path in Path("run/sources").rglob("*.py"))
    assert [str(path) for path in copies] == [
        "0/helper_a.py", "0/mine.py", "1/helper_b.py", "1/mine.py",
    ]  # fmt: skip
    Path("bots/a/mine.py").write_text("raise ValueError('edited')")
    Path("bots/b/helper_b.py").write_text("LEVEL = 6")
    shutil.move("bots/b/mine.py", "bots/b/gone.py")
    shutil.move("run", "moved")
    moved = tmp_path / "moved"
    again = ["from pathlib import Path"]
    for backend, parts in (("threading", (1, 3)), ("loky", (0, 2))):
        gone = [str(part_path(moved, "hands", part)) for part in parts]
        again += [
            f"for path in {gone}: Path(path).unlink()",
            f"resume_run({str(moved)!r}, load_entrant, execution=Execution(2, {backend!r}))",
        ]
    run_script(*again, cwd=os.sep)
    assert files(open_run(moved)) == expected


def test_a_plugin_may_be_edited_while_it_plays(tmp_path: Path, plugins: list[str]) -> None:
    specs = [str(tmp_path / spec) for spec in plugins]
    settings = settings_of(entrants=specs * 2, deals=50_000, part_deals=512)

    def look(done: int, total: int, start: int) -> None:
        if done:
            (tmp_path / "bots" / "a" / "mine.py").write_text("raise ValueError('edited')")

    run = simulate_run(
        tmp_path / "run", settings, load_entrant, execution=Execution(2, progress=look)
    )
    assert set(rows(run)["level"].to_pylist()) == {3}


def test_process_workers_load_the_copies(
    tmp_path: Path, plugins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = settings_of(entrants=plugins * 2, deals=500, part_deals=128)
    threads = simulate_run("threads", settings, load_entrant, execution=Execution(2))
    processes = simulate_run(
        "processes", settings, load_entrant, execution=Execution(2, backend="loky")
    )
    assert rows(threads).equals(rows(processes))
    edited = tmp_path / "processes" / "sources" / "0" / "helper_a.py"
    edited.write_text("LEVEL = 4\n")
    refused = "try: resume_run('processes', load_entrant)\nexcept Exception as error: print(error)"
    assert "(seat N) is" in run_script(refused)


# Planning


def test_a_plan_tells_time_disk_and_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # By this clock 1, 16 and 256 deals take a moment, and 4096 a second; writing them, another.
    clock = itertools.accumulate([0.001] * 6 + [1.0] * 4)
    monkeypatch.setattr("simulate.runs.plan.time", Mock(perf_counter=lambda: next(clock)))
    settings = settings_of(deals=40_000, part_deals=0, detail=["calls", "plays"])
    plan = plan_run(settings, load_entrant)
    run = simulate_run(
        tmp_path / "run",
        settings.model_copy(update={"part_deals": plan.part_size}),
        load_entrant,
    )
    size = sum(path.stat().st_size for path in run.folder.rglob("*.parquet"))
    assert 0.85 < plan.size / size < 1.15
    assert plan.seconds == pytest.approx(40_000 / 4096 * 2)


@pytest.mark.parametrize(
    ("rate", "deals", "jobs", "expected"),
    [
        (1e5, 20_000_000, 2, 2**18),  # fast
        (1e4, 20_000_000, 2, 2**17),  # 20 seconds
        (1e5, 100_000, 8, 4096),  # three parts a job
        (1e5, 2000, 8, 1024),  # not too small
        (2.0, 10_000, 8, 32),  # slow: the time of a part counts
        (0.1, 1000, 2, 2),
        (0.01, 1000, 2, 1),
    ],
)
def test_parts_fit_time_and_workers(rate: float, deals: int, jobs: int, expected: int) -> None:
    assert choose_part(rate, deals, jobs) == expected


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(RunError, match="0 deals"):
        settings_of(deals=0)
    with pytest.raises(RunError, match="3 entrants"):
        settings_of(entrants=[BOLD] * 3)
    with pytest.raises(RunError, match="'tricks'"):
        settings_of(detail=["tricks"])
    with pytest.raises(RunError, match="seat 'X'"):
        settings_of(hands={"X": "AKQJT98765432..."})
