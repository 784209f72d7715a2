"""The deep search: every way to lay out a pile with jokers, for the best key or an exact total.

It walks the places of a suit, 1 (an ace laid low) to 14 (an ace laid high), and keeps the open
piece of each suit, a run that may still grow, as one of ten codes; what is left of each suit's ace
for the high end; the jokers left; the melds. Ways that agree in all of these are one way from there
on. It is exact for any rule values and slow, some 0.1 to 10 ms: :mod:`simulate.melds.wild` and
:mod:`simulate.melds.totals` ask it only where nothing faster answers, or for the layout itself.
The steps are in :mod:`simulate.melds.deep_steps`, the bounds in :mod:`simulate.melds.deep_bounds`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel
from simulate.melds.deep_bounds import UNKNOWN, bound_pieces, bound_rest, cover
from simulate.melds.deep_steps import (
    ACES,
    DONE,
    EXTRA,
    LEFT,
    MELDS,
    NEXT,
    SET,
    TOTAL,
    add_gain,
    join,
    mark_places,
)

#: Ways at a place that are tried first for an exact total.
_WIDTH = np.int64(512)
_ANY_WIDTH = np.int64(1 << 40)
_WAYS = 1024
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _grow(ways: NDArray[np.int64], more: int) -> NDArray[np.int64]:
    """Copy of an array of columns with room for `more` columns."""
    larger = np.empty((ways.shape[0], more), np.int64)
    for column in range(ways.shape[1]):  # a slice would take the compiler seconds
        for row in range(ways.shape[0]):
            larger[row, column] = ways[row, column]
    return larger


@kernel
def _find(slots: NDArray[np.int32], ways: NDArray[np.int64], way: int) -> int:
    """Slot of a way, or the free slot where it belongs."""
    mask = len(slots) - 1
    slot = np.int64((np.uint64(way) * _MULTIPLIER) >> np.uint64(20)) & mask
    while slots[slot] > 0 and ways[0, slots[slot] - 1] != way:
        slot = (slot + 1) & mask
    return slot


@kernel
def _narrow(ways: NDArray[np.int64], count: int, width: int) -> int:
    """Keep about `width` ways, those with the highest values up to 63; return their number."""
    number = np.zeros(64, np.int64)
    for at in range(count):
        number[ways[1, at]] += 1
    least = np.int64(63)
    kept = number[63]
    while least > 0 and kept + number[least - 1] <= width:
        least -= 1
        kept += number[least]
    room = width - kept  # for some of those one below
    kept = np.int64(0)
    for at in range(count):
        value = ways[1, at]
        if value < least:
            if value < least - 1 or room == 0:
                continue
            room -= 1
        for row in range(ways.shape[0]):
            ways[row, kept] = ways[row, at]
        kept += 1
    return kept


@kernel
def find_best(
    area: Any,
    pile: np.uint64,
    jokers: int,
    least: int,
    trump: int,
    at_least: int,
    floor: int,
    traced: int,
) -> tuple[int, NDArray[np.int64], NDArray[np.int64], int]:
    """Find the layout with the best key.

    Parameters
    ----------
    area : MELD_AREA record
        Prepared; its scratch memory is overwritten.
    pile : uint64
    jokers, least : int64
        Jokers at hand, 1 or 2; natural cards that a meld with a joker needs, 2 or 3.
    trump, at_least : int64
    floor : int64
        A key that is known to be reached; -1 where none is known.
    traced : int64
        1 to keep what :func:`read_way` needs.

    Returns
    -------
    answer : int64
        The key; -1 when there is no layout.
    log, starts, last
        For :func:`read_way`.
    """
    result, log, starts, last, _ = _search(
        area,
        pile,
        jokers,
        least,
        trump,
        at_least,
        np.int64(-1),
        floor,
        np.int64(-1),
        np.int64(0),
        _ANY_WIDTH,
        np.full((15, 3, 18), UNKNOWN, np.int64),
        traced,
    )
    return result, log, starts, last


@kernel
def find_total(
    area: Any,
    pile: np.uint64,
    jokers: int,
    least: int,
    trump: int,
    at_least: int,
    target: int,
    cheapest: int,
    most: int,
    traced: int,
) -> tuple[int, NDArray[np.int64], NDArray[np.int64], int]:
    """Find the layout of an exact total with the most melds, then the most covered cards.

    Parameters
    ----------
    area, pile, jokers, least, trump, at_least, traced
        As for :func:`find_best`; jokers may also be 0.
    target : int64
        points + penalty * covered.
    cheapest : int64
        No meld is worth less.
    most : int64
        No layout of the total has more melds.

    Returns
    -------
    answer : int64
        64 * melds + covered; -1 when there is no layout.
    log, starts, last
        For :func:`read_way`.
    """
    rest = np.full((15, 3, 18), UNKNOWN, np.int64)
    # One number of melds after the other: the highest is mostly hit, and little else is looked at.
    while most >= at_least:
        melds = 64 * most
        result, log, starts, last, narrowed = _search(
            area,
            pile,
            jokers,
            least,
            trump,
            at_least,
            target,
            cheapest,
            most,
            np.int64(0),
            _WIDTH,
            rest,
            traced,
        )
        sure = not narrowed
        if result >= 0 and result == melds + min(popcount(pile), cover(area, target, most)):
            sure = True
        if not sure:
            beat = result - melds + 1 if result >= 0 else np.int64(0)
            better, new_log, new_starts, new_last, _ = _search(
                area,
                pile,
                jokers,
                least,
                trump,
                at_least,
                target,
                cheapest,
                most,
                beat,
                _ANY_WIDTH,
                rest,
                traced,
            )
            if better >= 0:
                return better, new_log, new_starts, new_last
        if result >= 0:
            return result, log, starts, last
        most -= 1
    return np.int64(-1), np.empty((2, 0), np.int64), np.zeros(15, np.int64), np.int64(0)


@kernel
def _search(
    area: Any,
    pile: np.uint64,
    jokers: int,
    least: int,
    trump: int,
    at_least: int,
    target: int,
    floor: int,
    wanted: int,
    beat: int,
    width: int,
    rest: NDArray[np.int64],
    traced: int,
) -> tuple[int, NDArray[np.int64], NDArray[np.int64], int, bool]:
    """Walk the places.

    Parameters
    ----------
    area, pile, jokers, least, trump, at_least, traced
        As for :func:`find_best`.
    target : int64
        As for :func:`find_total`; -1 for the best key.
    floor : int64
        As for :func:`find_best`; with a target the least that a meld is worth.
    wanted : int64
        Number of melds to have, no more and no less; with a target only.
    beat : int64
        Covered cards to have at least; with a target only.
    width : int64
        Most ways to go on with at a place, those with the most covered cards.
    rest : ndarray of int64, shape (15, 3, 18)
        For :func:`bound_rest`; the same for all searches of a pile.

    Returns
    -------
    answer : int64
        As for :func:`find_best` and :func:`find_total`.
    log : ndarray of int64, shape (2, ways)
        Parent within the place before, and move, of all ways of all places.
    starts : ndarray of int64, shape (15,)
        Where the ways of each place start in `log`.
    last : int64
        The way that answers, within the last place.
    narrowed : bool
        Whether ways were given up for the sake of `width`.
    """
    exact = target >= 0
    bonus = area.penalty * 4096 + 1
    over_card = exact and area.penalty > 0  # a joker may leave the card dead for which it stands
    places = np.empty((3, 4), np.int64)
    mark_places(pile, jokers, least, places)
    next_code = NEXT[least - 2]
    more = np.empty((3, 2, 10), np.int64)
    bound_pieces(area, more)

    log = np.empty((2, 64), np.int64)
    logged = np.int64(0)
    starts = np.zeros(15, np.int64)
    ways = np.empty((3, _WAYS), np.int64)
    new_ways = np.empty((3, _WAYS), np.int64)
    slots = np.zeros(2 * _WAYS, np.int32)
    part = np.empty((2, 3, 4096), np.int64)
    ways[0, 0] = jokers << LEFT
    ways[1, 0] = 0
    ways[2, 0] = 0  # place in the log
    narrowed = False
    count = np.int64(1)
    for place in range(1, 15):
        starts[place] = logged
        best = np.int64(0)
        rank = 14 if place == 1 else place
        held = np.int64(0)  # suits with a card of the rank, and those whose card no run wants
        idle = np.int64(0)
        for suit in range(4):
            if (places[0, suit] >> rank) & 1:
                held |= 1 << suit
                useful = places[1, suit] >> place
                if place == 1:
                    useful |= places[1, suit] >> 14
                if useful & 1 == 0:
                    idle |= 1 << suit
        for parent in range(count):
            way = ways[0, parent]
            left_before = (way >> LEFT) & 3
            for chosen in range(16):
                if chosen & ~held or (chosen and place == 14):
                    continue
                size = popcount(np.uint64(chosen))
                if size == 1:
                    continue
                for extra in range(3):
                    if chosen == 0:
                        if extra > 0:
                            break
                        if not exact and place < 14 and popcount(np.uint64(idle)) >= 3:
                            break  # some set is made of three that no run wants
                    else:
                        if size + extra < 3 or (extra > 0 and size < least):
                            continue
                        if size + extra > 4 or extra > left_before:
                            break
                        fourth = size + extra == 3 and area.set4 >= area.set3
                        if not exact and idle & ~chosen and (extra > 0 or fourth):
                            continue
                    gain = np.int64(0)
                    if chosen:
                        gain = (area.set3 if size + extra == 3 else area.set4) - extra * bonus
                    # Suit by suit; a part is a new way, a value and a move.
                    part[0, 0, 0] = (way >> LEFT) << LEFT
                    part[0, 0, 0] -= extra << LEFT
                    part[0, 1, 0] = ways[1, parent]
                    part[0, 2, 0] = (chosen << SET) | (extra << EXTRA)
                    add_gain(part[0], 0, gain, exact, at_least)
                    parts = np.int64(1)
                    source = 0
                    for suit in range(4):
                        code = (way >> (4 * suit)) & 15
                        aces = (way >> (ACES + 2 * suit)) & 3
                        own = (held & ~chosen) >> suit & 1
                        parts = join(
                            area,
                            part[source],
                            parts,
                            part[1 - source],
                            suit,
                            np.int64(suit == trump),
                            place,
                            code,
                            aces,
                            own,
                            own == 0 or over_card,
                            places[1, suit],
                            places[2, suit],
                            next_code,
                            bonus,
                            exact,
                            at_least,
                        )
                        source = 1 - source
                    for i in range(parts):
                        new_way = part[source, 0, i]
                        value = part[source, 1, i]
                        left = (new_way >> LEFT) & 3
                        bound = np.int64(0)
                        short = np.int64(0)
                        for suit in range(4):
                            code = (new_way >> (4 * suit)) & 15
                            bound += more[left, np.int64(suit == trump), code]
                            short += code != 0 and code != DONE
                        lacking = at_least - ((new_way >> MELDS) & 31)
                        missing = floor - value
                        if exact:
                            total = new_way >> TOTAL
                            if total > target:
                                continue
                            lacking += wanted - at_least
                            if lacking < 0 or total + lacking * floor > target:
                                continue
                            missing = (target - total) << 12
                            if value + cover(area, target - total, lacking) < beat:
                                continue
                        lacking = min(max(lacking - short, 0), 17)
                        above = bound_rest(area, pile, place, left, lacking, trump, rest)
                        if above < 0 or above + bound < missing:
                            continue
                        slot = _find(slots, new_ways, new_way)
                        if slots[slot] > 0:
                            at = slots[slot] - 1
                            if value <= new_ways[1, at]:
                                continue
                        else:
                            at = best
                            best += 1
                            if at == new_ways.shape[1]:
                                new_ways = _grow(new_ways, 2 * at)
                                slots = np.zeros(4 * at, np.int32)
                                for known in range(at):
                                    slots[_find(slots, new_ways, new_ways[0, known])] = known + 1
                                slot = _find(slots, new_ways, new_way)
                            slots[slot] = at + 1
                            new_ways[0, at] = new_way
                            new_ways[2, at] = at
                            if traced and logged + best > log.shape[1]:
                                log = _grow(log, 2 * (logged + best))
                        new_ways[1, at] = value
                        if traced:
                            log[0, logged + at] = ways[2, parent]
                            log[1, logged + at] = part[source, 2, i]
        slots[:] = 0
        ways, new_ways = new_ways, ways
        if new_ways.shape[1] < ways.shape[1]:
            new_ways = np.empty((3, ways.shape[1]), np.int64)
        count = best
        logged += best
        if count > width:
            count = _narrow(ways, count, width)
            narrowed = True
    answer = np.int64(-1)
    last = np.int64(0)
    for at in range(count):
        melds = (ways[0, at] >> MELDS) & 31
        value = ways[1, at]
        if melds < at_least:
            continue
        if exact:
            if ways[0, at] >> TOTAL != target or melds != wanted:
                continue
            value += 64 * melds
        if value > answer:
            answer = value
            last = ways[2, at]
    return answer, log, starts, last, narrowed
