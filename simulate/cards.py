"""Cards, seats, denominations and calls as numbers and as text.

A card is ``16 * suit + rank``; a card set is a 64-bit mask with bit `card`. Each suit owns a lane
of 16 bits, so that runs are found by shifts; bit 1 of a lane is free for an ace laid low::

       lane 3 (S)          lane 2 (H)          lane 1 (D)          lane 0 (C)
    63 ........ 48      47 ........ 32      31 ........ 16      15 ........  0
     -AKQJT98765432a-    -AKQJT98765432a-    -AKQJT98765432a-    -AKQJT98765432a-

======  =========================================
suits   C 0, D 1, H 2, S 3; NT 4 as a denomination
ranks   2..14 (T 10, J 11, Q 12, K 13, A 14)
seats   N 0, E 1, S 2, W 3, clockwise
calls   0 pass, else 5 * (level - 1) + denomination + 1
======  =========================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from simulate.errors import CardError

Card: TypeAlias = int
CardSet: TypeAlias = int
Seat: TypeAlias = int
Call: TypeAlias = int

SUITS = "CDHS"
SUITS_DOWN = "SHDC"  # as a hand is read
SUIT_SIGNS = dict(zip(SUITS, "♣♦♥♠", strict=True))
RANKS = "23456789TJQKA"
SEATS = "NESW"
DENOMINATIONS = ("C", "D", "H", "S", "NT")
#: Melds that may be promised: 1 to so many, by the rules at most.
LEVELS = 6
#: Bids of an auction: every level in every denomination.
BIDS = LEVELS * len(DENOMINATIONS)
CLUBS, DIAMONDS, HEARTS, SPADES, NT = range(5)
PASS = 0
JOKER = "*"

#: All 52 cards in ascending order of their codes.
DECK: tuple[Card, ...] = tuple(16 * suit + rank for suit in range(4) for rank in range(2, 15))
FULL_DECK: CardSet = sum(1 << card for card in DECK)

_SIGNS = str.maketrans("".join(SUIT_SIGNS.values()) + "♧♢♡♤", 2 * SUITS)
_CARD = re.compile(r"(10|[2-9TJQKA])([CDHS])")


def make_card(suit: int, rank: int) -> Card:
    """Card of `suit` 0..3 and `rank` 2..14."""
    return 16 * suit + rank


def suit_of(card: Card) -> int:
    """Suit 0..3 of a card."""
    return card >> 4


def rank_of(card: Card) -> int:
    """Rank 2..14 of a card."""
    return card & 15


def card_text(card: Card, *, signs: bool = False) -> str:
    """Text of a card: ``QH``, or with a suit sign where `signs` is set."""
    suit = SUITS[suit_of(card)]
    return RANKS[rank_of(card) - 2] + (SUIT_SIGNS[suit] if signs else suit)


def _clean(text: str) -> str:
    return text.translate(_SIGNS).replace("\ufe0f", "").upper()


def read_card(text: str) -> Card:
    """Card of a text such as ``QH``, ``10s`` or ``q♥``.

    Raises
    ------
    CardError
        When the text is no card.
    """
    match = _CARD.fullmatch(_clean(text.strip()))
    if not match:
        raise CardError(f"{text!r} is no card: write rank then suit, such as QH, TS or 10S")
    rank = "T" if match[1] == "10" else match[1]
    return make_card(SUITS.index(match[2]), RANKS.index(rank) + 2)


def card_set(cards: Iterable[Card]) -> CardSet:
    """Set that holds `cards`.

    Raises
    ------
    CardError
        When a card appears twice.
    """
    mask = 0
    for card in cards:
        if mask >> card & 1:
            raise CardError(f"{card_text(card)} appears twice")
        mask |= 1 << card
    return mask


def cards_of(mask: CardSet) -> list[Card]:
    """Cards of a set, ascending."""
    mask = int(mask)
    return [card for card in DECK if mask >> card & 1]


def sorted_text(mask: CardSet) -> list[str]:
    """Texts of a set's cards, spades first and high cards first, as a hand is read."""
    return [card_text(card) for card in reversed(cards_of(mask))]


def hand_text(mask: CardSet, jokers: int = 0) -> str:
    """Hand as ``AKQ52.QJ3.K84.A7`` (S.H.D.C), one ``*`` behind it for each joker."""
    mask = int(mask)
    lanes = []
    for suit in (3, 2, 1, 0):
        ranks = [rank for rank in range(14, 1, -1) if mask >> make_card(suit, rank) & 1]
        lanes.append("".join(RANKS[rank - 2] for rank in ranks))
    return ".".join(lanes) + JOKER * jokers


