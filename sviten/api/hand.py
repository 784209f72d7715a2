"""One hand to look into, and to continue from another call or card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from simulate.cards import SEATS, call_text, card_text, read_call, read_card, read_hand, read_seat
from simulate.engine.engine import Engine
from simulate.engine.record import play_record
from simulate.errors import CardError, IllegalPlay, RunError
from simulate.game.records import BIDDING, MAX_CALLS
from simulate.store.make import check_seed
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike
from sviten.display.text import record_text


class Hand:
    """A hand that has been played.

    Attributes
    ----------
    record : dict
        The hand record.
    """

    def __init__(self, engine: Engine, record: dict[str, Any]) -> None:
        self._engine = engine
        self.record = record

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        place = f"deal {self.record['deal_id']}, leg {self.record['leg']}"
        return f"<Hand {place}, seed {self.record['seed']}; print it to see it>"

    def _repr_html_(self) -> str:
        return f'<pre style="font-family: monospace">{escape(self.text(signs=True))}</pre>'

    def text(self, *, signs: bool = False) -> str:
        """Tell the hand, trick by trick; with suit signs where asked for."""
        return record_text(self.record, signs=signs)

    @property
    def calls(self) -> list[str]:
        """The calls in turn, such as ``["pass", "2H", ...]``."""
        return [call["call"] for call in self.record["auction"]]

    @property
    def plays(self) -> list[str]:
        """The cards in the order played, four a trick."""
        return [card for trick in self.record["tricks"] for card in trick["cards"]]

    def after(
        self, *, calls: Sequence[str] | None = None, plays: Sequence[str] | None = None
    ) -> Hand:
        """Play the same deal again from other calls or cards on.

        The strategies are asked from there on only: what they would have drawn or remembered
        before, they have not.

        Parameters
        ----------
        calls : sequence of str, optional
            First calls of the auction. Where `plays` alone is given the auction stays as it was.
        plays : sequence of str, optional
            First cards played, such as ``hand.plays[:12] + ["QH"]``. Where the auction stays as it
            was, so do the card laid down for the kitty and the points announced.

        Returns
        -------
        Hand

        Raises
        ------
        CardError
            When one of them is not legal.
        StrategyError
            When a strategy fails.
        """
        if calls is None:
            calls = self.calls if plays is not None else []
        call_numbers = [read_call(call) for call in calls]
        cards = [read_card(card) for card in plays or []]
        if len(call_numbers) > MAX_CALLS or len(cards) > 52:
            raise CardError("there are more calls or cards than a hand has")
        state = self._engine.table.state[0]
        state["calls"][: len(call_numbers)] = call_numbers
        state["plays"][: len(cards)] = cards
        state["callers"] = -1  # so that a call that is not legal can be told from its place
        state["forced_calls"] = len(call_numbers)
        state["forced_plays"] = len(cards)
        if plays is not None and list(calls) == self.calls:
            self._force_between()
        try:
            dealer = read_seat(self.record["dealer"])
            record = play_record(self._engine, self.record["deal_id"], self.record["leg"], dealer)
        except IllegalPlay as error:
            if text := self._misfit():
                raise CardError(text) from error
            raise
        finally:
            state["forced_calls"] = state["forced_plays"] = state["forced_between"] = 0
        if len(record["auction"]) < len(call_numbers):
            raise CardError(f"the auction ends after {len(record['auction'])} calls")
        if len(record["tricks"]) * len(record["hands"]) < len(cards):
            raise CardError("the hand is passed out: no card is played")
        return Hand(self._engine, record)

    def _force_between(self) -> None:
        """Give what was answered between auction and lead, so that nobody is asked for it."""
        state = self._engine.table.state[0]
        contract = self.record["contract"]
        discard = self.record["discard"]
        state["forced_between"] = 1
        state["forced_discard"] = read_card(discard) if discard else -1
        state["forced_target"] = contract["target"] or 0 if contract else 0

    def _misfit(self) -> str:
        """Name the given call or card that was not legal; nothing where a strategy answered it."""
        state = self._engine.table.state[0]
        answer = int(state["answer"])
        seat = SEATS[state["acting"]]
        if state["phase"] == BIDDING:
            place = int(np.argmax(state["callers"] < 0))
            if place < state["forced_calls"]:
                return f"call {place + 1}, {call_text(answer)} of {seat}, is not legal there"
            return ""
        dealt, held = (sum(map(int.bit_count, state[name].tolist())) for name in ("dealt", "hands"))
        if dealt - held < state["forced_plays"]:
            return f"card {dealt - held + 1}, {card_text(answer)} of {seat}, is not legal there"
        return ""


def play(
    ns: str = "tips/greedy",
    ew: str | None = None,
    *,
    seats: Mapping[str, str] | None = None,
    deal_id: int = 0,
    leg: int = 0,
    seed: int | None = None,
    rules: RulesLike = "classic",
    hands: Mapping[str, str] | None = None,
) -> Hand:
    """Play one hand.

    Parameters
    ----------
    ns, ew : str
        Entrants, written ``bidder/player``; E and W have that of N and S where `ew` is not given.
    seats : mapping of str to str, optional
        An entrant for each of N, E, S and W, in place of `ns` and `ew`.
    deal_id : int
    leg : int
        1 for the seats changed.
    seed : int, optional
        Drawn where it is not given.
    rules : str, Rules or mapping
        Variant, rule set, or fields that differ from the classic game.
    hands : mapping of str to str, optional
        Hands that seats are given.

    Returns
    -------
    Hand

    Raises
    ------
    SvitenError
        When something is not known, or a strategy fails.
    """
    chosen = choices.rules(rules)
    legs = 2 if chosen.players == 4 else 3
    if not 0 <= leg < legs:
        raise RunError(f"leg {leg}: it may be 0 to {legs - 1}")
    if not 0 <= deal_id < 2**63:
        raise RunError(f"deal id {deal_id}: it must be 0 or more, and fit in 63 bits")
    fixed: dict[int, int] = {}
    for seat, text in (hands or {}).items():
        cards = read_hand(text, chosen.hand_size)
        if any(cards & others for others in fixed.values()):
            raise CardError(f"the hand of {seat} holds cards that another seat is given")
        fixed[read_seat(seat)] = cards
    specs = choices.seat_entrants(ns, ns if ew is None else ew, seats, chosen)
    entrants = [load_entrant(spec) for spec in specs]
    engine = Engine(chosen, entrants, check_seed(seed), legs, fixed)
    return Hand(engine, play_record(engine, deal_id, leg))
