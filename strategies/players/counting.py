"""A player that counts: which cards are still out, and what both piles still miss.

Every legal card gets a worth that is linear in what is known of it: the chance that the own side
wins the trick, what its cards then make or deny in either pile, and what the card could still do
later. The weights, one row for each place in the trick, were fitted to what the cards brought when
`search` played them out (docs/strategies.md), in the manner of approximate policy iteration by
rollouts (Lagoudakis and Parr, ICML 2003).

What a pile makes of its cards is counted by threes. A run of n cards is worth as much as its n - 2
triples of neighbours, so a pile is worth what its triples are, and a triple that lacks one card or
two may still come, as long as the other side has none of it. Sets are counted likewise, by ranks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import (
    LANE,
    ONE,
    ZERO,
    bit,
    card_strength,
    in_sight,
    kernel,
    lowest,
    player,
    popcount,
    seen_cards,
    solve_ending,
    spread_aces,
    trick_so_far,
    winning_chance,
)

_TWO = np.uint64(2)
_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)

#: Share of a card's power that each higher card still out leaves it.
_DECAY = np.array([0.75**n for n in range(14)])

# Places of the weights. Triples by the cards that the pile lacks, in side suits and in trumps.
RUN0, RUN1, RUN2, TRUMP0, TRUMP1, TRUMP2 = range(6)
# Ranks: four cards; three, with none or one of the others' (two and one likewise).
FOUR, THREE, THREE_ONE, TWO, TWO_ONE, ONE_LEFT = range(6, 12)
CHANCE, CHANCE_LATE = 12, 13
KEEP, KEEP_TRUMP, KEEP_LATE, KEEP_TRUMP_LATE = range(14, 18)
IS_TRUMP, TRUMP_LENGTH, LENGTH, OUT, TRUMPS_OUT = range(18, 23)
TOP, TOP_TRUMP, NEXT, NEXT_TRUMP = range(23, 27)
RANK, RANK_TRUMP = 27, 28
POWER_USED = 29
FRIEND_RUFFS, FOE_RUFFS, FRIEND_FREE, FOE_FREE = range(30, 34)
MISSED, MISSED_WON = 34, 35
OVER_FRIEND, SINGLE, DECLARER_TRUMP = 36, 37, 38
WEIGHTS = 39
ROWS = 7


@kernel
def pile_worth(own: np.uint64, other: np.uint64, trumps: np.uint64, factor: float, w: Any) -> float:
    """Weigh what a pile makes and may yet make.

    Parameters
    ----------
    own, other : uint64
        The pile, and that of the other side.
    trumps : uint64
        Lane of the trump suit.
    factor : float64
        What a triple of trumps counts.
    w : float64 array, shape (WEIGHTS,)
    """
    free = spread_aces(_CARDS & ~other)
    line = spread_aces(own)
    open_ = free & (free >> ONE) & (free >> _TWO)
    next_ = line >> ONE
    third = line >> _TWO
    odd = line ^ next_ ^ third
    many = (line & next_) | (third & (line | next_))
    whole = open_ & odd & many
    lack1 = open_ & many & ~odd
    lack2 = open_ & odd & ~many
    worth = (
        w[RUN0] * popcount(whole & ~trumps)
        + w[RUN1] * popcount(lack1 & ~trumps)
        + w[RUN2] * popcount(lack2 & ~trumps)
    )
    if trumps != ZERO:
        worth += factor * (
            w[TRUMP0] * popcount(whole & trumps)
            + w[TRUMP1] * popcount(lack1 & trumps)
            + w[TRUMP2] * popcount(lack2 & trumps)
        )
    one, two, four = _rank_counts(own)
    some, more, all_ = _rank_counts(other)
    none = ~(some | more | all_)
    single = some & ~more
    worth += (
        w[FOUR] * popcount(four)
        + w[THREE] * popcount(one & two & none)
        + w[THREE_ONE] * popcount(one & two & single)
        + w[TWO] * popcount(two & ~one & none)
        + w[TWO_ONE] * popcount(two & ~one & single)
        + w[ONE_LEFT] * popcount(one & ~two & none)
    )
    return worth


@kernel(inline=True)
def _rank_counts(pile: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Count the cards of each rank, in binary: bits of ones, of twos, of fours."""
    a = pile & LANE
    b = (pile >> np.uint64(16)) & LANE
    c = (pile >> np.uint64(32)) & LANE
    d = pile >> np.uint64(48)
    ab = a ^ b
    cd = c ^ d
    both = (a & b) ^ (c & d) ^ (ab & cd)
    return ab ^ cd, both, a & b & c & d


