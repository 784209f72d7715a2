"""``sviten melds``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from simulate.errors import CardError, RulesError
from sviten.commands.options import Changes, Json, Variant, chosen_rules
from sviten.display.failures import usage
from sviten.display.output import print_json


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
    from sviten.api.layout import best_layout
    from sviten.display.progress import watch_compiling
    from sviten.display.text import layout_text, shows_signs

    watch_compiling()
    with usage(CardError, RulesError):
        pile = " ".join(cards)
        layout = best_layout(pile, trump, jokers, at_least, chosen_rules(variant, set_))
    if as_json:
        print_json(None if layout is None else layout._asdict())
    elif layout is None:
        print(f"No layout of these cards has {at_least} melds.")
    else:
        print(layout_text(layout.points, layout.melds, layout.dead, signs=shows_signs(sys.stdout)))
