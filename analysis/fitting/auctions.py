"""Fits how the calls correct what a hand promises, from auctions on the deals of a forced run.

The forced run has played every contract of every deal, so what each call would have come to is
known at every turn of the auction, whatever was called: nothing is chosen by its outcome. Only the
chance of a contract is fitted on the contracts that the auctions ended in, since it is stated of
those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from analysis.fitting.hands import deal_again
from analysis.stats.logistic import Squares, fit_logistic
from analysis.summary.tally import whole_clusters
from simulate.cards import LEVELS, make_call
from simulate.engine.engine import Engine
from simulate.engine.forced import auctions
from simulate.runs.play import Run
from strategies.knowledge.calls import ESTIMATE, NEUTRAL, TOLD, take_told
from strategies.knowledge.card_points import FEATURES, KINDS, take_features

_NT = 4


class Deals(NamedTuple):
    """Some deals: their auctions, and what every contract would have come to.

    Attributes
    ----------
    hands : uint64 array, shape (n, 4)
    jokers : int64 array, shape (n, 4)
    calls, callers : int8 arrays, shape (n, m)
        The auction; -1 after the last call.
    learns : bool array, shape (players,)
        Seats whose turns are learnt from: those of the first seat's bidder.
    margins, made : float64 arrays, shape (n, 4, 5, LEVELS)
        By declarer and denomination: declarers' score less the defenders', and 1 for a contract
        that is made; NaN where there is no such contract.
    """

    hands: np.ndarray
    jokers: np.ndarray
    calls: np.ndarray
    callers: np.ndarray
    learns: np.ndarray
    margins: np.ndarray
    made: np.ndarray


def deals_of(forced: Run, engines: Sequence[Engine]) -> Iterator[Deals]:
    """Deals of a forced run, some thousand at a time, with the auctions that each engine holds.

    Raises
    ------
    RunError
        When the run is unfinished or damaged.
    IllegalPlay, StrategyError
        When a bidder fails.
    """
    settings = forced.settings
    levels = range(1, settings.rules.max_level + 1)
    names = ["deal_id", "declarer", "denomination", "score_def"]
    names += [f"{name}_{level}" for level in levels for name in ("made", "score")]
    for rows in whole_clusters(forced.batches(names, "forced"), names, "deal_id", 1):
        first, last = int(rows["deal_id"][0]), int(rows["deal_id"][-1])
        hands, jokers = deal_again(settings, first, last - first + 1)
        shape = (len(hands), 4, _NT + 1, LEVELS)
        margins, made = np.full(shape, np.nan), np.full(shape, np.nan)
        place = rows["deal_id"] - first, rows["declarer"], rows["denomination"]
        for level in levels:
            margins[*place, level - 1] = rows[f"score_{level}"] - rows["score_def"]
            made[*place, level - 1] = rows[f"made_{level}"]
        for engine in engines:
            calls, callers = auctions(engine, first, len(hands))
            longest = max(1, int((calls >= 0).sum(axis=1).max()))
            calls, callers = calls[:, :longest], callers[:, :longest]
            bidders = [entrant.bidder for entrant in engine.seated[0]]
            learns = np.array([bidder == bidders[0] for bidder in bidders])
            yield Deals(hands, jokers, calls, callers, learns, margins, made)


def hear(forced: Run, engines: Sequence[Engine], fitted: np.ndarray) -> None:
    """Fit the corrections by calls, beside the points of hands that are there already.

    Parameters
    ----------
    forced : Run
        Its `leg` 0 is used.
    engines : sequence of Engine
        Hold the auctions: of the same rules, seed and given hands.
    fitted : ESTIMATES array, shape (1,)
        Modified in place.

    Raises
    ------
    RunError, IllegalPlay, StrategyError
        As for :func:`deals_of`.
    """
    table = fitted[0]
    players = forced.settings.rules.players
    loss = -1.0 if players == 4 else -0.5
    sums = {
        (name, kind, level): Squares(TOLD, 1, NEUTRAL)
        for name in ("declare", "partner", "defend")
        for kind in range(KINDS)
        for level in range(LEVELS)
    }
    chosen: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {
        (kind, level): [] for kind in range(KINDS) for level in range(LEVELS)
    }
    for deals in deals_of(forced, engines):
        turns = _Turns(deals, players)
        for denomination in range(_NT + 1):
            kind = int(denomination == _NT)
            seen = turns.see(denomination)
            for level in range(LEVELS):
                margin = deals.margins[turns.deal, turns.seat, denomination, level]
                legal = turns.legal(level + 1, denomination) & ~np.isnan(margin)
                value = turns.features(denomination) @ table["declare"][kind, level]
                rows = _with(seen, value)[legal]
                sums["declare", kind, level].add(rows, margin[legal, None])
                ends = turns.ends(level + 1, denomination)
                if ends.any():
                    odds = turns.features(denomination)[ends] @ table["chance"][kind, level]
                    made = deals.made[turns.deal, turns.seat, denomination, level][ends]
                    chosen[kind, level].append((_with(seen[ends], odds), made[:, None]))
                for name, standing in turns.standing(level + 1, denomination):
                    if not standing.any():
                        continue
                    value = turns.features(denomination)[standing] @ table[name][kind, level]
                    bidder = turns.bidder[standing]
                    outcome = deals.margins[turns.deal[standing], bidder, denomination, level]
                    outcome = outcome * (1.0 if name == "partner" else loss)
                    rows = _with(seen[standing], value)
                    sums[name, kind, level].add(rows, outcome[:, None])
    for (name, kind, level), squares in sums.items():
        table[f"{name}_calls"][kind, level] = squares.solve()[0]
    for (kind, level), pieces in chosen.items():
        fit = fit_logistic(pieces.__iter__, TOLD, 1, NEUTRAL)
        table["chance_calls"][kind, level] = fit[0]


def _with(seen: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Put the estimates of a level into its column."""
    rows = seen.copy()
    rows[:, ESTIMATE] = value
    return rows


