"""The compiled loop over matches: hand after hand until the target is reached, or a limit.

Source: rules, 'The match'. Hand h of match m is the deal ``m * 1024 + h``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.kernels import kernel
from simulate.compiled.philox import FIRST_DEALER, below, open_stream
from simulate.engine.loop import RowBuffer, write_row
from simulate.game.hand import Table, play_hand
from simulate.rules import MOST_HANDS

#: How a match ended.
TARGET = 0
CAP = 1
LIMIT = 2
ENDINGS = ("target", "cap", "limit")

#: One match, as it is written down.
MATCH = np.dtype(
    [
        ("match_id", np.int64),
        ("leg", np.int8),
        ("first_dealer", np.int8),
        ("ended", np.int8),  # TARGET, CAP or LIMIT
        ("winner", np.int8),  # a seat of the side that won, the first; -1 for none
        ("hands", np.int32),
        ("lead_changes", np.int32),
        ("scores", np.int32, (4,)),  # by seat
    ],
    align=True,
)


@kernel
def leading_side(scores: Any, among: int, sides: int) -> int:
    """Side with the highest score of those in the bit set `among`; -1 where it is shared.

    Parameters
    ----------
    scores : int32 array, shape (4,)
        By seat; side k is that of seat k.
    among, sides : int64
        `sides` is 2 with four players, 3 with three.
    """
    leader = -1
    most = -(1 << 60)
    for side in range(sides):
        if among >> side & 1:
            if scores[side] > most:
                most = scores[side]
                leader = side
            elif scores[side] == most:
                leader = -1
    return leader


@kernel
def match_end(
    rules: Any, scores: Any, declarer: int, sides: int, counted: int, hands: int
) -> tuple[int, int]:
    """Tell whether a match is over after a hand.

    Parameters
    ----------
    rules : RULES record
    scores : int32 array, shape (4,)
    declarer : int64
        Side that declared this hand; -1 for none.
    sides : int64
    counted, hands : int64
        Hands so far without those redealt, and with them.

    Returns
    -------
    ended, winner : int64
        `ended` is -1 where the match goes on.
    """
    there = 0
    for side in range(sides):
        if scores[side] >= rules.target_score:
            there |= 1 << side
    if there:
        if declarer >= 0 and there >> declarer & 1:
            return TARGET, declarer
        winner = leading_side(scores, there, sides)
        if winner >= 0:
            return TARGET, winner
    if rules.max_hands and counted >= rules.max_hands:
        return CAP, leading_side(scores, (1 << sides) - 1, sides)
    if hands >= rules.hand_limit:
        return LIMIT, -1
    return -1, -1


@kernel
def draw_dealer(state: Any, match_id: int) -> int:
    """Seat that deals the first hand of a match; the state's stream is modified."""
    open_stream(state.stream, state.seed, FIRST_DEALER, 0, match_id * MOST_HANDS)
    return below(state.stream, np.int64(state.players))


@kernel(inline=True)
def next_seat(seat: int, players: int) -> int:
    """Seat that deals after `seat`."""
    return seat + 1 if seat + 1 < players else 0


@kernel(inline=True)
def side_of(declarer: int, players: int) -> int:
    """Side of a declarer's seat; -1 for none."""
    return declarer & 1 if players == 4 and declarer >= 0 else declarer


@kernel
def play_next(table: Table, scores: Any, deal_id: int, leg: int, dealer: int) -> bool:
    """Play the next hand of a match, and add what the sides score.

    Parameters
    ----------
    table : Table
        The outcome lies in its state.
    scores : int32 array, shape (4,)
        Match scores by seat; modified in place.
    deal_id, leg, dealer : int64

    Returns
    -------
    bool
        False where a strategy answered what is not legal.
    """
    state = table.state[0]
    for seat in range(4):
        state.before[seat] = scores[seat]
    if not play_hand(table, deal_id, leg, dealer):
        return False
    for seat in range(np.int64(state.players)):
        scores[seat] += state.scores[np.uint64(state.sides[seat])]
    return True


@kernel
def play_match(
    table: Table, buffer: RowBuffer, row: int, match: Any, match_id: int, leg: int
) -> int:
    """Play one match.

    Parameters
    ----------
    table : Table
    buffer : RowBuffer
        Modified in place from `row` on: a row for every hand; it must have room for
        `hand_limit` more.
    row : int64
    match : MATCH record
        Modified in place.
    match_id, leg : int64

    Returns
    -------
    int64
        Hands written; -1 less those where a strategy answered what is not legal.
    """
    state = table.state[0]
    players = np.int64(state.players)
    sides = 2 if players == 4 else 3
    first_deal = match_id * MOST_HANDS
    dealer = draw_dealer(state, match_id)
    match.match_id = match_id
    match.leg = leg
    match.first_dealer = dealer
    match.lead_changes = 0
    for seat in range(4):
        match.scores[seat] = 0
    hands = 0
    counted = 0
    last_leader = -1
    while True:
        if not play_next(table, match.scores, first_deal + hands, leg, dealer):
            return -1 - hands
        write_row(buffer, row + hands, state)
        hands += 1
        counted += np.int64(state.n_tricks > 0)
        declarer = side_of(np.int64(state.declarer), players)
        leader = leading_side(match.scores, (1 << sides) - 1, sides)
        if leader >= 0:
            match.lead_changes += np.int64(last_leader >= 0 and leader != last_leader)
            last_leader = leader
        ended, winner = match_end(state.rules, match.scores, declarer, sides, counted, hands)
        if ended >= 0:
            match.hands = hands
            match.ended = ended
            match.winner = winner
            return hands
        dealer = next_seat(dealer, players)


@kernel
def play_matches(
    table: Table, buffer: RowBuffer, matches: Any, first: int, count: int
) -> tuple[int, int, bool]:
    """Play every leg of up to `count` matches from match id `first` on, while there is room.

    Parameters
    ----------
    table : Table
    buffer : RowBuffer
        Modified in place: the hands of match after match, leg after leg.
    matches : MATCH array, shape (>= legs * count,)
        Modified in place.
    first, count : int64

    Returns
    -------
    played, rows : int64
        Whole matches (all legs), and hands written.
    legal : bool
        False where the next hand met an illegal answer.
    """
    legs = len(table.seats)
    limit = np.int64(table.state[0].rules.hand_limit)
    room = len(buffer.rows)
    row = np.int64(0)  # typed, or numba compiles a match for a row 0 by itself
    for played in range(count):
        if row + legs * limit > room:
            return played, row, True
        for leg in range(legs):
            hands = play_match(
                table, buffer, row, matches[legs * played + leg], first + played, leg
            )
            if hands < 0:
                return played, row, False
            row += hands
    return count, row, True
