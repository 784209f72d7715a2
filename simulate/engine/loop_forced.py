"""The compiled loop over given contracts: every denomination, declared by every seat.

One playout answers for all levels, where the players look at neither level nor announced target:
the same pile is laid out anew for each level (rules, 'The score of a hand').
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import LEVELS
from simulate.compiled.kernels import call_scorer, kernel
from simulate.game.auction import hold_auction
from simulate.game.hand import Table, announce_target, begin_hand, play_tricks, take_over

#: Stands for a score of a level that the rules do not have.
NO_SCORE = np.iinfo(np.int32).min

#: One playout, as it is written down; `scores`, `made` and `targets` by level.
FORCED = np.dtype(
    [
        ("deal_id", np.int64),
        ("leg", np.int8),
        ("declarer", np.int8),
        ("denomination", np.int8),
        ("tricks_decl", np.int8),
        ("tricks_def", np.int8),
        ("melds_decl", np.int8),  # of the best layout with any number of melds
        ("melds_def", np.int8),
        ("meld_points_decl", np.int32),
        ("meld_points_def", np.int32),
        ("dead_decl", np.int8),
        ("dead_def", np.int8),
        ("score_def", np.int32),
        ("scores", np.int32, (LEVELS,)),  # of the declarers; NO_SCORE where there is no such level
        ("made", np.int8, (LEVELS,)),  # -1 where there is no such level
        ("targets", np.int32, (LEVELS,)),  # -1 unless announced
    ],
    align=True,
)


@kernel
def play_contract(
    table: Table, row: Any, deal_id: int, leg: int, declarer: int, denomination: int, level: int
) -> bool:
    """Play a hand without an auction; the outcome lies in ``table.state[0]``, but for the scores.

    Parameters
    ----------
    table : Table
    row : FORCED record
        `targets` are modified in place.
    deal_id, leg, declarer, denomination : int64
    level : int64
        What the players are told.

    Returns
    -------
    bool
        False where a strategy answered what is not legal.
    """
    state = table.state[0]
    seats = table.seats[leg]
    state.leg = leg
    begin_hand(state, seats, table.bidding[leg], deal_id, deal_id % np.int64(state.players))
    return play_declared(table, row, leg, declarer, denomination, level)


@kernel
def play_declared(
    table: Table, row: Any, leg: int, declarer: int, denomination: int, level: int
) -> bool:
    """Play a hand that has begun, as :func:`play_contract`."""
    state = table.state[0]
    seats = table.seats[leg]
    state.declarer = declarer
    state.denomination = denomination
    state.level = level
    if not take_over(state, seats, table.playing[leg]):
        return False
    for k in range(LEVELS):
        row.targets[k] = -1
    if state.rules.hard_bid != 0:
        view = seats.views[declarer]
        for k in range(state.rules.max_level):
            state.level = k + 1
            view.level = k + 1
            if not announce_target(state, seats):
                return False
            row.targets[k] = state.target
        state.level = level
        view.level = level
        for seat in range(4):
            seats.views[seat].target = row.targets[level - 1]
    return play_tricks(state, seats)


@kernel
def score_levels(state: Any, work: Any, row: Any) -> None:
    """Lay out both piles and score them, the declarers' at every level.

    Parameters
    ----------
    state : STATE record
        After the last trick; the piles take what lies aside.
    work : WORK record
        Prepared for the rules of `state`; its scratch is modified.
    row : FORCED record
        Modified in place; `targets` are read.
    """
    rules = state.rules
    side = work.side
    side.trump = state.denomination
    side.all_tricks = state.hand_size
    side.shown = 1
    plain = rules.hard_bid == 0
    free = 0
    for which in range(2):
        at = 1 - which  # the declarers last: `side` is then theirs
        state.piles[at] |= state.aside[at]
        side.pile = state.piles[at]
        side.level = 0
        side.target = -1
        side.tricks = state.tricks[at]
        side.jokers = 0
        for seat in range(state.players):
            if state.sides[seat] == at:
                side.jokers += state.jokers[seat]
        free = call_scorer(work.scorer, side, work.melds, rules)
        if at == 1:
            row.score_def = free
            row.melds_def = side.laid
            row.meld_points_def = side.points
            row.dead_def = side.dead
    laid = side.laid
    row.tricks_decl = state.tricks[0]
    row.tricks_def = state.tricks[1]
    row.melds_decl = laid
    row.meld_points_decl = side.points
    row.dead_decl = side.dead
    failed = 0
    for k in range(LEVELS):
        level = k + 1
        if level > rules.max_level:
            row.scores[k] = NO_SCORE
            row.made[k] = -1
        elif plain and level <= laid:  # the best layout of all has as many melds
            row.scores[k] = free
            row.made[k] = 1
        elif plain and failed:  # so has every higher level, and each costs more
            row.scores[k] = row.scores[k - 1] - rules.fail_multiplier
            row.made[k] = 0
        else:
            side.level = level
            side.target = row.targets[k]
            row.scores[k] = call_scorer(work.scorer, side, work.melds, rules)
            row.made[k] = side.made
            failed = side.made == 0


@kernel
def play_all(table: Table, rows: Any, first: int, count: int) -> int:
    """Play every leg of `count` deals from deal id `first` on, declared by every seat.

    Parameters
    ----------
    table : Table
    rows : FORCED array
        Modified in place: deal by deal, leg by leg, by declarer and denomination.
    first, count : int64

    Returns
    -------
    int64
        Playouts done; fewer than all where the next one met an illegal answer.
    """
    state = table.state[0]
    done = 0
    for deal_id in range(first, first + count):
        for leg in range(len(table.seats)):
            for declarer in range(state.players):
                for denomination in range(5):
                    if not state.rules.denominations >> denomination & 1:
                        continue
                    row = rows[done]
                    if not play_contract(table, row, deal_id, leg, declarer, denomination, 1):
                        return done
                    row.deal_id = deal_id
                    row.leg = leg
                    row.declarer = declarer
                    row.denomination = denomination
                    score_levels(state, table.scorer[0], row)
                    done += 1
    return done


@kernel
def hold_auctions(table: Table, calls: Any, callers: Any, first: int) -> int:
    """Hold the auctions of some deals, and play none of them.

    Parameters
    ----------
    table : Table
    calls, callers : int8 arrays, shape (n, MAX_CALLS)
        Modified in place; -1 after the last call.
    first : int64
        Deal id of the first.

    Returns
    -------
    int64
        Auctions held; fewer than n where the next one met an illegal answer.
    """
    state = table.state[0]
    seats = table.seats[0]
    state.leg = 0
    for i in range(len(calls)):
        deal_id = first + i
        begin_hand(state, seats, table.bidding[0], deal_id, deal_id % np.int64(state.players))
        if not hold_auction(state, seats):
            return i
        for j in range(len(calls[i])):
            heard = j < state.n_calls
            calls[i, j] = state.calls[j] if heard else -1
            callers[i, j] = state.callers[j] if heard else -1
    return len(calls)
