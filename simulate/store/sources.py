"""Copies of plug-in files in a run folder, so that what was run can be run again.

Each folder that a plug-in was loaded from becomes ``sources/<number>/``; below it the files lie as
they lay to each other, so that a plug-in finds its neighbours, and files of one name stay apart.
The runs of a study share the copies in the folder of the study, so that a plug-in compiles once.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from simulate.compiled.notebook import CELL
from simulate.engine.entrant import Entrant, Loader
from simulate.errors import RunError, StrategyError
from simulate.store.atomic import write_whole
from simulate.store.settings import Settings

SOURCES = "sources"
#: Stand for the folder of the run, or of its study, in a stored spec, since they may be moved.
RUN, STUDY = "{run}", "{study}"

Copies = dict[Path, Path]


def _paths_in(text: str, files: Sequence[Path]) -> list[tuple[int, int]]:
    """Where in an entrant's text the paths of `files` stand, as strategies or as parameters."""
    rows = []
    done = 0
    for match in re.finditer(r"\.py(?=:)|\.\w+(?=[,)])", text):
        end = match.end()
        # A path begins at the start, behind the slash between bidder and player, or as a value.
        starts = [i for i in range(done, end) if i == 0 or text[i - 1] in "/="]
        start = next((i for i in starts if Path(text[i:end]).resolve() in files), None)
        if start is not None:
            rows.append((start, end))
            done = end
    return rows


def _place_of(file: Path, home: Path) -> Path:
    """Where a file lies below the copy of the plug-in folder `home` that imports it."""
    if file.is_relative_to(home):
        return file.relative_to(home)
    root = file.parent  # imported from elsewhere: below the root of its package
    while (root / "__init__.py").is_file():
        root = root.parent
    return file.relative_to(root)


def plan_copies(
    runs: Sequence[tuple[Settings, Sequence[Entrant]]], where: str = RUN, first: int = 0
) -> tuple[list[Settings], Copies]:
    """Decide where copies of the entrants' files go.

    Parameters
    ----------
    runs : sequence of (Settings, sequence of Entrant)
        Settings, and entrants by seat, loaded from the texts in them, in the user's working
        directory.
    where : str
        :data:`RUN`, or :data:`STUDY` for copies that the runs share.
    first : int
        Number of the first folder of copies.

    Returns
    -------
    runs : list of Settings
        With the specs that load the copies.
    copies : dict of Path to Path
        From a copy's place, relative to the folder of the run or the study, to the file.
    """
    homes: dict[Path, Path] = {}
    copies: Copies = {}

    def copy(text: str, entrant: Entrant) -> str:
        """Plan the copies of an entrant's files, and give the spec that loads them."""
        files = [file.resolve() for file in entrant.files]
        stored = ""
        done = 0
        for start, end in _paths_in(text, files):
            plugin = Path(text[start:end]).resolve()
            home = homes.setdefault(plugin.parent, Path(SOURCES, str(first + len(homes))))
            for file in files:
                copies[home / _place_of(file, plugin.parent)] = file
            stored += f"{text[done:start]}{where}/{(home / plugin.name).as_posix()}"
            done = end
        return stored and stored + text[done:]

    lines = []
    for settings, entrants in runs:
        seated = zip(settings.entrants.items(), entrants, strict=True)
        stored = {
            seat: known.model_copy(update={"stored": copy(known.text, entrant)})
            for (seat, known), entrant in seated
        }
        lines.append(settings.model_copy(update={"entrants": stored}))
    return lines, copies


def copy_sources(folder: Path, copies: Copies) -> None:
    """Copy the files into the run folder.

    Raises
    ------
    RunError
        When one cannot be read or written.
    """
    for copy, file in copies.items():
        try:
            content = file.read_bytes()
        except OSError as error:
            raise RunError(f"cannot read {file}: {error.strerror}") from error
        write_whole(folder / copy, content)


def count_copies(folder: Path) -> int:
    """Count the folders that copies came from."""
    return len(list((folder / SOURCES).glob("[0-9]*")))


def holds_copies_alone(folder: Path) -> bool:
    """Tell whether only numbered copies lie in the sources of a folder, none of them a user's."""
    names = {path.name for path in (folder / SOURCES).iterdir()}
    return names == {str(number) for number in range(len(names))}


def remove_copies(folder: Path) -> None:
    """Remove the copies of an older run, and the byte code that Python left beside them."""
    for home in (folder / SOURCES).glob("[0-9]*"):
        shutil.rmtree(home)


def stored_specs(folder: Path, settings: Settings) -> list[str]:
    """Specs by seat that load what was run, from copies where there are any.

    Raises
    ------
    RunError
        When the copies are missing.
    """
    specs = []
    for seated in settings.entrants.values():
        spec = seated.stored or seated.text
        for where, home in ((RUN, folder), (STUDY, folder.parent)):
            if seated.stored and where in spec:
                if not (home / SOURCES).is_dir():
                    raise RunError(f"{home / SOURCES} is missing: it holds what {seated.text} was")
                spec = spec.replace(where, str(home))
        specs.append(spec)
    return specs


def load_stored(folder: Path, settings: Settings, load: Loader) -> list[Entrant]:
    """Entrants of a run by seat, as they were when it began.

    Raises
    ------
    RunError
        When one is not what it was.
    StrategyError
        When one does not load.
    """
    return load_checked(settings, stored_specs(folder, settings), load)


def load_checked(settings: Settings, specs: Sequence[str], load: Loader) -> list[Entrant]:
    """Load `specs`, and check that they are the sources named in the settings.

    The entrants bear the names that the settings give them, not those of copies.

    Raises
    ------
    RunError
        When one is not what it was.
    """
    entrants = []
    for (seat, known), spec in zip(settings.entrants.items(), specs, strict=True):
        try:
            entrant = load(spec)
        except StrategyError as error:
            if CELL not in known.source:
                raise
            raise RunError(
                f"{known.text} (seat {seat}) was declared in a notebook cell: only that notebook "
                f"can go on with the run ({error})"
            ) from error
        if entrant.source != known.source:
            raise RunError(
                f"the source of {known.text} (seat {seat}) is {known.source} there, "
                f"{entrant.source} here: a run goes on only with what it was begun with"
            )
        entrants.append(replace(entrant, text=known.text))
    return entrants
