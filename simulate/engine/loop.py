"""The compiled loop over hands: each is played and written down as a row.

A hand flows one way: deal, auction, tricks, melds, score, row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulate.compiled.kernels import kernel
from simulate.game.hand import Table, play_hand
from simulate.game.records import MAX_CALLS

#: One hand, as it is written down. `_decl` and `_def` are the declarers' and the defenders' side;
#: without a declarer the side of the seat to the dealer's left stands as `_decl`.
HAND = np.dtype(
    [
        ("deal_id", np.int64),
        ("leg", np.int8),
        ("dealer", np.int8),
        ("declarer", np.int8),  # -1 without a contract
        ("level", np.int8),  # 0 without a contract
        ("denomination", np.int8),  # -1 without a contract
        ("target", np.int32),  # -1 unless announced
        ("made", np.int8),  # -1 without a contract
        ("stated", np.int16),  # per mille; -1 unstated
        ("tricks_decl", np.int8),
        ("tricks_def", np.int8),
        ("melds_decl", np.int8),
        ("melds_def", np.int8),
        ("meld_points_decl", np.int32),
        ("meld_points_def", np.int32),
        ("dead_decl", np.int8),
        ("dead_def", np.int8),
        ("score_decl", np.int32),
        ("score_def", np.int32),
        ("scores", np.int32, (4,)),  # by seat
        ("before", np.int32, (4,)),  # match scores before the hand, by seat
    ],
    align=True,
)


class RowBuffer(NamedTuple):
    """Where hands are written down; `calls` and `plays` may have no rows."""

    rows: Any  # HAND (n,)
    calls: Any  # int8 (n or 0, MAX_CALLS), -1 after the last
    plays: Any  # int8 (n or 0, 52), 0 after the last
    leaders: Any  # int8 (n or 0, MAX_TRICKS + 1)


@kernel
def write_row(buffer: RowBuffer, at: int, state: Any) -> None:
    """Write the hand in `state` to row `at` of `buffer` (modified in place)."""
    row = buffer.rows[at]
    contract = state.declarer >= 0
    row.deal_id = state.deal_id
    row.leg = state.leg
    row.dealer = state.dealer
    row.declarer = state.declarer
    row.level = state.level
    row.denomination = state.denomination if contract else -1
    row.target = state.target
    row.made = state.made
    row.stated = min(max(state.stated, -1), 1000) if contract else -1
    row.tricks_decl = state.tricks[0]
    row.tricks_def = state.tricks[1]
    row.melds_decl = state.melds[0]
    row.melds_def = state.melds[1]
    row.meld_points_decl = state.meld_points[0]
    row.meld_points_def = state.meld_points[1]
    row.dead_decl = state.dead[0]
    row.dead_def = state.dead[1]
    row.score_decl = state.scores[0]
    row.score_def = state.scores[1]
    for seat in range(4):
        row.scores[seat] = state.scores[state.sides[seat]]
        row.before[seat] = state.before[seat]
    if len(buffer.calls):
        for i in range(MAX_CALLS):
            buffer.calls[at, i] = state.calls[i] if i < state.n_calls else -1
    if len(buffer.plays):
        played = state.players * state.n_tricks
        for i in range(52):
            buffer.plays[at, i] = state.plays[i] if i < played else 0
        for i in range(len(state.leaders)):
            buffer.leaders[at, i] = state.leaders[i]


@kernel
def play_hands(table: Table, buffer: RowBuffer, first: int, count: int) -> int:
    """Play every leg of `count` deals from deal id `first` on.

    Parameters
    ----------
    table : Table
    buffer : RowBuffer
        Modified in place: row ``legs * i + leg`` is leg `leg` of deal ``first + i``.
    first, count : int64

    Returns
    -------
    int64
        Hands played; less than ``legs * count`` where the next one met an illegal answer.
    """
    legs = len(table.seats)
    players = np.int64(table.state[0].players)
    done = np.int64(0)
    for deal_id in range(first, first + count):
        for leg in range(legs):
            if not play_hand(table, deal_id, leg, deal_id % players):
                return done
            write_row(buffer, done, table.state[0])
            done += 1
    return done
