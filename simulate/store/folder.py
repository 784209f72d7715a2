"""The folder of a run: who may write there, and what is a run's in it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from simulate.errors import Option, RunError
from simulate.store.atomic import TEMPORARY, remove_drafts
from simulate.store.differences import name_differences
from simulate.store.run import open_run, resume_call
from simulate.store.settings import SETTINGS_FILE, Settings
from simulate.store.sources import SOURCES, holds_copies_alone, remove_copies

LOCK_FILE = ".lock"
#: What is made from a run's rows, and put beside them unless another place is named.
REPORT_FILE = "report.html"
PLOTS = "plots"
_TABLES = ("hands", "forced", "matches", "calls", "plays")


@contextlib.contextmanager
def locked(folder: Path, *, make: bool = False) -> Iterator[None]:
    """Keep other processes out of a run; the system frees the lock when this one dies."""
    lock = FileLock(folder / LOCK_FILE)
    try:
        str(folder).encode()  # Arrow takes no other paths
    except UnicodeEncodeError:
        name = os.fsencode(folder)
        raise RunError(f"{name!r} is no name in UTF-8: name another folder") from None
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"another process works on {folder}: wait for it to end") from None
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def check_free(folder: Path, settings: Settings, *, overwrite: bool) -> None:
    """Raise RunError where a run may not be written into `folder`."""
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file: ", Option("out"), " names a folder")
    if (folder / SETTINGS_FILE).is_file():
        if overwrite:
            return
        other = open_run(folder)
        replace = Option("overwrite", True), " replaces it"
        if other.complete:
            more = resume_call(folder, **{other.settings.unit: ...})
            raise RunError(f"{folder} holds a finished run: ", more, " extends it, ", *replace)
        same = other.settings.with_part_size(settings.part_size)
        differences = name_differences(same, settings)
        text = f" under other settings ({differences})" if differences else ""
        raise RunError(
            f"{folder} holds an unfinished run{text}: ",
            resume_call(folder),
            " finishes it, ",
            *replace,
        )
    if folder.is_dir() and not is_empty(folder):
        raise RunError(f"{folder} is not empty, and is no run: name another folder")


def is_empty(folder: Path) -> bool:
    """Tell whether a folder holds nothing but what a run leaves that is killed as it begins."""
    return all(
        entry.name == LOCK_FILE
        or entry.match(TEMPORARY)
        or (entry.name == SOURCES and entry.is_dir() and holds_copies_alone(folder))
        for entry in folder.iterdir()
    )


def clear(folder: Path) -> None:
    """Remove the files of an older run, and none that are not a run's."""
    for table in _TABLES:
        for path in (folder / table).glob("part-*.parquet"):
            path.unlink()
    # They would tell of rows that are gone.
    made = (path for kind in ("png", "csv") for path in (folder / PLOTS).glob(f"*.{kind}"))
    for path in (folder / REPORT_FILE, *made):
        path.unlink(missing_ok=True)
    remove_leftovers(folder)
    remove_copies(folder)


def remove_run(folder: Path) -> None:
    """Remove a run, and its folder unless something else lies in it."""
    clear(folder)
    for name in (SETTINGS_FILE, LOCK_FILE):
        (folder / name).unlink(missing_ok=True)
    for place in (*(folder / table for table in _TABLES), folder / SOURCES, folder / PLOTS, folder):
        with contextlib.suppress(OSError):  # not empty, or not there
            place.rmdir()


def remove_leftovers(folder: Path) -> None:
    """Remove what workers that were killed left behind."""
    for place in (folder, *(folder / table for table in _TABLES)):
        remove_drafts(place)
