"""Fitting the weights of `counting`: what is noted, and what the fit makes of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import check_grad

from analysis.fitting.lessons import LESSON
from analysis.fitting.play import collect, fit, main, mean_loss, table_text
from strategies.players import counting


@pytest.fixture(scope="module")
def lessons() -> np.ndarray:
    return collect(25, seed=7, worlds=2, playout="high", variant="classic")


def test_every_legal_card_of_a_decision_is_noted(lessons: np.ndarray) -> None:
    assert (np.diff(lessons["decision"]) >= 0).all()
    assert (np.diff(lessons["decision"]) <= 1).all()
    sizes = np.bincount(lessons["decision"])
    assert sizes.min() >= 2
    assert sizes.max() <= 13
    assert set(lessons["row"]) == set(range(counting.ROWS))
    chances = lessons["traits"][:, counting.CHANCE]
    assert 0 <= chances.min() < chances.max() <= 1
    last = lessons["row"] % 3 == 0  # fourth in a trick (or leading)
    assert set(chances[last & (lessons["row"] > 0)]) == {0.0, 1.0}
    assert (lessons["margin"] % 0.5 == 0).all()  # means over two worlds


def test_the_same_lessons_again(lessons: np.ndarray) -> None:
    again = collect(25, seed=7, worlds=2, playout="high", variant="classic")
    assert again.tobytes() == lessons.tobytes()
    three = collect(3, seed=7, worlds=1, playout="high", variant="three-player")
    assert np.bincount(three["decision"]).max() > 13


def test_the_gradient_is_that_of_the_loss(lessons: np.ndarray) -> None:
    lead = lessons[lessons["row"] == 0]
    traits = lead["traits"].astype(float)
    starts = np.flatnonzero(np.diff(lead["decision"], prepend=-1))
    behind = -np.random.default_rng(1).random(len(lead))
    for weights in (np.zeros(counting.WEIGHTS), np.linspace(-1, 1, counting.WEIGHTS)):
        error = check_grad(
            lambda w: mean_loss(w, traits, behind, starts, 0.01)[0],
            lambda w: mean_loss(w, traits, behind, starts, 0.01)[1],
            weights,
        )
        assert error < 1e-4


def test_the_fit_finds_what_margins_were_made_of() -> None:
    """Margins made from known weights: the fitted player chooses as those do."""
    draw = np.random.default_rng(3)
    lessons = np.zeros(6000, LESSON)
    lessons["decision"] = np.arange(6000) // 5
    lessons["row"] = np.arange(6000) // 3000 * 2
    lessons["traits"][:, :4] = draw.normal(size=(6000, 4))
    known = np.zeros((counting.ROWS, counting.WEIGHTS))
    known[0, :4], known[2, :4] = (3, -1, 2, 0), (-1, 1, 0, 2)
    worth = (lessons["traits"] * known[lessons["row"]]).sum(1)
    lessons["margin"] = worth + draw.normal(size=6000)
    weights = fit(lessons)
    assert not weights[[1, 3, 4, 5, 6]].any()
    chosen = (lessons["traits"] * weights[lessons["row"]]).sum(1).reshape(-1, 5).argmax(1)
    assert (chosen == worth.reshape(-1, 5).argmax(1)).mean() > 0.95
    assert np.corrcoef(weights[0], known[0])[0, 1] > 0.99


def test_it_prints_the_table_of_the_player(capsys: pytest.CaptureFixture[str]) -> None:
    lines = table_text(counting._WEIGHTS).splitlines()
    source = [line.strip() for line in Path(counting.__file__).read_text().splitlines()]
    start = source.index(lines[0])
    assert source[start : start + len(lines)] == lines
    main(["--deals", "2", "--worlds", "1", "--playout", "high"])
    printed = capsys.readouterr().out.splitlines()
    assert [line.rpartition("#")[2] for line in printed] == [x.rpartition("#")[2] for x in lines]
