"""``sviten tournament``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from simulate.errors import RulesError, StrategyError
from sviten.commands.options import (
    Backend,
    BackendOption,
    Changes,
    Jobs,
    Json,
    Out,
    Overwrite,
    Scheduler,
    Seed,
    Variant,
    chosen_rules,
    read_range,
)
from sviten.commands.playing import play
from sviten.defaults import PAIRING_DEALS
from sviten.display.failures import UsageError, usage


class Form(StrEnum):
    """Who meets whom."""

    round_robin = "round-robin"
    gauntlet = "gauntlet"


def tournament(
    entrants: Annotated[
        list[str] | None, typer.Argument(metavar="ENTRANT...", help="Entrants: bidder/player.")
    ] = None,
    ladder: Annotated[
        bool,
        typer.Option("--ladder", help="All shipped strategies, and ENTRANTs, meet one opponent."),
    ] = False,
    form: Annotated[
        Form,
        typer.Option("--format", help="All meet all, or the first one meets each of the others."),
    ] = Form.round_robin,
    deals: Annotated[
        int | None,
        typer.Option(min=1, help="Deals of each pairing.", show_default=f"{PAIRING_DEALS:,}"),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Whole matches of each pairing; alone or with deals.")
    ] = None,
    deal_range: Annotated[
        str | None,
        typer.Option(metavar="FIRST:STOP", help="These deals, STOP excluded, as a part."),
    ] = None,
    match_range: Annotated[
        str | None, typer.Option(metavar="FIRST:STOP", help="The same with matches.")
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Have unlike partners play too: what does each add?")
    ] = False,
    allow_cheating: Annotated[
        bool, typer.Option("--allow-cheating", help="Let those play that see what is hidden.")
    ] = False,
    variant: Variant = "classic",
    set_: Changes = None,
    seed: Seed = None,
    jobs: Jobs = None,
    backend: BackendOption = Backend.threading,
    scheduler: Scheduler = "",
    out: Out = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Have entrants meet each other on the same deals, and rate them."""
    if not entrants and not ladder:
        raise UsageError("name two entrants or more, such as tips/greedy tips/high, or --ladder")
    if deals is not None and deal_range is not None:
        raise UsageError("--deals and --deal-range: give one of them")
    if matches is not None and match_range is not None:
        raise UsageError("--matches and --match-range: give one of them")
    with usage(RulesError):
        rules = chosen_rules(variant, set_)
    from sviten.api.runs import make_execution
    from sviten.display.progress import tell, watch_compiling
    from sviten.studies.base import Place
    from sviten.studies.tournament import KIND, Amounts, Field, Question

    of_deals = deals if deal_range is None else read_range("--deal-range", deal_range)
    of_matches = matches if match_range is None else read_range("--match-range", match_range)
    compiling = watch_compiling()
    for note in rules.notes():
        tell(note)
    field = Field(entrants or [], form.value, ladder, mixed, allow_cheating)
    with usage(StrategyError):
        play(
            KIND,
            Question(field, Amounts(of_deals, of_matches), rules, seed),
            make_execution(jobs, backend.value, scheduler),
            Place(out, overwrite),
            compiling=compiling,
            unit=_unit(of_deals, of_matches),
            as_json=as_json,
        )


def _unit(deals: object, matches: object) -> str:
    if matches is None:
        return "deals"
    return "matches" if deals is None else "deals and matches"
