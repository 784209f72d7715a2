"""The layout solver against the examples of the rules, known optima, and a plain brute force."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulate.cards import DECK, NT, SUITS, make_card, read_card
from simulate.melds.area import TOO_MANY
from simulate.melds.counting import count_melds
from simulate.melds.listing import list_melds
from simulate.melds.solve import best_key, best_layout, lay_out, useful_cards
from simulate.melds.sweep import sweep
from tests.fixtures.piles import CLASSIC, ODD, area_of, cards_of, pile_of


def solve(values, cards, trump=NT, at_least=0):
    return best_layout(area_of(values), pile_of(cards), trump, at_least)


# ------------------------------------------------------------------- brute force, on its own terms


def all_melds(cards, values, trump):
    """All melds that a set of (suit, rank) pairs holds, as pairs of cards and points."""
    set3, set4, run3, step, multiplier, _ = values
    melds = []
    for rank in range(2, 15):
        same = [card for card in sorted(cards) if card[1] == rank]
        for size, points in ((3, set3), (4, set4)):
            melds += [(frozenset(some), points) for some in itertools.combinations(same, size)]
    for suit in range(4):
        ladder = [(suit, 14)] + [(suit, rank) for rank in range(2, 15)]
        for first in range(14):
            for last in range(first + 3, 15):
                run = frozenset(ladder[first:last])
                if len(run) == last - first and run <= cards:
                    points = run3 + step * (len(run) - 3)
                    melds.append((run, points * (multiplier if suit == trump else 1)))
    return melds


def all_outcomes(cards, values, trump):
    """All (points, melds, dead) that some layout of the cards has."""
    melds = all_melds(cards, values, trump)
    known = {}

    def outcomes(left):
        if not left:
            return {(0, 0, 0)}
        if left not in known:
            card = min(left)
            found = {(p, m, d + 1) for p, m, d in outcomes(left - {card})}
            for meld, points in melds:
                if card in meld and meld <= left:
                    found |= {(p + points, m + 1, d) for p, m, d in outcomes(left - meld)}
            known[left] = found
        return known[left]

    return outcomes(frozenset(cards))


def brute_force(outcomes, penalty, at_least):
    """Best outcome with enough melds, or None."""
    enough = [outcome for outcome in outcomes if outcome[1] >= at_least]
    return max(enough, key=lambda o: (o[0] - penalty * o[2], o[1], -o[2]), default=None)


def check_against_brute_force(values, pile, trump):
    outcomes = all_outcomes({(card >> 4, card & 15) for card in pile}, values, trump)
    area = area_of(values)
    for at_least in range(len(pile) // 3 + 2):
        answer = best_layout(area, pile_of(pile), trump, at_least)
        best = brute_force(outcomes, values[5], at_least)
        if best is None:
            assert answer[1] == -1
        else:
            assert answer == best, f"at least {at_least}"
        check_layout(area, values, pile, trump, at_least)


def check_layout(area, values, pile, trump, at_least):
    """Check that `lay_out` writes legal, disjoint melds worth what `best_layout` says."""
    points, melds, dead = best_layout(area, pile_of(pile), trump, at_least)
    out = np.zeros(17, np.uint64)
    count = lay_out(area, pile_of(pile), trump, at_least, out)
    assert count == melds
    if count < 0:
        return
    left = {(card >> 4, card & 15) for card in pile}
    worth = 0
    for mask in out[:count]:
        meld = frozenset((card >> 4, card & 15) for card in DECK if int(mask) >> card & 1)
        assert len(meld) == int(mask).bit_count()
        legal = dict(all_melds(meld, values, trump))
        assert meld in legal
        assert meld <= left
        left -= meld
        worth += legal[meld]
    assert (worth, len(left)) == (points, dead)


# --------------------------------------------------------------------------------- known answers

KINGS = "KS KD KC"
ACES = "QH KH AH KS KD KC AS AD"


@pytest.mark.parametrize(
    ("cards", "trump", "at_least", "expected"),
    [
        ("QH KH AH 2H 3H", NT, 0, (5, 1, 2)),
        ("2H 3H 4H 5H 6H 7H", NT, 0, (20, 1, 0)),
        ("2H 3H 4H 5H 6H 7H", NT, 2, (10, 2, 0)),
        ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", 2, 0, (110, 1, 0)),
        (f"JH QH KH {KINGS}", NT, 0, (10, 2, 0)),
        (f"TH JH QH KH {KINGS}", NT, 0, (15, 2, 0)),
        (ACES, NT, 0, (15, 2, 1)),
        (ACES, NT, 3, (0, -1, 8)),
        ("KH AH 2H", NT, 0, (0, 0, 3)),
        ("AH 2H 3H", 2, 0, (10, 1, 0)),
        ("QH KH AH", 0, 0, (5, 1, 0)),
        ("QC KC AD 2D", NT, 0, (0, 0, 4)),  # the last of a suit beside the first of the next
        ("QC KC AC 2D 3D", NT, 0, (5, 1, 2)),
        ("KC AC 2D 3D", NT, 0, (0, 0, 4)),
        ("", NT, 0, (0, 0, 0)),
        ("", NT, 1, (0, -1, 0)),
        ("2C 3C 4C 5C 6C 7C 8C", 0, 2, (30, 2, 0)),
        ("2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D", 0, 3, (50, 3, 0)),  # the plain suit is split
        ("2C 3C 4C 5C 6C 7C 2D 3D 4D 5D 6D 7D", 0, 5, (0, -1, 12)),
    ],
)
def test_worked_examples(cards, trump, at_least, expected):
    pile = cards_of(cards)
    assert solve(CLASSIC, pile, trump, at_least) == expected
    check_layout(area_of(CLASSIC), CLASSIC, pile, trump, at_least)


def test_known_optima():
    lines = (Path(__file__).parents[2] / "data" / "meld_optima.jsonl").read_text().splitlines()
    area = area_of(CLASSIC)
    for line in lines:
        example = json.loads(line)
        trump = NT if example["trump"] is None else SUITS.index(example["trump"])
        pile = pile_of([read_card(text) for text in example["cards"]])
        answers = [best_layout(area, pile, trump, at_least) for at_least in range(7)]
        assert [p if melds >= 0 else None for p, melds, _ in answers] == example["best"], line
    assert len(lines) == 78


def test_dead_card_penalty_is_in_the_objective_and_not_in_the_points():
    pile = cards_of("2H 3H 4H 9C")
    assert solve((5, 10, 5, 5, 2, 3), pile) == (5, 1, 1)


# ------------------------------------------------------------------------- against brute force

values_of_rules = st.one_of(
    st.just(CLASSIC),
    st.sampled_from(ODD),
    st.tuples(*[st.integers(0, 20) | st.just(1000)] * 4, st.integers(1, 10), st.integers(0, 3)),
)


def dense_piles(most):
    """Piles of few ranks and suits, where runs and sets compete."""

    def block(first_rank, suits, ranks):
        return [
            make_card(suit, (first_rank + offset - 2) % 13 + 2)
            for suit in suits
            for offset in range(ranks)
        ]

    blocks = st.builds(
        block,
        st.integers(2, 14),
        st.sets(st.integers(0, 3), min_size=2, max_size=4),
        st.integers(3, 6),
    )
    return st.one_of(
        blocks.flatmap(lambda cards: st.sets(st.sampled_from(cards), max_size=most)),
        blocks.map(lambda cards: set(cards[:most])),
        st.sets(st.sampled_from(DECK), max_size=most),
    )


@settings(max_examples=800, deadline=None)
@given(values=values_of_rules, pile=dense_piles(13), trump=st.integers(0, 4))
def test_small_piles_against_brute_force(values, pile, trump):
    check_against_brute_force(values, sorted(pile), trump)


def random_piles(seed, sizes, count):
    stream = random.Random(seed)
    for _ in range(count):
        values = stream.choice([CLASSIC, *ODD])
        yield values, stream.sample(DECK, stream.choice(sizes)), stream.randrange(5), stream


def test_blocks_of_suits_and_ranks_against_brute_force():
    # Whole blocks: four suits of the aces' neighbours, and three suits of four ranks.
    stream = random.Random(7)
    for ranks in ((14, 2, 3), (12, 13, 14), (14, 2, 3, 13, 12), (5, 6, 7, 8), (2, 3, 4, 14)):
        block = [make_card(suit, rank) for suit in range(4) for rank in ranks]
        for values in (CLASSIC, *ODD):
            pile = stream.sample(block, min(len(block), 14))
            check_against_brute_force(values, pile, stream.randrange(5))


# ---------------------------------------------------------------- larger piles: methods agree


@pytest.mark.parametrize("size", [13, 17, 26, 32, 39, 45, 52])
def test_layouts_of_larger_piles(size):
    count = 40 if size < 40 else 4
    for values, pile, trump, stream in random_piles(size, [size], count):
        area = area_of(values)
        for at_least in (0, stream.randrange(1, 6), stream.randrange(4, 18)):
            check_layout(area, values, pile, trump, at_least)


def test_layout_is_the_same_whatever_was_solved_before():
    stream = random.Random(3)
    piles = [stream.sample(DECK, stream.randrange(53)) for _ in range(60)]
    area = area_of(CLASSIC)
    first = [best_layout(area, pile_of(pile), 1, 3) for pile in piles]
    again = [best_layout(area, pile_of(pile), 1, 3) for pile in reversed(piles)]
    assert first == again[::-1]


def areas_of_all_rules():
    return [(values, area_of(values)) for values in (CLASSIC, *ODD, (5, 11, 7, 3, 3, 1))]


@pytest.mark.parametrize("size", [13, 22, 26, 30, 34, 39, 44])
def test_searches_agree(size):
    stream = random.Random(size)
    areas = areas_of_all_rules()
    seen = {"listing": 0, "sweep": 0}
    for _ in range(600 if size < 35 else 150):
        _, area = stream.choice(areas)
        pile = pile_of(stream.sample(DECK, size))
        trump = stream.randrange(5)
        useful = np.uint64(useful_cards(pile))
        at_least = stream.choice([0, 0, *range(18)])
        key = count_melds(area, pile, useful, trump, at_least)
        assert key == best_key(area, pile, trump, at_least)
        listed = list_melds(area, pile, useful, trump, at_least)
        if listed != TOO_MANY:
            assert key == listed
            seen["listing"] += 1
        if at_least == 0 and area["split"][0] < 0:
            assert key == sweep(area, pile, useful, trump)
            seen["sweep"] += 1
    assert seen["sweep"]
    assert seen["listing"] or size > 30


def test_full_pile():
    for _, area in areas_of_all_rules():
        pile = pile_of(DECK)
        for trump in (1, NT):
            key = best_key(area, pile, trump, 0)
            assert key == count_melds(area, pile, np.uint64(useful_cards(pile)), trump, 0)
            keys = [best_key(area, pile, trump, at_least) for at_least in (0, 6, 12, 16, 17)]
            assert keys == sorted(keys, reverse=True)
            assert (keys[-1] & 4095) >> 6 == 17
