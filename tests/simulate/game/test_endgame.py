"""Endings with all hands in sight: the compiled solution against full enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulate.cards import SEATS, card_set, card_text, cards_of, read_card
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.scratch import WORK, make_work
from simulate.game.endgame import ENDING, solve
from simulate.rules import Rules, load_rules, make_rules
from strategies.declare.spec import load_entrant
from tests import naive
from tests.fixtures.rule_sets import played_rules


class Ending:
    """A position near the end of a hand, in plain Python.

    Parameters
    ----------
    record : dict
        A naive hand record.
    left : int
        Cards in each hand when the trick begins.
    played : int
        Cards of the trick that have been played.
    memory : ENDING record, optional
        What the compiled routine remembers.
    before : Ending, optional
        One of the same trick, whose enumeration serves this one too.
    """

    def __init__(
        self,
        record: dict[str, Any],
        left: int,
        played: int = 0,
        memory: Any = None,
        before: Ending | None = None,
    ) -> None:
        self.rules = record["rules"]
        self.players = self.rules["players"]
        self.contract = record["contract"]
        self.trump = self.contract and naive.suit_or_none(self.contract["denomination"])
        self.all_tricks = len(record["tricks"])
        side_seats = record["sides"]["declarers"]["seats"]
        self.sides = [0 if seat in side_seats else 1 for seat in naive.SEATS[: self.players]]
        hands: list[list[str]] = [[] for _ in range(self.players)]
        self.piles: list[list[str]] = [[], []]
        self.tricks = [0, 0]
        gone = self.all_tricks - left
        for number, trick in enumerate(record["tricks"]):
            leader = naive.SEATS.index(trick["leader"])
            if number < gone:
                side = self.sides[naive.SEATS.index(trick["winner"])]
                self.piles[side] += trick["cards"]
                self.tricks[side] += 1
                continue
            for place, card in enumerate(trick["cards"]):
                hands[(leader + place) % self.players].append(card)
            if number == gone:
                self.leader = leader
                self.trick = tuple(trick["cards"][:played])
                for place, card in enumerate(self.trick):
                    hands[(leader + place) % self.players].remove(card)
        self.hands = tuple(frozenset(hand) for hand in hands)
        self.last_card: list[str] = []
        if self.rules["kitty"] == "exchange":
            self.piles[0].append(record["discard"])
        elif self.rules["kitty"] == "pile":
            self.piles[0] += record["kitty"]
        elif self.rules["kitty"] == "last-trick":
            self.last_card = record["kitty"]
        self.outcomes: dict[Any, int] = before.outcomes if before else {}
        self.known: dict[Any, int] = before.known if before else {}
        self.memory = np.zeros(1, ENDING)[0] if memory is None else memory

    def outcome(self, captured: tuple[frozenset[str], frozenset[str]], last: int) -> int:
        """Score of the declarers less that of the defenders, once all is played."""
        if (captured, last) not in self.outcomes:
            scores = []
            for side in range(2):
                aside = self.last_card if side == last else []
                _, told = naive.settle_side(
                    self.rules,
                    self.contract,
                    side == 0,
                    self.tricks[side] + len(captured[side]) // self.players,
                    self.all_tricks,
                    [*self.piles[side], *captured[side], *aside],
                    0,
                )
                scores.append(told["score"])
            self.outcomes[captured, last] = scores[0] - scores[1]
        return self.outcomes[captured, last]

    def value(
        self,
        hands: tuple[frozenset[str], ...],
        leader: int,
        trick: tuple[str, ...],
        captured: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset()),
    ) -> int:
        """Value of a position under best play; every line is looked at."""
        if len(trick) == self.players:
            winner = (leader + naive.winning_place(trick, self.trump)) % self.players
            side = self.sides[winner]
            taken = list(captured)
            taken[side] = taken[side] | frozenset(trick)
            captured = (taken[0], taken[1])
            if not hands[winner]:
                return self.outcome(captured, side)
            leader, trick = winner, ()
        key = (hands, leader, trick, captured)
        if key not in self.known:
            best = max if self.sides[(leader + len(trick)) % self.players] == 0 else min
            self.known[key] = best(self.choices(*key).values())
        return self.known[key]

    def choices(
        self,
        hands: tuple[frozenset[str], ...],
        leader: int,
        trick: tuple[str, ...],
        captured: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset()),
    ) -> dict[str, int]:
        """Value of each legal card."""
        seat = (leader + len(trick)) % self.players
        values = {}
        for card in naive.legal_cards(sorted(hands[seat]), trick):
            rest = (*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :])
            values[card] = self.value(rest, leader, (*trick, card), captured)
        return values

    def solved(self, work: Any) -> tuple[str, int]:
        """Card and value of the compiled routine."""
        end = self.memory
        end["hands"] = [card_set(map(read_card, hand)) for hand in self.hands] + [0] * (
            4 - self.players
        )
        end["piles"] = [card_set(map(read_card, pile)) for pile in self.piles]
        end["last_card"] = card_set(map(read_card, self.last_card))
        end["table"] = card_set(map(read_card, self.trick))
        end["sides"] = self.sides + [1] * (4 - self.players)
        end["tricks"] = self.tricks
        end["players"] = self.players
        end["size"] = self.all_tricks
        bid = self.contract and self.contract["denomination"]
        end["trump"] = naive.DENOMINATIONS.index(bid) if bid else 4
        end["level"] = self.contract["level"] if self.contract else 0
        end["target"] = -1
        end["scorer"] = work["scorer"]
        place = len(self.trick)
        end["seat"] = (self.leader + place) % self.players
        end["position"] = place
        end["led"] = end["best"] = end["winner"] = -1
        if place:
            best = naive.winning_place(self.trick, self.trump)
            end["led"] = read_card(self.trick[0]) >> 4
            end["winner"] = (self.leader + best) % self.players
            strong = naive.suit_of(self.trick[best]) == self.trump
            end["best"] = (
                naive.rank_of(self.trick[best])
                + 32 * strong
                + 16 * (self.trick[best][1] == self.trick[0][1])
            )
        numbers = make_rules(self.rules).numbers()
        card, value = solve(end, work["melds"], numbers[0])
        return card_text(int(card)), int(value)


def naive_record(rules: Rules, deal_id: int, seed: int = 21) -> dict[str, Any]:
    """Play a hand of the random strategies that is not passed out."""
    fields = rules.model_dump(mode="json")
    while True:
        dealt = naive.deal(fields, seed, deal_id)
        seats = naive.random_seats(fields, seed, deal_id, 75)
        record: dict[str, Any] = naive.play_hand(fields, dealt, deal_id % rules.players, **seats)
        if record["tricks"]:
            return record
        deal_id += 1000


SOME_RULES = {
    "classic": ("classic", {}),
    "odd points": (
        "classic",
        {"set3_points": 7, "run3_points": 4, "run_step_points": 6, "trick_points": 3,
         "dead_card_penalty": 2, "fail_multiplier": 3},
    ),
    "kept": ("classic", {"failed_contract_scores": True, "dead_card_penalty": 1}),
    "many melds": ("classic", {"run_step_points": 1, "trump_run_multiplier": 4, "set4_points": 3}),
    "played out": ("no-trump", {"all_pass": "play-out", "slam_bonus": 50}),
    **{kitty: ("three-player", {"kitty": kitty}) for kitty in ("exchange", "pile", "dead")},
    "last-trick": (
        "three-player", {"kitty": "last-trick", "dead_card_penalty": 1, "trick_points": 2}
    ),
}  # fmt: skip


def check(ending: Ending, work: Any) -> None:
    """Compare the routine with the enumeration at one position."""
    card, value = ending.solved(work)
    choices = ending.choices(ending.hands, ending.leader, ending.trick)
    seat = (ending.leader + len(ending.trick)) % ending.players
    best = max if ending.sides[seat] == 0 else min
    told = f"{ending.hands}, trick {ending.trick}, rules {ending.rules}"
    assert value == best(choices.values()), told
    assert choices.get(card) == value, f"{card} of {choices}: {told}"


@pytest.mark.parametrize("name", SOME_RULES)
def test_exact_from_every_point_within_a_trick(name: str) -> None:
    variant, changes = SOME_RULES[name]
    rules = load_rules(variant, changes)
    work = make_work(rules.numbers())[0]
    memory = np.zeros(1, ENDING)[0]  # of one ending, and of later positions of it
    for deal_id in range(7):
        record = naive_record(rules, deal_id)
        for left in (3, 2, 1):
            first = Ending(record, left)
            for played in range(rules.players):
                check(Ending(record, left, played, before=first), work)
                check(Ending(record, left, played, memory, first), work)


@pytest.mark.parametrize("name", ["classic", "last-trick"])
def test_exact_with_four_cards_each(name: str) -> None:
    variant, changes = SOME_RULES[name]
    rules = load_rules(variant, changes)
    work = make_work(rules.numbers())[0]
    for deal_id in range(40, 42):
        record = naive_record(rules, deal_id)
        first = Ending(record, 4)
        for played in range(rules.players):
            check(Ending(record, 4, played, before=first), work)


@settings(max_examples=25)
@given(rules=played_rules(), deal_id=st.integers(0, 999), left=st.integers(2, 3))
def test_exact_under_random_rules(rules: Rules, deal_id: int, left: int) -> None:
    record = naive_record(rules, deal_id)
    work = make_work(rules.numbers())[0]
    first = Ending(record, left)
    for played in range(rules.players):
        check(Ending(record, left, played, before=first), work)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("variant", ["classic", "three-player"])
def test_a_slam_is_played_for_and_against(variant: str, side: int) -> None:
    rules = load_rules(variant)
    work = make_work(rules.numbers())[0]
    taken = set()
    for deal_id in range(10):
        ending = Ending(naive_record(rules, deal_id), 2)
        ending.piles[1 - side] = []
        ending.tricks[side] = ending.all_tricks - 2
        ending.tricks[1 - side] = 0
        check(ending, work)
        bonus = 25 if side == 0 else -25
        value = ending.value(ending.hands, ending.leader, ())
        ending.rules = ending.rules | {"slam_bonus": 0}
        ending.outcomes.clear()
        ending.known.clear()
        taken.add(value - ending.value(ending.hands, ending.leader, ()) == bonus)
    assert taken == {False, True}


def test_contracts_hang_on_the_ending() -> None:
    rules = load_rules("classic")
    work = make_work(rules.numbers())[0]
    open_ones = 0
    for deal_id in range(20):
        ending = Ending(naive_record(rules, deal_id), 3)
        fields = ending.rules
        laid = naive.best_layouts(ending.piles[0], ending.trump, fields)[1]
        ending.contract["level"] = min(laid + 1, 6)
        check(ending, work)
        made = {
            naive.lay_contract(fields, ending.contract, 0, [*ending.piles[0], *taken[0]], 0)[0]
            for taken, _ in ending.outcomes
        }
        open_ones += len(made) == 2
    assert open_ones >= 4


def test_memory_starts_each_area_of_layouts_on_a_whole_cache_line() -> None:
    assert WORK.itemsize % 64 == 0


def greedy_hands(variant: str, **changes: Any) -> Iterator[Engine]:
    """Engine after each of some hands that greedy players have played."""
    rules = load_rules(variant, changes)
    engine = Engine(rules, [load_entrant("tips/greedy")] * rules.players, 5)
    for deal_id in range(30):
        engine.play_one(deal_id, 0)
        if engine.table.state["n_tricks"][0]:
            yield engine


def record_of(state: Any, rules: Rules) -> dict[str, Any]:
    """Write what an ending reads of a naive record, from a hand that the engine has played."""
    players = rules.players
    plays = [card_text(int(card)) for card in state["plays"]]
    leaders = [SEATS[int(seat)] for seat in state["leaders"]]
    declarers = [SEATS[seat] for seat in range(players) if state["sides"][seat] == 0]
    kitty = [card_text(card) for card in cards_of(int(state["kitty"]))]
    discard = [card_text(card) for card in cards_of(int(state["discard"]))]
    return {
        "rules": rules.model_dump(mode="json"),
        "contract": {
            "level": int(state["level"]),
            "denomination": naive.DENOMINATIONS[int(state["denomination"])],
            "target": None,
        },
        "tricks": [
            {
                "leader": leaders[number],
                "cards": plays[players * number : players * (number + 1)],
                "winner": leaders[number + 1],
            }
            for number in range(rules.hand_size)
        ],
        "sides": {"declarers": {"seats": declarers}},
        "kitty": kitty,
        "discard": discard[0] if discard else None,
    }


@pytest.mark.parametrize(
    ("variant", "changes"),
    [
        ("last-three-open", {}),
        ("last-three-open", {"dead_card_penalty": 2, "open_last": 13}),
        ("three-player", {"open_last": 3}),
        ("three-player", {"open_last": 3, "kitty": "pile"}),
        ("three-player", {"open_last": 3, "kitty": "last-trick"}),
        ("three-player", {"open_last": 17, "kitty": "dead"}),
    ],
    ids=str,
)
def test_greedy_players_end_with_the_value_of_the_ending(
    variant: str, changes: dict[str, Any]
) -> None:
    hands = 0
    for engine in greedy_hands(variant, **changes):
        state = engine.table.state[0]
        ending = Ending(record_of(state, engine.rules), 3)
        value = ending.value(ending.hands, ending.leader, ())
        assert state["scores"][0] - state["scores"][1] == value, int(state["deal_id"])
        hands += 1
    assert hands >= 15


BLIND = """
from numpy import uint64
from strategies.players import greedy as shipped
from strategies.declare.registry import player

