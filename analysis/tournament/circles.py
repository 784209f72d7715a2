"""Three entrants that beat each other in a circle, which no ratings can say.

Source: X. Jiang, L.-H. Lim, Y. Yao, Y. Ye, "Statistical ranking and combinatorial Hodge theory"
(2011): the margins of three pairings are differences of ratings where their sum, taken round the
circle, is 0; else it is their curl.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.stats.bootstrap import LEAST_DEALS
from analysis.stats.intervals import Interval
from analysis.stats.multiple import holm

#: Two entrants, by number; the margin is the first one's.
Pairing = tuple[int, int]


class Circle(NamedTuple):
    """Three entrants and the sum of their margins, the first over the second, and so on round.

    Attributes
    ----------
    entrants : tuple of int
        In the order in which the sum is not negative.
    curl : float
        Points a hand; 0 where ratings explain the three margins.
    interval : Interval or None
        For this circle alone.
    p_value : float
        By Holm's correction over all circles; 1 where it is not known.
    beat : bool
        Whether each margin is above 0: each beats the next.
    """

    entrants: tuple[int, int, int]
    curl: float
    interval: Interval | None
    p_value: float
    beat: bool


def find_circles(
    k: int,
    pairings: Sequence[Pairing],
    margins: np.ndarray,
    covariance: np.ndarray,
    deals: int,
    confidence: float = 0.95,
) -> list[Circle]:
    """Add up the margins round each three entrants that have all met, the largest sum first."""
    place = {pairing: (number, 1) for number, pairing in enumerate(pairings)}
    place |= {(b, a): (number, -1) for number, (a, b) in enumerate(pairings)}
    rows = []
    for triple in combinations(range(k), 3):
        a, b, c = triple
        sides = [(a, b), (b, c), (c, a)]
        if not all(side in place for side in sides):
            continue
        weights = np.zeros(len(pairings))
        for side in sides:
            number, sign = place[side]
            weights[number] = sign
        parts = [float(weights[place[side][0]] * margins[place[side][0]]) for side in sides]
        curl, spread = sum(parts), float(weights @ covariance @ weights)
        if curl < 0:
            a, b, c = a, c, b
            curl, parts = -curl, [-part for part in parts]
        rows.append(((a, b, c), curl, spread, all(part > 0 for part in parts)))
    known = [deals >= LEAST_DEALS and spread > 0 for _, _, spread, _ in rows]
    scale = [math.sqrt(max(spread, 0.0)) for _, _, spread, _ in rows]
    z = np.array(
        [curl / s if ok else 0.0 for (_, curl, _, _), s, ok in zip(rows, scale, known, strict=True)]
    )
    p_values = holm(2 * special.ndtr(-z))
    quantile = float(special.ndtri((1 + confidence) / 2))
    circles = [
        Circle(
            entrants=triple,
            curl=curl,
            interval=Interval(curl - quantile * s, curl + quantile * s) if ok else None,
            p_value=float(p) if ok else 1.0,
            beat=beat,
        )
        for (triple, curl, _, beat), s, ok, p in zip(rows, scale, known, p_values, strict=True)
    ]
    return sorted(circles, key=lambda circle: -circle.curl)
