"""The end of a hand with all cards in sight, solved exactly.

Both sides play for the difference of their scores as :mod:`simulate.game.scoring` counts them:
tricks, the best layouts, the contract, dead cards, the slam. The search is alpha-beta, card by
card, with the declarers as the side that wants more. What is left to play and which of the cards
that were left at the start the declarers have taken since say all about a position between two
tricks, so positions are remembered by these two; and a hand that is played out is remembered by the
second alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulate.compiled.bits import LANE, ONE, ZERO, bit, lowest, popcount
from simulate.compiled.kernels import call_scorer, kernel
from simulate.game.scoring import SIDE, never_less
from simulate.game.tricks import card_strength, next_seat

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
        ("target", np.int64),  # points that the declarers have announced
        ("scorer", np.int64),  # address of the code that scores a side
        ("seat", np.int64),  # who is to play
        ("position", np.int64),  # cards in this trick so far
        ("led", np.int64),  # suit led; like the next two of no account before the lead
        ("best", np.int64),  # strength of the card that wins so far
        ("winner", np.int64),  # who played it
        ("choice", np.int64),  # the best card
        ("value", np.int64),
        ("bounded", np.int64),  # whether more cards never score less
        ("live", np.uint64),  # cards that were still to be captured at the start
        ("start_hands", np.uint64, 4),  # the start: the first position of an ending
        ("start_piles", np.uint64, 2),
        ("start_tricks", np.int64, 2),
        ("start_terms", np.int64),  # of the contract and the sides, in one number
        ("start_last_card", np.uint64),
        ("next_left", np.uint64),  # the position after the best card
        ("next_captured", np.uint64),
        ("next_table", np.uint64),
        ("next_seat", np.int64),
        ("serial", np.int64),  # how many endings have been met: entries of others do not count
        ("side", SIDE),
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
    side = end.side
    side.trump = end.trump
    side.target = end.target
    side.all_tricks = end.size
    side.pile = end.start_piles[0] | captured
    side.level = end.level
    side.tricks = end.start_tricks[0] + popcount(captured & ~end.last_card) // end.players
    value = call_scorer(end.scorer, side, melds, rules)
    side.pile = end.start_piles[1] | (end.live ^ captured)
    side.level = 0
    side.tricks = end.size - side.tricks
    value -= call_scorer(end.scorer, side, melds, rules)
    entry.captured = captured
    entry.serial = end.serial
    entry.value = value
    return value


@kernel(inline=True)
def _last_trick(end: Any, leader: np.uint64, captured: np.uint64) -> np.uint64:
    """Play the last trick; give what the declarers have taken in all."""
    players = np.uint64(end.players)
    table = end.last_card
    led = lowest(end.hands[leader]) >> 4
    best = np.int64(-1)
    winner = leader
    seat = leader
    for _ in range(players):
        hand = end.hands[seat]
        table |= hand
        strength = card_strength(lowest(hand), led, end.trump)
        if strength > best:
            best = strength
            winner = seat
        seat = next_seat(seat, players)
    return captured if end.sides[winner] else captured | table


@kernel(inline=True)
def _highest_rank(cards: np.uint64) -> int:
    """Card of the highest rank, the order in which cards are tried."""
    best = np.int64(0)
    most = np.int64(-1)
    while cards != ZERO:
        card = lowest(cards)
        cards &= cards - ONE
        if card & 15 > most:
            most = card & 15
            best = card
    return best


@kernel(inline=True)
def _known_outcome(end: Any, captured: np.uint64, otherwise: int) -> int:
    """Look up what :func:`_outcome` remembers; `otherwise` where there is nothing."""
    entry = end.outcomes[captured * _SPREAD >> _TO_OUTCOME]
    if entry.captured == captured and entry.serial == end.serial:
        return np.int64(entry.value)
    return np.int64(otherwise)


class _Trick(NamedTuple):
    """A trick as it stands.

    Attributes
    ----------
    position : int64
        Cards in it.
    led, best : int64
        Suit led, and strength of the winning card.
    winner : uint64
        Who played that.
    table : uint64
        Its cards.
    """

    position: int
    led: int
    best: int
    winner: np.uint64
    table: np.uint64


@kernel
def _search(
    end: Any,
    melds: Any,
    rules: Any,
    seat: np.uint64,
    trick: _Trick,
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
    seat : uint64
        Who is to play; of no account where the trick is complete.
    trick : _Trick
    captured : uint64
        Those of the live cards that the declarers have.
    alpha, beta : int64
    """
    position, led, best, winner, table = trick
    hands = end.hands
    entry = end.positions[0]
    key = ZERO
    whole = position == end.players
    if whole:
        ours = end.sides[winner] == 0
        if ours:
            captured |= table
        hand = hands[winner]
        if hand & (hand - ONE) == ZERO:
            if hand != ZERO:
                captured = _last_trick(end, winner, captured)
            elif ours:
                captured |= end.last_card
            return _outcome(end, melds, rules, captured)
        seat = winner
        position = np.int64(0)
        best = np.int64(-1)
        table = ZERO
        left = hands[0] | hands[1] | hands[2] | hands[3]
        key = left | winner
        entry = end.positions[((key * _SPREAD) ^ captured) * _SPREAD >> _TO_POSITION]
        if entry.left == key and entry.captured == captured and entry.serial == end.serial:
            value = np.int64(entry.value)
            if (
                entry.kind == EXACT
                or (entry.kind == AT_LEAST and value >= beta)
                or (entry.kind == AT_MOST and value <= alpha)
            ):
                return value
        if end.bounded:
            least = _known_outcome(end, captured, -FAR)
            if least >= beta:
                return least
            most = _known_outcome(end, captured | left | end.last_card, FAR)
            if most <= alpha or most == least:
                return most
            alpha = max(alpha, least)
            beta = min(beta, most)
    hand = hands[seat]
    legal = hand
    if position > 0:
        same = hand & (LANE << np.uint64(16 * led))
        if same != ZERO:
            legal = same
    maximal = end.sides[seat] == 0
    value = -FAR if maximal else FAR
    low = alpha
    high = beta
    choice = np.int64(-1)
    following = next_seat(seat, np.uint64(end.players))
    while legal != ZERO:
        card = _highest_rank(legal)
        mask = bit(card)
        legal ^= mask
        suit = card >> 4 if position == 0 else led
        strength = card_strength(card, suit, end.trump)
        hands[seat] = hand ^ mask
        result = _search(
            end,
            melds,
            rules,
            following,
            _Trick(
                position + 1,
                suit,
                max(strength, best),
                seat if strength > best else winner,
                table | mask,
            ),
            captured,
            low,
            high,
        )
        if maximal and result > value:
            value = result
            choice = card
            low = max(low, result)
        elif not maximal and result < value:
            value = result
            choice = card
            high = min(high, result)
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
def _goes_on(end: Any, terms: int) -> bool:
    """Tell whether a position comes from the start that the memory knows of."""
    if end.start_terms != terms or end.start_last_card != end.last_card:
        return False
    now = end.piles[0] | end.piles[1] | end.table | end.last_card
    then = end.start_piles[0] | end.start_piles[1] | end.live
    for seat in range(4):
        now |= end.hands[seat]
        if end.hands[seat] & ~end.start_hands[seat]:
            return False
    for side in range(2):
        taken = end.piles[side] & ~end.start_piles[side]
        won = popcount(taken) // end.players
        if end.start_piles[side] & ~end.piles[side] or end.tricks[side] != (
            end.start_tricks[side] + won
        ):
            return False
    return now == then


