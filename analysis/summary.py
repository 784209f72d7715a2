"""What a run shows at a glance: contracts, scores, the margin between the sides.

Everything is added up from the part files in batches, so that memory does not grow with the run;
deals are the independent units (see :mod:`analysis.intervals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from analysis.intervals import Clustered, Interval, Moments
from analysis.tally import BIDS, Tally, whole_deals
from simulate.cards import DENOMINATIONS
from simulate.runs import Run
from simulate.settings import Settings


class Table(NamedTuple):
    """A table to be shown: texts alone."""

    title: str
    columns: list[str]
    rows: list[list[str]]


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


@dataclass(frozen=True)
class Team:
    """Entrants that play together, N and S in leg 0 or E and W; of three players, one.

    Attributes
    ----------
    name : str
        The entrant where both are the same, else both.
    seats : str
        Where they sit in leg 0.
    sums : Moments
        Over deals, of the scores summed over the legs.
    """

    name: str
    seats: str
    sums: Moments


@dataclass(frozen=True)
class Summary:
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
    margins : dict of (int, int) to Moments
        Over deals, of one team's score less another's, summed over the legs.
    """

    settings: Settings
    hands: int
    contracts: tuple[Contracts, ...]
    passed_out: Clustered
    teams: tuple[Team, ...]
    margins: dict[tuple[int, int], Moments]

    @property
    def deals(self) -> int:
        """Deals played."""
        return self.teams[0].sums.n

    @property
    def margin(self) -> Moments:
        """First team's score less the second's, over deals."""
        return self.margins[0, 1]

    def a_hand(self, sums: Moments) -> tuple[float | None, Interval | None]:
        """Mean a hand and its interval, of sums over the legs of a deal."""
        legs = self.settings.legs
        mean, interval = sums.mean, sums.interval()
        return (
            None if mean is None else mean / legs,
            None if interval is None else Interval(interval.low / legs, interval.high / legs),
        )

    def sentence(self) -> str:
        """Say who scores more, and how sure that is: a sentence for each pair of teams."""
        return "\n".join(self._pair_sentence(*pair) for pair in self.margins)

    def _pair_sentence(self, one: int, other: int) -> str:
        margin = self.margins[one, other]
        pair = self.teams[one], self.teams[other]
        mean, interval = self.a_hand(margin)
        assert mean is not None  # a run has a deal
        ours, theirs = (team.name for team in pair)
        unit = "paired deal" if self.settings.legs > 1 else "deal"
        units = f"{self.deals:,} {unit}{'' if self.deals == 1 else 's'}"
        if ours == theirs and self.settings.legs > 1 and margin.squares == 0:
            return f"{ours} against itself: level in every one of {units}, as it must be."
        names = [team.name for team in self.teams]
        ours, theirs = (
            f"{team.name} at {_seats(team)}" if names.count(team.name) > 1 else team.name
            for team in pair
        )
        if interval is None:
            told = f"{units}, too few for an interval"
            low, high = 0.0, 0.0
        else:
            low, high = interval
        if mean < 0:
            ours, theirs, mean, low, high = theirs, ours, -mean, -high, -low
        if interval is not None:
            told = f"95 % interval {low:.1f} to {high:.1f}, {units}"
        unsure = ": too close to call" if low <= 0 <= high else ""
        return f"{ours} scores {mean:.1f} more a hand than {theirs} ({told}){unsure}."

    def passed_out_text(self) -> str:
        """Say how often nobody bid."""
        out = self.passed_out
        interval = _percents(out.interval())
        return f"Passed out: {out.events:,} hands, {_percent(out.rate)} ({interval})"

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        teams = []
        for team in self.teams:
            mean, interval = self.a_hand(team.sums)
            facts = {"name": team.name, "seats": team.seats}
            teams.append(facts | {"mean_score": mean, "interval": interval})
        margins = []
        for (one, other), sums in self.margins.items():
            mean, interval = self.a_hand(sums)
            facts = {"first": self.teams[one].name, "second": self.teams[other].name}
            margins.append(facts | {"mean": mean, "interval": interval})
        return {
            "deals": self.deals,
            "legs": self.settings.legs,
            "hands": self.hands,
            "seed": self.settings.seed,
            "rules_changed": self.settings.rules.changes(),
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

    def tables(self) -> list[Table]:
        """Tables for a person: the contracts of each entrant, then the scores."""
        tables = []
        for entrant in dict.fromkeys(contract.entrant for contract in self.contracts):
            own = [contract for contract in self.contracts if contract.entrant == entrant]
            rows = [
                [
                    contract.bid,
                    f"{contract.made.trials:,}",
                    _percent(contract.made.rate),
                    _percents(contract.made.interval()),
                    f"{contract.score:.1f}",
                    f"{contract.against:.1f}",
                ]
                for contract in [*own[1:], own[0]]
            ]
            columns = ["bid", "contracts", "made", "95 % interval", "score", "defenders"]
            tables.append(Table(f"Contracts of {entrant}", columns, rows))
        rows = []
        for team in self.teams:
            mean, interval = self.a_hand(team.sums)
            rows.append([team.name, _seats(team), _number(mean), _numbers(interval)])
        for (one, other), sums in self.margins.items():
            mean, interval = self.a_hand(sums)
            told = f"{_seats(self.teams[one])} less {_seats(self.teams[other])}"
            rows.append(["difference", told, _number(mean), _numbers(interval)])
        columns = ["side", "seats" if self.settings.legs == 1 else "seats in leg 0"]
        tables.append(Table("Score a hand", [*columns, "mean", "95 % interval"], rows))
        return tables


def _seats(team: Team) -> str:
    return "+".join(team.seats)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _percents(interval: Interval | None) -> str:
    return "-" if interval is None else f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _numbers(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


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
            contracts.append(_contracts(name, None, tally.entrants[entrant]))
        for bid in range(BIDS):
            cell = tally.bids[BIDS * entrant + bid]
            if cell[0]:
                contracts.append(_contracts(name, bid, cell))
    teams = []
    four = settings.rules.players == 4
    for seats, sums in zip(("NS", "EW") if four else "NES", tally.teams, strict=True):
        names = dict.fromkeys(settings.entrants[seat].text for seat in seats)
        teams.append(Team(" + ".join(names), seats, sums))
    return Summary(
        settings=settings,
        hands=tally.hands,
        contracts=tuple(contracts),
        passed_out=Clustered(*tally.passed[0, :6].tolist()),
        teams=tuple(teams),
        margins=tally.margins,
    )


def _contracts(name: str, bid: int | None, cell: np.ndarray) -> Contracts:
    made = Clustered(*cell[:6].tolist())
    return Contracts(
        entrant=name,
        level=None if bid is None else bid // 5 + 1,
        denomination=None if bid is None else bid % 5,
        made=made,
        score=int(cell[6]) / made.trials,
        against=int(cell[7]) / made.trials,
    )
