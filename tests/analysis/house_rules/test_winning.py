"""The chance to win from a score, and drama and excitement of matches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from analysis.house_rules.winning import (
    BINS,
    MATCH_COLUMNS,
    STEPS,
    learn_winning,
    smooth,
    stream_matches,
)
from simulate.rules import make_rules
from simulate.runs.play import Run, simulate_run
from strategies.declare.spec import load_entrant
from sviten.api.tables import load
from tests.fixtures.runs import BOLD, SHY, settings_of


def test_smoothing_is_the_nearest_table_that_rises_and_falls() -> None:
    draw = np.random.default_rng(1)
    n = 4
    views = draw.integers(200, 900, (n, n))
    truth = np.clip(0.5 + 0.1 * (np.arange(n)[:, None] - np.arange(n)), 0.05, 0.95)
    events = draw.binomial(views, np.clip(truth + draw.normal(0, 0.15, (n, n)), 0, 1))
    found = smooth(events.astype(float), views)
    assert (np.diff(found, axis=0) >= -1e-4).all()
    assert (np.diff(found, axis=1) <= 1e-4).all()

    rates = events / views

    def miss(flat: np.ndarray) -> float:
        return float((views / 500 * (flat.reshape(n, n) - rates) ** 2).sum())

    rising = {"type": "ineq", "fun": lambda flat: np.diff(flat.reshape(n, n), axis=0).ravel()}
    falling = {"type": "ineq", "fun": lambda flat: -np.diff(flat.reshape(n, n), axis=1).ravel()}
    oracle = minimize(
        miss,
        np.full(n * n, 0.5),
        constraints=[rising, falling],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert oracle.success
    # What the difference alone tells counts for four views of hundreds.
    assert np.abs(found - oracle.x.reshape(n, n)).max() < 0.02


def test_a_table_that_rises_already_is_left_as_it_is() -> None:
    n = 5
    truth = 0.5 + 0.09 * (np.arange(n)[:, None] - np.arange(n))
    views = np.full((n, n), 10**6)
    assert np.abs(smooth(truth * views, views) - truth).max() < 1e-3
    assert (smooth(np.zeros((n, n)), np.zeros((n, n), np.int64)) == 0.5).all()


@pytest.fixture(scope="module", params=[4, 3], ids=["four", "three"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Play matches that end in all ways, with scores far below 0 among them."""
    rules: dict[str, Any] = {"max_hands": 2, "target_score": 90}
    entrants = [BOLD, SHY, BOLD, SHY]
    if request.param == 3:
        rules |= {"players": 3, "kitty": "exchange", "target_score": 140}
    settings = settings_of(
        rules=make_rules(rules), deals=None, matches=300, entrants=entrants[: request.param],
        part_deals=0,
    ).with_part_size(128)  # fmt: skip
    folder: Path = tmp_path_factory.mktemp("winning") / "run"
    return simulate_run(folder, settings, load_entrant)


def test_columns_are_those_of_a_plain_count(run: Run) -> None:
    winning = learn_winning(run)
    found = np.concatenate(list(stream_matches(run, winning)))
    tables = load(run.folder)
    sides = winning.sides
    names = ["ns", "ew"] if sides == 2 else ["n", "e", "s"]
    hands = dict(list(tables.hands.groupby("match_id")))
    ends = set()
    for row, match in zip(found, tables.matches.itertuples(), strict=True):
        path = []
        for hand in hands[match.match_id].itertuples():
            scores = [getattr(hand, f"before_{name}") for name in names]
            state = []
            for side in range(sides):
                bins = [
                    min(max(score * STEPS // winning.target, -STEPS), STEPS - 1) + STEPS
                    for score in scores
                ]
                other = max(bins[each] for each in range(sides) if each != side)
                state.append(winning.chances[int(hand.dealer % sides == side), bins[side], other])
            path.append(state)
        won = None if pd.isna(match.winner) else names.index(str(match.winner).lower())
        end = [1 / sides if won is None else float(side == won) for side in range(sides)]
        moves = np.abs(np.diff(np.array([*path, end]), axis=0)).sum() / 2
        told = dict(zip(MATCH_COLUMNS, row, strict=True))
        assert told["hands"] == match.hands == len(path)
        assert told["excitement"] == pytest.approx(moves)
        assert told["decided"] == (won is not None)
        assert told["lead_changes"] == match.lead_changes
        sure = [place for place, state in enumerate(path) if max(state) >= 0.95]
        low = min(state[won] for state in path) if won is not None else 1
        assert told["drama"] == pytest.approx(max(0, 1 / sides - low))
        assert told["comebacks"] == (low <= 0.5 / sides)
        after = len(path) - sure[0] if sure and won is not None else 0
        assert told["hands_after"] == after
        ends.add((match.ended, won is None))
    assert ("target", False) in ends
    assert ("cap", False) in ends


def test_chances_of_both_sides_make_one(run: Run) -> None:
    winning = learn_winning(run)
    assert winning.views.sum() == winning.sides * len(load(run.folder).hands)
    assert (np.diff(winning.chances, axis=1) >= -1e-3).all()
    assert (np.diff(winning.chances, axis=2) <= 1e-3).all()
    if winning.sides == 2:
        assert np.abs(winning.chances[0] + winning.chances[1].T - 1).max() < 5e-3
    start = winning.chances[:, STEPS, STEPS]
    assert start == pytest.approx(1 / winning.sides, abs=0.1)
    facts = winning.as_dict()
    assert np.array(facts["chances"]).shape == (2, BINS, BINS)
    assert facts["chances"][0][0][0] is None or winning.views[0, 0, 0]
