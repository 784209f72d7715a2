"""How large an advantage counts as none where nobody says it: two points a hand."""

from __future__ import annotations

from pathlib import Path

from analysis.stats.intervals import Interval
from analysis.stats.measures import Estimate, judge_fair
from sviten.studies.variants import variants


def test_two_points_a_hand_are_the_bound(tmp_path: Path) -> None:
    entrants = ["random/random", "tips/random"]
    weighed = variants(
        ["no-trump"], entrants=entrants, deals=40, matches=4, seed=1, out=tmp_path / "out", jobs=1
    )
    for size, verdict in ((1.999, "fair"), (2.001, "unfair")):
        for sure in (size, -size):
            found = Estimate(sure, 0.0, Interval(sure, sure), 1000, "student")
            assert judge_fair(found, weighed.house.within) == verdict
