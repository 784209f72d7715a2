"""Thirteen tricks (seventeen for three players): legal cards, winners, piles.

Source: rules, 'The tricks'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.kernels import call_strategy, kernel

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_LANE = np.uint64(0xFFFF)


@kernel(inline=True)
def legal_cards(hand: np.uint64, led: int) -> np.uint64:
    """Cards of `hand` that may be played to a trick in which the suit `led` (0..3) was led."""
    same = hand & (_LANE << np.uint64(16 * led))
    return same if same != _ZERO else hand


@kernel(inline=True)
def card_strength(card: int, led: int, trump: int) -> int:
    """Order of cards within a trick: trumps, the suit led, the rest (which never wins)."""
    suit = card >> 4  # no branches: which card wins is what a branch predictor cannot know
    return (card & 15) + (np.int64(suit == trump) << 5) + (np.int64(suit == led) << 4)


@kernel
def play_out(state: Any, addresses: Any, views: Any, works: Any) -> bool:
    """Play from where `state` stands to the last card.

    Used by the engine for whole hands, and by whatever plays a position to its end: the position
    may lie within a trick. The views must already tell of the position.

    Parameters
    ----------
    state : STATE record
        Modified in place: hands, piles, tricks, plays.
    addresses : int64 array, shape (4,)
        The players, by seat.
    views : VIEW array, shape (4,)
        Modified in place.
    works : int64 array, shape (4,)
        Handles of the strategies' scratch, by seat.

    Returns
    -------
    bool
        False where an answer was no legal card: `acting` and `answer` say which.
    """
    players = np.int64(state.players)
    size = np.int64(state.hand_size)
    open_last = np.int64(state.rules.open_last)
    trump = np.int64(state.denomination)
    forced = state.forced_plays
    hands = state.hands
    plays = state.plays
    leader = np.int64(state.leader)
    n_tricks = np.int64(state.n_tricks)
    position = np.int64(state.trick_size)
    while n_tricks < size:
        if position == 0 and size - n_tricks <= open_last:
            for viewer in range(4):
                for other in range(4):
                    views[viewer].faces[other] = hands[other]
        start = players * n_tricks
        captured = _ZERO
        led = trump
        best = -1
        winner = leader
        seat = leader
        for i in range(position):  # a trick that has begun: who is winning it
            card = np.int64(plays[start + i])
            captured |= _ONE << np.uint64(card)
            if i == 0:
                led = card >> 4
            strength = card_strength(card, led, trump)
            if strength > best:
                best = strength
                winner = seat
            seat += 1
            if seat == players:
                seat = 0
        while position < players:
            view = views[seat]
            hand = hands[seat]
            legal = hand if position == 0 else legal_cards(hand, led)
            view.hand = hand
            view.legal = legal
            state.acting = seat
            if start + position < forced:
                card = np.int64(plays[start + position])
            else:
                card = call_strategy(addresses[seat], view, works[seat])
            if card < 0 or card > 63 or (legal >> np.uint64(card)) & _ONE == _ZERO:
                state.answer = card
                return False
            mask = _ONE << np.uint64(card)
            hands[seat] = hand ^ mask
            captured |= mask
            plays[start + position] = card
            if position == 0:
                led = card >> 4
            void = state.voids[seat] | np.int64(card >> 4 != led) << led
            state.voids[seat] = void
            for viewer in range(4):
                other_view = views[viewer]
                other_view.plays[start + position] = card
                other_view.trick[position] = card
                other_view.trick_size = position + 1
                other_view.voids[seat] = void
            if size - n_tricks <= open_last:
                for viewer in range(4):
                    views[viewer].faces[seat] = hand ^ mask
            strength = card_strength(card, led, trump)
            if strength > best:
                best = strength
                winner = seat
            position += 1
            seat += 1
            if seat == players:
                seat = 0
        side = np.int64(state.sides[winner])
        state.piles[side] |= captured
        state.tricks[side] += 1
        n_tricks += 1
        leader = winner
        state.leaders[n_tricks] = leader
        position = 0
        for viewer in range(4):
            view = views[viewer]
            view.leader = leader
            view.leaders[n_tricks] = leader
            view.n_tricks = n_tricks
            view.trick_size = 0
            if state.sides[viewer] == side:
                view.own_pile |= captured
                view.own_tricks += 1
            else:
                view.other_pile |= captured
                view.other_tricks += 1
    state.leader = leader
    state.n_tricks = n_tricks
    state.trick_size = 0
    return True
