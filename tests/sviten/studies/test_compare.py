"""Comparisons, from the first pair to the sentence: the same answer however it was come by."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sviten
from analysis.compare.comparison import LEVEL_PAIRS, Comparison
from analysis.compare.interim import BATCH, Looks
from analysis.compare.margins import Pairs, join_pairs, run_pairs
from analysis.compare.needed import doubt_of
from analysis.compare.power import pairs_left
from analysis.compare.sprt import Bounds
from simulate.errors import RunError, SvitenError
from simulate.rules import CLASSIC
from simulate.runs.play import Execution, RunInterrupted, open_run
from simulate.runs.study import open_study
from simulate.store.make import make_settings
from simulate.store.settings import read_settings, write_settings
from strategies.declare.spec import load_entrant
from sviten.cli import main
from sviten.display.failures import UsageError
from sviten.display.progress import Compiling
from sviten.display.watching import Watcher
from sviten.studies.base import finish_study
from sviten.studies.compare import Compared, _part_size
from tests.fixtures.waiting import wait_until

A, B = "tips/greedy", "tips/greedy(keep=7)"
QUESTION: dict[str, Any] = {"seed": 7, "h1": 1.0}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """Compare without being disturbed."""
    return sviten.compare(A, B, out=tmp_path_factory.mktemp("whole") / "c", jobs=1, **QUESTION)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Spare what would take most of the time: plots, and larger parts than are needed."""
    if "deals" not in request.fixturenames:
        monkeypatch.setattr("sviten.studies.compare.plot_path", lambda comparison, path: None)
    monkeypatch.setattr("sviten.studies.compare._part_size", lambda settings: 1024)


def facts(compared: Compared) -> dict[str, Any]:
    """Everything that a comparison tells, but for where it lies."""
    return compared.as_dict() | {"study": "", "plot": ""}


def stopped_after(calls: int) -> tuple[threading.Event, Any]:
    """Make a stop flag, and a watch that sets it at its n-th call."""
    flag = threading.Event()
    left = iter(range(calls, -1, -1))

    def watch(comparison: Comparison, played: int) -> None:
        if not next(left, 0):
            flag.set()

    return flag, watch


# --------------------------------------------------------------------------- the answer


def test_it_decides_where_the_pairs_of_a_plain_run_do(whole: Compared, tmp_path: Path) -> None:
    pairs = whole.comparison.sums.pairs
    plain = sviten.simulate(A, B, deals=2 * pairs, duplicate=True, seed=7, out=tmp_path / "r")
    looks = Looks()
    looks.add(join_pairs(run_pairs(plain.run)))
    found = Bounds(0.0, 1.0).decide(looks)
    assert found is not None
    assert (found[0] + 1) * BATCH == pairs
    assert looks.margins(found[0]) == whole.comparison.sums
    assert whole.comparison.verdict is not None
    assert whole.comparison.verdict.decision == found[1] == "H0"
    assert whole.margin == whole.comparison.sums.mean
    # The run holds the pairs that the answer rests on, and no other.
    assert whole.tables.settings.deals == pairs
    assert whole.tables.run.complete
    expected = plain.hands[plain.hands.deal_id < pairs]
    assert whole.tables.hands.equals(expected.reset_index(drop=True))
    assert whole.tables.summary.margin.rate == pytest.approx(whole.margin)


