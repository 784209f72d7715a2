"""``sviten new-strategy``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simulate.errors import StrategyError
from sviten.display.failures import usage

if TYPE_CHECKING:
    from strategies.declare.registry import Kind


def new_strategy(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file, such as mine.py.")],
    bidder: Annotated[bool, typer.Option("--bidder", help="A bidder alone.")] = False,
    player: Annotated[bool, typer.Option("--player", help="A player alone.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that is there.")
    ] = False,
) -> None:
    """Write a working strategy with comments, to start from."""
    from sviten.api.new_strategy import write_strategy

    kinds: list[Kind] = []
    if bidder or not player:
        kinds.append("bidder")
    if player or not bidder:
        kinds.append("player")
    with usage(StrategyError):
        spec = write_strategy(path, kinds, overwrite=overwrite)
    entrant = spec
    if len(kinds) == 1:
        entrant = f"{spec}/greedy" if bidder else f"tips/{spec}"
    print(f"{path} is written. What is next:")
    print(f"  sviten check {spec}")
    print(f"  sviten simulate --ns {entrant} --ew tips/greedy --deals 20000 --duplicate")
