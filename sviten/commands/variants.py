"""``sviten variants``."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from simulate.errors import RulesError, StrategyError
from sviten.commands.options import Backend, BackendOption, Jobs, Json, Out, Scheduler, Seed
from sviten.defaults import HOUSE_DEALS, WITHIN
from sviten.display.failures import usage
from sviten.display.output import print_json

if TYPE_CHECKING:
    from sviten.display.progress import Progress
    from sviten.studies.variants import Weighed


def variants(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[VARIANT]...",
            help="Presets or TOML files, several joined by +; all presets where none is named.",
        ),
    ] = None,
    entrants: Annotated[
        str | None,
        typer.Option(
            metavar="E1,E2,...",
            help="Ladder from weak to strong; the last one is the reference.",
            show_default="five fast ones",
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=2, help="Deals of each run.", show_default=f"{HOUSE_DEALS:,}")
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(min=2, help="Matches of each run.", show_default="a quarter of the deals"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=V1,V2,...",
            help="Sweep a field of the rules; repeatable, for every combination.",
        ),
    ] = None,
    within: Annotated[
        float, typer.Option(help="Points a hand up to which an advantage counts as fair.")
    ] = WITHIN,
    seed: Seed = None,
    jobs: Jobs = None,
    backend: BackendOption = Backend.threading,
    scheduler: Scheduler = "",
    out: Out = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the study in the folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Set house rules side by side: the same deals and entrants under each of them."""
    from sviten.api.choices import check_specs, split_entrants
    from sviten.display.progress import Progress, tell, watch_compiling
    from sviten.studies.variants import LADDER, choose_rules, read_changes
    from sviten.studies.variants import variants as weigh_variants

    ladder = LADDER if entrants is None else split_entrants(entrants)
    with usage(RulesError, StrategyError):
        check_specs(ladder)
        changes = read_changes(set_ or [])
        for name, rules in choose_rules(names or [], changes).items():
            for note in rules.notes():
                tell(f"{name}: {note}")
    compiling = watch_compiling()
    with Progress(compiling, "deals and matches") as progress:
        weighed = weigh_variants(
            names or [],
            entrants=ladder,
            deals=deals,
            matches=matches,
            changes=changes,
            within=within,
            seed=seed,
            out=out,
            jobs=jobs,
            backend=backend.value,
            scheduler=scheduler,
            overwrite=overwrite,
            progress=progress,
        )
    show_variants(weighed, progress, as_json=as_json)


def show_variants(weighed: Weighed, progress: Progress, *, as_json: bool) -> None:
    """Print what house rules come to."""
    from analysis.house_rules.tables import house_notes, house_tables
    from analysis.house_rules.words import reading
    from simulate.store.run import short_path
    from sviten.display.text import duration, show_table

    house = weighed.house
    if as_json:
        print_json(weighed.as_dict() | {"seconds": progress.seconds})
        return
    print(f"{short_path(weighed.study.folder)}: {len(house.sets)} rule sets, seed {house.seed}")
    print(f"ladder: {', '.join(house.entrants)}\n")
    for table in house_tables(house):
        rows = [[_writable(cell) for cell in row] for row in table.rows]
        show_table(table._replace(rows=rows))
    for note in house_notes(house):
        print(textwrap.fill(_writable(note), 80, subsequent_indent="   "))
    print("\nWhat each rule set does")
    for of in house.sets:
        text = f"{of.name}: {reading(house, of)}"
        print(textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="      "))
    took = f", {duration(progress.seconds)}" if progress.played else ""
    print(f"\ntables and plots: {', '.join(path.name for path in weighed.files)}{took}")
    print(weighed)


def _writable(text: str) -> str:
    """Write a sign of plus and minus in two where the output has not got it."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.replace("\u00b1", "+-")
    return text
