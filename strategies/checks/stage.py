"""Engines whose seats are watched, and who sits there while a strategy is checked."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from simulate.compiled.kernels import address_of
from simulate.engine.engine import Engine
from simulate.engine.scratch import make_work
from simulate.game.records import (
    ANNOUNCING,
    BIDDING,
    DISCARDING,
    PLAYING,
    SEATS,
    STATE,
    VIEW,
    VIEW_TYPE,
)
from simulate.rules import Rules
from strategies.checks.watch import (
    WATCH,
    observe_announce,
    observe_bid,
    observe_discard,
    observe_play,
)
from strategies.declare.spec import load_entrant

SIGNATURE = (VIEW_TYPE, types.int64)
SEED = 1

#: Who keeps the hands varied: bids often and high, and plays anything.
COMPANION_BIDDER = "random(pass_percent=40)"
COMPANION_PLAYER = "random"

OF_BIDDER = frozenset({BIDDING, ANNOUNCING})
OF_PLAYER = frozenset({PLAYING, DISCARDING})

#: Head of the memory that the guard looks at: where the play stands.
HEAD = np.dtype([("playing", np.int64), ("stage", np.int64), ("beats", np.int64)])
MOST_STAGES = 512


class Shared:
    """Memory of a file in which the play's states lie, so that another process sees them.

    Parameters
    ----------
    path : Path
        Made where it is not there.
    """

    def __init__(self, path: Path) -> None:
        size = HEAD.itemsize + MOST_STAGES * STATE.itemsize
        if not path.exists():
            path.write_bytes(bytes(size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), size)
        self.head = np.frombuffer(self._map, HEAD, 1)
        self.states = np.frombuffer(self._map, STATE, MOST_STAGES, HEAD.itemsize)
        self.stages = 0

    def take(self) -> int:
        """Give a place among the states that is free."""
        self.stages += 1
        return (self.stages - 1) % MOST_STAGES

    def begin(self, place: int) -> None:
        """Say that the hand at `place` is played from now on."""
        self.head["stage"] = place
        self.head["beats"] += 1
        self.head["playing"] = 1

    def pause(self) -> None:
        """Say that nothing is played for now."""
        self.head["playing"] = 0
        self.head["beats"] += 1


@dataclass(frozen=True)
class Subject:
    """What is checked: a bidder, a player, or one of each.

    Attributes
    ----------
    bidder, player : str
        Specs; empty where that half is not checked.
    """

    bidder: str
    player: str

    @property
    def asked(self) -> frozenset[int]:
        """What the checked halves are asked for."""
        return (OF_BIDDER if self.bidder else frozenset()) | (
            OF_PLAYER if self.player else frozenset()
        )

    def seatings(self, players: int) -> Iterator[list[tuple[str, frozenset[int]]]]:
        """Give ways to seat it: the entrant of each seat, and what is watched there."""
        bidder, player = self.bidder or COMPANION_BIDDER, self.player or COMPANION_PLAYER
        whole = f"{bidder}/{player}", self.asked
        other: tuple[str, frozenset[int]] = (f"{COMPANION_BIDDER}/{COMPANION_PLAYER}", frozenset())
        yield [whole] * players
        yield [(whole, other)[seat % 2] for seat in range(players)]
        if self.bidder and self.player:  # a bidder that passes would leave its player no contract
            halves = (
                (f"{COMPANION_BIDDER}/{player}", OF_PLAYER),
                (f"{bidder}/{COMPANION_PLAYER}", OF_BIDDER),
            )
            yield [halves[seat % 2] for seat in range(players)]


class Stage:
    """An engine with watched seats.

    Parameters
    ----------
    variant : str
        Name of the rules, for messages.
    rules : Rules
    seating : sequence of (str, set of int)
        Of each seat its entrant, and what its decisions are checked for.
    shared : Shared
        Takes the state of the hand.

    Attributes
    ----------
    engine : Engine
    watches : WATCH array, shape (4,)
    """

    def __init__(
        self,
        variant: str,
        rules: Rules,
        seating: Sequence[tuple[str, frozenset[int]]],
        shared: Shared,
    ) -> None:
        entrants = [load_entrant(spec) for spec, _ in seating]
        self.variant = variant
        self.rules = rules
        self.seating = [spec for spec, _ in seating]
        self.asked = [asked for _, asked in seating]
        self.engine = Engine(rules, entrants, SEED)
        self._shared = shared
        self.place = shared.take()
        state = shared.states[self.place : self.place + 1]
        state[:] = self.engine.table.state
        self.engine.table = self.engine.table._replace(state=state)
        self._works = make_work(rules.numbers(), 4)
        self.watches = np.zeros(4, WATCH)
        self.watches["work"] = self._works
        for name in ("wrote", "misstated", "keep"):
            self.watches[name] = -1
        seats = self.engine.table.seats
        fields: Any = SEATS.fields
        views = seats.ctypes.data + int(fields["views"][1])
        self.watches["place"] = views + VIEW.itemsize * np.arange(4)
        for seat, entrant in enumerate(entrants):
            watch = self.watches["addresses"][seat]
            watch[[BIDDING, PLAYING]] = entrant.bid, entrant.play
            watch[[ANNOUNCING, DISCARDING]] = entrant.announce, entrant.discard
            self.watches["work"]["truth"][seat] = state.ctypes.data if entrant.cheats else 0
        seats["works"][0] = self.watches.ctypes.data + WATCH.itemsize * np.arange(4)
        for name, kernel in (
            ("bidders", observe_bid),
            ("players", observe_play),
            ("announcers", observe_announce),
            ("discarders", observe_discard),
        ):
            seats[name][0] = address_of(kernel, SIGNATURE)

    def begin(self) -> None:
        """Say that its hands are played from now on."""
        self._shared.begin(self.place)

    def decisions(self) -> int:
        """Decisions that are checked, taken so far."""
        return sum(
            int(self.watches["decisions"][seat][list(asked)].sum())
            for seat, asked in enumerate(self.asked)
        )

    def play_one(self, deal_id: int) -> None:
        """Play one hand, its decisions noted from the first on."""
        self.watches["count"] = 0
        self.begin()
        self.engine.play_one(deal_id, 0)

    def text(self) -> str:
        """Say what it plays, for messages."""
        seats = list(dict.fromkeys(self.seating))
        return f"variant {self.variant}" + (f", {' beside '.join(seats)}" if len(seats) > 1 else "")
