"""Options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sviten.display.failures import UsageError

if TYPE_CHECKING:
    from simulate.rules import Rules


class Backend(StrEnum):
    """How jobs run."""

    threading = "threading"
    loky = "loky"
    dask = "dask"


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Variant = Annotated[
    str, typer.Option(help="Rules: a preset, or a TOML file; several are joined by +.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the rules; repeatable."),
]
Seed = Annotated[int | None, typer.Option(help="0 to 2**64 - 1.", show_default="drawn, and told")]
Out = Annotated[Path | None, typer.Option(help="Folder.", show_default="one under results/")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what stands in the folder.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Workers.", show_default="as many as there are cores")
]
BackendOption = Annotated[
    Backend, typer.Option(help="Threads, processes, or the workers of a dask cluster.")
]
Scheduler = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Of the dask cluster, which must see the folder of the run.",
        show_default="DASK_SCHEDULER_ADDRESS",
    ),
]


def chosen_rules(variant: str, changes: list[str] | None) -> Rules:
    """Rules as named on the command line."""
    from simulate.rules import load_rules, read_change

    return load_rules(variant, dict(map(read_change, changes or [])))


def given_hands(hands: Sequence[str], seats: Sequence[str]) -> dict[str, str]:
    """Hands by the seats that they are given to in every deal, of ``--hands-of`` and ``--seat``."""
    if seats and not hands:
        raise UsageError("--seat names the seat of a hand: add --hands-of HAND")
    names = [seat.upper() for seat in seats] or ["N"] * len(hands[:1])
    if len(names) != len(hands):
        raise UsageError(f"{len(hands)} --hands-of, {len(names)} --seat: each hand has its seat")
    if len(set(names)) < len(names):
        raise UsageError("--seat names a seat twice: each has one hand")
    return dict(zip(names, hands, strict=True))


def split_entrants(text: str) -> list[str]:
    """Parts of a list; commas within brackets do not part them."""
    pieces = [""]
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    return [piece.strip() for piece in pieces]


def read_seats(text: str) -> dict[str, str]:
    """Entrants by seat, of ``N=A,E=B,...``."""
    seats: dict[str, str] = {}
    for piece in split_entrants(text):
        seat, equals, entrant = (side.strip() for side in piece.partition("="))
        if not equals:
            raise UsageError(f"--seats {piece.strip()!r}: write N=bidder/player,E=...,S=...,W=...")
        if seat.upper() in seats:
            raise UsageError(f"--seats names {seat.upper()} twice")
        seats[seat.upper()] = entrant
    return seats


def read_range(option: str, text: str) -> range:
    """Ids from a to b, b excluded, of ``a:b``."""
    try:
        first, stop = map(int, text.split(":"))
    except ValueError:
        raise UsageError(f"{option} {text!r}: write FIRST:STOP, such as 0:100000") from None
    if not 0 <= first < stop:
        raise UsageError(f"{option} {text}: STOP, which is excluded, comes after FIRST, from 0 on")
    return range(first, stop)
