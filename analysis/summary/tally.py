"""Adds up the rows of a run, part by part, into sums by deal, or by match in a run of matches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.stats.intervals import Clustered
from simulate.cards import BIDS, make_call
from simulate.rules import MOST_HANDS
from simulate.runs.play import Run
from simulate.store.schema import score_columns
from simulate.store.settings import Settings

_COLUMNS = ["deal_id", "leg", "declarer", "level", "denomination", "made"]
_COLUMNS += ["score_decl", "score_def"]


def bid_places(level: Any, denomination: Any) -> Any:
    """Places 0..29 of bids, by columns of levels and denominations: calls less 1."""
    return make_call(level, denomination) - 1


def whole_deals(run: Run) -> Iterator[dict[str, np.ndarray]]:
    """Rows of ``hands/`` in batches that part no two legs of a deal, nor two hands of a match.

    Yields
    ------
    dict of str to ndarray
        The columns that a summary needs, widened to int64; `made` is 0 where it is null.

    Raises
    ------
    RunError
        When the run is unfinished, or a part is damaged.
    """
    names = [*_COLUMNS, *score_columns(run.settings.rules)]
    return whole_clusters(run.batches(names), names, "deal_id", cluster_size(run.settings))


def cluster_size(settings: Settings) -> int:
    """Deal ids that belong together: those of a match."""
    return MOST_HANDS if settings.unit == "matches" else 1


def whole_clusters(
    batches: Iterator[pa.RecordBatch],
    names: list[str],
    key: str,
    size: int,
    words: dict[str, list[str]] | None = None,
    absent: frozenset[str] = frozenset(),
) -> Iterator[dict[str, np.ndarray]]:
    """Join and cut batches so that no cluster is parted.

    Parameters
    ----------
    batches : iterator of RecordBatch
    names : list of str
        Their columns.
    key : str
        Column by whose value divided by `size` the clusters are told apart.
    size : int
    words : dict of str to list of str, optional
        Columns of text, and what may stand there: the place of the word is given, -1 for null.
    absent : set of str
        Columns of numbers in which null becomes -1, rather than 0.
    """
    held: dict[str, np.ndarray] = {}
    for batch in batches:
        rows = {
            name: _places(batch.column(name), words[name])
            if words and name in words
            else _widen(batch.column(name), -1 if name in absent else 0)
            for name in names
        }
        if held:
            rows = {name: np.concatenate([held[name], rows[name]]) for name in names}
        clusters = rows[key] // size
        last = int(np.searchsorted(clusters, clusters[-1]))
        if last:
            yield {name: column[:last] for name, column in rows.items()}
        held = {name: column[last:] for name, column in rows.items()}
    if held:
        yield held


def _places(column: Any, words: list[str]) -> np.ndarray:
    """Places of a text column's words in `words`; -1 for null."""
    known = np.array([words.index(word) for word in column.dictionary.to_pylist()] + [-1])
    places = _widen(column.indices)
    if column.null_count:
        valid = _bits(
            column.indices.buffers()[0], slice(column.offset, column.offset + len(column))
        )
        places = np.where(valid, places, -1)
    result: np.ndarray = known[places]
    return result


def _widen(column: Any, null: int = 0) -> np.ndarray:
    """Widen integers and booleans, in which 100 + 100 could be -56, to int64.

    It reads the buffers: Arrow's own conversion would import pandas, which takes half a second.
    """
    valid, data = column.buffers()
    place = slice(column.offset, column.offset + len(column))
    if str(column.type) == "bool":
        values = _bits(data, place)
    else:
        values = np.frombuffer(data, str(column.type))[place].astype(np.int64)
    return np.where(_bits(valid, place), values, null) if column.null_count else values


def _bits(buffer: Any, place: slice) -> np.ndarray:
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[place].astype(np.int64)


