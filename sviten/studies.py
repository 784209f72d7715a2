"""What a study that is played comes to, whatever its kind."""

from __future__ import annotations

import importlib

from analysis.showing import Shown
from simulate.errors import RunError
from simulate.stored import mend_command, short_path
from simulate.study import Study

#: Modules whose `conclude` tells a study of each kind.
HOMES = {
    "compare": "sviten.comparing",
    "sweep": "sviten.sweeping",
    "tournament": "sviten.tournaments",
    "variants": "sviten.house_rules",
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
        told = f"is a study of kind {study.kind!r}, which this sviten cannot tell"
        raise RunError(f"{study.folder} {told}")
    result: Shown = importlib.import_module(HOMES[study.kind]).conclude(study)
    return result
