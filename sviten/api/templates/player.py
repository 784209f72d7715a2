"""A player for Sviten Special, to be changed at will.

Check it:  sviten check FILE:NAME
Play it:   sviten simulate --ns tips/FILE:NAME --ew tips/greedy --deals 20000 --duplicate
"""

import numpy as np

from strategies.kit import (
    ZERO,
    Parameter,
    bit,
    card_strength,
    cards,
    layout_of,
    low_card,
    lowest,
    player,
    rank,
    trick_so_far,
)


# What `sviten strategies` shows. A parameter is a number that can be set from outside, as in
# NAME(worth=5); the function reads the first as view.params[0].
@player(
    "NAME",
    looks_at="the trick, own pile, own hand",
    source="an example",
    parameters=[Parameter("worth", 0, 0, 20, "meld points that make a trick worth winning")],
)
def choose_card(view, work):
    """Win a trick as cheaply as it can be won, if it is worth it; else throw the lowest card."""
    trump = np.int64(view.denomination)  # C 0, D 1, H 2, S 3, NT 4
    if view.trick_size == 0:
        chosen = lowest(view.legal)
        for card in cards(view.legal):  # lead the highest rank
            if rank(card) > rank(chosen):
                chosen = card
        return chosen
    led, best, winner = trick_so_far(view)
    if view.sides[winner] == view.sides[view.seat]:
        return low_card(view.legal, trump)  # our side has it already
    # What the cards of this trick would add to the best layout of our pile.
    table = ZERO
    for i in range(view.trick_size):
        table |= bit(view.trick[i])
    before = layout_of(work, view.own_pile, trump, 0)[0]
    after = layout_of(work, view.own_pile | table, trump, 0)[0]
    if after - before < view.params[0]:
        return low_card(view.legal, trump)
    # The cheapest card that beats the best one so far.
    chosen = -1
    for card in cards(view.legal):
        strength = card_strength(card, led, trump)
        if strength > best and (chosen < 0 or strength < card_strength(chosen, led, trump)):
            chosen = card
    return chosen if chosen >= 0 else low_card(view.legal, trump)
