"""Compiled: seats that call and play as they are told, and a hand played again around them.

They stand for the other seats of a hand whose hidden cards are dealt anew: all that the watched
seat saw of them happens again, and what it could not see is different.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.bits import lowest
from simulate.compiled.kernels import kernel, record_at
from simulate.compiled.philox import OWN, open_stream
from simulate.game.hand import Table, begin_hand, play_dealt
from simulate.game.records import MAX_CALLS, MAX_TRICKS, TO_DECLARERS
from strategies.search.worlds import WORLD, sample, survey

SCRIPT = np.dtype(
    [
        ("calls", np.int8, (MAX_CALLS,)),
        ("plays", np.int8, (MAX_TRICKS,)),
        ("n_calls", np.int64),
        ("n_plays", np.int64),
        ("said", np.int64),  # calls made already
        ("discard", np.int64),
        ("target", np.int64),
    ],
    align=True,
)
SCRIPT_TYPE: Any = numba.from_dtype(SCRIPT)
WORLD_TYPE: Any = numba.from_dtype(WORLD)

#: Ends the hand: nothing more is written down for this seat.
_END = -1


@kernel
def script_bid(view: Any, work: int) -> int:
    """Make the next call of the script behind `work`."""
    script = record_at(work, SCRIPT_TYPE)
    number = script.said
    script.said += 1
    return np.int64(script.calls[number]) if number < script.n_calls else _END


@kernel
def script_play(view: Any, work: int) -> int:
    """Play the script's card of this trick."""
    script = record_at(work, SCRIPT_TYPE)
    number = view.n_tricks
    return np.int64(script.plays[number]) if number < script.n_plays else _END


@kernel
def script_discard(view: Any, work: int) -> int:
    """Lay down the script's card."""
    return record_at(work, SCRIPT_TYPE).discard


@kernel
def script_announce(view: Any, work: int) -> int:
    """Announce the script's points."""
    return record_at(work, SCRIPT_TYPE).target


@kernel
def deal_again(
    state: Any, scripts: Any, view: Any, world: Any, dealt: np.uint64, draw: int
) -> None:
    """Deal what a seat cannot see anew, and write what it has seen of the others.

    Parameters
    ----------
    state : STATE record
        Its `fixed` hands are overwritten.
    scripts : SCRIPT array, shape (4,)
        Overwritten.
    view : VIEW record
        The seat's, at the moment of a call or a card; its stream is modified.
    world : WORLD record
        Overwritten.
    dealt : uint64
        The seat's hand as it was dealt.
    draw : int64
        Other numbers give other deals.
    """
    open_stream(view.stream, np.uint64(0xB11D), OWN, np.int64(view.seat), draw)
    survey(world, view)
    sample(world, view)
    players = np.int64(view.players)
    for seat in range(players):
        state.fixed[seat] = world.hands[seat]
        scripts[seat].n_calls = 0
        scripts[seat].n_plays = 0
        scripts[seat].said = 0
        scripts[seat].target = view.target
        scripts[seat].discard = lowest(world.odd)
    for i in range(view.n_calls):
        script = scripts[view.callers[i]]
        script.calls[script.n_calls] = view.calls[i]
        script.n_calls += 1
    for place in range(players * np.int64(view.n_tricks) + np.int64(view.trick_size)):
        trick = place // players
        seat = (np.int64(view.leaders[trick]) + place % players) % players
        state.fixed[seat] |= np.uint64(1) << np.uint64(view.plays[place])
        scripts[seat].plays[trick] = view.plays[place]
        scripts[seat].n_plays = trick + 1
    state.fixed[view.seat] = dealt


@kernel
def play_again(table: Table, deal_id: int, dealer: int, jokers: Any) -> bool:
    """Play a hand whose jokers are given too; False where it ended before its end."""
    state = table.state[0]
    seats = table.seats[0]
    state.leg = 0
    begin_hand(state, seats, table.bidding[0], deal_id, dealer)
    if state.rules.jokers and state.rules.joker_deal != TO_DECLARERS:
        for seat in range(4):
            state.jokers[seat] = jokers[seat]
            seats.views[seat].jokers = jokers[seat]
    return play_dealt(state, seats, table.playing[0])
