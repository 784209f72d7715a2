"""Any player, but the last tricks are solved: exactly where all hands lie open, else by worlds.

Source: exact play of bridge and skat endings, and perfect-information Monte Carlo where the hands
are hidden (Ginsberg, JAIR 14, 2001; Long et al., AAAI 2010, on where that works).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import (
    ONE,
    ZERO,
    Parameter,
    PlayerParameter,
    bit,
    in_sight,
    lowest,
    player,
    playouts_of,
    popcount,
    rollout_card,
    solve_ending,
)
from strategies.search.endgame import card_value
from strategies.search.worlds import sample, survey

PLAYER = 0
CARDS = 1
WORLDS = 2


@player(
    "endgame",
    looks_at="all that the seat may know",
    source="exact endings; perfect-information Monte Carlo (Ginsberg, JAIR 2001)",
    parameters=[
        PlayerParameter("player", "counting", "who plays until then"),
        Parameter("cards", 3, 0, 5, "cards left in hand when worlds are solved"),
        Parameter("worlds", 16, 1, 10000, "worlds sampled for each card to play"),
    ],
)
def endgame(view: Any, work: int) -> int:
    """Play as another player, and the last tricks by solving them in sampled worlds.

    Where all hands lie face up and each holds four cards at most, play exactly. With jokers in the
    game play as the other player throughout.
    """
    legal = view.legal
    scratch = playouts_of(work)
    plain = rollout_card(scratch, view, work, np.int64(view.params[PLAYER]))
    if legal & (legal - ONE) == ZERO:
        return plain
    if in_sight(view):
        return solve_ending(view, work)[0]
    if popcount(view.hand) > view.params[CARDS] or view.rules.jokers:
        return plain  # endings are solved without jokers
    world = scratch.world
    survey(world, view)
    gains = scratch.gains
    for card in range(64):
        gains[card] = 0.0
    for _ in range(np.int64(view.params[WORLDS])):
        sample(world, view)
        cards = legal
        while cards != ZERO:
            card = lowest(cards)
            cards &= cards - ONE
            gains[card] += card_value(view, work, world.hands, world.odd, card)
    result = plain
    cards = legal & ~bit(plain)
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if gains[card] > gains[result]:
            result = card
    return result
