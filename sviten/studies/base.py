"""What all studies share: a kind is declared once, and begun, played and concluded here.

A new kind is a module that declares a :class:`Kind` as ``KIND``, and a line in :data:`HOMES`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar

from analysis.show.result import Shown
from simulate.errors import RunError
from simulate.runs.plan import plan_run
from simulate.runs.play import Execution
from simulate.runs.study import Study, is_study, open_study, play_study
from simulate.store.make import check_seed
from simulate.store.run import resume_call, short_path
from simulate.store.settings import Settings
from strategies.declare.spec import load_entrant
from sviten.api.runs import free_folder
from sviten.display.progress import Compiling, Progress

#: Module of each kind: it is imported when the first study of that kind is met.
HOMES = {
    "compare": "sviten.studies.compare",
    "sweep": "sviten.studies.sweep",
    "tournament": "sviten.studies.tournament",
    "variants": "sviten.studies.variants",
}


class Question(Protocol):
    """What a study is to answer; everything else in it is the kind's own."""

    @property
    def seed(self) -> SupportsIndex | None:
        """Seed of all runs; None to draw it, or to go on with that of the study there."""


Q = TypeVar("Q", bound=Question)
R = TypeVar("R", bound=Shown)
Runs = Mapping[str, Settings]


@dataclass(frozen=True)
class Place:
    """Where a study is written; under ``results/`` where no folder is named."""

    out: str | os.PathLike[str] | None = None
    overwrite: bool = False


@dataclass(frozen=True)
class Plan:
    """What is to be played for a question.

    Attributes
    ----------
    runs : dict of str to Settings
    options : dict of str to Any
        What the study keeps of its question; JSON.
    folder : str
        Name of its folder, where the user names none.
    """

    runs: dict[str, Settings]
    options: dict[str, Any]
    folder: str


def play_all(study: Study, execution: Execution, anew: bool, watch: Any) -> Study:
    """Play every run of a study to its end."""
    return play_study(
        study.folder,
        study.kind,
        study.runs,
        load_entrant,
        options=study.options,
        tolerant=study.tolerant,
        overwrite=anew,
        execution=execution if watch is None else replace(execution, progress=watch),
    )


def leave_parts(runs: Runs, begun: Runs, jobs: int) -> dict[str, Settings]:
    """Let each run choose the size of its parts when it is played."""
    return dict(runs)


def share_parts(runs: Runs, begun: Runs, jobs: int) -> dict[str, Settings]:
    """Give runs of the same rules and unit parts of one size.

    That of the runs that are there; else a pilot of the last run, taken for the slowest, chooses.
    """
    sizes = {(there.rules, there.unit): there.part_size for there in begun.values()}
    for settings in reversed(list(runs.values())):
        key = settings.rules, settings.unit
        if not sizes.get(key):
            sizes[key] = plan_run(settings, load_entrant, jobs).part_size
    return {
        name: settings.with_part_size(sizes[settings.rules, settings.unit])
        for name, settings in runs.items()
    }


@dataclass(frozen=True)
class Kind(Generic[Q, R]):
    """A kind of study.

    Attributes
    ----------
    name : str
        As it stands in ``study.json``.
    plan : callable
        Makes the runs of a question, given the seed, and the study in the folder if there is one.
    conclude : callable
        Reads the runs of a study that is played, and writes its tables and plots.
    show : callable
        Prints a result as the command does, but for its sentence; given how long was played.
    size : callable
        Chooses the size of the parts, given the runs, those that are there, and the workers.
    play : callable
        Plays what is missing, given who works on it, whether it begins anew, and who looks on.
    watcher : callable
        Makes who looks on: it shows a person how far the study is.
    tolerant : bool
        Whether an entrant that fails is left out, and the others go on.
    """

    name: str
    plan: Callable[[Q, int, Study | None], Plan]
    conclude: Callable[[Study], R]
    show: Callable[[R, str], None]
    size: Callable[[Runs, Runs, int], dict[str, Settings]] = leave_parts
    play: Callable[[Study, Execution, bool, Any], Study] = play_all
    watcher: Callable[[Compiling, str], AbstractContextManager[Any]] = Progress
    tolerant: bool = False


def run_study(
    kind: Kind[Q, R], question: Q, execution: Execution, place: Place, watch: Any = None
) -> R:
    """Answer a question: play what is missing of its study, and conclude it.

    Parameters
    ----------
    kind : Kind
    question : Question
    execution : Execution
    place : Place
        Where the same study stands there already, it goes on.
    watch : optional
        Looks on, as `kind.watcher` does; else the progress of the execution is told.
    """
    begun = _begun(kind, place)
    seed = check_seed(begun.seed if begun and question.seed is None else question.seed)
    plan = kind.plan(question, seed, begun)
    runs = kind.size(plan.runs, begun.runs if begun else {}, execution.jobs)
    folder = Path(free_folder(plan.folder) if place.out is None else place.out).absolute()
    study = Study(folder, kind.name, plan.options, runs, kind.tolerant)
    return kind.conclude(kind.play(study, execution, place.overwrite, watch))


def finish_study(study: Study, execution: Execution, watch: Any = None) -> Shown:
    """Play what is missing of a study that was interrupted, whatever its kind; conclude it."""
    kind = kind_of(study)
    result: Shown = kind.conclude(kind.play(study, execution, False, watch))
    return result


def conclude(study: Study) -> Shown:
    """Read the runs of a study, and write its tables and plots anew.

    Returns
    -------
    Compared, Swept, Played or Weighed
        As `sviten.compare`, `sweep`, `tournament` and `variants` return them.

    Raises
    ------
    RunError
        When it is unfinished, or of another kind.
    """
    for name in study.standing:
        if study.done(name) < study.runs[name].count:
            more = resume_call(study.folder)
            raise RunError(f"{short_path(study.folder)} is unfinished: ", more, " finishes it")
    result: Shown = kind_of(study).conclude(study)
    return result


def kind_of(study: Study) -> Kind[Any, Any]:
    """Kind of a study.

    Raises
    ------
    RunError
        When this version does not know it.
    """
    if study.kind not in HOMES:
        text = f"is a study of kind {study.kind!r}, which this sviten cannot tell"
        raise RunError(f"{study.folder} {text}")
    kind: Kind[Any, Any] = importlib.import_module(HOMES[study.kind]).KIND
    return kind


def _begun(kind: Kind[Any, Any], place: Place) -> Study | None:
    """Study of this kind that stands there, to go on with."""
    if place.out is None or place.overwrite or not is_study(place.out):
        return None
    study = open_study(place.out)
    return study if study.kind == kind.name else None
