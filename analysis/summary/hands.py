"""What a run shows at a glance: contracts, scores, the margin between the sides.

Everything is added up from the part files in batches, so that memory does not grow with the run;
deals, or matches, are the independent units (see :mod:`analysis.stats.intervals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.show.result import Shown
from analysis.show.text import (
    Table,
    Team,
    count,
    number,
    numbers,
    percent,
    percents,
    seats_head,
    teams_of,
)
from analysis.stats.intervals import Clustered
from analysis.summary.matches import Matches, summarise_matches
from analysis.summary.tally import Tally, whole_deals
from simulate.cards import BIDS, DENOMINATIONS, denomination_of, level_of
from simulate.runs.play import Run
from simulate.store.settings import Settings


@dataclass(frozen=True)
class Contracts:
    """How the contracts of one entrant, or those of one bid, came home.

    Attributes
    ----------
    entrant : str
        Of the declarer.
    level, denomination : int or None
        None for all the entrant's contracts.
    made : Clustered
    score, against : float
        Mean score of the declarers and of the defenders.
    """

    entrant: str
    level: int | None
    denomination: int | None
    made: Clustered
    score: float
    against: float

    @property
    def bid(self) -> str:
        """Text of the bid, or ``all``."""
        if self.level is None or self.denomination is None:
            return "all"
        return f"{self.level}{DENOMINATIONS[self.denomination]}"

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        return {
            "entrant": self.entrant,
            "level": self.level,
            "denomination": None if self.denomination is None else DENOMINATIONS[self.denomination],
            "count": self.made.trials,
            "made": self.made.events,
            "rate": self.made.rate,
            "interval": self.made.interval(),
            "design_effect": self.made.effect,
            "mean_score": self.score,
            "mean_against": self.against,
        }


@dataclass(frozen=True, repr=False)
class Summary(Shown):
    """Summary of a run.

    Attributes
    ----------
    settings : Settings
    hands : int
        Rows.
    contracts : tuple of Contracts
        By entrant; for each all its contracts first, then by bid.
    passed_out : Clustered
        Hands without a contract, of all.
    teams : tuple of Team
        Two; with three players, three.
    scores : tuple of Clustered
        Of each team in a hand.
    margins : dict of (int, int) to Clustered
        One team's score in a hand less another's.
    matches : Matches or None
        In a run of matches.
    """

    settings: Settings
    hands: int
    contracts: tuple[Contracts, ...]
    passed_out: Clustered
    teams: tuple[Team, ...]
    scores: tuple[Clustered, ...]
    margins: dict[tuple[int, int], Clustered]
    matches: Matches | None = None

    @property
    def margin(self) -> Clustered:
        """First team's score in a hand less the second's."""
        return self.margins[0, 1]

    def sentence(self) -> str:
        """Say who wins, or scores, more and how sure that is.

        A sentence on the matches; or one for each pair of teams, on their scores.
        """
        if self.matches:
            return self.matches.sentence()
        return "\n".join(self._pair_sentence(*pair) for pair in self.margins)

    def _pair_sentence(self, one: int, other: int) -> str:
        margin = self.margins[one, other]
        mean, interval = margin.rate, margin.mean_interval()
        assert mean is not None  # a run has a deal
        pair = self.teams[one], self.teams[other]
        paired = self.settings.legs > 1
        units = count(self.settings.count, "paired deal" if paired else "deal")
        if pair[0].name == pair[1].name and paired and margin.events2 == 0:
            return f"{pair[0].name} against itself: level in every one of {units}, as it must be."
        ours, theirs = (team.label for team in pair)
        if interval is None:
            text = f"{units}, too few for an interval"
            low, high = 0.0, 0.0
        else:
            low, high = interval
        if mean < 0:
            ours, theirs, mean, low, high = theirs, ours, -mean, -high, -low
        if interval is not None:
            text = f"95 % interval {low:.1f} to {high:.1f}, {units}"
        unsure = ": too close to call" if low <= 0 <= high else ""
        return f"{ours} scores {mean:.1f} more a hand than {theirs} ({text}){unsure}."

    def notes(self) -> list[str]:
        """Lines to tell below the tables: how often nobody bid."""
        out = self.passed_out
        text = f"{percent(out.rate)} ({percents(out.interval())})"
        return [f"Passed out: {out.events:,} hands, {text}"]

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        teams = []
        for team, score in zip(self.teams, self.scores, strict=True):
            facts = {"name": team.name, "seats": team.seats}
            teams.append(facts | {"mean_score": score.rate, "interval": score.mean_interval()})
        margins = []
        for (one, other), margin in self.margins.items():
            facts = {"first": self.teams[one].name, "second": self.teams[other].name}
            margins.append(facts | {"mean": margin.rate, "interval": margin.mean_interval()})
        return {
            self.settings.unit: self.settings.count,
            "legs": self.settings.legs,
            "hands": self.hands,
            "seed": self.settings.seed,
            "rules_changed": self.settings.rules.changes(),
            **({"match": self.matches.as_dict()} if self.matches else {}),
            "contracts": [contract.as_dict() for contract in self.contracts],
            "passed_out": {
                "count": self.passed_out.events,
                "rate": self.passed_out.rate,
                "interval": self.passed_out.interval(),
            },
            "teams": teams,
            "margins": margins,
            "paired": self.settings.legs > 1,
            "sentence": self.sentence(),
        }

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return self.tables()

    def tables(self) -> list[Table]:
        """Tables for a person: the matches, the contracts of each entrant, then the scores."""
        tables = self.matches.tables() if self.matches else []
        for entrant in dict.fromkeys(contract.entrant for contract in self.contracts):
            own = [contract for contract in self.contracts if contract.entrant == entrant]
            rows = bid_rows([*own[1:], own[0]])
            columns = ["bid", "contracts", "made", "95 % interval", "score", "defenders"]
            tables.append(Table(f"Contracts of {entrant}", columns, rows))
        rows = []
        for team, score in zip(self.teams, self.scores, strict=True):
            text = number(score.rate), numbers(score.mean_interval())
            rows.append([team.name, team.seats_text, *text])
        for (one, other), margin in self.margins.items():
            seats = f"{self.teams[one].seats_text} less {self.teams[other].seats_text}"
            text = number(margin.rate), numbers(margin.mean_interval())
            rows.append(["difference", seats, *text])
        columns = ["side", seats_head(self.settings), "mean", "95 % interval"]
        tables.append(Table("Score a hand", columns, rows))
        return tables


def bid_rows(contracts: list[Contracts]) -> list[list[str]]:
    """Rows of a table of contracts."""
    return [
        [
            contract.bid,
            f"{contract.made.trials:,}",
            percent(contract.made.rate),
            percents(contract.made.interval()),
            f"{contract.score:.1f}",
            f"{contract.against:.1f}",
        ]
        for contract in contracts
    ]


def summarise(run: Run) -> Summary:
    """Summarise a finished run.

    Raises
    ------
    RunError
        When the run is unfinished, or a part is damaged.
    """
    settings = run.settings
    tally = Tally(settings)
    for rows in whole_deals(run):
        tally.add(rows)
    contracts = []
    for entrant, name in enumerate(tally.names):
        if tally.entrants[entrant, 0]:
            contracts.append(contracts_of(name, None, tally.entrants[entrant]))
        for bid in range(BIDS):
            cell = tally.bids[BIDS * entrant + bid]
            if cell[0]:
                contracts.append(contracts_of(name, bid, cell))
    return Summary(
        settings=settings,
        hands=tally.hands,
        contracts=tuple(contracts),
        passed_out=Clustered(*tally.passed[0, :6].tolist()),
        teams=teams_of(settings),
        scores=tuple(tally.teams),
        margins=tally.margins,
        matches=summarise_matches(run) if settings.unit == "matches" else None,
    )


def contracts_of(name: str, bid: int | None, cell: np.ndarray) -> Contracts:
    """Contracts of an entrant, of one bid or (None) of all, from their sums in a `Tally`."""
    made = Clustered(*cell[:6].tolist())
    return Contracts(
        entrant=name,
        level=None if bid is None else level_of(bid + 1),
        denomination=None if bid is None else denomination_of(bid + 1),
        made=made,
        score=int(cell[6]) / made.trials,
        against=int(cell[7]) / made.trials,
    )
