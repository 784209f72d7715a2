"""Pages of a run and of a hand, written to files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analysis.bids.calibration import calibrate
from analysis.pages.run_page import Sample, report_page
from analysis.pages.study_page import study_page
from analysis.show.result import Shown
from analysis.summary.hands import summarise
from analysis.summary.tally import whole_clusters
from simulate.errors import Option, RunError, SvitenError
from simulate.runs.play import Run
from simulate.runs.study import Study, is_study, open_study
from simulate.store.atomic import check_place, write_whole
from simulate.store.folder import REPORT_FILE
from sviten.api.frames import as_run
from sviten.api.tables import Tables
from sviten.display.command_line import command_of
from sviten.studies.base import conclude


def report(
    run: Tables | Run | Shown | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    forced: Tables | Run | str | os.PathLike[str] | None = None,
) -> Path:
    """Write a page that shows a run or a study: one HTML file that needs nothing else.

    Parameters
    ----------
    run : Tables, path, or a comparison, sweep, tournament or house rules that are played
        A folder may be that of a run or of a study.
    out : path, optional
        The file; ``report.html`` in the folder where it is not given.
    forced : Tables or path, optional
        A forced run that the contracts are set beside.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    RunError
        When it is no finished run or study, or the file cannot be written.
    """
    if study := _study_of(run):
        if forced is not None:
            text = "is a study: forced contracts are set beside a run of it"
            raise RunError(f"{study.folder} {text}")
        folder = Path(run) if isinstance(run, str | os.PathLike) else study.folder
        return _report_study(study, _place(folder, out))
    opened = as_run(run)
    path = _place(opened.folder, out)
    calibration = calibrate(opened, forced=None if forced is None else as_run(forced))
    samples: list[Sample] = []
    missing = ""
    if not opened.settings.forced:
        try:
            samples = list(_samples(opened))
        except SvitenError as error:  # a plug-in that is gone, say: the rest can be shown
            missing = str(error)
    summary = None if opened.settings.forced else summarise(opened)
    page = report_page(opened, summary, calibration, samples, missing, command_of(opened.settings))
    write_whole(path, page.encode())
    return path


def _place(folder: Path, out: str | os.PathLike[str] | None) -> Path:
    """File to write, which must be possible."""
    path = folder / REPORT_FILE if out is None else Path(out)
    check_place(path, *((Option("out"), " names another file") if out is None else ()))
    return path


def _study_of(run: object) -> Study | None:
    """Study that a path or a result stands for; None for those of a run."""
    if isinstance(run, str | os.PathLike):
        return open_study(run) if is_study(run) else None
    study = getattr(run, "study", None)
    return study if isinstance(study, Study) else None


def _report_study(study: Study, path: Path) -> Path:
    result = conclude(study)
    plots = sorted(study.folder.glob("*.png"))
    write_whole(path, study_page(study, result, plots).encode())
    return path


def _samples(run: Run) -> Iterator[Sample]:
    """Choose hands that show something, out of the first thousands."""
    names = ["deal_id", "leg", "declarer", "made", "score_decl", "score_def"]
    rows = next(whole_clusters(run.batches(names), names, "deal_id", 1))
    tables = Tables(run)
    bid = rows["declarer"] >= 0
    made, failed = (np.flatnonzero(bid & (rows["made"] == is_made)) for is_made in (1, 0))
    among = f"among the first {len(bid):,} hands"
    chosen: dict[int, str] = {}
    if len(made):
        scores = rows["score_decl"][made]
        middle = np.sort(scores)[len(scores) // 2]
        chosen[int(made[np.argmax(scores == middle)])] = (
            f"An everyday contract: made, with the median score {among}"
        )
        chosen[int(made[np.argmax(scores)])] = f"The most that declarers scored, {among}"
    if len(failed):
        worst = (rows["score_decl"] - rows["score_def"])[failed]
        chosen[int(failed[np.argmin(worst)])] = f"The dearest failure, {among}"
    if not chosen:
        chosen[0] = "The first hand"
    for place, why in chosen.items():
        deal_id, leg = int(rows["deal_id"][place]), int(rows["leg"][place])
        text = f"{why} (deal {deal_id}{f', leg {leg}' if leg else ''})"
        record = tables.hand(deal_id, leg, why=True).record
        if not record["why"]:
            del record["why"]
        yield Sample(text, record)
