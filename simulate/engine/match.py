"""Whole matches, played by an engine; the loop is :mod:`simulate.engine.loop_match`."""

from __future__ import annotations

import numpy as np

from simulate.compiled.callbacks import raised
from simulate.engine.engine import Engine
from simulate.engine.loop import RowBuffer
from simulate.engine.loop_match import draw_dealer, match_end, play_matches, side_of
from simulate.errors import IllegalPlay, RunError
from simulate.rules import MOST_HANDS


def play_some(
    engine: Engine, buffer: RowBuffer, matches: np.ndarray, first: int, count: int
) -> tuple[int, int]:
    """Play up to `count` matches, every leg of each, while the buffer has room.

    Parameters
    ----------
    engine : Engine
    buffer : RowBuffer
        Modified in place; it needs ``legs * hand_limit`` rows for one match.
    matches : MATCH array, shape (>= legs * count,)
        Modified in place.
    first, count : int

    Returns
    -------
    played, rows : int
        Whole matches, and hands.

    Raises
    ------
    IllegalPlay, StrategyError
        As for :meth:`simulate.engine.engine.Engine.play`.
    """
    engine.table.state["in_match"] = 1
    try:
        played, rows, legal = play_matches(engine.table, buffer, matches, first, count)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise engine.failure(raised(error)) from error
    if not legal:
        raise engine.failure("", IllegalPlay)
    return played, rows


def enter_hand(engine: Engine, deal_id: int, leg: int) -> int:
    """Play a match up to a hand, so that the next hand played finds its scores before.

    Returns
    -------
    int
        Dealer of the hand.

    Raises
    ------
    RunError
        When the match ends before that hand.
    IllegalPlay, StrategyError
        As for :meth:`simulate.engine.engine.Engine.play`.
    """
    match_id, hand_no = divmod(deal_id, MOST_HANDS)
    state = engine.table.state[0]
    players = engine.rules.players
    sides = 2 if players == 4 else 3
    dealer = draw_dealer(state, match_id)
    counted = 0
    state["in_match"] = 1
    state["before"] = 0
    for hand in range(hand_no):
        engine.play_one(match_id * MOST_HANDS + hand, leg, (dealer + hand) % players)
        state["before"][:players] += state["scores"][state["sides"][:players]]
        counted += int(state["n_tricks"] > 0)
        declarer = side_of(int(state["declarer"]), players)
        ended, _ = match_end(state["rules"], state["before"], declarer, sides, counted, hand + 1)
        if ended >= 0:
            raise RunError(f"match {match_id} has {hand + 1} hands: deal {deal_id} is none of them")
    return int((dealer + hand_no) % players)
