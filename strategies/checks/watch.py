"""Compiled: what a strategy does with its view, decision by decision.

A watched seat's strategies are these kernels. What they know of the strategy behind them lies
behind the seat's scratch, at the address that the engine hands on as `work`; so the engine plays
watched hands as it plays any, at nearly its full speed.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.bits import lowest
from simulate.compiled.kernels import call_strategy, copy_bytes, kernel, record_at
from simulate.engine.scratch import WORK
from simulate.game.records import ANNOUNCING, BIDDING, DISCARDING, PLAYING, VIEW, VIEW_SIZE

#: Decisions of a seat in one hand that are kept: calls, discard, announcement, cards.
MOST_DECISIONS = 64

_WORDS = VIEW.itemsize // 8
#: A view as words, to be compared at once.
_PLAIN = np.dtype([("words", np.uint64, (_WORDS,))])
_PLAIN_TYPE: Any = numba.from_dtype(_PLAIN)

WATCH = np.dtype(
    [
        ("work", WORK),  # first: the strategy is handed the address of the whole
        ("addresses", np.int64, (4,)),  # of the strategy itself, by what it is asked for
        ("place", np.int64),  # address of the seat's view
        ("before", np.uint64, (_WORDS,)),  # the view when it was last asked
        ("decisions", np.int64, (4,)),  # by what it was asked for
        ("wrote", np.int64),  # first byte of the view written that is not its own; -1 none
        ("misstated", np.int64),  # a chance stated that is none; -1 none
        ("count", np.int64),  # decisions in this hand
        ("answers", np.int64, (MOST_DECISIONS,)),
        ("asked", np.int64, (MOST_DECISIONS,)),  # for what
        ("keep", np.int64),  # number of the decision whose view is to be kept; -1 none
        ("kept", VIEW),
    ],
    align=True,
)
WATCH_TYPE: Any = numba.from_dtype(WATCH)


def _own_bits() -> np.ndarray:
    """Bits of a view that a strategy may change."""
    fields: Any = VIEW.fields
    own = np.zeros(VIEW.itemsize, np.uint8)
    for name in ("memo", "stated"):
        kind, start = fields[name][:2]
        own[start : start + kind.itemsize] = 255
    kind, start = fields["stream"][:2]
    for name in ("words", "block", "position"):
        part, offset = kind.fields[name][:2]
        own[start + offset : start + offset + part.itemsize] = 255
    return own.view(np.uint64)


_FOREIGN = ~_own_bits()


@kernel
def _observe(view: Any, work: int, asked: int) -> int:
    """Ask the strategy behind a seat's scratch, and note what it does (the WATCH is modified)."""
    watch = record_at(work, WATCH_TYPE)
    now = record_at(watch.place, _PLAIN_TYPE).words
    before = watch.before
    number = np.int64(watch.count)
    if number == watch.keep:
        copy_bytes(watch.kept, view, 0, VIEW_SIZE)
    for i in range(_WORDS):
        before[i] = now[i]
    answer = call_strategy(watch.addresses[asked], view, work)
    for i in range(_WORDS):
        written = (before[i] ^ now[i]) & _FOREIGN[i]
        if written != np.uint64(0) and watch.wrote < 0:
            watch.wrote = 8 * i + (lowest(written) >> 3)
    if view.stated < -1 or view.stated > 1000:
        watch.misstated = view.stated
    watch.decisions[asked] += 1
    if number < MOST_DECISIONS:
        watch.answers[number] = answer
        watch.asked[number] = asked
        watch.count = number + 1
    return answer


@kernel
def observe_bid(view: Any, work: int) -> int:
    """Answer a call as the watched bidder does."""
    return _observe(view, work, np.int64(BIDDING))


@kernel
def observe_play(view: Any, work: int) -> int:
    """Answer a card as the watched player does."""
    return _observe(view, work, np.int64(PLAYING))


@kernel
def observe_announce(view: Any, work: int) -> int:
    """Announce as the watched bidder does."""
    return _observe(view, work, np.int64(ANNOUNCING))


@kernel
def observe_discard(view: Any, work: int) -> int:
    """Lay down the card that the watched player does."""
    return _observe(view, work, np.int64(DISCARDING))


@kernel
def ask_often(address: int, views: Any, spare: Any, work: int, times: int) -> int:
    """Ask a strategy for each of `views` so many times; `spare` (VIEW array) is modified."""
    total = 0
    for view in range(len(views)):
        for _ in range(times):
            spare[0] = views[view]
            total += call_strategy(address, spare[0], work)
    return total


def field_at(offset: int) -> str:
    """Name of the field of a view that a byte lies in."""
    fields: Any = VIEW.fields
    names = sorted(fields, key=lambda name: int(fields[name][1]))
    return next(name for name in reversed(names) if fields[name][1] <= offset)
