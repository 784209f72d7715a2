"""Deals: published frequencies, evenness, and what a deal depends on."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simulate.cards import DECK, FULL_DECK, card_text, cards_of, read_cards
from simulate.compiled.bits import has, popcount, suit_cards
from simulate.compiled.kernels import kernel
from simulate.engine.engine import Engine, make_buffer
from simulate.errors import CardError
from simulate.game.deal import deal_cards
from simulate.game.records import STATE
from simulate.rules import CLASSIC
from strategies.declare.spec import load_entrant
from tests import naive

#: Percentages of hand shapes, by arithmetic (and in every book on bridge).
SHAPES = {
    (4, 4, 3, 2): 21.5512,
    (5, 3, 3, 2): 15.5168,
    (5, 4, 3, 1): 12.9307,
    (5, 4, 2, 2): 10.5797,
    (4, 3, 3, 3): 10.5361,
}


@kernel
def count_shapes(state: Any, seed: np.uint64, deals: int, counts: Any) -> None:
    """Count suit lengths of all hands in `counts`, int64 of shape (14, 14, 14)."""
    for deal_id in range(deals):
        deal_cards(state, seed, deal_id)
        for seat in range(4):
            hand = state.hands[seat]
            counts[
                popcount(suit_cards(hand, 3)),
                popcount(suit_cards(hand, 2)),
                popcount(suit_cards(hand, 1)),
            ] += 1


@kernel
def count_places(state: Any, seed: np.uint64, deals: int, counts: Any) -> None:
    """Count where each card falls in `counts`, int64 of shape (64, 4); the kitty is place 3."""
    for deal_id in range(deals):
        deal_cards(state, seed, deal_id)
        for card in range(64):
            for seat in range(state.players):
                counts[card, seat] += has(state.hands[seat], card)
            if state.players == 3:
                counts[card, 3] += has(state.kitty, card)


def make_state(players: int = 4, fixed: dict[int, int] | None = None) -> Any:
    state = np.zeros(1, STATE)
    state["players"] = players
    state["hand_size"] = 13 if players == 4 else 17
    for seat, cards in (fixed or {}).items():
        state["fixed"][0, seat] = cards
    return state


def test_hand_shapes_are_as_frequent_as_published() -> None:
    deals = 600_000
    counts = np.zeros((14, 14, 14), np.int64)
    count_shapes(make_state()[0], np.uint64(12), deals, counts)
    hands = 4 * deals
    assert counts.sum() == hands
    for shape, percentage in SHAPES.items():
        seen = sum(int(counts[order[:3]]) for order in set(itertools.permutations(shape)))
        p = percentage / 100
        assert abs(seen / hands - p) < 4.5 * (p * (1 - p) / hands) ** 0.5, shape


@pytest.mark.parametrize(
    ("players", "fixed"),
    [
        (4, {}),
        (3, {}),
        (4, {0: "AKQ52.QJ3.K84.A7"}),
        (4, {3: "AKQ52.QJ3.K84.A7"}),
        (4, {0: "AS KS", 1: "QS", 2: "JT98.AKQ2.AK.KQJ", 3: ""}),
        (4, {1: "AH KH QH JH", 3: "AC"}),
        (3, {0: "AS", 2: "KS QS"}),
    ],
    ids=str,
)
def test_every_free_card_falls_evenly(players: int, fixed: dict[int, str]) -> None:
    """Pearson's statistic times (m - 1) / m, m cards: each deal is a draw without replacement."""
    given = {seat: read_cards(text)[0] for seat, text in fixed.items()}
    deals = 200_000
    counts = np.zeros((64, 4), np.int64)
    count_places(make_state(players, given)[0], np.uint64(99), deals, counts)
    size = 13 if players == 4 else 17
    room = np.array([size] * players + [1] * (4 - players))
    free = list(DECK)
    for seat, cards in given.items():
        room[seat] -= cards.bit_count()
        for card in cards_of(cards):
            free.remove(card)
            assert counts[card, seat] == deals == counts[card].sum(), card_text(card)
    places = [place for place in range(4) if room[place]]
    table = counts[np.ix_(free, places)]
    assert (table.sum(axis=1) == deals).all()
    expected = deals * room[places] / len(free)
    statistic = ((table - expected) ** 2 / expected).sum() * (len(free) - 1) / len(free)
    freedom = (len(free) - 1) * (len(places) - 1)
    assert stats.chi2.sf(statistic, freedom) > 1e-4
    assert stats.chi2.cdf(statistic, freedom) > 1e-4  # nor more even than chance
    if not given and players == 4:
        assert freedom == 153


