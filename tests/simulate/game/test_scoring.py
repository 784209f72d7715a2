"""Scores of hands: made, failed, kept, slams, dead cards, played out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from simulate.cards import card_set, read_call, read_card, read_cards
from simulate.engine.engine import Engine
from simulate.game.scoring import score_hand
from simulate.rules import make_rules
from strategies.declare.spec import load_entrant
from tests import naive

KEEP = {"failed_contract_scores": True}

#: Hearts Q-K-A, four fives: two melds, 5 (10 as trumps) and 10 points, one dead card.
#: The other side: clubs 2-3-4 and three eights, one dead card.
PILE = "QH KH AH 5C 5D 5H 5S 9D"
OTHER = "2C 3C 4C 8D 8H 8S 9S"


def score(
    changes: dict[str, Any],
    bid: str,
    tricks: Sequence[int],
    piles: Sequence[str] = (PILE, OTHER),
) -> Any:
    """State of a hand with the given piles and tricks, scored."""
    engine = Engine(make_rules(changes), [load_entrant("pass/random")] * 4, 1)
    state = engine.table.state
    call = read_call(bid)
    state["declarer"] = 1 if call else -1
    state["level"] = (call - 1) // 5 + 1 if call else 0
    state["denomination"] = (call - 1) % 5 if call else 4
    state["tricks"] = tricks
    state["piles"] = [[card_set(map(read_card, pile.split())) for pile in piles]]
    score_hand(state[0], engine.table.scorer[0])
    return state[0]


@pytest.mark.parametrize(
    ("changes", "bid", "tricks", "made", "scores"),
    [
        # Declarers: tricks, and 5 + 10 points of melds; hearts as trump double the run.
        ({}, "2NT", (7, 6), 1, (7 + 15, 6 + 10)),
        ({}, "2H", (7, 6), 1, (7 + 20, 6 + 10)),
        ({}, "2C", (7, 6), 1, (7 + 15, 6 + 15)),
        ({"trump_run_multiplier": 3}, "2H", (7, 6), 1, (7 + 25, 6 + 10)),
        ({"trick_points": 2}, "1H", (7, 6), 1, (14 + 20, 12 + 10)),
        ({"trick_points": 0}, "1H", (7, 6), 1, (20, 10)),
        # Failed: ten a level and nothing else, the defenders as ever.
        ({}, "3H", (7, 6), 0, (-30, 16)),
        ({}, "6NT", (7, 6), 0, (-60, 16)),
        ({"fail_multiplier": 5}, "3H", (7, 6), 0, (-15, 16)),
        (KEEP, "3H", (7, 6), 0, (7 + 20 - 30, 16)),
        (KEEP | {"dead_card_penalty": 2}, "3H", (7, 6), 0, (7 + 20 - 2 - 30, 16 - 2)),
        # A slam counts whatever became of the contract.
        ({}, "2H", (13, 0), 1, (13 + 20 + 25, 10)),
        ({}, "3H", (13, 0), 0, (-30 + 25, 10)),
        (KEEP, "3H", (13, 0), 0, (13 + 20 - 30 + 25, 10)),
        ({"slam_bonus": 0}, "2H", (13, 0), 1, (13 + 20, 10)),
        ({"slam_bonus": 50}, "3H", (0, 13), 0, (-30, 13 + 10 + 50)),
        # Dead cards: the nine each; two points is not worth breaking a meld for.
        ({"dead_card_penalty": 1}, "2H", (7, 6), 1, (7 + 20 - 1, 6 + 10 - 1)),
        ({"dead_card_penalty": 1}, "3H", (7, 6), 0, (-30, 15)),
        # Played out without a contract: both sides score as defenders.
        ({"all_pass": "play-out"}, "pass", (7, 6), -1, (7 + 15, 6 + 10)),
        ({"all_pass": "play-out"}, "pass", (0, 13), -1, (15, 13 + 10 + 25)),
        ({"all_pass": "play-out", "dead_card_penalty": 1}, "pass", (7, 6), -1, (21, 15)),
    ],
    ids=str,
)
def test_scores_by_hand(
    changes: dict[str, Any], bid: str, tricks: tuple[int, int], made: int, scores: tuple[int, int]
) -> None:
    state = score(changes, bid, tricks)
    assert state["made"] == made
    assert tuple(state["scores"]) == scores
    assert tuple(state["slam"]) == tuple(
        count == 13 and changes.get("slam_bonus", 25) > 0 for count in tricks
    )


@pytest.mark.parametrize(
    ("bid", "points", "melds", "dead", "made"),
    [("1H", 40, 1, 0, 1), ("2H", 20, 2, 0, 1), ("3H", 40, 1, 0, 0)],
)
def test_a_long_run_is_broken_only_to_save_the_contract(
    bid: str, points: int, melds: int, dead: int, made: int
) -> None:
    state = score({}, bid, (7, 6), ("2H 3H 4H 5H 6H 7H", ""))
    assert (state["meld_points"][0], state["melds"][0], state["dead"][0], state["made"]) == (
        points, melds, dead, made,
    )  # fmt: skip


def test_a_failed_contract_shows_its_best_layout() -> None:
    state = score({}, "3H", (7, 6))
    assert (state["meld_points"][0], state["melds"][0], state["dead"][0]) == (20, 2, 1)
    assert state["scores"][0] == -30


def test_the_defenders_need_no_level() -> None:
    state = score({}, "6NT", (0, 13), ("", PILE))
    assert (state["melds"][1], state["scores"][1]) == (2, 13 + 15 + 25)
    assert (state["melds"][0], state["scores"][0]) == (0, -60)


def test_piles_of_no_cards_and_of_all() -> None:
    whole = " ".join(naive.RANKS[i] + suit for suit in "SHDC" for i in range(13))
    state = score({}, "4S", (13, 0), (whole, ""))
    assert state["meld_points"][0] == 110 + 3 * 55
    assert tuple(state["scores"]) == (275 + 13 + 25, 0)
    assert read_cards(whole)[0].bit_count() == 52
