"""Prints what commands come to: a run, a plan, a calibration, a study."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sviten.display.text import duration, file_size, show_table

if TYPE_CHECKING:
    from analysis.bids.calibration import Calibration
    from analysis.summary.forced import ForcedSummary
    from analysis.summary.hands import Summary
    from simulate.runs.plan import Plan
    from simulate.runs.study import Study
    from simulate.store.settings import Settings
    from sviten.display.progress import Progress


def show_plan(plan: Plan, settings: Settings, *, as_json: bool) -> None:
    """Print what a run would take."""
    unit, count = settings.unit, settings.count
    parts = -(-count // plan.part_size)
    if as_json:
        facts = {"seconds": plan.seconds, "bytes": plan.size}
        print_json(facts | {f"part_{unit}": plan.part_size, "parts": parts})
        return
    print(
        f"{count:,} {unit}: about {duration(plan.seconds)} and {file_size(plan.size)} on disk, "
        f"in {parts:,} part{'' if parts == 1 else 's'} of {plan.part_size:,} {unit}"
    )


def show_run(
    summary: Summary | ForcedSummary,
    settings: Settings,
    folder: Path,
    progress: Progress | None,
    *,
    as_json: bool,
) -> None:
    """Print the summary of a run, and how fast `progress` saw it played."""
    seconds = progress.seconds if progress else 0.0
    played = progress.played if progress else 0
    share = played / settings.count
    speed = summary.hands * share / seconds if share and seconds else None
    facts = {"run": str(folder), "seconds": seconds, "hands_per_second": speed}
    playouts = "playouts" if settings.forced else "hands"
    speed_text = "" if speed is None else f"{speed:,.0f} {playouts} a second"
    if settings.unit == "matches":
        matches = played * settings.legs / seconds if speed else None
        facts["matches_per_second"] = matches
        speed_text = speed_text and f"{matches:,.0f} matches and {speed_text}"
    if as_json:
        print_json(facts | summary.as_dict())
        return
    print(f"{folder}: {_count_text(settings)}, seed {settings.seed}")
    print(f"{rules_line(settings.rules.changes())}\n")
    for table in summary.tables():
        show_table(table)
    for note in summary.notes():
        print(f"{note}\n")
    if speed_text:
        print(f"{speed_text}, {duration(seconds)}")
    print(summary.sentence())


def show_calibration(
    calibration: Calibration, folder: Path, plots: list[Path], written: list[Path], *, as_json: bool
) -> None:
    """Print bid success and calibration, and where plots and tables are."""
    if as_json:
        files = {"plots": [str(p) for p in plots], "tables": [str(p) for p in written]}
        print_json({"run": str(folder), **calibration.as_dict(), **files})
        return
    settings = calibration.settings
    hands = "forced" if settings.forced else f"{calibration.hands:,} hands"
    print(f"{folder}: {_count_text(settings)}, {hands}, seed {settings.seed}")
    print(f"{rules_line(settings.rules.changes())}\n")
    for table in calibration.tables():
        show_table(table)
    for path in plots:
        print(f"plot: {path}")
    if written:
        print(f"tables: {written[0].parent}: {', '.join(path.name for path in written)}")
    print(calibration.sentence())


def _count_text(settings: Settings) -> str:
    """Tell how many deals or matches a run has, and in how many legs."""
    from analysis.show.text import count

    thing = {"deals": "deal", "matches": "match"}[settings.unit]
    legs = "" if settings.legs == 1 else f" in {settings.legs} legs"
    return f"{count(settings.count, thing, settings.unit)}{legs}"


def rules_line(changes: Mapping[str, Any]) -> str:
    """Line about the rules of a run, by what differs from the classic game."""
    from analysis.show.text import rules_text  # scipy with it, which `sviten --help` needs not

    return f"rules: {rules_text(changes)}"


def show_study(study: Study, folder: Path, *, as_json: bool) -> None:
    """Print what a study holds."""
    runs = [
        {"name": name, settings.unit: settings.count, "standing": name in study.standing}
        for name, settings in study.runs.items()
    ]
    failures = [failure._asdict() for failure in study.failures]
    if as_json:
        facts = {"study": str(folder), "kind": study.kind, "runs": runs, "failures": failures}
        print_json(facts)
        return
    print(f"{folder}: {study.kind} of {len(study.standing):,} runs, all of them finished")
    for failure in study.failures:
        print(f"failed: {failure.why}")


def print_json(value: Any) -> None:
    """Print JSON; a number that is none would not be JSON."""
    print(json.dumps(value, indent=2, allow_nan=False))
