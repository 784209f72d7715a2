"""Counter-based random numbers: Philox4x32-10, bounded by Lemire's method.

Every draw is a pure function of (seed, purpose, seat, deal id, index), so a row of results depends
on nothing else: not on workers, chunks, order, or what a strategy drew elsewhere.

A strategy draws under a key of its own, which is drawn for the hand: its stream is in its view, and
from the seed and the deal id it could deal all hands.

======  ==========================================================
key     seed, or a strategy's own, low word and high word
c0      block number: 0, 1, 2, ... (four 32-bit words a block)
c1      16 * purpose + seat
c2, c3  deal id, low word and high word
======  ==========================================================

References
----------
Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
Lemire: Fast random integer generation in an interval (ACM TOMACS 29, 2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.compiled.kernels import call_rarely, kernel

# Purposes of streams (c1 = 16 * purpose + seat).
DEAL = 0
JOKERS = 1
FIRST_DEALER = 2
KEYS = 3
OWN = 4
GIVEN = 5

#: Whose key it is.
BIDDER = 0
PLAYER = 1
#: Words of the keys of a hand: two for each bidder and each player.
KEY_WORDS = 16

#: Words made at a time: four blocks fill the vector registers.
BATCH = 16

STREAM = np.dtype(
    [
        ("words", np.uint32, (BATCH,)),
        ("key", np.uint64),
        ("deal_id", np.int64),
        ("purpose", np.uint32),
        ("block", np.uint32),
        ("position", np.int64),
    ],
    align=True,
)

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel
def fill(words: Any, blocks: int, key: np.uint64, c1: int, deal_id: int, first: int) -> None:
    """Write consecutive Philox4x32-10 blocks.

    Parameters
    ----------
    words : uint32 array, shape (>= 4 * blocks,)
        Modified in place: block b lies in words[4 * b : 4 * b + 4].
    blocks : int64
    key : uint64
    c1 : int64
        16 * purpose + seat.
    deal_id : int64
    first : int64
        Number of the first block.
    """
    key0 = key & _LOW
    key1 = key >> _HALF
    low = np.uint64(deal_id) & _LOW
    high = np.uint64(deal_id) >> _HALF
    for block in range(blocks):
        x0 = np.uint64(first + block) & _LOW
        x1 = np.uint64(c1)
        x2 = low
        x3 = high
        k0 = key0
        k1 = key1
        for _ in range(10):
            product0 = _M0 * x0
            product1 = _M1 * x2
            x0 = (product1 >> _HALF) ^ x1 ^ k0
            x2 = (product0 >> _HALF) ^ x3 ^ k1
            x1 = product1 & _LOW
            x3 = product0 & _LOW
            k0 = (k0 + _W0) & _LOW
            k1 = (k1 + _W1) & _LOW
        words[4 * block] = np.uint32(x0)
        words[4 * block + 1] = np.uint32(x1)
        words[4 * block + 2] = np.uint32(x2)
        words[4 * block + 3] = np.uint32(x3)


@kernel(inline=True)
def open_stream(stream: Any, key: np.uint64, purpose: int, seat: int, deal_id: int) -> None:
    """Point `stream` (a STREAM record, modified in place) at its first word."""
    stream.key = key
    stream.deal_id = deal_id
    stream.purpose = np.uint32(16 * purpose + seat)
    stream.block = np.uint32(0)
    stream.position = BATCH


@kernel
def draw_keys(keys: Any, seed: np.uint64, deal_id: int) -> None:
    """Draw the keys of a hand's strategies.

    Parameters
    ----------
    keys : uint32 array, shape (KEY_WORDS,)
        Modified in place: block s is of seat s, its bidder's key first.
    seed : uint64
    deal_id : int64
    """
    fill(keys, 4, seed, 16 * KEYS, deal_id, 0)


@kernel(inline=True)
def open_own(stream: Any, keys: Any, whose: int, seat: int) -> None:
    """Point `stream` (modified in place) at the first word of a seat's BIDDER or PLAYER."""
    low = np.uint64(keys[4 * seat + 2 * whose])
    high = np.uint64(keys[4 * seat + 2 * whose + 1])
    open_stream(stream, high << _HALF | low, OWN, seat, 0)


@kernel
def refill(stream: Any) -> None:
    """Make the next words of `stream` (modified in place)."""
    fill(
        stream.words,
        BATCH // 4,
        stream.key,
        np.int64(stream.purpose),
        stream.deal_id,
        np.int64(stream.block),
    )
    stream.block += np.uint32(BATCH // 4)
    stream.position = 0


@kernel(inline=True)
def next_word(stream: Any) -> np.uint64:
    """Next 32 random bits of `stream` (modified in place), as uint64."""
    if stream.position >= BATCH:
        call_rarely(refill, stream)
    word = np.uint64(stream.words[stream.position])
    stream.position += 1
    return word


@kernel(inline=True)
def below(stream: Any, bound: int) -> int:
    """Uniform integer 0 <= x < `bound` (1 <= bound <= 2**32) from `stream`, modified in place."""
    n = np.uint64(bound)
    product = next_word(stream) * n
    if product & _LOW < n:
        threshold = (np.uint64(0x100000000) - n) % n
        while product & _LOW < threshold:
            product = next_word(stream) * n
    return np.int64(product >> _HALF)
