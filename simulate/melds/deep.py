"""The deep search: every way to lay out a pile with jokers, for the best key or an exact total.

It is a dynamic program over the places of a suit, 1 (an ace laid low) to 14 (an ace laid high).
What matters for the places to come is one integer, a *state* ::

    bit   31 ...   26-30   24-25    16-23           0-15
          total    melds   jokers   aces, 4 x 2     pieces, 4 x 4
                           left     for the high    codes of the suits' open runs,
                                    end             drawn in `deep_steps`

with the suit 0 lowest. Of an ace, bit 0 says that the card, bit 1 that a joker may yet stand at the
high end. Layouts that agree in the state are one from there on, and the one with the best *value*
stays. For the best key the value is the key so far (see :mod:`simulate.melds.area`), `total` is 0,
and no more melds are counted than are required. For an exact total the total so far is a part of
the state, and the value is the number of covered cards. A joker counts as covered by no key.

At each place every state is gone on with: a set is chosen, or none; then in one suit after the
other the card, a joker or nothing joins the suit's piece (:mod:`simulate.melds.deep_steps`). What
cannot win any more is dropped (:mod:`simulate.melds.deep_bounds`). Of 5H 6H 8H and a joker, by the
classic rules, the best layout comes about so::

    place  taken     piece of H   jokers left   key so far
    5      5H        N            1             0
    6      6H        NN           1             0
    7      a joker   DONE         0             4096 * 5 + 64 + 2     the run may lie as it is
    8      8H        none         0             4096 * 10 + 64 + 3    no card can follow: it ends

Beside it stand, after place 6, the state in which the joker is the third card below (piece NNJ, or
DONE where two natural cards are enough), and states that have given the piece up; the bounds drop
most. The *trace* keeps of each state its parent and the move that led to it, so that the layout can
be read backwards.

The search is exact for any rule values and slow, some 0.1 to 10 ms: :mod:`simulate.melds.wild` and
:mod:`simulate.melds.totals` ask it only where nothing faster answers, or for the layout itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel
from simulate.melds.deep_bounds import bound_pieces, bound_rest, cover, no_rest, still_needed
from simulate.melds.deep_steps import (
    LEFT,
    MELDS,
    TOTAL,
    Goal,
    Search,
    held_suits,
    lay_place,
    list_sets,
    mark_places,
    read_moves,
)
from simulate.melds.problem import Problem

#: States at a place that are tried first for an exact total.
_BEAM = np.int64(512)
_ANY_BEAM = np.int64(1 << 40)
_ROOM = 1024
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
# Typed, since numba compiles a function anew for an argument that is written as a number.
_NONE = np.int64(-1)
_ZERO = np.int64(0)


class Found(NamedTuple):
    """What a search has found, and the trace of it."""

    answer: int  # -1 when there is no layout
    trace: NDArray[np.int64]  # (2, states): of each its parent within the place before, its move
    starts: NDArray[np.int64]  # (15,): where the states of each place start in the trace
    last: int  # the state that answers, within the last place
    narrowed: bool  # whether states were given up for the sake of the beam


class Layer(NamedTuple):
    """States after a place, and the hash table by which one is found."""

    states: NDArray[np.int64]  # (4, room): state, value, move, and parent: then place in the trace
    slots: NDArray[np.int32]  # (2 * room,): 1 + number of a state; 0 where free


@kernel
def _make_layer(room: int) -> Layer:
    """Return a layer without states."""
    return Layer(np.empty((4, room), np.int64), np.zeros(2 * room, np.int32))


@kernel
def _grow(columns: NDArray[np.int64], more: int) -> NDArray[np.int64]:
    """Copy of an array of columns with room for `more` columns."""
    larger = np.empty((columns.shape[0], more), np.int64)
    for column in range(columns.shape[1]):  # a slice would take the compiler seconds
        for row in range(columns.shape[0]):
            larger[row, column] = columns[row, column]
    return larger


@kernel(inline=True)
def _slot_of(layer: Layer, state: int) -> int:
    """Slot of a state, or the free slot where it belongs."""
    states, slots = layer
    mask = len(slots) - 1
    slot = np.int64((np.uint64(state) * _MULTIPLIER) >> np.uint64(20)) & mask
    while slots[slot] > 0 and states[0, slots[slot] - 1] != state:
        slot = (slot + 1) & mask
    return slot


@kernel
def _with_room(layer: Layer, count: int, room: int) -> Layer:
    """Return a layer with its `count` states and room for `room`."""
    larger = 2 * layer.states.shape[1]
    while larger < room:
        larger *= 2
    grown = Layer(_grow(layer.states, larger), np.zeros(2 * larger, np.int32))
    for at in range(count):
        grown.slots[_slot_of(grown, grown.states[0, at])] = at + 1
    return grown


@kernel(inline=True)
def _keep(layer: Layer, count: int, state: int, value: int, move: int, parent: int) -> int:
    """Add a state to a layer, if it is not there with as good a value; return the new `count`."""
    states, slots = layer
    slot = _slot_of(layer, state)
    at = np.int64(slots[slot]) - 1
    if at < 0:
        at = count
        count += 1
        slots[slot] = at + 1
        states[0, at] = state
    elif value <= states[1, at]:
        return count
    states[1, at] = value
    states[2, at] = move
    states[3, at] = parent
    return count


@kernel
def _narrow(states: NDArray[np.int64], count: int, beam: int) -> int:
    """Keep about `beam` states, those with the highest values up to 63; return their number."""
    number = np.zeros(64, np.int64)
    for at in range(count):
        number[states[1, at]] += 1
    least = np.int64(63)
    kept = number[63]
    while least > 0 and kept + number[least - 1] <= beam:
        least -= 1
        kept += number[least]
    room = beam - kept  # for some of those one below
    kept = np.int64(0)
    for at in range(count):
        value = states[1, at]
        if value < least:
            if value < least - 1 or room == 0:
                continue
            room -= 1
        for row in range(states.shape[0]):
            states[row, kept] = states[row, at]
        kept += 1
    return kept


@kernel
def best_of_all(floor: int, traced: int) -> Goal:
    """Goal of the layout with the best key.

    Parameters
    ----------
    floor : int64
        A key that is known to be reached; -1 where none is known.
    traced : int64
        1 to keep what :func:`read_layout` needs.
    """
    return Goal(_NONE, floor, _NONE, _ZERO, _ANY_BEAM, traced)


@kernel
def search(problem: Problem, goal: Goal, rest: NDArray[np.int64]) -> Found:
    """Walk the places.

    Parameters
    ----------
    problem : Problem
    goal : Goal
        :func:`best_of_all`; exact totals are looked for by :func:`find_total`.
    rest : ndarray of int64, shape (15, 3, 18)
        Of :func:`simulate.melds.deep_bounds.no_rest`; the same for all searches of a pile.

    Returns
    -------
    Found
    """
    task = Search(problem, goal, mark_places(problem))
    pieces = bound_pieces(problem.area)
    trace = np.empty((2, 64), np.int64)
    traced = np.int64(0)
    starts = np.zeros(15, np.int64)
    before, after = _make_layer(_ROOM), _make_layer(_ROOM)
    before.states[0, 0] = problem.jokers << LEFT
    before.states[1, 0] = 0
    before.states[3, 0] = 0
    narrowed = False
    count = np.int64(1)
    for place in range(1, 15):
        after, number = _advance(task, pieces, rest, place, before, count, after)
        before, after = after, before
        count = number
        starts[place] = traced
        if goal.traced:
            trace = _write_trace(trace, traced, before.states, count)
            traced += count
        if count > goal.beam:
            count = _narrow(before.states, count, goal.beam)
            narrowed = True
    answer, last = _choose(task, before.states, count)
    return Found(answer, trace, starts, last, narrowed)


@kernel
def _advance(
    task: Search,
    pieces: NDArray[np.int64],
    rest: NDArray[np.int64],
    place: int,
    before: Layer,
    count: int,
    after: Layer,
) -> tuple[Layer, int]:
    """Go on with the `count` states of `before` over a place.

    Returns
    -------
    after : Layer
        The one given, overwritten, or a larger one.
    number : int64
        Its states.
    """
    held, idle = held_suits(task.places, place)
    sets = list_sets(task, place, held, idle)
    parts = np.empty((2, 3, 4096), np.int64)
    after.slots[:] = 0
    number = np.int64(0)
    states = before.states
    for at in range(count):
        state, value, parent = states[0, at], states[1, at], states[3, at]
        own = sets[(state >> LEFT) & 3]
        for choice in range(own[0]):
            made = lay_place(task, place, held, state, value, own[choice + 1], parts)
            if number + made > after.states.shape[1]:
                after = _with_room(after, number, number + made)
            for i in range(made):
                new, worth = parts[0, 0, i], parts[0, 1, i]
                melds, key = still_needed(task, pieces, new, worth)
                if melds < 0:
                    continue
                left = (new >> LEFT) & 3
                if bound_rest(task.problem, rest, place, left, melds) >= key:
                    number = _keep(after, number, new, worth, parts[0, 2, i], parent)
    return after, number


@kernel
def _write_trace(
    trace: NDArray[np.int64], start: int, states: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Write parent and move of `count` states from `start` on; return the trace, maybe larger.

    Each state is told its own number instead of its parent's, for its successors to name it by.
    """
    if start + count > trace.shape[1]:
        trace = _grow(trace, 2 * (start + count))
    for at in range(count):
        trace[0, start + at] = states[3, at]
        trace[1, start + at] = states[2, at]
        states[3, at] = at
    return trace


