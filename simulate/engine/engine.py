"""The engine: one rule set and seating, ready to be played by the compiled loops.

One engine serves one thread. The loops are in :mod:`simulate.engine.loop` (hands), `loop_match`
(matches) and `loop_forced` (given contracts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from simulate.cards import FULL_DECK, sorted_text
from simulate.cards import SEATS as SEAT_LETTERS
from simulate.compiled.callbacks import raised, take_error, tell_raised
from simulate.engine.entrant import Entrant
from simulate.engine.loop import HAND, RowBuffer, play_hands
from simulate.engine.scratch import WORK, make_work
from simulate.errors import CardError, IllegalPlay, StrategyError
from simulate.game.hand import Table, play_hand
from simulate.game.records import (
    ANNOUNCING,
    BIDDING,
    DISCARDING,
    MAX_CALLS,
    MAX_TRICKS,
    SEATS,
    STATE,
    VIEW,
)
from simulate.rules import Rules


def make_buffer(hands: int, *, calls: bool = False, plays: bool = False) -> RowBuffer:
    """RowBuffer for `hands` rows, with calls and plays where asked for."""
    return RowBuffer(
        np.zeros(hands, HAND),
        np.zeros((hands if calls else 0, MAX_CALLS), np.int8),
        np.zeros((hands if plays else 0, 52), np.int8),
        np.zeros((hands if plays else 0, MAX_TRICKS + 1), np.int8),
    )


def check_fixed(rules: Rules, fixed: Mapping[int, int]) -> None:
    """Refuse given cards that cannot be dealt.

    Raises
    ------
    CardError
        When a seat does not play, a hand is too large, or a card is given twice or is none.
    """
    given = 0
    for seat, cards in fixed.items():
        if not 0 <= seat < rules.players:
            raise CardError(f"seat {seat} is given cards: seats are 0 to {rules.players - 1}")
        if cards & ~FULL_DECK or cards < 0:
            raise CardError(f"seat {SEAT_LETTERS[seat]} is given bits that are no cards")
        if cards.bit_count() > rules.hand_size:
            raise CardError(
                f"seat {SEAT_LETTERS[seat]} is given {cards.bit_count()} cards: "
                f"a hand has {rules.hand_size}"
            )
        if given & cards:
            twice = " ".join(sorted_text(given & cards))
            raise CardError(f"{twice} given to two seats")
        given |= cards


class Engine:
    """Plays hands of one rule set and seating; serves one thread.

    Parameters
    ----------
    rules : Rules
    entrants : sequence of Entrant
        By seat, in leg 0; in leg k everyone sits k seats further round.
    seed : int
        0..2**64 - 1.
    legs : int
        How often each deal is played: 1, or 2 (as many as players) for duplicate.
    fixed : dict of int to int, optional
        Card sets that seats are given before the rest is dealt.

    Raises
    ------
    CardError
        When the given cards cannot be dealt.
    """

    def __init__(
        self,
        rules: Rules,
        entrants: Sequence[Entrant],
        seed: int,
        legs: int = 1,
        fixed: dict[int, int] | None = None,
    ) -> None:
        players = rules.players
        self.rules = rules
        self.seed = seed
        self.legs = legs
        self.seated = [
            [entrants[(seat - leg) % players] for seat in range(players)] for leg in range(legs)
        ]
        numbers = rules.numbers()
        state = np.zeros(1, STATE)
        state["seed"] = np.uint64(seed)
        state["players"] = players
        state["hand_size"] = rules.hand_size
        state["rules"] = numbers
        check_fixed(rules, fixed or {})
        for seat, cards in (fixed or {}).items():
            state["fixed"][0, seat] = np.uint64(cards)
        bidding = np.zeros((legs, 4), VIEW)
        playing = np.zeros((legs, 4), VIEW)
        bidding["rules"] = numbers[0]
        bidding["players"] = players
        bidding["seat"] = np.arange(4)
        for name in ("declarer", "denomination", "target", "stated"):
            bidding[name] = -1
        seats = np.zeros(legs, SEATS)
        for leg, seated in enumerate(self.seated):
            for seat, entrant in enumerate(seated):
                seats["bidders"][leg, seat] = entrant.bid
                seats["players"][leg, seat] = entrant.play
                seats["announcers"][leg, seat] = entrant.announce
                seats["discarders"][leg, seat] = entrant.discard
                given = entrant.bidder_params
                bidding["params"][leg, seat, : len(given)] = given
                given = entrant.player_params
                playing["params"][leg, seat, : len(given)] = given
        self._works = make_work(numbers, 5)  # four entrants', and the engine's own
        base = self._works.ctypes.data
        for leg, seated in enumerate(self.seated):
            for seat, entrant in enumerate(seated):
                at = (seat - leg) % players
                seats["works"][leg, seat] = base + WORK.itemsize * at
                self._works[at]["truth"] = state.ctypes.data if entrant.cheats else 0
        self.table = Table(
            state,
            seats,
            bidding,
            playing,
            self._works[4:],
        )

    def play(self, buffer: RowBuffer, first: int, count: int) -> None:
        """Play `count` deals from deal id `first` on, every leg of each.

        Raises
        ------
        IllegalPlay, StrategyError
            Naming strategy, seat, deal, leg and seed; the hands before it stand in `buffer`.
        """
        try:
            done = play_hands(self.table, buffer, first, count)
        except (OSError, MemoryError):  # the machine's fault: numba writes its cache here
            raise
        except Exception as error:
            raise self.failure(raised(error)) from error
        if done < count * self.legs:
            raise self.failure("", IllegalPlay)

    def play_one(self, deal_id: int, leg: int, dealer: int | None = None) -> None:
        """Play one leg of one deal; the outcome lies in ``table.state[0]``.

        Without a `dealer` the deal passes clockwise from deal to deal.

        Raises
        ------
        IllegalPlay, StrategyError
            As for :meth:`play`.
        """
        try:
            dealer = deal_id % self.rules.players if dealer is None else dealer
            played = play_hand(self.table, deal_id, leg, dealer)
        except Exception as error:
            raise self.failure(raised(error)) from error
        if not played:
            raise self.failure("", IllegalPlay)

    def failure(self, text: str, kind: type[StrategyError] = StrategyError) -> StrategyError:
        """Error that names who failed in which hand, from where the state stands.

        A strategy in plain Python that raised has answered nothing legal: its own exception is
        the cause of the error. Ctrl-C that arrived in it is raised here.
        """
        cause = take_error() if kind is IllegalPlay else None
        if cause is not None and not isinstance(cause, Exception | SystemExit):
            raise cause
        state = self.table.state[0]
        seat = int(state["acting"])
        leg = int(state["leg"])
        entrant = self.seated[leg][seat]
        phase = int(state["phase"])
        bidding = phase in {BIDDING, ANNOUNCING}
        role, name = ("bidder", entrant.bidder) if bidding else ("player", entrant.player)
        if cause is not None:
            kind, text = StrategyError, tell_raised(cause)
        elif kind is IllegalPlay:
            what = {BIDDING: "call", ANNOUNCING: "total to announce", DISCARDING: "discard"}
            text = f"answered {int(state['answer'])}, which is no legal {what.get(phase, 'card')}"
        error = kind(
            f"{role} {name} of {entrant.text} (seat {SEAT_LETTERS[seat]}) {text} "
            f"in deal {int(state['deal_id'])}, leg {leg}, seed {self.seed}"
        )
        error.seat = SEAT_LETTERS[(seat - leg) % self.rules.players]
        error.__cause__ = cause
        return error
