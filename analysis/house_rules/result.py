"""House rules side by side: what a study of them comes to.

Every rule set is played by the same entrants on the same deals: each entrant at all seats, each two
against each other, and whole matches. So what differs is due to the rules, and differences to the
base are paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from analysis.house_rules.columns import (
    PAIRING_COLUMNS,
    beside,
    column_names,
    stream_pairing,
    stream_table,
)
from analysis.house_rules.measures import (
    MATCH_MEASURES,
    contest_measures,
    ladder_measures,
    table_measures,
)
from analysis.house_rules.winning import MATCH_COLUMNS, Winning, learn_winning, stream_matches
from analysis.stats.bootstrap import Resampled
from analysis.stats.intervals import Clustered
from analysis.stats.measures import Columns, Estimate, Measure, Verdict, judge_fair
from analysis.stats.multiple import holm
from analysis.summary.matches import Matches, summarise_matches
from analysis.summary.tally import whole_clusters
from simulate.rules import Rules
from simulate.runs.pairing import meeting_of
from simulate.runs.play import Run
from simulate.runs.study import Study
from simulate.store.schema import score_columns

#: Columns of the match runs of the last of the ladder against the first.
_CONTEST = ("met", "won")

#: Chance that any difference is told that is none, in all readings together.
LEVEL = 0.05

#: From a run of one entrant at all seats: points of each kind of meld in a hand, or None.
Sample = Callable[[Run], dict[str, Clustered]]


class Measured(NamedTuple):
    """A measure of a rule set.

    Attributes
    ----------
    measure : Measure
    entrant : str
        Who sits at all seats; empty for measures of the whole ladder.
    estimate : Estimate
    difference : Estimate or None
        To the base; None for the base itself, and for other numbers of players.
    p_value : float
        Of the difference, corrected for all that are tested; nan where it is not.
    """

    measure: Measure
    entrant: str
    estimate: Estimate
    difference: Estimate | None
    p_value: float = math.nan

    @property
    def real(self) -> bool:
        """Whether the difference is no chance, and worth a word."""
        return (
            self.difference is not None
            and self.p_value <= LEVEL
            and bool(self.measure.worth)
            and abs(self.difference.value) >= self.measure.worth
        )


@dataclass(frozen=True)
class RuleSet:
    """What a rule set comes to.

    Attributes
    ----------
    name : str
    rules : Rules
    results : list of Measured
    matches : Matches
        Of the reference entrant at all seats.
    winning : Winning
    melds : dict of str to Clustered
        Points of each kind of meld in a hand, of a sample of hands of the reference entrant.
    """

    name: str
    rules: Rules
    results: list[Measured]
    matches: Matches
    winning: Winning
    melds: dict[str, Clustered]

    def of(self, measure: str, entrant: str | None = None) -> Measured:
        """Find a measure, of the reference entrant where none is named."""
        for row in self.results:
            if row.measure.name == measure and entrant in (None, row.entrant):
                return row
        raise KeyError(measure)


@dataclass(frozen=True)
class HouseRules:
    """Rule sets side by side.

    Attributes
    ----------
    entrants : list of str
        The ladder; the last one is the reference.
    sets : list of RuleSet
        The base first.
    deals, matches : int
        Of each run.
    seed : int
    within : float
        Advantage in points a hand up to which a rule set counts as fair.
    """

    entrants: list[str]
    sets: list[RuleSet]
    deals: int
    matches: int
    seed: int
    within: float

    @property
    def base(self) -> RuleSet:
        """Rule set that the others are compared with."""
        return self.sets[0]

    @property
    def reference(self) -> str:
        """Entrant at all seats whose measures are told first."""
        return self.entrants[-1]

    def verdict(self, of: RuleSet, measure: str) -> Verdict:
        """Tell whether an advantage is as good as none."""
        return judge_fair(of.of(measure, self.reference).estimate, self.within)


def weigh(study: Study, sample: Sample) -> HouseRules:
    """Weigh the rule sets of a study that is played.

    Parameters
    ----------
    study : Study
        Its options hold `entrants`, `within`, and by rule set in `sets` the names of its runs:
        `tables`, `pairings`, `matches` and `contest`.
    sample : callable
        Plays hands of a run anew for what its table does not hold.

    Raises
    ------
    RunError
        When a run is unfinished or damaged.
    """
    entrants: list[str] = study.options["entrants"]
    facts = {name: _Runs.of(study, runs) for name, runs in study.options["sets"].items()}
    base, *_ = facts
    sets = {name: _weigh_one(name, facts, base, entrants) for name in facts}
    tested = [
        (name, place)
        for name, (result, _) in sets.items()
        for place, each in enumerate(result)
        if each.difference is not None and each.measure.worth
        if each.entrant in ("", entrants[-1])
    ]
    values = [_difference(sets[name][0][place]).p_value for name, place in tested]
    for (name, place), p_value in zip(tested, holm(np.array(values)), strict=True):
        result = sets[name][0]
        result[place] = result[place]._replace(p_value=float(p_value))
    first = facts[base].tables[-1].settings
    return HouseRules(
        entrants=entrants,
        sets=[
            RuleSet(
                name,
                runs.rules,
                sets[name][0],
                summarise_matches(runs.matches),
                sets[name][1],
                sample(runs.tables[-1]),
            )
            for name, runs in facts.items()
        ],
        deals=first.count,
        matches=facts[base].matches.settings.count,
        seed=first.seed,
        within=study.options["within"],
    )


def _difference(result: Measured) -> Estimate:
    assert result.difference is not None
    return result.difference


class _Runs(NamedTuple):
    """Runs of a rule set."""

    tables: list[Run]
    pairings: list[Run]
    matches: Run
    contest: Run

    @classmethod
    def of(cls, study: Study, names: dict[str, Any]) -> _Runs:
        return cls(
            [study.run(name) for name in names["tables"]],
            [study.run(name) for name in names["pairings"]],
            study.run(names["matches"]),
            study.run(names["contest"]),
        )

    @property
    def rules(self) -> Rules:
        return self.matches.settings.rules

    def deal_columns(self, entrants: Sequence[str]) -> dict[str, list[str]]:
        """Columns of hands by prefix."""
        names = column_names(self.rules)
        columns = {f"{entrant}|": names for entrant in entrants}
        return columns | {
            "|": [
                f"{place}.{name}" for place in range(len(self.pairings)) for name in PAIRING_COLUMNS
            ]
        }

    def deal_streams(self) -> list[Iterator[np.ndarray]]:
        """Streams of these columns."""
        return [*map(stream_table, self.tables), *map(stream_pairing, self.pairings)]

    def met(self, entrants: Sequence[str]) -> list[tuple[int, int]]:
        """Who meets in each pairing."""
        meetings = [meeting_of(run.settings) for run in self.pairings]
        return [(entrants.index(m.one[0]), entrants.index(m.other[0])) for m in meetings]

    def measures(self, entrants: Sequence[str]) -> list[tuple[str, Measure]]:
        """Measures of hands, with the prefix of their columns."""
        settings = self.pairings[0].settings
        opponents = len(score_columns(self.rules)) - 1
        ladder = ladder_measures(len(entrants), self.met(entrants), settings.legs, opponents)
        last_first = reversed(entrants)
        of_tables = [
            (f"{name}|", each) for name in last_first for each in table_measures(self.rules)
        ]
        return of_tables + [("|", each) for each in ladder]


def _weigh_one(
    name: str, of_sets: dict[str, _Runs], base: str, entrants: Sequence[str]
) -> tuple[list[Measured], Winning]:
    """Estimate the measures of a rule set, and their differences to the base."""
    own = of_sets[name]
    beside_base = name != base and own.rules.players == of_sets[base].rules.players
    pair = {"own:": own} | ({"base:": of_sets[base]} if beside_base else {})
    hands = _add_up(
        [
            f"{side}{prefix}{column}"
            for side, runs in pair.items()
            for prefix, columns in runs.deal_columns(entrants).items()
            for column in columns
        ],
        [stream for runs in pair.values() for stream in runs.deal_streams()],
        own.tables[0].settings.count,
    )
    winning = {side: learn_winning(runs.matches) for side, runs in pair.items()}
    matches = _add_up(
        [f"{side}{column}" for side in pair for column in MATCH_COLUMNS],
        [stream_matches(runs.matches, winning[side]) for side, runs in pair.items()],
        own.matches.settings.count,
    )
    contest = _add_up(
        [f"{side}{column}" for side in pair for column in _CONTEST],
        [_stream_contest(runs.contest) for runs in pair.values()],
        own.contest.settings.count,
        legs=own.contest.settings.legs,
    )
    wanted = [(hands, prefix, measure) for prefix, measure in own.measures(entrants)]
    wanted += [(matches, "", measure) for measure in MATCH_MEASURES]
    sides = len(score_columns(own.rules))
    wanted += [(contest, "", measure) for measure in contest_measures(sides)]
    rows = []
    for columns, prefix, measure in wanted:
        difference = None
        if beside_base:
            difference = columns.difference(measure, f"own:{prefix}", f"base:{prefix}")
        entrant = prefix.rstrip("|") if columns is hands else ""
        estimate = columns.estimate(measure, f"own:{prefix}")
        rows.append(Measured(measure, entrant, estimate, difference))
    return rows, winning["own:"]


def _add_up(
    names: list[str], streams: list[Iterator[np.ndarray]], rows: int, legs: int = 1
) -> Columns:
    """Add up columns of the same deals or matches."""
    sums: Resampled | None = None
    first = 0
    for values in beside(streams, rows):
        ids = np.arange(first, first + len(values))
        piece = Resampled.of(ids, values, replicates=0)
        sums = piece if sums is None else sums.merge(piece)
        first += len(values)
    assert sums is not None  # a run has a deal
    return Columns(names, sums, legs)


def _stream_contest(run: Run) -> Iterator[np.ndarray]:
    """Count the matches of each id, and those that who sits N in leg 0 has won, shape (n, 2)."""
    names = ["match_id", "leg", "winner"]
    sides = [name.removeprefix("score_").upper() for name in score_columns(run.settings.rules)]
    batches = run.batches(names, "matches")
    for rows in whole_clusters(batches, names, "match_id", 1, {"winner": sides}):
        first = np.flatnonzero(np.r_[True, rows["match_id"][1:] != rows["match_id"][:-1]])
        level = np.where(rows["winner"] < 0, 1 / len(sides), 0.0)
        won = (rows["winner"] == rows["leg"] % len(sides)) + level
        legs = np.diff(np.r_[first, len(won)])
        yield np.column_stack([legs, np.add.reduceat(won, first)])