class Tally:
    """Adds up batches of rows; the order of the batches does not matter.

    Parameters
    ----------
    settings : Settings

    Attributes
    ----------
    names : list of str
        The entrants, each once.
    hands : int
        Rows added.
    bids, entrants, passed : int64 arrays, shape (cells, 8)
        By entrant and bid, by entrant, and of all hands: the six sums of `Clustered` (contracts,
        those made; of `passed` the hands, those passed out), then the declarers' and the
        defenders' scores.
    teams : list of Clustered
        Scores in a hand: of those who sit N+S in leg 0, and E+W; of three players, of those who
        sit N, E and S.
    margins : dict of (int, int) to Clustered
        One team's score less another's.
    """

    def __init__(self, settings: Settings) -> None:
        texts = [entrant.text for entrant in settings.entrants.values()]
        self.names = list(dict.fromkeys(texts))
        places = [self.names.index(text) for text in texts]
        # Entrant at each seat in each leg.
        self._seated = np.array([np.roll(places, leg) for leg in range(settings.legs)])
        self.hands = 0
        self.bids = np.zeros((len(self.names) * BIDS, 8), np.int64)
        self.entrants = np.zeros((len(self.names), 8), np.int64)
        self.passed = np.zeros((1, 8), np.int64)
        self._scores = list(score_columns(settings.rules))
        self._size = cluster_size(settings)
        self.teams = [Clustered() for _ in self._scores]
        self.margins = {pair: Clustered() for pair in combinations(range(len(self.teams)), 2)}

    def add(self, rows: dict[str, np.ndarray]) -> None:
        """Add a batch from :func:`whole_deals`."""
        ids = rows["deal_id"] // self._size
        first = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
        deal = np.repeat(np.arange(len(first)), np.diff(np.r_[first, len(ids)]))
        self.hands += len(ids)

        none = rows["declarer"] < 0
        nothing = np.zeros_like(ids)
        self.passed += count_cells(nothing, deal, none, (nothing, nothing), 1)
        with_contract = np.flatnonzero(~none)
        bid = {name: column[with_contract] for name, column in rows.items()}
        entrant = self._seated[bid["leg"], bid["declarer"]]
        cell = BIDS * entrant + bid_places(bid["level"], bid["denomination"])
        scores = bid["score_decl"], bid["score_def"]
        for cells, table in ((cell, self.bids), (entrant, self.entrants)):
            table += count_cells(cells, deal[with_contract], bid["made"], scores, len(table))

        scored = np.array([rows[name] for name in self._scores])
        everyone = np.arange(len(ids))
        of_team = [
            scored[(team + rows["leg"]) % len(scored), everyone] for team in range(len(scored))
        ]
        for team, own in enumerate(of_team):
            self.teams[team] = self.teams[team].merge(cluster_sums(own, first))
        for one, other in self.margins:
            margin = cluster_sums(of_team[one] - of_team[other], first)
            self.margins[one, other] = self.margins[one, other].merge(margin)


def cluster_sums(values: np.ndarray, first: np.ndarray) -> Clustered:
    """Sum up `values` as events, one a trial; `first` holds where each cluster begins."""
    trials = np.diff(np.r_[first, len(values)])
    events = np.add.reduceat(values, first)
    columns = (trials, events, trials * trials, trials * events, events * events)
    return Clustered(len(first), *(int(column.sum()) for column in columns))


def count_cells(
    cells: np.ndarray,
    deals: np.ndarray,
    events: np.ndarray,
    scores: tuple[np.ndarray, np.ndarray],
    number: int,
) -> np.ndarray:
    """Sum up `Clustered` and two scores for each cell.

    Parameters
    ----------
    cells, deals, events : int64 arrays, shape (n,)
        Of each trial; `deals` ascending.
    scores : two int64 arrays, shape (n,)
    number : int
        Cells in all.

    Returns
    -------
    int64 array, shape (number, 8)
    """
    keys, which = np.unique(deals * number + cells, return_inverse=True)
    cell = keys % number
    trials = np.bincount(which, minlength=len(keys))
    hits = np.bincount(which[np.flatnonzero(events)], minlength=len(keys))
    sums = np.zeros((number, 8), np.int64)
    columns = (np.ones_like(trials), trials, hits, trials**2, trials * hits, hits**2)
    for place, column in enumerate(columns):
        np.add.at(sums[:, place], cell, column)
    for place, score in enumerate(scores):
        np.add.at(sums[:, 6 + place], cells, score)
    return sums
