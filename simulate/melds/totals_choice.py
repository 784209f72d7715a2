"""Exact totals once the sets are chosen: how many runs, and how long.

Of the stretches that the chosen sets leave, c runs can cover any number of cards from 3 * c to the
length of the c longest stretches, whatever c up to the most runs that there is room for. So what
remains is to solve ::

    sets + c * run + extra * card = worth        (twice, for plain suits and for trumps)

for a given number of melds. Sets of ranks with which no run competes may be laid or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import LANE_ONES, lowest, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import U1, any_suit, links, three_or_more, trump_lane
from simulate.melds.solve import useful_cards

# Places in `area.turn` of the solution: sets of four and of three where nothing competes, runs and
# cards beyond three a run, plain and trump. Its cards for runs are `area.mask[0]`.
_FOURS, _THREES, _RUNS, _CARDS = 0, 1, 2, 4


@kernel(inline=True)
def open_ranks(pile: np.uint64) -> np.uint64:
    """Ranks whose sets compete with runs, as bits 2..14."""
    return three_or_more(pile) & any_suit(useful_cards(pile))


@kernel
def most_cards(area: Any, cards: np.uint64, trumps: np.uint64) -> tuple[int, int]:
    """Most cards that so many runs can cover.

    Parameters
    ----------
    area : MELD_AREA record
        ``best[0, 0]`` (plain) and ``best[0, 1]`` (trump) are written, by number of runs.
    cards, trumps : uint64
        Cards left for runs, each ace on one side, and the trump suit's lane.

    Returns
    -------
    plain, trump : int64
        Most runs.
    """
    link = links(cards)
    plain_runs = np.int64(0)
    trump_runs = np.int64(0)
    for kind in range(2):
        most = area.best[0, kind]
        own = link & (trumps if kind == 1 else ~trumps)
        first = own & ~(own << U1)
        stretches = np.int64(0)
        runs = np.int64(0)
        while first != np.uint64(0):
            length = lowest(~(own >> np.uint64(lowest(first)))) + 2
            first &= first - U1
            runs += length // 3
            stretches += 1
            at = stretches
            while at > 1 and most[at - 1] < length:
                most[at] = most[at - 1]
                at -= 1
            most[at] = length
        most[0] = 0
        for at in range(1, runs + 1):
            most[at] = most[at - 1] + (most[at] if at <= stretches else 0)
        if kind == 0:
            plain_runs = runs
        else:
            trump_runs = runs
    return plain_runs, trump_runs


@kernel
def solve_choice(
    area: Any,
    plain: int,
    trump: int,
    sets: int,
    sure: int,
    melds: int,
    worth: int,
    best: int,
) -> int:
    """Solve for one choice of sets and aces' sides.

    Parameters
    ----------
    area : MELD_AREA record
        ``best[0, :2]`` holds the most cards by number of runs; `turn` is overwritten with the
        solution, where it is better than `best`.
    plain, trump : int64
        Most runs of plain suits and of trumps.
    sets, sure : int64
        Sets chosen, and ranks with which nothing competes: of three cards, and 32 times of four.
    melds, worth : int64
    best : int64
        Most covered cards so far, or -1.

    Returns
    -------
    int64
        Most covered cards now.
    """
    set3 = area.set3 >> 12
    set4 = area.set4 >> 12
    card0 = area.card[0] >> 12
    card1 = area.card[1] >> 12
    run0 = (3 * area.card[0] + area.split[0]) >> 12
    run1 = (3 * area.card[1] + area.split[1]) >> 12
    made3 = sets & 31
    made4 = sets >> 5
    fours = sure >> 5
    free = melds - made3 - made4
    left_over = worth - made3 * set3 - made4 * set4
    for more4 in range(min(fours, free) + 1):
        for more3 in range(min((sure & 31) + fours - more4, free - more4) + 1):
            runs = free - more4 - more3
            left = left_over - more4 * set4 - more3 * set3
            if runs > plain + trump or left < 0:
                continue
            covered = 3 * (made3 + more3 + runs) + 4 * (made4 + more4)
            for trumps in range(max(runs - plain, 0), min(runs, trump) + 1):
                plains = runs - trumps
                rest = left - plains * run0 - trumps * run1
                most0 = area.best[0, 0, plains] - 3 * plains
                most1 = area.best[0, 1, trumps] - 3 * trumps
                if rest < 0 or rest > most0 * card0 + most1 * card1:
                    continue
                for more1 in range(most1 + 1):
                    rest0 = rest - more1 * card1
                    if rest0 < 0:
                        break
                    more0 = np.int64(most0)
                    if card0 > 0:
                        more0 = rest0 // card0
                    if more0 > most0 or more0 * card0 != rest0:
                        continue
                    if covered + more0 + more1 > best:
                        best = covered + more0 + more1
                        area.turn[_FOURS] = more4
                        area.turn[_THREES] = more3
                        area.turn[_RUNS] = plains
                        area.turn[_RUNS + 1] = trumps
                        area.turn[_CARDS] = more0
                        area.turn[_CARDS + 1] = more1
    return best


@kernel
def lay_solution(area: Any, pile: np.uint64, trump: int, out: NDArray[np.uint64]) -> int:
    """Write the melds that `totals_plain.solve_exact` found; return their number."""
    cards = area.mask[0]
    naturals = cards | ((cards & (LANE_ONES << U1)) << np.uint64(13))
    contested = open_ranks(pile)
    threes = area.turn[_THREES]
    fours = area.turn[_FOURS]
    laid = np.int64(0)
    for turn in range(2):  # ranks of four first: those not wanted whole may make a three
        ranks = three_or_more(pile)
        while ranks != np.uint64(0):
            rank = U1 << np.uint64(lowest(ranks))
            ranks ^= rank
            meld = pile & (LANE_ONES << np.uint64(lowest(rank)))
            whole = popcount(meld) == 4
            if whole != (turn == 0):
                continue
            if contested & rank:
                meld &= ~naturals
            elif whole and fours > 0:
                fours -= 1
            elif threes > 0:
                threes -= 1
                if whole:
                    meld &= meld - U1
            else:
                continue
            if popcount(meld) < 3:
                continue
            out[laid] = meld
            laid += 1
    trumps = trump_lane(trump)
    link = links(cards)
    for kind in range(2):
        own = link & (trumps if kind == 1 else ~trumps)
        laid += _lay_longest(own, area.turn[_RUNS + kind], area.turn[_CARDS + kind], out[laid:])
    return laid


@kernel
def _lay_longest(link: np.uint64, runs: int, extra: int, out: NDArray[np.uint64]) -> int:
    """Write `runs` runs of the longest stretches, with `extra` cards beyond three each."""
    laid = np.int64(0)
    while runs > 0:
        start = np.int64(0)
        length = np.int64(0)
        first = link & ~(link << U1)
        stretches = popcount(first)
        while first != np.uint64(0):
            at = lowest(first)
            first &= first - U1
            here = lowest(~(link >> np.uint64(at))) + 2
            if here > length:
                start = np.int64(at)
                length = np.int64(here)
        link &= ~(((U1 << np.uint64(length)) - U1) << np.uint64(start))
        # As many runs as there is room for, but one for each stretch that is to be used.
        number = min(length // 3, max(runs - stretches + 1, 1))
        runs -= number
        more = min(extra, length - 3 * number)
        extra -= more
        for _ in range(number):
            meld = ((U1 << np.uint64(3 + more)) - U1) << np.uint64(start)
            start += 3 + more
            more = np.int64(0)
            ace = meld & (LANE_ONES << U1)
            out[laid] = (meld ^ ace) | (ace << np.uint64(13))
            laid += 1
    return laid
