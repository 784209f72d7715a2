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

from simulate.compiled.bits import lowest, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import LANE_ONES, NEVER, U1
from simulate.melds.solve import best_key

#: Cards beyond which :func:`free_key` takes seconds with two jokers and many melds to make.
MANY = 44


@kernel(inline=True)
def joker_share(area: Any) -> int:
    """Share of a covered card in a key."""
    return area.penalty * 4096 + 1


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
def list_cards(area: Any, depth: int, pile: np.uint64, absent: np.uint64, trump: int) -> int:
    """List the cards that a joker may stand for, those with the highest bounds first.

    Parameters
    ----------
    area : MELD_AREA record
        `wild` is overwritten at `depth`.
    depth : int64
        0 or 1.
    pile, absent : uint64
    trump : int64

    Returns
    -------
    int64
        Number of cards.
    """
    cards = area.wild[depth, 0]
    bounds = area.wild[depth, 1]
    keys = area.wild[depth, 2]
    count = np.int64(0)
    while absent != np.uint64(0):
        card = lowest(absent)
        absent &= absent - U1
        bound = card_bound(area, pile, card, trump)
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
    area: Any,
    depth: int,
    pile: np.uint64,
    absent: np.uint64,
    least: int,
    trump: int,
    at_least: int,
    beat: int,
) -> tuple[int, int]:
    """Best key of a pile with a joker at hand that may stand for the cards of `absent`.

    Returns
    -------
    best : int64
        A key that is reached, or `beat` where that is more; -1 where there is none.
    doubt : int64
        Where larger than `best`: a bound of what may be reached.
    """
    doubt = np.int64(-1)
    need = max(at_least - 1, 0)
    base = best_key(area, pile, trump, need)
    if base < 0:
        return np.int64(-1), doubt
    best = base if at_least == 0 else best_key(area, pile, trump, at_least)
    best = max(best, beat)
    bonus = joker_share(area)
    count = list_cards(area, depth, pile, absent, trump)
    for at in range(count):
        bound = area.wild[depth, 1, at]
        if bound == 0 or base + bound <= best:
            break
        card = np.int64(area.wild[depth, 0, at])
        key = best_key(area, pile | (U1 << np.uint64(card)), trump, at_least)
        area.wild[depth, 2, at] = key
        if key - bonus <= best:
            continue
        if least == 3 and key <= base + thin_meld(area, pile, card, trump):
            doubt = max(doubt, key - bonus)
        else:
            best = key - bonus
    ranks = ranks_of(pile, 4)
    while ranks != np.uint64(0):
        same = pile & (LANE_ONES << np.uint64(lowest(ranks)))
        ranks &= ranks - U1
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
                    if key >= 0 and least == 3:
                        doubt = max(doubt, key + gain)
                    elif key >= 0:
                        best = max(best, key + gain)
    return best, doubt


@kernel
def wild_bound(area: Any, pile: np.uint64, jokers: int, trump: int, at_least: int) -> int:
    """Bound the best key with jokers, quickly; negative where there are not so many melds."""
    key = best_key(area, pile, trump, max(at_least - jokers, 0))
    if key < 0:
        return key
    most = max(area.set3, area.set4 - area.set3)
    for kind in range(2):
        card = area.card[kind]
        split = area.split[kind]
        most = max(most, 5 * card + split, 3 * card, card - split)
    return key + jokers * most
