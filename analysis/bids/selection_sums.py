"""Adds up forced contracts, and chosen ones beside them, in one pass over both runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analysis.bids.features import Feature, Rows
from analysis.bids.selection import Forced, ForcedBid, Selected
from analysis.stats.cells import CellSums
from analysis.summary.tally import whole_clusters
from simulate.cards import DENOMINATIONS, LEVELS
from simulate.errors import Call, RunError
from simulate.runs.play import Run

_DENOMINATIONS = len(DENOMINATIONS)
_VALUES = ("made", "score", "margin", "made_more", "adds")
_COLUMNS = ["deal_id", "leg", "declarer", "denomination"]


def add_forced(forced: Run, run: Run | None = None, feature: Feature | None = None) -> Forced:
    """Add up a forced run, and set the contracts of another run beside it.

    Parameters
    ----------
    forced : Run
        Finished.
    run : Run, optional
        Finished, and not forced.
    feature : Feature, optional
        Hands are told apart by it as well.

    Raises
    ------
    RunError
        When a run is unfinished or damaged, is not what it should be, or the rules differ.
    """
    settings = forced.settings
    if not settings.forced:
        text = f"{forced.folder} is no forced run: "
        raise RunError(text, Call("simulate", forced=True), " makes one")
    if run and run.settings.rules != settings.rules:
        raise RunError(f"{forced.folder} was played under other rules than {run.folder}")
    paired = run is not None and _same_deals(run, forced)
    any_hand = _AnyHand(forced.settings.rules.max_level, feature)
    chosen = _Chosen(run) if run else None
    rows: Iterator[Rows] = _forced_rows(forced)
    if chosen and paired:
        rows = chosen.beside(rows)
    for batch in rows:
        any_hand.add(batch)
    if chosen and not paired:
        chosen.alone()
    texts = dict.fromkeys(entrant.text for entrant in settings.entrants.values())
    bids = any_hand.bids()
    return Forced(
        folder=str(forced.folder),
        entrants=tuple(texts),
        deals=settings.deals,
        bids=bids,
        selected=chosen.selected(bids, paired) if chosen else (),
        paired=paired,
        feature=feature,
        by_feature=any_hand.by_feature(),
    )


def _same_deals(run: Run, forced: Run) -> bool:
    """Whether the forced run has every deal of the other, and the same players in each leg."""
    one, other = run.settings, forced.settings
    return (
        one.unit == "deals"
        and one.seed == other.seed
        and one.hands == other.hands
        and other.ids.start <= one.ids.start
        and one.ids.stop <= other.ids.stop
        and (one.legs <= other.legs or len({e.text for e in other.entrants.values()}) == 1)
    )


def _forced_rows(forced: Run) -> Iterator[Rows]:
    levels = range(1, forced.settings.rules.max_level + 1)
    columns = [*_COLUMNS, "score_def"]
    columns += [f"{name}_{level}" for level in levels for name in ("made", "score")]
    return whole_clusters(forced.batches(columns, "forced"), columns, "deal_id", 1)


class _AnyHand:
    """Adds up forced contracts by bid, and by a feature."""

    def __init__(self, max_level: int, feature: Feature | None) -> None:
        self._levels = range(1, max_level + 1)
        self._feature = feature
        values = len(feature.labels) if feature else 0

        def sums(cells: int) -> list[CellSums]:
            return [CellSums(cells, _VALUES) for _ in self._levels]

        self._bids = sums(_DENOMINATIONS)
        self._of_value = sums(values)
        self._of_bid = sums(values * _DENOMINATIONS)

    def add(self, rows: Rows) -> None:
        place, deals = rows["denomination"], rows["deal_id"]
        value = self._feature.values(rows) if self._feature else None
        for at, level in enumerate(self._levels):
            values = _values(rows, level, self._levels[-1])
            self._bids[at].add(place, deals, values)
            if value is not None:
                self._of_value[at].add(value, deals, values)
                self._of_bid[at].add(_DENOMINATIONS * value + place, deals, values)

    def bids(self) -> tuple[ForcedBid, ...]:
        result = (
            self._bid(sums, cell, level, cell, None)
            for level, sums in zip(self._levels, self._bids, strict=True)
            for cell in range(_DENOMINATIONS)
        )
        return tuple(filter(None, result))

    def by_feature(self) -> tuple[ForcedBid, ...]:
        rows: list[ForcedBid | None] = []
        for value, label in enumerate(self._feature.labels if self._feature else ()):
            for level, sums in zip(self._levels, self._of_value, strict=True):
                rows.append(self._bid(sums, value, level, None, label))
            for level, sums in zip(self._levels, self._of_bid, strict=True):
                for place in range(_DENOMINATIONS):
                    cell = _DENOMINATIONS * value + place
                    rows.append(self._bid(sums, cell, level, place, label))
        return tuple(filter(None, rows))

    def _bid(
        self, sums: CellSums, cell: int, level: int, place: int | None, label: str | None
    ) -> ForcedBid | None:
        if not sums.trials(cell):
            return None
        more = level < self._levels[-1]
        return ForcedBid(
            level=level,
            denomination=place,
            made=sums.of(cell, "made"),
            score=sums.of(cell, "score"),
            margin=sums.of(cell, "margin"),
            made_more=sums.of(cell, "made_more") if more else None,
            adds=sums.of(cell, "adds") if more else None,
            value=label,
        )


def _values(rows: Rows, level: int, highest: int) -> np.ndarray:
    more = min(level + 1, highest)
    made, score = rows[f"made_{level}"], rows[f"score_{level}"]
    margin = score - rows["score_def"]
    return np.stack([made, score, margin, rows[f"made_{more}"], rows[f"score_{more}"] - score])


class _Chosen:
    """Adds up chosen contracts, and with a forced run what was made of the same hands."""

    def __init__(self, run: Run) -> None:
        self._run = run
        texts = [entrant.text for entrant in run.settings.entrants.values()]
        self._names = list(dict.fromkeys(texts))
        places = [self._names.index(text) for text in texts]
        self._seated = np.array([np.roll(places, leg) for leg in range(run.settings.legs)])
        self._kinds: list[tuple[int | None, int | None]] = [(None, None)]
        self._kinds += [(level, None) for level in range(1, LEVELS + 1)]
        self._kinds += [(level, d) for level in range(1, LEVELS + 1) for d in range(_DENOMINATIONS)]
        values = ("chosen", "same", "made_more", "adds")
        self._sums = [CellSums(len(self._names) * len(self._kinds), values) for _ in range(3)]

    def beside(self, forced: Iterator[Rows]) -> Iterator[Rows]:
        """Go through a forced run and the contracts of the same deals; yields the forced rows."""
        highest = self._run.settings.rules.max_level
        held: Rows = {}
        for contracts in self._contracts():
            last = contracts["deal_id"][-1]
            while not held or held["deal_id"][-1] < last:
                rows = next(forced)
                yield rows
                past = held["deal_id"] >= contracts["deal_id"][0] if held else None
                held = {
                    name: column if past is None else np.concatenate([held[name][past], column])
                    for name, column in rows.items()
                }
            self._add(contracts, _look_up(contracts, held, highest))
        yield from forced

    def alone(self) -> None:
        """Go through the contracts without a forced run of the same deals."""
        for contracts in self._contracts():
            self._add(contracts, np.zeros((3, len(contracts["deal_id"])), np.int64))

    def _contracts(self) -> Iterator[Rows]:
        names = [*_COLUMNS, "level", "made"]
        for rows in whole_clusters(self._run.batches(names), names, "deal_id", 1):
            bid = np.flatnonzero(rows["declarer"] >= 0)
            if len(bid):
                yield {name: column[bid] for name, column in rows.items()}

    def _add(self, rows: Rows, forced: np.ndarray) -> None:
        entrant = self._seated[rows["leg"], rows["declarer"]]
        level, bid = rows["level"], _DENOMINATIONS * (rows["level"] - 1) + rows["denomination"]
        values = np.concatenate([rows["made"][None], forced])
        for sums, kind in zip(self._sums, (0, level, 1 + LEVELS + bid), strict=True):
            sums.add(len(self._kinds) * entrant + kind, rows["deal_id"], values)

    def selected(self, bids: tuple[ForcedBid, ...], paired: bool) -> tuple[Selected, ...]:
        rates = {(bid.level, bid.denomination): bid.made.rate or 0.0 for bid in bids}
        highest = self._run.settings.rules.max_level
        rows = []
        for entrant, name in enumerate(self._names):
            counts = {
                bid: self._sums[2].trials(len(self._kinds) * entrant + self._kinds.index(bid))
                for bid in rates
            }
            for place, (level, denomination) in enumerate(self._kinds):
                cell = len(self._kinds) * entrant + place
                sums = self._sums[0 if level is None else 1 if denomination is None else 2]
                if not sums.trials(cell):
                    continue
                events = sum(
                    n * rates[bid]
                    for bid, n in counts.items()
                    if level in {None, bid[0]} and denomination in {None, bid[1]}
                )
                more = paired and level is not None and level < highest
                rows.append(
                    Selected(
                        entrant=name,
                        level=level,
                        denomination=denomination,
                        chosen=sums.of(cell, "chosen"),
                        any_hand=events / sums.trials(cell),
                        same_hand=sums.of(cell, "same") if paired else None,
                        made_more=sums.of(cell, "made_more") if more else None,
                        adds=sums.of(cell, "adds") if more else None,
                    )
                )
        return tuple(rows)


def _look_up(contracts: Rows, forced: Rows, highest: int) -> np.ndarray:
    """Find what was made of the same hands when forced: made, made one level higher, what it adds.

    Returns
    -------
    int64 array, shape (3, n)
    """
    legs = int(forced["leg"].max()) + 1
    first = forced["deal_id"][0]

    def key(rows: Rows, leg: np.ndarray) -> np.ndarray:
        place: np.ndarray = (rows["deal_id"] - first) * legs + leg
        return (place * 4 + rows["declarer"]) * _DENOMINATIONS + rows["denomination"]

    keys = key(forced, forced["leg"])
    # With the same players in all seats one leg is as good as another.
    wanted = key(contracts, np.minimum(contracts["leg"], legs - 1))
    order = np.argsort(keys, kind="stable")
    at = order[np.searchsorted(keys[order], wanted)]
    level = contracts["level"]
    made, score = (
        np.stack([forced[f"{name}_{each}"] for each in range(1, highest + 1)])
        for name in ("made", "score")
    )
    more = np.minimum(level + 1, highest)
    return np.stack(
        [made[level - 1, at], made[more - 1, at], score[more - 1, at] - score[level - 1, at]]
    )
