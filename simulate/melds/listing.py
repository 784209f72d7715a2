"""The listing: all choices of sets and aces' sides of a small pile, each valued by popcounts.

See :mod:`simulate.melds.area` for keys and for what the other searches do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import LANE_ONES, lowest, popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import (
    INNER,
    LISTED,
    TOO_MANY,
    U1,
    U3,
    U14,
    all_suits,
    any_suit,
    links,
    list_aces,
    three_or_more,
    trump_lane,
)

#: Contested ranks, those with four cards counted twice, of which the listing fights shy.
CROWDED = 10


@kernel
def list_melds(area: Any, pile: np.uint64, useful: np.uint64, trump: int, at_least: int) -> int:
    """Best key of a pile laid as at least `at_least` melds, unless the choices are too many.

    Parameters
    ----------
    area : MELD_AREA record
        `mask`, `gain` and the aces' choices are overwritten.
    pile, useful : uint64
        The cards, and those of them that could lie in a run.
    trump : int64
        Denomination 0..4.
    at_least : int64
        0..17.

    Returns
    -------
    int64
        -1 when no layout has so many melds; `TOO_MANY` when the choices do not fit.
    """
    three = three_or_more(pile)
    four = all_suits(pile)
    contested = three & any_suit(useful)
    if popcount(contested) + popcount(contested & four) >= CROWDED:
        return TOO_MANY
    # Nothing competes with these sets; those of aces are listed with the aces' sides.
    sure = three & ~contested & ~(U1 << U14)
    key = popcount(sure & ~four) * area.set3
    key += popcount(sure & four) * max(area.set3, area.set4)
    choices = _list_choices(area, pile, useful, contested, key)
    if choices == TOO_MANY:
        return TOO_MANY
    trumps = trump_lane(trump)
    if area.split[0] < 0:
        key = _best_listed(area, choices, trumps)
        if (key & 4095) >> 6 >= at_least:
            return key
    best = np.int64(-1)
    for choice in range(choices):
        sets = area.gain[choice]
        runs = runs_key(area, area.mask[choice], trumps, (sets & 4095) >> 6, at_least)
        if runs >= 0:
            best = max(best, sets + runs)
    return best


@kernel
def _list_choices(
    area: Any, pile: np.uint64, useful: np.uint64, contested: np.uint64, key: int
) -> int:
    """List the choices of sets of the `contested` ranks and of the aces' sides.

    Parameters
    ----------
    area : MELD_AREA record
        `mask` (cards left for runs) and `gain` (key of the sets) are written.
    pile, useful : uint64
    contested : uint64
        Ranks, as bits 2..14.
    key : int64
        Key of the sets that nothing competes with.

    Returns
    -------
    int64
        Number of choices; `TOO_MANY` when they are more than `LISTED`.
    """
    mask = area.mask
    gain = area.gain
    count = list_aces(area, pile, useful)
    inner = pile & INNER
    for choice in range(count):
        mask[choice] = inner | (area.aces_low[choice] << U1) | (area.aces_high[choice] << U14)
        gain[choice] = key + area.aces_key[choice]
    contested &= ~(U1 << U14)
    set3 = area.set3
    while contested != np.uint64(0):
        rank = np.uint64(lowest(contested))
        contested &= contested - U1
        cards = pile & (LANE_ONES << rank)
        if popcount(cards) == 3:
            if 2 * count > LISTED:
                return TOO_MANY
            for choice in range(count):
                mask[count + choice] = mask[choice] & ~cards
                gain[count + choice] = gain[choice] + set3
            count *= 2
            continue
        spared = cards & useful
        options = popcount(spared) + 2
        if count * options > LISTED:
            return TOO_MANY
        filled = count
        if options == 3:  # sparing the one useful card leaves nothing to gain by no set
            filled = np.int64(0)
        whole = max(set3, area.set4)
        last = count * (options - 1) if options > 3 else count
        # The whole set goes last, for it and the others read the first `count` choices.
        for choice in range(count):
            mask[last + choice] = mask[choice] & ~cards
            gain[last + choice] = gain[choice] + whole
        while spared != np.uint64(0):
            card = spared & (~spared + U1)
            spared ^= card
            for choice in range(count):
                mask[filled + choice] = mask[choice] & ~(cards ^ card)
                gain[filled + choice] = gain[choice] + set3
            filled += count
        count = last + count
    return count


@kernel(inline=True)
def _best_listed(area: Any, count: int, trumps: np.uint64) -> int:
    """Best key of the first `count` listed choices, one run a stretch."""
    mask = area.mask
    gain = area.gain
    card = area.card[0]
    start = 2 * card + area.split[0]
    extra_card = area.card[1] - card
    extra_start = 2 * extra_card + area.split[1] - area.split[0]
    best = np.int64(-1)
    for choice in range(count):
        link = links(mask[choice])
        first = link & ~(link << U1)
        key = (
            gain[choice]
            + popcount(link) * card
            + popcount(first) * start
            + popcount(link & trumps) * extra_card
            + popcount(first & trumps) * extra_start
        )
        best = max(best, key)
    return best


@kernel
def runs_key(area: Any, cards: np.uint64, trumps: np.uint64, melds: int, at_least: int) -> int:
    """Best key of the runs of `cards`, each ace on one side, given `melds` melds elsewhere.

    Returns
    -------
    int64
        -1 when at least `at_least` melds cannot be had.
    """
    link = links(cards)
    first = link & ~(link << U1)
    number = popcount(link) + 2 * popcount(first)
    number_trump = popcount(link & trumps) + 2 * popcount(first & trumps)
    runs = popcount(first)
    runs_trump = popcount(first & trumps)
    most = runs
    most_trump = runs_trump
    third = (first << U3) & link
    while third != np.uint64(0):
        most += popcount(third)
        most_trump += popcount(third & trumps)
        third = (third << U3) & link
    if melds + most < at_least:
        return np.int64(-1)
    if area.split[0] >= 0:
        runs = most
        runs_trump = most_trump
    elif melds + runs < at_least:
        more = at_least - melds - runs
        plain = min(more, (most - most_trump) - (runs - runs_trump))
        runs += more
        runs_trump += more - plain
    return (
        (number - number_trump) * area.card[0]
        + number_trump * area.card[1]
        + (runs - runs_trump) * area.split[0]
        + runs_trump * area.split[1]
    )
