"""Sums by cell over clusters, added up batch by batch in compiled code.

A cell is whatever hands are told apart by: a bid, an entrant, a seat. For each cell the sums of
:class:`analysis.stats.intervals.Clustered` are kept, of any number of values side by side. They are
whole numbers, so that the order of batches makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.stats.intervals import Clustered
from simulate.compiled.kernels import kernel

_HEAD = 3  # clusters, trials, trials squared
_EACH = 3  # events, cross, events squared


@kernel
def _flush(
    sums: np.ndarray, scratch: np.ndarray, touched: np.ndarray, count: int, values: int
) -> None:
    """Add the cluster in `scratch` to `sums` and forget it."""
    for place in range(count):
        cell = touched[place]
        trials = scratch[cell, 0]
        sums[cell, 0] += 1
        sums[cell, 1] += trials
        sums[cell, 2] += trials * trials
        for i in range(values):
            events = scratch[cell, 1 + i]
            at = 3 + 3 * i
            sums[cell, at] += events
            sums[cell, at + 1] += trials * events
            sums[cell, at + 2] += events * events
            scratch[cell, 1 + i] = 0
        scratch[cell, 0] = 0


@kernel
def add_cells(
    sums: np.ndarray,
    scratch: np.ndarray,
    touched: np.ndarray,
    cells: np.ndarray,
    clusters: np.ndarray,
    values: np.ndarray,
) -> None:
    """Add trials to the sums of their cells.

    Parameters
    ----------
    sums : int64 array, shape (cells, 3 + 3 values), modified in place
        Clusters, trials, trials squared; then for each value events, cross, events squared.
    scratch : int64 array, shape (cells, 1 + values), modified in place
        Zeros; left as zeros.
    touched : int64 array, shape (cells,), modified in place
    cells : int64 array, shape (n,)
        Of each trial; trials below 0 are left out.
    clusters : int64 array, shape (n,)
        Those of a cluster stand together, and all in this call.
    values : int64 array, shape (values, n)
    """
    number = values.shape[0]
    count = np.int64(0)
    for i in range(len(cells)):
        if i > 0 and clusters[i] != clusters[i - 1]:
            _flush(sums, scratch, touched, count, number)
            count = np.int64(0)
        cell = cells[i]
        if cell < 0:
            continue
        if scratch[cell, 0] == 0:
            touched[count] = cell
            count += 1
        scratch[cell, 0] += 1
        for j in range(number):
            scratch[cell, 1 + j] += values[j, i]
    _flush(sums, scratch, touched, count, number)


class CellSums:
    """Sums of named values for a number of cells.

    Parameters
    ----------
    number : int
        Cells.
    values : sequence of str
    """

    def __init__(self, number: int, values: Sequence[str]) -> None:
        self.values = tuple(values)
        self.sums = np.zeros((number, _HEAD + _EACH * len(self.values)), np.int64)
        self._scratch = np.zeros((number, 1 + len(self.values)), np.int64)
        self._touched = np.zeros(number, np.int64)

    def add(self, cells: np.ndarray, clusters: np.ndarray, values: np.ndarray) -> None:
        """Add trials; see :func:`add_cells`."""
        add_cells(self.sums, self._scratch, self._touched, cells, clusters, values)

    def trials(self, cell: int) -> int:
        """Give the trials of a cell."""
        return int(self.sums[cell, 1])

    def of(self, cell: int, value: str) -> Clustered:
        """Give the sums of a value in a cell."""
        row = self.sums[cell]
        at = _HEAD + _EACH * self.values.index(value)
        clusters, trials, trials2 = (int(each) for each in row[:_HEAD])
        events, cross, events2 = (int(each) for each in row[at : at + _EACH])
        return Clustered(clusters, trials, events, trials2, cross, events2)
