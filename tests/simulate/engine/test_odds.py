"""Worlds of one given hand: the engine's own deals, auctions and playouts, in every turn."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sviten
from simulate.cards import (
    FULL_DECK,
    SEATS,
    bid_of,
    call_text,
    hand_text,
    read_call,
    read_cards,
    sorted_text,
)
from simulate.engine.odds import FAR, NEAR, WORLD, deal_world, turn_world
from simulate.engine.odds_hand import GivenHand, Stopped
from simulate.engine.record import deal_hands
from simulate.errors import CardError
from simulate.rules import Rules, load_rules
from strategies.declare.spec import load_entrant

HAND = "AKQ52.QJ3.K84.A7"
LONG_HAND = "AKQ52.QJ32.K842.A765"


def given(rules: Rules, seat: int = 0, **changes: Any) -> GivenHand:
    options: dict[str, Any] = {"entrants": "tips/greedy", "jokers": 0} | changes
    entrant = load_entrant(options.pop("entrants"))
    text = HAND if rules.players == 4 else LONG_HAND
    jokers = options.pop("jokers")
    return GivenHand(
        rules, [entrant] * rules.players, 7, seat, read_cards(text)[0], jokers, **options
    )


def worlds_of(asked: GivenHand, deals: int) -> np.ndarray:
    room = np.zeros(3 * deals, WORLD)
    stop, done = asked.play(room, 0, deals)
    assert stop == deals
    return room[:done]


RULES = [
    ("classic", {}),
    ("last-three-open", {}),
    ("three-player", {"kitty": "last-trick"}),
    ("hard-bid+dead-cards", {"hard_bid": "at-least"}),
    ("no-trump", {"all_pass": "play-out"}),
    ("jokers", {"joker_deal": "declarers"}),
]


@pytest.mark.parametrize(("variant", "changes"), RULES)
def test_outcomes_are_those_of_the_engine(variant: str, changes: dict[str, Any]) -> None:
    """The first turn of a world is a deal in which the seat is given the hand."""
    rules = load_rules(variant, changes)
    asked = given(rules)
    worlds = worlds_of(asked, 4 * rules.players)
    players = rules.players
    text = HAND if players == 4 else LONG_HAND
    kinds = set()
    for deal_id in range(players - 1, 4 * players, players):  # where the last seat deals
        world = worlds[(players - 1) * deal_id]
        assert (world["deal_id"], world["turn"], world["weight"]) == (deal_id, 0, 1)
        played = sviten.play(seed=7, deal_id=deal_id, rules=rules, hands={"N": text})
        assert played.record["dealer"] == SEATS[asked.dealer]
        for call in asked.legal[:: 1 if len(asked.legal) < 8 else 5]:
            record = played.after(calls=[call_text(call)]).record
            contract = record["contract"]
            scores = [side["score"] for side in record["sides"].values()]
            ours = "N" in record["sides"]["declarers"]["seats"]
            own, other = scores if ours else scores[::-1]
            declarers = record["sides"]["declarers"]["seats"]
            known = [scores[0 if seat in declarers else 1] for seat in rules.seats]
            assert world["after"][call, :players].tolist() == known
            declarer = SEATS.index(contract["declarer"]) if contract else -1
            assert world["declarers"][call] == declarer
            stands = contract and (contract["declarer"], contract["level"]) == (
                "N",
                bid_of(call)[0],
            )
            kinds.add((bool(stands), record["made"]))
            if call and stands:
                assert (world["own"][call], world["others"][call]) == (own, other)
                assert world["made"][call] == record["made"]
    assert len(kinds) > 2


@pytest.mark.parametrize("variant", ["classic", "three-player"])
def test_bids_that_stand_are_forced_contracts(variant: str, tmp_path: Path) -> None:
    rules = load_rules(variant)
    text = HAND if rules.players == 4 else LONG_HAND
    turns = rules.players - 1
    table = sviten.simulate(
        "tips/greedy", "tips/greedy", rules=rules, deals=20, seed=7, forced=True,
        hands={"E": text}, jobs=1, out=tmp_path / "run",
    ).forced  # fmt: skip
    worlds = worlds_of(given(rules, seat=1), 20)
    assert worlds["turn"].tolist() == list(range(turns)) * 20
    rows = table[table.declarer == 1]
    for denomination in range(5):
        of_one = rows[rows.denomination == denomination]
        for level in range(1, 7):
            call = 5 * (level - 1) + denomination + 1
            first = worlds[::turns]
            assert of_one[f"made_{level}"].tolist() == first["made"][:, call].tolist()
            assert of_one[f"score_{level}"].tolist() == first["own"][:, call].tolist()
            assert of_one["score_def"].tolist() == first["others"][:, call].tolist()


@pytest.mark.parametrize("variant", ["classic", "three-player"])
def test_turns_hand_the_hidden_hands_on(variant: str) -> None:
    rules = load_rules(variant)
    asked = given(rules, seat=2)
    table, question = asked._engine.table, asked._question[0]
    state = table.state[0]
    for deal_id in range(5):
        dealt = deal_hands(rules, 7, deal_id, {2: int(question["hand"])})
        deal_world(table, question, deal_id)
        sat: list[set[int]] = [set() for _ in range(rules.players)]
        for turn in range(rules.players - 1):
            turn_world(table, question, turn)
            hands = [int(hand) for hand in state["fixed"][: rules.players]]
            assert hands[2] == int(question["hand"])
            assert sorted(hands) == sorted(dealt)
            for seat, hand in enumerate(hands):
                sat[seat].add(hand)
            if turn == 0:
                assert hands == dealt
        assert all(len(hands) == rules.players - 1 for s, hands in enumerate(sat) if s != 2)


@pytest.mark.parametrize(("deal", "own"), [("random", 0), ("random", 1), ("one-each", 1)])
def test_jokers_lie_as_the_rules_deal_them(deal: str, own: int) -> None:
    """Half of the odd jokers go wherever they may; the own ones are those of the hand."""
    asked = given(load_rules("jokers", {"joker_deal": deal}), seat=1, jokers=own)
    table, question = asked._engine.table, asked._question[0]
    seen = []
    for deal_id in range(600):
        deal_world(table, question, deal_id)
        seen.append(question["joker_of"].tolist())
    jokers = np.array(seen)
    assert (jokers[:, 1] == own).all()
    assert (jokers.sum(axis=1) == 2).all()
    means = jokers.mean(axis=0)
    if deal == "one-each":
        assert (jokers[:, 3] == 1 - own).all()
        assert abs(means[0] - 0.5) < 0.07
    else:
        assert np.allclose(means[[0, 2, 3]], (2 - own) / 3, atol=0.08)


def test_calls_weigh_worlds_by_what_the_bidders_would_call() -> None:
    """Against the engine's own auctions of the same cards."""
    calls = [read_call(call) for call in ("pass", "1S", "1H")]
    asked = given(Rules(suit_ranking="none"), seat=3, calls=[calls[0], calls[1], read_call("2H")])
    assert [SEATS[seat] for seat in asked.callers] == ["N", "E", "S"]
    asked._question[0]["least"] = 0.0
    room = np.zeros(3 * 60, WORLD)
    _, done = asked.play(room, 0, 60)
    kinds = set()
    for world in room[:done:3]:
        # W deals deal 3, 7, ...: the deal of the same cards in which the auction starts with N.
        hands = deal_hands(Rules(), 7, int(world["deal_id"]), {3: read_cards(HAND)[0]})
        given_hands = {SEATS[s]: hand_text(hand) for s, hand in enumerate(hands)}
        hand = sviten.play(seed=7, deal_id=3, hands=given_hands)
        weight = 1.0
        so_far: list[str] = []
        for call in ("pass", "1S", "2H"):
            would = hand.after(calls=so_far).calls[len(so_far)] if so_far else hand.calls[0]
            if would != call:
                near = "pass" not in (would, call) and would[1:] == call[1:]
                weight *= NEAR if near else FAR
            so_far.append(call)
        assert world["weight"] == pytest.approx(weight)
        assert world["fits"] == (weight == 1)
        kinds.add(weight)
    assert len(kinds) > 2