def read_cards(text: str) -> tuple[CardSet, int]:
    """Read any number of cards, in any of three forms.

    Parameters
    ----------
    text : str
        ``AKQ52.QJ3.K84.A7`` (S.H.D.C; ``-`` or nothing for an empty suit),
        ``S:AKQ52 H:QJ3 D:K84 C:A7``, or a list of cards ``QH KH AH``; ``*`` is a joker. Small
        letters, ``10`` and suit signs are read too.

    Returns
    -------
    mask : int
        The natural cards.
    jokers : int

    Raises
    ------
    CardError
        When something is no card, or a card appears twice.
    """
    clean = _clean(text)
    jokers = clean.count(JOKER)
    clean = clean.replace(JOKER, " ").strip()
    if "." in clean:
        lanes = [lane.strip() for lane in clean.split(".")]
        if len(lanes) != 4:
            raise CardError(f"{text!r} has {len(lanes)} suits: write four, S.H.D.C")
        cards = [c for suit, lane in zip(SUITS_DOWN, lanes, strict=True) for c in _lane(suit, lane)]
    elif ":" in clean:
        cards = []
        pieces = re.split(r"([CDHS])\s*:", clean)
        if pieces[0].strip():
            raise CardError(f"{pieces[0].strip()!r} stands before the first suit of {text!r}")
        for suit, lane in zip(pieces[1::2], pieces[2::2], strict=True):
            cards += _lane(suit, lane.strip(" ,"))
    else:
        words = re.split(r"[\s,]+", clean) if clean else []
        cards = []
        for word in words:
            result = _CARD.findall(word)  # cards may also stand together: QHKHAH
            if "".join(rank + suit for rank, suit in result) != word:
                if set(word.replace("10", "T")) <= set(RANKS):
                    message = f"{word!r} names no suit: write cards such as QH, or"
                    raise CardError(f"{message} four suits with points between, AKQ52.QJ3.K84.A7")
                read_card(word)
                raise CardError(f"{word!r} is no card: write rank then suit, such as QH or 10S")
            cards += [read_card(rank + suit) for rank, suit in result]
    return card_set(cards), jokers


def _lane(suit: str, ranks: str) -> list[Card]:
    ranks = ranks.replace("10", "T").replace(" ", "")
    if ranks in {"-", "—"}:
        return []
    for rank in ranks:
        if rank not in RANKS:
            raise CardError(f"{rank!r} is no rank: write one of {RANKS}, or 10")
    return [make_card(SUITS.index(suit), RANKS.index(rank) + 2) for rank in ranks]


def read_hand(text: str, size: int = 13) -> CardSet:
    """Read a whole hand of `size` natural cards.

    Raises
    ------
    CardError
        When it is no hand, or not of that size.
    """
    mask, jokers = read_cards(text)
    if jokers:
        raise CardError("jokers are dealt apart from the hand")
    if mask.bit_count() != size:
        raise CardError(f"{text!r} has {mask.bit_count()} cards: a hand has {size}")
    return mask


def read_denomination(text: str) -> int:
    """Denomination 0..4 of ``C``, ``D``, ``H``, ``S`` or ``NT`` (also a sign, or ``N``).

    Raises
    ------
    CardError
        When it is none of them.
    """
    clean = _clean(text.strip())
    if clean in {"N", "NONE"}:
        clean = "NT"
    if clean not in DENOMINATIONS:
        raise CardError(f"{text!r} is no denomination: write C, D, H, S or NT")
    return DENOMINATIONS.index(clean)


def make_call(level: int, denomination: int) -> Call:
    """Call of a bid; level 1..6, denomination 0..4."""
    return 5 * (level - 1) + denomination + 1


def level_of(call: Call) -> int:
    """Level 1..6 of a bid; 0 of a pass."""
    return (call + 4) // 5


def denomination_of(call: Call) -> int:
    """Denomination 0..4 of a bid (1..30)."""
    return (call - 1) % 5


def bid_of(call: Call) -> tuple[int, int]:
    """Level and denomination of a bid (1..30)."""
    return level_of(call), denomination_of(call)


def call_text(call: Call) -> str:
    """Text of a call: ``pass``, ``3H``, ``1NT``."""
    if call == PASS:
        return "pass"
    level, denomination = bid_of(call)
    return f"{level}{DENOMINATIONS[denomination]}"


def read_call(text: str) -> Call:
    """Call of a text such as ``pass``, ``3h`` or ``2NT``.

    Raises
    ------
    CardError
        When it is no call.
    """
    clean = _clean(str(text).strip())
    if clean in {"PASS", "P", "-"}:
        return PASS
    message = f"{text!r} is no call: write pass, or a level 1..6 and C, D, H, S or NT"
    if not clean or clean[0] not in "123456":
        raise CardError(message)
    try:
        return make_call(int(clean[0]), read_denomination(clean[1:]))
    except CardError:
        raise CardError(message) from None


def read_seat(text: str) -> Seat:
    """Seat 0..3 of ``N``, ``E``, ``S`` or ``W``, or of its whole name.

    Raises
    ------
    CardError
        When it is none of them.
    """
    clean = str(text).strip().upper()
    for seat, name in enumerate(("NORTH", "EAST", "SOUTH", "WEST")):
        if clean in {name, name[0]}:
            return seat
    raise CardError(f"{text!r} is no seat: write N, E, S or W")
