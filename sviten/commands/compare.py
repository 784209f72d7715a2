"""``sviten compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from simulate.errors import CardError, RulesError, RunError, StrategyError
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
)
from sviten.commands.playing import play
from sviten.defaults import ALPHA, BETA, MARGIN_H1, MOST_PAIRS
from sviten.display.failures import UsageError, usage
from sviten.display.output import print_json

if TYPE_CHECKING:
    from analysis.compare.needed import Needed

_MOST = " of deals, ".join(f"{most:,}" for most in MOST_PAIRS.values()) + " of matches"
_H1 = f"{MARGIN_H1['deals']} above H0; {MARGIN_H1['matches']} of matches"


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="Entrant: bidder/player.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Entrant to compare it with.")],
    deals: Annotated[
        int | None, typer.Option(min=1, help="Play so many pairs, for an estimate.")
    ] = None,
    max_deals: Annotated[
        int | None,
        typer.Option(min=1, help="Pairs after which the test gives up.", show_default=_MOST),
    ] = None,
    matches: Annotated[
        bool, typer.Option("--matches", help="Compare by whole matches; pairs are of these.")
    ] = False,
    h0: Annotated[
        float | None,
        typer.Option(help="Margin of H0, points a hand; of matches, a share.", show_default="0"),
    ] = None,
    h1: Annotated[
        float | None,
        typer.Option(help="Margin of H1.", show_default=_H1),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Chance to take H1 where H0 is true.")] = ALPHA,
    beta: Annotated[float, typer.Option(help="Chance to take H0 where H1 is true.")] = BETA,
    power: Annotated[
        float | None,
        typer.Option(metavar="MARGIN", help="Tell how many pairs it takes to see this margin."),
    ] = None,
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
    """Tell which of two entrants is better, on deals that both play from both sides."""
    if power is not None and (deals, max_deals, h0, h1, out) != (None,) * 5:
        raise UsageError(
            "--power plays no comparison: leave --deals, --max-deals, --h0, --h1 and --out out"
        )
    with usage(CardError, RulesError, RunError, StrategyError):
        from sviten.api.choices import check_specs

        rules = chosen_rules(variant, set_)
        check_specs([first, second])
    from sviten.display.progress import tell, watch_compiling

    compiling = watch_compiling()
    if power is not None:
        from sviten.studies.power import power as plan_power

        needed = plan_power(
            first,
            second,
            power,
            matches=matches,
            alpha=alpha,
            beta=beta,
            rules=rules,
            seed=seed,
            jobs=jobs,
        )
        show_power(needed, as_json=as_json)
        return
    from sviten.api.runs import make_execution
    from sviten.studies.base import Place
    from sviten.studies.compare import KIND, StopRule, ask

    for note in rules.notes():
        tell(note)
    stop_rule = StopRule(deals, max_deals, h0, h1, alpha, beta)
    play(
        KIND,
        ask(first, second, stop_rule, matches, rules, seed),
        make_execution(jobs, backend.value, scheduler),
        Place(out, overwrite),
        compiling=compiling,
        as_json=as_json,
    )


def show_power(needed: Needed, *, as_json: bool) -> None:
    """Print how many pairs it takes."""
    from sviten.display.text import duration, show_table

    if as_json:
        print_json(needed.as_dict())
        return
    if needed.ways:
        show_table(needed.table(duration))
        print(
            f"from a pilot of {needed.pilot.pairs:,} pairs; numbers are good to "
            f"{100 * needed.doubt:.0f} %"
        )
    print(needed.sentence())
