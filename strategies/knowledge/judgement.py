"""What strategies share: who wins the trick so far, the chance that it stays so, what piles hold.

All functions are kernels that take a view or card sets and leave both alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import LANE, LANE_ONES, ONE, bit, popcount
from simulate.compiled.kernels import kernel
from simulate.game.tricks import card_strength

_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)


@kernel
def seen_cards(view: Any) -> np.uint64:
    """Cards that are no longer hidden from the seat: captured, in the trick, or its own."""
    seen = view.own_pile | view.other_pile | view.hand | view.discard
    for i in range(view.trick_size):
        seen |= bit(view.trick[i])
    return seen


@kernel
def trick_so_far(view: Any) -> tuple[int, int, int]:
    """Suit led, strength of the winning card, and the seat that played it; -1s when leading."""
    led = -1
    best = -1
    winner = -1
    seat = np.int64(view.leader)
    for i in range(view.trick_size):
        card = np.int64(view.trick[i])
        if i == 0:
            led = card >> 4
        strength = card_strength(card, led, np.int64(view.denomination))
        if strength > best:
            best = strength
            winner = seat
        seat += 1
        if seat == view.players:
            seat = 0
    return led, best, winner


@kernel
def low_card(cards: np.uint64, trump: int) -> int:
    """Lowest card by rank, a trump only where there is nothing else; -1 for no cards."""
    best = -1
    least = 99
    while cards != np.uint64(0):
        card = popcount((cards & (~cards + np.uint64(1))) - np.uint64(1))
        cards &= cards - np.uint64(1)
        rank = (card & 15) + 16 * np.int64(card >> 4 == trump)
        if rank < least:
            least = rank
            best = card
    return best


@kernel(inline=True)
def spread_aces(cards: np.uint64) -> np.uint64:
    """`cards` with each ace also as the low card of its suit, bit 1 of the lane."""
    return cards | ((cards >> np.uint64(13)) & (LANE_ONES << np.uint64(1)))


@kernel
def count_structures(hand: np.uint64) -> int:
    """Ranks with three or more cards, and stretches of three or more neighbours in a suit."""
    a = hand & LANE
    b = (hand >> np.uint64(16)) & LANE
    c = (hand >> np.uint64(32)) & LANE
    d = hand >> np.uint64(48)
    sets = popcount((a & b & (c | d)) | (c & d & (a | b)))
    line = spread_aces(hand)
    thirds = line & (line >> ONE) & (line >> np.uint64(2))
    # Each stretch of neighbours ends once: where its last third has none above it.
    return sets + popcount(thirds & ~(thirds >> ONE))


@kernel
def pile_promise(
    pile: np.uint64,
    trump: int,
    set_points: float,
    pair_points: float,
    run_points: float,
    touch_points: float,
    trump_factor: float,
) -> float:
    """Quick worth of a pile: what lies in sets and runs, and what may yet become one.

    Sets and runs are valued apart, so a card that both want counts twice: an estimate for players
    that need thousands of them, where the exact layout is the solver's.

    Parameters
    ----------
    pile : uint64
    trump : int64
    set_points, pair_points : float64
        Worth of a rank with three cards (twice that with four), and of one with two.
    run_points, touch_points : float64
        Worth of each card from the third of a run on, and of each two neighbours in a suit.
    trump_factor : float64
        What neighbours in the trump suit count.
    """
    a = pile & LANE
    b = (pile >> np.uint64(16)) & LANE
    c = (pile >> np.uint64(32)) & LANE
    d = pile >> np.uint64(48)
    ab = a & b
    cd = c & d
    any_ab = a | b
    any_cd = c | d
    four = ab & cd
    three = (ab & any_cd) | (cd & any_ab)
    two = (ab | cd | (any_ab & any_cd)) & ~three
    worth = set_points * (popcount(three) + popcount(four)) + pair_points * popcount(two)
    line = spread_aces(pile)
    touching = line & (line >> np.uint64(1))
    thirds = touching & (line >> np.uint64(2))
    worth += run_points * popcount(thirds) + touch_points * popcount(touching)
    if trump < 4:
        lane = LANE << np.uint64(16 * trump)
        worth += (trump_factor - 1.0) * (
            run_points * popcount(thirds & lane) + touch_points * popcount(touching & lane)
        )
    return worth


@kernel
def beating_chance(
    higher: int, followers: int, trumps: int, void: bool, no_trump: bool, hidden: int, held: int
) -> float:
    """Chance that one hidden hand can beat the best card.

    Parameters
    ----------
    higher, followers : int64
        Hidden cards of the suit led that beat it, and all of them.
    trumps : int64
        Hidden trumps that beat it where the hand has none of the suit led; 0 if trumps were led.
    void, no_trump : bool
        The hand has shown out of the suit led, of trumps.
    hidden, held : int64
        Hidden cards in all, and in this hand.
    """
    if hidden <= 0:
        return 0.0
    lacks = max(1.0 - held / hidden, 0.0)
    if no_trump:
        trumps = 0
    if void:
        return 1.0 - lacks**trumps
    beats = 1.0 - lacks**higher
    if trumps > 0:
        beats += lacks**followers * (1.0 - lacks**trumps)
    return min(beats, 1.0)


@kernel
def winning_chance(
    view: Any,
    strength: int,
    ours: bool,
    led: int,
    places: int,
    hidden: np.uint64,
    heeds_trumps: bool,
) -> float:
    """Chance that the own side takes the trick when the best card so far has `strength`.

    The seats still to play are taken one by one: an opponent turns the trick against us where it
    can beat the best card, the partner turns it back.

    Parameters
    ----------
    view : VIEW record
    strength : int64
    ours : bool
        The best card is of the own side.
    led : int64
    places : int64
        Seats still to play after this one.
    hidden : uint64
        Cards that the seat cannot see.
    heeds_trumps : bool
        Whether to take notice of who has shown out of trumps.
    """
    trump = np.int64(view.denomination)
    rank = np.uint64(strength & 15)
    lane = (hidden >> np.uint64(16 * led)) & LANE
    followers = popcount(lane)
    trump_lane = np.uint64(0)
    if trump < 4 and trump != led:
        trump_lane = (hidden >> np.uint64(16 * trump)) & LANE
    if strength >= 32 and trump != led:  # a trump has won so far: only a higher one beats it
        higher = 0
        trumps = popcount(trump_lane >> (rank + np.uint64(1)))
    else:
        higher = popcount(lane >> (rank + np.uint64(1)))
        trumps = popcount(trump_lane)
    count = popcount(hidden)
    held = popcount(view.hand)
    chance = 1.0 if ours else 0.0
    seat = np.int64(view.seat)
    for _ in range(places):
        seat += 1
        if seat == view.players:
            seat = 0
        void = (view.voids[seat] >> led) & 1 != 0
        no_trump = heeds_trumps and trump < 4 and (view.voids[seat] >> trump) & 1 != 0
        beats = beating_chance(higher, followers, trumps, void, no_trump, count, held)
        if view.sides[seat] == view.sides[view.seat]:
            chance += (1.0 - chance) * beats
        else:
            chance *= 1.0 - beats
    return chance
