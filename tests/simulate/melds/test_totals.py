"""Exact totals against the slow oracle."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simulate.cards import DECK, NT
from simulate.melds.area import TOO_MANY
from simulate.melds.deep import find_total
from simulate.melds.problem import Problem
from simulate.melds.solve import best_layout
from simulate.melds.totals import lay_out_total, reach_total
from simulate.melds.totals_plain import solve_exact
from tests.fixtures.piles import (
    AREAS,
    CLASSIC,
    area_of,
    cards_of,
    check_melds,
    pile_of,
    piles,
    rules_of,
    some_values,
    text_of,
    trump_of,
)
from tests.naive import reachable_layouts


def best_of_totals(pile, values, jokers, least, trump, at_least):
    """Best (points, melds, dead) of each total, by the oracle."""
    cards = [text_of(card) for card in pile]
    rules = rules_of(values, least)
    best = {}
    for points, melds, dead, _ in reachable_layouts(
        cards, trump_of(trump), rules, jokers, at_least
    ):
        total = points - values[5] * dead
        known = best.get(total)
        if known is None or (melds, -dead) > (known[1], -known[2]):
            best[total] = (points, melds, dead)
    return best


def check_layout(answer, pile, values, jokers, least, trump, at_least, total):
    out, out_jokers = np.zeros(18, np.uint64), np.zeros(18, np.uint64)
    area = AREAS[values]
    count = lay_out_total(
        area, pile_of(pile), jokers, least, trump, at_least, total, out, out_jokers
    )
    assert count == answer[1]
    if count >= 0:
        melds = list(zip(out[:count], out_jokers[:count], strict=True))
        found = check_melds(melds, pile, values, jokers, least, trump)
        assert found == (answer[0], answer[2])


def check_totals(stream, pile, values, jokers, least, trump, at_least, layouts=True):
    area = AREAS.setdefault(values, area_of(values))
    best = best_of_totals(pile, values, jokers, least, trump, at_least)
    highest = max(best, default=0)
    totals = {-1, 0, 1, highest, highest + 1, highest + 5}
    totals |= set(stream.sample(sorted(best), min(len(best), 8)))
    totals |= {stream.randrange(min(best, default=0) - 5, highest + 10) for _ in range(4)}
    for total in totals:
        answer = reach_total(area, pile_of(pile), jokers, least, trump, at_least, total)
        case = (values, pile, jokers, least, trump, at_least, total)
        assert answer == best.get(total, (0, -1, len(pile))), case
        if layouts:
            check_layout(answer, pile, values, jokers, least, trump, at_least, total)


@pytest.mark.parametrize(
    ("cards", "total", "at_least", "expected"),
    [
        ("2H 3H 4H 5H 6H 7H", 20, 0, (20, 1, 0)),
        ("2H 3H 4H 5H 6H 7H", 15, 0, (15, 1, 1)),
        ("2H 3H 4H 5H 6H 7H", 10, 0, (10, 2, 0)),
        ("2H 3H 4H 5H 6H 7H", 5, 0, (5, 1, 3)),
        ("2H 3H 4H 5H 6H 7H", 5, 2, (0, -1, 6)),
        ("2H 3H 4H 5H 6H 7H", 0, 0, (0, 0, 6)),
        ("2H 3H 4H 5H 6H 7H", 25, 0, (0, -1, 6)),
        ("2H 3H 4H 5H 6H 7H", 12, 0, (0, -1, 6)),
        ("7C 7D 7H 7S", 5, 0, (5, 1, 1)),
        ("7C 7D 7H 7S 8H 9H", 10, 0, (10, 2, 0)),
        ("7C 7D 7H 7S 8H 9H", 5, 0, (5, 1, 3)),
        ("", 0, 0, (0, 0, 0)),
        ("", 0, 1, (0, -1, 0)),
    ],
)
def test_worked_examples(cards, total, at_least, expected):
    pile = cards_of(cards)
    answer = reach_total(AREAS[CLASSIC], pile_of(pile), 0, 2, NT, at_least, total)
    assert answer == expected
    check_layout(answer, pile, CLASSIC, 0, 2, NT, at_least, total)


def test_a_joker_may_leave_the_card_dead_for_which_it_stands():
    values = (5, 10, 5, 5, 2, 1)
    AREAS.setdefault(values, area_of(values))
    pile = cards_of("2H 3H 4H")
    for total, points, dead in ((5, 5, 0), (4, 5, 1), (10, 10, 0)):
        answer = reach_total(AREAS[values], pile_of(pile), 1, 2, NT, 0, total)
        assert answer == (points, 1, dead), total
        check_layout(answer, pile, values, 1, 2, NT, 0, total)


@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_small_piles_against_the_slow_oracle(jokers):
    stream = random.Random(jokers)
    for turn in range((1500, 500, 300)[jokers]):
        values, pile = some_values(stream), piles(stream, 13)
        least, trump = stream.choice((2, 2, 3)), stream.randrange(5)
        at_least = stream.choice((0, 0, 1, 2, 3, 4))
        check_totals(
            stream, pile, values, jokers, least, trump, at_least, jokers == 0 or turn % 4 == 0
        )


@pytest.mark.parametrize(("size", "jokers"), [(18, 0), (22, 0), (26, 0), (18, 1), (16, 2)])
def test_larger_piles_against_the_slow_oracle(size, jokers):
    stream = random.Random(size)
    for _ in range(25 if jokers == 0 else 8):
        values, pile = some_values(stream), stream.sample(DECK, size)
        trump, at_least = stream.randrange(5), stream.choice((0, 2, 3))
        check_totals(stream, pile, values, jokers, 2, trump, at_least, jokers == 0)


@pytest.mark.parametrize("size", [20, 27, 31, 36])
def test_searches_agree(size):
    stream = random.Random(size)
    listed = 0
    for _ in range(40 if size < 36 else 4):
        values, pile = some_values(stream), pile_of(stream.sample(DECK, size))
        area = AREAS.setdefault(values, area_of(values))
        trump, at_least = stream.randrange(5), stream.choice((0, 2, 4))
        points, _, dead = best_layout(area, pile, trump, 0)
        worth = points + values[5] * (size - dead)
        worth = stream.randrange(worth // 2, worth + 1)
        found = solve_exact(area, pile, trump, at_least, worth)
        if found != TOO_MANY:
            listed += 1
            problem = Problem(area, pile, 0, 2, trump, at_least)
            deep = find_total(problem, worth, 0, 17, 0)
            assert found == deep.answer, (values, int(pile), trump, at_least, worth)
    assert listed


def test_all_cards():
    area = AREAS[CLASSIC]
    for total in (60, 85, 150):
        answer = reach_total(area, pile_of(DECK), 0, 2, 1, 4, total)
        assert answer[0] == total
        check_layout(answer, DECK, CLASSIC, 0, 2, 1, 4, total)
