"""The end of a hand with all cards in sight, solved exactly.

Both sides play for the difference of their scores as :mod:`simulate.scoring` counts them: tricks,
the best layouts, the contract, dead cards, the slam. The search is alpha-beta, card by card, with
the declarers as the side that wants more. What is left to play and which of the cards that were
left at the start the declarers have taken since say all about a position between two tricks, so
positions are remembered by these two; and a hand that is played out is remembered by the second
alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.bits import bit, lowest, popcount
from simulate.kernels import kernel
from simulate.scoring import score_side
from simulate.tricks import card_strength

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_LANE = np.uint64(0xFFFF)
_SPREAD = np.uint64(0x9E37_79B9_7F4A_7C15)

#: Beyond any difference of scores.
FAR = np.int64(1 << 40)

#: Entries of the two tables, powers of two: with four cards each, larger tables are no faster. An
#: entry that makes way for another is worked out again.
POSITIONS = 2048
OUTCOMES = 1024
_TO_POSITION = np.uint64(64 - 11)
_TO_OUTCOME = np.uint64(64 - 10)

EXACT = 0
AT_LEAST = 1
AT_MOST = 2

#: A position between two tricks and what is known of its value.
POSITION = np.dtype(
    [
        ("left", np.uint64),  # cards in the hands; the leader in bits 0 and 1
        ("captured", np.uint64),
        ("serial", np.int64),  # of the ending that it belongs to
        ("value", np.int32),
        ("kind", np.int32),
    ],
    align=True,
)

#: A hand that is played out.
OUTCOME = np.dtype([("captured", np.uint64), ("serial", np.int64), ("value", np.int64)], align=True)

#: An ending, which the caller writes up to `winner`, and the memory of its solution.
ENDING = np.dtype(
    [
        ("hands", np.uint64, 4),  # as held now
        ("piles", np.uint64, 2),  # of declarers and defenders, with what lies aside for them
        ("last_card", np.uint64),  # what goes with the last trick
        ("table", np.uint64),  # cards of this trick so far
        ("sides", np.int64, 4),  # of each seat
        ("tricks", np.int64, 2),
        ("players", np.int64),
        ("size", np.int64),  # tricks of a hand
        ("trump", np.int64),
        ("level", np.int64),
        ("seat", np.int64),  # who is to play
        ("position", np.int64),  # cards in this trick so far
        ("led", np.int64),  # suit led; like the next two of no account before the lead
        ("best", np.int64),  # strength of the card that wins so far
        ("winner", np.int64),  # who played it
        ("choice", np.int64),  # the best card
        ("live", np.uint64),  # cards that are still to be captured
        ("serial", np.int64),  # how many endings have been solved: entries of others do not count
        ("filler", np.int64, 6),  # to whole cache lines, as the layouts' memory beside it
        ("positions", POSITION, POSITIONS),
        ("outcomes", OUTCOME, OUTCOMES),
    ],
    align=True,
)


@kernel
def _outcome(end: Any, melds: Any, rules: Any, captured: np.uint64) -> int:
    """Difference of the scores once the declarers have taken `captured` of the live cards."""
    entry = end.outcomes[captured * _SPREAD >> _TO_OUTCOME]
    if entry.captured == captured and entry.serial == end.serial:
        return np.int64(entry.value)
    won = popcount(captured & ~end.last_card) // end.players
    lost = popcount((end.live ^ captured) & ~end.last_card) // end.players
    trump = end.trump
    size = end.size
    ours = score_side(
        rules, melds, end.piles[0] | captured, trump, end.level, end.tricks[0] + won, size, False
    )[0]
    theirs = score_side(
        rules,
        melds,
        end.piles[1] | (end.live ^ captured),
        trump,
        np.int64(0),
        end.tricks[1] + lost,
        size,
        False,
    )[0]
    entry.captured = captured
    entry.serial = end.serial
    entry.value = ours - theirs
    return np.int64(ours - theirs)


@kernel
def _last_trick(end: Any, melds: Any, rules: Any, leader: int, captured: np.uint64) -> int:
    """Value where each hand has one card left."""
    table = end.last_card
    led = lowest(end.hands[leader]) >> 4
    best = np.int64(-1)
    winner = leader
    seat = leader
    for _ in range(end.players):
        hand = end.hands[seat]
        table |= hand
        strength = card_strength(lowest(hand), led, end.trump)
        if strength > best:
            best = strength
            winner = seat
        seat = seat + 1 if seat + 1 < end.players else np.int64(0)
    if end.sides[winner] == 0:
        captured |= table
    return _outcome(end, melds, rules, captured)


@kernel(inline=True)
def _highest_rank(cards: np.uint64) -> int:
    """Card of the highest rank, the order in which cards are tried."""
    found = np.int64(0)
    most = np.int64(-1)
    while cards != _ZERO:
        card = lowest(cards)
        cards &= cards - _ONE
        if card & 15 > most:
            most = card & 15
            found = card
    return found


@kernel
def _search(
    end: Any,
    melds: Any,
    rules: Any,
    seat: int,
    position: int,
    led: int,
    best: int,
    winner: int,
    table: np.uint64,
    captured: np.uint64,
    alpha: int,
    beta: int,
) -> int:
    """Value of a position, if it lies between `alpha` and `beta`; else a bound on that side.

    The best card is left in `end.choice`.

    Parameters
    ----------
    end : ENDING record
        Its hands are those of the position, before and after.
    melds : MELD_AREA record
    rules : RULES record
    seat : int64
        Who is to play; of no account where the trick is complete.
    position : int64
        Cards in the trick.
    led, best, winner : int64
        Suit led, strength of the winning card and who played it.
    table, captured : uint64
        Cards of the trick, and those of the live cards that the declarers have.
    alpha, beta : int64
    """
    hands = end.hands
    entry = end.positions[0]
    key = _ZERO
    whole = position == end.players
    if whole:
        ours = end.sides[winner] == 0
        if ours:
            captured |= table
        hand = hands[winner]
        if hand == _ZERO:
            return _outcome(end, melds, rules, captured | end.last_card if ours else captured)
        if hand & (hand - _ONE) == _ZERO:
            return _last_trick(end, melds, rules, winner, captured)
        seat = winner
        position = np.int64(0)
        best = np.int64(-1)
        table = _ZERO
        key = hands[0] | hands[1] | hands[2] | hands[3] | np.uint64(winner)
        entry = end.positions[((key * _SPREAD) ^ captured) * _SPREAD >> _TO_POSITION]
        if entry.left == key and entry.captured == captured and entry.serial == end.serial:
            value = np.int64(entry.value)
            if (
                entry.kind == EXACT
                or (entry.kind == AT_LEAST and value >= beta)
                or (entry.kind == AT_MOST and value <= alpha)
            ):
                return value
    hand = hands[seat]
    legal = hand
    if position > 0:
        same = hand & (_LANE << np.uint64(16 * led))
        if same != _ZERO:
            legal = same
    maximal = end.sides[seat] == 0
    value = -FAR if maximal else FAR
    low = alpha
    high = beta
    choice = np.int64(-1)
    following = seat + 1 if seat + 1 < end.players else np.int64(0)
    while legal != _ZERO:
        card = _highest_rank(legal)
        mask = bit(card)
        legal ^= mask
        suit = card >> 4 if position == 0 else led
        strength = card_strength(card, suit, end.trump)
        hands[seat] = hand ^ mask
        found = _search(
            end,
            melds,
            rules,
            following,
            position + 1,
            suit,
            max(strength, best),
            seat if strength > best else winner,
            table | mask,
            captured,
            low,
            high,
        )
        if maximal and found > value:
            value = found
            choice = card
            low = max(low, found)
        elif not maximal and found < value:
            value = found
            choice = card
            high = min(high, found)
        if low >= high:
            break
    hands[seat] = hand
    if whole:
        entry.left = key
        entry.captured = captured
        entry.serial = end.serial
        entry.value = value
        entry.kind = AT_LEAST if value >= beta else (AT_MOST if value <= alpha else EXACT)
    end.choice = choice
    return value


@kernel
def solve(end: Any, melds: Any, rules: Any) -> tuple[int, int]:
    """Solve an ending: the best card for the seat that is to play, and what comes of it.

    Parameters
    ----------
    end : ENDING record
        The fields up to `winner` tell of the position and are left as they are; the rest is
        memory, lent to one thread, on which no answer depends.
    melds : MELD_AREA record
        Prepared for `rules`; its scratch is modified.
    rules : RULES record

    Returns
    -------
    card : int64
        The best legal card; of several, always the same one.
    value : int64
        Score of the declarers less that of the defenders where both sides play their best.
    """
    end.serial += 1
    live = end.table | end.last_card
    for seat in range(4):
        live |= end.hands[seat]
    end.live = live
    position = np.int64(end.position)
    value = _search(
        end,
        melds,
        rules,
        np.int64(end.seat),
        position,
        np.int64(end.led),
        np.int64(end.best) if position > 0 else np.int64(-1),
        np.int64(end.winner),
        end.table,
        _ZERO,
        -FAR,
        FAR,
    )
    return np.int64(end.choice), value
