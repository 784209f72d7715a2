"""How many pairs it takes to see a margin of a given size, told from a pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from analysis.compare.margins import Kind, Margins, Pairs
from analysis.compare.power import expected_pairs, fixed_pairs
from analysis.compare.sprt import Bounds
from analysis.show.result import Shown
from analysis.show.text import Table


class Way(NamedTuple):
    """A way to find out.

    Attributes
    ----------
    name : str
    pairs : int or None
        None where hands are not paired.
    hands : int
        Hands, or matches, of all legs.
    """

    name: str
    pairs: int | None
    hands: int


@dataclass(frozen=True, repr=False)
class Needed(Shown):
    """What it takes to tell a margin from 0.

    Attributes
    ----------
    first, second : str
    kind : {"points", "wins"}
    effect : float
        The margin, a hand; of matches a share; above 0.
    alpha, beta : float
        How often it may be seen where there is none, and missed where it is there.
    pilot : Margins
    doubt : float
        The numbers may be off by this share of themselves, with a confidence of 95 %.
    pace : float
        Seconds that a pair takes.
    """

    first: str
    second: str
    kind: Kind
    effect: float
    alpha: float
    beta: float
    pilot: Margins
    doubt: float
    pace: float

    @property
    def ways(self) -> list[Way]:
        """Ways to find out; none where all pairs of the pilot are level."""
        deviation, legs = self.pilot.deviation, self.pilot.legs
        if not deviation:
            return []
        bounds = Bounds(0.0, self.effect, self.alpha, self.beta)
        truths = {
            "stop when sure, true margin 0": 0.0,
            "stop when sure, true margin as asked": self.effect,
            "stop when sure, half of it": self.effect / 2,
        }
        ways = []
        for name, truth in truths.items():
            pairs = math.ceil(expected_pairs(bounds, truth, deviation))
            ways.append(Way(f"paired, {name}", pairs, legs * pairs))
        pairs = fixed_pairs(self.effect, deviation, self.alpha, self.beta)
        ways.append(Way("paired, fixed number", pairs, legs * pairs))
        hands = fixed_pairs(self.effect, self.pilot.leg_deviation, self.alpha, self.beta)
        ways.append(Way("unpaired, fixed number", None, hands))
        return ways

    def sentence(self) -> str:
        """Say how many pairs it takes."""
        things = "matches" if self.kind == "wins" else "deals"
        margin = f"{100 * self.effect:g} %" if self.kind == "wins" else f"{self.effect:g} points"
        if not self.ways:
            return (
                f"{self.first} and {self.second} are level in all of {self.pilot.pairs:,} pairs of "
                "a pilot: how many it takes cannot be told."
            )
        low, high = self.ways[0].pairs, self.ways[3].pairs
        return (
            f"To tell a margin of {margin} between {self.first} and {self.second} from none takes "
            f"about {low:,} paired {things} where it stops when sure, {high:,} of a fixed number "
            f"(errors {100 * self.alpha:g} % and {100 * self.beta:g} %)."
        )

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        return {
            "first": self.first,
            "second": self.second,
            "unit": "matches" if self.kind == "wins" else "deals",
            "effect": self.effect,
            "alpha": self.alpha,
            "beta": self.beta,
            "pilot_pairs": self.pilot.pairs,
            "deviation": self.pilot.deviation,
            "unpaired_deviation": self.pilot.leg_deviation,
            "relative_error": self.doubt,
            "seconds_per_pair": self.pace,
            "ways": [way._asdict() | {"seconds": self._seconds(way)} for way in self.ways],
            "sentence": self.sentence(),
        }

    def table(self, duration: Any) -> Table:
        """Table for a person; `duration` tells a number of seconds."""
        rows = [
            [
                way.name,
                "-" if way.pairs is None else f"{way.pairs:,}",
                f"{way.hands:,}",
                duration(self._seconds(way)),
            ]
            for way in self.ways
        ]
        hands = "matches" if self.kind == "wins" else "hands"
        return Table("Expected numbers", ["way", "pairs", hands, "time here"], rows)

    def _seconds(self, way: Way) -> float:
        return way.hands / self.pilot.legs * self.pace


def doubt_of(pairs: Pairs) -> float:
    """Half the 95 % interval of the variance of the margins, as a share of it; 0 for none.

    By the fourth moment: margins are far from normal.
    """
    margins = pairs.margins - pairs.margins.mean() if len(pairs.margins) else pairs.margins
    variance = float((margins**2).mean()) if len(margins) else 0.0
    if not variance:
        return 0.0
    kurtosis = float((margins**4).mean()) / variance**2
    return 1.96 * math.sqrt((kurtosis - 1) / len(margins))
