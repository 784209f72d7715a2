"""Hands that are played and not yet written: the memory that a worker plays into.

A buffer takes the deals or matches of a run while it has room. How many fit depends on nothing but
the run, so that row groups, and the bytes of a part, do not depend on the speed of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from simulate.engine.engine import Engine, make_buffer
from simulate.engine.forced import play_forced
from simulate.engine.loop import RowBuffer
from simulate.engine.loop_forced import FORCED
from simulate.engine.loop_match import MATCH
from simulate.engine.match import play_some
from simulate.store.schema import (
    calls_table,
    forced_table,
    hands_table,
    matches_table,
    plays_table,
)
from simulate.store.settings import Settings

#: Hands in a row group, and so in memory; a match of any length has room.
GROUP_HANDS = 2**15
#: The same for calls and plays, which have many rows a hand.
DETAIL_HANDS = 2**12


class PartBuffer:
    """Room for a row group of hands.

    Parameters
    ----------
    settings : Settings
    units : int
        Deals or matches that are to be played in all, where there is no need for more room.

    Attributes
    ----------
    buffer : RowBuffer
    matches : MATCH array
        A row for each leg of each match; none in a run of deals.
    forced : FORCED array
        The rows of a forced run, which has no hands; none otherwise.
    hands, units : int
        Hands on the buffer, and deals or matches.
    """

    def __init__(self, settings: Settings, units: int) -> None:
        self._settings = settings
        legs = settings.legs
        self._rows_a_unit = legs * settings.rows_a_leg
        room = self._rows_a_unit * min(max(1, GROUP_HANDS // self._rows_a_unit), units)
        self.matches = np.zeros(0, MATCH)
        self.forced = np.zeros(room if settings.forced else 0, FORCED)
        if settings.unit == "matches":
            room = min(GROUP_HANDS, legs * settings.rules.hand_limit * units)
            self.matches = np.zeros(room, MATCH)
        elif settings.forced:
            room = 0
        details = {name: name in settings.detail for name in ("calls", "plays")}
        self.buffer = make_buffer(room, **details)
        self.hands = 0
        self.units = 0

    def clear(self) -> None:
        """Make room."""
        self.hands = self.units = 0

    def play(self, engine: Engine, first: int, count: int) -> int:
        """Play up to `count` deals or matches from id `first` on.

        Returns
        -------
        int
            How many there was room for; 0 where the buffer is full.

        Raises
        ------
        IllegalPlay, StrategyError
            When a strategy fails.
        """
        legs = self._settings.legs
        if self._settings.forced:
            rows = self.forced[self._rows_a_unit * self.units :]
            played = min(count, len(rows) // self._rows_a_unit)
            play_forced(engine, rows, first, played)
            self.units += played
            return played
        rest = RowBuffer(*(table[self.hands :] for table in self.buffer))
        if self._settings.unit == "matches":
            played, hands = play_some(engine, rest, self.matches[legs * self.units :], first, count)
        else:
            played = min(count, len(rest.rows) // legs)
            hands = legs * played
            engine.play(rest, first, played)
        self.units += played
        self.hands += hands
        return played

    def first(self, units: int) -> tuple[RowBuffer, int, np.ndarray, np.ndarray]:
        """Give what :func:`make_tables` takes, of the first deals or matches on the buffer."""
        matches = self.matches[: self._settings.legs * units]
        in_matches = self._settings.unit == "matches"
        hands = int(matches["hands"].sum()) if in_matches else self._settings.legs * units
        return self.buffer, hands, matches, self.forced[: self._rows_a_unit * units]


def make_tables(
    settings: Settings, buffer: RowBuffer, hands: int, matches: np.ndarray, forced: np.ndarray
) -> Iterator[tuple[str, pa.Table]]:
    """Rows of a run's tables.

    Parameters
    ----------
    settings : Settings
    buffer : RowBuffer
    hands : int
        Of the buffer, its first ones.
    matches : MATCH array
        Those that the hands are of.
    forced : FORCED array
        What a forced run has in place of hands.

    Yields
    ------
    str, Table
        Name of the table; calls and plays in several pieces.
    """
    if settings.forced:
        yield "forced", forced_table(settings, forced)
        return
    yield "hands", hands_table(settings, buffer.rows[:hands])
    if settings.unit == "matches":
        yield "matches", matches_table(settings, matches)
    for table, make in (("calls", calls_table), ("plays", plays_table)):
        if table in settings.detail:
            for start in range(0, hands, DETAIL_HANDS):
                yield table, make(settings, buffer, start, min(start + DETAIL_HANDS, hands))
