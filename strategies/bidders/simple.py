"""Bidders that do not look at their hand: baselines."""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies.kit import Parameter, below, bidder, nth_bit, popcount

_PASS = np.uint64(1)


@bidder("pass", looks_at="nothing", source="a baseline: never takes a risk")
def never(view: Any, work: int) -> int:
    """Pass, always."""
    return 0


@bidder(
    "random",
    looks_at="the legal calls",
    source="a baseline: chance alone",
    parameters=[Parameter("pass_percent", 60, 0, 100, "how often it passes, in per cent")],
)
def random(view: Any, work: int) -> int:
    """Pass by chance, else make any legal bid, each alike likely."""
    bids = view.legal & ~_PASS
    if bids == np.uint64(0) or below(view.stream, 100) < view.params[0]:
        return 0
    return nth_bit(bids, below(view.stream, popcount(bids)))
