"""``sviten rules``."""

from __future__ import annotations

from typing import Annotated

import typer

from simulate.errors import RulesError
from sviten.commands.options import Changes, Json, chosen_rules
from sviten.display.failures import usage
from sviten.display.output import print_json


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
    from sviten.display.listing import rules_facts, rules_tables
    from sviten.display.text import show_table

    if json_schema:
        from simulate.rules import Rules

        print_json(Rules.model_json_schema())
        return
    with usage(RulesError):
        rules = chosen_rules(variant, set_)
        facts = rules_facts(variant, rules)
    if as_json:
        print_json(facts)
        return
    for table in rules_tables(facts):
        show_table(table)
    for line in facts["notes"]:
        print(line)