def test_two_cards_meet_as_often_as_they_should() -> None:
    deals = 40_000
    state = make_state()
    together = 0
    for deal_id in range(deals):
        deal_cards(state[0], np.uint64(4), deal_id)
        together += any(
            (int(hand) >> 62 & 1) and (int(hand) >> 61 & 1) for hand in state["hands"][0]
        )
    assert together / deals == pytest.approx(12 / 51, abs=0.009)  # 4 standard errors


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("seed", [0, 1, 1 + 2**32, 2**64 - 1])
def test_deals_agree_with_the_naive_ones(players: int, seed: int) -> None:
    rules = naive.rules_with(players=players)
    state = make_state(players)
    seen = set()
    for deal_id in (0, 1, 12, 2**31, 2**32, 2**53 + 1):
        deal_cards(state[0], np.uint64(seed), deal_id)
        slow = naive.deal(rules, seed, deal_id)
        for seat in range(players):
            hand = int(state["hands"][0, seat])
            assert {card_text(card) for card in cards_of(hand)} == set(slow.hands[seat])
            assert hand == state["dealt"][0, seat]
        assert [card_text(card) for card in cards_of(int(state["kitty"][0]))] == list(slow.kitty)
        seen.add(state["hands"][0].tobytes())
    assert len(seen) == 6


def test_strategies_and_legs_change_no_deal() -> None:
    dealt = []
    for spec, legs in (("pass/random", 1), ("random(pass_percent=10)/greedy", 2)):
        engine = Engine(CLASSIC, [load_entrant(spec)] * 4, 5, legs)
        buffer = make_buffer(legs)
        hands = []
        for deal_id in range(50):
            engine.play(buffer, deal_id, 1)
            hands.append(engine.table.state["dealt"][0].tolist())
        dealt.append(hands)
        single = []
        for deal_id in range(50):
            engine.play_one(deal_id, legs - 1)
            single.append(engine.table.state["dealt"][0].tolist())
        dealt.append(single)
    assert dealt[0] == dealt[1] == dealt[2] == dealt[3]


def test_seeds_apart_by_a_power_of_two_deal_differently() -> None:
    hands = set()
    for seed in (1, 1 + 2**32, 2**33, 2**63):
        state = make_state()
        deal_cards(state[0], np.uint64(seed), 0)
        hands.add(state["hands"][0].tobytes())
    assert len(hands) == 4


def test_fixed_hands_through_the_engine() -> None:
    mask, _ = read_cards("AKQ52.QJ3.K84.A7")
    engine = Engine(CLASSIC, [load_entrant("tips/greedy")] * 4, 5, fixed={2: mask})
    others = set()
    for deal_id in range(20):
        engine.play_one(deal_id, 0)
        dealt = engine.table.state["dealt"][0]
        assert int(dealt[2]) == mask
        assert int(np.bitwise_or.reduce(dealt)).bit_count() == 52
        others.add(int(dealt[0]))
    assert len(others) == 20


@pytest.mark.parametrize(
    ("fixed", "told"),
    [
        ({0: FULL_DECK}, "given 52 cards"),
        ({0: 1 << 4, 1: 1 << 4}, "two seats"),
        ({0: 1}, "no cards"),
        ({0: -1}, "no cards"),
        ({5: 1 << 4}, "seats are 0 to 3"),
    ],
)
def test_cards_that_cannot_be_given_are_refused(fixed: dict[int, int], told: str) -> None:
    with pytest.raises(CardError, match=told):
        Engine(CLASSIC, [load_entrant("pass/random")] * 4, 1, fixed=fixed)
