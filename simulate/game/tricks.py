"""Thirteen tricks (seventeen for three players): legal cards, winners, piles.

Source: rules, 'The tricks'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import LANE, ONE, ZERO
from simulate.compiled.kernels import call_strategy, kernel


@kernel(inline=True)
def card_strength(card: int, led: int, trump: int) -> int:
    """Order of cards within a trick: trumps, the suit led, the rest (which never wins)."""
    suit = card >> 4  # no branches: which card wins is what a branch predictor cannot know
    return (card & 15) + (np.int64(suit == trump) << 5) + (np.int64(suit == led) << 4)


@kernel(inline=True)
def next_seat(seat: np.uint64, players: np.uint64) -> np.uint64:
    """Seat to the left of `seat`; both uint64."""
    following = seat + ONE
    return ZERO if following == players else following


@kernel
def play_out(state: Any, seats: Any) -> bool:
    """Play from where `state` stands to the last card.

    Used by the engine for whole hands, and by whatever plays a position to its end: the position
    may lie within a trick. The views must already tell of the position.

    Seats and places are unsigned here, which spares numba's care for negative indices; what a
    branch predictor cannot know is worked out without branches.

    Parameters
    ----------
    state : STATE record
        Modified in place: hands, piles, tricks, plays.
    seats : SEATS record
        The views are modified in place.

    Returns
    -------
    bool
        False where an answer was no legal card: `acting` and `answer` say which.
    """
    players = np.uint64(state.players)
    size = np.int64(state.hand_size)
    hidden_tricks = size - np.int64(state.rules.open_last)
    forced = np.uint64(state.forced_plays)
    trump = np.int64(state.denomination)
    hands = state.hands
    plays = state.plays
    views = seats.views
    n_tricks = np.int64(state.n_tricks)
    leader = np.uint64(state.leader)
    position = np.uint64(state.trick_size)
    place = players * np.uint64(n_tricks)
    while n_tricks < size:
        if position == ZERO and n_tricks >= hidden_tricks:
            for viewer in range(4):
                for other in range(4):
                    views[viewer].faces[other] = hands[other]
        captured = ZERO
        lane = ZERO
        led = trump
        best = -1
        winner = leader
        seat = leader
        for i in range(position):  # a trick that has begun: who is winning it
            card = np.int64(plays[place])
            place += ONE
            captured |= ONE << np.uint64(card)
            if i == 0:
                led = card >> 4
                lane = LANE << np.uint64(16 * led)
            strength = card_strength(card, led, trump)
            if strength > best:
                best = strength
                winner = seat
            seat = next_seat(seat, players)
        while position < players:
            view = views[seat]
            hand = hands[seat]
            same = hand & lane
            legal = same if same != ZERO else hand
            view.hand = hand
            view.legal = legal
            state.acting = seat
            if place < forced:
                card = np.int64(plays[place])
            else:
                card = call_strategy(seats.players[seat], view, seats.works[seat])
            if card < 0 or card > 63 or (legal >> np.uint64(card)) & ONE == ZERO:
                state.answer = card
                return False
            mask = ONE << np.uint64(card)
            hand ^= mask
            hands[seat] = hand
            captured |= mask
            plays[place] = card
            suit = card >> 4
            if position == ZERO:
                led = suit
                lane = LANE << np.uint64(16 * led)
            void = state.voids[seat] | np.int64(suit != led) << led
            state.voids[seat] = void
            for viewer in range(4):
                other_view = views[np.uint64(viewer)]
                other_view.plays[place] = card
                other_view.trick[position] = card
                other_view.trick_size = position + ONE
                other_view.voids[seat] = void
            if n_tricks >= hidden_tricks:
                for viewer in range(4):
                    views[np.uint64(viewer)].faces[seat] = hand
            strength = card_strength(card, led, trump)
            if strength > best:
                best = strength
                winner = seat
            place += ONE
            position += ONE
            seat = next_seat(seat, players)
        side = np.uint64(state.sides[winner])
        state.piles[side] |= captured
        state.tricks[side] += 1
        n_tricks += 1
        leader = winner
        position = ZERO
        state.leaders[np.uint64(n_tricks)] = leader
        for viewer in range(4):
            view = views[np.uint64(viewer)]
            view.leader = leader
            view.leaders[np.uint64(n_tricks)] = leader
            view.n_tricks = n_tricks
            view.trick_size = 0
            won = np.int64(state.sides[np.uint64(viewer)] == state.sides[winner])
            view.own_tricks += won
            view.other_tricks += 1 - won
            mine = captured & np.uint64(-won)
            view.own_pile |= mine
            view.other_pile |= captured ^ mine
    state.leader = leader
    state.n_tricks = n_tricks
    state.trick_size = 0
    return True
