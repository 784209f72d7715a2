"""Facts as tables for programs: a column for each number, as CSV or parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc
import pyarrow.parquet as pq

from simulate.store.atomic import write_whole

#: How text begins that spreadsheets take for a formula; a bare sign is none.
_FORMULA = r"^[=+@\t\r-]."


def flat_row(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Give each number of nested facts a name of its own.

    ``interval`` becomes ``low`` and ``high``, ``score_interval`` becomes ``score_low`` and
    ``score_high``; the names of nested facts are joined. Lists that are no intervals have no place.
    """
    cells: dict[str, Any] = {}
    for name, value in facts.items():
        if name.endswith("interval"):
            prefix = name.removesuffix("interval")
            cells[f"{prefix}low"], cells[f"{prefix}high"] = value or (None, None)
        elif isinstance(value, Mapping):
            cells |= {f"{name}_{inner}": each for inner, each in flat_row(value).items()}
        else:
            cells[name] = value
    return cells


def flat_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Table with every column that a row has; a column that no row has a value in is of numbers."""
    flat = [flat_row(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in flat])
    known = [pa.float64() if pa.types.is_null(field.type) else field.type for field in table.schema]
    return table.cast(pa.schema(list(zip(table.schema.names, known, strict=True))))


def write_csv(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Write facts as CSV, whole or not at all; gives the path back."""
    return _write(_as_text(flat_table(rows)), pc.write_csv, path)


def write_both(tables: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> list[Path]:
    """Write tables of facts by name, each as parquet and as CSV; gives the paths back."""
    written = []
    for name, rows in tables.items():
        table = flat_table(rows)
        written.append(_write(table, pq.write_table, folder / f"{name}.parquet"))
        written.append(_write(_as_text(table), pc.write_csv, folder / f"{name}.csv"))
    return written


def _as_text(table: pa.Table) -> pa.Table:
    """Mark cells that a spreadsheet would run as a formula: somebody else may have named things."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            cells = table.column(place)
            runs = compute.match_substring_regex(cells, _FORMULA)
            marked = compute.binary_join_element_wise("'", cells, "")
            table = table.set_column(place, field, compute.if_else(runs, marked, cells))
    return table


def _write(table: pa.Table, writer: Callable[[pa.Table, Any], None], path: Path) -> Path:
    sink = pa.BufferOutputStream()
    writer(table, sink)
    write_whole(path, sink.getvalue().to_pybytes())
    return path
