"""Whole matches against the naive engine, and the rule that ends them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulate.cards import SEATS
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.loop_match import ENDINGS, MATCH, match_end
from simulate.engine.match import play_some
from simulate.rules import Rules, load_rules
from strategies.declare.spec import load_entrant
from tests import naive


def check_matches(rules: Rules, entrant: str, pass_percent: int, matches: range) -> None:
    """Play matches by both engines with random strategies and compare all there is."""
    players = rules.players
    legs = 2
    engine = Engine(rules, [load_entrant(entrant)] * players, 7, legs)
    buffer = make_buffer(legs * 1024 * len(matches))
    rows = np.zeros(legs * len(matches), MATCH)
    played, written = play_some(engine, buffer, rows, matches.start, len(matches))
    assert played == len(matches)
    assert written == rows["hands"].sum()
    fields = rules.model_dump(mode="json")
    at = 0
    for match in rows:
        records, result = naive.play_match(
            fields,
            7,
            int(match["match_id"]),
            lambda deal_id: naive.random_seats(fields, 7, deal_id, pass_percent),
        )
        assert SEATS[match["first_dealer"]] == result["first_dealer"]
        assert match["hands"] == result["hands"]
        assert match["lead_changes"] == result["lead_changes"]
        assert ENDINGS[match["ended"]] == result["ended"]
        winner = None if match["winner"] < 0 else SEATS[match["winner"]]
        assert winner == (result["winner"] and result["winner"][0])
        for name, score in result["scores"].items():
            for seat in name:
                assert match["scores"][SEATS.index(seat)] == score
        for hand_no, (record, before) in enumerate(zip(records, result["before"], strict=True)):
            row = buffer.rows[at]
            assert row["deal_id"] == match["match_id"] * 1024 + hand_no
            assert row["leg"] == match["leg"]
            assert SEATS[row["dealer"]] == record["dealer"]
            assert row["score_decl"] == record["sides"]["declarers"]["score"]
            assert row["score_def"] == record["sides"]["defenders"]["score"]
            for name, score in before.items():
                assert row["before"][SEATS.index(name[0])] == score
            at += 1


@pytest.mark.parametrize(
    ("variant", "changes"),
    [
        ("classic", {}),
        ("twelve-hands", {"max_hands": 2}),
        ("three-player", {}),
        ("three-player", {"max_hands": 1, "target_score": 60}),
        ("classic", {"hand_limit": 3, "target_score": 300}),
        ("classic", {"all_pass": "play-out", "target_score": 30}),
    ],
)
def test_matches_agree(variant: str, changes: dict[str, int]) -> None:
    check_matches(load_rules(variant, changes), "random(pass_percent=75)/random", 75, range(3, 13))


def test_matches_that_nobody_ends_are_unfinished() -> None:
    engine = Engine(load_rules(), [load_entrant("pass/random")] * 4, 1)
    rows = np.zeros(2, MATCH)
    played, written = play_some(engine, make_buffer(2048), rows, 0, 2)
    assert (played, written) == (2, 2000)
    assert [ENDINGS[match["ended"]] for match in rows] == ["limit", "limit"]
    assert rows["winner"].tolist() == [-1, -1]
    assert not rows["scores"].any()


def test_a_full_sheet_leaves_the_rest_for_the_next_call() -> None:
    engine = Engine(load_rules(), [load_entrant("random/random")] * 4, 1)
    rows = np.zeros(50, MATCH)
    played, _ = play_some(engine, make_buffer(1100), rows, 0, 50)
    assert 1 <= played < 50


@given(
    scores=st.lists(st.integers(-50, 150), min_size=3, max_size=3),
    declarer=st.integers(-1, 2),
    players=st.sampled_from([3, 4]),
    counted=st.integers(1, 6),
    max_hands=st.sampled_from([0, 4]),
)
def test_end_of_match_agrees(
    scores: list[int], declarer: int, players: int, counted: int, max_hands: int
) -> None:
    base = "three-player" if players == 3 else "classic"
    rules = load_rules(base, {"max_hands": max_hands, "hand_limit": 6})
    names = naive.match_sides(players)
    sides = len(names)
    declarer = min(declarer, sides - 1)
    expected = naive.match_end(
        rules.model_dump(mode="json"),
        dict(zip(names, scores, strict=False)),
        names[declarer] if declarer >= 0 else None,
        counted,
        counted,
    )
    numbers = np.array([*scores, 0], np.int32)
    ended, winner = match_end(rules.numbers()[0], numbers, declarer, sides, counted, counted)
    if expected is None:
        assert ended == -1
    else:
        assert (names[winner] if winner >= 0 else None, ENDINGS[ended]) == expected
