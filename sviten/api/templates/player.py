"""A player for Sviten Special, to be changed at will.

Check it:  sviten check FILE:NAME
Play it:   sviten simulate --ns tips/FILE:NAME --ew tips/greedy --deals 20000 --duplicate
"""

import numpy as np

from simulate.compiled.bits import bit, lowest
from simulate.engine.scratch import layout_of
from simulate.game.tricks import card_strength
from strategies.declare.registry import Parameter, player
from strategies.knowledge.judgement import low_card, trick_so_far


# What `sviten strategies` shows. A parameter is a number that can be set from outside, as in
# NAME(worth=5); the function reads the first as view.params[0].
@player(
    "NAME",
    looks_at="the trick, own pile, own hand",
    source="an example",
    parameters=[Parameter("worth", 0, 0, 20, "meld points that make a trick worth winning")],
)
def play(view, work):
    """Win a trick as cheaply as it can be won, if it is worth it; else throw the lowest card."""
    trump = np.int64(view.denomination)  # C 0, D 1, H 2, S 3, NT 4
    if view.trick_size == 0:
        # Lead the highest rank. A card is 16 x suit + rank: its rank is card & 15.
        chosen = lowest(view.legal)
        cards = view.legal
        while cards != np.uint64(0):  # how to go through a set of cards
            card = lowest(cards)
            cards &= cards - np.uint64(1)
            if card & 15 > chosen & 15:
                chosen = card
        return chosen
    led, best, winner = trick_so_far(view)
    if view.sides[winner] == view.sides[view.seat]:
        return low_card(view.legal, trump)  # our side has it already
    # What the cards of this trick would add to the best layout of our pile.
    table = np.uint64(0)
    for i in range(view.trick_size):
        table |= bit(view.trick[i])
    before = layout_of(work, view.own_pile, trump, 0)[0]
    after = layout_of(work, view.own_pile | table, trump, 0)[0]
    if after - before < view.params[0]:
        return low_card(view.legal, trump)
    # The cheapest card that beats the best one so far.
    chosen = -1
    cards = view.legal
    while cards != np.uint64(0):
        card = lowest(cards)
        cards &= cards - np.uint64(1)
        strength = card_strength(card, led, trump)
        if strength > best and (chosen < 0 or strength < card_strength(chosen, led, trump)):
            chosen = card
    return chosen if chosen >= 0 else low_card(view.legal, trump)
