"""Makes the golden hands anew: ``python -m tests.golden.make``.

Of the rules only what differs from the classic game is written, so that a new rule touches no
golden hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from simulate.rules import CLASSIC, make_rules
from sviten.api.hand import Hand, play
from sviten.display.text import record_text

FOLDER = Path(__file__).parent
SEED = 7


class Choice(NamedTuple):
    """Who plays which deal."""

    ns: str
    ew: str
    deal_id: int


#: Hands in which the variant matters, found by looking through the first deals.
CHOICES = {
    "classic": Choice("tips/greedy", "tips/high", 12),  # a bid is raised, and made
    "dead-cards": Choice("tips/greedy", "tips/high", 1),  # the penalty makes up half a score
    "hard-bid": Choice("tips/greedy", "tips/greedy", 24),  # made, with melds left unlaid
    "jokers": Choice("tips/greedy", "tips/greedy", 9),  # one in a run, one in a set
    "last-three-open": Choice("tips/greedy", "tips/greedy", 23),
    "no-slam-bonus": Choice("tips/greedy", "random/random", 133),  # all thirteen tricks
    "no-trump": Choice("tips/greedy", "random/random", 4),  # a failed contract
    "one-round-auction": Choice("tips/greedy", "tips/greedy", 32),  # the last bid stands
    "three-player": Choice("tips/greedy", "tips/high", 5),
    "triple-trump-runs": Choice("tips/greedy", "tips/greedy", 23),  # a long run of trumps
    "twelve-hands": Choice("tips/greedy", "tips/greedy", 81),
}


def golden_hand(variant: str) -> Hand:
    """Play the golden hand of a variant."""
    choice = CHOICES[variant]
    return play(choice.ns, choice.ew, deal_id=choice.deal_id, seed=SEED, rules=variant)


def read_golden(variant: str) -> dict[str, Any]:
    """Read a golden hand as the whole record that ``sviten replay --json`` would print."""
    record: dict[str, Any] = json.loads((FOLDER / f"{variant}.json").read_text(encoding="utf-8"))
    return record | {"rules": CLASSIC.model_dump(mode="json") | record["rules"]}


def thin(record: dict[str, Any]) -> dict[str, Any]:
    """Leave of the rules of a record what differs from the classic game."""
    return record | {"rules": make_rules(record["rules"]).changes()}


def main() -> None:
    """Write all of them."""
    for variant in CHOICES:
        record = golden_hand(variant).record
        text = json.dumps(thin(record), indent=1) + "\n"
        (FOLDER / f"{variant}.json").write_text(text, encoding="utf-8")
        (FOLDER / f"{variant}.txt").write_text(record_text(record), encoding="utf-8")


if __name__ == "__main__":
    main()
