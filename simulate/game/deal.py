"""Dealing: a deal is a function of the seed, the deal id and the number of players alone.

Source: rules, 'The deal' and variants 3 and 6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import DECK
from simulate.compiled.bits import has, popcount
from simulate.compiled.kernels import kernel
from simulate.compiled.philox import DEAL, JOKERS, below, fill, open_stream
from simulate.game.records import ONE_EACH, TO_DECLARERS

#: Random words made for a deal: at most 39 are used, and nine rejections in one deal do not happen
#: (their probability is below 1e-60).
_WORDS = 48

_CODES = np.array(DECK, dtype=np.uint8)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel
def deal_cards(state: Any, seed: np.uint64, deal_id: int) -> None:
    """Deal the cards of a hand.

    The cards that no seat is given beforehand, in card order, are shuffled from the end downwards
    (Fisher and Yates), and no further than the first hand, whose cards are what is left.

    Parameters
    ----------
    state : STATE record
        `hands`, `dealt` and `kitty` are modified in place; `players`, `hand_size` and `fixed`
        are read.
    seed : uint64
    deal_id : int64
    """
    words = state.words
    deck = state.deck
    fill(words, _WORDS // 4, seed, 16 * DEAL, deal_id, 0)
    fixed = state.fixed[0] | state.fixed[1] | state.fixed[2] | state.fixed[3]
    left = 52
    if fixed == np.uint64(0):
        for i in range(52):
            deck[i] = _CODES[i]
    else:
        left = 0
        for i in range(52):
            if not has(fixed, np.int64(_CODES[i])):
                deck[left] = _CODES[i]
                left += 1
    size = np.int64(state.hand_size)
    first = size - popcount(state.fixed[0])
    used = 0
    for i in range(left - 1, first - 1, -1):
        n = np.uint64(i + 1)
        product = np.uint64(words[used]) * n
        used += 1
        if product & _LOW < n:  # Lemire's rejection, once in 80 million draws
            threshold = (np.uint64(0x100000000) - n) % n
            while product & _LOW < threshold and used < _WORDS:
                product = np.uint64(words[used]) * n
                used += 1
        j = np.int64(product >> _HALF)
        card = deck[j]
        deck[j] = deck[i]
        deck[i] = card
    start = 0
    for seat in range(state.players):
        hand = state.fixed[seat]
        stop = start + size - popcount(hand)
        for i in range(start, stop):
            hand |= np.uint64(1) << np.uint64(deck[i])
        start = stop
        state.hands[seat] = hand
        state.dealt[seat] = hand
    state.kitty = np.uint64(0)
    for i in range(start, left):
        state.kitty |= np.uint64(1) << np.uint64(deck[i])


@kernel
def deal_jokers(state: Any, seed: np.uint64, deal_id: int) -> None:
    """Deal the jokers, from a stream of their own (rules, variant 3).

    Parameters
    ----------
    state : STATE record
        `jokers` is modified in place; those for the declarers stay out until the auction ends.
    seed : uint64
    deal_id : int64
    """
    for seat in range(4):
        state.jokers[seat] = 0
    if state.rules.joker_deal == TO_DECLARERS:
        return
    stream = state.stream
    open_stream(stream, seed, JOKERS, 0, deal_id)
    if state.rules.joker_deal == ONE_EACH:
        state.jokers[2 * below(stream, 2)] += 1
        state.jokers[1 + 2 * below(stream, 2)] += 1
        return
    for _ in range(state.rules.jokers):
        state.jokers[below(stream, np.int64(state.players))] += 1


@kernel
def deal_many(state: Any, first: int, hands: Any, jokers: Any) -> None:
    """Deal one hand after the other, as the engine does, and play none.

    Parameters
    ----------
    state : STATE record
        `seed`, `rules` and what :func:`deal_cards` reads are read; the rest is scratch.
    first : int64
        Deal id of the first.
    hands : uint64 array, shape (n, 4)
        Modified in place: the cards of each seat.
    jokers : int64 array, shape (n, 4)
        Modified in place; those for the declarers are left out.
    """
    for i in range(len(hands)):
        deal_cards(state, state.seed, first + i)
        if state.rules.jokers:
            deal_jokers(state, state.seed, first + i)
        for seat in range(4):
            hands[i, seat] = state.hands[seat]
            jokers[i, seat] = state.jokers[seat]
