"""One hand from the deal to the score: the order of its phases, and what each seat is told.

Source: rules; the order between auction and lead is that of variant 5: jokers for the declarer,
kitty, discard, announcement, lead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulate.cards import NT
from simulate.compiled.bits import ONE, ZERO
from simulate.compiled.kernels import call_strategy, copy_bytes, kernel
from simulate.compiled.philox import BIDDER, PLAYER, draw_keys, open_own
from simulate.game.auction import hold_auction
from simulate.game.deal import deal_cards, deal_jokers
from simulate.game.records import (
    ANNOUNCING,
    BIDDING,
    DISCARDING,
    KITTY_EXCHANGE,
    KITTY_LAST_TRICK,
    KITTY_PILE,
    OWN_START,
    OWN_STOP,
    PLAYING,
    STREAM_STOP,
    TO_DECLARERS,
    VIEW_SIZE,
)
from simulate.game.scoring import score_hand
from simulate.game.tricks import play_out

#: Highest total that may be announced; far above what a hand can make.
MOST_TARGET = 1_000_000


class Table(NamedTuple):
    """Memory of one engine, as the kernels take it; arrays over legs and seats."""

    state: Any  # STATE (1,)
    seats: Any  # SEATS (legs,)
    bidding: Any  # VIEW (legs, 4): the views as an auction starts
    playing: Any  # VIEW (legs, 4): of which the play takes `params` and an empty `memo`
    scorer: Any  # WORK (1,): the engine's own scratch


@kernel
def set_sides(state: Any, first: int) -> None:
    """Put the side of seat `first` as side 0, the others as side 1 (`state` modified)."""
    for seat in range(4):
        if state.players == 4:
            state.sides[seat] = (seat ^ first) & 1
        else:
            state.sides[seat] = seat != first


@kernel
def begin_hand(state: Any, seats: Any, bidding: Any, deal_id: int, dealer: int) -> None:
    """Deal, and give each seat its view before the auction.

    Parameters
    ----------
    state : STATE record
        Modified in place; `seed`, `before` and what the rules fix are read.
    seats : SEATS record
        The views are modified in place.
    bidding : VIEW array, shape (4,)
    deal_id, dealer : int64
    """
    players = np.int64(state.players)
    state.deal_id = deal_id
    state.dealer = dealer
    state.declarer = -1
    state.level = 0
    state.denomination = -1
    state.target = -1
    state.stated = -1
    state.phase = BIDDING
    state.leader = dealer + 1 if dealer + 1 < players else 0
    state.n_calls = 0
    state.n_tricks = 0
    state.trick_size = 0
    state.discard = ZERO
    state.made = -1
    for side in range(2):
        state.piles[side] = ZERO
        state.aside[side] = ZERO
        state.tricks[side] = 0
        state.melds[side] = 0
        state.meld_points[side] = 0
        state.dead[side] = 0
        state.slam[side] = 0
        state.scores[side] = 0
    set_sides(state, np.int64(state.leader))
    deal_cards(state, state.seed, deal_id)
    if state.rules.jokers:
        deal_jokers(state, state.seed, deal_id)
    draw_keys(state.keys, state.seed, deal_id)
    for seat in range(4):
        state.voids[seat] = 0
        view = seats.views[np.uint64(seat)]
        copy_bytes(view, bidding[seat], 0, VIEW_SIZE)
        view.dealer = dealer
        view.hand = state.hands[seat]
        view.jokers = state.jokers[seat]
        open_own(view.stream, state.keys, BIDDER, seat)
    if state.in_match:
        for seat in range(4):
            for other in range(4):
                seats.views[np.uint64(seat)].scores[other] = state.before[other]


@kernel
def begin_play(state: Any, seats: Any, playing: Any) -> None:
    """Tell each seat the contract and make its view the player's (`state`, `seats` modified)."""
    state.phase = PLAYING
    if state.declarer >= 0:
        state.leader = state.declarer
    set_sides(state, np.int64(state.leader))
    state.leaders[0] = state.leader
    for seat in range(4):
        view = seats.views[np.uint64(seat)]
        view.declarer = state.declarer
        view.level = state.level
        view.denomination = state.denomination
        view.leader = state.leader
        view.leaders[0] = state.leader
        for other in range(4):
            view.sides[other] = state.sides[other]
        copy_bytes(view, playing[seat], OWN_START, OWN_STOP)
        open_own(view.stream, state.keys, PLAYER, seat)


