"""A player that weighs what a trick's cards are worth to either side's melds.

Source: rules, 'Tips': win the tricks that hold the cards your melds miss; trumps to protect or
capture such cards; watch the piles. That tricks come first, and that what matters is whether the
trick will be won, was measured (docs/strategies.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.bits import bit, lowest, popcount
from simulate.kernels import kernel
from simulate.tricks import card_strength
from strategies.endgame import in_sight, solve_ending
from strategies.judgement import pile_promise, seen_cards, trick_so_far
from strategies.registry import Parameter, player

_ONE = np.uint64(1)
_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)
_LANE = np.uint64(0xFFFF)

SET = 0
PAIR = 1
RUN = 2
TOUCH = 3
TRICK = 4
KEEP = 5
DECAY = 6
RUFF = 7


@kernel
def chance_beaten(
    higher: int, followers: int, trumps: int, void: bool, hidden: int, held: int
) -> float:
    """Chance that one hidden hand can and will beat the best card.

    Parameters
    ----------
    higher : int64
        Hidden cards of the suit led that beat it.
    followers : int64
        Hidden cards of the suit led.
    trumps : int64
        Hidden trumps that beat it where the hand has none of the suit led; 0 if trumps were led.
    void : bool
        The hand has shown out of the suit led.
    hidden, held : int64
        Hidden cards in all, and in this hand.
    """
    if hidden <= 0:
        return 0.0
    lacks = 1.0 - held / hidden
    if void:
        return 1.0 - lacks**trumps
    beats = 1.0 - lacks**higher
    if trumps > 0:
        beats += lacks**followers * (1.0 - lacks**trumps)
    return min(beats, 1.0)


@kernel
def winning_chance(
    view: Any, strength: int, ours: bool, led: int, places: int, hidden: np.uint64, held: int
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
    held : int64
        Cards in each hand still to play.
    """
    trump = np.int64(view.denomination)
    rank = np.uint64(strength & 15)
    lane = (hidden >> np.uint64(16 * led)) & _LANE
    followers = popcount(lane)
    trump_lane = np.uint64(0)
    if trump < 4 and trump != led:
        trump_lane = (hidden >> np.uint64(16 * trump)) & _LANE
    if strength >= 32 and trump != led:  # a trump has won so far: only a higher one beats it
        higher = 0
        trumps = popcount(trump_lane >> (rank + _ONE))
    else:
        higher = popcount(lane >> (rank + _ONE))
        trumps = popcount(trump_lane)
    count = popcount(hidden)
    chance = 1.0 if ours else 0.0
    seat = np.int64(view.seat)
    for _ in range(places):
        seat += 1
        if seat == view.players:
            seat = 0
        void = (view.voids[seat] >> led) & 1 != 0
        beats = chance_beaten(higher, followers, trumps, void, count, held)
        if view.sides[seat] == view.sides[view.seat]:
            chance += (1.0 - chance) * beats
        else:
            chance *= 1.0 - beats
    return chance


@player(
    "greedy",
    looks_at="the trick, own hand, both piles, suits shown out, cards not seen yet, open hands",
    source="rules, 'Tips that players give each other'",
    parameters=[
        Parameter("set", 0.3, 0, 20, "worth of a rank with three cards in a pile"),
        Parameter("pair", 0.4, 0, 20, "worth of a rank with two"),
        Parameter("run", 0.3, 0, 20, "worth of each card from the third of a run on"),
        Parameter("touch", 0.05, 0, 20, "worth of two neighbours in a suit"),
        Parameter("trick", 3.5, 0, 40, "worth of any trick beside what its cards make"),
        Parameter("keep", 7.5, 0, 40, "worth of keeping the highest card left of a suit"),
        Parameter("decay", 0.75, 0, 1, "share of that for each higher card that is hidden"),
        Parameter("ruff", 4, 0, 40, "worth of keeping a trump, whatever its rank"),
    ],
    heeds_level="in open hands",
)
def greedy(view: Any, work: int) -> int:
    """Play the card with the best expected change in both piles, less its power to win later.

    Where all hands lie face up and each holds four cards at most, play exactly.
    """
    legal = view.legal
    if legal & (legal - _ONE) == np.uint64(0):
        return lowest(legal)
    if in_sight(view):
        return solve_ending(view, work)[0]
    trump = np.int64(view.denomination)
    factor = float(view.rules.trump_run_multiplier)
    params = view.params
    led, best, winner = trick_so_far(view)
    size = np.int64(view.trick_size)
    places = view.players - size - 1
    hidden = _CARDS & ~seen_cards(view)
    held = popcount(view.hand)
    table = np.uint64(0)
    for i in range(size):
        table |= bit(view.trick[i])
    ours = winner >= 0 and view.sides[winner] == view.sides[view.seat]
    own_now = pile_promise(
        view.own_pile, trump, params[SET], params[PAIR], params[RUN], params[TOUCH], factor
    )
    other_now = pile_promise(
        view.other_pile, trump, params[SET], params[PAIR], params[RUN], params[TOUCH], factor
    )
    base = view.rules.trick_points + params[TRICK]
    found = -1
    most = -1e9
    cards = legal
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - _ONE
        suit = card >> 4 if size == 0 else led
        strength = card_strength(card, suit, trump)
        beats = strength > best
        chance = winning_chance(
            view, max(strength, best), beats or ours, suit, places, hidden, held
        )
        gained = table | bit(card)
        won = (
            base
            - own_now
            + pile_promise(
                view.own_pile | gained,
                trump,
                params[SET],
                params[PAIR],
                params[RUN],
                params[TOUCH],
                factor,
            )
        )
        lost = (
            base
            - other_now
            + pile_promise(
                view.other_pile | gained,
                trump,
                params[SET],
                params[PAIR],
                params[RUN],
                params[TOUCH],
                factor,
            )
        )
        lane = (hidden >> np.uint64(16 * (card >> 4))) & _LANE
        above = popcount(lane >> np.uint64((card & 15) + 1))
        power = params[KEEP] * params[DECAY] ** above
        if card >> 4 == trump:
            power += params[RUFF]
        worth = chance * won - (1.0 - chance) * lost - power
        if worth > most:
            most = worth
            found = card
    return found