@kernel(inline=True)
def missing_cards(own: np.uint64, other: np.uint64) -> np.uint64:
    """Cards that would make a triple of neighbours whole in the pile `own`."""
    line = spread_aces(own)
    down = line << ONE
    up = line >> ONE
    result = (up & (line >> _TWO)) | (down & (line << _TWO)) | (up & down)
    low = result & np.uint64(0x0002_0002_0002_0002)
    return (result | (low << np.uint64(13))) & _CARDS & ~own & ~other


@kernel
def card_worth(
    view: Any,
    card: int,
    hidden: np.uint64,
    table: np.uint64,
    led: int,
    best: int,
    ours: bool,
    wanted: np.uint64,
    w: Any,
) -> float:
    """Weigh one legal card.

    Parameters
    ----------
    view : VIEW record
    card : int64
    hidden : uint64
        Cards that the seat cannot see.
    table : uint64
        Cards of this trick.
    led, best : int64
        As :func:`strategies.knowledge.judgement.trick_so_far` has them.
    ours : bool
        The own side is winning the trick.
    wanted : uint64
        Cards that either pile misses.
    w : float64 array, shape (WEIGHTS,)
    """
    trump = np.int64(view.denomination)
    trumps = LANE << np.uint64(16 * trump) if trump < 4 else ZERO
    factor = float(view.rules.trump_run_multiplier)
    size = np.int64(view.trick_size)
    suit = card >> 4
    rank = card & 15
    follows = suit if size == 0 else led
    strength = card_strength(card, follows, trump)
    beats = strength > best
    chance = winning_chance(
        view, max(strength, best), beats or ours, follows, view.players - size - 1, hidden, True
    )
    gained = table | bit(card)
    own = view.own_pile
    other = view.other_pile
    worth = w[CHANCE] * chance
    if chance > 0.0:
        worth += chance * (
            pile_worth(own | gained, other, trumps, factor, w)
            - pile_worth(other, own | gained, trumps, factor, w)
        )
    if chance < 1.0:
        worth += (1.0 - chance) * (
            pile_worth(own, other | gained, trumps, factor, w)
            - pile_worth(other | gained, own, trumps, factor, w)
        )
    late = 0.1 * popcount(view.hand)
    out = (hidden >> np.uint64(16 * suit)) & LANE
    mine = (view.hand >> np.uint64(16 * suit)) & LANE
    above = popcount(out >> np.uint64(rank + 1))
    power = _DECAY[above]
    beside = popcount(mine & (np.uint64(5) << np.uint64(rank - 1)))
    worth += w[CHANCE_LATE] * late * chance + w[POWER_USED] * power * chance
    if suit == trump:
        worth += w[IS_TRUMP] + w[KEEP_TRUMP] * power + w[KEEP_TRUMP_LATE] * late * power
        worth += w[TRUMP_LENGTH] * 0.25 * popcount(mine) + w[TRUMPS_OUT] * 0.25 * popcount(out)
        worth += w[TOP_TRUMP] * np.float64(np.int64(above == 0)) + w[NEXT_TRUMP] * beside
        worth += w[RANK_TRUMP] * (rank - 8) / 6.0
        worth += w[DECLARER_TRUMP] * (1.0 - view.sides[view.seat])
    else:
        worth += w[KEEP] * power + w[KEEP_LATE] * late * power
        worth += w[LENGTH] * 0.25 * popcount(mine) + w[OUT] * 0.25 * popcount(out)
        worth += w[TOP] * np.float64(np.int64(above == 0)) + w[NEXT] * beside
        worth += w[RANK] * (rank - 8) / 6.0
        worth += w[SINGLE] * np.float64(np.int64(popcount(mine) == 1))
    if beats and ours:
        worth += w[OVER_FRIEND]
    missed = 0.25 * popcount(out & ((wanted >> np.uint64(16 * suit)) & LANE))
    worth += w[MISSED] * missed + w[MISSED_WON] * missed * chance
    seat = np.int64(view.seat)
    for _ in range(view.players - 1):
        seat += 1
        if seat == view.players:
            seat = 0
        if view.voids[seat] >> suit & 1 == 0:
            continue
        ruffs = suit != trump and trump < 4 and view.voids[seat] >> trump & 1 == 0
        if view.sides[seat] == view.sides[view.seat]:
            worth += w[FRIEND_RUFFS] if ruffs else w[FRIEND_FREE]
        else:
            worth += w[FOE_RUFFS] if ruffs else w[FOE_FREE]
    return worth


