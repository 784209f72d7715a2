"""What the calls tell of the other hands, and how it corrects what the own hand promises.

Who bid was not dealt just any hand. What an estimate becomes by the calls so far is linear in a few
facts of them, fitted from auctions (docs/methods.md, `sviten fit --auctions`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.kernels import kernel
from simulate.game.calls import denomination_of, level_of

# Where the numbers lie: the estimate itself is one of them.
CONSTANT = 0
ESTIMATE = 1
PARTNER_SAME = 2  # the partner has bid this denomination
PARTNER_OTHER = 3  # the partner has bid, but another
PARTNER_LEVEL = 4  # highest level that the partner has bid
OTHERS_SAME = 5  # opponents who have bid this denomination
OTHERS_OTHER = 6  # opponents who have bid, but others
OTHERS_LEVEL = 7  # highest level that an opponent has bid
PARTNER_PASSED = 8  # the partner's first call was a pass
OTHERS_PASSED = 9  # opponents whose first call was a pass
TOLD = 10

#: The numbers that change nothing.
NEUTRAL = np.zeros(TOLD)
NEUTRAL[ESTIMATE] = 1.0


@kernel
def listen(calls: Any, callers: Any, count: int, seat: int, players: int) -> tuple[int, ...]:
    """Gather the facts of an auction for a seat.

    Parameters
    ----------
    calls, callers : int arrays
        The calls so far and the seats that made them.
    count : int64
        How many.
    seat, players : int64

    Returns
    -------
    partner, left, right : int64
        Bit sets of the denominations that each of the others has bid; with three players nobody is
        the partner.
    partner_level, others_level : int64
    partner_passed, others_passed : int64
    """
    partner = np.int64(0)
    left = np.int64(0)
    right = np.int64(0)
    partner_level = np.int64(0)
    others_level = np.int64(0)
    partner_passed = np.int64(0)
    others_passed = np.int64(0)
    heard = np.int64(0)  # seats, counted from the own one on, that have called
    for i in range(count):
        place = (np.int64(callers[i]) - seat) % players
        if place == 0:
            continue
        is_partner = players == 4 and place == 2
        call = np.int64(calls[i])
        if call == 0:
            if not heard >> place & 1:
                if is_partner:
                    partner_passed = np.int64(1)
                else:
                    others_passed += 1
        else:
            level = level_of(call)
            named = np.int64(1) << denomination_of(call)
            if is_partner:
                partner |= named
                partner_level = max(partner_level, level)
            else:
                others_level = max(others_level, level)
                if place == 1:
                    left |= named
                else:
                    right |= named
        heard |= np.int64(1) << place
    return partner, left, right, partner_level, others_level, partner_passed, others_passed


@kernel
def correct(points: Any, value: float, facts: tuple[int, ...], denomination: int) -> float:
    """Correct an estimate for a denomination by what was heard.

    Parameters
    ----------
    points : float64 array, shape (TOLD,)
    value : float64
        The estimate by the own hand.
    facts : tuple
        From :func:`listen`.
    denomination : int64

    Returns
    -------
    float64
    """
    partner, left, right, partner_level, others_level, partner_passed, others_passed = facts
    total = points[CONSTANT] + points[ESTIMATE] * value
    if partner >> denomination & 1:
        total += points[PARTNER_SAME]
    elif partner:
        total += points[PARTNER_OTHER]
    for bids in (left, right):
        if bids >> denomination & 1:
            total += points[OTHERS_SAME]
        elif bids:
            total += points[OTHERS_OTHER]
    total += points[PARTNER_LEVEL] * partner_level + points[OTHERS_LEVEL] * others_level
    return total + points[PARTNER_PASSED] * partner_passed + points[OTHERS_PASSED] * others_passed


@kernel
def take_told(
    calls: Any, callers: Any, deals: Any, counts: Any, seats: Any, players: int,
    denomination: int, rows: Any,
) -> None:  # fmt: skip
    """Write the numbers of many turns, such that ``rows @ points`` is :func:`correct`.

    Parameters
    ----------
    calls, callers : int8 arrays, shape (deals, m)
    deals, counts, seats : int64 arrays, shape (n,)
        Of each turn: the auction, the calls heard, whose turn it is.
    players, denomination : int64
    rows : float64 array, shape (n, TOLD)
        Modified in place; the estimate stands as 1.
    """
    unit = np.zeros(TOLD)
    for i in range(len(counts)):
        deal = deals[i]
        facts = listen(calls[deal], callers[deal], counts[i], seats[i], players)
        for place in range(TOLD):
            unit[place] = 1.0
            rows[i, place] = correct(unit, 1.0, facts, denomination)
            unit[place] = 0.0
