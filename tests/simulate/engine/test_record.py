"""The hand record: its form, what must hold in every hand, and the golden hands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulate.cards import DECK, RANKS, card_text
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.loop import HAND
from simulate.engine.record import play_record, record_row
from simulate.game.score_terms import SIDE_COLUMNS, Side, score_of
from simulate.rules import Rules, load_rules, make_rules, variant_names
from strategies.declare.spec import load_entrant
from sviten.api.hand import play
from sviten.display.text import record_text
from tests.fixtures.rule_sets import any_rules
from tests.golden.make import CHOICES, FOLDER, golden_hand, read_golden, thin

KEYS = [
    "schema", "seed", "deal_id", "leg", "rules", "entrants", "dealer", "hands", "kitty", "jokers",
    "auction", "contract", "discard", "tricks", "sides", "made",
]  # fmt: skip
SIDE_KEYS = [
    "seats", "tricks", "captured", "melds", "meld_points", "dead", "slam_bonus", "score",
]  # fmt: skip
ALL_CARDS = sorted(card_text(card) for card in DECK)


def engine_of(rules: Rules, specs: tuple[str, ...] = ("random/random",), legs: int = 2) -> Engine:
    entrants = [load_entrant(specs[seat % len(specs)]) for seat in range(rules.players)]
    return Engine(rules, entrants, 7, legs)


def ranks(meld: list[str]) -> list[int]:
    return [RANKS.index(card[0]) + 2 for card in meld]


def points_of(meld: list[str], trump: str, rules: dict[str, Any]) -> int:
    """Points of a meld by the rules' table; it must be one."""
    natural = [card for card in meld if card != "*"]
    assert len(natural) >= (3 if len(natural) == len(meld) else rules["min_natural_cards"])
    suits = {card[1] for card in natural}
    if len(set(ranks(natural))) == 1:
        assert len(suits) == len(natural)
        assert meld == natural + ["*"] * (len(meld) - len(natural))
        assert len(meld) in {3, 4}
        return rules["set3_points"] if len(meld) == 3 else rules["set4_points"]
    assert len(suits) == 1
    assert len(meld) in range(3, 14)
    numbers = {place: ranks([card])[0] for place, card in enumerate(meld) if card != "*"}
    first = min(numbers)
    if numbers[first] == 14:
        numbers[first] = 1  # an ace laid low
    start = numbers[first] - first
    assert start >= 1
    assert start + len(meld) <= 15
    assert all(number == start + place for place, number in numbers.items())
    points = rules["run3_points"] + (len(meld) - 3) * rules["run_step_points"]
    return points * rules["trump_run_multiplier"] if suits == {trump} else points


def check(record: dict[str, Any]) -> None:
    """Assert what holds in every record."""
    rules = record["rules"]
    assert list(record) == KEYS
    assert json.loads(json.dumps(record)) == record
    hands = record["hands"]
    letters = "NESW"[: rules["players"]]
    assert list(hands) == list(record["entrants"]) == list(record["jokers"]) == list(letters)
    dealt = [card for hand in hands.values() for card in hand]
    assert sorted(dealt + record["kitty"]) == ALL_CARDS
    size = 52 // len(letters)
    assert {len(hand) for hand in hands.values()} == {size}
    for hand in hands.values():
        order = [("SHDC".index(card[1]), -ranks([card])[0]) for card in hand]
        assert order == sorted(order)

    sides = record["sides"]
    assert list(sides) == ["declarers", "defenders"]
    assert all(list(side) == SIDE_KEYS for side in sides.values())
    seats = [side["seats"] for side in sides.values()]
    assert sorted(seat for side in seats for seat in side) == sorted(letters)
    if len(letters) == 4:
        assert sorted(seats) == [["E", "W"], ["N", "S"]]
    else:
        assert len(seats[0]) == 1
    first = letters[(letters.index(record["dealer"]) + 1) % len(letters)]
    leader = record["contract"]["declarer"] if record["contract"] else first
    assert leader in sides["declarers"]["seats"]
    assert record["auction"][0]["seat"] == first

    bids = [call for call in record["auction"] if call["call"] != "pass"]
    contract = record["contract"]
    if contract is None:
        assert not bids
        assert record["made"] is None
    else:
        assert bids[-1] == {
            "seat": contract["declarer"],
            "call": f"{contract['level']}{contract['denomination']}",
        }
        if rules["hard_bid"] == "off" or rules["hard_bid_melds"]:
            enough = len(sides["declarers"]["melds"]) >= contract["level"]
            assert enough or not record["made"]
            assert rules["hard_bid"] != "off" or record["made"] is enough
        assert (contract["target"] is None) == (rules["hard_bid"] == "off")
    trump = contract["denomination"] if contract else "NT"

    if not record["tricks"]:
        assert contract is None
        assert rules["all_pass"] == "redeal"
        empty = dict.fromkeys(["tricks", "meld_points", "dead", "slam_bonus", "score"], 0)
        for side in sides.values():
            assert side == {"seats": side["seats"], "captured": [], "melds": [], **empty}
        return
    captured: dict[str, list[str]] = {"declarers": [], "defenders": []}
    played: dict[str, list[str]] = {seat: [] for seat in letters}
    for trick in record["tricks"]:
        assert trick["leader"] == leader
        leader = trick["winner"]
        captured["declarers" if leader in seats[0] else "defenders"] += trick["cards"]
        place = letters.index(trick["leader"])
        for card in trick["cards"]:
            played[letters[place % len(letters)]].append(card)
            place += 1
    held = {seat: list(cards) for seat, cards in hands.items()}
    if rules["kitty"] == "exchange":
        held[contract["declarer"]] += record["kitty"]
        held[contract["declarer"]].remove(record["discard"])
        captured["declarers"].append(record["discard"])
    elif rules["kitty"] == "pile":
        captured["declarers"] += record["kitty"]
    elif rules["kitty"] == "last-trick":
        captured["declarers" if leader in seats[0] else "defenders"] += record["kitty"]
    assert {seat: sorted(cards) for seat, cards in played.items()} == {
        seat: sorted(cards) for seat, cards in held.items()
    }
    assert sum(side["tricks"] for side in sides.values()) == size
    for name, side in sides.items():
        assert sorted(side["captured"]) == sorted(captured[name])
        laid = [card for meld in side["melds"] for card in meld]
        jokers = laid.count("*")
        assert jokers <= sum(record["jokers"][seat] for seat in side["seats"])
        laid = [card for card in laid if card != "*"]
        assert len(set(laid)) == len(laid)
        assert set(laid) <= set(side["captured"])
        assert side["dead"] == len(side["captured"]) - len(laid)
        assert sum(points_of(m, trump, rules) for m in side["melds"]) == side["meld_points"]
        assert side["slam_bonus"] == (rules["slam_bonus"] if side["tricks"] == size else 0)
        total = rules["trick_points"] * side["tricks"] + side["meld_points"]
        total -= rules["dead_card_penalty"] * side["dead"]
        if name == "declarers" and record["made"] and rules["hard_bid"] != "off":
            hit = total == contract["target"]
            assert hit if rules["hard_bid"] == "exact" else total >= contract["target"]
        own = contract if contract and name == "declarers" else {"level": 0, "target": -1}
        scored = Side(
            **{column: side[column] for column in SIDE_COLUMNS},
            swept=int(side["tricks"] == size),
            failed=int(bool(own["level"]) and record["made"] is False),
            level=own["level"],
            target=own["target"],
        )
        assert side["score"] == score_of(scored, make_rules(rules).numbers()[0])


