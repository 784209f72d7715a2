"""Matches played on after a given hand: against the same matches in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulate.cards import read_cards
from simulate.engine.engine import Engine
from simulate.engine.odds import WORLD
from simulate.engine.odds_hand import GivenHand
from simulate.engine.odds_match import FIRST_SEQUEL, SEQUELS
from simulate.rules import MOST_HANDS, Rules, load_rules
from strategies.declare.spec import load_entrant

HAND = "AK63.QJ7.9842.T5"
LONG_HAND = "AK63.QJ72.9842.T5432"


def winner_of(scores: list[int], declarer: int, rules: Rules, counted: int) -> str | None:
    """How the match stands by the rules, 'The match': a side, ``shared``, or None where it goes on.

    Parameters
    ----------
    scores : list of int
        By side.
    declarer : int
        Side that declared the last hand; -1 for none.
    rules : Rules
    counted : int
        Hands played, those redealt left out.
    """

    def leader(sides: list[int]) -> str | None:
        most = [side for side in sides if scores[side] == max(scores[k] for k in sides)]
        return str(most[0]) if len(most) == 1 else None

    there = [side for side, score in enumerate(scores) if score >= rules.target_score]
    if declarer in there:
        return str(declarer)
    if there and leader(there):
        return leader(there)
    if rules.max_hands and counted >= rules.max_hands:
        return leader(list(range(rules.sides))) or "shared"
    return None


@pytest.mark.parametrize(
    ("variant", "changes", "entrants", "before", "hands_before"),
    [
        ("classic", {}, "tips/greedy", [70, 62], 0),
        ("classic", {}, "points/greedy", [40, 88], 0),  # which heeds the match score
        ("twelve-hands", {"target_score": 140}, "tips/greedy", [60, 60], 10),
        ("three-player", {}, "tips/greedy", [50, 80, 20], 0),
        ("no-trump", {"all_pass": "play-out", "max_hands": 3}, "pass/greedy", [50, 50], 1),
        ("jokers", {}, "tips/high", [30, 60], 0),
    ],
)
def test_sequels_are_matches_of_the_engine(
    variant: str, changes: dict[str, Any], entrants: str, before: list[int], hands_before: int
) -> None:
    rules = load_rules(variant, changes)
    entrant = load_entrant(entrants)
    seat = 1
    cards, _ = read_cards(HAND if rules.players == 4 else LONG_HAND)
    by_seat = [before[other % rules.sides] for other in range(rules.players)]
    seated = [entrant] * rules.players
    asked = GivenHand(rules, seated, 7, seat, cards, 0, (), by_seat, hands_before)
    room = np.zeros(9, WORLD)
    _, done = asked.play(room, 0, 3)
    engine = Engine(rules, seated, 7)
    state = engine.table.state[0]
    engine.table.state["in_match"] = 1
    shares = set()
    for world in room[:done]:
        for call in asked.legal[:: 4 if len(asked.legal) > 8 else 1]:
            total, shared = 0.0, 0
            for sequel in range(SEQUELS):
                scores = list(by_seat)
                gained = world["after"][call].tolist()
                declarer = int(world["declarers"][call])
                counted = hands_before
                played = declarer >= 0 or rules.all_pass == "play-out"
                hands = 0
                while True:
                    counted += played
                    hands += 1
                    scores = [old + new for old, new in zip(scores, gained, strict=False)]
                    side = declarer % 2 if rules.players == 4 and declarer >= 0 else declarer
                    won = winner_of(scores[: rules.sides], side, rules, counted)
                    if won is not None:
                        break
                    assert hands < 60
                    state["before"][: rules.players] = scores
                    deal = (4 * int(world["deal_id"]) + int(world["turn"])) * SEQUELS + sequel
                    deal_id = FIRST_SEQUEL + MOST_HANDS * deal + hands_before + hands
                    engine.play_one(deal_id, 0, (asked.dealer + hands) % rules.players)
                    gained = [int(state["scores"][side]) for side in state["sides"]]
                    declarer = int(state["declarer"])
                    played = int(state["n_tricks"]) > 0
                mine = {str(seat % 2 if rules.players == 4 else seat): 1.0}
                shared += won == "shared"
                total += 1 / rules.sides if won == "shared" else mine.get(won, 0.0)
            assert world["won"][call] == pytest.approx(total / SEQUELS)
            assert world["nobody"][call] == shared / SEQUELS
            shares.add(float(world["won"][call]))
    assert len(shares) > 1


def test_worlds_are_the_same_in_a_match_and_alone() -> None:
    """What bidders who heed no match score do; the next deal of hidden cards is left alone."""
    seated = [load_entrant("tips/greedy")] * 4
    cards, _ = read_cards(HAND)
    rooms = []
    for before in (None, [90, 20, 90, 20]):
        asked = GivenHand(Rules(), seated, 7, 0, cards, scores=before)
        room = np.zeros(60, WORLD)
        stop, done = asked.play(room[:30], 0, 20)
        asked.play(room[done:], stop, 20)
        rooms.append(room)
    alone, in_match = rooms
    assert (alone["won"] == 0).all()
    assert 0.5 < in_match["won"][:, 0].mean() < 1
    assert in_match["won"].max() == 1
    for name in ("deal_id", "turn", "made", "own", "others", "after", "declarers"):
        assert (alone[name] == in_match[name]).all()
