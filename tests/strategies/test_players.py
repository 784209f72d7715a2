"""The shipped players beside one another: what they have in common, and which is stronger."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from simulate.compiled.bits import bit, lowest
from simulate.compiled.kernels import kernel
from simulate.engine.engine import Engine, make_buffer
from simulate.errors import StrategyError
from simulate.rules import CLASSIC, Rules, load_rules
from strategies.declare.spec import load_entrant, read_part, with_parameter
from strategies.players.counting import missing_cards, pile_worth
from strategies.search.endgame import card_value, in_sight, solve_ending
from tests.fixtures.positions import positions, stopping

OPEN = load_rules("classic", {"open_last": 13})


def rows(spec: str, rules: Rules, deals: int, other: str = "") -> np.ndarray:
    first, second = load_entrant(spec), load_entrant(other or spec)
    engine = Engine(rules, [first, second, first, second][: rules.players], 5, 2)
    buffer = make_buffer(2 * deals)
    engine.play(buffer, 0, deals)
    return buffer.rows


def margin(first: str, second: str, deals: int) -> float:
    """Points a hand by which one entrant is ahead of another over paired deals."""
    scores = rows(first, CLASSIC, deals, second)["scores"].astype(float)
    ahead = scores[:, 0] - scores[:, 1]
    return float((ahead[::2] - ahead[1::2]).mean() / 2)


def test_each_player_is_stronger_than_the_one_before() -> None:
    for weaker, stronger in pairwise(["random", "high", "greedy", "counting"]):
        assert margin(f"tips/{stronger}", f"tips/{weaker}", 600) > 2.5


@pytest.mark.slow
def test_search_and_endings_are_worth_their_time() -> None:
    assert margin("tips/endgame", "tips/counting", 400) > 0
    assert margin("tips/search", "tips/counting", 150) > 0
    assert margin("tips/oracle", "tips/search(worlds=4)", 150) > 0


def test_search_in_one_world_that_is_the_truth_is_the_oracle() -> None:
    search = rows("random/search(worlds=1,caution=0,exact=4)", OPEN, 8)
    assert search.tobytes() == rows("random/oracle", OPEN, 8).tobytes()
    hidden = rows("random/search(worlds=1,caution=0,exact=4)", CLASSIC, 8)
    assert hidden.tobytes() != rows("random/oracle", CLASSIC, 8).tobytes()


@pytest.mark.parametrize("name", ["random", "counting"])
def test_without_an_ending_it_is_the_other_player(name: str) -> None:
    """Also where that one draws random numbers: they are the seat's own."""
    for spec in (
        f"random/endgame(player={name},cards=0)",
        f"random/search(playout={name},worlds=1)",
    ):
        same = rows(spec, CLASSIC, 20).tobytes() == rows(f"random/{name}", CLASSIC, 20).tobytes()
        assert same == ("endgame" in spec)


def test_with_jokers_no_ending_is_solved() -> None:
    rules = load_rules("jokers")
    assert rows("random/endgame(worlds=1)", rules, 10).tobytes() == (
        rows("random/counting", rules, 10).tobytes()
    )


@kernel
def values(view: Any, work: int, out: Any) -> tuple[int, int]:
    """Write the value of each legal card; give the solved card and its value."""
    cards = view.legal
    while cards:
        card = lowest(cards)
        cards ^= bit(card)
        out[card] = card_value(view, work, view.faces, np.uint64(0), card)
    return solve_ending(view, work)


@kernel
def sighted(view: Any) -> bool:
    """Tell whether the ending can be solved, and is one of two cards or more."""
    return in_sight(view) and view.hand & (view.hand - np.uint64(1)) != np.uint64(0)


def test_the_best_card_is_worth_what_the_ending_is() -> None:
    engine = Engine(OPEN, [stopping()] * 4, 8)
    work = int(engine.table.seats["works"][0, 0])
    solved = 0
    for view, _ in positions("player", OPEN, 400):
        if not sighted(view[0]):
            continue
        out = np.full(64, -(10**6))
        card, value = values(view[0], work, out)
        assert out.max() == out[card] == value
        solved += 1
    assert solved > 20