@kernel(inline=True)
def weights_row(view: Any, led: int) -> int:
    """Row of the weights: cards in the trick, and 3 more where the seat cannot follow suit."""
    size = np.int64(view.trick_size)
    if size > 0 and view.legal & (LANE << np.uint64(16 * led)) == ZERO:
        size += 3
    return size


#: What a seat's cards are weighed against, found once a decision.
_Sight = tuple[np.uint64, np.uint64, int, int, bool, np.uint64]


@kernel
def look(view: Any) -> _Sight:
    """Look at what is the same for all cards of a decision: see :func:`card_worth`."""
    led, best, winner = trick_so_far(view)
    table = ZERO
    for i in range(view.trick_size):
        table |= bit(view.trick[i])
    ours = winner >= 0 and view.sides[winner] == view.sides[view.seat]
    wanted = missing_cards(view.own_pile, view.other_pile) | missing_cards(
        view.other_pile, view.own_pile
    )
    return _CARDS & ~seen_cards(view), table, led, best, ours, wanted


@kernel
def count_card(view: Any, weights: Any) -> int:
    """Legal card of the greatest worth.

    Parameters
    ----------
    view : VIEW record
    weights : float64 array, shape (ROWS, WEIGHTS)
    """
    hidden, table, led, best, ours, wanted = look(view)
    w = weights[weights_row(view, led)]
    chosen = -1
    most = 0.0
    cards = view.legal
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        worth = card_worth(view, card, hidden, table, led, best, ours, wanted, w)
        if chosen < 0 or worth > most:
            most = worth
            chosen = card
    return chosen


