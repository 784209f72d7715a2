"""What a study that is played comes to, whatever its kind."""

from __future__ import annotations

from analysis.showing import Shown
from simulate.errors import RunError
from simulate.study import Study


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
            raise RunError(f"{study.folder} is unfinished: sviten resume {study.folder}")
    if study.kind == "compare":
        from sviten import comparing

        return comparing.conclude(study)
    if study.kind == "sweep":
        from sviten import sweeping

        return sweeping.conclude(study)
    if study.kind == "tournament":
        from sviten import tournaments

        return tournaments.conclude(study)
    if study.kind == "variants":
        from sviten import house_rules

        return house_rules.conclude(study)
    raise RunError(
        f"{study.folder} is a study of kind {study.kind!r}, which this sviten cannot tell"
    )
