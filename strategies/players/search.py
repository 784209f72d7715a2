"""Players that try every card in thought: in worlds that fit what they have seen, or in the truth.

Source: imperfect-information Monte Carlo search (Furtak and Buro, CIG 2013). Each world is played
on by honest players rather than with all hands open, which spares the search the worst of strategy
fusion (Frank and Basin, Artificial Intelligence 100, 1998; Long et al., AAAI 2010).

A few dozen worlds leave much to chance. So a card must beat the one that the fast player itself
would play by some standard errors of their difference, taken world by world.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from strategies.kit import (
    ONE,
    ZERO,
    Parameter,
    PlayerParameter,
    bit,
    lowest,
    next_world,
    open_playouts,
    play_card,
    player,
    playouts_of,
    rollout_card,
    truth_of,
)
from strategies.search.playouts import lay_world

WORLDS = 0
CAUTION = 1
EXACT = 2
PLAYOUT = 3

ORACLE_EXACT = 0
ORACLE_PLAYOUT = 1


@player(
    "search",
    looks_at="all that the seat may know",
    source="imperfect-information Monte Carlo search (Furtak and Buro, CIG 2013)",
    parameters=[
        Parameter("worlds", 16, 1, 10000, "worlds sampled for each card to play"),
        Parameter("caution", 1.5, 0, 10, "standard errors by which a card must beat the plain one"),
        Parameter("exact", 0, 0, 4, "last tricks that are solved in thought, all hands open"),
        PlayerParameter("playout", "counting", "who plays the worlds on, at every seat"),
    ],
)
def search(view: Any, work: int) -> int:
    """Play the card with the best margin over sampled worlds, each played on by a fast player."""
    legal = view.legal
    if legal & (legal - ONE) == ZERO:
        return lowest(legal)
    scratch = playouts_of(work)
    rollout = np.int64(view.params[PLAYOUT])
    open_playouts(scratch, view, work, rollout, np.int64(view.params[EXACT]))
    plain = rollout_card(scratch, view, work, rollout)
    gains = scratch.gains
    squares = scratch.squares
    for card in range(64):
        gains[card] = 0.0
        squares[card] = 0.0
    others = legal & ~bit(plain)
    worlds = np.int64(view.params[WORLDS])
    for _ in range(worlds):
        next_world(scratch, view)
        margin = play_card(scratch, view, work, plain)
        cards = others
        while cards != ZERO:
            card = lowest(cards)
            cards &= cards - ONE
            gain = np.float64(play_card(scratch, view, work, card) - margin)
            gains[card] += gain
            squares[card] += gain * gain
    result = plain
    most = 0.0
    cards = others
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        spread = squares[card] - gains[card] * gains[card] / worlds
        sure = gains[card] - view.params[CAUTION] * math.sqrt(max(spread, 0.0))
        if sure > 0.0 and gains[card] > most:
            result = card
            most = gains[card]
    return result


@player(
    "oracle",
    looks_at="all hands: it cheats",
    source="the search with the true hands as its only world: how much is left to gain",
    parameters=[
        Parameter("exact", 4, 0, 4, "last tricks that are solved in thought, all hands open"),
        PlayerParameter("playout", "counting", "who plays the hands on, at every seat"),
    ],
    cheats=True,
)
def oracle(view: Any, work: int) -> int:
    """Play the card with the best margin where the true hands are played on by a fast player."""
    legal = view.legal
    if legal & (legal - ONE) == ZERO:
        return lowest(legal)
    scratch = playouts_of(work)
    rollout = np.int64(view.params[ORACLE_PLAYOUT])
    open_playouts(scratch, view, work, rollout, np.int64(view.params[ORACLE_EXACT]))
    truth = truth_of(work)
    for seat in range(4):
        scratch.world.hands[seat] = truth.hands[seat]
        scratch.world.jokers[seat] = truth.jokers[seat]
    scratch.world.odd = truth.discard if truth.discard != ZERO else truth.kitty
    lay_world(scratch, view, ONE)
    plain = rollout_card(scratch, view, work, rollout)
    result = plain
    first = play_card(scratch, view, work, plain)
    scratch.gains[plain] = 0.0
    scratch.squares[plain] = 0.0
    most = first
    cards = legal & ~bit(plain)
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        margin = play_card(scratch, view, work, card)
        gain = np.float64(margin - first)
        scratch.gains[card] = gain
        scratch.squares[card] = gain * gain
        if margin > most:
            result = card
            most = margin
    return result
