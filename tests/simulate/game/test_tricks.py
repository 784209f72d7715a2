"""Tricks: who wins, what may be played, and all endings of small hands counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from simulate.cards import SEATS, card_text, cards_of, read_card
from simulate.engine.engine import Engine
from simulate.errors import IllegalPlay
from simulate.game.tricks import card_strength
from simulate.rules import CLASSIC
from strategies.declare.spec import load_entrant
from tests import naive
from tests.fixtures.scripts import Position


@pytest.mark.parametrize(
    ("denomination", "cards", "winner"),
    [
        ("NT", "2C 3C 4C 5C", "W"),
        ("NT", "AC KC QC JC", "N"),
        ("NT", "2C AD AH AS", "N"),
        ("NT", "TC 9C JC 2C", "S"),
        ("H", "2C 3C 2H AC", "S"),
        ("H", "2C 3H 2H AC", "E"),
        ("H", "AH 2C 3C 4C", "N"),
        ("H", "2H 3H AS KH", "W"),
        ("C", "2D 2C AD 3C", "W"),
        ("S", "AH KH 2D 3D", "N"),
        ("D", "AS KD AD 2D", "S"),
        ("S", "2S 3S 4S AS", "W"),
    ],
)
def test_who_wins_a_trick(denomination: str, cards: str, winner: str) -> None:
    played = cards.split()
    position = Position(CLASSIC, played, denomination, "N")
    finished, state, _ = position.play(played)
    assert finished
    assert SEATS[int(state["leader"][0])] == winner == SEATS[int(state["leaders"][0, 1])]
    side = "NESW".index(winner) & 1
    assert state["tricks"][0, side] == 1
    assert state["tricks"][0].sum() == 1
    captured = [card_text(card) for card in cards_of(int(state["piles"][0, side]))]
    assert sorted(captured) == sorted(played)
    assert state["piles"][0, 1 - side] == 0


@pytest.mark.parametrize("leader", SEATS)
def test_the_winner_leads_next(leader: str) -> None:
    hands = ["2C 3C", "AC 4D", "5C 6D", "7C 8D"]
    position = Position(CLASSIC, hands, "NT", leader)
    order = [SEATS[(SEATS.index(leader) + i) % 4] for i in range(4)]
    first = {"N": "2C", "E": "AC", "S": "5C", "W": "7C"}
    second = {"N": "3C", "E": "4D", "S": "6D", "W": "8D"}
    cards = [first[seat] for seat in order] + [second[seat] for seat in "ESWN"]
    finished, state, _ = position.play(cards)
    assert finished
    assert state["leaders"][0, :3].tolist() == [SEATS.index(leader), 1, 3]
    # Clubs: seen by the third seat's side; N showed out of diamonds.
    assert state["voids"][0].tolist() == [0b10, 0, 0, 0]


def test_what_may_be_played() -> None:
    hands = ["2C 3D", "AC 4D", "5H 6S", "7C 8D"]
    position = Position(CLASSIC, hands, "H", "N")
    for cards, legal in (
        ([], "2C 3D"),
        (["2C"], "AC"),
        (["2C", "AC"], "5H 6S"),
        (["2C", "AC", "6S"], "7C"),
        (["3D"], "4D"),
        (["2C", "AC", "6S", "7C"], "4D"),
        (["2C", "AC", "6S", "7C", "4D"], "5H"),
    ):
        finished, _, mask = position.play(cards)
        assert not finished
        assert {card_text(card) for card in cards_of(mask)} == set(legal.split())


@pytest.mark.parametrize("card", ["4D", "2C", "KS"])
def test_a_revoke_or_a_card_not_held_is_refused(card: str) -> None:
    position = Position(CLASSIC, ["2C 3D", "AC 4D", "5H 6S", "7C 8D"], "H", "N")
    finished, state, _ = position.play(["2C", card])
    assert not finished
    assert (state["acting"][0], state["answer"][0]) == (1, read_card(card))


def test_strength_orders_the_cards_of_a_trick() -> None:
    order = ["AD", "2C", "AC", "2H", "AH"]  # clubs led, hearts trump
    strengths = [card_strength(read_card(card), 0, 2) for card in order]
    assert strengths == sorted(strengths)
    assert strengths[0] < 16 <= strengths[1] < 32 <= strengths[3]


def endings(
    hands: list[list[str]],
    leader: int,
    trump: str,
    trick: list[str],
    won: tuple[int, int],
    size: int,
) -> Counter[tuple[int, int]]:
    """Count the naive ways to play small hands out, by the tricks of both sides."""
    if len(trick) == 4:
        leader = (leader + naive.winning_place(trick, trump)) % 4
        won = (won[0] + 1 - leader % 2, won[1] + leader % 2)
        trick = []
    if sum(won) == size:
        return Counter([won])
    seat = (leader + len(trick)) % 4
    total: Counter[tuple[int, int]] = Counter()
    for card in naive.legal_cards(hands[seat], trick):
        left = [[c for c in hand if c != card] for hand in hands]
        total += endings(left, leader, trump, [*trick, card], won, size)
    return total


def fast_endings(position: Position, cards: Sequence[str]) -> Counter[tuple[int, int]]:
    finished, state, legal = position.play(cards)
    if finished:
        return Counter([(int(state["tricks"][0, 0]), int(state["tricks"][0, 1]))])
    total: Counter[tuple[int, int]] = Counter()
    for card in cards_of(legal):
        total += fast_endings(position, [*cards, card_text(card)])
    return total


@pytest.mark.parametrize(
    ("hands", "denomination", "total"),
    [
        (["2C 3C", "4C 5C", "6C 7C", "8C 9C"], "NT", 16),
        (["2C 3D", "4C 5D", "6C 7D", "8C 9D"], "NT", 2),
        (["2C 3D", "4H 5S", "6C 7D", "8H 9S"], "H", 8),
        (["AC KD 2H", "2C QD 3H", "3C JD 4H", "KC TD 5H"], "C", 6),
        (["AC KD 2H", "AS KS 3H", "3C JD 4H", "KC 2D 9S"], "S", 52),
        (["AC KC QC", "2D 3D 4D", "2H 3H 4H", "2S 3S 4S"], "D", 1296),
    ],
    ids=str,
)
def test_all_endings_counted(hands: list[str], denomination: str, total: int) -> None:
    split = [hand.split() for hand in hands]
    slow = endings(split, 0, denomination, [], (0, 0), len(split[0]))
    fast = fast_endings(Position(CLASSIC, hands, denomination, "N"), [])
    assert fast == slow
    assert sum(fast.values()) == total


def test_forced_cards_are_checked() -> None:
    engine = Engine(CLASSIC, [load_entrant("random/random")] * 4, 1)
    for deal_id in range(20):
        engine.play_one(deal_id, 0)
        if engine.table.state["n_tricks"][0]:
            break
    plays = engine.table.state["plays"][0].copy()
    engine.table.state["forced_plays"] = 8
    engine.play_one(deal_id, 0)
    assert engine.table.state["plays"][0, :8].tolist() == plays[:8].tolist()
    engine.table.state["plays"][0, 3] = plays[4]
    with pytest.raises(IllegalPlay, match=rf"answered {plays[4]}, which is no legal card"):
        engine.play_one(deal_id, 0)
