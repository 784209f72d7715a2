"""The player of the worlds of one given hand: what is asked of it, and what is refused.

:mod:`simulate.engine.odds` and `odds_bids` have the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulate.cards import call_text
from simulate.compiled.callbacks import raised
from simulate.engine.engine import Engine
from simulate.engine.entrant import Entrant
from simulate.engine.forced import check_heedless, heedless_of_level
from simulate.engine.odds import CALLS, QUESTION, find_turn, weigh_worlds
from simulate.engine.odds_bids import play_worlds
from simulate.engine.odds_match import play_sequels
from simulate.errors import CardError, IllegalPlay, Option
from simulate.game.records import MAX_CALLS
from simulate.rules import Rules

#: First of the deal ids in which worlds are weighed beforehand: apart from those that are played.
PILOT = 1 << 40
_PILOT_DEALS = 2048
#: Worlds that are weighed for one that is kept: this many at most, on the average.
_MOST_TRIES = 1000


class Stopped(Exception):
    """The work was told to stop."""


class GivenHand:
    """Plays the worlds of one hand; serves one thread.

    Parameters
    ----------
    rules : Rules
    entrants : sequence of Entrant
        By seat.
    seed : int
    seat : int
        Who holds the hand, and speaks next.
    hand : int
        Natural cards.
    jokers : int
    calls : sequence of int
        Made before, from the first on.
    scores : sequence of int, optional
        Match score of each seat's side; where they are given, the match is played on.
    hands_before : int
        Hands of the match before this one, those redealt left out.

    Attributes
    ----------
    legal : list of int
        Calls that the seat may make.
    dealer : int
    callers : list of int
        Seat that made each given call.
    share : float
        Worlds kept of those dealt, about.

    Raises
    ------
    CardError
        When the hand cannot be held, or the calls cannot have been made.
    IllegalPlay, StrategyError
        As for :meth:`simulate.engine.engine.Engine.play`; StrategyError also where a player heeds
        the level that is declared not to.
    """

    def __init__(
        self,
        rules: Rules,
        entrants: Sequence[Entrant],
        seed: int,
        seat: int,
        hand: int,
        jokers: int = 0,
        calls: Sequence[int] = (),
        scores: Sequence[int] | None = None,
        hands_before: int = 0,
    ) -> None:
        check_hand(rules, hand, jokers)
        self._engine = Engine(rules, entrants, seed, 1, {seat: hand})
        self._question = np.zeros(1, QUESTION)
        question = self._question[0]
        self._in_match = scores is not None
        if scores is not None:
            question["before"][: len(scores)] = scores
            question["hands_before"] = hands_before
            self._engine.table.state["in_match"] = 1
            self._engine.table.state["before"] = question["before"]
        question["hand"] = np.uint64(hand)
        question["seat"] = seat
        question["jokers"] = jokers
        self._take_turn(seat, calls)
        self.dealer = int(question["dealer"])
        self.legal = [call for call in range(CALLS) if int(question["legal"]) >> call & 1]
        self.callers = question["callers"][: len(calls)].tolist()
        if all(heedless_of_level(entrant, rules) for entrant in entrants):
            check_heedless(self._engine, PILOT - 4)
            question["level_told"] = 1
        self.share = self._look_for_worlds() if calls else 1.0

    def _take_turn(self, seat: int, calls: Sequence[int]) -> None:
        """Find the dealer whose auction comes to `seat` after the calls."""
        question = self._question[0]
        if len(calls) >= MAX_CALLS:
            raise CardError(f"{len(calls)} calls: no auction has as many")
        question["n_calls"] = len(calls)
        question["calls"][: len(calls)] = calls
        players = self._engine.rules.players
        text = -1
        for back in range(players):
            question["dealer"] = (seat - 1 - len(calls) - back) % players
            text = int(find_turn(self._engine.table, question))
            if text == seat:
                return
            if text < 0:
                break
        if text <= -2:
            raise CardError(f"call {-1 - text}, {call_text(calls[-2 - text])}, is not legal there")
        raise CardError("the auction is over after these calls: leave out the last")

    def _look_for_worlds(self) -> float:
        """Weigh some worlds, and set the weight below which others are kept by chance."""
        question = self._question[0]
        turns = self._engine.rules.players - 1
        weights = np.zeros(_PILOT_DEALS * turns)
        done = self._run(weigh_worlds, weights, PILOT, _PILOT_DEALS)
        if done < len(weights):
            raise self._engine.failure("", IllegalPlay)
        least = min(weights.max(), weights.mean() * _MOST_TRIES)
        question["least"] = least
        return float(np.minimum(weights / least, 1).mean())

    def _run(self, work: Any, room: np.ndarray, *numbers: int) -> Any:
        try:
            return work(self._engine.table, self._question[0], room, *numbers)
        except (OSError, MemoryError):
            raise
        except Exception as error:
            raise self._engine.failure(raised(error)) from error

    def play(self, worlds: np.ndarray, first: int, stop: int) -> tuple[int, int]:
        """Play the worlds of deals from `first` on, before `stop`, as long as there is room.

        Parameters
        ----------
        worlds : WORLD array, shape (n,), n >= 3
            Modified in place.
        first, stop : int

        Returns
        -------
        deal_id, done : int
            The next deal, and worlds written down.

        Raises
        ------
        Stopped
            After :meth:`stop`.
        """
        deal_id, done = self._run(play_worlds, worlds, first, stop)
        legal = done >= 0
        if legal and self._in_match:
            legal = self._run(play_sequels, worlds[:done]) == done
        if self._question[0]["stop"]:
            raise Stopped
        if not legal:
            raise self._engine.failure("", IllegalPlay)
        return int(deal_id), int(done)

    def stop(self) -> None:
        """Have :meth:`play`, in whatever thread, end after the present playout."""
        self._question[0]["stop"] = 1


def check_hand(rules: Rules, hand: int, jokers: int) -> None:
    """Refuse a hand that nobody holds under these rules before the play.

    Raises
    ------
    CardError
    """
    if hand.bit_count() != rules.hand_size:
        raise CardError(f"the hand has {hand.bit_count()} cards: it must have {rules.hand_size}")
    most = {"random": rules.jokers, "one-each": 1, "declarers": 0}[rules.joker_deal]
    if jokers > most:
        where = () if rules.jokers else ("; ", Option("rules", "jokers"), " has two")
        raise CardError(
            f"jokers in the hand, written *: {jokers}, and under these rules {most} at most", *where
        )
