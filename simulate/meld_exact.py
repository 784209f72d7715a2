"""Exact totals without jokers: all choices of sets and of the aces' sides, each solved at once.

The choices are listed as in :mod:`simulate.meld_list`, but with nothing left out for being worth
less. Of the stretches that a choice leaves, c runs can cover any number of cards from 3 * c to the
length of the c longest stretches, whatever c up to the most runs that there is room for. So what
remains is to solve ::

    sets + c * run + extra * card = worth        (twice, for plain suits and for trumps)

for the largest number of melds. A worth is points + penalty * covered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.bits import lowest, popcount
from simulate.kernels import kernel
from simulate.meld_area import (
    INNER,
    LANE_ONES,
    LISTED,
    TOO_MANY,
    U1,
    U2,
    U3,
    U14,
    any_suit,
    links,
    three_or_more,
    trump_lane,
)
from simulate.melds import useful_cards

# Places in `area.turn` of the solution: choice, sets of four and of three where nothing competes,
# runs and cards beyond three a run, plain and trump.
_CHOICE, _FOURS, _THREES, _RUNS, _CARDS = 0, 1, 2, 3, 5


@kernel(inline=True)
def _open_ranks(pile: np.uint64) -> np.uint64:
    """Ranks whose sets compete with runs, as bits 2..14."""
    return three_or_more(pile) & any_suit(useful_cards(pile))


@kernel
def _list_sets(area: Any, pile: np.uint64, contested: np.uint64) -> int:
    """List all choices of sets of the `contested` ranks and of the aces' sides.

    Parameters
    ----------
    area : MELD_AREA record
        `mask` (cards left for runs) and `gain` (sets of three + 32 * sets of four) are written.
    pile : uint64
    contested : uint64
        Ranks, as bits 2..14.

    Returns
    -------
    int64
        Number of choices; `TOO_MANY` when they are more than `LISTED`.
    """
    mask = area.mask
    gain = area.gain
    mask[0] = pile
    gain[0] = 0
    count = np.int64(1)
    while contested != np.uint64(0):
        cards = pile & (LANE_ONES << np.uint64(lowest(contested)))
        contested &= contested - U1
        before = count
        spared = cards
        # Without the spared cards, from none up to one; then without all of them: no set.
        for turn in range(5):
            if turn == 0:
                left = np.uint64(0)
            else:
                if popcount(cards) == 3 or spared == np.uint64(0):
                    break
                left = spared & (~spared + U1)
                spared ^= left
            if count + before > LISTED:
                return TOO_MANY
            worth = 32 if popcount(cards ^ left) == 4 else 1
            for choice in range(before):
                mask[count + choice] = mask[choice] & ~(cards ^ left)
                gain[count + choice] = gain[choice] + worth
            count += before
    # Each ace that could lie on either side is tried on both; the others lie low or else high.
    low = (pile >> U2) & (pile >> U3) & LANE_ONES
    high = (pile >> np.uint64(12)) & (pile >> np.uint64(13)) & LANE_ONES
    for choice in range(count):
        aces = (mask[choice] >> U14) & LANE_ONES
        both = aces & low & high
        mask[choice] = (mask[choice] & INNER) | ((aces & low) << U1) | ((aces & ~low) << U14)
        part = both
        while part != np.uint64(0):
            # Those of `part` move up.
            if count == LISTED:
                return TOO_MANY
            mask[count] = (mask[choice] & ~(part << U1)) | (part << U14)
            gain[count] = gain[choice]
            count += 1
            part = (part - U1) & both
    return count


@kernel
def _most_cards(area: Any, cards: np.uint64, trumps: np.uint64) -> tuple[int, int]:
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
def _solve(
    area: Any,
    choice: int,
    plain: int,
    trump: int,
    threes: int,
    fours: int,
    worth: int,
    best: int,
    at_least: int,
) -> int:
    """Solve for one choice of sets and aces' sides.

    Parameters
    ----------
    area : MELD_AREA record
        ``best[0, :2]`` holds the most cards by number of runs; `turn` is overwritten with the
        solution, where there is one.
    choice : int64
    plain, trump : int64
        Most runs of plain suits and of trumps.
    threes, fours : int64
        Ranks of three and of four cards with which nothing competes.
    worth : int64
    best : int64
        64 * melds + covered of the best solution so far, or -1.
    at_least : int64

    Returns
    -------
    int64
        64 * melds + covered of the best solution now.
    """
    made3 = area.gain[choice] & 31
    made4 = area.gain[choice] >> 5
    set3 = area.set3 >> 12
    set4 = area.set4 >> 12
    card0 = area.card[0] >> 12
    card1 = area.card[1] >> 12
    run0 = (3 * area.card[0] + area.split[0]) >> 12
    run1 = (3 * area.card[1] + area.split[1]) >> 12
    sets = made3 + made4
    made = made3 * set3 + made4 * set4
    melds = sets + threes + fours + plain + trump
    while melds >= at_least and melds >= best >> 6:
        for more4 in range(min(fours, melds - sets) + 1):
            for more3 in range(min(threes + fours - more4, melds - sets - more4) + 1):
                runs = melds - sets - more4 - more3
                left = worth - made - more4 * set4 - more3 * set3
                if runs > plain + trump or left < 0:
                    continue
                covered = 64 * melds + 3 * (made3 + more3 + runs) + 4 * (made4 + more4)
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
                            area.turn[_CHOICE] = choice
                            area.turn[_FOURS] = more4
                            area.turn[_THREES] = more3
                            area.turn[_RUNS] = plains
                            area.turn[_RUNS + 1] = trumps
                            area.turn[_CARDS] = more0
                            area.turn[_CARDS + 1] = more1
        melds -= 1
    return best


@kernel
def solve_listed(area: Any, pile: np.uint64, trump: int, at_least: int, worth: int) -> int:
    """Find the best layout of a pile without jokers that is worth exactly so much.

    Parameters
    ----------
    area : MELD_AREA record
        The solution is written, see `_solve`, and `mask` and `gain`.
    pile, trump, at_least, worth

    Returns
    -------
    int64
        64 * melds + covered; -1 when there is none; `TOO_MANY` when the choices do not fit.
    """
    contested = _open_ranks(pile)
    choices = _list_sets(area, pile, contested)
    if choices == TOO_MANY:
        return TOO_MANY
    threes = np.int64(0)
    fours = np.int64(0)
    sure = three_or_more(pile) & ~contested
    while sure != np.uint64(0):
        if popcount(pile & (LANE_ONES << np.uint64(lowest(sure)))) == 4:
            fours += 1
        else:
            threes += 1
        sure &= sure - U1
    trumps = trump_lane(trump)
    best = np.int64(-1)
    # The choices that leave room for the most melds go first.
    highest = np.int64(0)
    for choice in range(choices):
        link = links(area.mask[choice])
        first = link & ~(link << U1)
        melds = threes + fours + (area.gain[choice] & 31) + (area.gain[choice] >> 5)
        while first != np.uint64(0):
            melds += popcount(first)
            first = (first << U3) & link
        area.gain[choice] |= melds << 16
        highest = max(highest, melds)
    for level in range(highest, -1, -1):
        if level < at_least or level < best >> 6:
            break
        for choice in range(choices):
            if area.gain[choice] >> 16 != level:
                continue
            area.gain[choice] &= 0xFFFF
            plain, trump_runs = _most_cards(area, area.mask[choice], trumps)
            best = _solve(area, choice, plain, trump_runs, threes, fours, worth, best, at_least)
            area.gain[choice] |= level << 16
    return best


@kernel
def lay_solution(area: Any, pile: np.uint64, trump: int, out: NDArray[np.uint64]) -> int:
    """Write the melds of the solution that :func:`solve_listed` left; return their number."""
    cards = area.mask[area.turn[_CHOICE]]
    naturals = cards | ((cards & (LANE_ONES << U1)) << np.uint64(13))
    contested = _open_ranks(pile)
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
