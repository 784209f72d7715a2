"""Reading a run: its settings, whether it is whole, its rows in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from simulate.errors import Call, Option, RunError
from simulate.store.parts import find_fault, part_batches, part_path, run_tables
from simulate.store.settings import Settings, read_settings


@dataclass(frozen=True)
class Run:
    """A run folder, for reading.

    Attributes
    ----------
    folder : Path
    settings : Settings
    """

    folder: Path
    settings: Settings

    @cached_property
    def missing(self) -> list[int]:
        """Parts that are not there, or not with all their hands, when first asked."""
        return [
            part
            for part in self.settings.parts
            if find_fault(self.folder, self.settings, part, thorough=False)
        ]

    @property
    def complete(self) -> bool:
        """Whether all parts are there."""
        return not self.missing

    @property
    def done(self) -> int:
        """Deals or matches of the parts that are there."""
        missing = set(self.missing)
        settings = self.settings
        return sum(len(settings.part_range(p)) for p in settings.parts if p not in missing)

    def files(self, table: str = "hands") -> list[Path]:
        """Part files of a table: `hands`, or another that the run has, as a forced run `forced`.

        Raises
        ------
        RunError
            When the run is unfinished, or has no such table.
        """
        self._demand(table)
        return [part_path(self.folder, table, part) for part in self.settings.parts]

    def batches(
        self, columns: Sequence[str] | None = None, table: str = "hands"
    ) -> Iterator[pa.RecordBatch]:
        """Rows in order of deal and leg, some ten thousand at a time.

        In a run of matches: in order of match, leg and deal.

        Raises
        ------
        RunError
            When the run is unfinished, has no such table, or a part is damaged.
        """
        self._demand(table)
        for part in self.settings.parts:
            try:
                yield from part_batches(self.folder, table, part, columns)
            except RunError as error:
                raise damaged_run(self.folder, error) from error

    def _demand(self, table: str) -> None:
        if table not in run_tables(self.settings):
            lacks = f"{self.folder} has no {table}: it "
            if self.settings.forced or table == "forced":
                raise RunError(lacks, f"is {'a' if self.settings.forced else 'no'} forced run")
            if table == "matches":
                raise RunError(lacks, "is a run of deals")
            raise RunError(lacks, "was run without ", Option("detail", table))
        if self.missing:
            raise RunError(
                f"{self.folder} is unfinished: {len(self.missing)} of {len(self.settings.parts)} "
                "parts are missing; ",
                resume_call(self.folder),
                " makes them",
            )


def open_run(folder: str | os.PathLike[str]) -> Run:
    """Open a run, finished or not.

    Raises
    ------
    RunError
        When it is no run, or not one that this version reads.
    """
    return Run(Path(folder), read_settings(Path(folder)))


def damaged_run(folder: Path, error: RunError) -> RunError:
    """Error that names the remedy beside the damage of a part."""
    return RunError(*error.args, "; ", resume_call(folder), " makes it again")


def short_path(folder: Path) -> Path:
    """Path as the user may type it."""
    try:
        return folder.relative_to(Path.cwd())
    except ValueError:
        return folder


def resume_call(folder: Path, **options: object) -> Call:
    """Name what finishes the run, or with options extends it, with a path as it may be typed."""
    return Call("resume", str(short_path(folder)), **options)
