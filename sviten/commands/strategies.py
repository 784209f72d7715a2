"""``sviten strategies``."""

from __future__ import annotations

from sviten.commands.options import Json
from sviten.display.output import print_json


def strategies(as_json: Json = False) -> None:
    """List the bidders and players, with their parameters."""
    from sviten.display.listing import strategy_facts, strategy_tables
    from sviten.display.text import show_table

    if as_json:
        print_json(strategy_facts())
        return
    for table in strategy_tables():
        show_table(table)