@kernel
def take_kitty(state: Any, seats: Any) -> bool:
    """Give the declarer the kitty as the rules say, and ask for the discard.

    Returns
    -------
    bool
        False where the answer was no card of the hand: `acting` and `answer` say which.
    """
    declarer = np.uint64(state.declarer)
    if state.rules.kitty == KITTY_PILE:
        state.aside[0] = state.kitty
    if state.rules.kitty != KITTY_EXCHANGE:
        return True
    hand = state.hands[declarer] | state.kitty
    view = seats.views[declarer]
    view.hand = hand
    view.legal = hand
    state.phase = DISCARDING
    state.acting = declarer
    if state.forced_between:
        card = state.forced_discard
    else:
        card = call_strategy(seats.discarders[declarer], view, seats.works[declarer])
    if card < 0 or card > 63 or (hand >> np.uint64(card)) & ONE == ZERO:
        state.answer = card
        return False
    state.discard = ONE << np.uint64(card)
    state.aside[0] = state.discard
    state.hands[declarer] = hand ^ state.discard
    view.hand = hand ^ state.discard
    view.discard = state.discard
    state.phase = PLAYING
    return True


@kernel
def take_over(state: Any, seats: Any, playing: Any) -> bool:
    """Do what comes after the auction: jokers for the declarer, the contract told, the kitty.

    Returns
    -------
    bool
        False where the discard was no card of the hand.
    """
    if state.declarer < 0:
        begin_play(state, seats, playing)
        return True
    declarer = np.uint64(state.declarer)
    if state.rules.joker_deal == TO_DECLARERS and state.rules.jokers:
        state.jokers[declarer] = state.rules.jokers
        seats.views[declarer].jokers = state.rules.jokers
    if state.rules.hard_bid != 0:
        copy_bytes(seats.spare[0], seats.views[declarer], OWN_START, STREAM_STOP)
    begin_play(state, seats, playing)
    return take_kitty(state, seats)


@kernel
def play_tricks(state: Any, seats: Any) -> bool:
    """Play all tricks; False where an answer was no legal card."""
    if not play_out(state, seats):
        return False
    if state.rules.kitty == KITTY_LAST_TRICK:
        state.aside[np.uint64(state.sides[np.uint64(state.leader)])] = state.kitty
    return True


@kernel
def announce_target(state: Any, seats: Any) -> bool:
    """Ask the declarer's bidder for the points that the side will make (variant 5).

    The bidder answers with its own parameters, memo and random numbers, which
    :func:`take_over` kept in ``seats.spare[0]`` when the auction ended.

    Returns
    -------
    bool
        False where the answer was out of range: `acting` and `answer` say which.
    """
    declarer = np.uint64(state.declarer)
    view = seats.views[declarer]
    copy_bytes(seats.spare[1], view, OWN_START, STREAM_STOP)
    copy_bytes(view, seats.spare[0], OWN_START, STREAM_STOP)
    view.legal = ZERO
    state.phase = ANNOUNCING
    state.acting = declarer
    if state.forced_between:
        target = state.forced_target
    else:
        target = call_strategy(seats.announcers[declarer], view, seats.works[declarer])
    if target < 0 or target > MOST_TARGET:
        state.answer = target
        return False
    state.target = target
    state.stated = view.stated
    copy_bytes(view, seats.spare[1], OWN_START, STREAM_STOP)
    for seat in range(4):
        seats.views[np.uint64(seat)].target = target
    state.phase = PLAYING
    return True


@kernel
def play_dealt(state: Any, seats: Any, playing: Any) -> bool:
    """Play a hand that is dealt, from the first call to the last trick (`state`, `seats` modified).

    Without a bid, and where such a hand is not played out, it ends after the auction.

    Returns
    -------
    bool
        False where a strategy answered what is not legal.
    """
    if not hold_auction(state, seats):
        return False
    if state.declarer < 0:
        if state.rules.all_pass == 0:
            return True
        state.denomination = NT
    if not take_over(state, seats, playing):
        return False
    if state.declarer >= 0 and state.rules.hard_bid != 0 and not announce_target(state, seats):
        return False
    return play_tricks(state, seats)


@kernel
def play_hand(table: Table, deal_id: int, leg: int, dealer: int) -> bool:
    """Play one hand from the deal to the score; the outcome lies in ``table.state[0]``.

    Returns
    -------
    bool
        False where a strategy answered what is not legal.
    """
    state = table.state[0]
    seats = table.seats[leg]
    state.leg = leg
    begin_hand(state, seats, table.bidding[leg], deal_id, dealer)
    if not play_dealt(state, seats, table.playing[leg]):
        return False
    if state.n_tricks > 0:
        score_hand(state, table.scorer[0])
    return True
