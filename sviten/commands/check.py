"""``sviten check``."""

from __future__ import annotations

from typing import Annotated

import typer

from simulate.errors import RulesError, StrategyError
from strategies.checks.verdict import DEALS, LIMIT, SECONDS
from sviten.commands.options import Json
from sviten.display.failures import FAILED, usage
from sviten.display.output import print_json


def check(
    spec: Annotated[
        str,
        typer.Argument(metavar="SPEC", help="Bidder, player or entrant: tips, mine.py:name."),
    ],
    deals: Annotated[int, typer.Option(min=1, help="Hands of each variant.")] = DEALS,
    seconds: Annotated[
        float, typer.Option(min=1, help="Time for it all, compiling aside; may cut the hands.")
    ] = SECONDS,
    limit: Annotated[
        float, typer.Option(min=0.1, help="Seconds that one decision may take.")
    ] = LIMIT,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            help="Rules to play by; repeatable.", show_default="all that it is declared for"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Test a strategy: legal, repeatable, blind to hidden cards, how fast; exit code 1 if not."""
    from sviten.api import check as checking
    from sviten.display.text import show_table

    with usage(RulesError, StrategyError):
        verdict = checking.check(
            spec, deals=deals, seconds=seconds, limit=limit, variants=variant or []
        )
    if as_json:
        print_json(verdict.as_dict())
    else:
        show_table(checking.verdict_table(verdict))
    if not verdict.passed:
        raise typer.Exit(FAILED)
