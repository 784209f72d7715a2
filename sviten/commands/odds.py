"""``sviten odds``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simulate.errors import CardError, RulesError, RunError, StrategyError
from sviten.commands.options import Changes, Jobs, Json, Seed, Variant, chosen_rules
from sviten.defaults import ENTRANT_NS, WORLDS
from sviten.display.failures import UsageError, usage
from sviten.display.output import print_json, rules_line

if TYPE_CHECKING:
    from analysis.odds.result import Odds


def odds(
    hand: Annotated[
        list[str], typer.Argument(help='The hand: "AKQ52.QJ3.K84.A7" (S.H.D.C); * is a joker.')
    ],
    seat: Annotated[str, typer.Option(help="Who holds it, and is to speak.")] = "N",
    with_: Annotated[
        str,
        typer.Option(
            "--with", metavar="ENTRANT", help="bidder/player at this seat and the partner's."
        ),
    ] = ENTRANT_NS,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="ENTRANT", help="bidder/player at the other seats.", show_default="as --with"
        ),
    ] = None,
    calls: Annotated[str, typer.Option(help='Calls made before: "pass 2H".')] = "",
    score: Annotated[
        str | None,
        typer.Option(
            metavar="OWN:OTHER",
            help="Match scores before the hand: the match is played on.",
            show_default=False,
        ),
    ] = None,
    hands_before: Annotated[
        int | None,
        typer.Option(help="Hands of the match before this one.", min=0, show_default=False),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", min=1, help="Worlds: deals of the hidden cards.", show_default=f"{WORLDS:,}"
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            help="Deal until every chance is known to so much either way, such as 0.01.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write a heat map to this PNG.", show_default=False)
    ] = None,
    variant: Variant = "classic",
    set_: Changes = None,
    seed: Seed = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Tell the chance to make each bid of a hand, and what it is worth against passing."""
    from sviten.display.progress import Progress, tell, watch_compiling

    compiling = watch_compiling()
    with usage(CardError, RulesError, RunError, StrategyError):
        from simulate.store.atomic import check_place
        from sviten.api.choices import check_specs
        from sviten.api.odds import odds as find_odds

        if plot is not None:
            check_place(plot)
        rules = chosen_rules(variant, set_)
        named = [with_] if against is None else [with_, against]
        for note in (*check_specs(named), *rules.notes()):
            tell(note)
        scores = None if score is None else read_scores(score)
    with usage(CardError, RunError), Progress(compiling, "worlds") as progress:
        result = find_odds(
            " ".join(hand),
            seat,
            with_=with_,
            against=against,
            calls=calls,
            scores=scores,
            hands_before=hands_before,
            n=n,
            precision=precision,
            rules=rules,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    if plot is not None:
        from analysis.odds.plots import plot_odds

        plot_odds(result, plot)
    show_odds(result, plot, as_json=as_json)


def read_scores(text: str) -> list[int]:
    """Match scores of ``80:45``."""
    try:
        return [int(part) for part in text.split(":")]
    except ValueError:
        raise UsageError(f"--score {text!r}: write OWN:OTHER, such as 80:45") from None


def show_odds(result: Odds, plot: Path | None, *, as_json: bool) -> None:
    """Print the odds of a hand."""
    if as_json:
        print_json(result.as_dict() | {"plot": None if plot is None else str(plot)})
        return
    from analysis.odds.words import question_hand
    from sviten.display.text import show_table

    facts = result.as_dict()
    hand = question_hand(result.question)
    print(f"{hand} at {facts['seat']}, dealer {facts['dealer']}, seed {facts['seed']}")
    print(rules_line(facts["rules_changed"]))
    for line in result.notes():
        print(line)
    print()
    for table in result.shown_tables():
        show_table(table)
    if plot is not None:
        print(f"plot: {plot}")
    print(result.sentence())
