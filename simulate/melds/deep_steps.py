"""What may stand at a place of a suit: the steps of the deep search (:mod:`simulate.melds.deep`).

A way is a pair of integers, `way` and `value`. For a best key the value is the key so far
(see :mod:`simulate.melds.area`). For an exact total the total so far is a part of the way, and the
value is the number of covered cards. A joker counts as covered by no key.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulate.compiled.bits import popcount
from simulate.compiled.kernels import kernel

# Codes of an open piece: none, N, NN, one that may lie as it is, and J, NJ, JJ, NJJ, NNJ, NNJJ with
# naturals N and jokers J in any order.
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

# Fields of a way, from bit 0: 4 x 4 code, 4 x 2 ace (bit 0 the card, bit 1 a joker may yet stand at
# the high end), 2 jokers left, 5 melds, the rest the total.
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
def _piece_gain(
    area: Any, suit_is_trump: int, code: int, new_code: int, wild: int, bonus: int
) -> int:
    """Gain of a key when a card (`wild` 1: a joker) makes `new_code` of a piece of `code`."""
    if new_code != DONE:
        return np.int64(0)
    card = area.card[suit_is_trump]
    if code == DONE:
        return card - wild * bonus
    length = LENGTH[code] + 1
    return length * card + area.split[suit_is_trump] - (_WILD[code] + wild) * bonus


@kernel(inline=True)
def add_gain(part: NDArray[np.int64], at: int, gain: int, exact: bool, at_least: int) -> None:
    """Add a gain of the key to part number `at`."""
    melds = ((part[0, at] >> MELDS) & 31) + ((gain >> 6) & 63)
    if not exact:
        melds = min(melds, at_least)
        part[1, at] += gain
    else:
        part[0, at] += (gain >> 12) << TOTAL
        part[1, at] += gain & 63
    part[0, at] = (part[0, at] & ~(31 << MELDS)) | (melds << MELDS)


@kernel
def join(
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
        left = (parts[0, at] >> LEFT) & 3
        for kind in range(3):  # nothing, the card, a joker
            if kind == 0:
                # A piece is given up only where that is not the same as never to have begun it.
                if code != 0 and code != DONE and (exact or code >= _JOKERS_FROM):
                    continue
                if card_here and place > 1 and (not exact or (code == DONE and not leaves_cards)):
                    continue  # a run may as well be pushed up against the end of its stretch
                out[0, written] = parts[0, at] | (after << (ACES + 2 * suit))
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
                if cut == 1 and (code != DONE or not can_cut):
                    break
                old = 0 if cut == 1 else code
                new = next_code[wild, old]
                if new < 0:
                    break
                gain = _piece_gain(area, is_trump, old, new, wild, bonus)
                if not (card_next or (wild_next and left - wild > 0)):
                    if new != DONE and (exact or new >= _JOKERS_FROM):
                        continue
                    new = 0
                out[0, written] = (parts[0, at] - (wild << LEFT)) | (new << (4 * suit))
                if 1 < place < 14:
                    out[0, written] |= aces << (ACES + 2 * suit)
                out[1, written] = parts[1, at]
                join = (_JOKER if wild else _NATURAL) | (_NEW_PIECE if cut == 1 else 0)
                out[2, written] = parts[2, at] | (join << (3 * suit))
                if gain > 0:
                    add_gain(out, written, gain, exact, at_least)
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
