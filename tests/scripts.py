"""Engines whose calls and cards are given, for tests that set a position up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types

from simulate.cards import SEATS, call_text, card_set, read_call, read_card
from simulate.deal import deal_many
from simulate.engine import Engine
from simulate.entrant import Entrant
from simulate.errors import IllegalPlay
from simulate.kernels import address_of, kernel
from simulate.rules import Rules
from simulate.table import VIEW_TYPE
from simulate.tricks import play_out
from strategies.spec import load_entrant


@kernel
def refuse(view: Any, work: int) -> int:
    """Answer nothing legal, so that the engine stops where it would ask."""
    return np.int64(-1)


def failing_bidders(seed: int, wrong: Iterable[int], raises: Iterable[int]) -> str:
    """Text of a plug-in whose bidders, known by their hands, fail in these deals."""

    def hands(deals: Iterable[int]) -> list[int]:
        engine = Engine(Rules(), [asking()] * 4, seed)
        found, jokers = np.zeros((1, 4), np.uint64), np.zeros((1, 4), np.int64)
        told = []
        for deal_id in deals:
            deal_many(engine.table.state[0], deal_id, found, jokers)
            told += found[0].tolist()
        return told

    return f"""
import numpy as np
from strategies.registry import bidder

WRONG = np.array({hands(wrong)}, np.uint64)
RAISES = np.array({hands(raises)}, np.uint64)

@bidder("wrong", looks_at="nothing", source="a test")
def wrong(view, work):
    return np.int64(99 if (WRONG == view.hand).any() else 0)

@bidder("raises", looks_at="nothing", source="a test")
def raises(view, work):
    if (RAISES == view.hand).any():
        raise ValueError("boom")
    return np.int64(0)
"""


def asking() -> Entrant:
    """Entrant at whom the engine stops: whatever it is asked for is not given."""
    address = address_of(refuse, (VIEW_TYPE, types.int64))
    return Entrant("ask/ask", "ask", "ask", address, address)


@dataclass
class Auction:
    """An auction that was held, calls as ``N:1H E:pass``."""

    calls: str
    declarer: str
    contract: str


def hold(rules: Rules, dealer: str, calls: str) -> Auction:
    """Hold an auction of given calls; all pass after them."""
    engine = Engine(rules, [load_entrant("pass/random")] * 4, 1)
    state = engine.table.state
    given = [read_call(call) for call in calls.split()]
    state["calls"][0, : len(given)] = given
    state["forced_calls"] = len(given)
    engine.play_one(SEATS.index(dealer), 0)
    count = int(state["n_calls"][0])
    told = [
        f"{SEATS[seat]}:{call_text(int(call))}"
        for seat, call in zip(state["callers"][0, :count], state["calls"][0, :count], strict=True)
    ]
    declarer = int(state["declarer"][0])
    level, denomination = int(state["level"][0]), int(state["denomination"][0])
    contract = call_text(5 * (level - 1) + denomination + 1) if declarer >= 0 else ""
    return Auction(" ".join(told), SEATS[declarer] if declarer >= 0 else "", contract)


class Position:
    """Small hands, to be played with given cards."""

    def __init__(self, rules: Rules, hands: Sequence[str], denomination: str, leader: str) -> None:
        self.engine = Engine(rules, [asking()] * 4, 1)
        self.engine.table.state["hands"][0] = [
            card_set(map(read_card, hand.split())) for hand in hands
        ]
        self.size = len(hands[0].split())
        self.denomination = ["C", "D", "H", "S", "NT"].index(denomination)
        self.leader = SEATS.index(leader)
        self.start = self.engine.table.state.copy(), self.engine.table.seats.copy()

    def play(self, cards: Sequence[str]) -> tuple[bool, Any, int]:
        """Play `cards` in order.

        Returns
        -------
        finished : bool
        state : STATE array, shape (1,)
        legal : int
            Cards that the seat to play next may play.
        """
        table = self.engine.table
        table.state[:], table.seats[:] = self.start
        state = table.state
        state["hand_size"] = self.size
        state["leader"] = self.leader
        state["leaders"][0, 0] = self.leader
        state["denomination"] = self.denomination
        state["sides"][0] = [(seat ^ self.leader) & 1 for seat in range(4)]
        table.seats["views"]["sides"] = state["sides"][0]
        state["forced_plays"] = len(cards)
        state["plays"][0, : len(cards)] = [read_card(card) for card in cards]
        finished = play_out(state[0], table.seats[0])
        acting = int(state["acting"][0])
        return finished, state, int(table.seats["views"][0, acting]["legal"])


def legal_after(rules: Rules, dealer: str, calls: Sequence[str]) -> list[str] | None:
    """List the calls that are legal after `calls`; None where the auction is over."""
    engine = Engine(rules, [asking()] * 4, 1)
    state = engine.table.state
    state["calls"][0, : len(calls)] = [read_call(call) for call in calls]
    state["forced_calls"] = len(calls)
    try:
        engine.play_one(SEATS.index(dealer), 0)
    except IllegalPlay:
        if state["phase"][0]:
            return None
        acting = int(state["acting"][0])
        legal = int(engine.table.seats["views"][0, acting]["legal"])
        return [call_text(call) for call in range(31) if legal >> call & 1]
    return None
