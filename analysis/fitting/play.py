"""Fitting the weights of `counting` to what its cards brought in playouts.

Run as ``python -m analysis.fitting.play``; it prints the weights as the player has them, one line a
trait. For each place in the trick they maximise the mean margin of a player that draws its card by
the softmax of the cards' worths: approximate policy iteration by rollouts (Lagoudakis and Parr,
ICML 2003), with margins in place of classes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numba import types
from numpy.typing import NDArray
from scipy.optimize import minimize

from analysis.fitting.lessons import LESSON, NOTES, pupil
from simulate.compiled.kernels import address_of
from simulate.engine.engine import Engine, make_buffer
from simulate.game.records import VIEW_TYPE
from simulate.rules import load_rules
from strategies.declare.spec import kernel_values, load_entrant, read_part
from strategies.players import counting

Floats = NDArray[np.float64]

#: Cards that a hand may teach about: 52 decisions, of seven cards each on average.
CARDS_A_HAND = 400


def collect(deals: int, seed: int, worlds: int, playout: str, variant: str) -> NDArray[np.void]:
    """Play hands with four pupils.

    Returns
    -------
    LESSON array
        The cards of one decision stand together.
    """
    rules = load_rules(variant)
    lessons = np.zeros(deals * CARDS_A_HAND, LESSON)
    notes = np.zeros(1, NOTES)
    notes["lessons"], notes["capacity"] = lessons.ctypes.data, len(lessons)
    notes["units"] = np.eye(counting.WEIGHTS)
    searcher, values, _ = read_part("player", f"search(worlds={worlds},playout={playout})")
    given = dict(
        zip((p.name for p in searcher.parameters), kernel_values(searcher, values), strict=True)
    )
    entrant = replace(
        load_entrant("tips/search"),
        play=address_of(pupil, (VIEW_TYPE, types.int64)),
        player_params=(given["worlds"], given["playout"], float(notes.ctypes.data)),
    )
    Engine(rules, [entrant] * rules.players, seed).play(make_buffer(deals), 0, deals)
    return lessons[: int(notes["count"][0])]


def mean_loss(
    weights: Floats, traits: Floats, behind: Floats, starts: NDArray[np.intp], ridge: float
) -> tuple[float, Floats]:
    """Points that a softmax player loses to the best cards a decision, and the gradient.

    Parameters
    ----------
    weights : ndarray, shape (traits,)
    traits : ndarray, shape (cards, traits)
    behind : ndarray, shape (cards,)
        Margin less that of the best card of the decision.
    starts : ndarray of int, shape (decisions,)
        Where each decision's cards begin.
    ridge : float
        Penalty for the sum of the weights' squares.
    """
    sizes = np.diff(np.append(starts, len(traits)))
    worth = traits @ weights
    worth -= np.repeat(np.maximum.reduceat(worth, starts), sizes)
    share = np.exp(worth)
    share /= np.repeat(np.add.reduceat(share, starts), sizes)
    expected = np.add.reduceat(share * behind, starts)
    slope = (share * (behind - np.repeat(expected, sizes))) @ traits
    loss = -expected.mean() + ridge * (weights @ weights)
    return float(loss), -slope / len(starts) + 2 * ridge * weights


def fit(lessons: NDArray[np.void], ridge: float = 3e-5) -> Floats:
    """Weights of shape (ROWS, WEIGHTS) for the player `counting`."""
    weights = np.zeros((counting.ROWS, counting.WEIGHTS))
    for row in range(counting.ROWS):
        taught = lessons[lessons["row"] == row]
        if not len(taught):
            continue
        starts = np.flatnonzero(np.diff(taught["decision"], prepend=-1))
        sizes = np.diff(np.append(starts, len(taught)))
        margins = taught["margin"].astype(np.float64)
        behind = margins - np.repeat(np.maximum.reduceat(margins, starts), sizes)
        traits = taught["traits"].astype(np.float64)
        scale = traits.std(0) + 1e-9
        result = minimize(
            mean_loss,
            np.zeros(counting.WEIGHTS),
            args=(traits / scale, behind, starts, ridge),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 400},
        )
        weights[row] = result.x / scale
    return np.where(abs(weights) < 0.005, 0.0, weights)


def table_text(weights: Floats) -> str:
    """Weights as they stand in the player's module."""
    places = {
        value: name
        for name, value in vars(counting).items()
        if name.isupper() and isinstance(value, int) and name not in {"WEIGHTS", "ROWS"}
    }
    return "\n".join(
        f"[{', '.join(f'{v:.1f}' if abs(v) >= 10 else f'{v:.2f}' for v in column)}],  # {places[i]}"
        for i, column in enumerate(weights.T)
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Collect, fit and print."""
    parser = argparse.ArgumentParser(prog="python -m analysis.fitting.play", description=__doc__)
    parser.add_argument("--deals", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1_000_000)
    parser.add_argument("--worlds", type=int, default=8)
    parser.add_argument("--playout", default="counting", help="who plays the worlds on")
    parser.add_argument("--variant", default="classic")
    given = parser.parse_args(arguments)
    lessons = collect(given.deals, given.seed, given.worlds, given.playout, given.variant)
    print(table_text(fit(lessons)))


if __name__ == "__main__":
    main()
