"""The compiled engine against the naive one, hand by hand, in every field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simulate.cards import DENOMINATIONS, SEATS, call_text, card_text, cards_of
from simulate.engine.engine import Engine, make_buffer
from simulate.rules import Rules, load_rules, variant_names
from strategies.declare.spec import load_entrant
from tests import naive
from tests.fixtures.rule_sets import any_rules, played_rules

#: Hands by the preset: the naive engine takes 0.2 s a hand with jokers, 0.05 s with a hard bid.
FEW = {"jokers": 10, "hard-bid": 30}

#: Rules that go through the layouts with jokers and of announced totals.
LAYOUTS: list[tuple[str, dict[str, Any], int]] = [
    ("hard-bid", {"hard_bid": "at-least", "fail_value": "target"}, 40),
    ("hard-bid", {"hard_bid_melds": False, "dead_card_penalty": 1}, 25),
    ("jokers", {"joker_deal": "one-each", "min_natural_cards": 3}, 15),
    ("jokers", {"joker_deal": "declarers"}, 10),
    ("jokers", {"jokers": 1, "dead_card_penalty": 2, "set3_points": 7}, 25),
    ("three-player+jokers+hard-bid", {"fail_value": "target"}, 10),
]


def slow_to_check(rules: Rules) -> bool:
    return rules.jokers > 0 or rules.hard_bid == "exact"


def check_agreement(rules: Rules, seed: int, deals: range, pass_percent: int, leg: int = 0) -> None:
    """Play `deals` by both engines with the random strategies and compare all there is."""
    players = rules.players
    entrant = load_entrant(f"random(pass_percent={pass_percent})/random")
    engine = Engine(rules, [entrant] * players, seed, leg + 1)
    buffer = make_buffer((leg + 1) * len(deals), calls=True, plays=True)
    engine.play(buffer, deals.start, len(deals))
    fields = rules.model_dump(mode="json")
    for i, deal_id in enumerate(deals):
        slow = naive.play_hand(
            fields,
            naive.deal(fields, seed, deal_id),
            deal_id % players,
            announce=lambda view, told=int(buffer.rows[(leg + 1) * i + leg]["target"]): told,
            **naive.random_seats(fields, seed, deal_id, pass_percent),
        )
        place = (leg + 1) * i + leg
        fast = buffer.rows[place]
        told = f"deal {deal_id}, seed {seed}, rules {rules.changes()}"
        calls = [call_text(int(call)) for call in buffer.calls[place] if call >= 0]
        assert calls == [call["call"] for call in slow["auction"]], told
        contract = slow["contract"]
        if contract is None:
            assert (fast["declarer"], fast["level"], fast["denomination"]) == (-1, 0, -1), told
        else:
            assert SEATS[fast["declarer"]] == contract["declarer"], told
            assert fast["level"] == contract["level"], told
            assert fast["target"] == (-1 if contract["target"] is None else contract["target"])
            assert DENOMINATIONS[fast["denomination"]] == contract["denomination"], told
        made = {None: -1, False: 0, True: 1}[slow["made"]]
        assert fast["made"] == made, told
        plays = [card_text(int(card)) for card in buffer.plays[place] if card]
        assert plays == [card for trick in slow["tricks"] for card in trick["cards"]], told
        leaders = [SEATS[s] for s in buffer.leaders[place][: len(slow["tricks"])]]
        assert leaders == [trick["leader"] for trick in slow["tricks"]], told
        for end, side in (("decl", "declarers"), ("def", "defenders")):
            expected = slow["sides"][side]
            assert fast[f"tricks_{end}"] == expected["tricks"], told
            assert fast[f"melds_{end}"] == len(expected["melds"]), told
            assert fast[f"meld_points_{end}"] == expected["meld_points"], told
            assert fast[f"dead_{end}"] == expected["dead"], told
            assert fast[f"score_{end}"] == expected["score"], told
            for seat in expected["seats"]:
                assert fast["scores"][SEATS.index(seat)] == expected["score"], told


@pytest.mark.parametrize("variant", variant_names())
def test_presets_agree(variant: str) -> None:
    check_agreement(load_rules(variant), 7, range(FEW.get(variant, 75)), 60)


def test_second_leg_is_the_same_hand_for_the_same_entrant() -> None:
    check_agreement(load_rules("classic"), 2**64 - 1, range(2**40, 2**40 + 60), 60, leg=1)


@settings(max_examples=40)
@given(rules=played_rules())
def test_random_rules_agree(rules: Rules) -> None:
    check_agreement(rules, 1, range(25), 80)


@settings(max_examples=40)
@given(rules=any_rules())
def test_any_rules_agree(rules: Rules) -> None:
    check_agreement(rules, 4, range(1 if slow_to_check(rules) else 15), 70)


@pytest.mark.slow
@pytest.mark.parametrize("variant", variant_names())
def test_presets_agree_at_length(variant: str) -> None:
    check_agreement(load_rules(variant), 8, range(5 * FEW.get(variant, 100)), 70)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "changes", "hands"), LAYOUTS)
def test_layouts_agree(variant: str, changes: dict[str, Any], hands: int) -> None:
    check_agreement(load_rules(variant, changes), 3, range(hands), 75)


@pytest.mark.slow
@settings(max_examples=60)
@given(rules=played_rules())
def test_random_rules_agree_at_length(rules: Rules) -> None:
    check_agreement(rules, 2, range(100, 160), 75)


@pytest.mark.slow
@settings(max_examples=80)
@given(rules=any_rules())
def test_any_rules_agree_at_length(rules: Rules) -> None:
    check_agreement(rules, 9, range(3 if slow_to_check(rules) else 40), 75)


@pytest.mark.parametrize("kitty", ["exchange", "pile", "last-trick", "dead"])
def test_three_players_agree(kitty: str) -> None:
    rules = load_rules("three-player", {"kitty": kitty, "open_last": 17, "dead_card_penalty": 1})
    check_agreement(rules, 11, range(80), 60, leg=2)


def test_deals_agree() -> None:
    rules = load_rules("classic")
    engine = Engine(rules, [load_entrant("pass/random")] * 4, 99)
    fields = rules.model_dump(mode="json")
    buffer = make_buffer(1)
    for deal_id in (0, 1, 2, 12, 2**32, 2**53 + 1):
        engine.play(buffer, deal_id, 1)
        slow = naive.deal(fields, 99, deal_id)
        for seat in range(4):
            cards = cards_of(engine.table.state[0]["dealt"][seat])
            assert sorted(card_text(card) for card in cards) == sorted(slow.hands[seat])


def test_every_card_dealt_once() -> None:
    engine = Engine(load_rules("classic"), [load_entrant("pass/random")] * 4, 5)
    buffer = make_buffer(1)
    for deal_id in range(200):
        engine.play(buffer, deal_id, 1)
        dealt = engine.table.state[0]["dealt"]
        assert np.bitwise_count(dealt).tolist() == [13] * 4
        assert int(np.bitwise_or.reduce(dealt)).bit_count() == 52