def test_the_answer_does_not_depend_on_workers_or_parts(
    whole: Compared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, part in enumerate((100, 2048)):
        monkeypatch.setattr("sviten.studies.compare._part_size", lambda settings, part=part: part)
        other = sviten.compare(A, B, out=tmp_path / str(number), jobs=2, **QUESTION)
        assert other.tables.settings.part_deals == part
        assert facts(other) == facts(whole)
        assert other.tables.hands.equals(whole.tables.hands)


def test_a_seed_gives_the_same_files_whatever_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sviten.studies.compare._part_size", _part_size)
    files = []
    for number, pace in enumerate((1, 1000)):  # a machine that is so many times as slow
        monkeypatch.setattr("time.perf_counter", lambda pace=pace: pace * time.monotonic())
        out = tmp_path / str(number)
        sviten.compare(A, B, deals=600, seed=7, jobs=1 + number, out=out)
        files.append({p.relative_to(out): p.read_bytes() for p in sorted(out.rglob("*.parquet"))})
    assert files[0] == files[1]
    assert len(files[0]) == 2  # of 512 pairs each


@pytest.mark.parametrize(
    ("first", "counts", "size"),
    [
        ("tips/greedy", {"deals": 2**20}, 4096),
        ("tips/greedy", {"deals": 5000}, 4096),
        ("tips/greedy", {"deals": 300}, 256),
        ("tips/greedy", {"matches": 2**18}, 512),
        ("tips/search", {"deals": 2**20}, 256),
        ("montecarlo/high", {"matches": 2**18}, 16),
    ],
)
def test_parts_are_small_where_hands_take_long(
    first: str, counts: dict[str, int], size: int
) -> None:
    settings = make_settings(
        CLASSIC, [first, "tips/high"] * 2, load_entrant, duplicate=True, **counts
    )
    assert _part_size(settings) == size


def test_interrupted_again_and_again_it_comes_to_the_same(
    whole: Compared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sviten.studies.compare._part_size", lambda settings: 200)
    out = tmp_path / "c"
    interruptions, told = 0, []
    for calls in range(1, 200):
        flag, watch = stopped_after(calls)
        try:
            if interruptions % 2:
                done = finish_study(open_study(out), Execution(1, stop=flag), watch)
            else:
                done = sviten.compare(A, B, out=out, jobs=1, watch=watch, stop=flag, **QUESTION)
            break
        except RunInterrupted as error:
            told.append(str(error))
            interruptions += 1
    assert interruptions > 2
    assert all("sviten.resume(" in each for each in told)
    assert facts(done) == facts(whole)
    assert done.tables.hands.equals(whole.tables.hands)
    again = sviten.compare(A, B, out=out, jobs=1, h1=1.0)  # the seed is that of what is there
    assert facts(again) == facts(whole)


@pytest.mark.parametrize("lost", ["settings", "part"])
def test_stopped_while_the_run_is_taken_back(
    whole: Compared, tmp_path: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sviten.studies.compare._part_size", lambda settings: 500)
    done = sviten.compare(A, B, out=tmp_path / "c", jobs=1, **QUESTION)
    run = tmp_path / "c" / "pairs"
    if lost == "settings":  # study.json was written, run.json was not
        write_settings(run, read_settings(run).with_count(2**20))
    last = done.tables.settings.parts[-1]
    (run / "hands" / f"part-{last:05}.parquet").unlink()
    again = finish_study(open_study(tmp_path / "c"), Execution(1))
    assert facts(again) == facts(whole)
    assert open_run(run).complete
    assert again.tables.hands.equals(whole.tables.hands)


def test_a_damaged_part_is_made_again(whole: Compared, tmp_path: Path) -> None:
    out = tmp_path / "c"
    sviten.compare(A, B, out=out, jobs=1, **QUESTION)
    part = sorted((out / "pairs" / "hands").glob("*.parquet"))[0]
    content = part.read_bytes()
    half = len(content) // 2
    part.write_bytes(content[:99] + bytes(half - 99) + content[half:])
    assert facts(finish_study(open_study(out), Execution(1))) == facts(whole)
    assert part.read_bytes() == content


def test_undecided_it_says_so_and_can_be_extended(whole: Compared, tmp_path: Path) -> None:
    short = sviten.compare(A, B, out=tmp_path / "c", jobs=1, max_deals=300, **QUESTION)
    assert short.comparison.verdict is None
    assert short.comparison.sums.pairs == 512  # whole batches
    assert str(short).endswith("512 paired deals): undecided.")
    longer = sviten.compare(A, B, out=tmp_path / "c", jobs=1, max_deals=2**20, **QUESTION)
    assert facts(longer) == facts(whole)
    with pytest.raises(RunError, match=r"may have 1,048,576 pairs: it can be extended, not cut"):
        sviten.compare(A, B, out=tmp_path / "c", jobs=1, max_deals=512, **QUESTION)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"h1": 2.0}, "h1 1 there, 2 here"),
        ({"deals": 10}, "holds a test that stops when it is sure"),
        ({"seed": 8}, "seed 7 there, 8 here"),
        ({"matches": True}, "another test"),
    ],
)
def test_another_question_is_refused_in_the_same_folder(
    whole: Compared, question: dict[str, Any], told: str
) -> None:
    if "deals" in question:
        asked = question
    else:
        asked = QUESTION | question
    if "matches" in question:
        asked = {"matches": True}
    before = facts(whole)
    with pytest.raises(RunError, match=told):
        sviten.compare(A, B, out=whole.tables.folder.parent, jobs=1, **asked)
    assert facts(finish_study(open_study(whole.tables.folder.parent), Execution(1))) == before


def test_it_is_replaced_on_request(tmp_path: Path) -> None:
    for seed in (1, 2):
        done = sviten.compare(
            "tips/high", "random/random", seed=seed, out=tmp_path / "c", overwrite=True, jobs=1
        )
        assert done.as_dict()["seed"] == seed


