"""How estimates are worded: names of teams, tables of texts, numbers with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.stats.intervals import Interval
from simulate.store.settings import Settings


class Table(NamedTuple):
    """A table to be shown: texts alone."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def is_numeric(cells: Sequence[str]) -> bool:
    """Tell whether a column holds numbers and nothing else."""
    lines = [cell for cell in cells if cell not in {"", "-"}]
    return bool(lines) and all(cell.lstrip("-")[:1].isdigit() for cell in lines)


class Team(NamedTuple):
    """Entrants that play together, N and S in leg 0 or E and W; of three players, one.

    Attributes
    ----------
    name : str
        The entrant where both are the same, else both.
    seats : str
        Where they sit in leg 0.
    label : str
        The name, with the seats where another team bears it too.
    """

    name: str
    seats: str
    label: str

    @property
    def seats_text(self) -> str:
        """Seats as a person reads them."""
        return "+".join(self.seats)


def teams_of(settings: Settings) -> tuple[Team, ...]:
    """Teams of a run: two, or with three players three."""
    places = ("NS", "EW") if settings.rules.players == 4 else tuple("NES")
    names = [
        " + ".join(dict.fromkeys(settings.entrants[seat].text for seat in seats))
        for seats in places
    ]
    return tuple(
        Team(name, seats, f"{name} at {'+'.join(seats)}" if names.count(name) > 1 else name)
        for name, seats in zip(names, places, strict=True)
    )


def seats_head(settings: Settings) -> str:
    """Head of a column of seats."""
    return "seats" if settings.legs == 1 else "seats in leg 0"


def changes_text(changes: Mapping[str, Any]) -> str:
    """Tell fields that differ from the classic game; nothing of the classic game itself."""
    return ", ".join(f"{name} = {value}" for name, value in changes.items())


def rules_text(changes: Mapping[str, Any], classic: str = "classic") -> str:
    """Tell rules by what differs from the classic game, which is called `classic`."""
    text = changes_text(changes)
    return f"{classic}, but {text}" if text else classic


def count(number: int, thing: str, things: str = "") -> str:
    """Tell a number of things."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def percent(rate: float | None) -> str:
    """Tell a rate."""
    return "-" if rate is None else f"{100 * rate:.1f} %"


def percents(interval: Interval | None) -> str:
    """Tell the interval of a rate, in per cent."""
    return "-" if interval is None else f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def number(value: float | None) -> str:
    """Tell a mean."""
    return "-" if value is None else f"{value:.2f}"


def numbers(interval: Interval | None) -> str:
    """Tell the interval of a mean."""
    return "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
