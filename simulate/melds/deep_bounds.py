"""Bounds of what the deep search can still gain (:mod:`simulate.melds.deep`).

The cards above a place are laid out by themselves, by the fast searches; an open piece adds a
little to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import LANE_ONES, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.deep_steps import DONE, LEFT, LENGTH, MELDS, TOTAL, Search
from simulate.melds.problem import Problem
from simulate.melds.solve import best_key
from simulate.melds.wild_one import MANY, most_by_jokers
from simulate.melds.wild_two import free_key

#: A bound that is not worked out yet.
_UNKNOWN = np.int64(-2)
# Typed, since numba compiles a function anew for an argument that is written as a number.
_TWO = np.int64(2)
_NO_MELDS = np.int64(0)


@kernel(inline=True)
def _above(pile: np.uint64, place: int) -> np.uint64:
    """Cards of a pile above a place, the ace being high."""
    return pile & (LANE_ONES * np.uint64((0x7FFC >> (place + 1)) << (place + 1)))


@kernel
def no_rest() -> NDArray[np.int64]:
    """Room for what :func:`bound_rest` works out: one for all searches of a pile."""
    return np.full((15, 3, 18), _UNKNOWN, np.int64)


@kernel
def bound_pieces(area: Any) -> NDArray[np.int64]:
    """Bound what an open piece adds to the key of the cards above it.

    Parameters
    ----------
    area : MELD_AREA record

    Returns
    -------
    ndarray of int64, shape (3, 2, 10)
        By jokers left, trump and code.
    """
    pieces = np.empty((3, 2, 10), np.int64)
    for left in range(3):
        # As many cards that join the piece are no meld of their own: two, or with two jokers three.
        joined = 3 if left == 2 else 2
        for kind in range(2):
            card = area.card[kind]
            split = area.split[kind]
            pieces[left, kind, 0] = 0
            for code in range(1, 10):
                length = LENGTH[code]
                if code == DONE:
                    pieces[left, kind, code] = max(joined * card, -split)
                else:
                    pieces[left, kind, code] = max(
                        (joined + length) * card + max(split, 2 * split), length * card
                    )
    return pieces


@kernel
def bound_rest(problem: Problem, rest: NDArray[np.int64], place: int, left: int, melds: int) -> int:
    """Bound what the cards above a place come to by themselves.

    Parameters
    ----------
    problem : Problem
    rest : ndarray of int64, shape (15, 3, 18)
        What is known by place, jokers and melds; `_UNKNOWN` elsewhere.
    place, left, melds : int64
        The place, the jokers left, and melds that these cards must make.

    Returns
    -------
    int64
        A key that is not exceeded; negative where there are not so many melds.
    """
    if rest[place, left, melds] == _UNKNOWN:
        area = problem.area
        trump = problem.trump
        cards = _above(problem.pile, place)
        if left == 0:
            rest[place, left, melds] = best_key(area, cards, trump, melds)
        else:
            above = Problem(area, cards, left, _TWO, trump, _NO_MELDS)
            sure, doubt = free_key(above)
            if (sure & 4095) >> 6 < melds:
                above = Problem(area, cards, left, _TWO, trump, melds)
                if left == 1 or popcount(cards) <= MANY:
                    sure, doubt = free_key(above)
                else:
                    plain = best_key(area, cards, trump, max(melds - left, 0))
                    if plain >= 0:
                        plain += most_by_jokers(area, left)
                    sure = min(max(sure, doubt), plain)
            rest[place, left, melds] = max(sure, doubt)
    return rest[place, left, melds]


@kernel(inline=True)
def still_needed(
    search: Search, pieces: NDArray[np.int64], state: int, value: int
) -> tuple[int, int]:
    """Tell what the cards above a place must come to, for a state to lead to the goal.

    Parameters
    ----------
    search : Search
    pieces : ndarray of int64
        Of :func:`bound_pieces`.
    state, value : int64
        After the place.

    Returns
    -------
    melds, key : int64
        At the least; both for :func:`bound_rest`, and `melds` negative where nothing helps.
    """
    problem, goal = search.problem, search.goal
    left = (state >> LEFT) & 3
    gain = np.int64(0)  # of the open pieces
    short = np.int64(0)  # open pieces that are no meld yet
    for suit in range(4):
        code = (state >> (4 * suit)) & 15
        gain += pieces[left, np.int64(suit == problem.trump), code]
        short += code != 0 and code != DONE
    melds = (state >> MELDS) & 31
    lacking = problem.at_least - melds
    missing = goal.floor - value
    if goal.total >= 0:
        total = state >> TOTAL
        lacking = goal.melds - melds
        missing = (goal.total - total) << 12
        if total > goal.total or lacking < 0 or total + lacking * goal.floor > goal.total:
            return np.int64(-1), missing
        if value + cover(problem.area, goal.total - total, lacking) < goal.covered:
            return np.int64(-1), missing
    return min(max(lacking - short, 0), 17), max(missing - gain, 0)


@kernel
def cover(area: Any, worth: int, melds: int) -> int:
    """Bound the covered cards of so many melds that are worth so much in all."""
    set3 = (area.set3 >> 12) - 3 * area.penalty
    set4 = (area.set4 >> 12) - 4 * area.penalty
    cheapest = set3
    step = set4 - set3
    for kind in range(2):
        card = area.card[kind] >> 12
        cheapest = min(
            cheapest, ((3 * area.card[kind] + area.split[kind]) >> 12) - 3 * area.penalty
        )
        step = min(step, card - area.penalty)
    if step < 0 or step + area.penalty == 0:
        return np.int64(64)
    return (worth - melds * (cheapest - 3 * step)) // (step + area.penalty)
