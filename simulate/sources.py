"""Copies of plug-in files in a run folder, so that what was run can be run again.

Each folder that a plug-in was loaded from becomes ``sources/<number>/``; below it the files lie as
they lay to each other, so that a plug-in finds its neighbours, and files of one name stay apart.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from simulate.durable import write_whole
from simulate.entrant import Entrant, Loader
from simulate.errors import RunError
from simulate.settings import Seated, Settings

SOURCES = "sources"
#: Stands for the run folder in a stored spec, since a run may be moved.
_RUN = "{run}"

Copies = dict[Path, Path]


def _paths_in(text: str, files: Sequence[Path]) -> list[tuple[int, int]]:
    """Where in an entrant's text the paths of `files` stand."""
    found = []
    done = 0
    while (end := text.find(".py:", done)) >= 0:
        end += 3
        # A path begins at the start, or behind the slash between bidder and player.
        starts = [i for i in range(done, end) if i == 0 or text[i - 1] == "/"]
        start = next((i for i in starts if Path(text[i:end]).resolve() in files), None)
        if start is not None:
            found.append((start, end))
        done = end
    return found


def _place_of(file: Path, home: Path) -> Path:
    """Where a file lies below the copy of the plug-in folder `home` that imports it."""
    if file.is_relative_to(home):
        return file.relative_to(home)
    root = file.parent  # imported from elsewhere: below the root of its package
    while (root / "__init__.py").is_file():
        root = root.parent
    return file.relative_to(root)


def plan_copies(settings: Settings, entrants: Sequence[Entrant]) -> tuple[Settings, Copies]:
    """Decide where copies of the entrants' files go.

    Parameters
    ----------
    settings : Settings
    entrants : sequence of Entrant
        By seat, loaded from the texts in `settings`, in the user's working directory.

    Returns
    -------
    settings : Settings
        With the specs that load the copies.
    copies : dict of Path to Path
        From a copy's place, relative to the run folder, to the file.
    """
    homes: dict[Path, Path] = {}
    copies: Copies = {}
    seated = {}
    for (seat, known), entrant in zip(settings.entrants.items(), entrants, strict=True):
        files = [file.resolve() for file in entrant.files]
        stored = ""
        done = 0
        for start, end in _paths_in(known.text, files):
            plugin = Path(known.text[start:end]).resolve()
            home = homes.setdefault(plugin.parent, Path(SOURCES, str(len(homes))))
            for file in files:
                copies[home / _place_of(file, plugin.parent)] = file
            copy = home / plugin.name
            stored += f"{known.text[done:start]}{_RUN}/{copy.as_posix()}"
            done = end
        seated[seat] = Seated(
            text=known.text, source=known.source, stored=stored and stored + known.text[done:]
        )
    return settings.model_copy(update={"entrants": seated}), copies


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
        if seated.stored and not (folder / SOURCES).is_dir():
            raise RunError(f"{folder / SOURCES} is missing: it holds what {seated.text} was")
        specs.append(seated.stored.replace(_RUN, str(folder)) or seated.text)
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

    Raises
    ------
    RunError
        When one is not what it was.
    """
    entrants = []
    for (seat, known), spec in zip(settings.entrants.items(), specs, strict=True):
        entrant = load(spec)
        if entrant.source != known.source:
            raise RunError(
                f"the source of {known.text} (seat {seat}) is {known.source} there, "
                f"{entrant.source} here: a run goes on only with what it was begun with"
            )
        entrants.append(entrant)
    return entrants
