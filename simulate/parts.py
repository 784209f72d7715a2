"""Part files: written row group by row group, published whole, checked when they are read.

Part k of a run is ``hands/part-0000k.parquet``, and the same in ``calls/`` and ``plays/`` where the
run has them. `hands` gets its name last, so a part whose hands are there is a part that is there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from simulate.columns import calls_table, hands_table, plays_table, table_schema
from simulate.durable import Draft
from simulate.engine import Sheet
from simulate.errors import RunError
from simulate.settings import Settings

#: Hands in a row group, and so in memory. Fixed: the bytes of a part must not depend on the speed
#: of the machine that made it.
GROUP_HANDS = 2**15
#: The same for calls and plays, which have many rows a hand.
DETAIL_HANDS = 2**12

#: What reading a damaged file raises; Arrow's own errors are among them.
UNREADABLE = (OSError, ValueError, KeyError, NotImplementedError)


def part_path(folder: Path, table: str, part: int) -> Path:
    """File of a part of `table` (`hands`, `calls` or `plays`) in a run folder."""
    return folder / table / f"part-{part:05d}.parquet"


def run_tables(settings: Settings) -> list[str]:
    """Tables of a run, in the order in which a part's files get their names."""
    return [*settings.detail, "hands"]


def open_writer(sink: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """Writer of one part file: zstd, page checksums, deal ids as differences."""
    return pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        use_dictionary=[name for name in schema.names if name != "deal_id"],
        column_encoding={"deal_id": "DELTA_BINARY_PACKED"},
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

    def write(self, sheet: Sheet, hands: int) -> Iterator[None]:
        """Append the first `hands` hands of a sheet; yields so often that one may stop soon."""
        self._append("hands", hands_table(self._settings, sheet.rows[:hands]))
        for table, make in (("calls", calls_table), ("plays", plays_table)):
            if table in self._writers:
                for start in range(0, hands, DETAIL_HANDS):
                    stop = min(start + DETAIL_HANDS, hands)
                    self._append(table, make(self._settings, sheet, start, stop))
                    yield

    def _append(self, table: str, rows: pa.Table) -> None:
        self._writers[table].write_table(rows, row_group_size=max(1, rows.num_rows))

    def finish(self) -> None:
        """Complete the files and bring them to the disk."""
        for table, writer in self._writers.items():
            writer.close()
            self._drafts[table].finish()

    def publish(self) -> None:
        """Give the finished files their names, `hands` last."""
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
    deals = settings.part_range(part)
    hands = settings.legs * len(deals)
    with open_part(folder, table, part) as file:
        if table == "hands" and file.metadata.num_rows != hands:
            raise RunError(f"{path} has {file.metadata.num_rows} hands, where {hands} are expected")
        schema = table_schema(settings, table)
        if not file.schema_arrow.equals(schema):
            raise RunError(f"{path} is damaged: its columns are not those of {table}")
        if not file.schema_arrow.equals(schema, check_metadata=True):
            raise RunError(f"{path} was written under other settings")
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
        ids = np.frombuffer(batch.column("deal_id").buffers()[1], np.int64)
        ids = ids[batch.column("deal_id").offset :][: len(batch)]
        if table == "hands":
            expected = deals.start + np.arange(place, place + len(ids)) // settings.legs
            right = np.array_equal(ids, expected)
        else:
            right = not len(ids) or (deals.start <= ids.min() and ids.max() < deals.stop)
        if not right:
            raise RunError(f"{path} is damaged: it holds other deals than {deals}")
        place += len(ids)
    if table == "hands" and place != hands:
        raise RunError(f"{path} is damaged: {place} of its {hands} hands can be read")