def test_roulette_keeps_the_weights_of_all_worlds() -> None:
    """Worlds of little weight are kept by chance, and weigh more then: sums stay what they are."""
    asked = given(Rules(), seat=3, calls=[read_call("pass"), read_call("1S")])
    assert 0 < asked.share < 1
    question = asked._question[0]
    kept = worlds_of(asked, 600)
    least = float(question["least"])
    assert kept["weight"].min() == 1
    kept["weight"] *= least
    assert len(kept) / 1800 == pytest.approx(asked.share, abs=0.03)
    weights = []
    question["least"] = 0.0
    room = np.zeros(1800, WORLD)
    asked.play(room, 0, 600)
    weights = room["weight"]
    assert kept["weight"].sum() == pytest.approx(weights.sum(), rel=0.1)
    sure = weights >= least
    assert (kept["weight"] > least).sum() == (weights > least).sum()
    assert len(kept) >= sure.sum()


def test_whose_turn_it_is() -> None:
    rules = Rules()
    asked = given(rules, seat=2)
    assert (SEATS[asked.dealer], asked.legal) == ("E", list(range(31)))
    asked = given(rules, seat=2, calls=[read_call(c) for c in ("1NT", "pass")])
    assert (SEATS[asked.dealer], asked.legal) == ("W", [0, *range(6, 31)])
    final = load_rules("classic", {"passed_may_return": False})
    calls = [read_call(c) for c in ("1C", "pass", "1NT", "2H")]
    asked = given(final, seat=2, calls=calls)
    assert [SEATS[seat] for seat in asked.callers] == ["S", "W", "N", "E"]
    calls += [read_call(c) for c in ("3C",)]
    asked = given(final, seat=0, calls=calls)  # W has passed and is left out
    assert [SEATS[seat] for seat in asked.callers] == ["S", "W", "N", "E", "S"]


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ("2H 1S", "call 2, 1S, is not legal there"),
        ("1C pass pass pass", "the auction is over after these calls"),
        ("pass pass pass pass 1C", "the auction is over"),
    ],
)
def test_calls_that_were_never_made_are_refused(calls: str, told: str) -> None:
    with pytest.raises(CardError, match=told):
        given(Rules(), calls=[read_call(call) for call in calls.split()])