# ----------------------------------------------------------------------- cases at the edge


def test_an_entrant_against_itself(tmp_path: Path) -> None:
    done = sviten.compare("tips/random", "tips(extra_melds=1)/random", seed=1, out=tmp_path / "c")
    assert done.comparison.sums.pairs == BATCH
    assert not done.comparison.sums.squares
    assert done.comparison.sums.leg_squares
    assert str(done) == (
        "tips/random against itself: level in every one of 256 paired deals, as it must be."
    )


def test_entrants_that_play_alike(tmp_path: Path) -> None:
    done = sviten.compare("pass/high", "pass/greedy", seed=1, out=tmp_path / "c", jobs=1)
    assert done.comparison.sums.pairs == LEVEL_PAIRS
    assert done.comparison.verdict is not None
    assert done.comparison.verdict.decision == "level"
    share = 100 * (1 - 0.05 ** (1 / LEVEL_PAIRS))
    assert (
        f"level in every one of 4,096 paired deals: if they play differently at all, then in "
        f"fewer than {share:.2g} % of deals" in str(done)
    )


def test_one_that_loses_everything(tmp_path: Path) -> None:
    done = sviten.compare("pass/random", "tips/greedy", seed=1, out=tmp_path / "c", jobs=1)
    assert done.comparison.sums.pairs < 5 * BATCH
    assert done.margin is not None
    assert done.margin < -20
    assert "tips/greedy is better." in str(done)


@pytest.mark.parametrize("deals", [1, 2, 300])
def test_an_estimate_of_so_many_deals(tmp_path: Path, deals: int) -> None:
    done = sviten.compare(A, "tips/high", deals=deals, seed=3, out=tmp_path / "c", jobs=1)
    assert done.comparison.sums.pairs == deals == done.tables.settings.deals
    if done.comparison.sums.variance:
        assert done.interval == done.comparison.sums.interval()
        assert done.tables.summary.margin.mean_interval() == pytest.approx(done.interval)
    assert done.as_dict()["test"] is None
    if deals == 1:
        assert str(done) == "tips/greedy and tips/high are level in 1 paired deal: too few to tell."
    else:
        assert "95 % interval" in str(done)
        assert f"{deals} paired deals" in str(done)
    assert done.plot.read_bytes().startswith(b"\x89PNG")


def test_matches(tmp_path: Path) -> None:
    done = sviten.compare(
        A, "tips(extra_melds=0)/greedy", matches=True, seed=2, out=tmp_path / "c", jobs=1
    )
    assert done.as_dict()["unit"] == "matches"
    matches = done.tables.summary.matches
    assert matches is not None
    assert matches.leads[0, 1].rate == done.margin
    assert done.tables.settings.matches == done.comparison.sums.pairs
    assert done.as_dict()["points_a_hand"] == done.tables.summary.margin.rate
    assert str(done).startswith("tips/greedy wins ")
    assert "percentage points more of the matches than tips(extra_melds=0)/greedy" in str(done)
    assert str(done).endswith("tips/greedy is better, with an error of at most 5 %.")


