"""The layout solver with jokers against the slow oracle and a brute force by definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simulate.cards import DECK, NT
from simulate.melds.deep import best_of_all, search
from simulate.melds.deep_bounds import no_rest
from simulate.melds.problem import Problem
from simulate.melds.solve import best_layout, lay_out
from simulate.melds.wild import best_layout_wild, lay_out_wild, wild_key
from simulate.melds.wild_two import free_key
from tests.fixtures.piles import (
    AREAS,
    CLASSIC,
    ODD,
    VALUES,
    area_of,
    cards_of,
    check_melds,
    every_layout,
    pile_of,
    piles,
    rules_of,
    some_values,
    text_of,
    trump_of,
)
from tests.naive import best_layouts


def expected(pile, values, jokers, least, trump, at_least):
    """Ask the oracle; answer as `best_layout_wild` does."""
    cards = [text_of(card) for card in pile]
    best = best_layouts(cards, trump_of(trump), rules_of(values, least), jokers, at_least)
    return (0, -1, len(pile)) if best is None else best[:3]


def check_layout(answer, pile, values, jokers, least, trump, at_least):
    out, out_jokers = np.zeros(18, np.uint64), np.zeros(18, np.uint64)
    area = AREAS[values]
    count = lay_out_wild(area, pile_of(pile), jokers, least, trump, at_least, out, out_jokers)
    assert count == answer[1]
    if count >= 0:
        melds = list(zip(out[:count], out_jokers[:count], strict=True))
        found = check_melds(melds, pile, values, jokers, least, trump)
        assert found == (answer[0], answer[2])


# --------------------------------------------------------------------------------- known answers


@pytest.mark.parametrize(
    ("cards", "jokers", "least", "expected"),
    [
        ("5H 6H", 1, 2, (5, 1, 0)),
        ("5H 6H", 1, 3, (0, 0, 2)),
        ("5H 9H", 2, 2, (0, 0, 2)),
        ("5H 8H", 2, 2, (10, 1, 0)),
        ("5H 8H", 2, 3, (0, 0, 2)),
        ("5H", 2, 2, (0, 0, 1)),
        ("", 2, 2, (0, 0, 0)),
        ("5H 5S", 1, 2, (5, 1, 0)),
        ("5H 5S", 2, 2, (10, 1, 0)),
        ("5H 5S 5D", 1, 3, (10, 1, 0)),
        ("5H 5S 5D 5C", 2, 2, (10, 1, 0)),
        ("5S 5D 5H 6H 7H", 1, 2, (10, 2, 0)),
        ("5S 5D 5H 5C 6H 7H", 1, 2, (15, 2, 0)),  # a fifth five
        ("5S 5D 5H 5C 6H 7H", 1, 3, (15, 2, 0)),
        ("5S 5D 5H 6H 7H", 1, 3, (10, 1, 2)),  # no joker beside two naturals
        ("5S 5H 4H 6H", 2, 2, (15, 1, 1)),
        ("KH AH 2H", 1, 2, (5, 1, 1)),
        ("AH 2H 3H QH KH", 1, 2, (10, 2, 0)),
        ("AH 2H 3H QH KH", 2, 2, (15, 2, 0)),
        ("2H 3H QH KH", 2, 2, (10, 2, 0)),
        ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", 2, 2, (55, 1, 0)),
        ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", 2, 2, (55, 1, 0)),
        ("5H 6H 8H 9H", 2, 3, (20, 1, 0)),
    ],
)
def test_worked_examples(cards, jokers, least, expected):
    pile = cards_of(cards)
    answer = best_layout_wild(AREAS[CLASSIC], pile_of(pile), jokers, least, NT, 0)
    assert answer == expected
    check_layout(answer, pile, CLASSIC, jokers, least, NT, 0)


def test_a_joker_may_stand_for_the_card_of_another_jokers_set():
    values = (15, 20, 5, 5, 2, 0)
    AREAS.setdefault(values, area_of(values))
    pile = cards_of("5S 5H 4H 6H")
    answer = best_layout_wild(AREAS[values], pile_of(pile), 2, 2, NT, 0)
    assert answer == (20, 2, 0)
    check_layout(answer, pile, values, 2, 2, NT, 0)


def test_the_ace_of_a_suit_stands_in_one_run():
    hearts = pile_of(range(34, 47))
    assert best_layout_wild(AREAS[CLASSIC], hearts, 1, 2, NT, 2)[:2] == (45, 2)


def test_no_joker_is_the_plain_answer():
    stream = random.Random(1)
    for _ in range(300):
        values = stream.choice(VALUES)
        pile = pile_of(piles(stream, 40))
        trump, at_least = stream.randrange(5), stream.randrange(7)
        area = AREAS[values]
        plain = best_layout(area, pile, trump, at_least)
        assert best_layout_wild(area, pile, 0, 2, trump, at_least) == plain
        out, other, jokers = (np.zeros(18, np.uint64) for _ in range(3))
        jokers[:] = 1
        count = lay_out(area, pile, trump, at_least, out)
        assert lay_out_wild(area, pile, 0, 2, trump, at_least, other, jokers) == count
        if count >= 0:
            assert np.array_equal(out[:count], other[:count])
            assert not jokers[:count].any()


# -------------------------------------------------------------------------- against the oracles


@pytest.mark.parametrize("jokers", [1, 2])
@pytest.mark.parametrize("least", [2, 3])
def test_small_piles_against_the_slow_oracle(jokers, least):
    stream = random.Random(f"{jokers}{least}")
    for turn in range(2500):
        values = some_values(stream)
        AREAS.setdefault(values, area_of(values))
        pile = piles(stream, 13)
        trump, at_least = stream.randrange(5), stream.choice((0, 0, 1, 2, 3, 4, 5, 6))
        answer = best_layout_wild(AREAS[values], pile_of(pile), jokers, least, trump, at_least)
        case = (values, pile, trump, at_least)
        assert answer == expected(pile, values, jokers, least, trump, at_least), case
        if turn % 4 == 0:
            check_layout(answer, pile, values, jokers, least, trump, at_least)


@pytest.mark.parametrize("size", [17, 20, 24, 28])
def test_larger_piles_against_the_slow_oracle(size):
    stream = random.Random(size)
    for _ in range(60 if size < 28 else 12):
        values = stream.choice(VALUES)
        pile = stream.sample(DECK, size)
        jokers, least = stream.choice((1, 2)), stream.choice((2, 3))
        trump, at_least = stream.randrange(5), stream.choice((0, 0, 3, 5, 6, 7))
        answer = best_layout_wild(AREAS[values], pile_of(pile), jokers, least, trump, at_least)
        case = (values, pile, jokers, least, trump, at_least)
        assert answer == expected(pile, values, jokers, least, trump, at_least), case
        check_layout(answer, pile, values, jokers, least, trump, at_least)


@pytest.mark.parametrize("jokers", [1, 2])
def test_piles_against_brute_force(jokers):
    stream = random.Random(jokers)
    for _ in range(60):
        values = some_values(stream)
        least = stream.choice((2, 3))
        pile = piles(stream, 11 - 2 * jokers)
        trump = stream.randrange(5)
        cards = [text_of(card) for card in pile]
        layouts = every_layout(cards, trump_of(trump), rules_of(values, least), jokers)
        for at_least in range(5):
            enough = [layout for layout in layouts if layout[1] >= at_least]
            best = max(
                enough,
                key=lambda layout: (layout[0] - values[5] * layout[2], layout[1], -layout[2]),
                default=(0, -1, len(pile)),
            )
            area = AREAS.setdefault(values, area_of(values))
            answer = best_layout_wild(area, pile_of(pile), jokers, least, trump, at_least)
            assert answer == best, (values, pile, least, trump, at_least)


# ----------------------------------------------------------------------- larger piles: they agree


@pytest.mark.parametrize("size", [26, 32, 38, 44])
def test_searches_agree(size):
    stream = random.Random(size)
    doubtful = 0
    for turn in range(24 if size < 40 else 6):
        values = CLASSIC if turn % 2 else stream.choice(VALUES)
        area, pile = AREAS[values], pile_of(stream.sample(DECK, size))
        jokers, least = 1 + turn % 2, stream.choice((2, 3))
        trump, at_least = stream.randrange(5), stream.choice((0, 0, 7, 9))
        problem = Problem(area, pile, jokers, least, trump, at_least)
        assert wild_key(problem) == search(problem, best_of_all(-1, 0), no_rest()).answer
        free = problem._replace(at_least=0)
        best, doubt = free_key(free)
        assert best <= wild_key(free) <= max(best, doubt)
        doubtful += doubt > best
    assert doubtful < 12


def test_all_cards():
    for values, least in ((CLASSIC, 2), (CLASSIC, 3), (ODD[3], 2)):
        area, pile = AREAS[values], pile_of(DECK)
        keys = [wild_key(Problem(area, pile, 1, least, 1, at_least)) for at_least in (0, 8, 17)]
        assert keys == sorted(keys, reverse=True)
        assert (keys[-1] & 4095) >> 6 == 17


def test_layout_is_the_same_whatever_was_solved_before():
    stream = random.Random(3)
    some = [pile_of(stream.sample(DECK, stream.randrange(34))) for _ in range(40)]
    area = AREAS[CLASSIC]
    first = [best_layout_wild(area, pile, 2, 2, 1, 3) for pile in some]
    again = [best_layout_wild(area, pile, 2, 2, 1, 3) for pile in reversed(some)]
    assert first == again[::-1]
