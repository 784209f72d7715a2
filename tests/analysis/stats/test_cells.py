"""Sums by cell against a naive loop; clusters that many cells share."""

from __future__ import annotations

import numpy as np

from analysis.stats.cells import CellSums
from analysis.stats.intervals import Clustered


def test_sums_are_those_of_a_naive_loop() -> None:
    rng = np.random.default_rng(2)
    clusters = np.sort(rng.integers(0, 40, 300))
    cells = rng.integers(-1, 3, 300)
    values = rng.integers(-9, 30, (2, 300))
    sums = CellSums(3, ("a", "b"))
    for piece in (clusters < 20, clusters >= 20):
        sums.add(cells[piece], clusters[piece], values[:, piece])
    for cell in range(3):
        assert sums.trials(cell) == (cells == cell).sum()
        for row, name in enumerate("ab"):
            expected = Clustered()
            for cluster in np.unique(clusters[cells == cell]).tolist():
                mine = (cells == cell) & (clusters == cluster)
                n, m = int(mine.sum()), int(values[row, mine].sum())
                expected = expected.merge(Clustered(1, n, m, n * n, n * m, m * m))
            assert sums.of(cell, name) == expected


def test_no_trials_are_no_sums() -> None:
    sums = CellSums(2, ("a",))
    sums.add(np.zeros(0, int), np.zeros(0, int), np.zeros((1, 0), int))
    sums.add(np.array([-1]), np.array([5]), np.array([[7]]))
    assert sums.of(0, "a") == sums.of(1, "a") == Clustered()
    assert sums.trials(0) == 0
