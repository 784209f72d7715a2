"""What may stand at a place of a suit: the steps of the deep search (:mod:`simulate.melds.deep`).

A suit's *piece* is a run that may still grow. Each natural card (n, to the right) and each joker
(j, downwards) brings it on, in any order, until it may lie as it is (DONE) ::

    none --n-->  N   --n-->  NN   --n-->  DONE
      |j         |j          |j
      J  --n-->  NJ  --n-->  NNJ  --n-->  DONE
      |j         |j          |j
      JJ --n-->  NJJ --n-->  NNJJ --n-->  DONE

Where a meld with a joker needs but two natural cards, NNJ and NNJJ are DONE at once. A piece that
is DONE stays so with every further card, or is cut: the next card begins a new one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel
from simulate.melds.area import joker_share
from simulate.melds.problem import Problem

# Codes of an open piece: none, N, NN, DONE, J, NJ, JJ, NJJ, NNJ, NNJJ.
DONE = 3
_JOKERS_FROM = 4
#: What a card makes of a piece, by natural cards that a meld with a joker needs (2, 3), by natural
#: or joker, by code; -1 where two jokers do not go so far.
NEXT = np.array(
    [
        [[1, 2, 3, 3, 5, 3, 7, 3, -1, -1], [4, 5, 3, 3, 6, 7, -1, -1, -1, -1]],
        [[1, 2, 3, 3, 5, 8, 7, 9, 3, 3], [4, 5, 8, 3, 6, 7, -1, -1, 9, -1]],
    ],
    np.int64,
)
LENGTH = np.array([0, 1, 2, 3, 1, 2, 2, 3, 3, 4], np.int64)
_WILD = np.array([0, 0, 0, 0, 1, 1, 2, 2, 1, 2], np.int64)

# Fields of a state, from bit 0 (drawn in `deep`).
ACES = 16
LEFT = 24
MELDS = 26
TOTAL = 31
# Fields of a move: 4 x 3 bits for what joins the piece of a suit, then the set's suits and jokers.
_NATURAL = 1
_JOKER = 2
_NEW_PIECE = 4
SET = 12
EXTRA = 16
#: Sets that a rank can offer at most, none among them.
_MOST_SETS = 22


class Goal(NamedTuple):
    """What a search is to find; every number is an int64."""

    total: int  # points + penalty * covered; -1 for the best key
    floor: int  # a key that is known to be reached, or -1; with a total the least meld's worth
    melds: int  # with a total: their number, no more and no less
    covered: int  # with a total: covered cards to have at least
    beam: int  # most states to go on with at a place, those with the most covered cards
    traced: int  # 1 to keep the trace, from which the layout is read


class Search(NamedTuple):
    """What every step of one search reads."""

    problem: Problem
    goal: Goal
    places: NDArray[np.int64]  # of `mark_places`


class Spot(NamedTuple):
    """What may stand in a suit at a place, for all parts alike."""

    suit: int
    is_trump: int
    code: int  # of the open piece
    aces: int  # field of the ace, where nothing is taken
    aces_beside: int  # field of the ace, where something is
    passes: bool  # whether nothing may be taken
    card_here: bool
    wild_here: bool
    card_next: bool  # whether a card, or a joker, may stand at the next place
    wild_next: bool
    cuts: int  # 2 where the card may also begin a new piece


@kernel
def mark_places(problem: Problem) -> NDArray[np.int64]:
    """Mark where a run could hold a card of the pile, and where a joker, at the very most.

    Returns
    -------
    ndarray of int64, shape (3, 4)
        By suit with bits 1..14: cards there are, for cards, for jokers.
    """
    jokers = problem.jokers
    places = np.zeros((3, 4), np.int64)
    for suit in range(4):
        lane = np.int64((problem.pile >> np.uint64(16 * suit)) & np.uint64(0x7FFC))
        lane |= (lane >> 13) & 2
        places[0, suit] = lane
        # Any legal run is a chain of legal runs of three to five.
        for length in range(3, 6):
            for first in range(1, 16 - length):
                run = ((1 << length) - 1) << first
                cards = popcount(np.uint64(run & lane))
                holes = length - cards
                if holes <= jokers and (holes == 0 or cards >= problem.least):
                    places[1, suit] |= run & lane
                    places[2, suit] |= run & ~lane
                if holes < jokers and cards > problem.least:
                    places[2, suit] |= run
    return places


@kernel
def held_suits(places: NDArray[np.int64], place: int) -> tuple[int, int]:
    """Suits that have a card at a place, and those of them whose card no run wants (bits 0..3)."""
    rank = 14 if place == 1 else place
    held = np.int64(0)
    idle = np.int64(0)
    for suit in range(4):
        if (places[0, suit] >> rank) & 1:
            held |= 1 << suit
            useful = places[1, suit] >> place
            if place == 1:
                useful |= places[1, suit] >> 14
            if useful & 1 == 0:
                idle |= 1 << suit
    return held, idle


@kernel
def list_sets(search: Search, place: int, held: int, idle: int) -> NDArray[np.int64]:
    """List the sets that may be made at a place, as moves; no set is one of them.

    Parameters
    ----------
    search : Search
    place : int64
        Aces are taken at place 1, so that place 14 offers none.
    held, idle : int64
        Of :func:`held_suits`.

    Returns
    -------
    ndarray of int64, shape (3, 1 + _MOST_SETS)
        By jokers left: how many there are, and the moves.
    """
    area = search.problem.area
    exact = search.goal.total >= 0
    sets = np.zeros((3, 1 + _MOST_SETS), np.int64)
    for left in range(3):
        number = np.int64(0)
        # For the best key some set is made of three cards that no run wants.
        if exact or place == 14 or popcount(np.uint64(idle)) < 3:
            number = np.int64(1)  # no set: a move of nothing
        for chosen in range(1, 16):
            size = popcount(np.uint64(chosen))
            if chosen & ~held or size == 1 or place == 14:
                continue
            for extra in range(max(3 - size, 0), min(4 - size, left) + 1):
                if extra > 0 and size < search.problem.least:
                    continue
                # A card that no run wants stands in the set before a joker does.
                fourth = size + extra == 3 and area.set4 >= area.set3
                if not exact and idle & ~chosen and (extra > 0 or fourth):
                    continue
                number += 1
                sets[left, number] = (chosen << SET) | (extra << EXTRA)
        sets[left, 0] = number
    return sets


@kernel
def set_gain(area: Any, move: int) -> int:
    """Gain of a key by the set of a move; 0 where there is none."""
    size = popcount(np.uint64((move >> SET) & 15))
    if size == 0:
        return np.int64(0)
    extra = (move >> EXTRA) & 3
    return (area.set3 if size + extra == 3 else area.set4) - extra * joker_share(area)


@kernel
def _piece_gain(area: Any, suit_is_trump: int, code: int, new_code: int, wild: int) -> int:
    """Gain of a key when a card (`wild` 1: a joker) makes `new_code` of a piece of `code`."""
    if new_code != DONE:
        return np.int64(0)
    card = area.card[suit_is_trump]
    if code == DONE:
        return card - wild * joker_share(area)
    length = LENGTH[code] + 1
    return length * card + area.split[suit_is_trump] - (_WILD[code] + wild) * joker_share(area)


@kernel(inline=True)
def add_gain(parts: NDArray[np.int64], at: int, gain: int, exact: bool, at_least: int) -> None:
    """Add a gain of the key to part number `at`."""
    melds = ((parts[0, at] >> MELDS) & 31) + ((gain >> 6) & 63)
    if not exact:
        melds = min(melds, at_least)
        parts[1, at] += gain
    else:
        parts[0, at] += (gain >> 12) << TOTAL
        parts[1, at] += gain & 63
    parts[0, at] = (parts[0, at] & ~(31 << MELDS)) | (melds << MELDS)


@kernel(inline=True)
def lay_place(
    search: Search, place: int, held: int, state: int, value: int, move: int, parts: NDArray[Any]
) -> int:
    """Lay a set at a place, and in each suit all that may stand there beside it.

    Parameters
    ----------
    search : Search
    place : int64
    held : int64
        Suits that have a card there.
    state, value : int64
        Before the place.
    move : int64
        The set.
    parts : ndarray of int64, shape (2, 3, room)
        Overwritten; ``parts[0]`` with the successors: state, value and move.

    Returns
    -------
    int64
        Number of successors.
    """
    problem = search.problem
    extra = (move >> EXTRA) & 3
    parts[0, 0, 0] = state - (extra << LEFT)
    parts[0, 1, 0] = value
    parts[0, 2, 0] = move
    gain = set_gain(problem.area, move)
    add_gain(parts[0], 0, gain, search.goal.total >= 0, problem.at_least)
    row = held & ~(move >> SET)
    count = np.int64(1)
    for suit in range(4):
        count = _lay_suit(search, place, suit, row, parts[suit & 1], count, parts[1 - (suit & 1)])
    return count


@kernel(inline=True)
def _look(search: Search, place: int, suit: int, row: int, state: int) -> Spot:
    """Look what may stand in a suit at a place.

    Parameters
    ----------
    search : Search
    place, suit : int64
    row : int64
        Suits whose card is there and in no set.
    state : int64
        Before the suit is laid.

    Returns
    -------
    Spot
    """
    problem = search.problem
    exact = search.goal.total >= 0
    is_trump = np.int64(suit == problem.trump)
    places = search.places
    for_cards, for_jokers = places[1, suit], places[2, suit]
    code = (state >> (4 * suit)) & 15
    aces = (state >> (ACES + 2 * suit)) & 3
    own = (row >> suit) & 1
    # With a penalty a joker may leave the card dead for which it stands.
    for_joker = own == 0 or (exact and problem.area.penalty > 0)
    card_here = own != 0 and (for_cards >> place) & 1 != 0
    wild_here = for_joker and (for_jokers >> place) & 1 != 0
    if place == 1:
        aces = (own & (for_cards >> 14)) | ((np.int64(for_joker) & (for_jokers >> 14)) << 1)
    elif place == 14:
        card_here = aces & 1 != 0
        wild_here = aces & 2 != 0
        aces = np.int64(0)
    # A piece is given up only where that is not the same as never to have begun it, and a run may
    # as well be pushed up against the end of its stretch.
    passes = code == 0 or code == DONE or not (exact or code >= _JOKERS_FROM)
    leaves_card = exact and (code != DONE or (for_joker and own != 0))
    passes = passes and (place == 1 or not card_here or leaves_card)
    can_cut = exact or problem.at_least > 0 or problem.area.split[is_trump] >= 0
    return Spot(
        suit,
        is_trump,
        code,
        aces << (ACES + 2 * suit),
        (np.int64(0) if place == 1 else aces) << (ACES + 2 * suit),
        passes,
        card_here,
        wild_here,
        place < 14 and (for_cards >> (place + 1)) & 1 != 0,
        place < 14 and (for_jokers >> (place + 1)) & 1 != 0,
        2 if code == DONE and can_cut else 1,
    )


@kernel(inline=True)
def _lay_suit(
    search: Search,
    place: int,
    suit: int,
    row: int,
    parts: NDArray[np.int64],
    count: int,
    out: NDArray[np.int64],
) -> int:
    """Let each part take up what may stand in one suit at one place, or nothing.

    Parameters
    ----------
    search, place, suit, row
        As for :func:`_look`.
    parts, out : ndarray of int64, shape (3, room)
        The first `count` parts are read, their successors are written.
    count : int64

    Returns
    -------
    int64
        Number of parts written.
    """
    spot = _look(search, place, suit, row, parts[0, 0])
    cleared = ~((15 << (4 * suit)) | (3 << (ACES + 2 * suit)))
    written = np.int64(0)
    for at in range(count):
        state, value, move = parts[0, at] & cleared, parts[1, at], parts[2, at]
        if spot.passes:
            out[0, written] = state | spot.aces
            out[1, written] = value
            out[2, written] = move
            written += 1
        some_left = spot.wild_here and (state >> LEFT) & 3 > 0
        for wild in range(2):
            if some_left if wild else spot.card_here:
                written = _take_card(search, spot, wild, state, value, move, out, written)
    return written


@kernel(inline=True)
def _take_card(
    search: Search,
    spot: Spot,
    wild: int,
    state: int,
    value: int,
    move: int,
    out: NDArray[np.int64],
    written: int,
) -> int:
    """Let a part take up a suit's card (`wild` 1: a joker), in its piece or in a new one.

    Returns
    -------
    int64
        Number of parts written so far.
    """
    problem = search.problem
    exact = search.goal.total >= 0
    state = (state | spot.aces_beside) - (wild << LEFT)
    goes_on = spot.card_next or (spot.wild_next and (state >> LEFT) & 3 > 0)
    for cut in range(spot.cuts):
        old = 0 if cut else spot.code
        new = NEXT[problem.least - 2, wild, old]
        if new < 0:
            break
        gain = _piece_gain(problem.area, spot.is_trump, old, new, wild)
        if not goes_on:
            if new != DONE and (exact or new >= _JOKERS_FROM):
                continue
            new = 0
        joins = (_JOKER if wild else _NATURAL) | (_NEW_PIECE if cut else 0)
        out[0, written] = state | (new << (4 * spot.suit))
        out[1, written] = value
        out[2, written] = move | (joins << (3 * spot.suit))
        if gain > 0:
            add_gain(out, written, gain, exact, problem.at_least)
        written += 1
    return written


@kernel
def read_moves(moves: NDArray[np.int64], out: NDArray[Any], out_jokers: NDArray[Any]) -> int:
    """Write down the melds of a layout: sets first, then runs.

    Parameters
    ----------
    moves : ndarray of int64, shape (16,)
        By place.
    out, out_jokers : ndarray of uint64, shape (18,) or longer
        The first entries are overwritten: natural cards, and cards for which jokers stand.

    Returns
    -------
    int64
        Number of melds.
    """
    laid = np.int64(0)
    for place in range(1, 14):
        chosen = (moves[place] >> SET) & 15
        if chosen == 0:
            continue
        rank = 14 if place == 1 else place
        extra = (moves[place] >> EXTRA) & 3
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
        laid += _read_runs(moves, suit, out[laid:], out_jokers[laid:])
    return laid


@kernel
def _read_runs(
    moves: NDArray[np.int64], suit: int, out: NDArray[Any], out_jokers: NDArray[Any]
) -> int:
    """Write down the runs of one suit; return their number."""
    laid = np.int64(0)
    naturals = np.uint64(0)
    wilds = np.uint64(0)
    for place in range(1, 16):
        joins = (moves[place] >> (3 * suit)) & 7 if place < 15 else np.int64(0)
        if joins == 0 or joins & _NEW_PIECE:
            # A piece that was given up has no joker and is short.
            if popcount(naturals | wilds) >= 3:
                out[laid] = naturals
                out_jokers[laid] = wilds
                laid += 1
            naturals = np.uint64(0)
            wilds = np.uint64(0)
        rank = 14 if place == 1 else place
        if joins & _NATURAL:
            naturals |= np.uint64(1) << np.uint64(16 * suit + rank)
        if joins & _JOKER:
            wilds |= np.uint64(1) << np.uint64(16 * suit + rank)
    return laid
