"""Plain whist sense, blind to melds: the first rung above chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import card_strength, kernel, low_card, lowest, player, trick_so_far


@kernel
def top_card(cards: np.uint64, trump: int) -> int:
    """Highest card by rank, a side suit before trumps."""
    best = -1
    most = -1
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - np.uint64(1)
        worth = 2 * (card & 15) + np.int64(card >> 4 != trump)
        if worth > most:
            most = worth
            best = card
    return best


@kernel
def whist_card(view: Any) -> int:
    """Lead high; win cheaply unless the partner is winning; else throw the lowest card."""
    trump = np.int64(view.denomination)
    if view.trick_size == 0:
        return top_card(view.legal, trump)
    led, best, winner = trick_so_far(view)
    if view.sides[winner] != view.sides[view.seat]:
        chosen = -1
        least = 99
        cards = view.legal
        while cards != np.uint64(0):
            card = lowest(cards)
            cards &= cards - np.uint64(1)
            strength = card_strength(card, led, trump)
            if best < strength < least:
                least = strength
                chosen = card
        if chosen >= 0:
            return chosen
    return low_card(view.legal, trump)


@player(
    "high",
    looks_at="the trick and the own hand",
    source="plain whist sense: lead high, win cheaply if you can, else throw the lowest",
    heeds_level="never",
)
def high(view: Any, work: int) -> int:
    """Win tricks by plain whist sense."""
    return whist_card(view)
