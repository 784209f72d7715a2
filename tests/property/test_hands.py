"""What holds of every hand, whatever the rules, the seed and the strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simulate.cards import FULL_DECK, cards_of
from simulate.engine.engine import Engine, make_buffer
from simulate.rules import Rules, make_rules
from strategies.declare.spec import load_entrant
from tests.fixtures.rule_sets import any_rules

SPECS = ["random/random", "random(pass_percent=85)/high", "tips/greedy", "tips/high", "pass/random"]

seeds = st.integers(0, 2**64 - 1)
deal_ids = st.integers(0, 2**53)
entrants = st.lists(st.sampled_from(SPECS), min_size=4, max_size=4)


def sets_of(array: Any) -> list[set[int]]:
    return [set(cards_of(int(mask))) for mask in array]


@settings(max_examples=150)
@given(rules=any_rules(), seed=seeds, deal_id=deal_ids, specs=entrants)
def test_one_hand(rules: Rules, seed: int, deal_id: int, specs: list[str]) -> None:
    players = rules.players
    engine = Engine(rules, [load_entrant(spec) for spec in specs[:players]], seed)
    buffer = make_buffer(1, calls=True, plays=True)
    engine.play(buffer, deal_id, 1)
    state, row = engine.table.state[0], buffer.rows[0]
    kitty = set(cards_of(int(state["kitty"])))
    dealt = sets_of(state["dealt"][:players])

    # Every card is dealt once.
    assert sum(map(len, dealt)) + len(kitty) == 52
    assert set.union(kitty, *dealt) == set(cards_of(FULL_DECK))
    assert row["dealer"] == deal_id % players

    # The auction: as many calls as were made, the last bid stands.
    calls = [int(call) for call in buffer.calls[0] if call >= 0]
    bids = [call for call in calls if call]
    assert len(calls) == state["n_calls"] >= players - 1
    if rules.suit_ranking == "bridge":
        assert bids == sorted(set(bids))
    else:
        levels = [(bid - 1) // 5 for bid in bids]
        assert levels == sorted(levels)
    assert (row["declarer"] >= 0) == bool(bids)
    if bids:
        assert 5 * (row["level"] - 1) + row["denomination"] + 1 == bids[-1]
        assert rules.denominations.count(["C", "D", "H", "S", "NT"][row["denomination"]])
        assert 1 <= row["level"] <= rules.max_level

    sides = state["sides"][:players]
    if not bids and rules.all_pass == "redeal":
        assert state["n_tricks"] == 0
        assert not row["scores"].any()
        return

    # Every card ends on one side, but for what is out of play; no hand keeps any.
    piles = sets_of(state["piles"])
    gone = kitty if rules.kitty == "dead" else set()
    assert not piles[0] & piles[1]
    assert piles[0] | piles[1] | gone == set(cards_of(FULL_DECK))
    assert not state["hands"][:players].any()
    size = rules.hand_size
    assert state["tricks"].sum() == state["n_tricks"] == size

    # Each played what it held, following suit where it could.
    plays = [int(card) for card in buffer.plays[0]][: players * size]
    held = [set(hand) for hand in dealt]
    if bids and rules.kitty == "exchange":
        held[row["declarer"]] |= kitty
        held[row["declarer"]] -= set(cards_of(int(state["discard"])))
    won = [0, 0]
    for trick in range(size):
        seat = int(buffer.leaders[0, trick])
        led = plays[players * trick] >> 4
        for card in plays[players * trick : players * (trick + 1)]:
            assert card in held[seat]
            assert card >> 4 == led or all(other >> 4 != led for other in held[seat])
            held[seat].remove(card)
            seat = (seat + 1) % players
        won[sides[int(buffer.leaders[0, trick + 1])]] += 1
    assert won == state["tricks"].tolist() == [row["tricks_decl"], row["tricks_def"]]
    if bids:
        assert buffer.leaders[0, 0] == row["declarer"]
    else:
        assert buffer.leaders[0, 0] == (row["dealer"] + 1) % players

    # What a score is made of, tests/simulate/game/test_score_terms.py holds.
    for side, end in enumerate(("decl", "def")):
        assert 0 <= row[f"dead_{end}"] <= len(piles[side])
        jokers = int(state["jokers"][:players][sides == side].sum())
        assert 3 * row[f"melds_{end}"] <= len(piles[side]) - row[f"dead_{end}"] + jokers
        if row[f"melds_{end}"] == 0:
            assert (row[f"meld_points_{end}"], row[f"dead_{end}"]) == (0, len(piles[side]))
    assert (row["made"] == -1) == (not bids)
    if row["made"] == 1 and rules.hard_bid_melds:
        assert row["melds_decl"] >= row["level"]
    for seat in range(players):
        end = "decl" if sides[seat] == 0 else "def"
        assert row["scores"][seat] == row[f"score_{end}"]
    if players == 3:
        assert list(sides).count(0) == 1
    else:
        assert sides[0] == sides[2] != sides[1] == sides[3]


@settings(max_examples=40)
@given(rules=any_rules(), seed=seeds, first=deal_ids, specs=entrants)
def test_legs_rotate_the_seats_alone(rules: Rules, seed: int, first: int, specs: list[str]) -> None:
    """Leg k is what leg 0 would be with everyone k seats further round."""
    players = rules.players
    loaded = [load_entrant(spec) for spec in specs[:players]]
    engine = Engine(rules, loaded, seed, players)
    buffer = make_buffer(players * 3, plays=True)
    engine.play(buffer, first, 3)
    for leg in range(players):
        turned = [loaded[(seat - leg) % players] for seat in range(players)]
        alone = Engine(rules, turned, seed)
        single = make_buffer(3, plays=True)
        alone.play(single, first, 3)
        legs = buffer.rows[leg::players]
        for name in single.rows.dtype.names or ():
            if name != "leg":
                assert np.array_equal(single.rows[name], legs[name])
        assert np.array_equal(single.plays, buffer.plays[leg::players])
        assert (legs["leg"] == leg).all()


@settings(max_examples=40)
@given(seed=seeds, first=deal_ids, cut=st.integers(1, 7), specs=entrants)
def test_rows_depend_on_nothing_but_their_place(
    seed: int, first: int, cut: int, specs: list[str]
) -> None:
    rules = make_rules({"all_pass": "play-out"})
    loaded = [load_entrant(spec) for spec in specs]
    whole = make_buffer(16, calls=True, plays=True)
    Engine(rules, loaded, seed, 2).play(whole, first, 8)
    pieces = [make_buffer(2 * n, calls=True, plays=True) for n in (cut, 8 - cut)]
    other = Engine(rules, loaded, seed, 2)
    other.play(pieces[1], first + cut, 8 - cut)
    other.play(pieces[0], first, cut)
    for i in range(4):
        assert b"".join(piece[i].tobytes() for piece in pieces) == whole[i].tobytes()
