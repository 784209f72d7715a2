"""The three exact searches behind :mod:`simulate.melds.solve`, and the memory they share.

A layout is valued by one integer, its *key*, so that one comparison settles points, then melds,
then dead cards (rules, The melds)::

    key = 4096 * (points + penalty * covered) + 64 * melds + covered

where `covered` counts the cards in melds. A meld's share of the key is positive for any rule
values, so no meld that could be laid is left out for its own sake. Over a stretch of n >= 3
neighbouring cards of a suit laid as c runs the key is linear in n and c::

    n * card + c * split

with `card` what a run gains by one more card, and `split` what one more run gains over three cards
laid on. It is optimal to use all n cards, and one run (`split` < 0) or n // 3 of them.

========  ==========================================================================================
search    how
========  ==========================================================================================
listing   all choices of sets and of sides for the aces, each valued by a few popcounts
sweep     rank by rank; a state is the ranks since the last set and since the last set of the suit
          that this one spared, 28 in all; one lane of a vector for each choice about the aces
counting  rank by rank; a state is the length of the open run in each suit, with the best key for
          each number of melds
========  ==========================================================================================

The listing is fastest for few choices, the sweep for many. The sweep needs `split` < 0 and takes
no notice of a least number of melds; the counting search takes what is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import LANE, LANE_ONES, popcount
from simulate.compiled.kernels import kernel

#: Choices that a listing may hold.
LISTED = 512
#: What a listing answers that would not fit.
TOO_MANY = np.int64(-2)
#: Lanes of a sweep: one vector of 16 where the machine has such, else two or four.
LANES = 16
#: States of a sweep: four for all suits alike, and six for each suit that a set spared.
SLOTS = 28
#: Rows of lanes in all: the states, those a set opens, gains by suit, and the aces' sides.
ROWS = SLOTS + 13 + 8 + 8
#: Most melds that 52 cards make, 17, and none.
COUNTS = 18
#: Most open states of the counting search: four suits spared, at 91 pairs of distances, and 14.
STATES = 384
#: Key of what cannot be.
NEVER = np.int32(-(1 << 30))

#: Values of a rule set and the scratch memory of one thread.
MELD_AREA = np.dtype(
    [
        ("set3", np.int64),
        ("set4", np.int64),
        ("card", np.int64, 2),  # plain, trump
        ("split", np.int64, 2),
        ("penalty", np.int64),
        ("aces_low", np.uint64, 32),
        ("aces_high", np.uint64, 32),
        ("aces_key", np.int64, 32),
        ("mask", np.uint64, LISTED),
        ("gain", np.int64, LISTED),
        ("lane", np.int32, LANES * (ROWS + 1)),
        ("shift", np.int64),  # first of `lane` on a cache line: vectors across two cost a quarter
        ("state", np.int64, (2, STATES)),
        ("best", np.int32, (2, STATES, COUNTS)),
        ("turn", np.int32, COUNTS),
        ("slot_of", np.int16, 4096),
        ("wild", np.int64, (2, 3, 52)),  # jokers: for cards not there, the card, a bound, a key
        ("filler", np.int64, 7),  # to whole cache lines, so that `shift` suits each of an array
    ],
    align=True,
)

NATURAL = np.uint64(0x7FFC_7FFC_7FFC_7FFC)
INNER = np.uint64(0x3FFC_3FFC_3FFC_3FFC)
U1 = np.uint64(1)
U2 = np.uint64(2)
U3 = np.uint64(3)
U14 = np.uint64(14)


@kernel(inline=True)
def trump_lane(trump: int) -> np.uint64:
    """Lane of the trump suit 0..3, or no card for 4."""
    return LANE << np.uint64(16 * trump) if trump < 4 else np.uint64(0)


@kernel(inline=True)
def links(cards: np.uint64) -> np.uint64:
    """Cards that have the next two of their suit above them; bit 1 of a lane is an ace laid low."""
    return cards & (cards >> U1) & (cards >> U2)


@kernel(inline=True)
def three_or_more(pile: np.uint64) -> np.uint64:
    """Ranks with three or four cards in `pile`, as bits 2..14."""
    a = pile & LANE
    b = (pile >> np.uint64(16)) & LANE
    c = (pile >> np.uint64(32)) & LANE
    d = pile >> np.uint64(48)
    return (a & b & (c | d)) | (c & d & (a | b))


@kernel(inline=True)
def any_suit(cards: np.uint64) -> np.uint64:
    """Ranks with a card in `cards`, as bits 2..14."""
    half = cards | (cards >> np.uint64(32))
    return (half | (half >> np.uint64(16))) & LANE


@kernel(inline=True)
def all_suits(cards: np.uint64) -> np.uint64:
    """Ranks with four cards in `cards`, as bits 2..14."""
    half = cards & (cards >> np.uint64(32))
    return (half & (half >> np.uint64(16))) & LANE


@kernel(inline=True)
def joker_share(area: Any) -> int:
    """Share of a covered card in a key, which a joker in its place does not have."""
    return area.penalty * 4096 + 1


@kernel
def cheapest_meld(area: Any) -> int:
    """Least that a meld of natural cards is worth, in points + penalty * covered."""
    cheapest = min(area.set3, area.set4) >> 12
    for kind in range(2):
        cheapest = min(cheapest, (3 * area.card[kind] + area.split[kind]) >> 12)
    return cheapest


@kernel
def list_aces(area: Any, pile: np.uint64, useful: np.uint64) -> int:
    """List what can be done with the aces: a set of them or none, and the sides of the others.

    Parameters
    ----------
    area : MELD_AREA record
        `aces_low`, `aces_high` (bit 0 of a suit's lane) and `aces_key` are written.
    pile : uint64
    useful : uint64
        Cards that could lie in a run.

    Returns
    -------
    int64
        Number of choices, 1..25.
    """
    aces = (pile >> U14) & LANE_ONES
    low = (pile >> U2) & (pile >> U3) & LANE_ONES
    high = (pile >> np.uint64(12)) & (pile >> np.uint64(13)) & LANE_ONES
    usable = (useful >> U14) & LANE_ONES
    number = popcount(aces)
    worth = np.int64(0)
    best = np.int64(0)
    # Round 0 makes no set, round 1 the whole set, the others spare one ace each.
    spared = usable
    for turn in range(6):
        if turn == 0:
            if number >= 3 and popcount(usable) <= number - 3:
                continue
            free = usable
        elif turn == 1:
            if number < 3:
                break
            free = np.uint64(0)
            worth = max(area.set3, area.set4) if number == 4 else area.set3
        else:
            if number < 4 or spared == np.uint64(0):
                break
            free = spared & (~spared + U1)
            spared ^= free
            worth = area.set3
        both = free & low & high
        part = both
        while True:
            area.aces_low[best] = (free & low & ~high) | part
            area.aces_high[best] = (free & high & ~low) | (both ^ part)
            area.aces_key[best] = worth
            best += 1
            if part == np.uint64(0):
                break
            part = (part - U1) & both
    return best
