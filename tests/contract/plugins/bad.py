"""Plug-ins that break the contract when they are compiled or played."""

import random as dice

import numpy as np
from numpy.random import randint

from simulate.compiled.bits import lowest, popcount
from simulate.compiled.kernels import kernel
from strategies.declare.registry import bidder, player

TOLD = {"looks_at": "nothing", "source": "the tests"}


@player("float", **TOLD)
def answers_float(view, work):
    """Divide."""
    return lowest(view.legal) / 1


@player("unsigned", **TOLD)
def answers_unsigned(view, work):
    """Answer a mask."""
    return view.legal


@player("small", **TOLD)
def answers_small(view, work):
    """Answer a byte."""
    return view.trick[0]


@player("bool", **TOLD)
def answers_bool(view, work):
    """Answer a truth."""
    return view.legal > np.uint64(3)


@player("text", **TOLD)
def answers_text(view, work):
    """Answer a text."""
    return "QH"


@player("open-end", **TOLD)
def ends_without_answer(view, work):
    """Forget the last return."""
    if view.seat == 1:
        return lowest(view.legal)


@player("no-answer", **TOLD)
def has_no_answer(view, work):
    """Forget the return."""
    popcount(view.legal)


@player("one-argument", **TOLD)
def takes_one(view):
    """Take too little."""
    return 0


@player("three-arguments", **TOLD)
def takes_three(view, work, more):
    """Take too much."""
    return 0


@player("field", **TOLD)
def misspells(view, work):
    """Misspell a field."""
    return lowest(view.leagl)


@player("rules-field", **TOLD)
def misspells_rule(view, work):
    """Misspell a rule."""
    return lowest(view.legal) + view.rules.trick_pionts


@player("unknown", **TOLD)
def calls_unknown(view, work):
    """Call what is not there."""
    return nowhere(view)  # noqa: F821


@player("float-mask", **TOLD)
def mixes_floats(view, work):
    """Make a mask a float."""
    half = view.legal / 2
    return lowest(half)


@player("wide", **TOLD)
def writes_wide(view, work):
    """Write a mask that is no int64."""
    return lowest(view.legal & ~(1 << 63))


@player("with", **TOLD)
def opens_file(view, work):
    """Use what does not compile."""
    with open("x") as file:
        return len(file.read())


@player("dict", **TOLD)
def uses_dict(view, work):
    """Leave a type open."""
    known = {}
    return known[3]


@kernel
def deep(n):
    """Draw from numpy, out of sight."""
    return np.random.randint(n)


@player("numpy-random", **TOLD)
def draws_numpy(view, work):
    """Draw from numpy."""
    return np.random.randint(3)


@player("numpy-function", **TOLD)
def draws_function(view, work):
    """Draw from a function of numpy."""
    return randint(3)


@player("python-random", **TOLD)
def draws_python(view, work):
    """Draw from Python."""
    return dice.randint(0, 3)


@player("deep-random", **TOLD)
def draws_deep(view, work):
    """Draw from numpy by way of a helper."""
    return deep(3)


@player("raises", **TOLD)
def raises_late(view, work):
    """Raise in the sixth trick."""
    if view.n_tricks == 5 and view.seat == 2:
        raise ValueError("no idea")
    return lowest(view.legal)


@player("asserts", **TOLD)
def asserts(view, work):
    """Assert what is not so."""
    assert view.n_tricks < 12, "too late"
    return lowest(view.legal)


@bidder("raises", **TOLD)
def bid_raises(view, work):
    """Raise when another bid."""
    if view.level > 0:
        raise RuntimeError("outbid")
    return lowest(view.legal & ~np.uint64(1))


@player("ninety-nine", **TOLD)
def answers_99(view, work):
    """Answer no card."""
    return 99


@player("minus-seven", **TOLD)
def answers_minus(view, work):
    """Answer less than nothing."""
    return -7


@player("not-held", **TOLD)
def answers_not_held(view, work):
    """Answer the lowest card that is not held."""
    return lowest(~view.hand & np.uint64(0x7FFC_7FFC_7FFC_7FFC))


@player("revokes", **TOLD)
def revokes(view, work):
    """Answer a card that does not follow suit, once there is one."""
    other = view.hand & ~view.legal
    return lowest(other if other != np.uint64(0) else view.legal)


@bidder("ninety-nine", **TOLD)
def bids_99(view, work):
    """Answer no call."""
    return 99


@bidder("minus-seven", **TOLD)
def bids_minus(view, work):
    """Answer less than a pass."""
    return -7


@bidder("underbids", **TOLD)
def underbids(view, work):
    """Bid one club, whatever was bid."""
    return 1


@player("index", **TOLD)
def reads_beyond(view, work):
    """Read beyond the end of the memo."""
    return lowest(view.legal) + 0 * view.memo[16 + view.n_tricks]


@bidder("divides", **TOLD)
def divides(view, work):
    """Divide by nothing, which must not pass for a pass."""
    return 7 // view.n_calls


@player("loops", **TOLD)
def loops(view, work):
    """Never answer."""
    turns = 0
    while view.legal != np.uint64(0):
        turns += 1
        if turns < 0:
            return 0
    return turns
