"""One hand that is given: every bid tried in each world of :mod:`simulate.engine.odds`.

In each world the seat declares in every denomination, and each call that it may make now is
followed by what the bidders make of it. Playouts are those of :mod:`simulate.engine.loop_forced`:
players are told no calls, and where they do not heed the level one playout answers for all levels.
What two calls lead to alike is played once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import NT
from simulate.compiled.bits import ONE
from simulate.compiled.kernels import copy_bytes, kernel
from simulate.engine.loop_forced import play_declared, score_levels
from simulate.engine.odds import CALLS, begin_world, deal_world, turn_world, weigh_calls
from simulate.game.auction import hold_auction
from simulate.game.calls import denomination_of, level_of, make_call
from simulate.game.hand import Table, play_tricks, take_over
from simulate.game.records import SEATS
from simulate.game.scoring import score_hand

_SEATS_SIZE = SEATS.itemsize


@kernel
def follow_calls(table: Table, question: Any) -> bool:
    """Let the auction go on after each call that the seat may make now.

    Parameters
    ----------
    table : Table
        The present world, as :func:`weigh_calls` left it.
    question : QUESTION record
        `contracts` is modified in place.

    Returns
    -------
    bool
        False where a bidder answered what is not legal, or the work is to stop.
    """
    state = table.state[0]
    seats = table.seats[0]
    count = question.n_calls
    copy_bytes(question.kept, seats, 0, _SEATS_SIZE)
    for i in range(count):
        state.calls[i] = question.calls[i]
    for call in range(CALLS):
        if not (question.legal >> np.uint64(call)) & ONE:
            continue
        if question.stop:
            return False
        copy_bytes(seats, question.kept, 0, _SEATS_SIZE)
        state.calls[count] = call
        state.forced_calls = count + 1
        legal = hold_auction(state, seats)
        state.forced_calls = 0
        if not legal:
            return False
        question.contracts[call] = -1
        if state.declarer >= 0:
            bid = make_call(state.level, state.denomination)
            question.contracts[call] = 32 * state.declarer + bid
    return True


@kernel
def play_bid(table: Table, question: Any, deal_id: int, declarer: int, bid: int) -> bool:
    """Play a contract in the present world, unless its outcome is known.

    Parameters
    ----------
    table : Table
    question : QUESTION record
        `played`, `made`, `declarers` and `defenders` are modified in place.
    deal_id, declarer, bid : int64

    Returns
    -------
    bool
        False where a strategy answered what is not legal, or the work is to stop.
    """
    if question.played[declarer, bid]:
        return True
    if question.stop:
        return False
    level = level_of(bid)
    denomination = denomination_of(bid)
    row = question.forced
    text = question.level_told
    begin_world(table, question, deal_id)
    if not play_declared(table, row, 0, declarer, denomination, text if text else level):
        return False
    score_levels(table.state[0], table.scorer[0], row)
    for k in range(table.state[0].rules.max_level):
        if text or k == level - 1:
            at = make_call(k + 1, denomination)
            question.played[declarer, at] = 1
            question.made[declarer, at] = row.made[k]
            question.declarers[declarer, at] = row.scores[k]
            question.defenders[declarer, at] = row.score_def
    return True


@kernel
def play_out_passed(table: Table, question: Any, world: Any, deal_id: int, call: int) -> bool:
    """Score a hand in which nobody bids (`world` modified); False where an answer was not legal."""
    state = table.state[0]
    seats = table.seats[0]
    world.declarers[call] = -1
    for seat in range(4):
        world.after[call, seat] = 0
    if state.rules.all_pass == 0:
        return True
    begin_world(table, question, deal_id)
    state.denomination = NT
    if not take_over(state, seats, table.playing[0]) or not play_tricks(state, seats):
        return False
    score_hand(state, table.scorer[0])
    for seat in range(4):
        world.after[call, seat] = state.scores[np.uint64(state.sides[seat])]
    return True


@kernel
def play_world(table: Table, question: Any, world: Any, deal_id: int) -> bool:
    """Try every bid in the present world, as :func:`weigh_calls` left it.

    Parameters
    ----------
    table : Table
    question : QUESTION record
    world : WORLD record
        Outcomes are modified in place.
    deal_id : int64

    Returns
    -------
    bool
        False where a strategy answered what is not legal.
    """
    if not follow_calls(table, question):
        return False
    seat = question.seat
    players = np.int64(table.state[0].players)
    for declarer in range(4):
        for bid in range(CALLS):
            question.played[declarer, bid] = 0
    for call in range(CALLS):
        if not (question.legal >> np.uint64(call)) & ONE:
            continue
        if call:
            if not play_bid(table, question, deal_id, seat, call):
                return False
            world.made[call] = question.made[seat, call]
            world.own[call] = question.declarers[seat, call]
            world.others[call] = question.defenders[seat, call]
        contract = question.contracts[call]
        if contract < 0:
            if not play_out_passed(table, question, world, deal_id, call):
                return False
            continue
        declarer = contract // 32
        bid = contract % 32
        if not play_bid(table, question, deal_id, declarer, bid):
            return False
        world.declarers[call] = declarer
        for other in range(players):
            ours = other == declarer or (players == 4 and other == declarer ^ 2)
            scores = question.declarers if ours else question.defenders
            world.after[call, other] = scores[declarer, bid]
    return True


@kernel
def play_worlds(table: Table, question: Any, worlds: Any, first: int, stop: int) -> tuple[int, int]:
    """Play the worlds of deals from `first` on, as long as there is room.

    Parameters
    ----------
    table : Table
    question : QUESTION record
        Scratch.
    worlds : WORLD array, shape (n,), n >= 3
        Modified in place.
    first, stop : int64

    Returns
    -------
    deal_id, done : int64
        The next deal, and worlds written down; `done` is negative where a strategy answered what is
        not legal.
    """
    turns = np.int64(table.state[0].players) - 1
    done = 0
    deal_id = first
    while deal_id < stop and done + turns <= len(worlds):
        deal_world(table, question, deal_id)
        for turn in range(turns):
            turn_world(table, question, turn)
            begin_world(table, question, deal_id)
            weight = weigh_calls(table, question)
            if weight < 0.0:
                return deal_id, -1
            if question.least > 0.0:
                weight /= question.least
                if weight < 1.0:
                    if question.chances[turn] >= weight:
                        continue
                    weight = 1.0
            world = worlds[done]
            world.deal_id = deal_id
            world.turn = turn
            world.fits = question.fits
            world.weight = weight
            if not play_world(table, question, world, deal_id):
                return deal_id, -1
            done += 1
        deal_id += 1
    return deal_id, done
