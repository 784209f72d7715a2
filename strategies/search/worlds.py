"""The hidden hands as they may be: worlds that fit all that a seat has seen, sampled alike likely.

What is known of the hidden cards: how many each other seat still holds, which suits it has shown
out of, the hands that lie face up, and with three players that one card lies apart. Every deal of
the hidden cards that fits is a world, and each is drawn with the same probability, not nearly but
exactly so, up to the rounding of float64. The literature calls a world a determinization:

* Suits that nobody has shown out of are shuffled together, as in dealing.
* Of every other suit it is first drawn how many cards each possible holder has. With n such cards
  between two holders there are n choose k ways to give k of them to the first, and for each the
  number of ways to deal all that is left, which is counted beforehand, suit by suit, by how many
  cards the holders still take.

What the calls and the cards played say about the hands beyond that is not weighed in.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from simulate.compiled.bits import LANE, ZERO, bit, nth_bit, popcount
from simulate.compiled.kernels import kernel
from simulate.compiled.philox import below, next_word
from simulate.game.records import ONE_EACH, TO_DECLARERS
from strategies.knowledge.judgement import seen_cards

_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)
_FACTORIAL = np.array([factorial(n) for n in range(52)], np.float64)

#: Most holders of hidden cards: three other seats, or two and the place of the odd card.
HOLDERS = 3
#: The odd card's place among the holders.
APART = -1
#: Counts of cards that a holder may take: 0..17.
_COUNTS = 18

#: One world, and what is known of all.
WORLD = np.dtype(
    [
        ("hands", np.uint64, 4),  # as held now, in this world
        ("odd", np.uint64),  # the card that lies apart: kitty or discard
        ("jokers", np.int64, 4),
        ("holders", np.int64, HOLDERS),  # seat, or APART
        ("takes", np.int64, HOLDERS),  # hidden cards that each has
        ("lacks", np.int64, HOLDERS),  # bit `suit` where it has shown out
        ("hidden", np.uint64),
        ("n_tight", np.int64),
        ("tight", np.int64, 4),  # suits that some holder has shown out of
        ("loose", np.uint64),  # hidden cards of the other suits
        # Ways to deal the tight suits from number i on and the loose cards, by how many cards the
        # first two holders take.
        ("ways", np.float64, (5, _COUNTS, _COUNTS)),
    ],
    align=True,
)


@kernel
def survey(world: Any, view: Any) -> None:
    """Find what is hidden from a seat, and count the ways in which it may lie.

    Parameters
    ----------
    world : WORLD record
        Overwritten: from now on :func:`sample` deals worlds of this view.
    view : VIEW record
        Of the seat that is to act, in the auction or in the play; left alone.
    """
    seat = np.int64(view.seat)
    players = np.int64(view.players)
    world.hidden = _CARDS & ~seen_cards(view)
    for other in range(4):
        world.hands[other] = view.faces[other]
        world.hidden &= ~view.faces[other]
    world.hands[seat] = view.hand
    world.odd = view.discard
    open_hands = view.faces[seat] != ZERO
    count = 0
    placed = 0
    for other in range(players):
        if other == seat or open_hands:
            continue
        turn = other - view.leader
        if turn < 0:
            turn += players
        held = popcount(view.hand) - np.int64(turn < view.trick_size)
        world.holders[count] = other
        world.takes[count] = held
        world.lacks[count] = view.voids[other]
        placed += held
        count += 1
    while count < HOLDERS:  # whatever no seat holds lies apart
        world.holders[count] = APART
        world.takes[count] = popcount(world.hidden) - placed
        world.lacks[count] = 0
        placed = popcount(world.hidden)
        count += 1
    _count_ways(world)


@kernel
def _count_ways(world: Any) -> None:
    """Write `tight`, `loose` and `ways`."""
    world.n_tight = 0
    world.loose = world.hidden
    for suit in range(4):
        lane = world.hidden & (LANE << np.uint64(16 * suit))
        lacking = 0
        for at in range(HOLDERS):
            if world.takes[at] > 0:
                lacking |= world.lacks[at] >> suit & 1
        if lacking and lane != ZERO:
            world.tight[world.n_tight] = suit
            world.n_tight += 1
            world.loose ^= lane
    if world.n_tight == 0:
        return
    left = popcount(world.loose)
    for first in range(world.takes[0] + 1):
        for second in range(world.takes[1] + 1):
            third = left - first - second
            ways = 0.0
            if 0 <= third <= world.takes[2]:
                ways = _FACTORIAL[left] / (
                    _FACTORIAL[first] * _FACTORIAL[second] * _FACTORIAL[third]
                )
            world.ways[world.n_tight, first, second] = ways
    for turn in range(world.n_tight - 1, 0, -1):
        left += popcount(suit_of(world, turn))
        for first in range(world.takes[0] + 1):
            for second in range(world.takes[1] + 1):
                world.ways[turn, first, second] = _split_ways(world, turn, first, second, left, -1)


@kernel(inline=True)
def suit_of(world: Any, turn: int) -> np.uint64:
    """Hidden cards of tight suit number `turn`."""
    return world.hidden & (LANE << np.uint64(16 * world.tight[turn]))


@kernel(inline=True)
def _takers(world: Any, turn: int) -> tuple[int, int]:
    """Give the holders that may have cards of a tight suit: two of them, or one twice."""
    suit = world.tight[turn]
    best = -1
    other = -1
    for at in range(HOLDERS):
        if world.takes[at] > 0 and not world.lacks[at] >> suit & 1:
            other = best
            best = at
    return (best, best) if other < 0 else (other, best)


@kernel
def _split_ways(world: Any, turn: int, first: int, second: int, left: int, given: int) -> float:
    """Ways to deal tight suit number `turn` and all after it.

    Parameters
    ----------
    world : WORLD record
    turn : int64
    first, second : int64
        Cards that the first two holders take of these.
    left : int64
        Cards in all.
    given : int64
        Cards of the suit that go to the first of its takers; -1 for any number.
    """
    if left - first - second < 0 or left - first - second > world.takes[2]:
        return 0.0
    some, rest = _takers(world, turn)
    if some < 0:
        return 0.0
    number = popcount(suit_of(world, turn))
    low = 0 if given < 0 else given
    high = number if given < 0 else given
    if some == rest:
        low = max(low, number)
    ways = 0.0
    for share in range(low, high + 1):
        one = first - share * np.int64(some == 0) - (number - share) * np.int64(rest == 0)
        two = second - share * np.int64(some == 1) - (number - share) * np.int64(rest == 1)
        if one >= 0 and two >= 0:
            choices = _FACTORIAL[number] / (_FACTORIAL[share] * _FACTORIAL[number - share])
            ways += choices * world.ways[turn + 1, one, two]
    return ways


@kernel(inline=True)
def _give(world: Any, at: int, cards: np.uint64) -> None:
    """Add cards to what a holder has."""
    seat = world.holders[at]
    if seat == APART:
        world.odd |= cards
    else:
        world.hands[seat] |= cards


@kernel(inline=True)
def _some_of(cards: np.uint64, count: int, stream: Any) -> np.uint64:
    """Draw `count` of the cards, each choice alike likely."""
    result = ZERO
    number = popcount(cards)
    for i in range(count):
        card = bit(nth_bit(cards, below(stream, number - i)))
        cards ^= card
        result |= card
    return result


@kernel(inline=True)
def _fraction(stream: Any) -> float:
    """Draw a number 0 <= x < 1."""
    return (
        np.float64(next_word(stream)) * 4294967296.0 + np.float64(next_word(stream))
    ) * 5.421010862427522e-20


@kernel
def sample(world: Any, view: Any) -> None:
    """Deal the hidden cards, each world that fits alike likely, and the jokers.

    Parameters
    ----------
    world : WORLD record
        As :func:`survey` left it; `hands`, `odd` and `jokers` are modified in place.
    view : VIEW record
        The same as for the survey; its random numbers are drawn.
    """
    stream = view.stream
    first = world.takes[0]
    second = world.takes[1]
    left = popcount(world.hidden)
    for at in range(HOLDERS):
        seat = world.holders[at]
        if seat != APART:
            world.hands[seat] = ZERO
        elif world.takes[at] > 0:
            world.odd = ZERO
    for turn in range(world.n_tight):
        some, rest = _takers(world, turn)
        cards = suit_of(world, turn)
        number = popcount(cards)
        draw = _fraction(stream) * _split_ways(world, turn, first, second, left, -1)
        share = -1
        for count in range(number + 1):
            ways = _split_ways(world, turn, first, second, left, count)
            if ways > 0.0:
                share = count
                draw -= ways
                if draw < 0.0:
                    break
        given = _some_of(cards, share, stream)
        _give(world, some, given)
        _give(world, rest, cards ^ given)
        left -= number
        first -= share * np.int64(some == 0) + (number - share) * np.int64(rest == 0)
        second -= share * np.int64(some == 1) + (number - share) * np.int64(rest == 1)
    given = _some_of(world.loose, first, stream)
    _give(world, 0, given)
    cards = world.loose ^ given
    given = _some_of(cards, second, stream)
    _give(world, 1, given)
    _give(world, 2, cards ^ given)
    if view.rules.jokers:
        _sample_jokers(world, view)


@kernel
def _sample_jokers(world: Any, view: Any) -> None:
    """Draw who holds the jokers that the seat has not, as the rules deal them."""
    rules = view.rules
    seat = np.int64(view.seat)
    for other in range(4):
        world.jokers[other] = 0
    world.jokers[seat] = view.jokers
    if rules.joker_deal == TO_DECLARERS:
        if view.declarer >= 0:
            world.jokers[seat] = 0
            world.jokers[np.int64(view.declarer)] = rules.jokers
    elif rules.joker_deal == ONE_EACH:
        world.jokers[seat ^ 2] = 1 - view.jokers
        world.jokers[(seat ^ 1) ^ (2 * below(view.stream, 2))] = 1
    else:
        for _ in range(rules.jokers - view.jokers):
            other = below(view.stream, view.players - 1)
            world.jokers[other + np.int64(other >= seat)] += 1
