"""``sviten sweep``."""

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
    Scheduler,
    Seed,
    Variant,
    chosen_rules,
)
from sviten.defaults import SWEEP_DEALS
from sviten.display.failures import UsageError, usage
from sviten.display.output import print_json, rules_line

if TYPE_CHECKING:
    from sviten.display.progress import Progress
    from sviten.studies.sweep import Swept


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
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the sweep in the folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Try values of a parameter, all on the same deals, and tell which is best."""
    with usage(CardError, RulesError, RunError, StrategyError):
        from strategies.declare.spec import with_parameter
        from sviten.api.choices import check_specs
        from sviten.studies.sweep import read_sweep
        from sviten.studies.sweep import sweep as run_sweep

        rules = chosen_rules(variant, set_)
        if len(param) > 1:
            raise UsageError("--param is given more than once: a sweep is of one parameter")
        name, values = read_sweep(param[0])
        check_specs([entrant] if against is None else [entrant, against])
        for value in values:
            with_parameter(entrant, name, value)
    from sviten.display.progress import Progress, tell, watch_compiling

    compiling = watch_compiling()
    for note in rules.notes():
        tell(note)
    with Progress(compiling) as progress:
        swept = run_sweep(
            entrant,
            name,
            values,
            against=against,
            deals=deals,
            rules=rules,
            seed=seed,
            out=out,
            jobs=jobs,
            backend=backend.value,
            scheduler=scheduler,
            overwrite=overwrite,
            progress=progress,
        )
    show_sweep(swept, progress, as_json=as_json)


def show_sweep(swept: Swept, progress: Progress, *, as_json: bool) -> None:
    """Print what a sweep comes to."""
    from analysis.show.text import count
    from simulate.store.run import short_path
    from sviten.display.text import duration, show_table

    facts = swept.as_dict()
    if as_json:
        print_json(facts | {"seconds": progress.seconds})
        return
    folder = short_path(swept.study.folder)
    print(f"{folder}: {count(facts['deals'], 'paired deal')} a value, seed {facts['seed']}")
    print(f"{rules_line(facts['rules_changed'])}\n")
    show_table(swept.sweep.table())
    names = ", ".join(path.name for path in [*swept.files, swept.plot])
    print(f"files: {names}" + (f"; {duration(progress.seconds)}" if progress.played else ""))
    print(swept)
