"""The deep search by itself: the pieces of its diagram, and its worked example."""

from __future__ import annotations

import numpy as np
import pytest

from simulate.cards import NT
from simulate.melds.deep import best_of_all, read_layout, search
from simulate.melds.deep_bounds import no_rest
from simulate.melds.deep_steps import DONE, LENGTH, NEXT, Goal, Search, lay_place, mark_places
from simulate.melds.problem import Problem
from tests.fixtures.piles import CLASSIC, area_of, cards_of, pile_of

#: Natural cards and jokers of an open piece, by code; DONE is any piece that may lie as it is.
PIECES = ((0, 0), (1, 0), (2, 0), None, (0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (2, 2))
HEARTS = 2


def example():
    """5H 6H 8H and a joker, by the classic rules."""
    return Problem(area_of(CLASSIC), pile_of(cards_of("5H 6H 8H")), 1, 2, NT, 0)


@pytest.mark.parametrize("least", [2, 3])
def test_a_card_brings_a_piece_on_as_the_diagram_says(least):
    for code, piece in enumerate(PIECES):
        for wild in range(2):
            if piece is None:
                assert NEXT[least - 2, wild, code] == DONE
                continue
            naturals, jokers = piece[0] + 1 - wild, piece[1] + wild
            if jokers > 2 or (least == 2 and code in {8, 9}):  # which least 2 does not have
                continue
            lies = naturals + jokers >= 3 and (jokers == 0 or naturals >= least)
            expected = DONE if lies else PIECES.index((naturals, jokers))
            assert NEXT[least - 2, wild, code] == expected, (code, wild)
    assert [LENGTH[code] for code, piece in enumerate(PIECES) if piece] == [
        sum(piece) for piece in PIECES if piece
    ]


def test_the_example_goes_through_the_states_it_names():
    problem = example()
    goal = Goal(-1, -1, -1, 0, 1 << 40, 0)
    task = Search(problem, goal, mark_places(problem))
    parts = np.empty((2, 3, 4096), np.int64)
    state, value = 1 << 24, 0
    for place, (code, jokers, key) in {
        5: (1, 1, 0),
        6: (2, 1, 0),
        7: (DONE, 0, 4096 * 5 + 64 + 2),
        8: (0, 0, 4096 * 10 + 64 + 3),
    }.items():
        held = 0 if place == 7 else 1 << HEARTS
        made = lay_place(task, place, held, state, value, 0, parts)
        after = {
            ((s >> 4 * HEARTS) & 15, (s >> 24) & 3, v): (s, v)
            for s, v in zip(parts[0, 0, :made].tolist(), parts[0, 1, :made].tolist(), strict=True)
        }
        state, value = after[code, jokers, key]


def test_the_example_is_found_and_read():
    out, out_jokers = np.zeros(18, np.uint64), np.zeros(18, np.uint64)
    found = search(example(), best_of_all(-1, 1), no_rest())
    assert found.answer == 4096 * 10 + 64 + 3
    assert read_layout(found, out, out_jokers) == 1
    assert out[0] == pile_of(cards_of("5H 6H 8H"))
    assert out_jokers[0] == pile_of(cards_of("7H"))