def test_three_players(tmp_path: Path) -> None:
    """One of the first among two of the second, who plays from every seat."""
    done = sviten.compare(
        A, "tips/high", deals=200, seed=2, rules="three-player", out=tmp_path / "c", jobs=1
    )
    hands = done.tables.hands
    own = np.choose(hands.leg, [hands.score_n, hands.score_e, hands.score_s])
    others = (hands.score_n + hands.score_e + hands.score_s - own) / 2
    assert done.margin == pytest.approx((own - others).mean())
    same = sviten.compare(A, A, seed=2, rules="three-player", out=tmp_path / "d", jobs=1)
    assert not same.comparison.sums.squares


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"h0": 1.0, "h1": 1.0}, "h0 = 1, h1 = 1: h1 must be the greater"),
        ({"h0": 1.0, "h1": 0.5}, "h1 must be the greater"),
        ({"alpha": 0.7}, "alpha = 0.7: it must lie between 0 and 0.5"),
        ({"beta": 0.0}, "beta = 0: it must lie between 0 and 0.5"),
        ({"deals": 5, "max_deals": 7}, "give one of them"),
        ({"deals": 0}, "deals = 0: it must be a whole number, 1 or more"),
        ({"max_deals": -1}, "max_deals = -1"),
    ],
)
def test_bad_questions(question: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(SvitenError, match=told):
        sviten.compare(A, B, out=tmp_path / "c", **question)
    assert not (tmp_path / "c").exists()


def test_a_strategy_that_was_edited_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = (
        "from simulate.compiled.bits import lowest\n"
        "from strategies.declare.registry import player\n"
        "@player('mine', looks_at='cards', source='test')\n"
        "def mine(view, work):\n"
        "    '''Play low.'''\n"
        "    return lowest(view.legal)\n"
    )
    file.write_text(text)
    spec = f"tips/{file}:mine"
    first = sviten.compare(spec, "tips/random", deals=20, seed=1, out=tmp_path / "c", jobs=1)
    file.write_text(text.replace("Play low", "Play quite low"))
    with pytest.raises(RunError, match="source"):
        sviten.compare(spec, "tips/random", deals=20, seed=1, out=tmp_path / "c", jobs=1)
    # What was played lies in the folder, and can be taken up.
    assert facts(finish_study(open_study(tmp_path / "c"), Execution(1))) == facts(first)


# ------------------------------------------------------------------------- how it is told


def comparison_of(margins: np.ndarray, most: int, bounds: Bounds | None) -> Comparison:
    looks = Looks()
    looks.add(Pairs(np.arange(len(margins)), margins, margins**2))
    return Comparison("a", "b", "points", looks, most, bounds)


def test_sentences() -> None:
    rng = np.random.default_rng(1)
    noise = rng.integers(-40, 41, 2048)
    ahead = comparison_of(noise + 20, 4096, Bounds())
    assert ahead.sentence().startswith("a scores ")
    assert ahead.sentence().endswith("a is better, with an error of at most 5 %.")
    behind = comparison_of(noise - 20, 4096, Bounds(alpha=0.01))
    assert behind.sentence().startswith("b scores ")
    assert behind.sentence().endswith(": b is better.")
    shifted = comparison_of(noise + 20, 4096, Bounds(2.0, 3.0, alpha=0.01))
    assert shifted.sentence().endswith("a is better by more than 2, with an error of at most 1 %.")
    open_end = comparison_of(noise, 2048, Bounds(-0.01, 0.01))
    assert open_end.sentence().endswith(": undecided.")
    assert comparison_of(noise, 2048, None).sentence().endswith(": too close to call.")
    assert comparison_of(noise + 20, 2048, None).sentence().endswith(": a is better.")
    assert comparison_of(noise[:0], 9, None).sentence() == "a and b: nothing is played yet."
    lone = comparison_of(np.array([6]), 1, None)
    assert (
        lone.sentence()
        == "a scores 3.0 more a hand than b (1 paired deal, too few for an interval)."
    )
    half_way = comparison_of(noise + 20, 9999, None)
    assert half_way.interval_method == "95 % confidence sequence"
    assert not half_way.over


def test_what_counts_ends_at_the_decision() -> None:
    values = np.random.default_rng(1).integers(-40, 41, 4096) + 20
    early, late = (comparison_of(values[:n], 9999, Bounds()) for n in (512, 4096))
    assert early.as_dict() == late.as_dict()
    assert early.sums.pairs <= 512


def test_time_left_is_foretold_honestly() -> None:
    """In eight cases of ten the test ends within the range that was told."""
    rng = np.random.default_rng(4)
    bounds = Bounds()
    within = asked = 0
    for _ in range(200):
        truth = rng.uniform(-0.5, 1.0)
        values = rng.normal(2 * truth, 24.0, 40_960).round().astype(np.int64)
        looks = Looks()
        looks.add(Pairs(np.arange(len(values)), values, values**2))
        found = bounds.decide(looks)
        end = int(looks.pairs[found[0]]) if found else 40_960
        if end > 1024:
            left = pairs_left(bounds, looks.margins(3), 40_960)
            assert left is not None
            asked += 1
            within += left.low - 256 <= end - 1024 <= left.high + 256
    assert asked > 80
    assert within / asked == pytest.approx(0.8, abs=0.13)
    assert pairs_left(bounds, Looks().margins(-1), 1000) is None
    early = comparison_of(rng.integers(-40, 41, 100) + 40, 9984, None).sums
    soon = pairs_left(Bounds(0.0, 10.0), early, 9984)
    assert soon is not None
    assert (soon.low, soon.likely, soon.undecided) == (156, 156, 0.0)  # the first look is at 256


def test_what_is_known_so_far_is_told_on_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    known = comparison_of(np.random.default_rng(1).integers(-40, 41, 1024), 2**20, Bounds())
    watcher = Watcher(Compiling())
    watcher(known, 1100)
    watcher.__exit__(RunInterrupted, RunInterrupted("stopped"), None)
    assert capsys.readouterr().err.strip().endswith(f"so far: {known.sentence()}")


def test_lines_in_a_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: Iterator[float] = iter([0.0, 1.0, 11.0, 12.0, 30.0])
    monkeypatch.setattr("sviten.display.watching.time.monotonic", lambda: next(times))
    noise = np.random.default_rng(1).integers(-40, 41, 1024)
    with Watcher(Compiling()) as watcher:
        for played in (0, 600, 1100, 1200, 1300):
            watcher(comparison_of(noise, 2**20, Bounds()), played)
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("1,024 pairs: margin ")
    assert "ratio" in first
    assert "at most left" in second
    assert (watcher.played, watcher.seconds) == (1300, 30.0)


# ---------------------------------------------------------------------------------- power


def test_power_is_what_comparisons_take(whole: Compared, tmp_path: Path) -> None:
    needed = sviten.power(A, B, 1.0, seed=5)
    assert needed.pilot.deviation == pytest.approx(whole.comparison.sums.deviation, rel=0.15)
    paired, unpaired = needed.ways[3], needed.ways[-1]
    assert unpaired.hands > 10 * paired.hands
    assert needed.ways[0].hands < paired.hands
    assert needed.ways[0].pairs is not None
    assert needed.ways[0].pairs < whole.comparison.sums.pairs * 4
    assert 0 < needed.doubt < 0.5
    halved = sviten.power(A, B, 0.5, seed=5)
    assert halved.ways[3].pairs == pytest.approx(4 * (paired.pairs or 0), rel=0.01)


def test_the_doubt_of_a_deviation_covers() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(500):
        values = (20 * rng.standard_t(8, 400)).round().astype(np.int64)
        doubt = doubt_of(Pairs(np.arange(400), values, values**2))
        covered += abs(values.var() / (400 * 8 / 6) - 1) < doubt
    assert covered / 500 == pytest.approx(0.95, abs=0.05)


def test_power_between_level_entrants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "pass/high", "pass/random", "--power", "0.2", "--seed", "1"]) == 0
    assert "cannot be told" in capsys.readouterr().out


