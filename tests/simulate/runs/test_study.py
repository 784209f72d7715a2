"""Studies: several runs in one folder, played as one, stopped and taken up again."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulate.errors import IllegalPlay, RunError, StrategyError
from simulate.runs.play import Execution, RunInterrupted, open_run
from simulate.runs.study import Study, is_study, open_study, play_study, resume_study
from simulate.store.folder import locked
from simulate.store.settings import Settings
from strategies.declare.spec import load_entrant
from tests.fixtures.runs import BOLD, SHY
from tests.fixtures.studies import MEEK, RUNS, contents, fixtures, pairing, play


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Study that was not disturbed."""
    return play(tmp_path_factory.mktemp("whole") / "study", fixtures(), options={"word": 1})


def test_a_study_is_a_folder_of_runs(whole: Study) -> None:
    assert is_study(whole.folder)
    assert not is_study(whole.folder / "one")
    told = json.loads((whole.folder / "study.json").read_text())
    assert (told["kind"], told["options"], list(told["runs"])) == ("test", {"word": 1}, list(RUNS))
    assert open_study(whole.folder) == whole
    for name in RUNS:
        run = open_run(whole.folder / name)
        assert run.complete
        assert (run.settings.count, run.settings.legs) == (600, 2)


def test_progress_is_over_the_whole(tmp_path: Path, whole: Study) -> None:
    told: list[tuple[int, int, int]] = []
    execution = Execution(2, progress=lambda *counts: told.append(counts))
    study = play(tmp_path / "study", fixtures(), execution=execution)
    assert contents(study) == contents(whole)
    assert (told[0], told[-1]) == ((0, 1800, 0), (1800, 1800, 0))
    assert [each[0] for each in told] == sorted(each[0] for each in told)
    told.clear()
    (study.folder / "two" / "hands" / "part-00001.parquet").unlink()
    shutil.rmtree(study.folder / "three")
    play(study.folder, fixtures(), execution=execution)
    start = 1800 - 128 - 600
    assert (told[0], told[-1]) == ((start, 1800, start), (1800, 1800, start))
    assert contents(study) == contents(whole)


def test_a_study_that_is_stopped_again_and_again_comes_out_the_same(
    tmp_path: Path, whole: Study
) -> None:
    folder = tmp_path / "study"
    stop = threading.Event()

    def look(done: int, total: int, start: int) -> None:
        if done > start:
            stop.set()

    execution = Execution(2, progress=look, stop=stop)
    for _ in range(2):  # each time at least one more run is finished, and not all three
        with pytest.raises(
            RunInterrupted, match=r"of 1800 deals are kept in .*`sviten\.resume\(.*/s"
        ):
            play(folder, fixtures(), options={"word": 1}, execution=execution)
        stop.clear()
    with contextlib.suppress(RunInterrupted):
        resume_study(folder, load_entrant, execution=execution)
    study = resume_study(folder, load_entrant)
    assert contents(study) == contents(whole)


def test_other_settings_are_refused_and_named(tmp_path: Path, whole: Study) -> None:
    folder = tmp_path / "study"
    shutil.copytree(whole.folder, folder)
    cases: Iterator[tuple[dict[str, Settings], str]] = iter(
        [
            (fixtures(seed=8), r"one: seed 7 there, 8 here"),
            (fixtures(deals=500), r"one: deals 600 there, 500 here"),
            ({**fixtures(), "two": pairing(MEEK, BOLD)}, r"two: entrants\.N\.text"),
            ({"one": pairing(BOLD, SHY)}, "two is played there, and not here"),
        ]
    )
    for runs, told in cases:
        with pytest.raises(RunError, match=rf"other settings \({told}.*overwrite=True replaces it"):
            play(folder, runs)
    with pytest.raises(RunError, match="test there, duel here"):
        play_study(folder, "duel", fixtures(), load_entrant)
    before = contents(whole)
    assert contents(open_study(folder)) == before
    study = play(folder, {"one": pairing(BOLD, MEEK)}, overwrite=True)
    assert list(study.runs) == ["one"]
    assert not (folder / "two").exists()
    assert contents(study) != before


