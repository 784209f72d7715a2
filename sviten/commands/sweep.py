"""``sviten sweep``."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

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
from sviten.defaults import SWEEP_DEALS
from sviten.display.failures import UsageError, usage


def sweep(
    entrant: Annotated[str, typer.Argument(metavar="ENTRANT", help="bidder/player.")],
    param: Annotated[
        list[str], typer.Option(metavar="NAME=FROM:TO:STEP", help="Parameter, and its values.")
    ],
    against: Annotated[
        str | None,
        typer.Option(help="Entrant that all play against.", show_default="ENTRANT itself"),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(min=1, help="Pairs for each value.", show_default=f"{SWEEP_DEALS:,}"),
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
    """Try values of a parameter, all on the same deals, and tell which is best."""
    with usage(CardError, RulesError, RunError, StrategyError):
        from strategies.declare.spec import with_parameter
        from sviten.api.choices import check_specs
        from sviten.studies.sweep import KIND, ask

        rules = chosen_rules(variant, set_)
        if len(param) > 1:
            raise UsageError("--param is given more than once: a sweep is of one parameter")
        name, values = read_sweep(param[0])
        check_specs([entrant] if against is None else [entrant, against])
        for value in values:
            with_parameter(entrant, name, value)
    from sviten.api.runs import make_execution
    from sviten.display.progress import tell, watch_compiling
    from sviten.studies.base import Place

    compiling = watch_compiling()
    for note in rules.notes():
        tell(note)
    play(
        KIND,
        ask(entrant, name, values, against, deals, rules, seed),
        make_execution(jobs, backend.value, scheduler),
        Place(out, overwrite),
        compiling=compiling,
        as_json=as_json,
    )


def read_sweep(text: str) -> tuple[str, list[float]]:
    """Name and values of ``NAME=from:to:step``.

    Raises
    ------
    UsageError
        When it has no such form.
    """
    from sviten.studies.sweep import MOST_VALUES

    name, _, rest = text.partition("=")
    try:
        start, stop, step = map(Decimal, rest.split(":"))
        count = int((stop - start) / step) + 1 if step else 0
    except (ValueError, ArithmeticError):
        raise UsageError(
            f"--param {text!r}: write NAME=from:to:step, such as min_structures=0:4:1"
        ) from None
    if not name.strip() or not 1 <= count <= MOST_VALUES or step < 0:
        raise UsageError(
            f"--param {text!r}: it goes up from the first number to the second, in at most "
            f"{MOST_VALUES} steps above 0"
        )
    return name.strip(), [float(start + place * step) for place in range(count)]
