"""The player that knows nothing: the floor of every ladder."""

from __future__ import annotations

from typing import Any

from strategies.kit import below, nth_bit, player, popcount


def any_card(view: Any, work: int) -> int:
    """Play any legal card, each alike likely."""
    return nth_bit(view.legal, below(view.stream, popcount(view.legal)))


random = player(
    "random",
    looks_at="the legal cards",
    source="a baseline: chance alone",
    discard=any_card,
    heeds_level="never",
)(any_card)
