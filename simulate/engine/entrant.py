"""What the engine needs of an entrant: addresses of compiled strategies and their parameters.

This is all that `simulate` knows of strategies; where they come from is the caller's affair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

#: When a player looks at the level of the contract, or at an announced target.
HeedsLevel = Literal["always", "in open hands", "never"]


@dataclass(frozen=True)
class Entrant:
    """A bidder and a player, compiled.

    Attributes
    ----------
    text : str
        Canonical spec, such as ``tips(min_structures=3)/greedy``.
    bidder, player : str
        Names for messages.
    bid, play, announce, discard : int
        Addresses of machine code with the signature ``(view, work) -> int64``.
    bidder_params, player_params : tuple of float
    heeds_level : {"always", "in open hands", "never"}
        When the player looks at the level of the contract, or at an announced target.
    source : str
        Hash of the source text that the strategies were compiled from.
    files : tuple of Path
        Plug-in files that a run must keep a copy of.
    cheats : bool
        The engine lends the state to its seats.
    kernels : tuple
        What keeps the machine code alive.
    alone : str
        Why no other process can load it; empty where one can.
    plain : tuple of str
        Which halves are plain Python, and slow.
    thinks : bool
        Whether it plays hands on in thought, which takes a thousand times as long.
    """

    text: str
    bidder: str
    player: str
    bid: int
    play: int
    announce: int = 0
    discard: int = 0
    bidder_params: tuple[float, ...] = ()
    player_params: tuple[float, ...] = ()
    heeds_level: HeedsLevel = "always"
    source: str = ""
    files: tuple[Path, ...] = ()
    cheats: bool = False
    thinks: bool = False
    kernels: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    alone: str = ""
    plain: tuple[str, ...] = ()


#: Makes an entrant of its spec; must be importable by name, since workers call it themselves.
Loader = Callable[[str], Entrant]
