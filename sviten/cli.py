"""The command ``sviten``. What a command needs is imported when it runs, so that help is quick."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simulate.errors import CardError, RulesError, RunError, StrategyError
from sviten.failures import DONE, UsageError, complain, end_when_stuck, usage
from sviten.output import print_json, show_plan, show_run

if TYPE_CHECKING:
    from simulate.rules import Rules

app = typer.Typer(
    name="sviten",
    help="Tournament simulation and analysis of the card game Sviten Special.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


class Backend(StrEnum):
    """How jobs run."""

    threading = "threading"
    loky = "loky"


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Variant = Annotated[
    str, typer.Option(help="Rules: a preset, or a TOML file; several are joined by +.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the rules; repeatable."),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Workers.", show_default="as many as there are cores")
]
BackendOption = Annotated[Backend, typer.Option(help="Threads, or processes.")]


@app.callback()
def _common(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error arose.")] = False,
) -> None:
    """Take the options of all commands."""


@app.command()
def simulate(
    ns: Annotated[
        str | None,
        typer.Option(help="Entrant of N and S: bidder/player.", show_default="tips/greedy"),
    ] = None,
    ew: Annotated[
        str | None, typer.Option(help="Entrant of E and W.", show_default="random/random")
    ] = None,
    seats: Annotated[
        str | None,
        typer.Option(metavar="N=A,E=B,S=C,W=D", help="An entrant for each seat alone."),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="Deals to play.", show_default="100,000")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Whole matches to play instead.")
    ] = None,
    variant: Variant = "classic",
    set_: Changes = None,
    duplicate: Annotated[
        bool, typer.Option("--duplicate", help="Play each again with the seats changed.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="0 to 2**64 - 1.", show_default="drawn, and told")
    ] = None,
    jobs: Jobs = None,
    backend: BackendOption = Backend.threading,
    detail: Annotated[
        str | None, typer.Option(metavar="calls,plays", help="Write these tables too.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run.", show_default="one under results/")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Estimate time and disk, and play nothing.")
    ] = False,
    hands_of: Annotated[
        str | None, typer.Option(metavar="HAND", help="Give a seat this hand in every deal.")
    ] = None,
    seat: Annotated[
        str | None, typer.Option(help="The seat that --hands-of is for.", show_default="N")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the run that stands in the folder.")
    ] = False,
    part_size: Annotated[
        int,
        typer.Option(
            min=0, help="Deals or matches in a part file.", show_default="what takes 20 s"
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Play deals or matches between two entrants, write a run, print a summary."""
    if deals is not None and matches is not None:
        raise UsageError("--deals and --matches: a run plays one or the other")
    if seats is not None and (ns is not None or ew is not None):
        raise UsageError("--seats names who sits where: leave --ns and --ew out")
    with usage(CardError, RulesError, RunError, StrategyError):
        from sviten.choices import (
            DEFAULT_EW,
            DEFAULT_NS,
            check_specs,
            read_seats,
            seat_entrants,
        )

        rules = _rules(variant, set_)
        named = None if seats is None else read_seats(seats)
        specs = seat_entrants(
            DEFAULT_NS if ns is None else ns, DEFAULT_EW if ew is None else ew, named, rules
        )
        check_specs(specs)
        if seat is not None and hands_of is None:
            raise UsageError("--seat names the seat of a hand: add --hands-of HAND")
        hands = {} if hands_of is None else {(seat or "N").upper(): hands_of}
        words = [word.strip() for word in (detail or "").split(",") if word.strip()]
    from simulate.runs import plan_run, simulate_run
    from simulate.settings import make_settings
    from strategies.spec import load_entrant
    from sviten.api import DEFAULT_DEALS, default_folder, default_jobs
    from sviten.progress import Progress, tell, watch_compiling
    from sviten.tables import Tables

    compiling = watch_compiling()
    with usage(CardError, RunError):
        settings = make_settings(
            rules,
            specs,
            load_entrant,
            deals=DEFAULT_DEALS if deals is None and matches is None else deals,
            matches=matches,
            seed=seed,
            duplicate=duplicate,
            detail=words,
            hands=hands,
        ).with_part_size(part_size)
    jobs = jobs or default_jobs()
    if plan:
        show_plan(plan_run(settings, load_entrant, jobs), settings, as_json=as_json)
        return
    folder = out or default_folder(settings)
    for note in rules.notes():
        tell(note)
    with Progress(compiling, settings.unit) as progress:
        run = simulate_run(
            folder,
            settings,
            load_entrant,
            jobs=jobs,
            backend=backend.value,
            progress=progress,
            overwrite=overwrite,
        )
    show_run(Tables(run), folder, progress, as_json=as_json)


