"""Which half of the deals a stated chance counts to: by fours, since dealers go round."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.bids.calibration import _Stated


@pytest.mark.parametrize(
    ("deals", "made", "held_out"),
    [
        # Deals 0 to 3 are one half and 4 to 7 the other: what one shows mends the other.
        (range(8), [0, 0, 0, 0, 1, 1, 1, 1], (0.25, 1.0)),
        (range(8), [1, 1, 0, 0, 1, 1, 0, 0], (0.25, 0.25)),
        # The next four are of the first half again.
        (range(4, 12), [1, 1, 1, 1, 0, 0, 0, 0], (0.25, 1.0)),
        ([0, 3, 8, 11, 16], [1, 1, 1, 1, 1], None),
        ([4, 7, 12, 15], [1, 1, 1, 1], None),
        ([3, 4], [1, 0], (0.25, 1.0)),
    ],
)
def test_halves_are_of_four_deals_in_turn(
    deals: range | list[int], made: list[int], held_out: tuple[float, float] | None
) -> None:
    clusters = np.array(deals)
    counts = _Stated(1)
    rows = {"stated": np.full(len(clusters), 500), "made": np.array(made)}
    counts.add(rows, np.zeros(len(clusters), np.int64), clusters)
    (found,) = counts.judge(["x/y"])
    assert found.held_out == (None if held_out is None else pytest.approx(held_out))


def test_what_is_not_stated_does_not_count() -> None:
    counts = _Stated(2)
    rows = {"stated": np.array([-1, 700, 1001, -1]), "made": np.array([1, 1, 1, 0])}
    counts.add(rows, np.array([0, 1, 1, 0]), np.arange(4))
    (found,) = counts.judge(["x/y", "z/y"])
    assert found.entrant == "z/y"
    assert found.stated.tolist() == [0.7, 1.0]  # no chance is more than certain
    assert found.contracts.tolist() == found.made.tolist() == [1, 1]
