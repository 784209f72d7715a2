"""What a forced run shows at a glance: how often each contract comes home, whoever holds the cards.

These are hands as they come, none of them chosen: the rates are not those of contracts that a
bidder bids (docs/methods.md), and are never pooled with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.show.text import Table
from analysis.summary.hands import Contracts, bid_rows, contracts_of
from analysis.summary.tally import bid_places, count_cells, whole_clusters
from simulate.cards import BIDS, DENOMINATIONS, denomination_of, level_of
from simulate.runs.play import Run
from simulate.store.settings import Settings


@dataclass(frozen=True)
class ForcedSummary:
    """Summary of a forced run.

    Attributes
    ----------
    settings : Settings
    hands : int
        Playouts.
    contracts : tuple of Contracts
        By entrant of the declarer and bid.
    """

    settings: Settings
    hands: int
    contracts: tuple[Contracts, ...]

    def notes(self) -> list[str]:
        """Lines to tell below the tables."""
        return []

    def sentence(self) -> str:
        """Say what the rates are."""
        return (
            f"{self.hands:,} playouts of {self.settings.count:,} deals: chances of hands as they "
            "come, not of contracts that were chosen."
        )

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        return {
            "deals": self.settings.count,
            "legs": self.settings.legs,
            "hands": self.hands,
            "seed": self.settings.seed,
            "rules_changed": self.settings.rules.changes(),
            "forced": True,
            "contracts": [contract.as_dict() for contract in self.contracts],
            "sentence": self.sentence(),
        }

    def tables(self) -> list[Table]:
        """Tables for a person: the contracts of each entrant."""
        columns = ["bid", "contracts", "made", "95 % interval", "score", "defenders"]
        return [
            Table(
                f"Forced contracts of {entrant}",
                columns,
                bid_rows([each for each in self.contracts if each.entrant == entrant]),
            )
            for entrant in dict.fromkeys(contract.entrant for contract in self.contracts)
        ]


def summarise_forced(run: Run) -> ForcedSummary:
    """Summarise a finished forced run.

    Raises
    ------
    RunError
        When the run is unfinished, or a part is damaged.
    """
    settings = run.settings
    texts = [entrant.text for entrant in settings.entrants.values()]
    names = list(dict.fromkeys(texts))
    places = [names.index(text) for text in texts]
    seated = np.array([np.roll(places, leg) for leg in range(settings.legs)])
    levels = range(1, settings.rules.max_level + 1)
    columns = ["deal_id", "leg", "declarer", "denomination", "score_def"]
    columns += [f"{name}_{level}" for level in levels for name in ("made", "score")]
    cells = np.zeros((len(names) * BIDS, 8), np.int64)
    hands = 0
    for rows in whole_clusters(run.batches(columns, "forced"), columns, "deal_id", 1):
        hands += len(rows["leg"])
        deals = np.cumsum(np.r_[0, np.diff(rows["deal_id"]) != 0])
        entrant = seated[rows["leg"], rows["declarer"]]
        for level in levels:
            scores = rows[f"score_{level}"], rows["score_def"]
            cell = BIDS * entrant + bid_places(level, rows["denomination"])
            cells += count_cells(cell, deals, rows[f"made_{level}"], scores, len(cells))
    known = [DENOMINATIONS.index(name) for name in settings.rules.denominations]
    contracts = [
        contracts_of(name, bid, cells[BIDS * entrant + bid])
        for entrant, name in enumerate(names)
        for bid in range(BIDS)
        if denomination_of(bid + 1) in known and level_of(bid + 1) <= settings.rules.max_level
    ]
    return ForcedSummary(settings, hands, tuple(contracts))
