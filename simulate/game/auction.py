"""The auction: which calls are legal, when it ends, who declares what.

Source: rules, 'The auction'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import BIDS
from simulate.compiled.bits import ONE
from simulate.compiled.kernels import call_strategy, kernel
from simulate.game.calls import NT, denomination_of, level_of, make_call
from simulate.game.records import MAX_CALLS

_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def all_bids(rules: Any) -> np.uint64:
    """Bids that exist under `rules` (a RULES record), as a set of calls."""
    bids = np.uint64(0)
    for level in range(rules.max_level):
        bids |= np.uint64(rules.denominations) << np.uint64(make_call(level + 1, 0))
    return bids


@kernel
def bids_above(rules: Any, bids: np.uint64, last: int) -> np.uint64:
    """Bids that outrank the bid `last` (0 for none yet).

    A higher level outranks a lower one; within a level no trump outranks the suits, and the suits
    among themselves are equal, or ranked as in bridge where `suit_ranking` says so.
    """
    if last == 0:
        return bids
    if rules.suit_ranking == 1:
        return bids & (_ONES << np.uint64(last + 1))
    no_trump = make_call(level_of(last), NT)
    higher = _ONES << np.uint64(no_trump + 1)
    if last != no_trump:
        higher |= ONE << np.uint64(no_trump)
    return bids & higher


@kernel(inline=True)
def tell_call(state: Any, seats: Any, count: int, seat: int, call: int) -> None:
    """Write down call number `count`, from 0, and tell it to all (`state`, `seats` modified)."""
    state.calls[count] = call
    state.callers[count] = seat
    for other in range(np.int64(state.players)):
        view = seats.views[other]
        view.calls[count] = call
        view.callers[count] = seat
        view.n_calls = count + 1
        if call:
            view.declarer = seat
            view.level = level_of(call)
            view.denomination = denomination_of(call)


@kernel
def hold_auction(state: Any, seats: Any) -> bool:
    """Ask the bidders in turn until the auction ends.

    Parameters
    ----------
    state : STATE record
        Modified in place: calls and contract (`declarer` -1 and `level` 0 where nobody bid).
    seats : SEATS record
        The views are modified in place.

    Returns
    -------
    bool
        False where an answer was no legal call: `acting` and `answer` say which.
    """
    rules = state.rules
    players = np.int64(state.players)
    bids = all_bids(rules)
    one_round = rules.auction == 1
    final_pass = rules.passed_may_return == 0
    last = 0
    declarer = -1
    in_play = (1 << players) - 1  # seats that may still speak
    silent = 0  # passes in turn since the last bid
    count = 0
    seat = (np.int64(state.dealer) + 1) % players
    while count < MAX_CALLS:
        if in_play >> seat & 1:
            view = seats.views[seat]
            legal = bids_above(rules, bids, last) | ONE
            view.legal = legal
            state.acting = seat
            if count < state.forced_calls:
                call = np.int64(state.calls[count])
            else:
                call = call_strategy(seats.bidders[seat], view, seats.works[seat])
            if call < 0 or call > BIDS or (legal >> np.uint64(call)) & ONE == np.uint64(0):
                state.answer = call
                return False
            tell_call(state, seats, count, seat, call)
            count += 1
            if call:
                last = call
                declarer = seat
                silent = 0
            else:
                silent += 1
                if final_pass:
                    in_play &= ~(1 << seat)
            if one_round:
                if count == players:
                    break
            elif declarer < 0:
                if silent == players:
                    break
            elif silent == players - 1 or in_play == 1 << declarer:
                break
        seat += 1
        if seat == players:
            seat = 0
    state.n_calls = count
    state.declarer = declarer
    if declarer >= 0:
        state.level = level_of(last)
        state.denomination = denomination_of(last)
        state.stated = seats.views[declarer].stated
    return True
