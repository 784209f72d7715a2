"""Files that are whole or absent: written under a temporary name, synced, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import BinaryIO

from simulate.errors import RunError

#: Temporary names start with a dot, so that no reader of a folder takes them for data.
TEMPORARY = ".*.tmp"


class Draft:
    """A file being written; nothing stands under its real name until :meth:`publish`.

    Parameters
    ----------
    path : Path
        The real name; its folder is made where it is missing.

    Attributes
    ----------
    file : binary file
        Where to write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        # Two workers never share a temporary name: one may be an orphan that is about to end.
        self._temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
        self.file: BinaryIO = self._temporary.open("wb")

    def finish(self) -> None:
        """Bring what was written to the disk; the file is closed."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()

    def publish(self) -> None:
        """Give the finished file its real name."""
        self._temporary.replace(self.path)
        sync_folder(self.path.parent)

    def discard(self) -> None:
        """Remove what was written, unless it was published."""
        with contextlib.suppress(OSError):  # a full disk may refuse the buffered rest
            self.file.close()
        self._temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Bring a folder's entries to the disk, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is whole or as it was.

    Raises
    ------
    RunError
        When the system refuses.
    """
    check_place(path)
    try:
        draft = Draft(path)
        try:
            draft.file.write(content)
            draft.finish()
            draft.publish()
        finally:
            draft.discard()
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}") from error


def check_place(path: Path, *remedy: object) -> None:
    """Raise RunError where a file cannot be written, before the work for it is done.

    The pieces of a remedy stand behind what is wrong.
    """
    above = next(folder for folder in path.absolute().parents if folder.exists())
    if path.is_dir():
        why = "it is a folder, where a file is expected"
    elif not above.is_dir():
        why = f"{above} is a file, where a folder is expected"
    elif not os.access(above, os.W_OK | os.X_OK):
        why = f"nothing may be written into {above}"
    else:
        return
    raise RunError(f"cannot write {path}: {why}", *(("; ", *remedy) if remedy else ()))


def remove_drafts(folder: Path) -> None:
    """Remove temporary files that a process which was killed left in `folder`."""
    for path in folder.glob(TEMPORARY):
        path.unlink(missing_ok=True)