@pytest.mark.parametrize(
    ("rules", "text", "told"),
    [
        ("classic", "AKQ52.QJ3.K84.A", "has 12 cards: it must have 13"),
        ("three-player", HAND, "has 13 cards: it must have 17"),
        (
            "classic",
            HAND + "*",
            "jokers in the hand, written \\*: 1, and under these rules 0 at most; rules=",
        ),
        ("jokers", HAND + "***", "rules 2 at most"),
    ],
)
def test_hands_that_nobody_holds_are_refused(rules: str, text: str, told: str) -> None:
    with pytest.raises(CardError, match=told):
        sviten.odds(text, rules=rules)


def test_work_that_is_told_to_stop_ends() -> None:
    """Another thread says so."""
    asked = given(Rules())
    room = np.zeros(20_000, WORLD)  # seconds of work
    told = threading.Timer(0.05, asked.stop)
    told.start()
    with pytest.raises(Stopped):
        asked.play(room, 0, len(room))
    told.join()
    assert room["weight"][-3000] == 0  # it was not played to its end


def test_a_slam_for_sure() -> None:
    """Thirteen spades as trumps take every trick, and so all cards: the score is known exactly."""
    spades, _ = read_cards("AKQJT98765432.-.-.-")
    asked = GivenHand(Rules(), [load_entrant("tips/greedy")] * 4, 7, 0, spades)
    worlds = worlds_of(asked, 4)
    for level in range(1, 7):
        layout = sviten.best_layout(sorted_text(FULL_DECK), trump="S", at_least=level)
        assert layout is not None
        call = read_call(f"{level}S")
        assert worlds["made"][:, call].all()
        assert (worlds["own"][:, call] == 13 + layout.points + 25).all()
        assert (worlds["others"][:, call] == 0).all()
