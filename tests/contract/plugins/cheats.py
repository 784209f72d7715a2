"""Plug-ins that look like good ones and are not: each fails `sviten check` in its own way."""

import itertools
import sys
import time

import numpy as np

from simulate.compiled.bits import highest, lowest, popcount
from simulate.compiled.kernels import record_at
from simulate.compiled.philox import fill
from simulate.game.records import VIEW, VIEW_TYPE
from strategies.declare.registry import bidder, player
from strategies.search.playouts import playouts_of

TOLD = {"looks_at": "too much", "source": "the tests"}
PLAIN = TOLD | {"python": True}
#: Where in its own memo the next seat's hand lies, for whoever reads beyond the end.
BEYOND = (VIEW.itemsize + VIEW.fields["hand"][1] - VIEW.fields["memo"][1]) // 8
ACES = np.uint64(0x4000_4000_4000_4000)
COUNT = 0
SEED = 1
NOTES = {}


@player("peeks", **TOLD)
def peeks(view, work):
    """Read the next seat's hand, which lies behind the own view."""
    if view.seat < 3 and view.memo[BEYOND] & np.int64(0x4000):
        return lowest(view.legal)
    return highest(view.legal)


@bidder("peeks", **TOLD)
def bid_peeks(view, work):
    """Bid where the next seat has the ace of clubs."""
    if view.seat < 3 and view.level == 0 and view.memo[BEYOND] & np.int64(0x4000):
        return lowest(view.legal & ~np.uint64(1))
    return 0


@player("tells", **TOLD)
def tells(view, work):
    """Tell the partner the own aces, in scratch that all seats share."""
    told = playouts_of(work).gains
    partner = (view.seat + 2) % 4
    told[view.seat] = popcount(view.hand & ACES)
    return lowest(view.legal) if told[partner] > 1.0 else highest(view.legal)


@player("notes", **PLAIN)
def keeps_notes(view, work):
    """Tell the partner the own hand, in a dictionary."""
    NOTES[view.seat] = int(view.hand)
    other = NOTES.get((view.seat + 2) % 4, 0)
    return lowest(view.legal) if other & 0x4000 else highest(view.legal)


@player("frames", **PLAIN)
def climbs(view, work):
    """Look for the truth in the frames of the callers."""
    frame = sys._getframe()
    while frame is not None:
        table = getattr(frame.f_locals.get("self"), "table", None) or frame.f_locals.get("table")
        if table is not None:
            other = int(table.state["hands"][0, (view.seat + 1) % view.players])
            return lowest(view.legal) if other & 0x4000 else highest(view.legal)
        frame = frame.f_back
    return lowest(view.legal)


@player("deals", **TOLD)
def deals_itself(view, work):
    """Make the random words of the deal."""
    words = np.zeros(4, np.uint32)
    fill(words, 1, np.uint64(SEED), 0, 0, 0)
    return lowest(view.legal) if words[0] & 1 else highest(view.legal)


@player("numbers", **TOLD)
def numbers(view, work):
    """Play by the key of its random numbers."""
    return lowest(view.legal) if view.stream.key & np.uint64(1) else highest(view.legal)


@player("clock", **PLAIN)
def asks_the_time(view, work):
    """Play by the time."""
    return lowest(view.legal) if time.perf_counter_ns() // 1000 & 1 else highest(view.legal)


@player("counter", **PLAIN)
def counter(view, work):
    """Play something else every seventh time."""
    global COUNT
    COUNT += 1
    return highest(view.legal) if COUNT % 7 == 0 else lowest(view.legal)


@player("hash", **PLAIN)
def takes_any(view, work):
    """Play what a set of texts gives first, which no two processes agree on."""
    cards = {str(card) for card in range(64) if int(view.legal) >> card & 1}
    return int(next(iter(cards)))


@player("hoards", **PLAIN)
def hoards(view, work):
    """Keep something of every card."""
    NOTES[len(NOTES)] = bytes(2000)
    return lowest(view.legal)


@player("voids", **TOLD)
def writes_voids(view, work):
    """Write to the view, in one hand of many."""
    card = lowest(view.legal)
    if popcount(view.hand & ACES) == 3 and view.n_tricks == 1:
        view.voids[1] = 3
    return card


@player("rewinds", **TOLD)
def rewinds(view, work):
    """Draw the same numbers again."""
    view.stream.purpose = np.uint32(7)
    return lowest(view.legal)


@bidder("boasts", **TOLD)
def boasts(view, work):
    """State a chance of 200 per cent."""
    view.stated = np.int32(2000)
    return 0


@player("rarely-raises", **TOLD)
def rarely_raises(view, work):
    """Raise with four aces after the first trick: once in some thousand hands."""
    if view.n_tricks == 1 and popcount(view.hand & ACES) == 4:
        raise ValueError("four aces")
    return lowest(view.legal)


@player("rarely-illegal", **TOLD)
def rarely_illegal(view, work):
    """Answer no card with four aces after the first trick."""
    if view.n_tricks == 1 and popcount(view.hand & ACES) == 4:
        return 99
    return lowest(view.legal)


@player("crashes", **TOLD)
def crashes(view, work):
    """Read where nothing is."""
    if view.n_tricks == 3:
        return record_at(np.int64(8), VIEW_TYPE).seat + lowest(view.legal)
    return lowest(view.legal)


@player("hangs", **TOLD)
def hangs(view, work):
    """Never answer in the fifth trick, with three aces in hand."""
    turns = 0
    while view.n_tricks == 4 and popcount(view.hand & ACES) == 3:
        turns += 1
        if turns < 0:
            return 0
    return lowest(view.legal) + 0 * turns


@player("holds", **PLAIN)
def holds(view, work):
    """Never answer, nor let anything else of Python go on."""
    if view.n_tricks == 2:
        sum(itertools.repeat(0))
    return lowest(view.legal)
