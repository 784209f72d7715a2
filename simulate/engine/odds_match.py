"""What a given hand is worth to its match: the match played on from what each call has led to.

A match is won or lost by more than the points of this hand: by the target, by who is nearer to it,
by who declares, by hands that are left. So no table of chances by score stands in between: after
the hand the same players play the match to its end, with new deals, more than once. What two calls
lead to alike is played on for one of them, and all calls of a world meet the same deals, so that
what differs between them is due to the calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import ONE, ZERO
from simulate.compiled.kernels import kernel
from simulate.engine.loop_match import match_end, next_seat, play_next, side_of
from simulate.game.hand import Table
from simulate.rules import MOST_HANDS

#: How often the match is played on from each outcome of a world.
SEQUELS = 2
#: How a match that is played on has ended for the own side.
LOST, WON, SHARED, STOPPED = 0, 1, 2, 3

#: First of the deal ids of hands that follow: apart from those of all worlds.
FIRST_SEQUEL = 1 << 50


@kernel
def play_sequel(table: Table, question: Any, world: Any, call: int, sequel: int) -> int:
    """Play the match on after what a call has led to.

    Parameters
    ----------
    table : Table
        `before` of the state is modified.
    question : QUESTION record
        `standing` is modified in place.
    world : WORLD record
    call, sequel : int64

    Returns
    -------
    int64
        WON or LOST; SHARED where nobody wins, in a match that is drawn or unfinished; STOPPED where
        a strategy answered what is not legal, or the work is to stop.
    """
    state = table.state[0]
    rules = state.rules
    players = np.int64(state.players)
    sides = 2 if players == 4 else 3
    own = question.seat & 1 if players == 4 else question.seat
    scores = question.standing
    for seat in range(players):
        scores[seat] = question.before[seat] + world.after[call, seat]
    declarer = np.int64(world.declarers[call])
    played = declarer >= 0 or rules.all_pass != 0
    first = FIRST_SEQUEL + ((4 * world.deal_id + world.turn) * SEQUELS + sequel) * MOST_HANDS
    dealer = question.dealer
    counted = question.hands_before
    hands = counted
    while True:
        counted += np.int64(played)
        hands += 1
        side = side_of(declarer, players)
        ended, winner = match_end(rules, scores, side, sides, counted, hands)
        if ended >= 0:
            if winner < 0:
                return SHARED
            return WON if winner == own else LOST
        if question.stop:
            return STOPPED
        dealer = next_seat(dealer, players)
        if not play_next(table, scores, first + hands, 0, dealer):
            return STOPPED
        declarer = np.int64(state.declarer)
        played = state.n_tricks > 0


@kernel
def same_outcome(world: Any, call: int, other: int, players: int) -> bool:
    """Whether two calls have led to the same scores, declared by the same side."""
    one, two = np.int64(world.declarers[call]), np.int64(world.declarers[other])
    if players == 4:
        one, two = one & -3, two & -3  # partners are alike, and -1 stays apart
    alike: bool = one == two
    for seat in range(players):
        alike = alike and world.after[call, seat] == world.after[other, seat]
    return alike


@kernel
def play_sequels(table: Table, question: Any, worlds: Any) -> int:
    """Play the match on in each world, after each call.

    Of a match that nobody wins each side is given an equal part.

    Parameters
    ----------
    table : Table
        Given cards and match scores of the state stand as before when it is done.
    question : QUESTION record
        Scratch.
    worlds : WORLD array
        `won` and `nobody` are modified in place.

    Returns
    -------
    int64
        Worlds done; fewer than all where a strategy answered what is not legal, or the work is to
        stop.
    """
    state = table.state[0]
    players = np.int64(state.players)
    sides = 2 if players == 4 else 3
    for seat in range(4):
        state.fixed[seat] = ZERO
    done = 0
    for i in range(len(worlds)):
        world = worlds[i]
        for call in range(31):
            if not (question.legal >> np.uint64(call)) & ONE:
                continue
            like = 0
            while like < call:
                legal = (question.legal >> np.uint64(like)) & ONE
                if legal and same_outcome(world, call, like, players):
                    break
                like += 1
            if like < call:
                world.won[call] = world.won[like]
                world.nobody[call] = world.nobody[like]
                continue
            won = np.int64(0)
            shared = np.int64(0)
            for sequel in range(SEQUELS):
                end = play_sequel(table, question, world, call, sequel)
                if end == STOPPED:
                    return done
                won += np.int64(end == WON)
                shared += np.int64(end == SHARED)
            world.won[call] = (won + shared / sides) / SEQUELS
            world.nobody[call] = shared / SEQUELS
        done += 1
    for seat in range(4):
        state.before[seat] = question.before[seat]
    return done
