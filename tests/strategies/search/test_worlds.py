"""Sampled worlds: all fit what a seat has seen, and each is as likely as the others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from simulate.compiled.kernels import kernel
from simulate.rules import load_rules
from strategies.search.worlds import WORLD, sample, survey
from tests.fixtures.positions import RULES, positions

ALL = sum(0x7FFC << 16 * suit for suit in range(4))
JOKERS = ("random", "one-each", "declarers")


@kernel
def draw(view: Any, world: Any, hands: Any, odd: Any, jokers: Any) -> None:
    """Sample a world for each row of the arrays."""
    survey(world, view)
    for i in range(len(hands)):
        sample(world, view)
        for seat in range(4):
            hands[i, seat] = world.hands[seat]
            jokers[i, seat] = world.jokers[seat]
        odd[i] = world.odd


def worlds(view: Any, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    hands = np.zeros((count, 4), np.uint64)
    odd = np.zeros(count, np.uint64)
    jokers = np.zeros((count, 4), np.int64)
    draw(view[0], np.zeros(1, WORLD)[0], hands, odd, jokers)
    return hands, odd, jokers


class Known:
    """What a seat has seen, straight from its view."""

    def __init__(self, view: Any) -> None:
        self.seat, self.players = int(view["seat"][0]), int(view["players"][0])
        size, own = int(view["trick_size"][0]), int(view["hand"][0])
        count = self.players * int(view["n_tricks"][0]) + size
        self.gone = sum(1 << int(card) for card in view["plays"][0, :count])
        self.faces = [int(hand) for hand in view["faces"][0]]
        self.sizes, self.barred = [], []
        for seat in range(self.players):
            ahead = (seat - int(view["leader"][0])) % self.players < size
            self.sizes.append(own.bit_count() - (ahead and seat != self.seat))
            voids = int(view["voids"][0, seat])
            self.barred.append(sum(0xFFFF << 16 * suit for suit in range(4) if voids >> suit & 1))
        self.hands = {self.seat: own}
        self.discard = int(view["discard"][0])

    def fits(self, hands: list[int], odd: int) -> bool:
        sets = [*hands[: self.players], odd, self.gone]
        return (
            sum(sets) == ALL
            and sum(cards.bit_count() for cards in sets) == 52
            and hands[self.seat] == self.hands[self.seat]
            and all(hands[s].bit_count() == self.sizes[s] for s in range(self.players))
            and not any(hands[s] & self.barred[s] for s in range(self.players))
            and (not any(self.faces) or hands == self.faces)
            and (not self.discard or odd == self.discard)
        )

    def hidden(self) -> int:
        return ALL & ~self.gone & ~self.hands[self.seat] & ~self.discard

    def deals(self) -> Iterator[tuple[int, ...]]:
        """All worlds, as hands by seat, by trying every choice of cards."""

        def rest(left: list[int], seats: list[int]) -> Iterator[dict[int, int]]:
            if not seats:
                yield {}
                return
            for cards in combinations(left, self.sizes[seats[0]]):
                hand = sum(1 << card for card in cards)
                if not hand & self.barred[seats[0]]:
                    remaining = [card for card in left if card not in cards]
                    for deal in rest(remaining, seats[1:]):
                        yield {seats[0]: hand, **deal}

        cards = [card for card in range(64) if self.hidden() >> card & 1]
        others = [seat for seat in range(self.players) if seat != self.seat]
        for deal in rest(cards, others):
            yield tuple((deal | self.hands).get(seat, 0) for seat in range(4))


@pytest.mark.parametrize("kind", ["bidder", "player"])
@pytest.mark.parametrize("name", ["classic", "open", "three", "three-pile"])
def test_worlds_fit_what_was_seen(name: str, kind: str) -> None:
    for view, state in positions(kind, RULES[name], 150):
        known = Known(view)
        assert known.fits([int(hand) for hand in state["hands"][0]], int(
            state["discard"][0] or state["kitty"][0]
        ))  # fmt: skip
        hands, odd, _ = worlds(view, 20)
        for row, card in zip(hands, odd, strict=True):
            assert known.fits([int(hand) for hand in row], int(card))


@pytest.mark.parametrize("name", ["classic", "three"])
def test_worlds_are_alike_likely(name: str) -> None:
    """Every world of a late position is counted; chi-square, with voids of one seat and of more."""
    compared = {1: 0, 2: 0}
    for view, _ in positions("player", RULES[name], 1500):
        known = Known(view)
        others = [s for s in range(known.players) if s != known.seat]
        tight = sum(
            any(known.barred[seat] & known.hidden() & 0xFFFF << 16 * suit for seat in others)
            for suit in range(4)
        )
        if not tight or compared[min(tight, 2)] == 6 or known.hidden().bit_count() > 9:
            continue
        deals = list(known.deals())
        if not 4 <= len(deals) <= 400:
            continue
        hands, _, _ = worlds(view, 40 * len(deals))
        found, counts = np.unique(hands, axis=0, return_counts=True)
        assert {tuple(map(int, row)) for row in found} <= set(deals)
        seen = np.zeros(len(deals))
        seen[: len(counts)] = counts
        assert chisquare(seen).pvalue > 1e-4
        compared[min(tight, 2)] += 1
    assert compared == {1: 6, 2: 6}


def test_without_voids_each_card_is_anywhere() -> None:
    """Where a hidden card lies, and where two of them lie together, is as in a shuffle."""
    view, _ = next(p for p in positions("bidder", RULES["classic"], 1))
    hands, _, _ = worlds(view, 6000)
    known = Known(view)
    others = [seat for seat in range(4) if seat != known.seat]
    cards = [card for card in range(64) if known.hidden() >> card & 1]
    holds = np.array([[(hands[:, seat] >> np.uint64(c)) & np.uint64(1) for c in cards]
                      for seat in others], float)  # fmt: skip
    assert (holds.sum(0) == 1).all()
    shares = holds.mean(2)
    assert abs(shares - 1 / 3).max() < 4.5 * np.sqrt(2 / 9 / 6000)
    together = np.einsum("scn,sdn->cd", holds, holds)[np.triu_indices(39, 1)] / 6000
    expected = 12 / 38
    assert abs(together - expected).max() < 4.8 * np.sqrt(expected * (1 - expected) / 6000)


@pytest.mark.parametrize("deal", JOKERS)
def test_jokers_are_dealt_as_the_rules_say(deal: str) -> None:
    rules = load_rules("classic", {"jokers": 2, "joker_deal": deal})
    for view, _ in positions("player", RULES["classic"], 12):
        seat, declarer = int(view["seat"][0]), int(view["declarer"][0])
        view["rules"] = rules.numbers()
        view["jokers"] = own = 2 * (seat == declarer) if deal == "declarers" else 1
        _, _, jokers = worlds(view, 300)
        assert (jokers[:, seat] == own).all()
        assert (jokers.sum(1) == 2).all()
        held = [other for other in range(4) if jokers[:, other].any()]
        expected = {
            "random": [other for other in range(4)],
            "one-each": sorted({seat, (seat + 1) % 4, (seat + 3) % 4}),
            "declarers": [declarer],
        }
        assert held == expected[deal]


def test_worlds_draw_from_the_seats_stream_alone() -> None:
    view, _ = positions("player", RULES["classic"], 1)[0]
    again = view.copy()
    first, _, _ = worlds(view, 5)
    assert (worlds(again, 5)[0] == first).all()
    assert view["stream"] == again["stream"]
    assert (worlds(view, 5)[0] != first).any()
    view["stream"] = again["stream"]
    for field in view.dtype.names or ():
        if field != "stream":
            assert (view[field] == again[field]).all()
