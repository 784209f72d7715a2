"""Playing a position to its end in thought: a sampled world, and a fast player at every seat.

The memory is the scratch that the engine lends (:func:`playouts_of`). In the play::

    scratch = playouts_of(work)
    open_playouts(scratch, view, work, rollout, exact)
    for each world:
        next_world(scratch, view)
        for each card: margin = play_card(scratch, view, work, card)

and in the auction, with `play_contract` for `play_card`. What comes of the hand then stands in
``scratch.state``, scored by the engine's own scorer. All cards of one world are played on with the
same random numbers, drawn from the seat's own stream.

The players in thought are honest: each has the view that its seat would have, of the cards that the
world gives it. They are told nothing of who bids or plays how. Jokers that the seat does not hold
are dealt with the world, so that they score; no player in thought sees another's.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.bits import ZERO, popcount
from simulate.compiled.kernels import call_strategy, copy_bytes, kernel, record_at
from simulate.compiled.philox import OWN, next_word, open_stream
from simulate.engine.scratch import ROOM, WORK_TYPE
from simulate.game.hand import announce_target, play_tricks, take_over
from simulate.game.records import (
    KITTY_EXCHANGE,
    KITTY_PILE,
    MAX_TRICKS,
    MEMO,
    OWN_STOP,
    PARAMETERS,
    RULES,
    SEATS,
    STATE,
    STREAM_STOP,
    TO_DECLARERS,
    VIEW_SIZE,
)
from simulate.game.scoring import score_hand
from strategies.search.worlds import WORLD, sample, survey

_HALF = np.uint64(32)

#: A player that plays in thought; a strategy gets the address of one as a parameter.
ROLLOUT = np.dtype(
    [
        ("play", np.int64),  # addresses
        ("discard", np.int64),
        ("announce", np.int64),
        ("params", np.float64, PARAMETERS),
    ],
    align=True,
)
ROLLOUT_TYPE: Any = numba.from_dtype(ROLLOUT)

#: The worlds of a decision, the position as it stands in the present one, and a copy to play on.
PLAYOUTS = np.dtype(
    [
        ("world", WORLD),
        ("start", STATE),
        ("start_seats", SEATS),
        ("state", STATE),
        ("seats", SEATS),
        ("worlds", np.int64),  # laid out in this decision
        ("margins", np.int64, 64),  # of each card in the present world
        ("gains", np.float64, 64),  # sums over the worlds: what each card brings above the first
        ("squares", np.float64, 64),  # of that
    ],
    align=True,
)
PLAYOUTS_TYPE: Any = numba.from_dtype(PLAYOUTS)
assert PLAYOUTS.itemsize <= ROOM

_RULES_SIZE = RULES.itemsize
_STATE_SIZE = STATE.itemsize
_SEATS_SIZE = SEATS.itemsize


@kernel
def playouts_of(work: int) -> Any:
    """Memory for playouts, a PLAYOUTS record: that of the engine, to be used within a decision."""
    return record_at(record_at(work, WORK_TYPE).scratch, PLAYOUTS_TYPE)


@kernel
def open_playouts(scratch: Any, view: Any, work: int, rollout: int, exact: int) -> None:
    """Survey what is hidden, and set up the position as far as the seat knows it.

    Parameters
    ----------
    scratch : PLAYOUTS record
        Overwritten.
    view : VIEW record
        Of the seat that is to act; left alone.
    work : int64
        The handle that the strategy was given.
    rollout : int64
        Address of a ROLLOUT record: who plays at every seat.
    exact : int64
        So many last tricks are played with all hands face up, as players may that can solve them.
    """
    survey(scratch.world, view)
    scratch.worlds = 0
    state = scratch.start
    own = np.int64(view.sides[view.seat])
    copy_bytes(state.rules, view.rules, 0, _RULES_SIZE)
    state.rules.open_last = max(np.int64(view.rules.open_last), exact)
    state.players = view.players
    state.hand_size = view.n_tricks + popcount(view.hand)
    state.deal_id = 0
    state.dealer = view.dealer
    state.declarer = view.declarer
    state.level = view.level
    state.denomination = view.denomination
    state.target = view.target
    state.leader = view.leader
    state.trick_size = view.trick_size
    state.n_tricks = view.n_tricks
    state.forced_plays = 0
    state.forced_between = 0
    state.discard = ZERO
    state.piles[own] = view.own_pile
    state.piles[1 - own] = view.other_pile
    state.tricks[own] = view.own_tricks
    state.tricks[1 - own] = view.other_tricks
    for side in range(2):
        state.aside[side] = ZERO
    for i in range(view.players * view.n_tricks + view.trick_size):
        state.plays[i] = view.plays[i]
    for i in range(MAX_TRICKS + 1):
        state.leaders[i] = view.leaders[i]
    player = record_at(rollout, ROLLOUT_TYPE)
    seats = scratch.start_seats
    for seat in range(4):
        state.sides[seat] = view.sides[seat]
        state.voids[seat] = view.voids[seat]
        state.before[seat] = view.scores[seat]
        state.jokers[seat] = 0
        seats.players[seat] = player.play
        seats.discarders[seat] = player.discard
        seats.announcers[seat] = player.announce
        seats.works[seat] = work
        known = seats.views[seat]
        copy_bytes(known, view, 0, VIEW_SIZE)
        known.seat = seat
        known.jokers = 0
        known.stated = -1
        known.discard = ZERO
        if view.sides[seat] != own:
            known.own_pile = view.other_pile
            known.other_pile = view.own_pile
            known.own_tricks = view.other_tricks
            known.other_tricks = view.own_tricks
        for i in range(PARAMETERS):
            known.params[i] = player.params[i]
        for i in range(MEMO):
            known.memo[i] = 0


@kernel
def next_world(scratch: Any, view: Any) -> None:
    """Sample a world, and lay it out as the position to start from (`scratch` modified)."""
    sample(scratch.world, view)
    seed = (next_word(view.stream) << _HALF) | next_word(view.stream)
    lay_world(scratch, view, seed)


@kernel
def lay_world(scratch: Any, view: Any, seed: np.uint64) -> None:
    """Lay out ``scratch.world`` as the position to start from.

    Parameters
    ----------
    scratch : PLAYOUTS record
        Modified in place.
    view : VIEW record
        Left alone.
    seed : uint64
        Of the random numbers of the players in thought.
    """
    scratch.worlds += 1
    world = scratch.world
    state = scratch.start
    state.seed = seed
    state.kitty = world.odd
    for seat in range(4):
        known = scratch.start_seats.views[seat]
        state.hands[seat] = world.hands[seat]
        known.hand = world.hands[seat]
        open_stream(known.stream, seed, OWN, seat, 0)
        if view.rules.jokers:
            state.jokers[seat] = world.jokers[seat]
            known.jokers = world.jokers[seat]
    if view.rules.kitty == KITTY_EXCHANGE:
        state.discard = world.odd
        state.aside[0] = world.odd
        if view.declarer >= 0:
            scratch.start_seats.views[np.int64(view.declarer)].discard = world.odd
    elif view.rules.kitty == KITTY_PILE:
        state.aside[0] = world.odd


@kernel(inline=True)
def _start_over(scratch: Any) -> None:
    copy_bytes(scratch.state, scratch.start, 0, _STATE_SIZE)
    copy_bytes(scratch.seats, scratch.start_seats, 0, _SEATS_SIZE)


@kernel
def _finish(scratch: Any, work: int) -> None:
    """Play ``scratch.state`` to its end and score it."""
    state = scratch.state
    if not play_tricks(state, scratch.seats):
        raise ValueError("the player in thought answered what is not legal")
    score_hand(state, record_at(work, WORK_TYPE))


@kernel
def play_card(scratch: Any, view: Any, work: int, card: int) -> int:
    """Play `card` in the present world, and on to the end of the hand.

    Parameters
    ----------
    scratch : PLAYOUTS record
        Modified in place: what comes of the hand stands in its `state`.
    view : VIEW record
        Left alone.
    work : int64
    card : int64
        One of ``view.legal``.

    Returns
    -------
    int64
        Score of the own side less that of the other.
    """
    _start_over(scratch)
    state = scratch.state
    place = view.players * view.n_tricks + view.trick_size
    state.plays[place] = card
    state.forced_plays = place + 1
    _finish(scratch, work)
    own = np.int64(view.sides[view.seat])
    return np.int64(state.scores[own]) - np.int64(state.scores[1 - own])


@kernel
def rollout_card(scratch: Any, view: Any, work: int, rollout: int) -> int:
    """Card that another player would play for the seat.

    It takes notes in the seat's memo, and draws from its stream, as if it sat there itself.

    Parameters
    ----------
    scratch : PLAYOUTS record
        Modified in place.
    view : VIEW record
        Its memo and stream are modified in place.
    work : int64
    rollout : int64
        Address of a ROLLOUT record: the other player.
    """
    player = record_at(rollout, ROLLOUT_TYPE)
    known = scratch.seats.spare[0]
    copy_bytes(known, view, 0, VIEW_SIZE)
    for i in range(PARAMETERS):
        known.params[i] = player.params[i]
    card = call_strategy(player.play, known, work)
    for i in range(MEMO):
        view.memo[i] = known.memo[i]
    copy_bytes(view, known, OWN_STOP, STREAM_STOP)
    return card


@kernel
def play_contract(scratch: Any, work: int, declarer: int, level: int, denomination: int) -> None:
    """Play the present world, of a view in the auction, in a contract.

    In a hard bid the shipped estimate announces.

    Parameters
    ----------
    scratch : PLAYOUTS record
        Modified in place: ``scratch.state`` is the hand after its end, the declarers' side first.
    work : int64
    declarer : int64
        Seat.
    level, denomination : int64
    """
    _start_over(scratch)
    state = scratch.state
    seats = scratch.seats
    state.declarer = declarer
    state.level = level
    state.denomination = denomination
    state.discard = ZERO
    state.aside[0] = ZERO
    for seat in range(4):
        seats.views[seat].discard = ZERO
        if state.rules.joker_deal == TO_DECLARERS:
            state.jokers[seat] = 0
            seats.views[seat].jokers = 0
    if not take_over(state, seats, scratch.start_seats.views):
        raise ValueError("the player in thought laid down what is no card of its hand")
    if state.rules.hard_bid != 0 and not announce_target(state, seats):
        raise ValueError("the player in thought announced what is no total")
    _finish(scratch, work)
