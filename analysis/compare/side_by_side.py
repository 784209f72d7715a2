"""Margins of several runs on the same deals, set side by side deal by deal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from analysis.compare.margins import Pairs, join_pairs, stream_pairs
from analysis.stats.bootstrap import Resampled
from simulate.errors import RunError
from simulate.runs.play import Run

#: Deals that are set side by side at one go.
_ROWS = 2**13


def side_by_side(runs: Sequence[Run]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Margins of finished runs, some thousand deals at a time.

    Yields
    ------
    ids : int64 array, shape (n,)
    margins : int64 array, shape (n, runs)

    Raises
    ------
    RunError
        When the runs are not of the same deals, or a part is missing or damaged.
    """
    ids = runs[0].settings.ids
    for run in runs:
        if run.settings.ids != ids:
            raise RunError(f"{run.folder} has other deals than {runs[0].folder}: play both on")
    columns = [_Column(stream_pairs(run)) for run in runs]
    for first in range(ids.start, ids.stop, _ROWS):
        stop = min(first + _ROWS, ids.stop)
        margins = [column.take(stop - first) for column in columns]
        yield np.arange(first, stop), np.column_stack(margins)


class _Column:
    """Hands out the margins of a run in pieces of the size that is asked for."""

    def __init__(self, pieces: Iterator[Pairs]) -> None:
        self._pieces = pieces
        self._held = join_pairs([])

    def take(self, count: int) -> np.ndarray:
        """Next `count` margins."""
        while len(self._held.ids) < count:
            self._held = join_pairs([self._held, next(self._pieces)])
        margins = self._held.margins[:count]
        self._held = Pairs(*(column[count:] for column in self._held))
        return margins


def resample(runs: Sequence[Run], combine: np.ndarray) -> Resampled:
    """Add up columns made of the runs' margins, as they are and in each replicate.

    Parameters
    ----------
    runs : sequence of Run
    combine : int64 array, shape (runs, columns)
        Each column is the sum of the runs' margins times these.
    """
    sums: Resampled | None = None
    for ids, margins in side_by_side(runs):
        piece = Resampled.of(ids, margins @ combine)
        sums = piece if sums is None else sums.merge(piece)
    assert sums is not None  # a run has a deal
    return sums


def pick(sums: Resampled, columns: Sequence[int]) -> Resampled:
    """Take the sums of some of the columns."""
    chosen = list(columns)
    return Resampled(
        deals=sums.deals,
        totals=sums.totals[chosen],
        products=sums.products[np.ix_(chosen, chosen)],
        weights=sums.weights,
        sums=sums.sums[:, chosen],
        seed=sums.seed,
    )
