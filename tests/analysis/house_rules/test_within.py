"""How large an advantage counts as none where nobody says it: two points a hand."""

from __future__ import annotations

from inspect import signature

import pytest

from analysis.stats.intervals import Interval
from analysis.stats.measures import Estimate, judge_fair
from sviten.commands.variants import variants as command
from sviten.studies.variants import variants


@pytest.mark.parametrize("asked", [variants, command])
@pytest.mark.parametrize(("size", "verdict"), [(1.999, "fair"), (2.001, "unfair")])
def test_two_points_a_hand_are_the_bound(asked: object, size: float, verdict: str) -> None:
    within = signature(asked).parameters["within"].default  # type: ignore[arg-type]
    for sure in (size, -size):
        found = Estimate(sure, 0.0, Interval(sure, sure), 1000, "student")
        assert judge_fair(found, within) == verdict