@given(any_rules(), st.integers(0, 2**40))
def test_what_holds_in_every_record(rules: Rules, deal_id: int) -> None:
    engine = engine_of(rules)
    for leg in range(engine.legs):
        check(play_record(engine, deal_id, leg))


def test_record_is_that_of_the_row() -> None:
    engine = engine_of(make_rules({"all_pass": "play-out"}), ("tips/greedy", "random/random"))
    buffer = make_buffer(2)
    for deal_id in range(100):
        engine.play(buffer, deal_id, 1)
        for leg, row in enumerate(buffer.rows):
            told = record_row(play_record(engine, deal_id, leg))
            assert [told["score_ns"], told["score_ew"]] == row["scores"][:2].tolist()
            for name in set(told) & set(HAND.names or ()):
                null = name in {"target", "made", "stated"} and row[name] < 0
                assert told[name] == (None if null else row[name])
            assert told["entrant_n"] == ("tips/greedy", "random/random")[leg]
            assert told["entrant_w"] == ("random/random", "tips/greedy")[leg]


def test_passed_out_hand() -> None:
    record = play_record(engine_of(make_rules({}), ("pass/random",)), 5)
    check(record)
    assert record["tricks"] == []
    assert len(record["auction"]) == 4
    assert record["dealer"] == "E"
    assert record["sides"]["declarers"]["seats"] == ["N", "S"]
    assert "Passed out" in record_text(record)


def test_played_out_hand() -> None:
    record = play_record(engine_of(make_rules({"all_pass": "play-out"}), ("pass/random",)), 6)
    check(record)
    assert record["contract"] is None
    assert record["sides"]["declarers"]["seats"] == ["E", "W"]  # left of S, who leads
    assert record["tricks"][0]["leader"] == "W"
    assert "played out at NT" in record_text(record)


def test_low_ace_stands_first() -> None:
    engine = engine_of(make_rules({}))
    melds = [
        meld
        for deal_id in range(50)
        for side in play_record(engine, deal_id)["sides"].values()
        for meld in side["melds"]
    ]
    low = [meld for meld in melds if meld[0][0] == "A" and meld[1][0] == "2"]
    assert low
    for meld in melds:
        if meld not in low and len({card[1] for card in meld}) == 1:
            assert ranks(meld) == sorted(ranks(meld))


def test_text_with_signs_says_the_same() -> None:
    record = play_record(engine_of(make_rules({})), 3)
    plain, signs = record_text(record), record_text(record, signs=True)
    assert plain.isascii()
    for sign, letter in zip("♠♥♦♣", "SHDC", strict=True):
        assert sign in signs
        signs = signs.replace(sign, letter)
    assert signs == plain


def test_no_golden_hand_is_missing() -> None:
    assert sorted(CHOICES) == sorted(variant_names()), "see tests/golden/README.md"
    for kind in ("json", "txt"):
        assert sorted(path.stem for path in FOLDER.glob(f"*.{kind}")) == sorted(CHOICES)


@pytest.mark.parametrize("variant", sorted(CHOICES))
def test_golden_hand(variant: str) -> None:
    record = read_golden(variant)
    check(record)
    assert record_text(record) == (FOLDER / f"{variant}.txt").read_text(encoding="utf-8")
    stored = json.loads((FOLDER / f"{variant}.json").read_text(encoding="utf-8"))
    assert stored == thin(record)
    assert make_rules(stored["rules"]) == load_rules(variant)
    choice = CHOICES[variant]
    hand = play(choice.ns, choice.ew, deal_id=choice.deal_id, seed=record["seed"], rules=variant)
    # With all that was answered given it tells of the rules alone.
    calls = [call["call"] for call in record["auction"]]
    plays = [card for trick in record["tricks"] for card in trick["cards"]]
    assert hand.after(calls=calls, plays=plays).record == record
    assert golden_hand(variant).record == record, (
        "the strategies play it otherwise: see tests/golden/README.md"
    )
