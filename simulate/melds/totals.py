"""Layouts worth an exact total, for a hard bid (rules, variant hard-bid).

Any melds may be left unlaid. Of the layouts that are worth the total, the one with the most melds
counts, then the one with the fewest dead cards. Without jokers :mod:`simulate.melds.totals_plain`
finds it, unless that takes too long; then, and with jokers, :mod:`simulate.melds.deep` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import TOO_MANY, cheapest_meld
from simulate.melds.deep import find_total, read_layout
from simulate.melds.problem import Problem
from simulate.melds.solve import best_key
from simulate.melds.totals_choice import lay_solution
from simulate.melds.totals_plain import solve_exact
from simulate.melds.wild import lay_out_wild, wild_key
from simulate.melds.wild_one import MANY, most_by_jokers

__all__ = ["lay_out_total", "reach_total"]

_NONE = np.int64(-1)

# What finds a layout: it is the best of all, the search over sets, or the deep search.
_BEST = np.int64(0)
_SETS = np.int64(1)
_DEEP = np.int64(2)


@kernel
def _divisor(area: Any) -> int:
    """Greatest common divisor of all that a meld can be worth."""
    divisor = np.int64(0)
    for turn in range(6):
        if turn == 0:
            value = area.set3
        elif turn == 1:
            value = area.set4
        elif turn < 4:
            value = area.card[turn - 2]
        else:
            value = 3 * area.card[turn - 4] + area.split[turn - 4]
        value >>= 12
        while value > 0:
            divisor, value = value, divisor % value
    return divisor


@kernel
def _reach(problem: Problem, worth: int) -> tuple[int, int]:
    """Find the melds and the covered cards of a total.

    Returns
    -------
    int64
        64 * melds + covered; -1 when there is none.
    int64
        What found it: `_BEST`, `_SETS` (the solution is in the area) or `_DEEP`.
    """
    area, pile, jokers, least, trump, at_least = problem
    if worth < 0:
        return _NONE, _DEEP
    key = wild_key(problem)
    if key < 0 or worth > key >> 12:
        return _NONE, _DEEP
    if worth == key >> 12:
        return key & 4095, _BEST
    divisor = _divisor(area)
    # A joker covers no card: where there is a penalty its melds are worth less.
    if divisor == 0 or (worth % divisor and (jokers == 0 or area.penalty == 0)):
        return _NONE, _DEEP
    if jokers == 0:
        result = solve_exact(area, pile, trump, at_least, worth)
        if result != TOO_MANY:
            return result, _SETS
    cheapest = max(cheapest_meld(area) - jokers * area.penalty, 0)
    most = (key & 4095) >> 6
    while cheapest == 0 or cheapest * (most + 1) <= worth:
        if jokers < 2 or popcount(pile) <= MANY:
            key = wild_key(Problem(area, pile, jokers, least, trump, most + 1))
        else:
            key = best_key(area, pile, trump, max(most + 1 - jokers, 0))
            key += most_by_jokers(area, jokers) if key >= 0 else 0
        if key < 0 or worth > key >> 12:
            break
        most += 1
    if cheapest > 0:
        most = min(most, worth // cheapest)
    return find_total(problem, worth, cheapest, most, np.int64(0)).answer, _DEEP


@kernel
def reach_total(
    area: Any,
    pile: np.uint64,
    jokers: int,
    min_natural: int,
    trump: int,
    at_least: int,
    total: int,
) -> tuple[int, int, int]:
    """Value of the layout of a pile that is worth exactly `total` (rules, variant hard-bid).

    Of such layouts it is the one with the most melds, then the fewest dead cards. Any melds may
    be left unlaid.

    Parameters
    ----------
    area : MELD_AREA record
        Prepared; its scratch memory is overwritten.
    pile : uint64
        Natural cards, 0..52.
    jokers, min_natural : int64
        Jokers that join the layout, 0..2; natural cards that a meld with one needs, 2 or 3.
    trump : int64
        Denomination 0..4; 4 is no trump.
    at_least : int64
        Melds that the layout must have, 0..17.
    total : int64
        Points of the melds less the penalty for dead cards.

    Returns
    -------
    points, melds, dead : int64
        Points of the melds, the penalty not taken off; their number, -1 when no layout comes to
        the total; natural cards in no meld.
    """
    number = np.int64(popcount(pile))
    problem = Problem(area, pile, jokers, min_natural, trump, at_least)
    result, _ = _reach(problem, total + area.penalty * number)
    if result < 0:
        return np.int64(0), np.int64(-1), number
    dead = number - (result & 63)
    return total + area.penalty * dead, result >> 6, dead


@kernel
def lay_out_total(
    area: Any,
    pile: np.uint64,
    jokers: int,
    min_natural: int,
    trump: int,
    at_least: int,
    total: int,
    out: NDArray[np.uint64],
    out_jokers: NDArray[np.uint64],
) -> int:
    """Write down the layout of :func:`reach_total`, always the same one of those that tie.

    Parameters
    ----------
    area, pile, jokers, min_natural, trump, at_least, total
        As for :func:`reach_total`.
    out, out_jokers
        As for :func:`simulate.melds.wild.lay_out_wild`.

    Returns
    -------
    int64
        Number of melds; -1 when no layout comes to the total.
    """
    worth = total + area.penalty * np.int64(popcount(pile))
    problem = Problem(area, pile, jokers, min_natural, trump, at_least)
    result, way = _reach(problem, worth)
    if result < 0:
        return np.int64(-1)
    if way == _BEST:
        return lay_out_wild(area, pile, jokers, min_natural, trump, at_least, out, out_jokers)
    if way == _SETS:
        count = lay_solution(area, pile, trump, out)
        for meld in range(count):
            out_jokers[meld] = np.uint64(0)
        return count
    found = find_total(problem, worth, np.int64(0), result >> 6, np.int64(1))
    return read_layout(found, out, out_jokers)
