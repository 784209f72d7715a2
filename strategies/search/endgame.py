"""The last cards of a hand, played exactly: face up (rules, variant 2), or as a world has them.

Any player may call :func:`solve_ending`; it says for itself when, by :func:`in_sight`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.bits import ZERO, bit, popcount
from simulate.compiled.kernels import kernel, record_at
from simulate.engine.scratch import ENDING_TYPE, WORK_TYPE
from simulate.game.endgame import solve
from simulate.game.records import KITTY_EXCHANGE, KITTY_LAST_TRICK, KITTY_PILE
from simulate.game.tricks import card_strength
from strategies.knowledge.judgement import seen_cards, trick_so_far

_CARDS = np.uint64(0x7FFC_7FFC_7FFC_7FFC)

#: Most cards in each hand that a player solves: a tenth of a millisecond, where five take two.
FEW = 4


@kernel
def in_sight(view: Any) -> bool:
    """Tell whether all hands lie face up, and few cards are left in each."""
    if view.faces[view.seat] == ZERO or view.rules.jokers:  # jokers stay unseen
        return False
    return popcount(view.hand) <= FEW


@kernel
def set_ending(view: Any, work: int, hands: Any, odd: np.uint64) -> Any:
    """Write the position of a seat as an ending, all hands given.

    Parameters
    ----------
    view : VIEW record
        A seat's, at any point of a trick; left alone.
    work : int64
        The handle that the strategy was given.
    hands : uint64 array, shape (4,)
        By seat, as held now.
    odd : uint64
        The card of three players that lies apart.

    Returns
    -------
    ENDING record
        That of the engine; its fields up to `winner` are modified in place.
    """
    scratch = record_at(work, WORK_TYPE)
    end = record_at(scratch.ending, ENDING_TYPE)
    own = np.int64(view.sides[view.seat])
    piles = view.own_pile | view.other_pile
    end.table = seen_cards(view) & ~(piles | view.hand | view.discard)
    for seat in range(4):
        end.hands[seat] = hands[seat]
        end.sides[seat] = view.sides[seat]
    end.piles[own] = view.own_pile
    end.piles[1 - own] = view.other_pile
    if view.rules.kitty == KITTY_EXCHANGE or view.rules.kitty == KITTY_PILE:
        end.piles[0] |= odd
    end.last_card = odd if view.rules.kitty == KITTY_LAST_TRICK else ZERO
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
    return end


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
    seen = seen_cards(view)
    for seat in range(4):
        seen |= view.faces[seat]
    end = set_ending(view, work, view.faces, _CARDS & ~seen | view.discard)
    card, value = solve(end, record_at(work, WORK_TYPE).melds, view.rules)
    return card, value if view.sides[view.seat] == 0 else -value


@kernel
def card_value(view: Any, work: int, hands: Any, odd: np.uint64, card: int) -> int:
    """Value a card where all hands are given and all play their best after it.

    Parameters
    ----------
    view : VIEW record
        Of a seat with two cards or more; left alone.
    work : int64
    hands : uint64 array, shape (4,)
        By seat, as held now.
    odd : uint64
        The card of three players that lies apart.
    card : int64
        One of ``view.legal``.

    Returns
    -------
    int64
        Score of the own side less that of the other.
    """
    end = set_ending(view, work, hands, odd)
    seat = np.int64(view.seat)
    if end.position == 0:
        end.led = card >> 4
        end.best = -1
    strength = card_strength(card, np.int64(end.led), np.int64(end.trump))
    if strength > end.best:
        end.best = strength
        end.winner = seat
    end.hands[seat] ^= bit(card)
    end.table |= bit(card)
    end.position += 1
    end.seat = seat + 1 if seat + 1 < end.players else 0
    if end.position == end.players:
        side = np.int64(end.sides[end.winner])
        end.piles[side] |= end.table
        end.tricks[side] += 1
        end.table = ZERO
        end.position = 0
        end.seat = end.winner
    value = solve(end, record_at(work, WORK_TYPE).melds, view.rules)[1]
    return value if view.sides[seat] == 0 else -value
