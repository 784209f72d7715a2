"""Sweeps of a parameter: the same deals for every value, and an honest best one."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numba.core import event

import sviten
from analysis.compare.margins import run_margins
from analysis.compare.sweep import Sweep
from analysis.stats.bootstrap import Resampled
from simulate.errors import RunError, StrategyError
from simulate.runs.play import Execution, RunInterrupted
from simulate.runs.study import open_study
from strategies.declare.spec import with_parameter
from sviten.cli import main
from sviten.commands.sweep import read_sweep
from sviten.display.failures import UsageError
from sviten.studies.base import finish_study
from sviten.studies.sweep import Swept

VALUES = [6.0, 7.5, 9.0]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    out = tmp_path_factory.mktemp("sweep") / "s"
    return sviten.sweep("tips/greedy", "keep", VALUES, deals=1500, seed=7, out=out, jobs=1)


def test_each_value_is_a_run_of_its_own(swept: Swept, tmp_path: Path) -> None:
    for number, point in enumerate(swept.sweep.points):
        plain = sviten.simulate(
            f"tips/greedy(keep={point.value:g})",
            "tips/greedy",
            deals=1500,
            duplicate=True,
            seed=7,
            out=tmp_path / str(number),
            jobs=1,
        )
        sums = run_margins(plain.run)
        assert point.margin == pytest.approx(sums.mean)
        assert swept.sweep.rows()[number]["deviation"] == pytest.approx(
            sums.deviation * np.sqrt(1500 / 1499)
        )
        interval = sums.interval(1 - 0.05 / 3)  # Bonferroni's, for three values
        assert point.band == pytest.approx(interval)
    assert [point.value for point in swept.sweep.points] == VALUES


def test_its_own_value_is_level(swept: Swept) -> None:
    own = swept.sweep.points[1]
    assert (own.margin, own.band) == (0.0, (0.0, 0.0))
    assert swept.best == 7.5
    assert swept.sweep.best_values == [7.5]
    assert str(swept).endswith("With 95 % confidence it is the best of these.")


def test_files_hold_what_is_told(swept: Swept) -> None:
    parquet, csv = swept.files
    rows = pd.DataFrame(swept.sweep.rows())
    pd.testing.assert_frame_equal(pd.read_parquet(parquet), rows)
    pd.testing.assert_frame_equal(pd.read_csv(csv), rows)
    assert swept.plot.read_bytes().startswith(b"\x89PNG")


def test_no_value_compiles_anything(swept: Swept, tmp_path: Path) -> None:
    with event.install_recorder("numba:compile") as recorder:
        sviten.sweep("tips/greedy", "keep", [1, 2, 3, 4], deals=4, seed=7, out=tmp_path / "s")
    assert not recorder.buffer


def test_values_and_deals_are_added(swept: Swept, tmp_path: Path) -> None:
    out = tmp_path / "s"
    sviten.sweep("tips/greedy", "keep", [9], deals=300, seed=7, out=out, jobs=1)
    grown = sviten.sweep("tips/greedy", "keep", VALUES, deals=1500, out=out, jobs=1)
    assert grown.sweep.as_dict() == swept.sweep.as_dict()
    with pytest.raises(RunError, match="is played there, and not here"):
        sviten.sweep("tips/greedy", "keep", [6], deals=1500, out=out, jobs=1)
    with pytest.raises(RunError, match="seed 7 there, 8 here"):
        sviten.sweep("tips/greedy", "keep", VALUES, deals=1500, seed=8, out=out, jobs=1)


def test_interrupted_it_comes_to_the_same(swept: Swept, tmp_path: Path) -> None:
    flag = threading.Event()

    def stop_in_the_second_run(done: int, total: int, start: int) -> None:
        if done > 1500:
            flag.set()

    with pytest.raises(RunInterrupted, match=r"sviten\.resume\("):
        sviten.sweep(
            "tips/greedy",
            "keep",
            VALUES,
            deals=1500,
            seed=7,
            out=tmp_path / "s",
            jobs=1,
            progress=stop_in_the_second_run,
            stop=flag,
        )
    done = finish_study(open_study(tmp_path / "s"), Execution(1))
    assert done.sweep.as_dict() == swept.sweep.as_dict()
    assert [path.read_bytes() for path in done.files] == [p.read_bytes() for p in swept.files]


def test_values_that_play_alike(tmp_path: Path) -> None:
    done = sviten.sweep(
        "pass/greedy", "keep", [1, 2], against="pass/high", deals=40, seed=1, out=tmp_path / "s"
    )
    assert all(point.margin == 0 and point.may_be_best for point in done.sweep.points)
    assert str(done).endswith("No value can be told from the best.")


@pytest.mark.parametrize("deals", [1, 2])
def test_one_value_and_hardly_a_deal(tmp_path: Path, deals: int) -> None:
    done = sviten.sweep(
        "tips/greedy", "keep", [1], against="tips/high", deals=deals, seed=1, out=tmp_path / "s"
    )
    (point,) = done.sweep.points
    assert (point.band is None) == (deals == 1)
    assert point.may_be_best
    assert "does best of 1 values" not in str(done)
    assert done.plot.is_file()


def test_the_sentence_tells_of_gaps_and_edges() -> None:
    rng = np.random.default_rng(1)
    noise = rng.integers(-10, 11, (500, 1)) + rng.integers(-2, 3, (500, 4))

    def told(means: list[int]) -> str:
        sums = Resampled.of(np.arange(500), noise + np.array(means), replicates=0)
        return Sweep("a", "b", "x", (0.0, 1.0, 2.0, 3.0), sums, 2).sentence()

    assert "the best of these is one of 1, 3; it may lie beyond 3." in told([0, 9, 0, 9])
    assert told([0, 9, 9, 0]).endswith("the best of these is from 1 to 2.")
    assert told([9, 0, 0, 0]).endswith("it is the best of these; it may lie beyond 0.")


# ----------------------------------------------------------------- what is asked, and the command


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x=0:0.3:0.1", [0.0, 0.1, 0.2, 0.3]),
        ("x=-1:1:0.75", [-1.0, -0.25, 0.5]),
        ("x = 2:2:1", [2.0]),
        ("player.x=1e1:12:1", [10.0, 11.0, 12.0]),
    ],
)
def test_values_are_read(text: str, values: list[float]) -> None:
    assert read_sweep(text) == (text.partition("=")[0].strip(), values)


@pytest.mark.parametrize(
    "text",
    [
        *("x", "x=1", "x=1:2", "x=1:2:3:4", "x=a:2:1", "=1:2:1", "x=nan:2:1", "x=0:inf:1"),
        *("x=2:1:1", "x=1:2:0", "x=1:2:-1", "x=2:1:-1", "x=0:1:0.001"),
    ],
)
def test_what_is_no_sweep_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--param"):
        read_sweep(text)
    with pytest.raises(StrategyError, match="keep=nan must be a number"):
        sviten.sweep("tips/greedy", "keep", [float("nan")])


def test_parameters_are_set_where_they_belong(tmp_path: Path) -> None:
    assert with_parameter("tips/greedy", "keep", 3) == "tips/greedy(keep=3)"
    assert with_parameter("tips/greedy(keep=3)", "player.keep", 7.5) == "tips/greedy"
    assert (
        with_parameter("tips(min_trumps=5)/greedy(set=1)", "min_structures", 3)
        == "tips(min_structures=3,min_trumps=5)/greedy(set=1)"
    )
    file = tmp_path / "a(1)" / "mine.py"
    file.parent.mkdir()
    file.write_text(
        "from strategies.declare.registry import Parameter, bidder, player\n"
        "about = dict(looks_at='x', source='test', parameters=[Parameter('x', 1, 0, 9, 'x')])\n"
        "@bidder('both', **about)\n"
        "def bid(view, work):\n"
        "    return 0\n"
        "@player('both', **about)\n"
        "def play(view, work):\n"
        "    return 0\n"
    )
    spec = f"{file}:both"
    assert with_parameter(spec, "bidder.x", 2) == f"{spec}(x=2)/{spec}"
    assert with_parameter(f"{spec}(x=2)/{spec}", "bidder.x", 1) == spec
    with pytest.raises(StrategyError, match=r"both halves .* say bidder\.x or player\.x"):
        with_parameter(spec, "x", 2)
    with pytest.raises(StrategyError, match="must be a number from 0 to 40"):
        with_parameter("tips/greedy", "keep", 50)
    with pytest.raises(StrategyError, match=r"has no parameter 'bidder\.keep': it has"):
        with_parameter("tips/greedy", "bidder.keep", 5)
    with pytest.raises(StrategyError, match="it has none"):
        with_parameter("pass/high", "keep", 5)


def test_the_command(swept: Swept, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(swept.study.folder)
    words = ["sweep", "tips/greedy", "--param", "keep=6:9:1.5", "--deals", "1500", "--out", folder]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    told.pop("seconds")
    assert told == json.loads(json.dumps(swept.as_dict()))
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == str(swept)
    assert all(len(line) <= 80 for line in lines[1:-1])
    assert main(["resume", folder]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(swept)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--param", "keep=1:0:1"], "goes up"),
        (["--param", "keep=1:2:1", "--param", "set=1:2:1"], "more than once"),
        (["--param", "kep=1:2:1"], "no parameter 'kep'"),
        (["--param", "keep=1:90:10"], "must be a number from 0 to 40"),
        (["--param", "keep=1:2:1", "--against", "tip/greedy"], "did you mean tips"),
    ],
)
def test_wrong_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "tips/greedy", *words]) == 2
    assert told in capsys.readouterr().err
