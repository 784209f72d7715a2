"""Exact totals without jokers: all choices of sets that leave room for enough melds.

The ranks are gone through from below, the aces laid low first, and at each its sets are chosen. How
many melds the ranks above can still make depends on little: how far the run of each suit has come
towards three cards. So a choice that leaves too few is given up at once, as is one that cannot be
worth so much any more. What is left is solved by :mod:`simulate.melds.totals_choice`, for the
number of melds looked for, from the most on. A worth is points + penalty * covered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import LANE_ONES, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import INNER, TOO_MANY, U1, U14, cheapest_meld, links, trump_lane
from simulate.melds.solve import best_key, useful_cards
from simulate.melds.totals_choice import most_cards, open_ranks, solve_choice

#: Steps of the search after which it gives up.
_STEPS = 1 << 18

_OUT_OF_REACH = np.int8(-99)


def _sets() -> tuple[np.ndarray, np.ndarray]:
    """By the suits that a rank has: the sets that can be made of it, and how many there are."""
    sets = np.zeros((16, 6), np.int64)
    number = np.ones(16, np.int64)
    for suits in range(16):
        made = [taken for taken in range(16) if taken & ~suits == 0 and taken.bit_count() >= 3]
        sets[suits, 1 : 1 + len(made)] = made
        number[suits] += len(made)
    return sets, number


def _runs() -> np.ndarray:
    """Where runs stand after a rank, by where they stood and the suits that go on.

    Two bits a suit for the cards towards a run of three, and from bit 8 on the runs completed.
    """
    after = np.zeros((256, 16), np.int64)
    for stood in range(256):
        for suits in range(16):
            for suit in range(4):
                cards = (stood >> (2 * suit) & 3) + 1 if suits >> suit & 1 else 0
                after[stood, suits] += (cards // 3 << 8) + (cards % 3 << (2 * suit))
    return after


#: Sets of suits as bit 0 of each lane.
_SPREAD = np.array(
    [sum((suits >> suit & 1) << (16 * suit) for suit in range(4)) for suits in range(16)], np.uint64
)
_SET_OF, _SETS = _sets()
_AFTER = _runs()


@kernel(inline=True)
def _suits(cards: np.uint64, place: int) -> int:
    """Suits that have a card of a rank, as bits 0..3."""
    row = (cards >> np.uint64(place)) & LANE_ONES
    row |= (row >> np.uint64(15)) | (row >> np.uint64(30)) | (row >> np.uint64(45))
    return np.int64(row & np.uint64(15))


@kernel
def _future(suits: NDArray[np.int64], low: int) -> NDArray[np.int8]:
    """Most melds that the ranks from a place on can make.

    Parameters
    ----------
    suits : ndarray of int64, shape (16,)
        By rank, the suits that have a card.
    low : int64
        Suits whose ace could lie low; a bound counts it high as well.

    Returns
    -------
    ndarray of int8, shape (16, 256)
        By rank and by where runs stand; `_OUT_OF_REACH` for what does not come about.
    """
    future = np.full((16, 256), _OUT_OF_REACH)
    part = low
    while True:  # all subsets
        future[2, _AFTER[0, part]] = 0
        if part == 0:
            break
        part = (part - 1) & low
    for place in range(2, 15):
        for stood in range(256):
            if future[place, stood] == 0:
                for at in range(_SETS[suits[place]]):
                    left = suits[place] & ~_SET_OF[suits[place], at]
                    future[place + 1, _AFTER[stood, left] & 255] = 0
    future[15, :] = 0  # fewer aces may be high than was assumed
    for place in range(14, 1, -1):
        for stood in range(256):
            if future[place, stood] == 0:
                most = np.int64(0)
                for at in range(_SETS[suits[place]]):
                    left = suits[place] & ~_SET_OF[suits[place], at]
                    after = _AFTER[stood, left]
                    melds = (after >> 8) + np.int64(at > 0) + future[place + 1, after & 255]
                    most = max(most, melds)
                future[place, stood] = most
    return future


@kernel
def _search(
    area: Any,
    ranks: tuple[NDArray[np.int64], NDArray[np.int8]],
    cards: np.uint64,
    trumps: np.uint64,
    sure: int,
    melds: int,
    worth: int,
    best: int,
    most: int,
    steps: int,
) -> tuple[int, int]:
    """Go through the choices of sets that leave room for `melds` melds, and solve each.

    Parameters
    ----------
    area : MELD_AREA record
        The solution is written.
    ranks : tuple of array
        By rank, the suits that have a card, and what :func:`_future` tells.
    cards : uint64
        Those for runs while no set is made, each ace on one side.
    trumps : uint64
        Lane of the trump suit.
    sure, melds, worth, best
        As for `solve_choice`.
    most : int64
        Covered cards that are enough.
    steps : int64
        So far.

    Returns
    -------
    best, steps : int64
        As now known; `best` is `TOO_MANY` where there are too many steps.
    """
    suits, future = ranks
    stood = np.empty(16, np.int64)  # by rank: where runs stand before it, with the melds so far
    taken = np.empty(16, np.int64)  # sets so far, as `solve_choice` takes them
    turn = np.zeros(16, np.int64)  # the choice that comes next
    left = np.empty(16, np.uint64)  # cards for runs
    need = melds - (sure & 31) - (sure >> 5)
    set3 = area.set3 >> 12
    set4 = area.set4 >> 12
    card0 = area.card[0] >> 12
    card1 = area.card[1] >> 12
    split = max(min(-(area.split[0] >> 12), -(area.split[1] >> 12)), 0)
    card0 += max(2 * card0 + (area.split[0] >> 12), 0)
    card1 += max(2 * card1 + (area.split[1] >> 12), 0)
    later = np.zeros((2, 16), np.int64)  # sets of the ranks from one on, and their worth
    for rank in range(14, 1, -1):
        later[0, rank] = later[0, rank + 1] + (_SETS[suits[rank]] > 1)
        later[1, rank] = later[1, rank + 1]
        if _SETS[suits[rank]] > 1:
            later[1, rank] += max(set3, set4) if suits[rank] == 15 else set3
    later[1, :] += (sure & 31) * set3 + (sure >> 5) * max(set3, set4)
    stood[2] = _AFTER[0, _suits(cards, 1)]
    taken[2] = 0
    left[2] = cards
    place = np.int64(2)
    while place >= 2:
        held = suits[place]
        at = turn[place]
        if at == _SETS[held]:
            turn[place] = 0
            place -= 1
            continue
        turn[place] += 1
        steps += 1
        made = _SET_OF[held, at]
        after = _AFTER[stood[place] & 255, held & ~made] + (stood[place] & ~np.int64(255))
        if at > 0:
            after += 256
        if (after >> 8) + future[place + 1, after & 255] < need:
            continue
        sets = taken[place]
        rest = left[place]
        if at > 0:
            sets += 32 if made == 15 else 1
            rest &= ~(_SPREAD[made] << np.uint64(place))
        # What can still be worth so much: each run more than there are stretches loses `split`.
        link = links(rest)
        runs = need - (sets & 31) - (sets >> 5) - later[0, place + 1]
        splits = runs - popcount(link & ~(link << U1))
        bound = popcount(link & ~trumps) * card0 + popcount(link & trumps) * card1
        bound += (sets & 31) * set3 + (sets >> 5) * set4 + later[1, place + 1]
        if bound - max(splits, 0) * split < worth:
            continue
        if place < 14:
            place += 1
            stood[place] = after
            taken[place] = sets
            left[place] = rest
            continue
        plain, trump = most_cards(area, rest, trumps)
        result = solve_choice(area, plain, trump, sets, sure, melds, worth, best)
        if result > best:
            best = result
            area.mask[0] = rest
            if best >= most:
                break
        if steps > _STEPS:
            return TOO_MANY, steps
    return best, steps


@kernel
def solve_exact(area: Any, pile: np.uint64, trump: int, at_least: int, worth: int) -> int:
    """Find the best layout of a pile without jokers that is worth exactly so much.

    Parameters
    ----------
    area : MELD_AREA record
        The solution is written for :func:`lay_solution`, and `best`.
    pile : uint64
    trump, at_least, worth : int64

    Returns
    -------
    int64
        64 * melds + covered; -1 when there is none; `TOO_MANY` when the search takes too long.
    """
    contested = open_ranks(pile)
    useful = useful_cards(pile)
    suits = np.zeros(16, np.int64)
    sure = np.int64(0)
    for place in range(2, 15):
        line = LANE_ONES << np.uint64(place)
        number = popcount(pile & line)
        if (contested >> np.uint64(place)) & U1:
            suits[place] = _suits(pile, place)
        else:
            suits[place] = _suits(useful, place)
            if number >= 3:
                sure += 32 if number == 4 else 1
    low = _suits(useful & (useful << np.uint64(12)) & (useful << np.uint64(11)), 14)
    future = _future(suits, low)
    melds = np.int64(0)
    part = low
    while True:
        after = _AFTER[0, part]
        melds = max(melds, future[2, after])
        if part == 0:
            break
        part = (part - 1) & low
    melds += (sure & 31) + (sure >> 5)
    cheapest = cheapest_meld(area)
    step = min(area.set4 - area.set3, area.card[0], area.card[1]) >> 12
    if cheapest > 0:
        melds = min(melds, worth // cheapest)
    trumps = trump_lane(trump)
    aces = suits[14]
    steps = np.int64(0)
    while melds >= at_least:
        if best_key(area, pile, trump, melds) >> 12 < worth:
            melds -= 1
            continue
        best = np.int64(-1)
        most = np.int64(52)
        if step > 0:
            most = min(most, 3 * melds + (worth - melds * cheapest) // step)
        part = low
        while True:  # all subsets of the aces that may lie low
            suits[14] = aces & ~part
            cards = (pile & INNER) | (_SPREAD[part] << U1) | (_SPREAD[aces & ~part] << U14)
            best, steps = _search(
                area, (suits, future), cards, trumps, sure, melds, worth, best, most, steps
            )
            if best == TOO_MANY:
                return best
            if part == 0 or best >= most:
                break
            part = (part - 1) & low
        if best >= 0:
            return 64 * melds + best
        melds -= 1
    return np.int64(-1)
