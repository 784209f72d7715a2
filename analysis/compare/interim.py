"""Sums of margins after each whole batch of pairs, in the order of the deals.

What is decided while a run goes on is decided at these looks alone. Quick hands that finish first
would bias a decision; and since the looks depend on neither the parts of the run nor its workers,
the same deals give the same answer.
"""

from __future__ import annotations

import numpy as np

from analysis.compare.margins import Margins, Pairs

#: Pairs of a batch.
BATCH = 256


class Looks:
    """Sums after each whole batch, in the order of the pairs.

    Pairs come in pieces of any size; those that do not fill a batch wait for the next piece.

    Parameters
    ----------
    legs, opponents : int
        See :class:`Margins`.
    batch : int
        Pairs between two looks.

    Attributes
    ----------
    taken : int
        Pairs taken in, those that wait included.
    """

    def __init__(self, legs: int = 2, opponents: int = 1, batch: int = BATCH) -> None:
        self.taken = 0
        self._legs = legs
        self._opponents = opponents
        self._batch = batch
        self._room = np.zeros((4, 64), np.int64)
        self._count = 0
        self._waiting = np.zeros((2, 0), np.int64)

    def add(self, pairs: Pairs) -> None:
        """Take in the pairs that follow."""
        self.taken += len(pairs.margins)
        waiting = np.hstack([self._waiting, [pairs.margins, pairs.squares]])
        whole = waiting.shape[1] // self._batch * self._batch
        margins, squares = waiting[:, :whole].reshape(2, -1, self._batch)
        self._waiting = waiting[:, whole:]
        added = [margins.sum(1), (margins**2).sum(1), (margins != 0).sum(1), squares.sum(1)]
        before = self._sums[:, -1:].sum(axis=1, keepdims=True)  # zeros where there is none
        count = self._count + len(margins)
        if count > self._room.shape[1]:  # twice the room, or adding would take ever longer
            room = np.zeros((4, max(count, 2 * self._count)), np.int64)
            room[:, : self._count] = self._sums
            self._room = room
        self._room[:, self._count : count] = before + np.cumsum(added, axis=1)
        self._count = count

    def __len__(self) -> int:
        return self._count

    @property
    def _sums(self) -> np.ndarray:
        """Sums up to each look: margins, their squares, pairs not level, squares of the legs."""
        return self._room[:, : self._count]

    @property
    def pairs(self) -> np.ndarray:
        """Pairs up to each look."""
        return self._batch * np.arange(1, len(self) + 1)

    @property
    def differing(self) -> np.ndarray:
        """Pairs up to each look that are not level."""
        differing: np.ndarray = self._sums[2]
        return differing

    @property
    def mean(self) -> np.ndarray:
        """Mean margin a hand up to each look."""
        unit = self._legs * self._opponents
        mean: np.ndarray = self._sums[0] / (self.pairs * unit)
        return mean

    @property
    def variance(self) -> np.ndarray:
        """Variance of a pair's margin a hand up to each look, with the divisor n."""
        unit = self._legs * self._opponents
        mean_square = self._sums[1] / (self.pairs * unit**2)
        variance: np.ndarray = np.maximum(mean_square - self.mean**2, 0.0)
        variance[self._sums[1] * self.pairs == self._sums[0] ** 2] = 0.0
        return variance

    def margins(self, look: int) -> Margins:
        """Give the sums up to a look; -1 is the last one."""
        if not len(self):
            return Margins(legs=self._legs, opponents=self._opponents)
        total, squares, differing, leg_squares = (int(each) for each in self._sums[:, look])
        return Margins(
            int(self.pairs[look]),
            total,
            squares,
            differing,
            leg_squares,
            self._legs,
            self._opponents,
        )

    def rest(self) -> Margins:
        """Give the sums over all pairs taken in, those that wait included."""
        margins, squares = self._waiting
        waiting = Pairs(np.zeros(0, np.int64), margins, squares)
        more = Margins.of(waiting, self._legs, self._opponents)
        return self.margins(-1).merge(more) if len(self) else more
