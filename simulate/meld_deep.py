"""The deep search: every way to lay out a pile with jokers, for the best key or an exact total.

It walks the places of a suit, 1 (an ace laid low) to 14 (an ace laid high), and keeps the open
piece of each suit, a run that may still grow, as one of ten codes; what is left of each suit's ace
for the high end; the jokers left; the melds. Ways that agree in all of these are one way from there
on. It is exact for any rule values and slow, some 0.1 to 10 ms: :mod:`simulate.meld_wild` and
:mod:`simulate.meld_totals` ask it only where nothing faster answers, or for the layout itself.

A way is a pair of integers, `way` and `value`. For a best key the value is the key so far
(see :mod:`simulate.meld_area`). For an exact total the total so far is a part of the way, and the
value is the number of covered cards. A joker counts as covered by no key.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.bits import popcount
from simulate.kernels import kernel
from simulate.meld_area import LANE_ONES
from simulate.meld_stand import MANY, free_key, wild_bound
from simulate.melds import best_key

# Codes of an open piece: none, N, NN, one that may lie as it is, and J, NJ, JJ, NJJ, NNJ, NNJJ with
# naturals N and jokers J in any order.
_DONE = 3
_JOKERS_FROM = 4
#: What a card makes of a piece, by natural cards that a meld with a joker needs (2, 3), by natural
#: or joker, by code; -1 where two jokers do not go so far.
_NEXT = np.array(
    [
        [[1, 2, 3, 3, 5, 3, 7, 3, -1, -1], [4, 5, 3, 3, 6, 7, -1, -1, -1, -1]],
        [[1, 2, 3, 3, 5, 8, 7, 9, 3, 3], [4, 5, 8, 3, 6, 7, -1, -1, 9, -1]],
    ],
    np.int64,
)
_LENGTH = np.array([0, 1, 2, 3, 1, 2, 2, 3, 3, 4], np.int64)
_WILD = np.array([0, 0, 0, 0, 1, 1, 2, 2, 1, 2], np.int64)

# Fields of a way, from bit 0: 4 x 4 code, 4 x 2 ace (bit 0 the card, bit 1 a joker may yet stand at
# the high end), 2 jokers left, 5 melds, the rest the total.
_ACES = 16
_LEFT = 24
_MELDS = 26
_TOTAL = 31
# Fields of a move: 4 x 3 bits for what joins the piece of a suit, then the set's suits and jokers.
_NATURAL = 1
_JOKER = 2
_NEW_PIECE = 4
_SET = 12
_EXTRA = 16

#: Ways at a place that are tried first for an exact total.
_WIDTH = 512
_ANY_WIDTH = np.int64(1 << 40)
_WAYS = 1024
_UNKNOWN = np.int64(-2)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel
def mark_places(pile: np.uint64, jokers: int, least: int, places: NDArray[np.int64]) -> None:
    """Mark where a run could hold a card of the pile, and where a joker, at the very most.

    Parameters
    ----------
    pile : uint64
    jokers, least : int64
        Jokers at hand, and natural cards that a meld with a joker needs.
    places : ndarray of int64, shape (3, 4)
        Overwritten by suit with bits 1..14: cards there are, for cards, for jokers.
    """
    places[:] = 0
    for suit in range(4):
        lane = np.int64((pile >> np.uint64(16 * suit)) & np.uint64(0x7FFC))
        lane |= (lane >> 13) & 2
        places[0, suit] = lane
        # Any legal run is a chain of legal runs of three to five.
        for length in range(3, 6):
            for first in range(1, 16 - length):
                run = ((1 << length) - 1) << first
                cards = popcount(np.uint64(run & lane))
                holes = length - cards
                if holes <= jokers and (holes == 0 or cards >= least):
                    places[1, suit] |= run & lane
                    places[2, suit] |= run & ~lane
                if holes < jokers and cards > least:
                    places[2, suit] |= run


@kernel
def _grow(ways: NDArray[np.int64], more: int) -> NDArray[np.int64]:
    """Copy of an array of columns with room for `more` columns."""
    larger = np.empty((ways.shape[0], more), np.int64)
    larger[:, : ways.shape[1]] = ways
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
def _piece_gain(
    area: Any, suit_is_trump: int, code: int, new_code: int, wild: int, bonus: int
) -> int:
    """Gain of a key when a card (`wild` 1: a joker) makes `new_code` of a piece of `code`."""
    if new_code != _DONE:
        return np.int64(0)
    card = area.card[suit_is_trump]
    if code == _DONE:
        return card - wild * bonus
    length = _LENGTH[code] + 1
    return length * card + area.split[suit_is_trump] - (_WILD[code] + wild) * bonus


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
        ways[:, kept] = ways[:, at]
        kept += 1
    return kept


@kernel(inline=True)
def _above(pile: np.uint64, place: int) -> np.uint64:
    """Cards of a pile above a place, the ace being high."""
    return pile & (LANE_ONES * np.uint64((0x7FFC >> (place + 1)) << (place + 1)))


@kernel
def _bound_pieces(area: Any, more: NDArray[np.int64]) -> None:
    """Bound what an open piece adds to the key of the cards above it.

    Parameters
    ----------
    area : MELD_AREA record
    more : ndarray of int64, shape (3, 2, 10)
        Overwritten, by jokers left, trump and code.
    """
    for left in range(3):
        # As many cards that join the piece are no meld of their own: two, or with two jokers three.
        joined = 3 if left == 2 else 2
        for kind in range(2):
            card = area.card[kind]
            split = area.split[kind]
            more[left, kind, 0] = 0
            for code in range(1, 10):
                length = _LENGTH[code]
                if code == _DONE:
                    more[left, kind, code] = max(joined * card, -split)
                else:
                    more[left, kind, code] = max(
                        (joined + length) * card + max(split, 2 * split), length * card
                    )


@kernel
def _bound_rest(
    area: Any,
    pile: np.uint64,
    place: int,
    left: int,
    melds: int,
    trump: int,
    rest: NDArray[np.int64],
) -> int:
    """Bound what the cards above a place come to by themselves.

    Parameters
    ----------
    area : MELD_AREA record
        Its scratch memory is overwritten.
    pile : uint64
    place, left, melds : int64
        The place, the jokers left, and melds that these cards must make.
    trump : int64
    rest : ndarray of int64, shape (15, 3, 18)
        What is known by place, jokers and melds; `_UNKNOWN` elsewhere.

    Returns
    -------
    int64
        A key that is not exceeded; negative where there are not so many melds.
    """
    if rest[place, left, melds] == _UNKNOWN:
        cards = _above(pile, place)
        if left == 0:
            rest[place, left, melds] = best_key(area, cards, trump, melds)
        else:
            sure, doubt = free_key(area, cards, left, 2, trump, 0)
            if (sure & 4095) >> 6 < melds:
                if left == 1 or popcount(cards) <= MANY:
                    sure, doubt = free_key(area, cards, left, 2, trump, melds)
                else:
                    sure = min(max(sure, doubt), wild_bound(area, cards, left, trump, melds))
            rest[place, left, melds] = max(sure, doubt)
    return rest[place, left, melds]


@kernel
def find_best(
    area: Any,
    pile: np.uint64,
    jokers: int,
    least: int,
    trump: int,
    at_least: int,
    floor: int,
    traced: bool,
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
    traced : bool
        Whether to keep what :func:`read_way` needs.

    Returns
    -------
    answer : int64
        The key; -1 when there is no layout.
    log, starts, last
        For :func:`read_way`.
    """
    found, log, starts, last, _ = _search(
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
        np.full((15, 3, 18), _UNKNOWN, np.int64),
        traced,
    )
    return found, log, starts, last


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
    traced: bool,
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
    rest = np.full((15, 3, 18), _UNKNOWN, np.int64)
    # One number of melds after the other: the highest is mostly hit, and little else is looked at.
    while most >= at_least:
        melds = 64 * most
        found, log, starts, last, narrowed = _search(
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
        if found >= 0 and found == melds + min(popcount(pile), _cover(area, target, most)):
            sure = True
        if not sure:
            beat = found - melds + 1 if found >= 0 else np.int64(0)
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
        if found >= 0:
            return found, log, starts, last
        most -= 1
    return np.int64(-1), np.empty((2, 0), np.int64), np.zeros(15, np.int64), np.int64(0)


@kernel
def _cover(area: Any, worth: int, melds: int) -> int:
    """Bound the covered cards of so many melds that are worth so much in all."""
    set3 = (area.set3 >> 12) - 3 * area.penalty
    set4 = (area.set4 >> 12) - 4 * area.penalty
    cheapest = set3
    step = set4 - set3
    for kind in range(2):
        card = area.card[kind] >> 12
        cheapest = min(
            cheapest, ((3 * area.card[kind] + area.split[kind]) >> 12) - 3 * area.penalty
        )
        step = min(step, card - area.penalty)
    if step < 0 or step + area.penalty == 0:
        return np.int64(64)
    return (worth - melds * (cheapest - 3 * step)) // (step + area.penalty)


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
    traced: bool,
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
        For :func:`_bound_rest`; the same for all searches of a pile.

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
    next_code = _NEXT[least - 2]
    more = np.empty((3, 2, 10), np.int64)
    _bound_pieces(area, more)

    log = np.empty((2, 64), np.int64)
    logged = np.int64(0)
    starts = np.zeros(15, np.int64)
    ways = np.empty((3, _WAYS), np.int64)
    new_ways = np.empty((3, _WAYS), np.int64)
    slots = np.zeros(2 * _WAYS, np.int32)
    part = np.empty((2, 3, 4096), np.int64)
    ways[0, 0] = jokers << _LEFT
    ways[1, 0] = 0
    ways[2, 0] = 0  # place in the log
    narrowed = False
    count = np.int64(1)
    for place in range(1, 15):
        starts[place] = logged
        found = np.int64(0)
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
            left_before = (way >> _LEFT) & 3
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
                    part[0, 0, 0] = (way >> _LEFT) << _LEFT
                    part[0, 0, 0] -= extra << _LEFT
                    part[0, 1, 0] = ways[1, parent]
                    part[0, 2, 0] = (chosen << _SET) | (extra << _EXTRA)
                    _add_gain(part[0], 0, gain, exact, at_least)
                    parts = np.int64(1)
                    source = 0
                    for suit in range(4):
                        code = (way >> (4 * suit)) & 15
                        aces = (way >> (_ACES + 2 * suit)) & 3
                        own = (held & ~chosen) >> suit & 1
                        parts = _join(
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
                        left = (new_way >> _LEFT) & 3
                        bound = np.int64(0)
                        short = np.int64(0)
                        for suit in range(4):
                            code = (new_way >> (4 * suit)) & 15
                            bound += more[left, np.int64(suit == trump), code]
                            short += code != 0 and code != _DONE
                        lacking = at_least - ((new_way >> _MELDS) & 31)
                        missing = floor - value
                        if exact:
                            total = new_way >> _TOTAL
                            if total > target:
                                continue
                            lacking += wanted - at_least
                            if lacking < 0 or total + lacking * floor > target:
                                continue
                            missing = (target - total) << 12
                            if value + _cover(area, target - total, lacking) < beat:
                                continue
                        lacking = min(max(lacking - short, 0), 17)
                        above = _bound_rest(area, pile, place, left, lacking, trump, rest)
                        if above < 0 or above + bound < missing:
                            continue
                        slot = _find(slots, new_ways, new_way)
                        if slots[slot] > 0:
                            at = slots[slot] - 1
                            if value <= new_ways[1, at]:
                                continue
                        else:
                            at = found
                            found += 1
                            if at == new_ways.shape[1]:
                                new_ways = _grow(new_ways, 2 * at)
                                slots = np.zeros(4 * at, np.int32)
                                for known in range(at):
                                    slots[_find(slots, new_ways, new_ways[0, known])] = known + 1
                                slot = _find(slots, new_ways, new_way)
                            slots[slot] = at + 1
                            new_ways[0, at] = new_way
                            new_ways[2, at] = at
                            if traced and logged + found > log.shape[1]:
                                log = _grow(log, 2 * (logged + found))
                        new_ways[1, at] = value
                        if traced:
                            log[0, logged + at] = ways[2, parent]
                            log[1, logged + at] = part[source, 2, i]
        slots[:] = 0
        ways, new_ways = new_ways, ways
        if new_ways.shape[1] < ways.shape[1]:
            new_ways = np.empty((3, ways.shape[1]), np.int64)
        count = found
        logged += found
        if count > width:
            count = _narrow(ways, count, width)
            narrowed = True
    answer = np.int64(-1)
    last = np.int64(0)
    for at in range(count):
        melds = (ways[0, at] >> _MELDS) & 31
        value = ways[1, at]
        if melds < at_least:
            continue
        if exact:
            if ways[0, at] >> _TOTAL != target or melds != wanted:
                continue
            value += 64 * melds
        if value > answer:
            answer = value
            last = ways[2, at]
    return answer, log, starts, last, narrowed


@kernel(inline=True)
def _add_gain(part: NDArray[np.int64], at: int, gain: int, exact: bool, at_least: int) -> None:
    """Add a gain of the key to part number `at`."""
    melds = ((part[0, at] >> _MELDS) & 31) + ((gain >> 6) & 63)
    if not exact:
        melds = min(melds, at_least)
        part[1, at] += gain
    else:
        part[0, at] += (gain >> 12) << _TOTAL
        part[1, at] += gain & 63
    part[0, at] = (part[0, at] & ~(31 << _MELDS)) | (melds << _MELDS)


@kernel
def _join(
    area: Any,
    parts: NDArray[np.int64],
    count: int,
    out: NDArray[np.int64],
    suit: int,
    is_trump: int,
    place: int,
    code: int,
    aces: int,
    own: int,
    may_be_wild: bool,
    for_cards: int,
    for_jokers: int,
    next_code: NDArray[np.int64],
    bonus: int,
    exact: bool,
    at_least: int,
) -> int:
    """Let each part take up what may stand in one suit at one place, or nothing.

    Parameters
    ----------
    area : MELD_AREA record
    parts, out : ndarray of int64, shape (3, room)
        The first `count` parts are read, their successors are written.
    count, suit, is_trump, place : int64
    code, aces : int64
        The suit's fields in the way before.
    own : int64
        1 where the suit's card is there and in no set.
    may_be_wild : bool
        Whether a joker may stand for the suit's card.
    for_cards, for_jokers : int64
        Places of the suit, see :func:`mark_places`.
    next_code : ndarray of int64, shape (2, 10)
    bonus : int64
        What a key counts for a covered card.
    exact : bool
    at_least : int64

    Returns
    -------
    int64
        Number of parts written.
    """
    card_here = own != 0 and (for_cards >> place) & 1 != 0
    wild_here = may_be_wild and (for_jokers >> place) & 1 != 0
    after = 0  # what of the ace is left for the high end
    if place == 1:
        if own != 0 and (for_cards >> 14) & 1:
            after |= 1
        if may_be_wild and (for_jokers >> 14) & 1:
            after |= 2
    elif place == 14:
        card_here = aces & 1 != 0
        wild_here = aces & 2 != 0
    else:
        after = aces
    leaves_cards = may_be_wild and own != 0
    can_cut = exact or at_least > 0 or area.split[is_trump] >= 0
    card_next = place < 14 and (for_cards >> (place + 1)) & 1 != 0
    wild_next = place < 14 and (for_jokers >> (place + 1)) & 1 != 0
    written = np.int64(0)
    for at in range(count):
        left = (parts[0, at] >> _LEFT) & 3
        for kind in range(3):  # nothing, the card, a joker
            if kind == 0:
                # A piece is given up only where that is not the same as never to have begun it.
                if code != 0 and code != _DONE and (exact or code >= _JOKERS_FROM):
                    continue
                if card_here and place > 1 and (not exact or (code == _DONE and not leaves_cards)):
                    continue  # a run may as well be pushed up against the end of its stretch
                out[0, written] = parts[0, at] | (after << (_ACES + 2 * suit))
                out[1, written] = parts[1, at]
                out[2, written] = parts[2, at]
                written += 1
                continue
            if kind == 1 and not card_here:
                continue
            if kind == 2 and (not wild_here or left == 0):
                continue
            wild = kind - 1
            for cut in range(2):
                if cut == 1 and (code != _DONE or not can_cut):
                    break
                old = 0 if cut == 1 else code
                new = next_code[wild, old]
                if new < 0:
                    break
                gain = _piece_gain(area, is_trump, old, new, wild, bonus)
                if not (card_next or (wild_next and left - wild > 0)):
                    if new != _DONE and (exact or new >= _JOKERS_FROM):
                        continue
                    new = 0
                out[0, written] = (parts[0, at] - (wild << _LEFT)) | (new << (4 * suit))
                if 1 < place < 14:
                    out[0, written] |= aces << (_ACES + 2 * suit)
                out[1, written] = parts[1, at]
                join = (_JOKER if wild else _NATURAL) | (_NEW_PIECE if cut == 1 else 0)
                out[2, written] = parts[2, at] | (join << (3 * suit))
                if gain > 0:
                    _add_gain(out, written, gain, exact, at_least)
                written += 1
    return written


@kernel
def read_way(
    log: NDArray[np.int64],
    starts: NDArray[np.int64],
    last: int,
    out: NDArray[np.uint64],
    out_jokers: NDArray[np.uint64],
) -> int:
    """Write down the melds of a way that :func:`search` found: sets first, then runs.

    Parameters
    ----------
    log, starts, last
        As returned.
    out, out_jokers : ndarray of uint64, shape (18,) or longer
        The first entries are overwritten: natural cards, and cards for which jokers stand.

    Returns
    -------
    int64
        Number of melds.
    """
    moves = np.zeros(16, np.int64)
    for place in range(14, 0, -1):
        moves[place] = log[1, starts[place] + last]
        last = log[0, starts[place] + last]
    laid = np.int64(0)
    for place in range(1, 14):
        chosen = (moves[place] >> _SET) & 15
        if chosen == 0:
            continue
        rank = 14 if place == 1 else place
        extra = (moves[place] >> _EXTRA) & 3
        out[laid] = np.uint64(0)
        out_jokers[laid] = np.uint64(0)
        for suit in range(4):
            card = np.uint64(1) << np.uint64(16 * suit + rank)
            if (chosen >> suit) & 1:
                out[laid] |= card
            elif extra > 0:
                out_jokers[laid] |= card
                extra -= 1
        laid += 1
    for suit in range(4):
        naturals = np.uint64(0)
        wilds = np.uint64(0)
        for place in range(1, 16):
            join = (moves[place] >> (3 * suit)) & 7 if place < 15 else np.int64(0)
            if join == 0 or join & _NEW_PIECE:
                # A piece that was given up has no joker and is short.
                if popcount(naturals | wilds) >= 3:
                    out[laid] = naturals
                    out_jokers[laid] = wilds
                    laid += 1
                naturals = np.uint64(0)
                wilds = np.uint64(0)
            rank = 14 if place == 1 else place
            if join & _NATURAL:
                naturals |= np.uint64(1) << np.uint64(16 * suit + rank)
            if join & _JOKER:
                wilds |= np.uint64(1) << np.uint64(16 * suit + rank)
    return laid