@kernel
def _choose(task: Search, states: NDArray[np.int64], count: int) -> tuple[int, int]:
    """Choose of the states after the last place; return the answer and the state's number."""
    goal = task.goal
    answer = np.int64(-1)
    last = np.int64(0)
    for at in range(count):
        melds = (states[0, at] >> MELDS) & 31
        value = states[1, at]
        if melds < task.problem.at_least:
            continue
        if goal.total >= 0:
            if states[0, at] >> TOTAL != goal.total or melds != goal.melds:
                continue
            value += 64 * melds
        if value > answer:
            answer = value
            last = states[3, at]
    return answer, last


@kernel
def find_total(problem: Problem, total: int, cheapest: int, most: int, traced: int) -> Found:
    """Find the layout of an exact total with the most melds, then the most covered cards.

    Parameters
    ----------
    problem : Problem
    total : int64
        points + penalty * covered.
    cheapest : int64
        No meld is worth less.
    most : int64
        No layout of the total has more melds.
    traced : int64
        1 to keep what :func:`read_layout` needs.

    Returns
    -------
    Found
        The answer is 64 * melds + covered.
    """
    rest = no_rest()
    # One number of melds after the other: the highest is mostly hit, and little else is looked at.
    while most >= problem.at_least:
        found = search(problem, Goal(total, cheapest, most, _ZERO, _BEAM, traced), rest)
        melds = 64 * most
        highest = melds + min(popcount(problem.pile), cover(problem.area, total, most))
        if found.narrowed and (found.answer < 0 or found.answer != highest):
            covered = found.answer - melds + 1 if found.answer >= 0 else np.int64(0)
            better = search(problem, Goal(total, cheapest, most, covered, _ANY_BEAM, traced), rest)
            if better.answer >= 0:
                return better
        if found.answer >= 0:
            return found
        most -= 1
    return Found(_NONE, np.empty((2, 0), np.int64), np.zeros(15, np.int64), _ZERO, False)


@kernel
def read_layout(found: Found, out: NDArray[np.uint64], out_jokers: NDArray[np.uint64]) -> int:
    """Write down the melds that :func:`find_best` or :func:`find_total` found: sets, then runs.

    Parameters
    ----------
    found : Found
        Traced, and with an answer.
    out, out_jokers : ndarray of uint64, shape (18,) or longer
        The first entries are overwritten: natural cards, and cards for which jokers stand.

    Returns
    -------
    int64
        Number of melds.
    """
    moves = np.zeros(16, np.int64)
    last = found.last
    for place in range(14, 0, -1):
        moves[place] = found.trace[1, found.starts[place] + last]
        last = found.trace[0, found.starts[place] + last]
    return read_moves(moves, out, out_jokers)
