"""Plug-ins that keep the contract, each in its own way."""

import numpy as np

from simulate.compiled.bits import highest, lowest
from simulate.compiled.philox import below
from strategies.declare.registry import Parameter, bidder, player

TOLD = {"looks_at": "the legal answers", "source": "the tests"}


@bidder("first", **TOLD, parameters=[Parameter("stated", 500, 0, 1000, "chance told, per mille")])
def first_bid(view, work):
    """Bid once, the lowest legal bid, and state a chance."""
    if view.level > 0 or view.legal == np.uint64(1):
        return 0
    view.stated = np.int32(view.params[0])
    return lowest(view.legal & ~np.uint64(1))


@player("first", **TOLD)
def lowest_card(view, work):
    """Play the lowest legal card."""
    return lowest(view.legal)


@player("counts", **TOLD)
def counts(view, work):
    """Remember the own cards played; play the highest card on every third."""
    view.memo[0] += 1
    if view.memo[0] % 3 == 0:
        return highest(view.legal)
    return lowest(view.legal)


@player("draws", **TOLD)
def draws(view, work):
    """Draw many numbers before playing the lowest card."""
    for _ in range(100):
        below(view.stream, 52)
    return lowest(view.legal)
