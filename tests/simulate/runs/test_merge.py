"""Joining runs: what comes of pieces is the run made in one go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from simulate.errors import RunError
from simulate.runs.merge import merge_runs, merge_studies
from simulate.runs.play import Run, resume_run, simulate_run
from simulate.runs.study import open_study, play_study
from strategies.declare.spec import load_entrant
from sviten.api.tables import load
from tests.fixtures.command import Sviten
from tests.fixtures.runs import BOLD, SHY, files, match_settings_of, rows, settings_of
from tests.fixtures.studies import contents, pairing


def simulate(folder: Path, **options: Any) -> Run:
    return simulate_run(folder, settings_of(**options), load_entrant)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(tmp_path_factory.mktemp("whole") / "run", detail=["calls", "plays"])


@pytest.mark.parametrize(
    ("cuts", "sizes"),
    [((0, 2048, 3000), (1024, 1024)), ((0, 1000, 1001, 3000), (256, 64, 1024))],
    ids=["aligned", "anywhere"],
)
def test_pieces_make_the_run_made_in_one_go(
    tmp_path: Path, whole: Run, cuts: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    pieces = []
    for first, stop, size in zip(cuts, cuts[1:], sizes, strict=False):
        ids = range(first, stop)
        piece = simulate(
            tmp_path / str(first), deals=ids, part_deals=size, detail=["calls", "plays"]
        )
        assert {int(path.stem[5:]) for path in piece.files()} == {i // size for i in ids}
        pieces.append(piece.folder)
    merged = merge_runs(pieces[::-1], tmp_path / "merged")
    assert merged.complete
    assert merged.settings.ids == whole.settings.ids
    for table in ("hands", "calls", "plays"):
        assert rows(merged, table).equals(rows(whole, table))
    if len(pieces) == 2:  # the parts are copied, to the byte
        assert files(merged) == files(whole)
    # It can be mended and extended like any run.
    (merged.folder / "hands" / "part-00001.parquet").unlink()
    longer = resume_run(merged.folder, load_entrant, deals=3500)
    assert rows(longer).slice(0, 3000).equals(rows(whole))
    later = simulate(tmp_path / "later", deals=range(3500, 3600), detail=["calls", "plays"])
    both = merge_runs([merged.folder, later.folder], tmp_path / "both")
    assert rows(both)["deal_id"].to_pylist() == list(range(3600))


def test_matches_are_joined_alike(tmp_path: Path) -> None:
    make = match_settings_of
    whole = simulate_run(tmp_path / "whole", make(matches=100), load_entrant)
    pieces = []
    for ids, size in ((range(30), 16), (range(30, 100), 64)):
        run = simulate_run(tmp_path / str(ids.start), make(size, matches=ids), load_entrant)
        assert run.settings.ids == ids
        pieces.append(run.folder)
    merged = merge_runs(pieces, tmp_path / "merged")
    for table in ("hands", "matches"):
        assert rows(merged, table).equals(rows(whole, table))
    assert len(load(merged.folder).matches) == 200


def test_forced_runs_are_joined_alike(tmp_path: Path) -> None:
    options: dict[str, Any] = {"forced": True, "entrants": [BOLD] * 4, "part_deals": 16}
    whole = simulate(tmp_path / "whole", deals=50, **options)
    pieces = [
        simulate(tmp_path / str(ids.start), deals=ids, **options).folder
        for ids in (range(20), range(20, 50))
    ]
    merged = merge_runs(pieces, tmp_path / "merged")
    assert rows(merged, "forced").equals(rows(whole, "forced"))


def test_what_cannot_be_joined_is_refused_and_named(tmp_path: Path, whole: Run) -> None:
    detail = ["calls", "plays"]
    apart = simulate(tmp_path / "apart", deals=range(3100, 3200), detail=detail)
    other = simulate(tmp_path / "other", deals=range(3000, 3100), detail=detail, seed=8)
    within = simulate(tmp_path / "within", deals=range(500, 600), detail=detail)
    cases = [
        (
            apart,
            "deals 3000 to 3099 are in none of the runs: play them with deals=range",
        ),
        (
            other,
            f"{other.folder} is of other settings: seed 7 in {whole.folder}, 8 in {other.folder}",
        ),
        (within, f"deals 500 to 599 are in both {whole.folder} and {within.folder}"),
    ]
    for run, why in cases:
        with pytest.raises(RunError, match=why):
            merge_runs([run.folder, whole.folder], tmp_path / "merged")
        assert not (tmp_path / "merged").exists()
    with pytest.raises(RunError, match=r"holds a finished run: .*overwrite=True replaces it"):
        merge_runs([within.folder], whole.folder)
    part = within.files()[0]
    part.write_bytes(part.read_bytes()[:-30])
    with pytest.raises(RunError, match=r"is unfinished: `sviten\.resume\(.*within'\)` finishes it"):
        merge_runs([within.folder], tmp_path / "merged")
    part.unlink()
    with pytest.raises(RunError, match=r"is unfinished: `sviten\.resume\(.*within'\)` finishes it"):
        merge_runs([within.folder], tmp_path / "merged")


def test_copies_of_plug_ins_come_along(tmp_path: Path, faulty: str) -> None:
    spec = f"{faulty}:raises/random"
    pieces = []
    for ids in (range(100), range(100, 200)):
        runs = {"a": pairing(spec, SHY, deals=ids), "b": pairing(BOLD, SHY, deals=ids)}
        pieces.append(play_study(tmp_path / str(ids.start), "test", runs, load_entrant).folder)
    together = {"a": pairing(spec, SHY, deals=200), "b": pairing(BOLD, SHY, deals=200)}
    whole = play_study(tmp_path / "whole", "test", together, load_entrant)
    joined = merge_studies(pieces, tmp_path / "joined")
    assert contents(joined) == contents(whole)
    assert open_study(joined.folder) == joined
    assert list(play_study(joined.folder, "test", together, load_entrant).runs) == ["a", "b"]
    alone = merge_runs([piece / "a" for piece in pieces], tmp_path / "alone")
    for piece in pieces:
        shutil.rmtree(piece)
    Path(faulty).unlink()
    (alone.folder / "hands" / "part-00000.parquet").unlink()
    assert rows(resume_run(alone.folder, load_entrant)).equals(rows(whole.run("a")))
    with pytest.raises(RunError, match="is one of what is to be joined"):
        merge_studies([whole.folder], whole.folder, overwrite=True)
    with pytest.raises(RunError, match="is one of what is to be joined"):
        merge_runs([alone.folder], alone.folder, overwrite=True)
    with pytest.raises(RunError, match="holds a study: overwrite=True replaces it"):
        merge_studies([whole.folder], joined.folder)
    assert contents(merge_studies([whole.folder], joined.folder, overwrite=True)) == contents(whole)


def test_the_command(sviten: Sviten) -> None:
    random = ["--ns", BOLD, "--ew", SHY, "--seed", 7, "--duplicate"]
    for first, stop in ((0, 50), (50, 80)):
        done = sviten(
            "simulate", *random, "--deal-range", f"{first}:{stop}", "--out", first, "--json"
        )
        assert done.code == 0, done.err
        assert json.loads(done.out)["deals"] == stop - first
    done = sviten("merge", 50, 0, "--out", "both")
    assert done.code == 0, done.err
    assert done.out.startswith("both: 80 deals in 2 legs, seed 7\n")
    whole = sviten("simulate", *random, "--deals", 80, "--out", "whole", "--json")
    joined = sviten("merge", 0, 50, "--out", "both", "--overwrite", "--json")
    there, here = (json.loads(told.out) for told in (whole, joined))
    for facts in (there, here):
        del facts["run"], facts["seconds"], facts["hands_per_second"]
    assert there == here
    assert sviten("merge", 0, "whole", "--out", "x").err == (
        "sviten: deals 0 to 49 are in both 0 and whole"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--deal-range", "5:5"], "--deal-range 5:5: STOP, which is excluded, comes after FIRST"),
        (["--deal-range", "-1:5"], "comes after FIRST, from 0 on"),
        (["--match-range", "5"], "--match-range '5': write FIRST:STOP, such as 0:100000"),
        (["--match-range", "0:5", "--deals", 9], "--deals and --match-range: a run plays one"),
        (
            ["--deal-range", f"0:{2**62}"],
            "begins at 0 or later, ends after that and before",
        ),
    ],
)
def test_a_range_is_read_with_care(sviten: Sviten, words: list[object], told: str) -> None:
    done = sviten("simulate", "--ns", BOLD, "--ew", SHY, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
