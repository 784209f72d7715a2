"""How often bids come home and what they score, by entrant, level, denomination and more.

These are contracts that the entrants chose: the rate says how this bidder and this player do with
the hands they bid on, not what the chance of a bid is with any hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.bids.features import Feature, Rows
from analysis.stats.cells import CellSums
from analysis.stats.intervals import Clustered
from analysis.summary.tally import bid_places
from simulate.cards import BIDS, DENOMINATIONS, LEVELS, bid_of
from simulate.store.settings import Settings

#: Columns of ``hands/`` that the tally reads.
COLUMNS: tuple[str, ...] = ("deal_id", "leg", "declarer", "level", "denomination", "made", "stated")
COLUMNS += ("tricks_def", "melds_decl", "score_decl", "score_def")

_VALUES = ("made", "score", "margin", "still_made", "least", "most", "stated", "states")


@dataclass(frozen=True)
class Bid:
    """Contracts of an entrant that are counted together.

    Attributes
    ----------
    entrant : str
        Of the declarer.
    level, denomination : int or None
        None where all are counted together.
    value : str or None
        Value of the feature by which contracts are told apart.
    made : Clustered
    score, margin : Clustered
        Of the declarers; and theirs less the defenders'.
    still_made : Clustered or None
        Contracts that would be made one level higher as well, with the layout that was laid: so
        many at least, and no more than were made. None where there is no higher level, or the
        table does not say.
    least, most : Clustered or None
        Bounds of what one level more would have added to the declarers' score, the cards being
        played as they were.
    stated : float or None
        Mean of the chances stated, where all these contracts have one.
    """

    entrant: str
    level: int | None
    denomination: int | None
    value: str | None
    made: Clustered
    score: Clustered
    margin: Clustered
    still_made: Clustered | None
    least: Clustered | None
    most: Clustered | None
    stated: float | None

    @property
    def text(self) -> str:
        """Text of the bid: ``3H``, ``level 3``, or ``all``."""
        if self.level is None:
            return "all"
        if self.denomination is None:
            return f"level {self.level}"
        return f"{self.level}{DENOMINATIONS[self.denomination]}"

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        facts: dict[str, Any] = {
            "entrant": self.entrant,
            "level": self.level,
            "denomination": None if self.denomination is None else DENOMINATIONS[self.denomination],
        }
        if self.value is not None:
            facts["value"] = self.value
        facts |= {
            "count": self.made.trials,
            "deals": self.made.clusters,
            "made": self.made.events,
            "rate": self.made.rate,
            "interval": self.made.interval(),
            "method": self.made.method,
            "design_effect": self.made.effect,
            "mean_score": self.score.rate,
            "score_interval": self.score.mean_interval(),
            "mean_margin": self.margin.rate,
            "margin_interval": self.margin.mean_interval(),
            "mean_stated": self.stated,
        }
        if self.still_made and self.least and self.most:
            facts["one_level_more"] = {
                "made_at_least": self.still_made.rate,
                "made_at_most": self.made.rate,
                "adds_at_least": self.least.rate,
                "adds_at_most": self.most.rate,
            }
        return facts


class BidTally:
    """Adds up contracts by entrant and bid, and by a feature.

    Parameters
    ----------
    settings : Settings
    names : list of str
        The entrants, each once.
    feature : Feature, optional
    """

    def __init__(self, settings: Settings, names: list[str], feature: Feature | None) -> None:
        self._settings = settings
        self._names = names
        self._feature = feature
        values = len(feature.labels) if feature else 0
        #: Levels and denominations from 1 and 0; 0 and -1 where all are counted together.
        kinds = [(0, -1), *((level, -1) for level in range(1, LEVELS + 1))]
        kinds += [bid_of(bid + 1) for bid in range(BIDS)]
        self._kinds = kinds
        places = len(names) * len(kinds)
        self._sums = [CellSums(places, _VALUES) for _ in range(3)]
        self._by = [CellSums(places * values, _VALUES) for _ in range(3)] if feature else []

    def add(self, rows: Rows, entrant: np.ndarray, clusters: np.ndarray) -> None:
        """Add contracts.

        Parameters
        ----------
        rows : dict of str to int64 array
            :data:`COLUMNS` and those of the feature; `stated` is -1 where it is null.
        entrant : int64 array
            Place of the declarer's entrant among the names.
        clusters : int64 array
            What is independent: the deal, or the match.
        """
        level, denomination = rows["level"], rows["denomination"]
        values = self._values(rows)
        bid = bid_places(level, denomination)
        kinds = len(self._kinds)
        cells = [kinds * entrant + kind for kind in (0, level, 1 + LEVELS + bid)]
        # Apart, since a trial may stand in one cell of a table alone.
        for sums, cell in zip(self._sums, cells, strict=True):
            sums.add(cell, clusters, values)
        if self._feature:
            number = len(self._feature.labels)
            value = self._feature.values(rows)
            for sums, cell in zip(self._by, cells, strict=True):
                sums.add(number * cell + value, clusters, values)

    def _values(self, rows: Rows) -> np.ndarray:
        rules = self._settings.rules
        made, level, score = rows["made"], rows["level"], rows["score_decl"]
        still = made * (rows["melds_decl"] > level)
        # A contract that fails one level higher, but not here, costs what was scored.
        fine = -rules.fail_multiplier * (level + 1)
        if not rules.failed_contract_scores:
            slam = np.where(rows["tricks_def"] == 0, rules.slam_bonus, 0)
            fine = fine + slam - score
        failed = (1 - made) * -rules.fail_multiplier
        stated = rows["stated"]
        return np.stack(
            [
                made,
                score,
                score - rows["score_def"],
                still,
                failed + (made - still) * fine,
                failed,
                np.maximum(stated, 0),
                (stated >= 0).astype(np.int64),
            ]
        )

    def bids(self) -> tuple[Bid, ...]:
        """By entrant: all contracts, those of each level, those of each bid that occurs."""
        return tuple(
            self._bid(self._sums, cell, cell, None)
            for cell in range(len(self._names) * len(self._kinds))
            if self._sums[self._which(cell)].trials(cell)
        )

    def by_feature(self) -> tuple[Bid, ...]:
        """Likewise, for each value of the feature that occurs."""
        if not self._feature:
            return ()
        labels = self._feature.labels
        return tuple(
            self._bid(self._by, len(labels) * cell + place, cell, label)
            for cell in range(len(self._names) * len(self._kinds))
            for place, label in enumerate(labels)
            if self._by[self._which(cell)].trials(len(labels) * cell + place)
        )

    def _which(self, cell: int) -> int:
        """Tell in which sums a cell lies: of all, of levels, of bids."""
        level, denomination = self._kinds[cell % len(self._kinds)]
        return 0 if not level else 1 if denomination < 0 else 2

    def _bid(self, sums: list[CellSums], place: int, cell: int, label: str | None) -> Bid:
        entrant, kind = divmod(cell, len(self._kinds))
        level, denomination = self._kinds[kind]
        of = sums[self._which(cell)].of
        rules = self._settings.rules
        # In hard bid the target decides as well, and one level more says nothing of it.
        more = 0 < level < rules.max_level and rules.hard_bid == "off"
        states, stated = of(place, "states"), of(place, "stated")
        return Bid(
            entrant=self._names[entrant],
            level=level or None,
            denomination=denomination if denomination >= 0 else None,
            value=label,
            made=of(place, "made"),
            score=of(place, "score"),
            margin=of(place, "margin"),
            still_made=of(place, "still_made") if more else None,
            least=of(place, "least") if more else None,
            most=of(place, "most") if more else None,
            stated=stated.events / 1000 / stated.trials if states.rate == 1 else None,
        )
