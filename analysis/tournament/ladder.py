"""A ladder: strategies of one kind, measured against one opponent on the same deals.

Margins over the opponent are compared with each other deal by deal, so that a step from one rung to
the next has an interval of its own, far narrower than those of the margins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from analysis.compare.side_by_side import resample
from analysis.show.flat import write_csv
from analysis.show.text import Table, count, number, percent
from analysis.stats.intervals import Clustered, Interval
from analysis.summary.matches import summarise_matches
from simulate.runs.pairing import meeting_of
from simulate.runs.study import Study
from simulate.store.schema import score_columns
from simulate.store.settings import Unit

#: Confidence of a step, of which a ladder has many.
STEP_CONFIDENCE = 0.99


class Rung(NamedTuple):
    """An entrant on the ladder.

    Attributes
    ----------
    entrant : str
    margin : float
        Over the opponent, points a hand; 0 for the opponent itself.
    interval : Interval or None
        Of 95 %; None for the opponent, and with fewer than two deals.
    step : float or None
        Margin more than that of the rung below; None for the lowest.
    step_interval : Interval or None
        Of 99 %.
    won : Clustered or None
        Matches won of all played against the opponent; None where none were.
    microseconds : float
        Of a hand with the entrant at every seat.
    share : float or None
        Of the gap between the lowest and the clairvoyant rung; None where there is no such gap.
    """

    entrant: str
    margin: float
    interval: Interval | None
    step: float | None
    step_interval: Interval | None
    won: Clustered | None
    microseconds: float
    share: float | None


class Ladder(NamedTuple):
    """Rungs of one kind, the highest first.

    Attributes
    ----------
    title : str
    opponent : str
    deals, matches : int
        Paired, of each rung.
    rungs : list of Rung
    """

    title: str
    opponent: str
    deals: int
    matches: int
    rungs: list[Rung]

    def table(self) -> Table:
        """Table for a person."""
        heads = ["entrant", "points a hand", "above the next", "matches won", "us a hand", "of gap"]
        return Table(self.title, heads, [self._cells(rung) for rung in self.rungs])

    def note(self) -> str:
        """Say what the table shows."""
        played = count(self.deals, "paired deal")
        if self.matches:
            played += f" and {count(self.matches, 'paired match', 'paired matches')}"
        return (
            f"Points a hand against {self.opponent}, with half the width of the 95 % interval, and "
            f"those above the next entrant, with that of the 99 % interval; {played} each."
        )

    def _cells(self, rung: Rung) -> list[str]:
        won = rung.won
        return [
            rung.entrant,
            _with_half(rung.margin, rung.interval),
            _with_half(rung.step, rung.step_interval),
            percent(won.rate if won else None),
            f"{rung.microseconds:,.0f}" if rung.microseconds >= 10 else f"{rung.microseconds:.1f}",
            "-" if rung.share is None else f"{100 * rung.share:.0f} %",
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Facts of each rung."""
        return [
            rung._asdict()
            | {
                "won": rung.won.rate if rung.won else None,
                "won_interval": rung.won.interval() if rung.won else None,
            }
            for rung in self.rungs
        ]

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        return self._asdict() | {"rungs": self.rows()}


def _with_half(mean: float | None, interval: Interval | None) -> str:
    half = "" if interval is None else f" +- {(interval.high - interval.low) / 2:.2f}"
    return number(mean) + half


def write_ladders(ladders: Sequence[Ladder], folder: Path) -> Path:
    """Write ``ladder.csv``: a row a rung, in the order of the tables.

    ``low`` and ``high`` are of 95 %, ``step_low`` and ``step_high`` of 99 %, all of them Student's.
    """
    rows = [
        {"ladder": ladder.title, "opponent": ladder.opponent, "n": ladder.deals} | rung
        for ladder in ladders
        for rung in ladder.rows()
    ]
    return write_csv(rows, folder / "ladder.csv")


