"""Prints what `sviten simulate` and `sviten resume` come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sviten.text import duration, file_size, show_table

if TYPE_CHECKING:
    from simulate.plan import Plan
    from sviten.progress import Progress
    from sviten.tables import Tables


def show_plan(plan: Plan, deals: int, *, as_json: bool) -> None:
    """Print what a run would take."""
    parts = -(-deals // plan.part_deals)
    if as_json:
        facts = {"seconds": plan.seconds, "bytes": plan.size}
        print_json(facts | {"part_deals": plan.part_deals, "parts": parts})
        return
    print(
        f"{deals:,} deals: about {duration(plan.seconds)} and {file_size(plan.size)} on disk, "
        f"in {parts:,} part{'' if parts == 1 else 's'} of {plan.part_deals:,} deals"
    )


def show_run(tables: Tables, folder: Path, progress: Progress, *, as_json: bool) -> None:
    """Print the summary of a run, and how fast `progress` saw it played."""
    summary = tables.summary
    seconds = progress.seconds
    hands = progress.played * tables.settings.legs
    speed = hands / seconds if hands and seconds else None
    if as_json:
        facts = {"run": str(folder), "seconds": seconds, "hands_per_second": speed}
        print_json(facts | summary.as_dict())
        return
    changes = tables.settings.rules.changes()
    told = ", ".join(f"{name} = {value}" for name, value in changes.items())
    legs = "" if tables.settings.legs == 1 else f" in {tables.settings.legs} legs"
    print(f"{folder}: {summary.deals:,} deals{legs}, seed {tables.settings.seed}")
    print(f"rules: classic{f', but {told}' if told else ''}\n")
    for table in summary.tables():
        show_table(table)
    print(f"{summary.passed_out_text()}\n")
    if speed is not None:
        print(f"{speed:,.0f} hands a second, {duration(seconds)}")
    print(summary.sentence())


def print_json(value: Any) -> None:
    """Print JSON; a number that is none would not be JSON."""
    print(json.dumps(value, indent=2, allow_nan=False))
