"""The numbers of cards and calls, as compiled code reckons with them.

The functions are those of :mod:`simulate.cards`: plain Python calls them as they are, and kernels
compile them in.
"""

from __future__ import annotations

from numba.extending import register_jitable

from simulate.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    NT,
    PASS,
    SPADES,
    denomination_of,
    level_of,
    make_call,
    rank_of,
    suit_of,
)

for _function in (denomination_of, level_of, make_call, rank_of, suit_of):
    register_jitable(_function)

__all__ = [
    "CLUBS",
    "DIAMONDS",
    "HEARTS",
    "NT",
    "PASS",
    "SPADES",
    "denomination_of",
    "level_of",
    "make_call",
    "rank_of",
    "suit_of",
]