greedy = shipped.greedy.kernel


@player("blind", looks_at="what greedy looks at, save open hands", source="the tests")
def blind(view, work):
    '''Play as greedy does without open hands.'''
    for seat in range(4):
        view.faces[seat] = uint64(0)
    return greedy(view, work)
"""


def test_looking_at_open_hands_wins(tmp_path: Path) -> None:
    (tmp_path / "blind.py").write_text(BLIND)
    blind = load_entrant(f"tips/{tmp_path / 'blind.py'}:blind")
    looking = load_entrant("tips/greedy")
    rules = load_rules("last-three-open")
    scores = []
    for pair in ([blind, blind], [looking, blind]):
        engine = Engine(rules, pair * 2, 5)
        buffer = make_buffer(3000)
        engine.play(buffer, 0, 3000)
        by_seat = buffer.rows["scores"].astype(np.int64)
        scores.append(by_seat[:, 0] - by_seat[:, 1])
    gains = scores[1] - scores[0]
    assert gains.mean() > 5 * gains.std() / math.sqrt(len(gains))


def test_solved_ending_is_a_guarantee_against_any_play() -> None:
    rules = load_rules("last-three-open")
    entrants = [load_entrant("tips/greedy"), load_entrant("tips/random")]
    engine = Engine(rules, entrants * 2, 8)
    above = 0
    for deal_id in range(15):
        engine.play_one(deal_id, 0)
        state = engine.table.state[0]
        if not state["n_tricks"]:
            continue
        ending = Ending(record_of(state, rules), 3)
        sign = 1 if state["sides"][0] == 0 else -1
        value = ending.value(ending.hands, ending.leader, ())
        gain = sign * (int(state["scores"][0]) - int(state["scores"][1]) - value)
        assert gain >= 0, deal_id
        above += gain > 0
    assert above >= 2