def test_runs_are_added_and_extended(tmp_path: Path, whole: Study) -> None:
    short = fixtures(deals=400)
    del short["two"]
    study = play(tmp_path / "study", short)
    kept = (study.folder / "one" / "hands" / "part-00000.parquet").stat().st_mtime_ns
    study = play(tmp_path / "study", fixtures(), options={"word": 1})
    assert contents(study) == contents(whole)
    assert (study.folder / "one" / "hands" / "part-00000.parquet").stat().st_mtime_ns == kept


def test_what_is_no_study_is_told(tmp_path: Path, whole: Study) -> None:
    with pytest.raises(RunError, match=r"is no study: it has no study\.json"):
        open_study(whole.folder / "one")
    with pytest.raises(RunError, match="is not empty, and is no study"):
        play(whole.folder / "one", fixtures())
    (tmp_path / "study.json").write_text("{}")
    with pytest.raises(RunError, match="is not readable as a study: 'schema'; put it back"):
        open_study(tmp_path)
    told = json.loads((whole.folder / "study.json").read_text())
    (tmp_path / "study.json").write_text(json.dumps(told | {"schema": 2}))
    with pytest.raises(RunError, match="newer sviten"):
        open_study(tmp_path)


@pytest.mark.parametrize("jobs", [1, 3])
def test_who_fails_is_left_out_and_does_not_depend_on_the_workers(
    tmp_path: Path, faulty: str, jobs: int
) -> None:
    wrong, raises = (f"{faulty}:{name}/random" for name in ("wrong", "raises"))
    pairs = {"a": (MEEK, wrong), "b": (BOLD, wrong), "c": (raises, MEEK), "d": (BOLD, MEEK)}
    runs = {name: pairing(*pair, deals=4000) for name, pair in pairs.items()}
    with pytest.raises(IllegalPlay):
        play(tmp_path / "strict", runs)
    told: list[tuple[int, int, int]] = []
    execution = Execution(jobs, progress=lambda *counts: told.append(counts))
    study = play(tmp_path / "study", runs, tolerant=True, execution=execution)
    assert [(failure.entrant, failure.run) for failure in study.failures] == [
        (wrong, "a"),
        (raises, "c"),
    ]
    assert "answered 99" in study.failures[0].why
    assert "in deal 700, leg 0, seed 7" in study.failures[0].why
    assert f"bidder raises of {raises} (seat" in study.failures[1].why
    assert "raised ValueError: boom in deal 900, leg 0" in study.failures[1].why
    assert study.standing == ["d"]
    assert study.run("d").complete
    assert not (study.folder / "b").exists()
    assert told[-1][:2] == (4000, 4000)
    assert open_study(study.folder) == study
    again = play(study.folder, runs, tolerant=True, execution=execution)
    assert again == study


def test_a_plug_in_may_be_edited_once_a_study_is_begun(tmp_path: Path, faulty: str) -> None:
    raises = f"{faulty}:raises/random"
    runs = {name: pairing(raises, name) for name in (MEEK, BOLD)}
    runs = dict(zip("ab", runs.values(), strict=True))
    study = play(tmp_path / "study", runs)
    assert study.runs["a"].entrants["N"].stored == "{study}/sources/0/faulty.py:raises/random"
    fresh = contents(study)
    shutil.rmtree(study.folder / "b")
    Path(faulty).write_text("")
    resumed = resume_study(study.folder, load_entrant, execution=Execution(2))
    assert contents(resumed) == fresh
    with pytest.raises(StrategyError, match="is no bidder"):
        load_entrant(raises)
    moved = tmp_path / "moved"
    study.folder.rename(moved)
    (moved / "a" / "hands" / "part-00000.parquet").unlink()
    assert contents(resume_study(moved, load_entrant)) == fresh


def test_a_second_process_is_kept_out(whole: Study) -> None:
    with locked(whole.folder), pytest.raises(RunError, match="another process works on"):
        resume_study(whole.folder, load_entrant)


@pytest.mark.parametrize("name", ["../../x", "a/b", "/tmp/x", "..", "", "a\0b"])
def test_a_run_is_named_by_a_plain_folder(whole: Study, tmp_path: Path, name: str) -> None:
    told = json.loads((whole.folder / "study.json").read_text())
    told["runs"][name] = told["runs"].pop("three")
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.json").write_text(json.dumps(told))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RunError, match="is no name of a run's folder"):
        resume_study(folder, load_entrant)
    assert sorted(tmp_path.rglob("*")) == before
