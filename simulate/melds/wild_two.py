"""Two jokers as cards that the pile lacks, and the choice between one joker and two.

See :mod:`simulate.melds.wild_one` for the idea. With two jokers the layout found may also rest on
one natural card beside both. Its worth is then no more than that of the plain pile and one small
meld; where this could be the best after all, the answer is doubtful.
"""

from __future__ import annotations

import numpy as np

from simulate.compiled.bits import LANE_ONES, lowest, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import NATURAL, NEVER, U1, joker_share
from simulate.melds.problem import Problem
from simulate.melds.solve import best_key
from simulate.melds.wild_one import (
    card_bound,
    list_cards,
    most_by_run,
    ranks_of,
    run_bound,
    thin_meld,
    thin_run,
    with_one,
)

# Where the cards of a search with one joker are listed. Typed, since numba compiles a
# function anew for an argument that is written as a number.
_OUTER = np.int64(0)
_INNER = np.int64(1)


@kernel(inline=True)
def _close(one: int, other: int) -> bool:
    """Whether two cards of a suit could lie in one run of three."""
    apart = abs(one - other)
    return apart <= 2 or (max(one & 15, other & 15) == 14 and min(one & 15, other & 15) <= 3)


@kernel(inline=True)
def _alike(one: int, other: int) -> bool:
    """Whether two cards are of one suit or rank."""
    return one >> 4 == other >> 4 or one & 15 == other & 15


@kernel
def _with_card(problem: Problem, at: int) -> int:
    """Best key of the pile with listed card number `at`, computed once; one meld may be short."""
    wild = problem.area.wild
    if wild[0, 2, at] == NEVER:
        pile = problem.pile | (U1 << np.uint64(wild[0, 0, at]))
        wild[0, 2, at] = best_key(problem.area, pile, problem.trump, max(problem.at_least - 1, 0))
    return wild[0, 2, at]


@kernel
def _try_pair(problem: Problem, first: int, second: int, best: int, doubt: int) -> tuple[int, int]:
    """Try two jokers as the listed cards `first` and `second`; return `best` and `doubt` anew."""
    area, pile, _, least, trump, at_least = problem
    card = np.int64(area.wild[0, 0, first])
    other = np.int64(area.wild[0, 0, second])
    both = (U1 << np.uint64(card)) | (U1 << np.uint64(other))
    key = best_key(area, pile | both, trump, at_least)
    real = key - 2 * joker_share(area)
    if real <= best:
        return best, doubt
    # What the layout is worth where a meld of it has too few naturals.
    thin = np.int64(-1)
    kind = np.int64(card >> 4 == trump)
    if card & 15 == other & 15:
        thin = area.set3 if least == 2 else max(area.set3, area.set4)
    elif card >> 4 == other >> 4 and (least == 3 or _close(card, other)):
        thin = (least + 1) * area.card[kind] + area.split[kind]
        thin = max(thin, 3 * area.card[kind] + area.split[kind])
    if thin >= 0:
        thin += best_key(area, pile, trump, max(at_least - 1, 0))
    if least == 3:
        part = thin_meld(area, pile | both, other, trump)
        if part > 0:
            thin = max(thin, _with_card(problem, first) + part)
        part = thin_meld(area, pile | both, card, trump)
        if part > 0:
            thin = max(thin, _with_card(problem, second) + part)
    if key <= thin:
        return best, max(doubt, real)
    return real, doubt


@kernel
def _fifth_cards(problem: Problem, best: int, doubt: int, one: int) -> tuple[int, int]:
    """Try what two jokers can do that two cards which the pile lacks cannot.

    Parameters
    ----------
    problem : Problem
    best, doubt : int64
        As for `with_one`, as far as is known.
    one : int64
        At least the best key with one joker and a meld less.

    Returns
    -------
    best, doubt : int64
    """
    area, pile, _, least, trump, at_least = problem
    bonus = joker_share(area)
    need = max(at_least - 1, 0)
    set3 = area.set3 - bonus
    # One joker in a set of two, the other in a run as a card of this set.
    plain = best_key(area, pile, trump, need)
    ranks = ranks_of(pile, 2) if plain >= 0 and plain + set3 - bonus > best else np.uint64(0)
    while ranks != np.uint64(0):
        same = pile & (LANE_ONES << np.uint64(lowest(ranks)))
        ranks &= ranks - U1
        cards = same
        while cards != np.uint64(0):
            card = cards & (~cards + U1)
            cards ^= card
            key = best_key(area, pile ^ card, trump, need)
            if key < 0:
                continue
            key += set3 - bonus
            if least == 3 or popcount(same) == 4:  # three left might make a second set
                doubt = max(doubt, key)
            else:
                best = max(best, key)
    ranks = ranks_of(pile, 3)
    while ranks != np.uint64(0):
        same = pile & (LANE_ONES << np.uint64(lowest(ranks)))
        ranks &= ranks - U1
        number = popcount(same)
        spared = same
        while True:  # all choices of what a set of two or three naturals spares
            spared = (spared - U1) & same
            size = number - popcount(spared)
            if size == 2 or size == 3:
                best, doubt = _spare(problem, same, spared, best, doubt, one)
            if spared == np.uint64(0):
                break
    return best, doubt