#: One column for the lead, the second, third and fourth seat; three more where these cannot follow
#: suit.
_WEIGHTS = np.array(
    [
        [1.44, 4.71, 6.29, 6.17, 4.96, 6.50, 5.14],  # RUN0
        [0.26, 2.16, 2.16, 2.30, 1.79, 3.05, 2.05],  # RUN1
        [-0.34, 1.29, 2.02, 2.18, 1.10, 2.62, 2.49],  # RUN2
        [-0.09, 3.53, 2.40, 3.43, 0.80, 2.22, 2.32],  # TRUMP0
        [0.57, 1.80, 1.03, 1.45, 0.23, 0.18, 1.11],  # TRUMP1
        [1.29, 1.13, 0.56, 1.49, 0.73, 0.29, 1.11],  # TRUMP2
        [1.17, 0.43, 2.93, 0.44, 2.12, 3.35, 2.90],  # FOUR
        [0.18, 0.67, 1.74, 0.24, 2.09, 1.51, 2.19],  # THREE
        [0.85, -0.96, 1.62, -0.36, 1.38, 1.66, 1.79],  # THREE_ONE
        [0.43, -0.04, 1.33, 0.01, 0.61, 1.04, 0.80],  # TWO
        [0.16, -0.78, 1.11, -0.03, 0.73, 0.79, 0.70],  # TWO_ONE
        [0.16, 0.62, 0.19, 0.11, 1.02, 0.13, -0.74],  # ONE_LEFT
        [35.4, 8.83, 23.9, 1.33, 60.1, 34.2, 21.5],  # CHANCE
        [-23.1, 5.73, 13.5, 2.95, -16.1, 25.5, 11.0],  # CHANCE_LATE
        [-67.8, -47.3, -27.9, -15.4, -10.7, -19.8, -9.72],  # KEEP
        [-56.5, -35.9, -19.9, -31.3, -61.5, -47.2, -12.2],  # KEEP_TRUMP
        [23.2, 8.96, 0.14, -5.48, -1.88, 7.76, -23.5],  # KEEP_LATE
        [-15.9, 9.22, -5.72, 1.63, -22.7, -52.4, -38.8],  # KEEP_TRUMP_LATE
        [-37.0, 0.00, 0.00, 0.00, 46.5, 32.5, -10.5],  # IS_TRUMP
        [33.0, 0.00, 0.00, 0.00, -22.1, -13.7, -3.34],  # TRUMP_LENGTH
        [11.8, 0.00, 0.00, 0.00, 5.55, 2.13, 11.0],  # LENGTH
        [-13.3, 0.00, 0.00, 0.00, -2.28, -1.29, -5.19],  # OUT
        [-4.19, 0.00, 0.00, 0.00, -0.17, -7.57, -3.76],  # TRUMPS_OUT
        [9.12, 4.23, -4.74, -5.37, -27.9, -13.4, -6.46],  # TOP
        [28.3, -11.7, -11.1, -4.37, -25.3, -28.1, -19.1],  # TOP_TRUMP
        [1.44, 10.6, 1.02, 1.00, -1.63, 1.30, 3.93],  # NEXT
        [5.89, 1.76, -0.35, 0.42, 0.43, 2.76, -0.44],  # NEXT_TRUMP
        [5.22, -0.22, 5.92, 0.41, -1.39, 0.82, -1.32],  # RANK
        [6.16, -1.35, 1.64, -0.15, 16.8, 12.3, 2.56],  # RANK_TRUMP
        [13.1, 25.2, -7.64, -4.50, -1.33, -0.06, -0.64],  # POWER_USED
        [3.11, 0.00, 0.00, 0.00, -1.47, 5.10, 1.94],  # FRIEND_RUFFS
        [-4.37, 0.00, 0.00, 0.00, 13.2, 4.45, 3.53],  # FOE_RUFFS
        [-1.15, 0.00, 0.00, 0.00, 0.00, 5.03, -2.21],  # FRIEND_FREE
        [-4.07, 0.00, 0.00, 0.00, 4.54, 10.1, 4.89],  # FOE_FREE
        [14.5, 0.00, 0.00, 0.00, -3.91, -11.0, -6.67],  # MISSED
        [-0.68, 36.2, 32.6, 4.61, 1.57, 6.87, 30.0],  # MISSED_WON
        [0.00, 0.00, 1.21, 4.54, 0.00, -10.9, -9.75],  # OVER_FRIEND
        [3.30, 0.00, 0.00, 0.00, 16.8, 11.4, 9.53],  # SINGLE
        [-1.59, 0.00, 0.00, 0.00, 3.45, 2.18, 3.45],  # DECLARER_TRUMP
    ]
).T.copy()


@player(
    "counting",
    looks_at="the trick, own hand, both piles, suits shown out, cards not seen yet, open hands",
    source="rules, 'Tips'; approximate policy iteration by rollouts (Lagoudakis and Parr, 2003)",
    heeds_level="in open hands",
)
def counting(view: Any, work: int) -> int:
    """Play the card that is worth most by the cards still out and what both piles still miss.

    Where all hands lie face up and each holds four cards at most, play exactly.
    """
    legal = view.legal
    if legal & (legal - ONE) == ZERO:
        return lowest(legal)
    if in_sight(view):
        return solve_ending(view, work)[0]
    return count_card(view, _WEIGHTS)
