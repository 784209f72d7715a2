"""A bidder for Sviten Special, to be changed at will.

Check it:  sviten check FILE:NAME
Play it:   sviten simulate --ns FILE:NAME/greedy --ew tips/greedy --deals 20000 --duplicate
"""

from strategies.kit import PASS, Parameter, bid, bidder, count_structures, has, popcount, suit_cards


# What `sviten strategies` shows. A parameter is a number that can be set from outside, as in
# NAME(min_cards=6); the function reads the first as view.params[0].
@bidder(
    "NAME",
    looks_at="own hand, the highest bid",
    source="an example",
    parameters=[Parameter("min_cards", 5, 3, 13, "cards that the trump suit must have")],
)
def choose_call(view, work):
    """Bid the longest suit, for as many melds as lie in the hand."""
    # The partner's bid stands. Seats are N 0, E 1, S 2, W 3; three players have no partner.
    if view.players == 4 and view.declarer == (view.seat + 2) % 4:
        return PASS
    # Sets and runs of three or more that the hand holds already.
    level = count_structures(view.hand)
    # Suits are C 0, D 1, H 2, S 3. A set of cards is one whole number: count it with popcount.
    longest = 0
    for suit in range(1, 4):
        if popcount(suit_cards(view.hand, suit)) > popcount(suit_cards(view.hand, longest)):
            longest = suit
    call = bid(level, longest)
    enough = popcount(suit_cards(view.hand, longest)) >= view.params[0]
    # Only a legal call may be answered: any other one ends the run.
    if enough and 1 <= level <= view.rules.max_level and has(view.legal, call):
        view.stated = 500  # if you like: the chance to make it, per mille
        return call
    return PASS
