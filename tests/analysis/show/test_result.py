"""Results show themselves: in Python by a line, in a notebook by tables that browsers take."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sviten
from analysis.show.result import table_html
from analysis.show.text import Table
from strategies.declare.registry import find
from sviten.display.progress import Progress
from tests.fixtures.shown import check_shown


def test_results_show_their_tables_and_sentence(tmp_path: Path) -> None:
    run = sviten.simulate(
        "tips/greedy", "tips/high", deals=200, duplicate=True, seed=7, out=tmp_path / "run"
    )
    check_shown(run.summary)
    check_shown(sviten.calibrate(run))
    check_shown(sviten.odds("AKQ52.QJ3.K84.A7", n=60, seed=7))


def test_a_table_is_escaped_and_numbers_stand_to_the_right() -> None:
    table = Table("a <b>", ["name", "points"], [["x & y", "-1.5"], ["z", "-"]])
    html = table_html(table)
    assert "a &lt;b&gt;" in html
    assert '<td style="text-align: left">x &amp; y</td>' in html
    assert re.search(r'<th style="text-align: right">points</th>', html)
    assert '<td style="text-align: right">-1.5</td>' in html


def test_a_hand_and_a_strategy_show_themselves() -> None:
    hand = sviten.play("tips/greedy", seed=7, deal_id=12)
    assert hand._repr_html_().startswith("<pre ")
    assert "♠" in hand._repr_html_()
    assert repr(find("player", "greedy")).startswith("<player greedy: ")
    assert "\n" not in repr(find("player", "greedy"))


def test_progress_is_shown_where_it_is_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int, int]] = []

    class Seeing(Progress):
        def __call__(self, done: int, total: int, start: int) -> None:
            seen.append((done, total, start))

    monkeypatch.setattr("sviten.display.progress.Progress", Seeing)
    sviten.simulate("tips/high", deals=300, seed=7, out=tmp_path / "a", progress=False)
    assert not seen
    sviten.simulate("tips/high", deals=300, seed=7, out=tmp_path / "b", progress=True)
    assert seen[-1] == (300, 300, 0)
    sviten.resume(tmp_path / "b", deals=400, progress=True)
    assert seen[-1][:2] == (400, 400)
    sviten.odds("AKQ52.QJ3.K84.A7", n=60, seed=7, progress=True)
    assert seen[-1][:2] == (60, 60)
    sviten.compare("tips/greedy", "tips/high", seed=7, out=tmp_path / "c", watch=True)
    assert "Traceback" not in capfd.readouterr().err
