"""Tables for pandas and pyarrow: types one can calculate with, runs put together."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

import sviten
from simulate.errors import RunError
from sviten.api import frames
from sviten.api.tables import Tables

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Tables]:
    folder = tmp_path_factory.mktemp("frames")
    one = sviten.simulate(
        "random/random", "tips/random", deals=300, seed=1, detail=["calls"], out=folder / "one"
    )
    two = sviten.simulate("random/random", "pass/random", matches=20, seed=2, out=folder / "two")
    return [one, two]


def test_small_integers_do_not_overflow(runs: list[Tables]) -> None:
    hands = runs[0].hands
    doubled = hands["dead_decl"] * 100
    assert doubled.max() == 100 * int(hands["dead_decl"].max()) > 127
    widest = sviten.dataset(runs[0]).to_table(columns=["dead_decl"])["dead_decl"]
    assert pc.max(pc.multiply(widest, 100)).as_py() == doubled.max()


def test_a_dataset_agrees_with_the_frame(runs: list[Tables]) -> None:
    for run, tables in ((runs[0], ("hands", "calls")), (runs[1], ("hands", "matches"))):
        for table in tables:
            opened = sviten.dataset(run.folder, table)
            assert opened.count_rows() == len(run.read(table))
            told = run.read(table).astype(object).where(run.read(table).notna(), None)
            assert opened.to_table().to_pylist() == told.to_dict("records")
    bids = sviten.dataset(runs[0]).to_table(["level", "entrant_n"], filter=ds.field("level") >= 4)
    assert bids.num_rows == (runs[0].hands["level"] >= 4).sum() > 0
    both = ds.dataset([sviten.dataset(run).replace_schema(bids.schema) for run in runs])
    counted = both.to_table().group_by("entrant_n").aggregate([("level", "count")])
    assert counted["level_count"].to_pylist() == [sum(len(run.hands) for run in runs)]


def test_joined_texts_stay_categories(runs: list[Tables]) -> None:
    joined = sviten.join(runs)
    assert joined["run"].value_counts().to_dict() == {
        "one": len(runs[0].hands),
        "two": len(runs[1].hands),
    }
    assert joined["entrant_e"].dtype == "category"
    assert set(joined["entrant_e"].cat.categories) == {
        "random/random",
        "tips/random",
        "pass/random",
    }
    parts = pd.concat([runs[0].hands, runs[1].hands], ignore_index=True)
    assert (joined["entrant_e"].astype(str) == parts["entrant_e"].astype(str)).all()
    assert joined["level"].dtype == np.int64
    named = sviten.join({"left": runs[0].folder, "right": runs[1]}, columns=["made"])
    assert named.columns.tolist() == ["run", "made"]
    assert named["made"].dtype == pd.BooleanDtype()
    assert list(named["run"].cat.categories) == ["left", "right"]


def test_columns_of_one_run_compare(runs: list[Tables]) -> None:
    hands = runs[0].hands
    assert (hands["entrant_n"] == hands["entrant_s"]).all()
    assert not (hands["entrant_n"] == hands["entrant_e"]).any()


def test_what_cannot_be_joined_is_said(runs: list[Tables]) -> None:
    with pytest.raises(RunError, match="same name"):
        sviten.join([runs[0], runs[0].folder])
    with pytest.raises(RunError, match="no run to join"):
        sviten.join([])
    with pytest.raises(RunError, match=r"no column elo: it has deal_id, leg"):
        sviten.join(runs, columns=["elo"])
    with pytest.raises(RunError, match="3 is no run"):
        sviten.dataset(3)
    study = runs[0].folder.parent / "study"
    study.mkdir()
    (study / "study.json").touch()
    with pytest.raises(RunError, match="is a study of several: name one of the folders in it"):
        sviten.load(study)
    with pytest.raises(RunError, match="run of deals"):
        sviten.dataset(runs[0], "matches")
    assert runs[0].read(columns="made").columns.tolist() == ["made"]


def test_types_are_those_of_the_docs() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    text = text.partition("### In pandas and pyarrow")[2].partition("###")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    kinds = {"text": pa.dictionary(pa.int8(), pa.string()), "bool": pa.bool_()}
    for cells in rows[2:]:
        for name in re.findall(r"uint64|int\d+|uint16|bool|text", cells[0]):
            kind = kinds.get(name) or getattr(pa, name)()
            values = ["a", "b"] if name == "text" else [1, 1] if name != "bool" else [True, False]
            for nullable, said in ((False, cells[1]), (True, cells[2])):
                column = pa.chunked_array([pa.array(values, kind)])
                if nullable:
                    column = pa.chunked_array([pa.array([*values, None], kind)])
                series = frames._series(column, pa.field("x", kind, nullable), narrow=False)
                assert str(series.dtype) == said.strip(" `"), (name, nullable)
            assert str(frames._wide(kind)) == cells[3].strip()


def test_masks_keep_64_bits() -> None:
    top = 2**64 - 1
    column = pa.chunked_array([pa.array([top, 1 << 63], pa.uint64())])
    for narrow in (False, True):
        series = frames._series(column, pa.field("x", pa.uint64(), False), narrow=narrow)
        assert series.tolist() == [top, 1 << 63]
