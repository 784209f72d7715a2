"""A strategy that reads and overwrites all that it is given: its own loss alone."""

import numpy as np

from simulate.compiled.bits import lowest
from simulate.compiled.kernels import kernel
from strategies.declare.registry import bidder, player

TOLD = {"looks_at": "everything", "source": "the tests"}


@kernel
def scribble(view):
    """Overwrite what the engine wrote for this seat, once it was read."""
    view.legal = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
    view.hand = np.uint64(0)
    view.own_pile = ~view.own_pile
    view.other_pile = np.uint64(0x7FFC)
    view.seat = (view.seat + 1) % 4
    view.dealer = 3 - view.dealer
    view.players = 3
    view.declarer = 2
    view.level = 6
    view.denomination = 1
    view.target = 99
    view.leader = 1
    view.trick_size = 0
    view.n_tricks = 12
    view.own_tricks = 13
    view.other_tricks = 13
    view.n_calls = 0
    view.jokers = 2
    view.rules.slam_bonus = 900
    view.rules.trick_points = 77
    view.rules.max_level = 1
    view.rules.denominations = 1
    view.rules.all_pass = 1
    view.rules.fail_multiplier = 1
    for i in range(4):
        view.faces[i] = np.uint64(5)
        view.sides[i] = 1 - view.sides[i]
        view.trick[i] = 2
        view.voids[i] = 15
        view.scores[i] = 1000
    for i in range(len(view.params)):
        view.params[i] = -3.0
    for i in range(len(view.memo)):
        view.memo[i] = 7
    for i in range(len(view.calls)):
        view.calls[i] = 30
        view.callers[i] = 3
    for i in range(len(view.plays)):
        view.plays[i] = 2
    for i in range(len(view.leaders)):
        view.leaders[i] = 3


@bidder("tamper", **TOLD)
def tamper_bid(view, work):
    """Pass, having overwritten the view."""
    scribble(view)
    return 0


@player("tamper", **TOLD)
def tamper_play(view, work):
    """Play the lowest legal card, having overwritten the view."""
    card = lowest(view.legal)
    scribble(view)
    return card


@bidder("honest", **TOLD)
def honest_bid(view, work):
    """Pass."""
    return 0


@player("honest", **TOLD)
def honest_play(view, work):
    """Play the lowest legal card."""
    return lowest(view.legal)
