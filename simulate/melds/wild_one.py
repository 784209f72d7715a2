"""A joker as a card that the pile lacks: the best key with one joker.

A joker that stands for a card which the pile lacks is as good as that card, save that it is no
covered card. So the best keys of the pile with each such card are compared; bounds of what a card
can add leave few of them. Beyond these there are the *fifth* cards: a joker in a set whose rank has
its four cards in the pile, while some of these lie in runs. They are tried one by one, where a
bound does not already settle them.

A meld of such a card and two of the pile is none where three natural cards are needed. Where the
layout found could rest on one, the answer is doubtful, and :mod:`simulate.melds.deep` finds it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import LANE_ONES, lowest, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import NATURAL, NEVER, U1, joker_share
from simulate.melds.problem import Problem
from simulate.melds.solve import best_key

#: Cards beyond which :func:`free_key` takes seconds with two jokers and many melds to make.
MANY = 44


@kernel
def ranks_of(pile: np.uint64, number: int) -> np.uint64:
    """Ranks with at least `number` cards in a pile, as bits 2..14."""
    result = np.uint64(0)
    for rank in range(2, 15):
        if popcount(pile & (LANE_ONES << np.uint64(rank))) >= number:
            result |= U1 << np.uint64(rank)
    return result


@kernel
def run_bound(area: Any, pile: np.uint64, card: int, trump: int) -> int:
    """Bound what `card` (not in a set) adds to a key by lying in a run."""
    suit = card >> 4
    lane = np.int64((pile >> np.uint64(16 * suit)) & np.uint64(0x7FFC))
    lane |= (lane >> 13) & 2
    kind = np.int64(suit == trump)
    per_card = area.card[kind]
    split = area.split[kind]
    bound = np.int64(0)
    for low in range(2):
        place = card & 15
        if low == 1:
            if place != 14:
                break
            place = np.int64(1)
        # The next three cards above, and those below turned round, as bits 0..2.
        above = (lane >> (place + 1)) & 7
        below = ((lane << 3) >> place) & 7
        up = np.int64(0)
        while up < 3 and (above >> up) & 1:
            up += 1
        down = np.int64(0)
        while down < 3 and (below >> (2 - down)) & 1:
            down += 1
        if up + down < 2:
            continue
        bound = max(bound, (min(up, 2) + min(down, 2) + 1) * per_card + split)
        if down == 3:
            bound = max(bound, (min(up, 2) + 1) * per_card)
        if up == 3:
            bound = max(bound, (min(down, 2) + 1) * per_card)
        if up + down == 6:
            bound = max(bound, per_card - split)
    return bound


@kernel
def card_bound(area: Any, pile: np.uint64, card: int, trump: int) -> int:
    """Bound what a joker adds to the key of a pile as a card that is not in it."""
    bound = run_bound(area, pile, card, trump)
    same = popcount(pile & (LANE_ONES << np.uint64(card & 15)))
    if same >= 2:
        bound = max(bound, area.set3)
        if same == 3:
            bound = max(bound, area.set4 - area.set3)
    return max(bound - joker_share(area), 0)


@kernel
def list_cards(problem: Problem, depth: int, pile: np.uint64) -> int:
    """List the cards that a joker may stand for, those with the highest bounds first.

    Parameters
    ----------
    problem : Problem
        `wild` of the area is overwritten at `depth`.
    depth : int64
        0 or 1.
    pile : uint64
        The problem's pile or a part of it; a joker stands for cards that the problem's pile lacks.

    Returns
    -------
    int64
        Number of cards.
    """
    area = problem.area
    absent = NATURAL & ~problem.pile
    cards = area.wild[depth, 0]
    bounds = area.wild[depth, 1]
    keys = area.wild[depth, 2]
    count = np.int64(0)
    while absent != np.uint64(0):
        card = lowest(absent)
        absent &= absent - U1
        bound = card_bound(area, pile, card, problem.trump)
        at = count
        while at > 0 and bounds[at - 1] < bound:
            cards[at] = cards[at - 1]
            bounds[at] = bounds[at - 1]
            at -= 1
        cards[at] = card
        bounds[at] = bound
        keys[count] = NEVER
        count += 1
    return count


@kernel
def thin_run(area: Any, pile: np.uint64, card: int, trump: int) -> int:
    """Worth of a run of three with `card`; 0 where there is none."""
    if run_bound(area, pile, card, trump) == 0:
        return np.int64(0)
    kind = np.int64(card >> 4 == trump)
    return 3 * area.card[kind] + area.split[kind]


@kernel
def thin_meld(area: Any, pile: np.uint64, card: int, trump: int) -> int:
    """Most that a meld of `card` and two of the pile is worth; 0 where there is none."""
    thin = thin_run(area, pile, card, trump)
    if popcount(pile & (LANE_ONES << np.uint64(card & 15))) >= 2:
        thin = max(thin, area.set3)
    return thin


@kernel
def with_one(
    problem: Problem, depth: int, pile: np.uint64, at_least: int, beat: int
) -> tuple[int, int]:
    """Best key of a pile with one joker at hand.

    Parameters
    ----------
    problem : Problem
        Its jokers and its least number of melds do not matter.
    depth : int64
        Where :func:`list_cards` lists.
    pile : uint64
        The problem's pile or a part of it, as for :func:`list_cards`.
    at_least : int64
        Melds that the layout must have.
    beat : int64
        What is known to be reached.

    Returns
    -------
    best : int64
        A key that is reached, or `beat` where that is more; -1 where there is none.
    doubt : int64
        Where larger than `best`: a bound of what may be reached.
    """
    area, trump = problem.area, problem.trump
    doubt = np.int64(-1)
    need = max(at_least - 1, 0)
    base = best_key(area, pile, trump, need)
    if base < 0:
        return np.int64(-1), doubt
    best = base if at_least == 0 else best_key(area, pile, trump, at_least)
    best = max(best, beat)
    bonus = joker_share(area)
    count = list_cards(problem, depth, pile)
    for at in range(count):
        bound = area.wild[depth, 1, at]
        if bound == 0 or base + bound <= best:
            break
        card = np.int64(area.wild[depth, 0, at])
        key = best_key(area, pile | (U1 << np.uint64(card)), trump, at_least)
        area.wild[depth, 2, at] = key
        if key - bonus <= best:
            continue
        if problem.least == 3 and key <= base + thin_meld(area, pile, card, trump):
            doubt = max(doubt, key - bonus)
        else:
            best = key - bonus
    ranks = ranks_of(pile, 4)
    while ranks != np.uint64(0):
        same = pile & (LANE_ONES << np.uint64(lowest(ranks)))
        ranks &= ranks - U1
        best, doubt = _fifth_card(problem, pile, same, need, base, best, doubt)
    return best, doubt


@kernel
def _fifth_card(
    problem: Problem, pile: np.uint64, same: np.uint64, need: int, base: int, best: int, doubt: int
) -> tuple[int, int]:
    """Try a joker in a set of a whole rank, of whose cards one or two lie in runs.

    Parameters
    ----------
    problem : Problem
    pile, same : uint64
        `same` are the four cards of the rank.
    need, base : int64
        Melds that the others must make, and the key of the pile with so many.
    best, doubt : int64
        As far as is known.

    Returns
    -------
    best, doubt : int64
        As for :func:`with_one`.
    """
    area, trump = problem.area, problem.trump
    bonus = joker_share(area)
    first = same
    while first != np.uint64(0):
        spared = first & (~first + U1)
        first ^= spared
        lost = run_bound(area, pile, lowest(spared), trump)
        if base + lost - bonus <= best:
            continue
        gain = area.set4 - bonus
        if base + min(lost - bonus, max(gain - area.set3, 0)) > best:
            key = best_key(area, pile & ~(same ^ spared), trump, need)
            if key >= 0:
                best = max(best, key + gain)
        gain = area.set3 - bonus
        second = first
        while second != np.uint64(0) and base + gain > best:
            also = second & (~second + U1)
            second ^= also
            if base + run_bound(area, pile, lowest(also), trump) - bonus > best:
                key = best_key(area, pile & ~(same ^ spared ^ also), trump, need)
                if key >= 0 and problem.least == 3:
                    doubt = max(doubt, key + gain)
                elif key >= 0:
                    best = max(best, key + gain)
    return best, doubt


@kernel
def most_by_run(area: Any, kind: int) -> int:
    """Most that one card more in runs of a plain suit (`kind` 0) or of trumps (1) adds to a key."""
    card = area.card[kind]
    split = area.split[kind]
    return max(5 * card + split, 3 * card, card - split)


@kernel
def most_by_jokers(area: Any, jokers: int) -> int:
    """Bound what jokers add to the best key of the plain pile with so many melds fewer."""
    most = max(area.set3, area.set4 - area.set3)
    for kind in range(2):
        most = max(most, most_by_run(area, kind))
    return jokers * most