# -------------------------------------------------------------------------------- command


def test_the_command(
    whole: Compared, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = whole.tables.folder.parent
    words = ["compare", A, B, "--h1", "1", "--seed", "7", "--out", str(folder)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    told.pop("seconds")
    assert told == json.loads(json.dumps(whole.as_dict()))
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == str(whole)
    assert all(len(line) <= 80 for line in lines[3:-2])
    assert main(["resume", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sentence"] == str(whole)
    assert open_study(folder).kind == "compare"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--h1", "-1"], "h1 must be the greater"),
        (["--alpha", "1"], "alpha = 1"),
        (["--power", "0"], "power 0: it must be a margin above 0"),
        (["--power", "nan"], "power nan: it must be a margin above 0"),
        (["--power", "0.2", "--deals", "5"], "--power plays no comparison"),
        (["--deals", "0"], "--deals"),
    ],
)
def test_wrong_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", A, B, *words]) == 2
    assert told in capsys.readouterr().err
    with pytest.raises(UsageError):
        sviten.power(A, B, -1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "times"), [("threading", 100), ("loky", 4)])
def test_killed_again_and_again(tmp_path: Path, backend: str, times: int) -> None:
    """Killed outright and by Ctrl-C in turn, whenever another part is there, `times` at most."""
    words = ["compare", A, B, "--h1", "0.2", "--seed", "7", "--jobs", "2", "--backend", backend]
    command = [sys.executable, "-m", "sviten.cli", *words, "--json", "--out"]
    whole = subprocess.run([*command, str(tmp_path / "w")], capture_output=True, check=True)
    parts = tmp_path / "c" / "pairs" / "hands"
    kills = 0
    while True:
        there = len(list(parts.glob("*.parquet")))
        with subprocess.Popen(
            [*command, str(tmp_path / "c")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            wait_until(
                lambda process=process, there=there: (
                    process.poll() is not None or len(list(parts.glob("*.parquet"))) != there
                )
            )
            if process.poll() is None and kills < times:
                process.send_signal(signal.SIGKILL if kills % 2 else signal.SIGINT)
                kills += 1
            told = process.communicate()[0]
        if process.returncode == 0:
            break
        assert process.returncode in {130, -signal.SIGKILL}
    assert kills
    answers = [json.loads(text) for text in (whole.stdout, told)]
    for answer in answers:
        for name in ("study", "plot", "seconds"):
            answer.pop(name)
    assert answers[0] == answers[1]
    tables = [sviten.load(tmp_path / name / "pairs").hands for name in "wc"]
    assert tables[0].equals(tables[1])
