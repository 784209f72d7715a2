"""Facts as tables: names of nested numbers, types, files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from analysis.show.flat import flat_row, flat_table, write_both, write_csv
from analysis.stats.intervals import Interval
from simulate.errors import RunError

ROWS = [
    {"name": "a", "interval": Interval(1.0, 2.0), "more": {"adds": 3, "adds_interval": [0, 1]}},
    {"name": "b", "interval": None, "score_interval": None},
]


def test_each_number_has_a_name() -> None:
    assert flat_row(ROWS[0]) == {
        "name": "a", "low": 1.0, "high": 2.0, "more_adds": 3, "more_adds_low": 0,
        "more_adds_high": 1,
    }  # fmt: skip
    assert flat_row(ROWS[1]) == dict.fromkeys(
        ["low", "high", "score_low", "score_high"]
    ) | {"name": "b"}  # fmt: skip


def test_tables_have_all_columns_and_numbers_where_nothing_is_known(tmp_path: Path) -> None:
    table = flat_table(ROWS)
    assert table.column_names[:3] == ["name", "low", "high"]
    assert table.to_pylist()[1]["more_adds"] is None
    assert str(table.schema.field("score_low").type) == "double"
    parquet, text = write_both({"both": ROWS}, tmp_path)
    assert (parquet.name, text.name) == ("both.parquet", "both.csv")
    assert pq.read_table(parquet) == table
    assert text.read_bytes() == write_csv(ROWS, tmp_path / "t.csv").read_bytes()
    assert csv.read_csv(write_csv(ROWS, tmp_path / "t.csv")).num_rows == 2
    with pytest.raises(RunError, match="cannot write"):
        write_csv(ROWS, tmp_path / "t.csv" / "below")


def test_text_that_a_spreadsheet_would_run_stays_text(tmp_path: Path) -> None:
    names = ["=1+2", "+x", "-x", "@x", "\tx", "-", "tips/high", None]
    rows = [{"name": name, "value": -1.5} for name in names]
    table = csv.read_csv(write_csv(rows, tmp_path / "t.csv"))
    cells = table["name"].to_pylist()
    assert cells[:5] == ["'=1+2", "'+x", "'-x", "'@x", "'\tx"]
    assert cells[5:7] == ["-", "tips/high"]
    assert table["value"].to_pylist() == [-1.5] * 8
