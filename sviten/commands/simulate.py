"""``sviten simulate``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from simulate.errors import CardError, RulesError, RunError, StrategyError
from sviten.commands.options import (
    Backend,
    BackendOption,
    Changes,
    Jobs,
    Json,
    Overwrite,
    Scheduler,
    Seed,
    Variant,
    chosen_rules,
    given_hands,
    read_range,
    read_seats,
)
from sviten.defaults import ENTRANT_EW, ENTRANT_NS, RUN_DEALS
from sviten.display.failures import UsageError, usage
from sviten.display.output import show_plan, show_run


def simulate(
    ns: Annotated[
        str | None,
        typer.Option(help="Entrant of N and S: bidder/player.", show_default=ENTRANT_NS),
    ] = None,
    ew: Annotated[
        str | None, typer.Option(help="Entrant of E and W.", show_default=ENTRANT_EW)
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(metavar="N=A,E=B,S=C,W=D", help="An entrant for each seat alone."),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="Deals to play.", show_default=f"{RUN_DEALS:,}")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Whole matches to play instead.")
    ] = None,
    deal_range: Annotated[
        str | None,
        typer.Option(metavar="FIRST:STOP", help="Play these deals, STOP excluded, as a part."),
    ] = None,
    match_range: Annotated[
        str | None, typer.Option(metavar="FIRST:STOP", help="The same with matches.")
    ] = None,
    variant: Variant = "classic",
    set_: Changes = None,
    duplicate: Annotated[
        bool, typer.Option("--duplicate", help="Play each again with the seats changed.")
    ] = False,
    seed: Seed = None,
    jobs: Jobs = None,
    backend: BackendOption = Backend.threading,
    scheduler: Scheduler = "",
    detail: Annotated[
        str | None, typer.Option(metavar="calls,plays", help="Write these tables too.")
    ] = None,
    forced: Annotated[
        bool,
        typer.Option("--forced", help="No auction: each seat declares in every denomination."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run.", show_default="one under results/")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Estimate time and disk, and play nothing.")
    ] = False,
    hands_of: Annotated[
        list[str] | None,
        typer.Option(metavar="HAND", help="Give a seat this hand in every deal; repeatable."),
    ] = None,
    seat: Annotated[
        list[str] | None,
        typer.Option(help="The seat that --hands-of is for, in the same order.", show_default="N"),
    ] = None,
    overwrite: Overwrite = False,
    part_size: Annotated[
        int,
        typer.Option(
            min=0, help="Deals or matches in a part file.", show_default="what takes 20 s"
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Play deals or matches between two entrants, write a run, print a summary."""
    amounts = {
        "--deals": deals,
        "--matches": matches,
        "--deal-range": deal_range,
        "--match-range": match_range,
    }
    if len(given := [name for name, amount in amounts.items() if amount is not None]) > 1:
        raise UsageError(f"{' and '.join(given)}: a run plays one or the other")
    if seats is not None and (ns is not None or ew is not None):
        raise UsageError("--seats names who sits where: leave --ns and --ew out")
    with usage(CardError, RulesError, RunError, StrategyError):
        from sviten.api.choices import (
            check_specs,
            seat_entrants,
        )

        of_deals = deals if deal_range is None else read_range("--deal-range", deal_range)
        of_matches = matches if match_range is None else read_range("--match-range", match_range)
        rules = chosen_rules(variant, set_)
        named = None if seats is None else read_seats(seats)
        specs = seat_entrants(
            ENTRANT_NS if ns is None else ns, ENTRANT_EW if ew is None else ew, named, rules
        )
        notes = check_specs(specs)
        hands = given_hands(hands_of or [], seat or [])
        words = [word.strip() for word in (detail or "").split(",") if word.strip()]
    from simulate.runs.play import plan_run, simulate_run
    from simulate.store.make import make_settings
    from strategies.declare.spec import load_entrant
    from sviten.api.runs import default_folder, make_execution
    from sviten.api.tables import Tables
    from sviten.display.progress import Progress, tell, watch_compiling

    compiling = watch_compiling()
    with usage(CardError, RunError):
        settings = make_settings(
            rules,
            specs,
            load_entrant,
            deals=of_deals if given else RUN_DEALS,
            matches=of_matches,
            seed=seed,
            duplicate=duplicate,
            detail=words,
            hands=hands,
            forced=forced,
        ).with_part_size(part_size)
    execution = make_execution(jobs, backend.value, scheduler)
    if plan:
        show_plan(plan_run(settings, load_entrant, execution.jobs), settings, as_json=as_json)
        return
    folder = out or default_folder(settings)
    for note in [*rules.notes(), *notes]:
        tell(note)
    with Progress(compiling, settings.unit) as progress:
        run = simulate_run(
            folder,
            settings,
            load_entrant,
            execution=replace(execution, progress=progress),
            overwrite=overwrite,
        )
    show_run(Tables(run).summary, run.settings, folder, progress, as_json=as_json)
