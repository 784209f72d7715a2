"""Random numbers: the published vectors, and bounded draws against plain Python."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simulate.compiled import philox
from simulate.compiled.kernels import kernel
from simulate.compiled.philox import STREAM
from tests import naive

PURPOSES = [philox.DEAL, philox.JOKERS, philox.FIRST_DEALER, philox.KEYS, philox.OWN]


@kernel
def draw(stream: Any, bound: int, out: Any) -> None:
    """Fill `out` (int64) with draws below `bound` from `stream`, both modified in place."""
    for i in range(len(out)):
        out[i] = philox.below(stream, bound)


def opened(seed: int, purpose: int, seat: int, deal_id: int) -> Any:
    stream = np.zeros(1, STREAM)
    philox.open_stream(stream[0], np.uint64(seed), purpose, seat, deal_id)
    return stream


def words(seed: int, purpose: int, seat: int, deal_id: int, count: int = 40) -> list[int]:
    out = np.zeros(count, np.int64)
    draw(opened(seed, purpose, seat, deal_id)[0], 2**32, out)
    return [int(word) for word in out]


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000",
         "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
         "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
         "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)  # fmt: skip
def test_published_vectors(counter: str, key: str, expected: str) -> None:
    """Random123's known answers for philox4x32-10."""
    first, c1, low, high = (int(word, 16) for word in counter.split())
    key0, key1 = (int(word, 16) for word in key.split())
    seed = key1 << 32 | key0
    deal_id = int(np.array([high << 32 | low], np.uint64).view(np.int64)[0])
    block = np.zeros(4, np.uint32)
    philox.fill(block, 1, np.uint64(seed), c1, deal_id, first)
    assert " ".join(f"{word:08x}" for word in block) == expected


@pytest.mark.parametrize("seed", [0, 7, 2**63 + 5, 2**64 - 1])
@pytest.mark.parametrize("deal_id", [0, 2**32 + 1, 2**62])
def test_streams_agree_with_plain_python(seed: int, deal_id: int) -> None:
    slow = naive.Philox(seed, philox.OWN, 3, deal_id)
    assert words(seed, philox.OWN, 3, deal_id) == [slow.word() for _ in range(40)]


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
@pytest.mark.parametrize("deal_id", [0, 2**32 + 1, 2**62])
def test_strategies_draw_under_keys_of_their_own(seed: int, deal_id: int) -> None:
    keys = np.zeros(philox.KEY_WORDS, np.uint32)
    philox.draw_keys(keys, np.uint64(seed), deal_id)
    found = set()
    for seat, whose in itertools.product(range(4), (philox.BIDDER, philox.PLAYER)):
        stream = np.zeros(1, STREAM)
        philox.open_own(stream[0], keys, whose, seat)
        out = np.zeros(40, np.int64)
        draw(stream[0], 2**32, out)
        slow = naive.own_stream(seed, whose, seat, deal_id)
        assert out.tolist() == [slow.word() for _ in range(40)]
        assert stream["key"][0] != seed
        assert stream["deal_id"][0] == 0
        found.add(int(stream["key"][0]))
    assert len(found) == 8


@pytest.mark.parametrize("bound", [1, 2, 3, 52, 2**31 + 1, 3 * 2**30, 2**32 - 5, 2**32 - 1, 2**32])
def test_bounded_draws_agree_with_plain_python(bound: int) -> None:
    out = np.zeros(3000, np.int64)
    stream = opened(5, philox.JOKERS, 1, 9)
    draw(stream[0], bound, out)
    slow = naive.Philox(5, philox.JOKERS, 1, 9)
    assert out.tolist() == [slow.below(bound) for _ in range(3000)]
    assert 0 <= out.min() <= out.max() < bound
    fast_words = philox.BATCH * int(stream[0]["block"]) // 4 - philox.BATCH
    assert fast_words + int(stream[0]["position"]) == 4 * slow.block - len(slow.words)


def test_what_would_be_uneven_is_drawn_again() -> None:
    bound = 3 * 2**30  # a quarter of all words
    out = np.zeros(200_000, np.int64)
    stream = opened(1, philox.OWN, 0, 0)
    draw(stream[0], bound, out)
    used = philox.BATCH * (int(stream[0]["block"]) // 4 - 1) + int(stream[0]["position"])
    assert used / len(out) == pytest.approx(4 / 3, rel=0.01)
    thirds = np.bincount(out >> 30, minlength=3)
    assert stats.chisquare(thirds).pvalue > 1e-4


@pytest.mark.parametrize("bound", [2, 7, 52, 1000])
def test_bounded_draws_are_even(bound: int) -> None:
    out = np.zeros(400_000, np.int64)
    draw(opened(3, philox.OWN, 2, bound)[0], bound, out)
    assert stats.chisquare(np.bincount(out, minlength=bound)).pvalue > 1e-4


def test_streams_of_different_places_differ() -> None:
    places = itertools.product([0, 1, 1 + 2**32, 2**64 - 1], PURPOSES, range(4), [0, 1, 2**32])
    seen = [tuple(words(*place, 4)) for place in places]
    assert len(set(seen)) == len(seen)
    flat = [word for four in seen for word in four]
    assert len(set(flat)) > len(flat) - 3  # two of a thousand words may meet by chance


def test_wide_seeds_are_not_cut() -> None:
    assert words(1, 0, 0, 0) != words(1 + 2**32, 0, 0, 0)
    assert words(2**64 - 1, 0, 0, 0) != words(2**32 - 1, 0, 0, 0)


def test_a_stream_goes_on_across_refills() -> None:
    stream = opened(11, philox.OWN, 0, 4)
    pieces = []
    for size in (1, 15, 16, 17, 3):
        out = np.zeros(size, np.int64)
        draw(stream[0], 2**32, out)
        pieces += out.tolist()
    assert pieces == words(11, philox.OWN, 0, 4, 52)
