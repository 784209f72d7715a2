"""Studies: runs that belong together, such as the pairings of a tournament.

A study is a folder with a ``study.json``, which is written first and says what is to be played, and
a run in a folder of its own for each entry there. What is done is what lies in the runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from simulate.engine.entrant import Loader
from simulate.errors import Option, RunError, StrategyError
from simulate.runs.play import ALONE, Execution, RunInterrupted, resume_run, simulate_run
from simulate.store.atomic import remove_drafts, write_whole
from simulate.store.differences import name_differences
from simulate.store.folder import REPORT_FILE, is_empty, locked, remove_run
from simulate.store.parts import part_path, run_tables
from simulate.store.run import Run, open_run, resume_call
from simulate.store.settings import SETTINGS_FILE, Settings, write_settings
from simulate.store.sources import (
    STUDY,
    copy_sources,
    count_copies,
    load_checked,
    plan_copies,
    remove_copies,
)

STUDY_FILE = "study.json"
SCHEMA = 1


class Failure(NamedTuple):
    """An entrant that failed while it played.

    Attributes
    ----------
    entrant : str
    run : str
        In which it failed.
    why : str
        The hand, and what went wrong there.
    """

    entrant: str
    run: str
    why: str


@dataclass(frozen=True)
class Study:
    """A study, for reading.

    Attributes
    ----------
    folder : Path
    kind : str
        Such as ``tournament``.
    options : dict of str to Any
        What else whoever made the study wants to know of it; JSON.
    runs : dict of str to Settings
        By name of the run, in the order in which they are played. The size of the parts stands in
        the run itself.
    tolerant : bool
        Whether an entrant that fails is left out from there on.
    failures : tuple of Failure
        Of those entrants.
    """

    folder: Path
    kind: str
    options: dict[str, Any]
    runs: dict[str, Settings]
    tolerant: bool = False
    failures: tuple[Failure, ...] = ()

    @property
    def standing(self) -> list[str]:
        """Names of the runs in which no failed entrant sits."""
        failed = {failure.entrant for failure in self.failures}
        return [
            name
            for name, settings in self.runs.items()
            if failed.isdisjoint(seated.text for seated in settings.entrants.values())
        ]

    @property
    def seed(self) -> int | None:
        """Seed of the first run; None where there is no run yet."""
        return next((settings.seed for settings in self.runs.values()), None)

    @property
    def counts(self) -> dict[str, int]:
        """Deals or matches of each run."""
        return {name: settings.count for name, settings in self.runs.items()}

    @property
    def unit(self) -> str:
        """What the runs are counted in."""
        return " and ".join(sorted({settings.unit for settings in self.runs.values()}))

    def run(self, name: str) -> Run:
        """Open one of the runs, finished or not.

        Raises
        ------
        RunError
            When it is not begun.
        """
        return open_run(self.folder / name)

    def done(self, name: str) -> int:
        """Deals or matches of a run that are there."""
        if not (self.folder / name / SETTINGS_FILE).is_file():
            return 0
        return self.run(name).done


def is_study(folder: str | os.PathLike[str]) -> bool:
    """Tell whether a folder holds a study."""
    return Path(folder, STUDY_FILE).is_file()


def open_study(folder: str | os.PathLike[str]) -> Study:
    """Open a study, finished or not.

    Raises
    ------
    RunError
        When it is none, or not one that this version reads.
    """
    folder = Path(folder).absolute()
    path = folder / STUDY_FILE
    if not path.is_file():
        raise RunError(f"{folder} is no study: it has no {STUDY_FILE}")
    try:
        facts = json.loads(path.read_bytes())
        if facts["schema"] > SCHEMA:
            raise RunError(
                f"{folder} was written by a newer sviten (schema {facts['schema']}, {SCHEMA} "
                "here): update it"
            )
        for name in facts["runs"]:
            if Path(name).name != name or name in {"", ".", ".."} or "\0" in name:
                raise ValueError(f"{name!r} is no name of a run's folder")
        return Study(
            folder,
            facts["kind"],
            facts["options"],
            {name: Settings.model_validate(run) for name, run in facts["runs"].items()},
            facts["tolerant"],
            tuple(Failure(**failure) for failure in facts["failures"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise RunError(
            f"{path} is not readable as a study: {first}; put it back as it was, or start the "
            "study anew with ",
            Option("overwrite", True),
        ) from None


def play_study(
    out: str | os.PathLike[str],
    kind: str,
    runs: Mapping[str, Settings],
    load: Loader,
    *,
    options: Mapping[str, Any] | None = None,
    tolerant: bool = False,
    overwrite: bool = False,
    execution: Execution = ALONE,
) -> Study:
    """Play what is missing of a study.

    Runs may be added to one that is there, and runs of it extended.

    Parameters
    ----------
    out : path
        A new folder, an empty one, or that of the same study.
    kind : str
    runs : mapping of str to Settings
        By name, which is that of the run's folder; they are played in this order.
    load : Loader
    options : mapping of str to Any, optional
        JSON that is kept with the study.
    tolerant : bool
        Leave an entrant that fails out from there on, rather than stop; who fails first does not
        depend on the workers.
    overwrite : bool
        Replace a study that stands in the folder.
    execution : Execution, optional
        Who plays, and who is told: of deals and matches done, in all, and done before.

    Returns
    -------
    Study
        With every run finished in which no failed entrant sits.

    Raises
    ------
    RunError
        When the folder is taken, or holds a study under other settings.
    RunInterrupted
        After Ctrl-C, or where the execution is told to stop.
    IllegalPlay, StrategyError
        When a strategy fails, and the study is not tolerant.
    """
    folder = Path(out).absolute()
    study = Study(folder, kind, dict(options or {}), dict(runs), tolerant)
    with locked(folder, make=True):
        begun = _take_up(study, overwrite=overwrite)
        return _play(_begin(study, begun, load), load, execution)


def resume_study(
    folder: str | os.PathLike[str],
    load: Loader,
    *,
    execution: Execution = ALONE,
) -> Study:
    """Play what is missing of a study that was interrupted; as :func:`play_study`."""
    with locked(open_study(folder).folder):
        return _play(open_study(folder), load, execution)


def cut_study(folder: str | os.PathLike[str], name: str, count: int) -> None:
    """Take a run of a study back to so many deals or matches.

    What lies beyond is removed. A part that held both is missing from then on, until the study is
    played again.

    Raises
    ------
    RunError
        When it is no study, or another process works on it.
    """
    study = open_study(folder)
    with locked(study.folder):
        shorter = study.runs[name].with_count(count)
        write_study(replace(study, runs=study.runs | {name: shorter}))
        run = study.run(name)
        settings = run.settings.with_count(count)
        for part in run.settings.parts:
            if run.settings.part_range(part).stop > settings.ids.stop:
                for table in reversed(run_tables(settings)):  # the last one makes a part be there
                    part_path(run.folder, table, part).unlink(missing_ok=True)
        write_settings(run.folder, settings)


def _take_up(study: Study, *, overwrite: bool) -> Study | None:
    """Study that stands in the folder, to go on with; None where there is none any more.

    Raises
    ------
    RunError
        When this one may not be written there.
    """
    folder = study.folder
    if overwrite or not is_study(folder):
        make_way(folder, overwrite=overwrite)
        return None
    begun = open_study(folder)
    differences = "" if begun.kind == study.kind else f"{begun.kind} there, {study.kind} here"
    if gone := [name for name in begun.runs if name not in study.runs]:
        differences = differences or f"{gone[0]} is played there, and not here"
    for name, there in begun.runs.items():
        if differences:
            break
        here = study.runs[name]
        same = here.with_count(there.count) if there.count <= here.count else here
        if changed := name_differences(there, same):
            differences = f"{name}: {changed}"
    if differences:
        raise RunError(
            f"{folder} holds a study under other settings ({differences}): name "
            "another folder, or ",
            resume_call(folder),
            " finishes it, ",
            Option("overwrite", True),
            " replaces it",
        )
    return begun


def make_way(folder: Path, *, overwrite: bool) -> None:
    """Raise RunError where a new study may not be written into `folder`; remove the older one.

    Of what lies there nothing is removed that is not a study's.
    """
    if is_study(folder):
        if not overwrite:
            raise RunError(f"{folder} holds a study: ", Option("overwrite", True), " replaces it")
        for settings in folder.glob(f"*/{SETTINGS_FILE}"):
            remove_run(settings.parent)
        (folder / REPORT_FILE).unlink(missing_ok=True)
        (folder / STUDY_FILE).unlink()
    elif not is_empty(folder):
        raise RunError(f"{folder} is not empty, and is no study: name another folder")
    remove_drafts(folder)
    remove_copies(folder)


def _begin(study: Study, begun: Study | None, load: Loader) -> Study:
    """Write ``study.json``, and copies of what the runs need that is not there yet."""
    known = begun.runs if begun else {}
    runs = {
        name: known[name].with_count(settings.count) if name in known else settings
        for name, settings in study.runs.items()
    }
    if begun and (runs, study.options) == (known, begun.options):
        return begun
    new = {name: settings for name, settings in runs.items() if name not in known}
    texts = {seated.text for settings in new.values() for seated in settings.entrants.values()}
    loaded = {text: load(text) for text in sorted(texts)}
    entrants = [
        load_checked(
            settings, [each.text for each in settings.entrants.values()], loaded.__getitem__
        )
        for settings in new.values()
    ]
    first = count_copies(study.folder) if begun else 0
    planned, copies = plan_copies(list(zip(new.values(), entrants, strict=True)), STUDY, first)
    copy_sources(study.folder, copies)
    runs |= dict(zip(new, planned, strict=True))
    study = replace(study, runs=runs, failures=begun.failures if begun else ())
    write_study(study)
    return study


def write_study(study: Study) -> None:
    """Write ``study.json``, whole or as it was."""
    facts = {
        "schema": SCHEMA,
        "kind": study.kind,
        "options": study.options,
        "tolerant": study.tolerant,
        "runs": {name: settings.model_dump(mode="json") for name, settings in study.runs.items()},
        "failures": [failure._asdict() for failure in study.failures],
    }
    write_whole(study.folder / STUDY_FILE, (json.dumps(facts, indent=1) + "\n").encode())


def _play(study: Study, load: Loader, execution: Execution) -> Study:
    """Play what is missing, run after run."""
    done = {name: study.done(name) for name in study.runs}
    before = dict(done)

    def look(name: str, of_run: int) -> None:
        done[name] = of_run
        if execution.progress:
            there, total, start = (
                sum(counts[each] for each in study.standing)
                for counts in (done, study.counts, before)
            )
            execution.progress(there, total, start)

    for name, settings in study.runs.items():
        if name not in study.standing:
            continue
        if execution.stop and execution.stop.is_set():
            raise _interrupted(study)
        try:
            _play_run(
                study.folder / name,
                settings,
                load,
                replace(execution, progress=lambda of_run, *_, name=name: look(name, of_run)),
            )
        except StrategyError as error:
            if not study.tolerant or not error.seat:
                raise
            failure = Failure(settings.entrants[error.seat].text, name, str(error))
            study = replace(study, failures=(*study.failures, failure))
            write_study(study)
        except RunInterrupted as error:
            raise _interrupted(study) from error
    return study


def _interrupted(study: Study) -> RunInterrupted:
    kept = sum(study.done(name) for name in study.standing)
    total = sum(study.counts[name] for name in study.standing)
    return RunInterrupted(
        f"stopped: {kept} of {total} {study.unit} are kept in {study.folder}; ",
        resume_call(study.folder),
        " finishes it",
    )


def _play_run(folder: Path, settings: Settings, load: Loader, execution: Execution) -> None:
    """Finish a run of a study, or extend it.

    Raises
    ------
    StrategyError
        Of the first hand, in the order of deals, in which a strategy fails.
    """
    again = partial(resume_run, folder, load)
    if not (folder / SETTINGS_FILE).is_file():
        play = partial(simulate_run, folder, settings, load)
    else:
        run = open_run(folder)
        if run.settings.count == settings.count and run.complete:
            if execution.progress:
                execution.progress(settings.count, settings.count, settings.count)
            return
        counts = {settings.unit: settings.count}
        play = partial(again, deals=counts.get("deals"), matches=counts.get("matches"))
    try:
        play(execution=execution)
    except StrategyError:
        if execution.jobs == 1 or not (folder / SETTINGS_FILE).is_file():
            raise
        again(execution=replace(execution, jobs=1, backend="threading", scheduler=""))
