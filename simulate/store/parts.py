"""Part files: written row group by row group, published whole, checked when they are read.

Part k of a run is ``hands/part-0000k.parquet``, and the same in ``matches/``, ``calls/`` and
``plays/`` where the run has them. `hands` gets its name last, so a part whose hands are there is a
part that is there. A forced run has ``forced/`` alone.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simulate.engine.loop import RowBuffer
from simulate.engine.loop_forced import FORCED
from simulate.engine.loop_match import MATCH
from simulate.errors import RunError
from simulate.rules import MOST_HANDS
from simulate.store.atomic import Draft
from simulate.store.buffer import GROUP_HANDS, make_tables
from simulate.store.differences import name_part_differences
from simulate.store.schema import table_schema
from simulate.store.settings import Settings

_NO_MATCHES = np.zeros(0, MATCH)
_NO_FORCED = np.zeros(0, FORCED)

#: What reading a damaged file raises; Arrow's own errors are among them.
UNREADABLE = (OSError, ValueError, KeyError, NotImplementedError)


def part_path(folder: Path, table: str, part: int) -> Path:
    """File of a part of a table (`hands`, `forced`, `matches`, `calls`, `plays`) of a run."""
    return folder / table / f"part-{part:05d}.parquet"


def run_tables(settings: Settings) -> list[str]:
    """Tables of a run, in the order in which a part's files get their names."""
    if settings.forced:
        return ["forced"]
    return [*settings.detail, *(["matches"] if settings.unit == "matches" else []), "hands"]


def open_writer(sink: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """Writer of one part file: zstd, page checksums, ids as differences."""
    ids = [name for name in ("deal_id", "match_id") if name in schema.names]
    return pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        use_dictionary=[name for name in schema.names if name not in ids],
        column_encoding=dict.fromkeys(ids, "DELTA_BINARY_PACKED"),
        write_page_checksum=True,
    )


class PartWriter:
    """Writes one part of a run; nothing is visible before :meth:`publish`.

    Parameters
    ----------
    folder : Path
        The run.
    settings : Settings
    part : int
    """

    def __init__(self, folder: Path, settings: Settings, part: int) -> None:
        self._settings = settings
        self._drafts: dict[str, Draft] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        try:
            for table in run_tables(settings):
                draft = self._drafts[table] = Draft(part_path(folder, table, part))
                self._writers[table] = open_writer(draft.file, table_schema(settings, table))
        except BaseException:
            self.discard()
            raise

    def write(
        self,
        buffer: RowBuffer,
        hands: int,
        matches: np.ndarray = _NO_MATCHES,
        forced: np.ndarray = _NO_FORCED,
    ) -> Iterator[None]:
        """Append what :func:`simulate.store.buffer.make_tables` takes.

        Yields so often that one may stop soon.
        """
        for table, rows in make_tables(self._settings, buffer, hands, matches, forced):
            self.append(table, rows)
            yield

    def append(self, table: str, rows: pa.Table) -> None:
        """Append rows of a table as one row group."""
        self._writers[table].write_table(rows, row_group_size=max(1, rows.num_rows))

    def finish(self) -> None:
        """Complete the files and bring them to the disk."""
        for table, writer in self._writers.items():
            writer.close()
            self._drafts[table].finish()

    def publish(self) -> None:
        """Give the finished files their names, `hands` or `forced` last."""
        for draft in self._drafts.values():
            draft.publish()

    def discard(self) -> None:
        """Remove what was not published."""
        for writer in self._writers.values():
            with contextlib.suppress(OSError, ValueError):  # a full disk; a file that is closed
                writer.close()
            writer.is_open = False  # or it would try again when it is collected
        for draft in self._drafts.values():
            draft.discard()


def open_part(folder: Path, table: str, part: int) -> pq.ParquetFile:
    """Open a part file for reading, checksums verified; the caller closes it.

    Raises
    ------
    RunError
        When it is missing or damaged.
    """
    path = part_path(folder, table, part)
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except UNREADABLE as error:
        raise damaged(path, error) from error


def find_estrangement(folder: Path, settings: Settings) -> str:
    """Tell how the settings differ from those that the parts were written under.

    Returns
    -------
    str
        Empty where a part is of these settings, or none can be asked; a part that differs from
        others of its run is damaged.
    """
    differences = ""
    for path in sorted((folder / run_tables(settings)[-1]).glob("part-*.parquet")):
        try:
            written = json.loads((pq.read_schema(path).metadata or {})[b"sviten"])
            differences = name_part_differences(written, settings)
        except (*UNREADABLE, AttributeError):
            continue
        if not differences:
            return ""
    return differences


def damaged(path: Path, error: Exception) -> RunError:
    """Error that names a part file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return RunError(f"{path} is missing")
    return RunError(f"{path} is damaged: {str(error).splitlines()[0]}")


def part_batches(
    folder: Path, table: str, part: int, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Record batches of a part file, of some or all columns.

    Raises
    ------
    RunError
        When it is missing or damaged.
    """
    with open_part(folder, table, part) as file:
        wanted = list(columns) if columns is not None else None
        batches = file.iter_batches(GROUP_HANDS, columns=wanted, use_threads=False)
        while True:
            try:
                batch = next(batches, None)
            except UNREADABLE as error:
                raise damaged(part_path(folder, table, part), error) from error
            if batch is None:
                return
            yield batch


