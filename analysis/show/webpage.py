"""Web pages that stand alone: one file, nothing loaded from anywhere, every name escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.metadata import version
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from analysis.show.text import is_numeric, rules_text
from simulate.cards import SUIT_SIGNS, SUITS_DOWN
from simulate.rules import make_rules

_BID = re.compile(r"([1-6])([CDHS])")


class WebTable(NamedTuple):
    """A table of a page.

    Attributes
    ----------
    columns : list of str
    rows : list of list of str
        Cells; what is Markup stands as it is.
    numeric : list of bool
        Columns that stand to the right.
    """

    columns: list[str]
    rows: list[list[str]]
    numeric: list[bool]


def web_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> WebTable:
    """Make a table; columns that hold nothing but numbers stand to the right."""
    numeric = []
    for place in range(len(columns)):
        # A drawing stands as a number would.
        cells = ["0" if isinstance(row[place], Markup) else row[place] for row in rows]
        numeric.append(place > 0 and is_numeric(cells))
    return WebTable(list(columns), [list(row) for row in rows], numeric)


def render(template: str, **values: Any) -> str:
    """Render a page.

    Parameters
    ----------
    template : str
        Its file in ``analysis/pages/templates``.
    **values
        What it shows.
    """
    return _environment().get_template(template).render(**values)


def replay_page(record: Mapping[str, Any]) -> str:
    """Page of one hand, from the hand record alone.

    Parameters
    ----------
    record : mapping
        As ``sviten replay --json`` prints it.
    """
    rules = {name: tuple(v) if isinstance(v, list) else v for name, v in record["rules"].items()}
    leg = f", leg {record['leg']}" if record["leg"] else ""
    return render(
        "replay.html",
        title=f"Deal {record['deal_id']}{leg}",
        rules=rules_text(make_rules(rules).changes(), "classic rules"),
        record=record,
    )


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("analysis.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Seats stand in the order in which they play.
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    environment.filters |= {"card": _card, "bid": _bid, "suit": _suit}
    files = resources.files("analysis.pages") / "templates"
    environment.globals |= {"suits": SUITS_DOWN, "signs": SUIT_SIGNS}
    environment.globals["version"] = version("sviten")
    environment.globals["style"] = Markup((files / "style.css").read_text(encoding="utf-8"))
    environment.globals["script"] = Markup((files / "page.js").read_text(encoding="utf-8"))
    return environment


def _suit(text: str) -> str:
    """Letter of a suit as its sign, in its colour."""
    if text in SUIT_SIGNS:
        return Markup('<span class="{}">{}</span>').format(text, SUIT_SIGNS[text])
    return text


def _bid(text: str) -> str:
    """Text with the sign of its suit where it is a bid such as 3H."""
    best = None if isinstance(text, Markup) else _BID.fullmatch(text)
    if not best:
        return text
    return Markup(best[1]) + _suit(best[2])


def _card(text: str) -> str:
    """Text of a card with the sign of its suit, in its colour."""
    if text == "*":
        return "★"
    return Markup('<span class="{}">{}{}</span>').format(text[1], text[0], SUIT_SIGNS[text[1]])
