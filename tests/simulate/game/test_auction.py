"""Auctions: every option by hand-written calls, and all auctions of short ladders counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from simulate.cards import call_text, read_call
from simulate.engine.engine import Engine
from simulate.errors import IllegalPlay
from simulate.game.auction import all_bids, bids_above
from simulate.game.records import MAX_CALLS
from simulate.rules import make_rules
from strategies.declare.spec import load_entrant
from tests import naive
from tests.fixtures.scripts import hold, legal_after

BRIDGE = {"suit_ranking": "bridge"}
ONCE = {"auction": "one-round"}
FINAL = {"passed_may_return": False}


@pytest.mark.parametrize(
    ("changes", "calls", "expected", "declarer", "contract"),
    [
        # The seat to the dealer's left (N deals) speaks first; three passes end it.
        ({}, "1H", "E:1H S:pass W:pass N:pass", "E", "1H"),
        ({}, "pass 1H", "E:pass S:1H W:pass N:pass E:pass", "S", "1H"),
        ({}, "pass pass pass 1C", "E:pass S:pass W:pass N:1C E:pass S:pass W:pass", "N", "1C"),
        # A player who passed may come back.
        ({}, "pass 1H pass pass 2C", "E:pass S:1H W:pass N:pass E:2C S:pass W:pass N:pass",
         "E", "2C"),
        ({}, "1C 1NT 2S 2NT", "E:1C S:1NT W:2S N:2NT E:pass S:pass W:pass", "N", "2NT"),
        # One may outbid oneself only after another's bid; a partner's bid may be raised.
        ({}, "1C pass 2C pass 3C", "E:1C S:pass W:2C N:pass E:3C S:pass W:pass N:pass", "E", "3C"),
        # Passes are recorded after a bid that nothing outranks.
        ({}, "6NT", "E:6NT S:pass W:pass N:pass", "E", "6NT"),
        ({"max_level": 1, "denominations": ["NT"]}, "1NT", "E:1NT S:pass W:pass N:pass",
         "E", "1NT"),
        # Bridge ranks the suits.
        (BRIDGE, "1C 1D 1H 1S 1NT", "E:1C S:1D W:1H N:1S E:1NT S:pass W:pass N:pass", "E", "1NT"),
        # Each seat speaks once.
        (ONCE, "1H", "E:1H S:pass W:pass N:pass", "E", "1H"),
        (ONCE, "pass 1H 2C 3D", "E:pass S:1H W:2C N:3D", "N", "3D"),
        (ONCE, "pass pass pass 1C", "E:pass S:pass W:pass N:1C", "N", "1C"),
        (ONCE, "", "E:pass S:pass W:pass N:pass", "", ""),
        (ONCE | FINAL, "pass 1H", "E:pass S:1H W:pass N:pass", "S", "1H"),
        # A final pass: that seat is skipped and not recorded from then on.
        (FINAL, "pass 1H 2C pass 3H", "E:pass S:1H W:2C N:pass S:3H W:pass", "S", "3H"),
        (FINAL, "1H 2C 3D pass pass 4C", "E:1H S:2C W:3D N:pass E:pass S:4C W:pass", "S", "4C"),
        (FINAL, "pass pass pass 1C", "E:pass S:pass W:pass N:1C", "N", "1C"),
        (FINAL, "pass pass 1C pass", "E:pass S:pass W:1C N:pass", "W", "1C"),
        (FINAL, "1H", "E:1H S:pass W:pass N:pass", "E", "1H"),
        (FINAL, "", "E:pass S:pass W:pass N:pass", "", ""),
        ({}, "", "E:pass S:pass W:pass N:pass", "", ""),
    ],
)  # fmt: skip
def test_auctions_by_hand(
    changes: dict[str, Any], calls: str, expected: str, declarer: str, contract: str
) -> None:
    rules = make_rules(changes)
    held = hold(rules, "N", calls)
    assert (held.calls, held.declarer, held.contract) == (expected, declarer, contract)


@pytest.mark.parametrize("dealer", "NESW")
def test_the_dealers_left_speaks_first(dealer: str) -> None:
    held = hold(make_rules({}), dealer, "pass 2D")
    first = "NESW"["NESW".index(dealer) - 3]
    assert held.calls.startswith(f"{first}:pass")
    assert held.declarer == "NESW"["NESW".index(dealer) - 2]


@pytest.mark.parametrize(
    ("changes", "last", "allowed", "refused"),
    [
        ({}, "1C", "1NT 2C 2S 6NT", "1C 1D 1S"),
        ({}, "1NT", "2C 2NT", "1C 1S 1NT"),
        ({}, "1S", "1NT 2C", "1C 1H 1S"),
        ({}, "6H", "6NT", "6C 6S 5NT"),
        (BRIDGE, "1D", "1H 1S 1NT 2C", "1C 1D"),
        (BRIDGE, "1NT", "2C", "1S 1NT"),
        (BRIDGE, "6S", "6NT", "6C 6S 5NT"),
        ({"max_level": 3}, "2H", "2NT 3C 3NT", "4C 6NT 2S"),
        ({"denominations": ["C", "H"]}, "1C", "2C 2H", "1H 1NT 2D 2NT"),
        ({"denominations": ["C", "H"], **BRIDGE}, "1C", "1H 2C", "1NT 1D"),
    ],
)
def test_which_bids_outrank(changes: dict[str, Any], last: str, allowed: str, refused: str) -> None:
    rules = make_rules(changes)
    legal = legal_after(rules, "N", [last])
    assert legal is not None
    assert legal[0] == "pass"
    assert set(allowed.split()) <= set(legal)
    assert not set(refused.split()) & set(legal)


@pytest.mark.parametrize("ranking", ["none", "bridge"])
@pytest.mark.parametrize("denominations", [["NT"], ["D", "S"], ["C", "H", "NT"], list("CDHS")])
@pytest.mark.parametrize("most", [1, 4, 6])
def test_ranks_agree_with_the_naive_ones(ranking: str, denominations: list[str], most: int) -> None:
    changes = {"suit_ranking": ranking, "denominations": denominations, "max_level": most}
    numbers = make_rules(changes).numbers()[0]
    fields = naive.rules_with(**changes)
    bids = all_bids(numbers)
    for last in naive.legal_calls(fields, None):
        above = int(bids_above(numbers, bids, read_call(last)))
        legal = [call_text(call) for call in range(1, 31) if above >> call & 1]
        assert legal == naive.legal_calls(fields, None if last == "pass" else last)[1:]


@pytest.mark.parametrize(
    ("calls", "answer"), [("1C 1D", 2), ("1NT 1NT", 5), ("1NT 1C", 1), ("6NT 6H", 28)]
)
def test_a_bid_that_does_not_outrank_is_refused(calls: str, answer: int) -> None:
    with pytest.raises(IllegalPlay, match=rf"seat S\) answered {answer}, which is no legal call"):
        hold(make_rules({}), "N", calls)


def test_passed_out_hands_score_nothing() -> None:
    engine = Engine(make_rules({}), [load_entrant("pass/random")] * 4, 1)
    engine.play_one(2, 0)
    state = engine.table.state[0]
    assert (state["n_tricks"], state["declarer"], state["made"]) == (0, -1, -1)
    assert state["scores"].tolist() == [0, 0]
    assert state["piles"].tolist() == [0, 0]


def test_passed_out_hands_are_played_out() -> None:
    engine = Engine(make_rules({"all_pass": "play-out"}), [load_entrant("pass/high")] * 4, 1)
    engine.play_one(2, 0)
    state = engine.table.state[0]
    assert (state["n_tricks"], state["declarer"], state["made"]) == (13, -1, -1)
    assert state["denomination"] == 4
    assert state["leaders"][0] == 3  # the dealer's left
    assert state["tricks"].sum() == 13


def auctions(rules: dict[str, Any], made: Sequence[str]) -> list[tuple[str, ...]]:
    """All ways in which the naive auction ends after the calls in `made`."""

    def call(seat: int, legal: list[str], auction: list[tuple[int, str]]) -> str:
        if len(auction) == len(made):
            raise LookupError(legal)
        return made[len(auction)]

    try:
        naive.hold_auction(rules, 0, call)
    except LookupError as error:
        legal = error.args[0]
        return [end for next_call in legal for end in auctions(rules, [*made, next_call])]
    return [tuple(made)]


def fast_auctions(rules: Any, made: Sequence[str]) -> list[tuple[str, ...]]:
    legal = legal_after(rules, "N", made)
    if legal is None:
        return [tuple(made)]
    return [end for next_call in legal for end in fast_auctions(rules, [*made, next_call])]


@pytest.mark.parametrize(
    ("changes", "total"),
    [
        ({"denominations": ["NT"], "max_level": 1}, 5),
        ({"denominations": ["NT"], "max_level": 2}, 21),
        ({"denominations": ["NT"], "max_level": 3}, 85),
        ({"denominations": ["C", "D"], "max_level": 1}, 9),
        ({"denominations": ["C", "D"], "max_level": 1, **BRIDGE}, 21),
        ({"denominations": ["C", "H", "NT"], "max_level": 1}, 37),
        ({"denominations": ["NT"], "max_level": 2, **FINAL}, 15),
        ({"denominations": ["NT"], "max_level": 3, **FINAL}, 41),
        ({"denominations": ["NT"], "max_level": 4, **ONCE}, 70),
        ({"denominations": ["C", "NT"], "max_level": 2, **ONCE, **FINAL}, 70),
    ],
    ids=str,
)
def test_all_auctions_counted(changes: dict[str, Any], total: int) -> None:
    """With n bids in a row 1 + sum over k of C(n, k) * 4 * 3 ** (k - 1), once round C(n + 4, 4)."""
    slow = auctions(naive.rules_with(**changes), [])
    fast = fast_auctions(make_rules(changes), [])
    assert fast == slow
    assert len(set(fast)) == len(fast) == total


def test_the_longest_auction_fits() -> None:
    """Thirty bids, three passes before the first, two between any two, three after the last."""
    bids = [f"{level}{d}" for level in range(1, 7) for d in naive.DENOMINATIONS]
    calls = ["pass"] * 3 + " pass pass ".join(bids).split()
    held = hold(make_rules(BRIDGE), "N", " ".join(calls))
    assert held.contract == "6NT"
    assert len(held.calls.split()) == 3 + 30 + 2 * 29 + 3 == 94 < MAX_CALLS