@app.command()
def resume(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the run.")],
    deals: Annotated[
        int | None, typer.Option(min=1, help="Deals that the run is to have in all.")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Matches that the run is to have in all.")
    ] = None,
    jobs: Jobs = None,
    backend: BackendOption = Backend.threading,
    as_json: Json = False,
) -> None:
    """Finish a run or a study that was interrupted, or extend a run."""
    from simulate.runs import Crew, open_run, resume_run
    from simulate.study import is_study, open_study, resume_study
    from strategies.spec import load_entrant
    from sviten.api import default_jobs
    from sviten.progress import Progress, watch_compiling
    from sviten.tables import Tables

    compiling = watch_compiling()
    if is_study(run):
        if deals is not None or matches is not None:
            raise UsageError(f"{run} is a study: the command that began it extends it")
        study = open_study(run)
        with Progress(compiling, study.unit) as progress:
            crew = Crew(jobs or default_jobs(), backend.value, progress)
            resume_study(run, load_entrant, crew=crew)
        return
    with Progress(compiling, open_run(run).settings.unit) as progress:
        done = resume_run(
            run,
            load_entrant,
            deals=deals,
            matches=matches,
            jobs=jobs or default_jobs(),
            backend=backend.value,
            progress=progress,
        )
    show_run(Tables(done), run, progress, as_json=as_json)


@app.command()
def melds(
    cards: Annotated[
        list[str], typer.Argument(help='The pile: "QH KH AH", "AKQ.QJ3.-.A7" (S.H.D.C).')
    ],
    trump: Annotated[str | None, typer.Option(help="C, D, H, S or NT.", show_default="NT")] = None,
    jokers: Annotated[int, typer.Option(min=0, help="Wild cards.")] = 0,
    at_least: Annotated[int, typer.Option(min=0, help="Melds that are needed.")] = 0,
    variant: Variant = "classic",
    set_: Changes = None,
    as_json: Json = False,
) -> None:
    """Lay out a pile for the most points."""
    from sviten.layout import best_layout
    from sviten.progress import watch_compiling
    from sviten.text import layout_text, shows_signs

    watch_compiling()
    with usage(CardError, RulesError):
        pile = " ".join(cards)
        layout = best_layout(pile, trump, jokers, at_least, _rules(variant, set_))
    if as_json:
        print_json(None if layout is None else layout._asdict())
    elif layout is None:
        print(f"No layout of these cards has {at_least} melds.")
    else:
        print(layout_text(layout.points, layout.melds, layout.dead, signs=shows_signs(sys.stdout)))


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.")],
    deal_id: Annotated[int, typer.Argument(metavar="DEAL_ID", min=0)],
    leg: Annotated[int, typer.Option(min=0, help="1 for the seats changed.")] = 0,
    as_json: Json = False,
) -> None:
    """Tell one hand of a run, trick by trick."""
    from simulate.runs import open_run
    from sviten.progress import watch_compiling
    from sviten.tables import Tables
    from sviten.text import record_text, shows_signs

    watch_compiling()
    record = Tables(open_run(run)).hand(deal_id, leg).record
    if as_json:
        print_json(record)
    else:
        print(record_text(record, signs=shows_signs(sys.stdout)), end="")


@app.command()
def strategies(as_json: Json = False) -> None:
    """List the bidders and players, with their parameters."""
    from sviten.listing import strategy_facts, strategy_tables
    from sviten.text import show_table

    if as_json:
        print_json(strategy_facts())
        return
    for table in strategy_tables():
        show_table(table)


@app.command("rules")
def show_rules(
    variant: Annotated[
        str, typer.Argument(help="A preset, or a TOML file; several are joined by +.")
    ] = "classic",
    set_: Changes = None,
    as_json: Json = False,
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="Print the JSON schema of all rule sets.")
    ] = False,
) -> None:
    """Explain a rule set, what differs from the classic game first."""
    from sviten.listing import rules_facts, rules_tables
    from sviten.text import show_table

    if json_schema:
        from simulate.rules import Rules

        print_json(Rules.model_json_schema())
        return
    with usage(RulesError):
        rules = _rules(variant, set_)
        facts = rules_facts(variant, rules)
    if as_json:
        print_json(facts)
        return
    for table in rules_tables(facts):
        show_table(table)
    for line in facts["notes"]:
        print(line)


@app.command()
def bench(
    variants: Annotated[
        bool, typer.Option("--variants", help="Measure a hand under every preset instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure this machine: time of a deal, a hand, a layout, a row."""
    from sviten import bench as measuring
    from sviten.progress import tell, watch_compiling

    watch_compiling()
    measured: dict[str, Any]
    if variants:
        measured = measuring.measure_variants(progress=tell)
        text = measuring.report_variants(measured)
    else:
        measured = measuring.measure(progress=tell)
        text = measuring.report(measured)
    if as_json:
        print_json(measured)
    else:
        print(text)


def _rules(variant: str, changes: list[str] | None) -> Rules:
    """Rules as named on the command line."""
    from simulate.rules import load_rules, read_change

    return load_rules(variant, dict(map(read_change, changes or [])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process where they are not given.

    Returns
    -------
    int
        0 done, 1 failed, 2 wrong usage, 130 interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words  # wherever it stands
    words = [word for word in words if word != "--debug"]
    if sys.stdout is None:  # it was closed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a path may have letters that the output has not
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    if arguments is None:  # the process is ours
        end_when_stuck()
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()  # the reader has seen enough
        return DONE
    except BaseException as error:
        if debug and not isinstance(error, KeyboardInterrupt):
            raise
        if isinstance(error, OSError):
            _drop_output()  # or Python would try once more to write it as it ends
        return complain(error)
    return code


def _drop_output() -> None:
    """Let what is still buffered for stdout go nowhere, without a complaint."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    """Carry out a command; its errors are raised."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("sviten", words) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return DONE


if __name__ == "__main__":
    sys.exit(main())