@kernel
def _spare(
    problem: Problem, same: np.uint64, spared: np.uint64, best: int, doubt: int, one: int
) -> tuple[int, int]:
    """Try a set of two or three naturals with jokers, where cards of its rank lie in runs.

    Parameters
    ----------
    problem, best, doubt, one
        As for :func:`_fifth_cards`.
    same, spared : uint64
        Cards of the rank, and those of them that lie in no set.

    Returns
    -------
    best, doubt : int64
        As now known.
    """
    area, pile, _, least, trump, at_least = problem
    bonus = joker_share(area)
    need = max(at_least - 1, 0)
    left = pile & ~(same ^ spared)
    three = popcount(same ^ spared) == 3
    lacked = (LANE_ONES << np.uint64(lowest(same) & 15)) & ~same
    lost = np.int64(1) << 40  # at most, by a spared card put back for the joker
    while spared != np.uint64(0):
        lost = min(lost, run_bound(area, pile, lowest(spared), trump) - bonus)
        spared &= spared - U1
    if not three and one + min(area.set4 - area.set3 - bonus, lost) > best:
        key = best_key(area, left, trump, need) + area.set4 - 2 * bonus
        if key >= area.set4 - 2 * bonus:
            if least == 3:
                doubt = max(doubt, key)
            else:
                best = max(best, key)
    gain = (area.set4 if three else area.set3) - bonus
    worth = gain - area.set3 if three else gain  # at most, by the joker in the set
    if lacked == np.uint64(0):  # the other joker lies anywhere in what is left
        if one + worth > best:
            key, unsure = with_one(problem, _INNER, left, need, best - gain)
            if key >= 0 and least == 3 and not three:
                doubt = max(doubt, key + gain)
            elif key >= 0:
                best = max(best, key + gain)
            if unsure >= 0:
                doubt = max(doubt, unsure + gain)
        return best, doubt
    card = lowest(lacked)
    lost = min(lost, run_bound(area, pile, card, trump) - bonus)
    if one + min(worth, lost) <= best:
        return best, doubt
    key = best_key(area, left | lacked, trump, need)
    if key < 0:
        return best, doubt
    sure = least == 2
    if three and not sure:
        thin = thin_run(area, left, card, trump)
        sure = key > best_key(area, left, trump, max(need - 1, 0)) + thin
    real = key + gain - bonus
    return (max(best, real), doubt) if sure else (best, max(doubt, real))


@kernel
def free_key(problem: Problem) -> tuple[int, int]:
    """Best key of a pile with one joker or two, unless it is in doubt.

    Returns
    -------
    best : int64
        A key that is reached; -1 where none is.
    doubt : int64
        Where larger than `best`: a bound of what may be reached.
    """
    # One function, though long: each that lays out piles takes the compiler a second.
    area, pile, jokers, _, trump, at_least = problem
    never = np.int64(-1)
    if jokers == 1:
        return with_one(problem, _OUTER, pile, at_least, never)
    bonus = joker_share(area)
    base = best_key(area, pile, trump, max(at_least - 2, 0))
    if base < 0:
        return never, never
    best, doubt = with_one(problem, _OUTER, pile, max(at_least - 1, 0), never)
    one = max(best, doubt)
    if at_least > 0:
        best, doubt = with_one(problem, _OUTER, pile, at_least, never)
        list_cards(problem, _OUTER, pile)
    count = popcount(NATURAL & ~pile)
    cards = area.wild[0, 0]
    bounds = area.wild[0, 1]
    # Cards that have nothing to do with each other.
    for first in range(count):
        if base + 2 * bounds[first] <= best or bounds[first] == 0:
            break
        for second in range(first + 1, count):
            if base + bounds[first] + bounds[second] <= best or bounds[second] == 0:
                break
            if _alike(cards[first], cards[second]):
                continue
            key = _with_card(problem, first)
            if key < 0 or key - bonus + bounds[second] <= best:
                break
            key = _with_card(problem, second)
            if key >= 0 and key - bonus + bounds[first] > best:
                best, doubt = _try_pair(problem, first, second, best, doubt)
    # Cards of one suit or rank: the one may make the other worth more than it is alone.
    sets = max(area.set3, area.set4 - area.set3) - bonus
    for first in range(count):
        card = cards[first]
        runs = most_by_run(area, np.int64(card >> 4 == trump)) - bonus
        beat = best - base - bounds[first]
        if max(runs, sets, bounds[first]) <= beat:
            continue
        larger = pile | (U1 << np.uint64(card))
        for second in range(first + 1, count):
            other = cards[second]
            if not _alike(card, other):
                continue
            if max(sets, runs if card >> 4 == other >> 4 else bounds[second]) <= beat:
                continue
            more = card_bound(area, larger, other, trump)
            if more == 0 or base + bounds[first] + more <= best:
                continue
            key = _with_card(problem, first)
            if key >= 0 and key - bonus + more > best:
                best, doubt = _try_pair(problem, first, second, best, doubt)
    return _fifth_cards(problem, best, doubt, one)
