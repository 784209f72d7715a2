"""Positions played to their end in thought come out as the engine plays them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulate.compiled.kernels import kernel
from simulate.engine.engine import Engine
from simulate.engine.entrant import Entrant
from simulate.rules import Rules, load_rules
from strategies.declare.spec import load_entrant
from strategies.search.playouts import (
    ROLLOUT,
    lay_world,
    next_world,
    open_playouts,
    play_card,
    play_contract,
    playouts_of,
)
from tests.fixtures.positions import positions

RULES = {
    "classic": load_rules("classic"),
    "dead": load_rules("dead-cards+last-three-open"),
    "exchange": load_rules("three-player"),
    "pile": load_rules("three-player", {"kitty": "pile"}),
    "last-trick": load_rules("three-player", {"kitty": "last-trick"}),
    "dead-kitty": load_rules("three-player", {"kitty": "dead"}),
    "jokers": load_rules("jokers"),
    "jokers-declarers": load_rules("jokers", {"joker_deal": "declarers"}),
    "hard": load_rules("hard-bid"),
    "hard-three": load_rules("hard-bid+three-player"),
}
OUTCOME = (
    "piles",
    "tricks",
    "melds",
    "meld_points",
    "dead",
    "slam",
    "scores",
    "made",
    "plays",
    "target",
)


@kernel
def open_truth(view: Any, work: int, rollout: int, truth: Any) -> Any:
    """Lay out the hands of a state as the world."""
    scratch = playouts_of(work)
    open_playouts(scratch, view, work, rollout, 0)
    for seat in range(4):
        scratch.world.hands[seat] = truth.hands[seat]
        scratch.world.jokers[seat] = truth.jokers[seat]
    scratch.world.odd = truth.discard if truth.discard else truth.kitty
    lay_world(scratch, view, np.uint64(1))
    return scratch


@kernel
def true_card(view: Any, work: int, rollout: int, truth: Any, out: Any, card: int) -> int:
    """Play a card in the true world; the state that comes of it goes to `out`."""
    scratch = open_truth(view, work, rollout, truth)
    margin = play_card(scratch, view, work, card)
    out[0] = scratch.state
    return margin


@kernel
def true_contract(
    view: Any, work: int, rollout: int, truth: Any, out: Any, declarer: int, call: int
) -> None:
    """Play a contract in the true world; the state that comes of it goes to `out`."""
    scratch = open_truth(view, work, rollout, truth)
    play_contract(scratch, work, declarer, (call - 1) // 5 + 1, (call - 1) % 5)
    out[0] = scratch.state


@kernel
def margins(view: Any, work: int, rollout: int, out: Any) -> None:
    """Write what the card 0 of the legal ones brings in one world after another."""
    scratch = playouts_of(work)
    open_playouts(scratch, view, work, rollout, 0)
    card = 0
    while not (view.legal >> np.uint64(card)) & np.uint64(1):
        card += 1
    for i in range(len(out)):
        next_world(scratch, view)
        out[i] = play_card(scratch, view, work, card)


def lend(entrant: Entrant) -> np.ndarray:
    rollout = np.zeros(1, ROLLOUT)
    rollout["play"], rollout["discard"] = entrant.play, entrant.discard
    rollout["announce"] = entrant.announce
    rollout["params"][0, : len(entrant.player_params)] = entrant.player_params
    return rollout


def whist() -> Entrant:
    """`high`, laying down what the players of `positions` lay down."""
    return replace(
        load_entrant("pass/high"),
        discard=load_entrant("pass/random").discard,
    )


def played(
    rules: Rules, entrant: Entrant, state: Any, calls: list[int], plays: list[int]
) -> np.ndarray:
    """State of a hand after its end, its calls and first plays given."""
    engine = Engine(rules, [entrant] * rules.players, 8, fixed={
        seat: int(state["dealt"][0, seat]) for seat in range(rules.players)
    })  # fmt: skip
    table = engine.table.state
    table["calls"][0, : len(calls)], table["forced_calls"] = calls, len(calls)
    table["plays"][0, : len(plays)], table["forced_plays"] = plays, len(plays)
    engine.play_one(int(state["deal_id"][0]), 0, int(state["dealer"][0]))
    return table


@pytest.mark.parametrize("name", RULES)
def test_a_card_is_played_on_as_the_engine_does(name: str) -> None:
    rules, entrant = RULES[name], whist()
    rollout, out = lend(entrant), np.zeros(1, Engine(rules, [entrant] * 4, 8).table.state.dtype)
    work = int((engine := Engine(rules, [entrant] * 4, 8)).table.seats["works"][0, 0])
    for view, state in positions("player", rules, 40):
        count = rules.players * int(view["n_tricks"][0]) + int(view["trick_size"][0])
        calls = [int(call) for call in state["calls"][0, : int(state["n_calls"][0])]]
        legal = [card for card in range(64) if int(view["legal"][0]) >> card & 1]
        for card in (legal[0], legal[-1]):
            before = view.tobytes()  # a copy need not copy what lies between the fields
            margin = true_card(view[0], work, rollout.ctypes.data, state[0], out, card)
            plays = [*map(int, view["plays"][0, :count]), card]
            expected = played(rules, entrant, state, calls, plays)
            for field in OUTCOME:
                assert (out[field] == expected[field]).all(), field
            own = int(view["sides"][0, int(view["seat"][0])])
            assert margin == expected["scores"][0, own] - expected["scores"][0, 1 - own]
            assert view.tobytes() == before
    del engine  # it owns the memory behind `work`


@pytest.mark.parametrize("name", RULES)
def test_a_contract_is_played_as_the_engine_does(name: str) -> None:
    rules, entrant = RULES[name], load_entrant("pass/high")
    rollout, out = lend(entrant), np.zeros(1, Engine(rules, [entrant] * 4, 8).table.state.dtype)
    work = int((engine := Engine(rules, [entrant] * 4, 8)).table.seats["works"][0, 0])
    for number, (view, state) in enumerate(positions("bidder", rules, 30)):
        passes, call = number % rules.players, 1 + 7 * number % 30
        declarer = (int(state["dealer"][0]) + 1 + passes) % rules.players
        true_contract(view[0], work, rollout.ctypes.data, state[0], out, declarer, call)
        calls = [0] * passes + [call] + [0] * (rules.players - 1)
        expected = played(rules, entrant, state, calls, [])
        assert expected["declarer"][0] == declarer
        for field in (*OUTCOME, "discard"):
            assert (out[field] == expected[field]).all(), field
    del engine


def test_worlds_differ_and_are_the_same_again() -> None:
    rules, entrant = RULES["classic"], load_entrant("pass/random")
    rollout = lend(entrant)
    engine = Engine(rules, [entrant] * 4, 8)
    work = int(engine.table.seats["works"][0, 0])
    for view, _ in positions("player", rules, 3):
        again, first, second = view.copy(), np.zeros(20), np.zeros(20)
        margins(view[0], work, rollout.ctypes.data, first)
        margins(again[0], work, rollout.ctypes.data, second)
        assert (first == second).all()
        assert len(set(first)) > 1
