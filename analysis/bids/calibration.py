"""Bid success and calibration of a run, in one pass over its rows.

Whatever the size of the run, what is kept is sums: by entrant and bid, and by stated chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.bids.bids import COLUMNS, Bid, BidTally
from analysis.bids.features import Feature, Rows, make_feature
from analysis.bids.selection import Forced
from analysis.bids.selection_sums import add_forced
from analysis.show.result import Shown
from analysis.show.text import Table, count, number, numbers, percent, percents
from analysis.stats.cells import CellSums
from analysis.stats.intervals import Clustered
from analysis.stats.reliability import CELLS, Reliability, judge
from analysis.summary.tally import cluster_size, whole_clusters
from simulate.errors import RunError
from simulate.runs.play import Run
from simulate.store.settings import Settings

#: A level with fewer contracts is not named in the sentence.
_WORTH_A_WORD = 30


@dataclass(frozen=True, repr=False)
class Calibration(Shown):
    """Bid success and calibration of a run.

    Attributes
    ----------
    settings : Settings
    hands : int
        Rows, those without a contract included.
    bids : tuple of Bid
        By entrant: all contracts, each level, each bid.
    feature : Feature or None
        What the contracts are told apart by as well.
    by_feature : tuple of Bid
    reliability : tuple of Reliability
        Of entrants that state chances.
    forced : Forced or None
        Forced contracts, beside the chosen ones or alone.
    """

    settings: Settings
    hands: int
    bids: tuple[Bid, ...]
    feature: Feature | None
    by_feature: tuple[Bid, ...]
    reliability: tuple[Reliability, ...]
    forced: Forced | None = None

    @property
    def entrants(self) -> list[str]:
        """Entrants that have declared."""
        return list(dict.fromkeys(bid.entrant for bid in self.bids))

    def of(self, entrant: str) -> list[Bid]:
        """Contracts of an entrant; all together stand first."""
        return [bid for bid in self.bids if bid.entrant == entrant]

    def sentence(self) -> str:
        """Say how many contracts come home; a line for each entrant, and for its stated chances."""
        lines = [_sentence(self.of(entrant)) for entrant in self.entrants]
        lines += [each.sentence() for each in self.reliability]
        if self.forced:
            lines += self.forced.sentences()
            if not self.bids:
                lines.append(
                    f"{self.forced.deals:,} deals, every contract forced on every hand: chances of "
                    "hands as they come, not of contracts that were chosen."
                )
        return "\n".join(lines) or "Nobody bid: there is no contract to judge."

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        facts: dict[str, Any] = {
            self.settings.unit: self.settings.count,
            "legs": self.settings.legs,
            "hands": self.hands,
            "seed": self.settings.seed,
            "rules_changed": self.settings.rules.changes(),
            "confidence": 0.95,
            "bids": [bid.as_dict() for bid in self.bids],
        }
        if self.feature:
            facts["by"] = {
                "name": self.feature.name,
                "about": self.feature.about,
                "bids": [bid.as_dict() for bid in self.by_feature],
            }
        facts["reliability"] = [each.as_dict() for each in self.reliability]
        facts["forced"] = self.forced and self.forced.as_dict()
        return facts | {"sentence": self.sentence()}

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return self.tables()

    def tables(self) -> list[Table]:
        """Tables for a person."""
        tables = [table for entrant in self.entrants for table in self.entrant_tables(entrant)]
        for each in self.reliability:
            tables += [scores_table(each), reliability_table(each)]
        return tables + (self.forced.tables() if self.forced else [])

    def entrant_tables(self, entrant: str) -> list[Table]:
        """Tables of an entrant: its bids, one level more, and those by the feature."""
        own = self.of(entrant)
        rows = [_bid_row(bid) for bid in own if bid.denomination is not None]
        title = f"Contracts that {entrant} chose"
        bids = Table(title, ["bid", *_HEAD], [*rows, _bid_row(own[0])])
        rows = [_level_row(bid) for bid in own if bid.denomination is None and bid.level]
        head = ["level", "contracts", "made", "score", "one more: made", "one more: adds"]
        if own[0].stated is not None:
            head.insert(3, "stated")
        more = Table(f"One level more, played alike: {entrant}", head, rows)
        return [bids, more, *self._feature_table(entrant)]

    def _feature_table(self, entrant: str) -> list[Table]:
        if not self.feature:
            return []
        own = [bid for bid in self.by_feature if bid.entrant == entrant and bid.level is None]
        head = [self.feature.name, *_HEAD]
        title = f"{entrant} by {self.feature.about}"
        return [Table(title, head, [[bid.value or "", *_bid_row(bid)[1:]] for bid in own])]


_HEAD = ["contracts", "made", "95 % interval", "score", "95 % interval", "margin"]


def _bid_row(bid: Bid) -> list[str]:
    return [
        bid.text,
        f"{bid.made.trials:,}",
        percent(bid.made.rate),
        percents(bid.made.interval()),
        number(bid.score.rate),
        numbers(bid.score.mean_interval()),
        number(bid.margin.rate),
    ]


def _level_row(bid: Bid) -> list[str]:
    more, least, most = bid.still_made, bid.least, bid.most
    lines = ["-", "-"]
    if more and least and most:
        lines = [
            f"{percent(more.rate)} to {percent(bid.made.rate)}",
            f"{number(least.rate)} to {number(most.rate)}",
        ]
    head = [str(bid.level), f"{bid.made.trials:,}", percent(bid.made.rate)]
    head += [] if bid.stated is None else [percent(bid.stated)]
    return [*head, number(bid.score.rate), *lines]


def scores_table(reliability: Reliability) -> Table:
    """Scores of stated chances, and the parts that they are made of, as a table."""
    parts = reliability.brier, reliability.log
    rows = [[name, *(f"{getattr(each, name):.4f}" for each in parts)] for name in parts[0]._fields]
    rows.insert(2, ["of it by chance", f"{reliability.null:.4f}", "-"])
    rows.insert(3, ["p of no miscalibration", f"{reliability.p_value:.3f}", "-"])
    if reliability.held_out:
        plain, mended = reliability.held_out
        rows.append(["on other deals, as stated", f"{plain:.4f}", "-"])
        rows.append(["on other deals, recalibrated", f"{mended:.4f}", "-"])
    title = f"Scores of the chances that {reliability.entrant} stated"
    return Table(title, ["", "Brier", "log"], rows)


def reliability_table(reliability: Reliability) -> Table:
    """Contracts in groups of stated chances as a table."""
    rows = [
        [
            f"{100 * group.low:.1f} to {100 * group.high:.1f}",
            f"{group.contracts:,}",
            percent(group.stated),
            percent(group.made / group.contracts),
            percents(group.interval),
        ]
        for group in reliability.groups()
    ]
    columns = ["stated, %", "contracts", "mean stated", "made", "95 % interval"]
    return Table(f"Chances that {reliability.entrant} stated", columns, rows)


def _sentence(own: list[Bid]) -> str:
    made = own[0].made
    text = (
        f"{own[0].entrant} makes {percent(made.rate)} of the contracts that it chose "
        f"(95 % interval {percents(made.interval())}, {count(made.trials, 'contract')}) "
        f"and scores {number(own[0].score.rate)} with them"
    )
    levels = [bid for bid in own if bid.level and bid.denomination is None]
    often = [bid for bid in levels if bid.made.trials >= _WORTH_A_WORD]
    if len(often) > 1:
        low, high = often[0], often[-1]
        text += (
            f": {percent(low.made.rate)} at {low.text}, {percent(high.made.rate)} at {high.text}"
        )
    return text + "."


def calibrate(run: Run, by: str | None = None, forced: Run | None = None) -> Calibration:
    """Add up the contracts of a finished run.

    Parameters
    ----------
    run : Run
        A forced run has no chosen contracts: then its forced ones are added up.
    by : str, optional
        A feature that contracts are told apart by as well; see
        :data:`analysis.bids.features.FEATURES`.
    forced : Run, optional
        A forced run that the contracts are set beside.

    Returns
    -------
    Calibration

    Raises
    ------
    RunError
        When a run is unfinished or damaged, there is no such feature, or the forced run is none
        or of other rules.
    """
    settings = run.settings
    feature = make_feature(by, settings) if by else None
    if settings.forced:
        if forced:
            raise RunError(f"{run.folder} is a forced run: its contracts were not chosen")
        return Calibration(settings, 0, (), None, (), (), add_forced(run, feature=feature))
    texts = [entrant.text for entrant in settings.entrants.values()]
    names = list(dict.fromkeys(texts))
    places = [names.index(text) for text in texts]
    seated = np.array([np.roll(places, leg) for leg in range(settings.legs)])
    size = cluster_size(settings)
    tally = BidTally(settings, names, feature)
    stated = _Stated(len(names))
    hands = 0
    columns = [*COLUMNS, *(feature.columns if feature else ())]
    for rows in whole_clusters(
        run.batches(columns), columns, "deal_id", size, absent=frozenset({"stated"})
    ):
        hands += len(rows["deal_id"])
        bid = np.flatnonzero(rows["declarer"] >= 0)
        contracts = {name: column[bid] for name, column in rows.items()}
        entrant = seated[contracts["leg"], contracts["declarer"]]
        clusters = contracts["deal_id"] // size
        tally.add(contracts, entrant, clusters)
        stated.add(contracts, entrant, clusters)
    return Calibration(
        settings=settings,
        hands=hands,
        bids=tally.bids(),
        feature=feature,
        by_feature=tally.by_feature(),
        reliability=stated.judge(names),
        forced=add_forced(forced, run) if forced else None,
    )


class _Stated:
    """Counts contracts by entrant, half of the deals, and stated chance."""

    def __init__(self, entrants: int) -> None:
        self._shape = (entrants, 2, CELLS)
        self._contracts = np.zeros(self._shape, np.int64)
        self._made = np.zeros(self._shape, np.int64)
        self._bias = [Clustered() for _ in range(entrants)]
        self._squares = [Clustered() for _ in range(entrants)]

    def add(self, rows: Rows, entrant: np.ndarray, clusters: np.ndarray) -> None:
        """Add contracts; those without a stated chance are left out."""
        has = np.flatnonzero(rows["stated"] >= 0)
        if not len(has):
            return
        stated, made = np.minimum(rows["stated"][has], CELLS - 1), rows["made"][has]
        entrant, clusters = entrant[has], clusters[has]
        # By fours: the deal's number tells its dealer.
        half = clusters // 4 % 2
        cell = (2 * entrant + half) * CELLS + stated
        size = self._contracts.size
        self._contracts += np.bincount(cell, minlength=size).reshape(self._shape)
        self._made += np.bincount(cell[made > 0], minlength=size).reshape(self._shape)
        off = 1000 * made - stated
        # Squares of squares would overflow over a whole run: batches are merged as whole numbers
        # of any size.
        sums = CellSums(len(self._bias), ("bias", "squares"))
        sums.add(entrant, clusters, np.stack([off, off * off]))
        for place in np.unique(entrant).tolist():
            self._bias[place] = self._bias[place].merge(sums.of(place, "bias"))
            self._squares[place] = self._squares[place].merge(sums.of(place, "squares"))

    def judge(self, names: list[str]) -> tuple[Reliability, ...]:
        """Judge those who stated chances."""
        return tuple(
            judge(
                name,
                self._contracts[place],
                self._made[place],
                self._bias[place],
                self._squares[place],
            )
            for place, name in enumerate(names)
            if self._bias[place].trials
        )
