"""How the commands play a study, and print what it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sviten.display.output import print_json
from sviten.display.text import duration

if TYPE_CHECKING:
    from simulate.runs.play import Execution
    from simulate.runs.study import Study
    from sviten.display.progress import Compiling
    from sviten.studies.base import Kind, Place, Q, R


def play(
    kind: Kind[Q, R],
    question: Q,
    execution: Execution,
    place: Place,
    *,
    compiling: Compiling,
    unit: str = "deals",
    as_json: bool,
) -> None:
    """Play the study of a question before a person's eyes, and print its result."""
    from sviten.studies.base import run_study

    with kind.watcher(compiling, unit) as watcher:
        result = run_study(kind, question, execution, place, watcher)
    _show(kind, result, watcher, as_json=as_json)


def finish(study: Study, execution: Execution, *, compiling: Compiling, as_json: bool) -> None:
    """Finish a study that was interrupted, of whatever kind, likewise."""
    from sviten.studies.base import finish_study, kind_of

    kind = kind_of(study)
    with kind.watcher(compiling, study.unit) as watcher:
        result = finish_study(study, execution, watcher)
    _show(kind, result, watcher, as_json=as_json)


def _show(kind: Kind[Any, Any], result: Any, watcher: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(result.as_dict() | {"seconds": watcher.seconds})
        return
    kind.show(result, duration(watcher.seconds) if watcher.played else "")
    print(result)
