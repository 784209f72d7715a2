"""Other hidden cards: a strategy that sees only its view answers as before.

A hand is played. At one decision of one seat the cards that this seat cannot see are dealt anew, as
they may lie after all that it has seen; then the hand is played up to there again, the other seats
doing what they did and the checked seat being asked. Every answer on the way must be the same.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulate.cards import BIDS, SEATS, call_text, card_text
from simulate.compiled.callbacks import raised
from simulate.compiled.kernels import address_of
from simulate.errors import IllegalPlay, StrategyError
from simulate.game.records import ANNOUNCING, BIDDING, PLAYING
from strategies.checks.scripted import (
    SCRIPT,
    deal_again,
    play_again,
    script_announce,
    script_bid,
    script_discard,
    script_play,
)
from strategies.checks.stage import SIGNATURE, Stage
from strategies.search.worlds import WORLD

#: Hands that are played before the first is played again: notes that a strategy keeps outside its
#: view are of another hand by then.
_BLOCK = 6
_WORLDS = 4
_SCRIPTS: dict[str, Any] = {
    "bidders": script_bid,
    "players": script_play,
    "announcers": script_announce,
    "discarders": script_discard,
}


@dataclass
class Blind:
    """What hidden cards made of the answers.

    Attributes
    ----------
    compared : int
        Decisions taken again with other hidden cards.
    text : str
        The first answer that was another; empty where there is none.
    views : list of VIEW array
        Views at decisions, by what was asked, for the clock.
    """

    compared: int = 0
    text: str = ""
    failure: str = ""

    def __post_init__(self) -> None:
        """Make room for views."""
        self.views: dict[int, list[np.ndarray]] = {BIDDING: [], PLAYING: []}


@dataclass
class _Decision:
    """A decision that is to be taken again."""

    deal_id: int
    seat: int
    number: int
    log: np.ndarray
    asked: np.ndarray
    view: np.ndarray
    dealt: int


def _log(stage: Stage, seat: int) -> np.ndarray:
    return stage.watches["answers"][seat, : stage.watches["count"][seat]].copy()


class Blindness:
    """Takes decisions again, with a stage for the hands and one for their repetition."""

    def __init__(self, stage: Stage, again: Stage) -> None:
        self._stage = stage
        self._again = again
        self._scripts = np.zeros(4, SCRIPT)
        self._world = np.zeros(1, WORLD)
        self._draw = np.random.default_rng(2)
        self._own = again.engine.table.seats.copy()

    def _pick(self, deal_id: int, result: Blind) -> _Decision | None:
        """Play a hand, and keep the view of a seat at one of its decisions."""
        stage = self._stage
        stage.play_one(deal_id)
        seats = [seat for seat, asked in enumerate(stage.asked) if asked]
        seat = int(self._draw.choice(seats))
        log = _log(stage, seat)
        asked = stage.watches["asked"][seat, : len(log)].copy()
        # Not between auction and lead: no world can be dealt from such a view.
        fitting = stage.asked[seat] & {BIDDING, PLAYING}
        wanted = [number for number, what in enumerate(asked) if what in fitting]
        if not wanted:
            return None
        number = int(self._draw.choice(wanted))
        stage.watches["keep"][seat] = number
        stage.play_one(deal_id)
        stage.watches["keep"][seat] = -1
        view = stage.watches["kept"][seat : seat + 1].copy()
        dealt = int(stage.engine.table.state["dealt"][0, seat])
        kept = result.views[int(asked[number])]
        if len(kept) < 400:
            kept.append(view)
        return _Decision(deal_id, seat, number, log, asked, view, dealt)

    def _repeat(self, decision: _Decision, draw: int) -> np.ndarray | None:
        """Answers with other hidden cards; None where the hand does not get that far."""
        stage, table = self._again, self._again.engine.table
        seat, scripts = decision.seat, self._scripts
        state = table.state[0]
        deal_again(
            state, scripts, decision.view[0], self._world[0], np.uint64(decision.dealt), draw
        )
        seats = table.seats
        for name, kernel in _SCRIPTS.items():
            own = int(self._own[name][0, seat])
            seats[name][0] = address_of(kernel, SIGNATURE)
            seats[name][0, seat] = own
        seats["works"][0] = scripts.ctypes.data + SCRIPT.itemsize * np.arange(4)
        seats["works"][0, seat] = self._own["works"][0, seat]
        stage.watches["count"][seat] = 0
        stage.begin()
        dealer = decision.deal_id % stage.rules.players
        try:
            ended = not play_again(table, decision.deal_id, dealer, self._world["jokers"][0])
        except Exception as error:
            raise stage.engine.failure(raised(error)) from error
        log = _log(stage, seat)
        if ended and int(state["acting"]) == seat:
            raise stage.engine.failure("", IllegalPlay)
        return log if len(log) > decision.number or _differ(log, decision.log) >= 0 else None

    def look(self, first: int, result: Blind) -> None:
        """Take decisions of a block of hands again, from deal `first` on."""
        decisions = [
            decision
            for deal_id in range(first, first + _BLOCK)
            if (decision := self._pick(deal_id, result))
        ]
        pairs = [(decision, world) for world in range(_WORLDS) for decision in decisions]
        for decision, world in pairs:
            log = self._repeat(decision, 64 * decision.deal_id + world)
            if log is None:
                continue
            number = _differ(log[: decision.number + 1], decision.log)
            result.compared += decision.number + 1
            if number >= 0:
                what = _answers(
                    int(decision.asked[number]), int(decision.log[number]), int(log[number])
                )
                result.text = result.text or (
                    f"{what} with other cards in the hands it cannot see, in deal "
                    f"{decision.deal_id}, seat {SEATS[decision.seat]} ({self._stage.text()})"
                )


def _differ(log: np.ndarray, other: np.ndarray) -> int:
    """Place of the first difference, as far as both go; -1 for none."""
    size = min(len(log), len(other))
    places = np.nonzero(log[:size] != other[:size])[0]
    return int(places[0]) if len(places) else -1


def _answers(asked: int, answer: int, other: int) -> str:
    """Say which answer became which."""

    def text(number: int) -> str:
        if asked == BIDDING:
            return call_text(number) if 0 <= number <= BIDS else str(number)
        return str(number) if asked == ANNOUNCING else card_text(number)

    return f"answered {text(answer)}, and {text(other)}"


def look_behind(stages: Sequence[tuple[Stage, Stage]], seconds: float) -> Blind:
    """Take decisions of every stage again, for so long; ends at the first other answer."""
    result = Blind()
    looking = [Blindness(stage, again) for stage, again in stages]
    stop = time.perf_counter() + seconds
    first = 0
    while True:
        for each in looking:
            try:
                each.look(first, result)
            except StrategyError as error:
                result.failure = str(error)
            looked = result.compared or first  # at all, however busy the machine is
            if result.text or result.failure or (looked and time.perf_counter() > stop):
                return result
        first += _BLOCK
