"""What a player can learn from searching: each card's traits, and what it brought in playouts.

A pupil plays as the fast player does, but for one card in ten, which it draws, so that it sees more
than its own way of playing. At every decision it notes, for each legal card, the numbers that
:mod:`strategies.players.counting` weighs and the mean margin over sampled worlds.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.bits import ONE, ZERO, lowest, nth_bit, popcount
from simulate.compiled.kernels import kernel, record_at
from simulate.compiled.philox import below
from strategies.players.counting import WEIGHTS, card_worth, look, weights_row
from strategies.search.playouts import (
    next_world,
    open_playouts,
    play_card,
    playouts_of,
    rollout_card,
)

#: A card that was weighed.
LESSON = np.dtype(
    [
        ("traits", np.float32, WEIGHTS),
        ("margin", np.float32),  # mean over the worlds
        ("decision", np.int32),
        ("row", np.int32),  # of the weights: the place in the trick
    ],
    align=True,
)
_LESSON_TYPE: Any = numba.from_dtype(LESSON)
_LESSON_SIZE = LESSON.itemsize

#: Where lessons are noted; the rows stand at an address.
NOTES = np.dtype(
    [
        ("lessons", np.int64),
        ("capacity", np.int64),  # lessons that fit
        ("count", np.int64),
        ("decisions", np.int64),
        ("units", np.float64, (WEIGHTS, WEIGHTS)),  # the weights that pick out each trait
    ],
    align=True,
)
_NOTES_TYPE: Any = numba.from_dtype(NOTES)

WORLDS = 0
PLAYOUT = 1
NOTEBOOK = 2


@kernel
def pupil(view: Any, work: int) -> int:
    """Note what each legal card brings, and play; a player's kernel that is not registered."""
    legal = view.legal
    if legal & (legal - ONE) == ZERO:
        return lowest(legal)
    worlds = np.int64(view.params[WORLDS])
    rollout = np.int64(view.params[PLAYOUT])
    notes = record_at(np.int64(view.params[NOTEBOOK]), _NOTES_TYPE)
    scratch = playouts_of(work)
    open_playouts(scratch, view, work, rollout, np.int64(0))
    margins = scratch.margins
    for card in range(64):
        margins[card] = 0
    for _ in range(worlds):
        next_world(scratch, view)
        cards = legal
        while cards != ZERO:
            card = lowest(cards)
            cards &= cards - ONE
            margins[card] += play_card(scratch, view, work, card)
    if notes.count + popcount(legal) <= notes.capacity:
        hidden, table, led, best, ours, wanted = look(view)
        cards = legal
        while cards != ZERO:
            card = lowest(cards)
            cards &= cards - ONE
            lesson = record_at(notes.lessons + notes.count * _LESSON_SIZE, _LESSON_TYPE)
            for trait in range(WEIGHTS):
                lesson.traits[trait] = card_worth(
                    view, card, hidden, table, led, best, ours, wanted, notes.units[trait]
                )
            lesson.margin = margins[card] / worlds
            lesson.decision = notes.decisions
            lesson.row = weights_row(view, led)
            notes.count += 1
        notes.decisions += 1
    if below(view.stream, 10) == 0:
        return nth_bit(legal, below(view.stream, popcount(legal)))
    return rollout_card(scratch, view, work, rollout)