def find_fault(folder: Path, settings: Settings, part: int, *, thorough: bool) -> str | None:
    """Find what is wrong with a part.

    Parameters
    ----------
    folder : Path
        The run.
    settings : Settings
    part : int
    thorough : bool
        Read every page and check its checksum and its deals, rather than the number of hands
        alone.

    Returns
    -------
    str or None
        None for a part that is whole; ``"missing"``; or what to tell the user.
    """
    paths = [part_path(folder, table, part) for table in run_tables(settings)]
    if not all(path.is_file() for path in paths):
        return "missing"
    try:
        for table in run_tables(settings):
            _check_table(folder, settings, table, part, thorough=thorough)
    except RunError as error:
        return str(error)
    return None


def _check_table(
    folder: Path, settings: Settings, table: str, part: int, *, thorough: bool
) -> None:
    """Raise RunError where a part file is not as the settings say."""
    path = part_path(folder, table, part)
    ids = settings.part_range(part)
    keyed = table in {"hands", "matches", "forced"}
    with open_part(folder, table, part) as file:
        if keyed:
            ends = _row_ends(folder, settings, part, table)
            rows, expected = file.metadata.num_rows, int(ends[-1])
            if rows != expected:
                raise RunError(f"{path} has {rows} {table}, where {expected} are expected")
        schema = table_schema(settings, table)
        if not file.schema_arrow.equals(schema):
            raise RunError(f"{path} is damaged: its columns are not those of {table}")
        if not file.schema_arrow.equals(schema, check_metadata=True):
            raise RunError(f"{path} was written under other settings")
        key = "match_id" if table == "matches" else "deal_id"
        may_be = ids if table == "matches" else settings.deal_range(ids)
        if not _lies_within(file.metadata, schema.names.index(key), may_be):  # a copy of another
            raise RunError(f"{path} is damaged: it holds other {settings.unit} than {ids}")
    if not thorough:
        return
    place = 0
    for batch in part_batches(folder, table, part):
        # Checksums cover the pages, not their heads nor the footer.
        if not batch.schema.equals(schema):
            raise RunError(f"{path} is damaged: its columns are not those of {table}")
        try:
            batch.validate(full=True)
        except pa.ArrowException as error:
            raise damaged(path, error) from error
        result = column_values(batch, key)
        if keyed:
            rows_of = np.arange(place, place + len(result))
            unit = np.searchsorted(ends, rows_of, "right")
            wanted = ids.start + unit // settings.legs
            if table == "hands" and settings.unit == "matches":
                hand_no = rows_of - np.r_[0, ends][unit]
                wanted = MOST_HANDS * wanted + hand_no
            legs = column_values(batch, "leg")
            right = np.array_equal(result, wanted) and np.array_equal(legs, unit % settings.legs)
        else:
            deals = settings.deal_range(ids)
            right = not len(result) or (deals.start <= result.min() and result.max() < deals.stop)
        if not right:
            raise RunError(f"{path} is damaged: it holds other {settings.unit} than {ids}")
        place += len(result)
    if keyed and place != expected:
        raise RunError(f"{path} is damaged: {place} of its {expected} {table} can be read")


def _lies_within(metadata: pq.FileMetaData, column: int, ids: range) -> bool:
    """Tell by the ends that a file states of its ids whether all are among `ids`."""
    for group in range(metadata.num_row_groups):
        stated = metadata.row_group(group).column(column).statistics
        if stated is not None and stated.has_min_max:
            if stated.min < ids.start or stated.max >= ids.stop:
                return False
    return True


def _row_ends(folder: Path, settings: Settings, part: int, table: str) -> np.ndarray:
    """Row of a part after each leg of each deal or match, as it should be.

    Raises
    ------
    RunError
        When it takes the table `matches` to tell, and that is damaged.
    """
    legs = settings.legs * len(settings.part_range(part))
    if table == "matches" or settings.unit == "deals":
        return settings.rows_a_leg * np.arange(1, legs + 1)
    batches = part_batches(folder, "matches", part, ["hands"])
    hands = np.concatenate([column_values(batch, "hands") for batch in batches])
    if len(hands) != legs:
        path = part_path(folder, "matches", part)
        raise RunError(f"{path} has {len(hands)} matches, where {legs} are expected")
    return np.cumsum(hands, dtype=np.int64)


def column_values(batch: pa.RecordBatch, name: str) -> np.ndarray:
    """Numbers of a column that has no nulls.

    It reads the buffer: Arrow's own conversion would import pandas, which takes half a second.
    """
    column = batch.column(name)
    values = np.frombuffer(column.buffers()[1], str(column.type))
    return values[column.offset :][: len(column)]
