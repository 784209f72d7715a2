"""Where the points of a hand come from: tricks, melds, what is lost, by side and outcome."""

from __future__ import annotations

import numpy as np

from analysis.show.text import Table, number, numbers
from analysis.stats.cells import CellSums
from analysis.stats.intervals import Clustered
from analysis.summary.tally import cluster_size, whole_clusters
from simulate.runs.play import Run

_VALUES = ("tricks", "melds", "meld_points", "dead", "score")

#: Who took part in a hand, and how it ended.
SIDES = (
    "declarers, made",
    "defenders, made",
    "declarers, failed",
    "defenders, failed",
)


def points_by_side(run: Run) -> dict[str, dict[str, Clustered]]:
    """Sum up tricks, melds, meld points, dead cards and score, by side and outcome.

    Returns
    -------
    dict of str to dict of str to Clustered
        By :data:`SIDES`, those that occur; hands without a contract are left out.

    Raises
    ------
    RunError
        When the run is unfinished, or a part is damaged.
    """
    ends = ("decl", "def")
    columns = ["deal_id", "declarer", "made"]
    columns += [f"{name}_{end}" for name in _VALUES for end in ends]
    size = cluster_size(run.settings)
    sums = CellSums(len(SIDES), _VALUES)
    for rows in whole_clusters(run.batches(columns), columns, "deal_id", size):
        bid = np.flatnonzero(rows["declarer"] >= 0)
        clusters = rows["deal_id"][bid] // size
        for place, end in enumerate(ends):
            values = np.stack([rows[f"{name}_{end}"][bid] for name in _VALUES])
            sums.add(2 * (1 - rows["made"][bid]) + place, clusters, values)
    return {
        side: {name: sums.of(cell, name) for name in _VALUES}
        for cell, side in enumerate(SIDES)
        if sums.trials(cell)
    }


def points_table(run: Run) -> Table:
    """Means of :func:`points_by_side` as a table."""
    rows = [
        [
            side,
            f"{values['score'].trials:,}",
            *(number(values[name].rate) for name in _VALUES),
            numbers(values["score"].mean_interval()),
        ]
        for side, values in points_by_side(run).items()
    ]
    columns = ["side", "hands", "tricks", "melds", "meld points", "dead cards", "score"]
    return Table("Where points come from, means of a hand", [*columns, "95 % interval"], rows)
