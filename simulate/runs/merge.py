"""Joining runs of the same settings and of deals that follow one another, into one run.

So one machine after another, or the jobs of an array on a cluster, can each play a range of deals,
and what comes of it is the run that one machine would have made. Studies are joined run by run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from simulate.errors import Option, RunError
from simulate.rules import MOST_HANDS
from simulate.runs.study import Study, make_way, open_study, write_study
from simulate.store.atomic import Draft
from simulate.store.buffer import GROUP_HANDS
from simulate.store.differences import name_differences
from simulate.store.folder import check_free, clear, locked
from simulate.store.parts import (
    PartWriter,
    column_values,
    find_fault,
    part_batches,
    part_path,
    run_tables,
)
from simulate.store.run import Run, damaged_run, open_run, resume_call
from simulate.store.settings import Settings, write_settings
from simulate.store.sources import RUN, SOURCES, STUDY


def merge_runs(
    runs: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> Run:
    """Join finished runs into one.

    Parameters
    ----------
    runs : sequence of path
        Of the same settings; their deals or matches follow one another, in any order.
    out : path
        A new folder, or an empty one.
    overwrite : bool
        Replace a run that stands in the folder.

    Returns
    -------
    Run
        With the rows of a run that was made in one go; its parts are as large as the largest of
        the runs.

    Raises
    ------
    RunError
        When a run is unfinished or damaged, the settings differ, or deals are in two of the runs or
        in none.
    """
    pieces = _in_order([open_run(run) for run in runs])
    settings = _join_settings(pieces)
    folder = Path(out).absolute()
    _check_apart(folder, [run.folder for run in pieces])
    check_free(folder, settings, overwrite=overwrite)
    with locked(folder, make=True):
        check_free(folder, settings, overwrite=overwrite)
        clear(folder)
        first = pieces[0]
        stored = [entrant.stored for entrant in first.settings.entrants.values()]
        home = first.folder.parent if any(STUDY in spec for spec in stored) else first.folder
        if any(stored):
            shutil.copytree(home / SOURCES, folder / SOURCES, dirs_exist_ok=True)
        _write_run(folder, _with_own_copies(settings), pieces)
    return open_run(folder)


def merge_studies(
    studies: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> Study:
    """Join studies run by run; whoever has failed in one of them has failed.

    Parameters
    ----------
    studies, out, overwrite
        As for :func:`merge_runs`.

    Raises
    ------
    RunError
        When they are of different kinds or runs, or as for :func:`merge_runs`.
    """
    opened = [open_study(study) for study in studies]
    first = opened[0]
    _check_apart(Path(out), [study.folder for study in opened])
    for other in opened[1:]:
        if (other.kind, list(other.runs)) != (first.kind, list(first.runs)):
            raise RunError(f"{other.folder} is a study of other runs than {first.folder}")
    failures = {each.entrant: each for study in reversed(opened) for each in study.failures}
    joined = replace(first, folder=Path(out).absolute(), failures=tuple(failures.values()))
    pieces = {name: _in_order([study.run(name) for study in opened]) for name in joined.standing}
    runs = {name: _join_settings(of_run) for name, of_run in pieces.items()}
    planned = {name: first.runs[name].with_ids(settings.ids) for name, settings in runs.items()}
    joined = replace(joined, runs=joined.runs | planned)
    with locked(joined.folder, make=True):
        make_way(joined.folder, overwrite=overwrite)
        write_study(joined)
        if (first.folder / SOURCES).is_dir():
            shutil.copytree(first.folder / SOURCES, joined.folder / SOURCES, dirs_exist_ok=True)
        for name, settings in runs.items():
            _write_run(joined.folder / name, settings, pieces[name])
    return joined


def _check_apart(out: Path, pieces: Sequence[Path]) -> None:
    """Raise RunError where what is joined would be written over one of the pieces."""
    if out.resolve() in [piece.resolve() for piece in pieces]:
        raise RunError(f"{out} is one of what is to be joined: name another folder")


def _in_order(runs: Sequence[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: run.settings.ids.start)


def _join_settings(runs: Sequence[Run]) -> Settings:
    """Join the settings of runs that are in the order of their deals.

    Raises
    ------
    RunError
        When a run is unfinished, or they cannot be joined.
    """
    first = runs[0]
    for run in runs:
        if run.missing:
            raise RunError(
                f"{run.folder} is unfinished: ", resume_call(run.folder), " finishes it, then merge"
            )
    for run, later in pairwise(runs):
        alike = later.settings.with_ids(first.settings.ids)
        alike = alike.with_part_size(first.settings.part_size)
        names = f"in {first.folder}", f"in {later.folder}"
        if text := name_differences(first.settings, alike, *names):
            raise RunError(f"{later.folder} is of other settings: {text}")
        unit, stop, start = run.settings.unit, run.settings.ids.stop, later.settings.ids.start
        if start < stop:
            last = min(stop, later.settings.ids.stop) - 1
            raise RunError(f"{unit} {start} to {last} are in both {run.folder} and {later.folder}")
        if start > stop:
            raise RunError(
                f"{unit} {stop} to {start - 1} are in none of the runs: play them with ",
                Option(unit, range(stop, start)),
            )
    ids = range(first.settings.ids.start, runs[-1].settings.ids.stop)
    size = max(run.settings.part_size for run in runs)
    return first.settings.with_ids(ids).with_part_size(size)


def _with_own_copies(settings: Settings) -> Settings:
    """Make the settings of a run that keeps the copies itself, where its study had them."""
    entrants = {
        seat: seated.model_copy(update={"stored": seated.stored.replace(STUDY, RUN)})
        for seat, seated in settings.entrants.items()
    }
    return settings.model_copy(update={"entrants": entrants})


def _write_run(folder: Path, settings: Settings, pieces: Sequence[Run]) -> None:
    """Write ``run.json`` and every part; one that was damaged before is not taken over."""
    for run in pieces:
        for part in run.settings.parts:
            if fault := find_fault(run.folder, run.settings, part, thorough=True):
                raise damaged_run(run.folder, RunError(fault))
    folder.mkdir(exist_ok=True)
    write_settings(folder, settings)
    for part in settings.parts:
        _write_part(folder, settings, part, pieces)


def _write_part(folder: Path, settings: Settings, part: int, pieces: Sequence[Run]) -> None:
    """Copy a part that one of the pieces has whole, or write it from their rows."""
    ids = settings.part_range(part)
    tables = run_tables(settings)
    for run in pieces:
        there = run.settings
        same = there.part_facts() == settings.part_facts() and part in there.parts
        if same and there.part_range(part) == ids:
            for table in tables:
                draft = Draft(part_path(folder, table, part))
                try:
                    with part_path(run.folder, table, part).open("rb") as file:
                        shutil.copyfileobj(file, draft.file)
                    draft.finish()
                    draft.publish()
                finally:
                    draft.discard()
            return
    writer = PartWriter(folder, settings, part)
    try:
        for table in tables:
            for rows in _row_groups(pieces, table, ids):
                writer.append(table, rows)
        writer.finish()
        writer.publish()
    finally:
        writer.discard()


def _row_groups(pieces: Sequence[Run], table: str, ids: range) -> Iterator[pa.Table]:
    """Rows of some deals or matches, in order, some ten thousand at a time."""
    held: list[pa.RecordBatch] = []
    for batch in _batches(pieces, table, ids):
        held.append(batch)
        if sum(map(len, held)) >= GROUP_HANDS:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _batches(pieces: Sequence[Run], table: str, ids: range) -> Iterator[pa.RecordBatch]:
    for run in pieces:
        settings = run.settings
        for part in settings.parts:
            of_part = settings.part_range(part)
            if of_part.stop <= ids.start or ids.stop <= of_part.start:
                continue
            for batch in part_batches(run.folder, table, part):
                key = column_values(batch, "match_id" if table == "matches" else "deal_id")
                if settings.unit == "matches" and table != "matches":
                    key = key // MOST_HANDS
                first, last = np.searchsorted(key, [ids.start, ids.stop])
                if first < last:
                    yield batch.slice(first, last - first).replace_schema_metadata(None)