@kernel
def _start(end: Any, terms: int) -> None:
    """Make the position the start of an ending that is new to the memory."""
    end.serial += 1
    end.start_terms = terms
    end.start_last_card = end.last_card
    live = end.table | end.last_card
    for seat in range(4):
        end.start_hands[seat] = end.hands[seat]
        live |= end.hands[seat]
    for side in range(2):
        end.start_piles[side] = end.piles[side]
        end.start_tricks[side] = end.tricks[side]
    end.live = live
    end.next_left = ZERO


@kernel
def _expect(end: Any, left: np.uint64, captured: np.uint64, winner: np.uint64, best: int) -> None:
    """Note the position after the best card."""
    card = np.int64(end.choice)
    seat = np.uint64(end.seat)
    table = end.table | bit(card)
    following = next_seat(seat, np.uint64(end.players))
    if end.position + 1 == end.players:
        led = np.int64(end.led)
        following = seat if card_strength(card, led, np.int64(end.trump)) > best else winner
        if end.sides[following] == 0:
            captured |= table
        table = ZERO
    end.next_left = left ^ bit(card)
    end.next_captured = captured
    end.next_table = table
    end.next_seat = following


@kernel
def solve(end: Any, melds: Any, rules: Any) -> tuple[int, int]:
    """Solve an ending: the best card for the seat that is to play, and what comes of it.

    Parameters
    ----------
    end : ENDING record
        The fields up to `winner` tell of the position and are left as they are; the rest is
        memory, lent to one thread and one rule set, on which no answer depends: of the best cards
        it is always the first in order. A later position of the same hand takes a fraction of the
        time.
    melds : MELD_AREA record
        Prepared for `rules`; its scratch is modified.
    rules : RULES record

    Returns
    -------
    card : int64
        The best legal card; of several the highest.
    value : int64
        Score of the declarers less that of the defenders where both sides play their best.
    """
    terms = np.int64(end.players)
    for seat in range(4):
        terms = 2 * terms + end.sides[seat]
    terms = ((terms * 8 + end.trump) * 8 + end.level) * 32 + end.size
    terms = terms * 2_000_000 + end.target
    if not _goes_on(end, terms):
        _start(end, terms)
    captured = end.piles[0] & ~end.start_piles[0]
    left = end.hands[0] | end.hands[1] | end.hands[2] | end.hands[3]
    position = np.int64(end.position)
    best = np.int64(end.best) if position > 0 else np.int64(-1)
    winner = np.uint64(end.winner) if position > 0 else np.uint64(end.seat)
    maximal = end.sides[end.seat] == 0
    end.bounded = never_less(rules)
    alpha = -FAR
    beta = FAR
    # One more on the side that the seat plays for: a card that goes so far ends the search.
    if (
        end.next_left == left
        and end.next_captured == captured
        and end.next_table == end.table
        and end.next_seat == end.seat
    ):
        alpha = end.value - np.int64(maximal)
        beta = end.value + np.int64(not maximal)
    elif end.bounded:
        alpha = _outcome(end, melds, rules, captured) - np.int64(maximal)
        beta = _outcome(end, melds, rules, captured | end.table | left | end.last_card) + np.int64(
            not maximal
        )
    end.value = _search(
        end,
        melds,
        rules,
        np.uint64(end.seat),
        _Trick(position, np.int64(end.led), best, winner, end.table),
        captured,
        alpha,
        beta,
    )
    _expect(end, left, captured, winner, best)
    return np.int64(end.choice), np.int64(end.value)
