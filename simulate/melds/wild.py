"""The best layout of a pile with one or two jokers, exactly (rules, variant jokers).

:mod:`simulate.melds.wild_two` finds most keys; where it is in doubt, where three natural cards are
needed in a meld with a joker, and for the layout itself :mod:`simulate.melds.deep` is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel
from simulate.melds.deep import best_of_all, read_layout, search
from simulate.melds.deep_bounds import no_rest
from simulate.melds.problem import Problem
from simulate.melds.solve import best_key, lay_out
from simulate.melds.wild_two import free_key

__all__ = ["best_layout_wild", "lay_out_wild", "wild_key"]


@kernel
def wild_key(problem: Problem) -> int:
    """Key of the best layout with at least `at_least` melds; -1 when there is none."""
    area, pile, jokers, least, trump, at_least = problem
    if jokers == 0:
        return best_key(area, pile, trump, at_least)
    if 3 * at_least > popcount(pile) + jokers:
        return np.int64(-1)
    # The best layout of all mostly has melds enough; only then is their number a condition.
    for need in (np.int64(0), at_least):
        eased = Problem(area, pile, jokers, least, trump, need)
        key, doubt = free_key(eased)
        if doubt > key:
            key = search(eased, best_of_all(key, np.int64(0)), no_rest()).answer
        if key < 0 or (key & 4095) >> 6 >= at_least:
            break
    return key


@kernel
def best_layout_wild(
    area: Any, pile: np.uint64, jokers: int, min_natural: int, trump: int, at_least: int
) -> tuple[int, int, int]:
    """Value of the best layout of a pile with jokers (rules, variant jokers).

    The best is chosen as by :func:`simulate.melds.solve.best_layout`; a joker left over is no dead
    card.

    Parameters
    ----------
    area : MELD_AREA record
        Prepared; its scratch memory is overwritten.
    pile : uint64
        Natural cards, 0..52.
    jokers : int64
        Jokers that join the layout, 0..2.
    min_natural : int64
        Natural cards that a meld with a joker needs, 2 or 3.
    trump : int64
        Denomination 0..4; 4 is no trump.
    at_least : int64
        Melds that the layout must have, 0..17.

    Returns
    -------
    points, melds, dead : int64
        Points of the melds, the penalty not taken off; their number, -1 when no layout has
        `at_least` melds; natural cards in no meld.
    """
    key = wild_key(Problem(area, pile, jokers, min_natural, trump, at_least))
    if key < 0:
        return np.int64(0), np.int64(-1), np.int64(popcount(pile))
    covered = key & 63
    return (key >> 12) - area.penalty * covered, (key & 4095) >> 6, popcount(pile) - covered


@kernel
def lay_out_wild(
    area: Any,
    pile: np.uint64,
    jokers: int,
    min_natural: int,
    trump: int,
    at_least: int,
    out: NDArray[np.uint64],
    out_jokers: NDArray[np.uint64],
) -> int:
    """Write down the best layout of a pile with jokers, always the same one of those that tie.

    Sets come first, then runs. The deep search finds them: this takes some milliseconds where
    there are jokers.

    Parameters
    ----------
    area, pile, jokers, min_natural, trump, at_least
        As for :func:`best_layout_wild`.
    out, out_jokers : ndarray of uint64, shape (18,) or longer
        The first entries are overwritten by meld: its natural cards, and the cards for which
        jokers stand (in a set, of suits that it lacks), the ace as bit 14.

    Returns
    -------
    int64
        Number of melds; -1 when no layout has `at_least` melds.
    """
    if jokers == 0:
        count = lay_out(area, pile, trump, at_least, out)
        for meld in range(count):
            out_jokers[meld] = np.uint64(0)
        return count
    problem = Problem(area, pile, jokers, min_natural, trump, at_least)
    key = wild_key(problem)
    if key < 0:
        return np.int64(-1)
    found = search(problem, best_of_all(key, np.int64(1)), no_rest())
    return read_layout(found, out, out_jokers)