class _Turns:
    """Every turn of some auctions: whose it is, and what it has heard."""

    def __init__(self, deals: Deals, players: int) -> None:
        self._deals = deals
        self._players = players
        self.deal, self.count = np.nonzero((deals.calls >= 0) & deals.learns[deals.callers])
        self.seat = deals.callers[self.deal, self.count].astype(np.int64)
        before = np.maximum.accumulate(np.maximum(deals.calls, 0), axis=1)
        before = np.concatenate([np.zeros((len(before), 1), np.int8), before], axis=1)
        self.bid = before[self.deal, self.count].astype(np.int64)
        made_by = (deals.calls[self.deal] == self.bid[:, None]).argmax(axis=1)
        self.bidder = deals.callers[self.deal, made_by].astype(np.int64)
        self._call = deals.calls[self.deal, self.count].astype(np.int64)
        self._last = before[:, -1][self.deal]
        self._features: dict[int, np.ndarray] = {}

    def features(self, denomination: int) -> np.ndarray:
        """Numbers of the seat's hand, shape (turns, FEATURES)."""
        if denomination not in self._features:
            hands, jokers = self._deals.hands, self._deals.jokers
            named = np.full(hands.size, denomination, np.int64)
            rows = np.empty((hands.size, FEATURES))
            take_features(hands.ravel(), jokers.ravel(), named, rows)
            self._features = {denomination: rows[4 * self.deal + self.seat]}
        return self._features[denomination]

    def see(self, denomination: int) -> np.ndarray:
        """Facts that were heard, shape (turns, TOLD)."""
        rows = np.empty((len(self.deal), TOLD))
        take_told(
            self._deals.calls, self._deals.callers, self.deal, self.count, self.seat,
            self._players, denomination, rows,
        )  # fmt: skip
        return rows

    def legal(self, level: int, denomination: int) -> np.ndarray:
        """Whether a bid outranks what was heard."""
        call = make_call(level, denomination)
        high = self.bid >= make_call(level, 0)  # a bid of this level or a higher one
        if denomination == _NT:
            high &= self.bid >= call
        legal: np.ndarray = ~high
        return legal

    def ends(self, level: int, denomination: int) -> np.ndarray:
        """Whether the call made is this bid, and becomes the contract."""
        call = make_call(level, denomination)
        ends: np.ndarray = (self._call == call) & (self._last == call)
        return ends

    def standing(self, level: int, denomination: int) -> Iterator[tuple[str, np.ndarray]]:
        """Whether this bid stands, of the partner and of an opponent."""
        stands = self.bid == make_call(level, denomination)
        place = (self.bidder - self.seat) % self._players
        partner = (place == 2) & (self._players == 4)
        yield "partner", stands & partner
        yield "defend", stands & ~partner & (place != 0)
