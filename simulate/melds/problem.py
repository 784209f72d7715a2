"""What is asked of the searches with jokers and for exact totals: a pile and its conditions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Problem(NamedTuple):
    """A pile to be laid out; it travels as one through the searches, which only read it.

    Every number is an int64, or numba compiles the searches anew for each other type. A kernel
    takes problems and makes new ones, but cannot return one: numba returns no record in a tuple.
    """

    area: Any  # MELD_AREA record: prepared; its scratch memory is overwritten
    pile: np.uint64  # natural cards
    jokers: int  # at hand, 0..2
    least: int  # natural cards that a meld with a joker needs, 2 or 3
    trump: int  # denomination 0..4; 4 is no trump
    at_least: int  # melds that the layout must have, 0..17