def climb(
    study: Study,
    groups: Mapping[str, Sequence[str]],
    costs: Mapping[str, float],
    ends: tuple[str, str],
) -> list[Ladder]:
    """Make the ladders of a gauntlet whose runs are finished.

    Parameters
    ----------
    study : Study
        Every run is of the opponent, who sits N, against one entrant.
    groups : mapping of str to sequence of str
        By title, the entrants of a ladder; those that failed are left out.
    costs : mapping of str to float
        Microseconds of a hand, by entrant.
    ends : (str, str)
        Entrants between which the gap is.

    Raises
    ------
    RunError
        When a run is unfinished or damaged.
    """
    opponent = study.options["entrants"][0]
    met, matches = (_others(study, unit) for unit in ("deals", "matches"))
    won = {name: summarise_matches(study.run(run)).wins[1] for name, run in matches.items()}
    margins = _Margins(study, met, opponent)
    gap = margins.gap(*ends)
    ladders = []
    for title, group in groups.items():
        ranked = sorted(filter(margins.knows, group), key=margins.mean, reverse=True)
        rungs = []
        for name, below in zip(ranked, [*ranked[1:], None], strict=True):
            step, step_interval = margins.step(name, below) if below else (None, None)
            mean = margins.mean(name)
            rungs.append(
                Rung(
                    entrant=name,
                    margin=mean,
                    interval=margins.interval(name),
                    step=step,
                    step_interval=step_interval,
                    won=won.get(name),
                    microseconds=costs[name],
                    share=(mean - gap[0]) / gap[1] if gap and set(ends) <= set(group) else None,
                )
            )
        played = max((study.counts[run] for run in matches.values()), default=0)
        ladders.append(Ladder(title, opponent, margins.deals, played, rungs))
    return ladders


class _Margins:
    """Margins of entrants over the opponent, on the same deals."""

    def __init__(self, study: Study, met: Mapping[str, str], opponent: str) -> None:
        runs = [study.run(run) for run in met.values()]
        settings = runs[0].settings
        unit = settings.legs * (len(score_columns(settings.rules)) - 1)
        sums = resample(runs, -np.eye(len(runs), dtype=np.int64))
        # The opponent against itself is exactly level in every deal.
        self._places = {name: place for place, name in enumerate([*met, opponent])}
        self._means = np.append(sums.means / unit, 0.0)
        self._covariance = np.pad(sums.covariance / unit**2, (0, 1))
        self.deals = sums.deals

    def knows(self, name: str) -> bool:
        return name in self._places

    def mean(self, name: str) -> float:
        return float(self._means[self._places[name]])

    def interval(self, name: str) -> Interval | None:
        place = self._places[name]
        return self._around(self.mean(name), self._covariance[place, place], 0.95)

    def step(self, name: str, below: str) -> tuple[float, Interval | None]:
        """How far an entrant is above another."""
        own, other = self._places[name], self._places[below]
        both = self._covariance[np.ix_([own, other], [own, other])]
        mean = self.mean(name) - self.mean(below)
        return mean, self._around(mean, both[0, 0] + both[1, 1] - 2 * both[0, 1], STEP_CONFIDENCE)

    def gap(self, low: str, high: str) -> tuple[float, float] | None:
        """Lower end and width of the gap between two entrants."""
        if not (self.knows(low) and self.knows(high)):
            return None
        width = self.mean(high) - self.mean(low)
        return (self.mean(low), width) if width > 0 else None

    def _around(self, mean: float, variance: float, confidence: float) -> Interval | None:
        """Student's interval; None where nothing varies or is known."""
        if variance <= 0 or self.deals < 2:
            return None
        quantile = float(special.stdtrit(self.deals - 1, (1 + confidence) / 2))
        half = quantile * math.sqrt(variance)
        return Interval(mean - half, mean + half)


def _others(study: Study, unit: Unit) -> dict[str, str]:
    """Names of the runs that stand, by the opponent's opponent."""
    entries = {}
    for name in study.standing:
        if study.runs[name].unit == unit:
            entries[meeting_of(study.runs[name]).other[0]] = name
    return entries
