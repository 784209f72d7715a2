"""What the contracts within reach promise a bidder: its own bids, and the bid that stands.

A promise is a margin, the own side's score less the other's: what the hand promises, corrected by
what the calls have told (:mod:`strategies.knowledge.estimates`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import LEVELS
from simulate.compiled.bits import has
from simulate.compiled.kernels import kernel
from simulate.game.calls import make_call
from strategies.knowledge.calls import correct, listen
from strategies.knowledge.card_points import estimate, kind_of

#: Points that defenders score in a hand, about.
REACH = 60.0
#: How often contracts come home, about.
USUAL = 0.7


@kernel
def hear(view: Any) -> tuple[int, ...]:
    """Facts of the auction so far, for the functions below."""
    seat, players = np.int64(view.seat), np.int64(view.players)
    return listen(view.calls, view.callers, np.int64(view.n_calls), seat, players)


@kernel
def against_others(view: Any) -> bool:
    """Tell whether an opponent's bid stands."""
    if view.declarer < 0:
        return False
    return view.players == 3 or (view.declarer ^ view.seat) & 1 == 1


@kernel
def standing_margin(table: Any, view: Any, facts: tuple[int, ...]) -> float:
    """Margin that the bid that stands promises; there must be one.

    Parameters
    ----------
    table : ESTIMATES record
    view : VIEW record
    facts : tuple
        From :func:`hear`.
    """
    denomination = np.int64(view.denomination)
    kind = kind_of(denomination)
    at = view.level - 1
    if against_others(view):
        value = estimate(table.defend[kind, at], view.hand, view.jokers, denomination)
        return correct(table.defend_calls[kind, at], value, facts, denomination)
    value = estimate(table.partner[kind, at], view.hand, view.jokers, denomination)
    return correct(table.partner_calls[kind, at], value, facts, denomination)


@kernel
def claim(view: Any, worth: float) -> float:
    """Give what a contract that comes home is worth beside its points, near the end of a match.

    Where both sides reach the target in one hand the declarers win (rules, 'The match'). Defenders
    score some :data:`REACH` points a hand, so that both are within reach once both have
    the target less that.

    Parameters
    ----------
    view : VIEW record
    worth : float64
        Points that it is worth where both sides stand at the target.
    """
    lowest = view.scores[0]
    for seat in range(1, view.players):
        lowest = min(lowest, view.scores[seat])
    near = (lowest + REACH - view.rules.target_score) / REACH
    return worth * min(max(near, 0.0), 1.0)


@kernel
def least_margin(
    table: Any, view: Any, facts: tuple[int, ...], opening: float, caution: float, stake: float
) -> float:
    """Margin that a bid must promise: `opening`, or `caution` beyond what stands.

    Parameters
    ----------
    table : ESTIMATES record
    view : VIEW record
    facts : tuple
        From :func:`hear`.
    opening, caution : float64
    stake : float64
        From :func:`claim`.
    """
    if view.declarer < 0:
        return opening
    held = -USUAL * stake if against_others(view) else USUAL * stake
    return standing_margin(table, view, facts) + caution + held


@kernel
def aim(
    table: Any, view: Any, facts: tuple[int, ...], denomination: int, leap: float
) -> tuple[int, float]:
    """Choose the level at which to bid a denomination.

    A lower level promises more. But where an opponent's bid stands, a higher one leaves opponents
    fewer bids, and `leap` is the margin that a level is given up for.

    Returns
    -------
    level : int64
        0 where the denomination cannot be bid.
    gained : float64
        What is added to the margin that the level promises, for its height.
    """
    kind = kind_of(denomination)
    if not against_others(view):
        leap = 0.0
    best = np.int64(0)
    gained = 0.0
    most = 0.0
    height = 0.0
    for level in range(1, LEVELS + 1):
        if not has(view.legal, make_call(level, denomination)):
            continue
        if best > 0 and leap == 0.0:
            break
        points = table.declare[kind, level - 1]
        value = estimate(points, view.hand, view.jokers, denomination)
        value = correct(table.declare_calls[kind, level - 1], value, facts, denomination) + height
        if best == 0 or value > most:
            best = np.int64(level)
            most = value
            gained = height
        height += leap
    return best, gained


@kernel
def own_margin(table: Any, view: Any, denomination: int, level: int) -> float:
    """Margin that the hand promises as declarer, before what the calls have told."""
    points = table.declare[kind_of(denomination), level - 1]
    return estimate(points, view.hand, view.jokers, denomination)


@kernel
def heard_margin(
    table: Any, facts: tuple[int, ...], denomination: int, level: int, margin: float
) -> float:
    """Margin of a declarer, corrected by what the calls have told."""
    points = table.declare_calls[kind_of(denomination), level - 1]
    return correct(points, margin, facts, denomination)


@kernel
def own_chance(table: Any, view: Any, denomination: int, level: int) -> float:
    """Chance that the hand makes a contract, before what the calls have told."""
    points = table.chance[kind_of(denomination), level - 1]
    return 1.0 / (1.0 + np.exp(-estimate(points, view.hand, view.jokers, denomination)))


@kernel
def stated_chance(
    table: Any, facts: tuple[int, ...], denomination: int, level: int, chance: float
) -> int:
    """Chance of a bid that becomes the contract, per mille.

    That others let it stand is weighed in: the correction was fitted on contracts that did.
    """
    points = table.chance_calls[kind_of(denomination), level - 1]
    chance = min(max(chance, 1e-6), 1.0 - 1e-6)
    odds = correct(points, np.log(chance / (1.0 - chance)), facts, denomination)
    return np.int64(np.round(1000.0 / (1.0 + np.exp(-odds))))
