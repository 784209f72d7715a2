"""What a study that is played comes to, whatever its kind."""

from __future__ import annotations

import importlib

from analysis.show.result import Shown
from simulate.errors import RunError
from simulate.runs.study import Study
from simulate.store.run import mend_command, short_path

#: Modules whose `conclude` tells a study of each kind.
HOMES = {
    "compare": "sviten.studies.compare",
    "sweep": "sviten.studies.sweep",
    "tournament": "sviten.studies.tournament",
    "variants": "sviten.studies.variants",
}


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
            command = mend_command(study.folder)
            raise RunError(f"{short_path(study.folder)} is unfinished: {command} finishes it")
    if study.kind not in HOMES:
        text = f"is a study of kind {study.kind!r}, which this sviten cannot tell"
        raise RunError(f"{study.folder} {text}")
    result: Shown = importlib.import_module(HOMES[study.kind]).conclude(study)
    return result
