"""The last cards of a hand with all hands face up (rules, variant 2), played exactly.

Any player may call :func:`solve_ending`; it says for itself when, by :func:`in_sight`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.bits import popcount
from simulate.endgame import solve
from simulate.kernels import kernel, record_at
from simulate.table import KITTY_EXCHANGE, KITTY_LAST_TRICK, KITTY_PILE
from simulate.work import ENDING_TYPE, WORK_TYPE
from strategies.judgement import seen_cards, trick_so_far

_ZERO = np.uint64(0)
_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)

#: Most cards in each hand that a player solves: a tenth of a millisecond, where five take two.
FEW = 4


@kernel
def in_sight(view: Any) -> bool:
    """Tell whether all hands lie face up, and few cards are left in each."""
    if view.faces[view.seat] == _ZERO or view.rules.jokers:  # jokers stay unseen
        return False
    return popcount(view.hand) <= FEW


@kernel
def solve_ending(view: Any, work: int) -> tuple[int, int]:
    """Best card where all hands lie face up, all players playing their best from here on.

    Both sides play for the difference of their scores of the hand, as the rules count them; three
    players as declarer against defenders. The odd card of three players is known: it is the one
    that nobody has and no pile shows.

    Parameters
    ----------
    view : VIEW record
        A seat's, at any point of a trick, :func:`in_sight`; left alone.
    work : int64
        The handle that the strategy was given.

    Returns
    -------
    card : int64
        The best card; of several, the same one every time.
    value : int64
        Score of the own side less that of the other.
    """
    scratch = record_at(work, WORK_TYPE)
    end = record_at(scratch.ending, ENDING_TYPE)
    own = np.int64(view.sides[view.seat])
    seen = seen_cards(view)
    end.table = seen & ~(view.own_pile | view.other_pile | view.hand | view.discard)
    for seat in range(4):
        end.hands[seat] = view.faces[seat]
        end.sides[seat] = view.sides[seat]
        seen |= view.faces[seat]
    odd = _CARDS & ~seen | view.discard
    end.piles[own] = view.own_pile
    end.piles[1 - own] = view.other_pile
    if view.rules.kitty == KITTY_EXCHANGE or view.rules.kitty == KITTY_PILE:
        end.piles[0] |= odd
    end.last_card = odd if view.rules.kitty == KITTY_LAST_TRICK else _ZERO
    end.tricks[own] = view.own_tricks
    end.tricks[1 - own] = view.other_tricks
    end.players = view.players
    end.size = view.n_tricks + popcount(view.hand)
    end.trump = view.denomination
    end.level = view.level
    end.target = view.target
    end.scorer = scratch.scorer
    end.seat = view.seat
    end.position = view.trick_size
    led, best, winner = trick_so_far(view)
    end.led = led
    end.best = best
    end.winner = winner
    card, value = solve(end, scratch.melds, view.rules)
    return card, value if own == 0 else -value
