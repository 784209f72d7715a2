"""``sviten variants``."""

from __future__ import annotations

from typing import Annotated

import typer

from simulate.errors import RulesError, StrategyError
from sviten.commands.options import (
    Backend,
    BackendOption,
    Jobs,
    Json,
    Out,
    Overwrite,
    Scheduler,
    Seed,
    split_entrants,
)
from sviten.commands.playing import play
from sviten.defaults import HOUSE_DEALS, WITHIN
from sviten.display.failures import usage


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
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Set house rules side by side: the same deals and entrants under each of them."""
    from sviten.api.choices import check_specs
    from sviten.api.runs import make_execution
    from sviten.display.progress import tell, watch_compiling
    from sviten.studies.base import Place
    from sviten.studies.variants import KIND, LADDER, ask, choose_rules, read_changes

    named = LADDER if entrants is None else split_entrants(entrants)
    with usage(RulesError, StrategyError):
        check_specs(named)
        changes = read_changes(set_ or [])
        for name, rules in choose_rules(names or [], changes).items():
            for note in rules.notes():
                tell(f"{name}: {note}")
    compiling = watch_compiling()
    play(
        KIND,
        ask(names or [], named, deals, matches, changes, within, seed),
        make_execution(jobs, backend.value, scheduler),
        Place(out, overwrite),
        compiling=compiling,
        unit="deals and matches",
        as_json=as_json,
    )
