"""Fits what bidders know of hands (`strategies.knowledge.estimates`) from a forced run.

Each playout is seen from every seat: by the declarer, the partner and both defenders, each with its
own hand. A deal's rows are not independent, which blurs no estimate; no intervals are made here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from analysis.stats.logistic import Squares, fit_logistic
from analysis.summary.tally import whole_clusters
from simulate.cards import LEVELS
from simulate.game.deal import deal_many
from simulate.game.records import STATE
from simulate.runs.play import Run
from simulate.store.settings import Settings
from strategies.knowledge.calls import NEUTRAL
from strategies.knowledge.card_points import FEATURES, KINDS, take_features
from strategies.knowledge.estimates import ESTIMATES

_NT = 4


class Piece(NamedTuple):
    """Some playouts of one kind of denomination.

    Attributes
    ----------
    hands : uint64 array, shape (n, 4)
        As dealt, by seat counted from the declarer on.
    jokers : int64 array, shape (n, 4)
    denominations : int64 array, shape (n,)
    melds : int64 array, shape (n,)
    margins : float64 array, shape (n, LEVELS)
        Declarers' score less the defenders'; NaN where the rules have no such level.
    made : float64 array, shape (n, LEVELS)
    """

    hands: np.ndarray
    jokers: np.ndarray
    denominations: np.ndarray
    melds: np.ndarray
    margins: np.ndarray
    made: np.ndarray


def deal_again(settings: Settings, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Deal a run's hands again.

    Returns
    -------
    hands : uint64 array, shape (count, 4)
    jokers : int64 array, shape (count, 4)
    """
    state = np.zeros(1, STATE)
    state["seed"] = settings.seed
    state["players"] = settings.rules.players
    state["hand_size"] = settings.rules.hand_size
    state["rules"] = settings.rules.numbers()
    for seat, cards in settings.fixed.items():
        state["fixed"][0, seat] = np.uint64(cards)
    hands = np.zeros((count, 4), np.uint64)
    jokers = np.zeros((count, 4), np.int64)
    deal_many(state[0], first, hands, jokers)
    return hands, jokers


def pieces_of(run: Run, kind: int) -> Iterator[Piece]:
    """Playouts of a forced run in a trump suit (0) or at no trump (1), some thousands at a time.

    Raises
    ------
    RunError
        When the run is unfinished, is no forced run, or a part is damaged.
    """
    settings = run.settings
    players = settings.rules.players
    levels = range(1, settings.rules.max_level + 1)
    names = ["deal_id", "declarer", "denomination", "melds_decl", "score_def"]
    names += [f"{name}_{level}" for level in levels for name in ("made", "score")]
    for rows in whole_clusters(run.batches(names, "forced"), names, "deal_id", 1):
        first, last = int(rows["deal_id"][0]), int(rows["deal_id"][-1])
        hands, jokers = deal_again(settings, first, last - first + 1)
        own = np.flatnonzero((rows["denomination"] == _NT) == bool(kind))
        deals = rows["deal_id"][own] - first
        seats = (rows["declarer"][own, None] + np.arange(4)) % players
        margins = np.full((len(own), LEVELS), np.nan)
        made = np.full((len(own), LEVELS), np.nan)
        for level in levels:
            margins[:, level - 1] = (rows[f"score_{level}"] - rows["score_def"])[own]
            made[:, level - 1] = rows[f"made_{level}"][own]
        yield Piece(
            hands[deals[:, None], seats],
            jokers[deals[:, None], seats],
            rows["denomination"][own],
            rows["melds_decl"][own],
            margins,
            made,
        )


def features_of(piece: Piece, place: int) -> np.ndarray:
    """Numbers of the hands `place` seats after the declarer, shape (n, FEATURES)."""
    rows = np.empty((len(piece.hands), FEATURES))
    take_features(piece.hands[:, place], piece.jokers[:, place], piece.denominations, rows)
    return rows


def fit_estimates(run: Run) -> np.ndarray:
    """Fit all that one forced run tells; the corrections by calls are left neutral.

    Returns
    -------
    ESTIMATES array, shape (1,)

    Raises
    ------
    RunError
        As for :func:`pieces_of`.
    """
    fitted = np.zeros(1, ESTIMATES)
    for name in ("declare", "partner", "defend", "chance"):
        fitted[f"{name}_calls"] = NEUTRAL
    for kind in range(KINDS):
        _fit_kind(run, kind, fitted[0])
    return fitted


def _fit_kind(run: Run, kind: int, fitted: Any) -> None:
    """Fit the points of a kind of denomination (`fitted` modified in place)."""
    players = run.settings.rules.players
    partner = 2 if players == 4 else None
    # A defender of three shares what it loses with nobody, and gains on the declarer alone.
    loss = -1.0 if players == 4 else -0.5
    melds = Squares(FEATURES, 1)
    declare, defend, beside = (Squares(FEATURES, LEVELS) for _ in range(3))
    for piece in pieces_of(run, kind):
        margins = np.nan_to_num(piece.margins)
        for place in range(players):
            rows = features_of(piece, place)
            if place == 0:
                melds.add(rows, piece.melds[:, None].astype(float))
                declare.add(rows, margins)
            elif place == partner:
                beside.add(rows, margins)
            else:
                defend.add(rows, loss * margins)
    if not declare.rows:
        return
    fitted["melds"][kind] = melds.solve()[0]
    fitted["declare"][kind] = declare.solve()
    fitted["defend"][kind] = defend.solve()
    if partner:
        fitted["partner"][kind] = beside.solve()

    def pieces() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for piece in pieces_of(run, kind):
            yield features_of(piece, 0), piece.made

    fitted["chance"][kind] = fit_logistic(pieces, FEATURES, LEVELS)
