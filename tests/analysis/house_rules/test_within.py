"""How large an advantage counts as none where nobody says it: two points a hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.stats.intervals import Interval
from analysis.stats.measures import Estimate, judge_fair
from simulate.runs.study import open_study
from sviten.cli import main
from sviten.studies.variants import variants

QUESTION = ["no-trump"]
ENTRANTS = ["random/random", "tips/random"]


@pytest.mark.parametrize("asked", ["python", "command"])
def test_two_points_a_hand_are_the_bound(
    asked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    if asked == "python":
        variants(QUESTION, entrants=ENTRANTS, deals=40, matches=4, seed=1, out=out, jobs=1)
    else:
        given = ["--entrants", ",".join(ENTRANTS), "--deals", "40", "--matches", "4"]
        command = ["variants", *QUESTION, *given, "--seed", "1", "--jobs", "1", "--json"]
        assert main([*command, "--out", str(out)]) == 0
        assert json.loads(capsys.readouterr().out)
    within = open_study(out).options["within"]
    for size, verdict in ((1.999, "fair"), (2.001, "unfair")):
        for sure in (size, -size):
            found = Estimate(sure, 0.0, Interval(sure, sure), 1000, "student")
            assert judge_fair(found, within) == verdict
