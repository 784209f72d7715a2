"""Cards and their texts, and the bit helpers against plain integers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulate import cards
from simulate.cards import DECK, FULL_DECK
from simulate.compiled import bits
from simulate.compiled.kernels import kernel
from simulate.errors import CardError
from simulate.rules import Rules

HAND = cards.card_set(map(cards.read_card, "AS KS QS 5S 2S QH JH 3H KD 8D 4D AC 7C".split()))


def test_numbers_are_the_agreed_ones() -> None:
    assert cards.read_card("2C") == 2
    assert cards.read_card("AS") == 62
    assert cards.read_card("TH") == 16 * 2 + 10
    assert len(DECK) == len(set(DECK)) == FULL_DECK.bit_count() == 52
    assert cards.read_call("1C") == 1
    assert cards.read_call("6NT") == 30
    assert [cards.read_seat(seat) for seat in "NESW"] == [0, 1, 2, 3]


@pytest.mark.parametrize("card", DECK)
def test_card_round_trips(card: int) -> None:
    text = cards.card_text(card)
    assert cards.make_card(cards.suit_of(card), cards.rank_of(card)) == card
    assert cards.read_card(text) == card
    assert cards.read_card(text.lower()) == card
    assert cards.read_card(f" {text} ") == card
    signs = cards.card_text(card, signs=True)
    assert not signs.isascii()
    assert text.isascii()
    assert cards.read_card(signs) == card
    assert cards.read_card(signs + "\ufe0f") == card  # as phones write it
    if text[0] == "T":
        assert cards.read_card("10" + text[1]) == card


@given(
    st.integers(0, 2**52 - 1).map(lambda n: sum(1 << c for i, c in enumerate(DECK) if n >> i & 1))
)
def test_set_round_trips(mask: int) -> None:
    held = cards.cards_of(mask)
    assert held == sorted(held)
    assert cards.card_set(held) == mask
    assert cards.cards_of(np.uint64(mask)) == held  # type: ignore[arg-type]
    assert cards.read_cards(cards.hand_text(mask)) == (mask, 0)
    assert cards.read_cards(cards.hand_text(mask, 2)) == (mask, 2)
    texts = cards.sorted_text(mask)
    for joined in (" ".join(texts), ", ".join(texts), "\n".join(texts), "".join(texts)):
        assert cards.read_cards(joined) == (mask, 0)
    lanes = dict(zip("SHDC", cards.hand_text(mask).split("."), strict=True))
    labelled = " ".join(f"{suit}:{lane}" for suit, lane in lanes.items())
    assert cards.read_cards(labelled) == (mask, 0)
    assert cards.read_cards(labelled.lower().replace("t", "10")) == (mask, 0)
    dashed = ".".join(lane or "-" for lane in lanes.values())
    assert cards.read_cards(dashed) == (mask, 0)


@pytest.mark.parametrize(
    "text",
    [
        "AKQ52.QJ3.K84.A7",
        "akq52.qj3.k84.a7",
        " AKQ52 . QJ3 . K84 . A7 ",
        "S:AKQ52 H:QJ3 D:K84 C:A7",
        "C:A7 D:K84 H:QJ3 S:AKQ52",
        "s: a k q 5 2, h: q j 3, d: k 8 4, c: a 7",
        "♠:AKQ52 ♥:QJ3 ♦:K84 ♣:A7",
        "AS KS QS 5S 2S QH JH 3H KD 8D 4D AC 7C",
        "A♠ K♠ Q♠ 5♠ 2♠ q♥ j♥ 3♥ K♦ 8♦ 4♦ A♣ 7♣",
    ],
)
def test_a_hand_is_read_in_all_forms(text: str) -> None:
    assert cards.read_hand(text) == HAND
    assert cards.hand_text(HAND) == "AKQ52.QJ3.K84.A7"


def test_empty_suits_tens_and_jokers() -> None:
    spades = cards.read_hand("AKQJ1098765432...")
    assert spades == cards.read_hand("S:AKQJT98765432 H:- D: C:") == 0x7FFC << 48
    assert cards.read_cards("") == (0, 0)
    assert cards.read_cards("...") == (0, 0)
    assert cards.read_cards("* QH *") == (1 << 44, 2)
    assert cards.read_cards("QH*KH") == (3 << 44, 1)
    assert cards.read_cards("..T.**") == (1 << 26, 2)


@pytest.mark.parametrize("level", range(1, 7))
@pytest.mark.parametrize("denomination", range(5))
def test_bid_round_trips(level: int, denomination: int) -> None:
    call = cards.make_call(level, denomination)
    assert 1 <= call <= 30
    assert cards.bid_of(call) == (level, denomination)
    text = cards.call_text(call)
    assert text == f"{level}{cards.DENOMINATIONS[denomination]}"
    for written in (text, text.lower(), f" {text[0]} {text[1:]} "):
        assert cards.read_call(written) == call
    assert cards.read_denomination(text[1:]) == denomination


def test_other_words_for_calls_denominations_and_seats() -> None:
    assert cards.call_text(0) == "pass"
    assert {cards.read_call(text) for text in ("pass", "Pass", "P", "-")} == {0}
    assert cards.read_call("3♥") == cards.read_call("3H")
    assert cards.read_call("2n") == cards.read_call("2NT")
    assert [cards.read_denomination(text) for text in ("♣", "d", "NT", "n", "none")] == [
        0, 1, 4, 4, 4,
    ]  # fmt: skip
    assert [cards.read_seat(text) for text in ("n", "North", " west ")] == [0, 0, 3]


@pytest.mark.parametrize(
    ("read", "text", "named"),
    [
        (cards.read_card, "", "''"),
        (cards.read_card, "1S", "'1S'"),
        (cards.read_card, "11S", "'11S'"),
        (cards.read_card, "HQ", "'HQ'"),
        (cards.read_card, "QX", "rank then suit"),
        (cards.read_card, "*", "rank then suit"),
        (cards.read_cards, "QH KH QH", "QH appears twice"),
        (cards.read_cards, "S:AK S:QA", "AS appears twice"),
        (cards.read_cards, "AA...", "AS appears twice"),
        (cards.read_cards, "QH KQ", "'KQ'"),
        (cards.read_cards, "QHKHQX", "'QHKHQX'"),
        (cards.read_cards, "A.K.Q", "3 suits: write four"),
        (cards.read_cards, "....", "5 suits"),
        (cards.read_cards, "AX...", "'X' is no rank"),
        (cards.read_cards, "A1...", "'1' is no rank"),
        (cards.read_cards, "X:AK S:Q", "before the first suit"),
        (cards.read_hand, "AKQ52.QJ3.K84.A", "12 cards: a hand has 13"),
        (cards.read_hand, "AKQ52.QJ3.K84.A7*", "jokers"),
        (cards.read_denomination, "X", "C, D, H, S or NT"),
        (cards.read_denomination, "", "C, D, H, S or NT"),
        (cards.read_call, "", "level 1..6"),
        (cards.read_call, "7H", "'7H'"),
        (cards.read_call, "0H", "'0H'"),
        (cards.read_call, "3", "'3'"),
        (cards.read_call, "3X", "'3X'"),
        (cards.read_call, "²H", "level 1..6"),
        (cards.read_seat, "", "N, E, S or W"),
        (cards.read_seat, "Nobody", "'Nobody'"),
        (cards.read_seat, "E1", "N, E, S or W"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    read: Callable[[str], object], text: str, named: str
) -> None:
    with pytest.raises(CardError, match=r"^[^\n]+$") as error:
        read(text)
    assert named in str(error.value)


def test_a_hand_of_seventeen() -> None:
    assert cards.read_hand("AKQJT98765432.AKQJ..", 17).bit_count() == 17


# ------------------------------------------------------------------------- bits


@kernel
def all_helpers(mask: np.uint64, out: Any) -> None:
    """Write what each helper says of `mask` to `out`, an int64 array."""
    out[0] = bits.popcount(mask)
    out[1] = bits.lowest(mask)
    out[2] = bits.highest(mask)
    for suit in range(4):
        out[3 + suit] = bits.popcount(bits.suit_cards(mask, suit))
    for card in range(64):
        out[10 + card] = bits.has(mask, card)
    for i in range(bits.popcount(mask)):
        out[80 + i] = bits.nth_bit(mask, i)


@kernel
def nth_without_pdep(mask: np.uint64, index: int) -> int:
    """Call what stands for `nth_bit` where a machine has no deposit instruction."""
    return bits.nth_bit_by_loop(mask, index)


def masks() -> list[int]:
    draw = random.Random(1)
    special = [0, 1, 1 << 63, 2**64 - 1, FULL_DECK, HAND, *(1 << card for card in DECK)]
    return special + [draw.getrandbits(64) & draw.getrandbits(64) for _ in range(300)]


def test_bits_agree_with_integers() -> None:
    out = np.zeros(160, np.int64)
    for mask in masks():
        all_helpers(np.uint64(mask), out)
        ones = [i for i in range(64) if mask >> i & 1]
        assert out[0] == len(ones)
        assert out[1] == (ones[0] if ones else 64)
        assert out[2] == (ones[-1] if ones else -1)
        assert out[3:7].tolist() == [sum(i // 16 == suit for i in ones) for suit in range(4)]
        assert [i for i in range(64) if out[10 + i]] == ones
        assert out[80 : 80 + len(ones)].tolist() == ones
        for i, place in enumerate(ones):
            assert nth_without_pdep(np.uint64(mask), i) == place


@kernel
def plain_integers(hand: np.uint64) -> int:
    """Mix a card set with plain integers in ways that authors of strategies do."""
    low = hand & 0xFFFF
    rest = hand & (hand - 1)
    shifted = hand >> 48
    return (
        bits.popcount(low)
        + 100 * bits.popcount(rest)
        + 10_000 * bits.popcount(shifted & 0x7FFC)
        + 1_000_000 * bits.popcount(hand & ~(1 << 62))
        + 100_000_000 * bits.popcount(hand | (1 << 3))
    )


def test_masks_mix_with_plain_integers() -> None:
    assert (
        plain_integers(np.uint64(HAND)) == 2 + 100 * 12 + 10_000 * 5 + 1_000_000 * 12 + 14 * 10**8
    )


def test_levels_are_counted_in_one_place() -> None:
    """A loop over levels written with a number of its own would miss a level."""
    root = Path(cards.__file__).parents[1]
    own = re.compile(r"range\(1, 7\)|^(LEVELS|BIDS) *=|call (>|<=) 30\b", re.MULTILINE)
    at = {
        path.relative_to(root).as_posix(): own.findall(path.read_text("utf-8"))
        for package in ("simulate", "strategies", "analysis", "sviten")
        for path in (root / package).rglob("*.py")
    }
    assert {path for path, lines in at.items() if lines} == {"simulate/cards.py"}
    assert Rules.model_fields["max_level"].default == cards.LEVELS
