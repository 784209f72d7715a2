"""A run's tables for pandas and for pyarrow, with types in which one can calculate.

On disk numbers are as narrow as they may be; there 100 + 100 is -56. Here whole numbers are int64
unless narrow ones are asked for. Card sets keep their 64 bits without a sign.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from simulate.errors import RunError
from simulate.runs.play import Run, open_run
from simulate.store.parts import UNREADABLE, damaged
from simulate.store.run import damaged_run
from simulate.store.schema import table_schema

if TYPE_CHECKING:
    import pandas as pd  # half a second that `sviten simulate` does without
    import pyarrow.dataset as ds

#: Column that tells the runs of a joined table apart.
RUN_COLUMN = "run"


def read_frame(
    run: Run, table: str, columns: Sequence[str] | None = None, *, narrow: bool = False
) -> pd.DataFrame:
    """Read a table of a run, or some columns of it.

    Parameters
    ----------
    run : Run
    table : str
    columns : sequence of str, optional
    narrow : bool
        Keep numbers as narrow as they are on disk.

    Raises
    ------
    RunError
        When the run is unfinished, has no such table or column, or a part is damaged.
    """
    import pandas as pd

    files = run.files(table)
    wanted = _checked(run, table, columns)
    parts = []
    for file in files:
        try:
            parts.append(pq.read_table(file, columns=wanted, page_checksum_verification=True))
        except UNREADABLE as error:
            raise damaged_run(run.folder, damaged(file, error)) from error
    whole = pa.concat_tables(parts).unify_dictionaries()
    series = {f.name: _series(whole.column(f.name), f, narrow=narrow) for f in whole.schema}
    return pd.DataFrame(series, copy=False)


def join(
    runs: Sequence[Any] | Mapping[str, Any],
    table: str = "hands",
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Put a table of several runs one below the other; texts stay categories.

    Parameters
    ----------
    runs : sequence of runs, or mapping of names to runs
        Paths, or what :func:`sviten.simulate` and :func:`sviten.load` return. In a sequence a run
        is named by its folder.
    table : {"hands", "matches", "forced", "calls", "plays"}
    columns : sequence of str, optional

    Returns
    -------
    DataFrame
        Its first column is `run`, a category. A column that a run has not is missing there.

    Raises
    ------
    RunError
        When a run cannot be read, or two have the same name.
    """
    import pandas as pd

    if isinstance(runs, Mapping):
        opened = {str(name): as_run(run) for name, run in runs.items()}
    else:
        each = [as_run(run) for run in ([runs] if isinstance(runs, str) else runs)]
        opened = {run.folder.resolve().name: run for run in each}
        if len(opened) < len(each):
            raise RunError("two of the runs have the same name: give a mapping of names to runs")
    if not opened:
        raise RunError("there is no run to join: give at least one")
    frames = [read_frame(run, table, columns) for run in opened.values()]
    names = pd.CategoricalDtype(list(opened))
    for name, frame in zip(opened, frames, strict=True):
        frame.insert(0, RUN_COLUMN, pd.Series(name, index=frame.index, dtype=names))
    for text in {name for f in frames for name in f.select_dtypes("category")} - {RUN_COLUMN}:
        have = [frame for frame in frames if text in frame]
        words = pd.CategoricalDtype(
            list(dict.fromkeys(word for frame in have for word in frame[text].cat.categories))
        )
        for frame in have:
            frame[text] = frame[text].astype(words)
    return pd.concat(frames, ignore_index=True)


def dataset(run: Any, table: str = "hands") -> ds.Dataset:
    """Open a table as a pyarrow dataset, for runs that do not fit in memory.

    Whole numbers are int64 and texts strings, whatever their width on disk, so that sums cannot
    overflow and datasets of several runs can be put together. Nothing is read before it is asked
    for; only the columns and row groups that are needed are.

    Parameters
    ----------
    run : path, Run or Tables
    table : {"hands", "matches", "forced", "calls", "plays"}

    Returns
    -------
    pyarrow.dataset.Dataset

    Raises
    ------
    RunError
        When the run is unfinished, or has no such table.
    """
    import pyarrow.dataset as ds

    opened = as_run(run)
    files = [str(file) for file in opened.files(table)]
    schema = table_schema(opened.settings, table)
    wide = pa.schema([field.with_type(_wide(field.type)) for field in schema], schema.metadata)
    return ds.dataset(files, schema=wide, format="parquet")


def as_run(run: Any) -> Run:
    """Open what stands for a run: a path, a Run, or something that has one."""
    if isinstance(run, Run):
        return run
    if isinstance(run, str | os.PathLike):
        return open_run(run)
    inner = getattr(run, "run", None)
    if not isinstance(inner, Run):
        raise RunError(f"{run!r} is no run: give its folder, or what sviten.load returns")
    return inner


def _checked(run: Run, table: str, columns: Sequence[str] | None) -> list[str] | None:
    """Columns as a list; RunError where the table has no such column."""
    if columns is None:
        return None
    wanted = [columns] if isinstance(columns, str) else list(columns)
    known = table_schema(run.settings, table).names
    if missing := [name for name in wanted if name not in known]:
        raise RunError(f"{table} has no column {', '.join(missing)}: it has {', '.join(known)}")
    return wanted


def _wide(kind: Any) -> Any:
    """Type in which a column can be calculated with."""
    if pa.types.is_dictionary(kind):
        return pa.string()
    return pa.int64() if pa.types.is_integer(kind) and kind != pa.uint64() else kind


def _series(column: Any, field: Any, *, narrow: bool) -> Any:
    """Column as pandas has it."""
    import pandas as pd

    kind = field.type
    if pa.types.is_dictionary(kind):
        return column.to_pandas()
    if pa.types.is_boolean(kind) and field.nullable:
        return column.to_pandas(types_mapper={kind: pd.BooleanDtype()}.get)
    if not narrow and kind != _wide(kind):
        kind = _wide(kind)
        column = column.cast(kind)
    if not field.nullable:
        return column.to_pandas()
    types = {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
    }
    return column.to_pandas(types_mapper=types.get)
