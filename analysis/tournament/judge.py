"""Judging a tournament: from the runs of its study to ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from analysis.compare.side_by_side import pick, resample
from analysis.stats.bootstrap import Resampled
from analysis.stats.bradley_terry import fit_strengths, rate_matches
from analysis.stats.intervals import Interval
from analysis.summary.matches import summarise_matches
from analysis.tournament.partners import Sides, add_up
from analysis.tournament.ratings import least_squares, rate
from analysis.tournament.result import Failed, Pairing, Tournament, Won
from simulate.runs.pairing import meeting_of
from simulate.runs.study import Study
from simulate.store.schema import score_columns
from simulate.store.settings import Unit

_Wins = dict[tuple[int, int], Won]


def judge(study: Study) -> Tournament:
    """Judge a tournament whose runs are finished.

    Parameters
    ----------
    study : Study
        Its options name the `entrants` in the order of their entry, those that were `refused` since
        they do not load, and the `format`.

    Raises
    ------
    RunError
        When a run is unfinished or damaged.
    """
    failed = [Failed(entrant, "", why) for entrant, why in study.options["refused"].items()]
    failed += [Failed(failure.entrant, failure.run, failure.why) for failure in study.failures]
    gone = {each.entrant for each in failed}
    entered = [text for text in study.options["entrants"] if text not in gone]
    deals = _add_deals(study, _meetings(study, entered, "deals"))
    met = _meetings(study, entered, "matches")
    wins, effect = _count_matches(study, met)
    order = _rank(len(entered), deals, wins)
    place = {number: rank for rank, number in enumerate(order)}
    if deals:
        deals = deals.numbered(place)
    wins = {(place[one], place[other]): won for (one, other), won in wins.items()}
    k = len(entered)
    return Tournament(
        settings=next(iter(study.runs.values())),
        form=study.options["format"],
        entrants=[entered[number] for number in order],
        failed=failed,
        deals=deals.sums.deals if deals else 0,
        matches=max((study.counts[name] for name in met), default=0),
        pairings=_pairings(deals, wins),
        ratings=rate(k, deals.pairs, deals.of_pairs, deals.unit) if deals else None,
        strengths=rate_matches(_win_table(k, wins), effect) if wins else None,
        additions=(
            add_up(k, deals.sides, deals.sums, deals.unit)
            if deals and len(deals.pairs) < len(deals.sides)
            else None
        ),
    )


@dataclass(frozen=True)
class _Deals:
    """Sums over deals.

    Attributes
    ----------
    sides : list of (tuple of int, tuple of int)
        Who met in each column.
    sums : Resampled
    unit : float
        Margin that is one point a hand.
    """

    sides: list[Sides]
    sums: Resampled
    unit: float

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Entrants that met, partners alike."""
        return [(self.sides[column][0][0], self.sides[column][1][0]) for column in self._alike]

    @property
    def of_pairs(self) -> Resampled:
        """Sums of their columns."""
        return pick(self.sums, self._alike)

    @property
    def _alike(self) -> list[int]:
        return [
            column
            for column, sides in enumerate(self.sides)
            if all(len(set(side)) == 1 for side in sides)
        ]

    def numbered(self, place: dict[int, int]) -> _Deals:
        """Make the same sums of entrants with other numbers."""
        sides = [
            (tuple(place[each] for each in own), tuple(place[each] for each in against))
            for own, against in self.sides
        ]
        return _Deals(sides, self.sums, self.unit)


def _meetings(study: Study, entered: Sequence[str], unit: Unit) -> dict[str, Sides]:
    """Sides of the runs that stand and are counted in `unit`, by name of the run."""
    number = {text: place for place, text in enumerate(entered)}
    entries = {}
    for name in study.standing:
        settings = study.runs[name]
        if settings.unit == unit:
            one, other = meeting_of(settings)
            entries[name] = tuple(number[n] for n in one), tuple(number[n] for n in other)
    return entries


def _add_deals(study: Study, meetings: dict[str, Sides]) -> _Deals | None:
    """Resample the margins of all meetings together; of those that met twice, their mean."""
    if not meetings:
        return None
    met = list(meetings.values())
    sides = [both for both in met if both[::-1] not in met or both[0] < both[1]]
    runs = [study.run(name) for name in meetings]
    combine = np.zeros((len(runs), len(sides)), np.int64)
    for row, both in enumerate(met):
        turned = both not in sides
        combine[row, sides.index(both[::-1] if turned else both)] = -1 if turned else 1
    settings = runs[0].settings
    unit = settings.legs * (len(score_columns(settings.rules)) - 1) * int(abs(combine[:, 0]).sum())
    return _Deals(sides, resample(runs, combine), unit)


def _count_matches(study: Study, meetings: dict[str, Sides]) -> tuple[_Wins, float]:
    """Count the matches of each two entrants, and tell the design effect of their legs."""
    wins: _Wins = {}
    trials = weighted = 0.0
    for name, (own, against) in meetings.items():
        matches = summarise_matches(study.run(name))
        first, *others = matches.wins
        won = Won(
            first.events,
            sum(each.events for each in others) / len(others),
            matches.drawn,
            matches.unfinished,
        )
        trials += first.trials
        weighted += first.trials * first.effect
        pair = own[0], against[0]
        pair, won = (pair, won) if pair[0] < pair[1] else (pair[::-1], won.turned)
        wins[pair] = wins.get(pair, Won()).plus(won)
    return wins, weighted / trials if trials else 1.0


def _win_table(k: int, wins: _Wins) -> np.ndarray:
    """Wins of the row's entrant over the column's, drawn matches counting half for both."""
    table = np.zeros((k, k))
    for (one, other), won in wins.items():
        table[one, other] = won.won + won.drawn / 2
        table[other, one] = won.lost + won.drawn / 2
    return table


def _rank(k: int, deals: _Deals | None, wins: _Wins) -> list[int]:
    """Numbers of the entrants, the best first: by points a hand, or else by matches."""
    if deals:
        means = deals.of_pairs.means / deals.unit
        values = least_squares(k, deals.pairs, means)
    elif wins:
        values = fit_strengths(_win_table(k, wins))
    else:
        values = np.full(k, math.nan)
    return sorted(range(k), key=lambda each: -values[each] if values[each] == values[each] else 0.0)


def _pairings(deals: _Deals | None, wins: _Wins) -> list[Pairing]:
    """Everyone's outcomes, the better entrant first."""
    entries: dict[tuple[int, int], Pairing] = {}
    if deals:
        sums = deals.of_pairs
        means = sums.means / deals.unit
        errors = np.sqrt(np.diag(sums.covariance)) / deals.unit
        quantile = float(special.stdtrit(sums.deals - 1, 0.975)) if sums.deals > 1 else math.nan
        for (one, other), mean, error in zip(deals.pairs, means, errors, strict=True):
            half = quantile * float(error)
            interval = Interval(float(mean) - half, float(mean) + half) if sums.deals > 1 else None
            pairing = Pairing(one, other, float(mean), interval)
            pairing = pairing if one < other else pairing.turned
            entries[pairing.one, pairing.other] = pairing
    for (one, other), won in wins.items():
        pair = min(one, other), max(one, other)
        known = entries.get(pair, Pairing(*pair))
        entries[pair] = known._replace(matches=won if one < other else won.turned)
    return [entries[pair] for pair in sorted(entries)]