def cards(text: str) -> np.uint64:
    suits, ranks = "CDHS", "23456789TJQKA"
    return np.uint64(sum(1 << 16 * suits.index(c[1]) + ranks.index(c[0]) + 2 for c in text.split()))


@pytest.mark.parametrize(
    ("own", "other", "missing"),
    [
        ("QH KH", "", "JH AH"),
        ("QH KH", "AH", "JH"),
        ("QH AH", "", "KH"),
        ("AH 2H", "", "3H"),
        ("2S 3S", "", "AS 4S"),
        ("2S 3S", "AS", "4S"),
        ("AC 3C", "", "2C"),
        ("KH 2H", "", ""),
        ("AC 2D", "", ""),
        ("5D 6D 7D", "", "4D 8D"),
        ("5D", "", ""),
    ],
)
def test_cards_that_a_pile_misses(own: str, other: str, missing: str) -> None:
    assert missing_cards(cards(own), cards(other)) == cards(missing)


def test_a_pile_is_worth_its_triples_and_sets() -> None:
    """With weights of one at a time the worth counts what the weight is of."""
    from strategies.players import counting

    def count(place: int, own: str, other: str = "", trump: int = 4) -> float:
        weights = np.zeros(counting.WEIGHTS)
        weights[place] = 1.0
        lane = np.uint64(0xFFFF << 16 * trump) if trump < 4 else np.uint64(0)
        return float(pile_worth(cards(own), cards(other), lane, 2.0, weights))

    assert count(counting.RUN0, "QH KH AH 2H 3H") == 2  # the ace serves both
    assert count(counting.RUN0, "5D 6D 7D 8D") == 2
    assert count(counting.RUN1, "5D 6D 7D 8D") == 2
    assert count(counting.RUN1, "5D 6D 7D 8D", "9D") == 1
    assert count(counting.RUN0, "5D 6D 7D 8D", trump=1) == 0
    assert count(counting.TRUMP0, "5D 6D 7D 8D", trump=1) == 4  # trumps count double here
    assert count(counting.FOUR, "5C 5D 5H 5S") == 1
    assert count(counting.THREE, "5C 5D 5H 6C 6D") == 1
    assert count(counting.THREE_ONE, "5C 5D 5H 6C 6D", "5S") == 1
    assert count(counting.TWO, "5C 5D 5H 6C 6D") == 1
    assert count(counting.TWO_ONE, "6C 6D", "6S") == 1
    assert count(counting.TWO_ONE, "6C 6D", "6S 6H") == 0
    assert count(counting.ONE_LEFT, "6C") == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("search(playout=search)", "playout=search must be one of counting, greedy, high, random"),
        ("search(playout=oracle)", "must be one of"),
        ("search(playout=endgame)", "must be one of"),
        ("search(playout=3)", "must be one of"),
        ("search(playout=)", "must be one of"),
        ("endgame(player=tips)", "must be one of"),
        ("search(worlds=greedy)", "worlds=greedy must be a number from 1 to 10000"),
    ],
)
def test_players_in_thought_that_are_refused(text: str, told: str) -> None:
    with pytest.raises(StrategyError, match=r"^[^\n]+$") as error:
        read_part("player", text)
    assert told in str(error.value)


def test_a_player_in_thought_is_part_of_the_entrant() -> None:
    plain = load_entrant("tips/search(worlds=16, playout=counting)")
    other = load_entrant("tips/search(playout = greedy)")
    assert (plain.text, other.text) == ("tips/search", "tips/search(playout=greedy)")
    assert load_entrant(other.text) == other
    assert plain.source != other.source  # a run cannot go on where its player in thought changed
    assert with_parameter(other.text, "worlds", 64) == "tips/search(worlds=64,playout=greedy)"


def test_the_truth_goes_to_the_seats_of_a_cheat_in_every_leg() -> None:
    oracle, high = load_entrant("tips/oracle"), load_entrant("tips/high")
    assert (oracle.cheats, high.cheats) == (True, False)
    engine = Engine(CLASSIC, [oracle, high, high, high], 5, 4)
    works = engine.table.seats["works"]
    assert [list(leg).index(works[0, 0]) for leg in works] == [0, 1, 2, 3]
    assert list(engine._works["truth"] != 0) == [True, False, False, False, False]
