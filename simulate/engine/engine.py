"""The compiled loop that plays hands, and the class that runs it.

One engine serves one thread. A hand flows one way: deal, auction, tricks, melds, score, row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulate.cards import FULL_DECK, sorted_text
from simulate.cards import SEATS as SEAT_LETTERS
from simulate.compiled.callbacks import raised, take_error, tell_raised
from simulate.compiled.kernels import kernel
from simulate.engine.entrant import Entrant
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

#: One hand, as it is written down. `_decl` and `_def` are the declarers' and the defenders' side;
#: without a declarer the side of the seat to the dealer's left stands as `_decl`.
HAND = np.dtype(
    [
        ("deal_id", np.int64),
        ("leg", np.int8),
        ("dealer", np.int8),
        ("declarer", np.int8),  # -1 without a contract
        ("level", np.int8),  # 0 without a contract
        ("denomination", np.int8),  # -1 without a contract
        ("target", np.int32),  # -1 unless announced
        ("made", np.int8),  # -1 without a contract
        ("stated", np.int16),  # per mille; -1 unstated
        ("tricks_decl", np.int8),
        ("tricks_def", np.int8),
        ("melds_decl", np.int8),
        ("melds_def", np.int8),
        ("meld_points_decl", np.int32),
        ("meld_points_def", np.int32),
        ("dead_decl", np.int8),
        ("dead_def", np.int8),
        ("score_decl", np.int32),
        ("score_def", np.int32),
        ("scores", np.int32, (4,)),  # by seat
        ("before", np.int32, (4,)),  # match scores before the hand, by seat
    ],
    align=True,
)


class RowBuffer(NamedTuple):
    """Where hands are written down; `calls` and `plays` may have no rows."""

    rows: Any  # HAND (n,)
    calls: Any  # int8 (n or 0, MAX_CALLS), -1 after the last
    plays: Any  # int8 (n or 0, 52), 0 after the last
    leaders: Any  # int8 (n or 0, MAX_TRICKS + 1)


@kernel
def write_row(buffer: RowBuffer, at: int, state: Any) -> None:
    """Write the hand in `state` to row `at` of `buffer` (modified in place)."""
    row = buffer.rows[at]
    contract = state.declarer >= 0
    row.deal_id = state.deal_id
    row.leg = state.leg
    row.dealer = state.dealer
    row.declarer = state.declarer
    row.level = state.level
    row.denomination = state.denomination if contract else -1
    row.target = state.target
    row.made = state.made
    row.stated = min(max(state.stated, -1), 1000) if contract else -1
    row.tricks_decl = state.tricks[0]
    row.tricks_def = state.tricks[1]
    row.melds_decl = state.melds[0]
    row.melds_def = state.melds[1]
    row.meld_points_decl = state.meld_points[0]
    row.meld_points_def = state.meld_points[1]
    row.dead_decl = state.dead[0]
    row.dead_def = state.dead[1]
    row.score_decl = state.scores[0]
    row.score_def = state.scores[1]
    for seat in range(4):
        row.scores[seat] = state.scores[state.sides[seat]]
        row.before[seat] = state.before[seat]
    if len(buffer.calls):
        for i in range(MAX_CALLS):
            buffer.calls[at, i] = state.calls[i] if i < state.n_calls else -1
    if len(buffer.plays):
        played = state.players * state.n_tricks
        for i in range(52):
            buffer.plays[at, i] = state.plays[i] if i < played else 0
        for i in range(len(state.leaders)):
            buffer.leaders[at, i] = state.leaders[i]


@kernel
def play_hands(table: Table, buffer: RowBuffer, first: int, count: int) -> int:
    """Play every leg of `count` deals from deal id `first` on.

    Parameters
    ----------
    table : Table
    buffer : RowBuffer
        Modified in place: row ``legs * i + leg`` is leg `leg` of deal ``first + i``.
    first, count : int64

    Returns
    -------
    int64
        Hands played; less than ``legs * count`` where the next one met an illegal answer.
    """
    legs = len(table.seats)
    players = np.int64(table.state[0].players)
    done = np.int64(0)
    for deal_id in range(first, first + count):
        for leg in range(legs):
            if not play_hand(table, deal_id, leg, deal_id % players):
                return done
            write_row(buffer, done, table.state[0])
            done += 1
    return done


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
