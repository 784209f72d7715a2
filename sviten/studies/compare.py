"""Comparisons: pairs of deals until the answer is sure; `sviten` gives these out under its name.

A comparison is a study of one run, which is played by :mod:`sviten.studies.until_sure`.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

from analysis.compare.comparison import Comparison
from analysis.compare.interim import BATCH
from analysis.compare.path_plot import plot_path
from analysis.compare.sprt import Bounds
from analysis.show.result import Shown
from analysis.show.text import Table, count
from analysis.stats.intervals import Interval
from analysis.summary.hands import summarise
from simulate.errors import Option, RunError
from simulate.rules import Rules
from simulate.runs.play import Execution, open_run
from simulate.runs.study import Study, open_study
from simulate.runs.workers import Backend, StopFlag
from simulate.store.make import check_count, make_settings
from simulate.store.run import short_path
from simulate.store.settings import Settings
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike, seat_two
from sviten.api.runs import make_execution, run_name
from sviten.api.tables import Tables
from sviten.defaults import ALPHA, BETA, MARGIN_H1, MOST_PAIRS
from sviten.display.failures import UsageError
from sviten.display.output import rules_line
from sviten.display.progress import Compiling, compiling, only_called
from sviten.display.text import show_table
from sviten.display.watching import Watcher
from sviten.studies.base import Kind, Place, Plan, Runs, run_study
from sviten.studies.until_sure import RUN, Session, StoredPairs, Watch, begin_comparison

PLOT = "path.png"

#: Pairs in a part: so few that what is decided on is never much older, so many that a part is worth
#: its file. No clock chooses them, so that a seed gives the same files on any machine.
_PART = {"deals": 4096, "matches": 512}
#: The same where hands are played on in thought, or in plain Python.
_SLOW_PART = {"deals": 256, "matches": 16}


@dataclass(frozen=True, repr=False)
class Compared(Shown):
    """A comparison that is over.

    Attributes
    ----------
    comparison : Comparison
        What it comes to.
    tables : Tables
        The pairs that it rests on.
    plot : Path
        PNG of the margin, and of the test, after each batch.
    """

    comparison: Comparison
    tables: Tables
    plot: Path

    @property
    def study(self) -> Study:
        """Study that the pairs lie in."""
        return open_study(self.tables.folder.parent)

    def sentence(self) -> str:
        """Say which is better, or what the margin is."""
        return self.comparison.sentence()

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return [self.comparison.table()]

    @property
    def margin(self) -> float | None:
        """First one's score less the second's, a hand; matches won less lost, of all."""
        return self.comparison.sums.mean

    @property
    def interval(self) -> Interval | None:
        """Interval of the margin."""
        return self.comparison.interval

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        folder = self.tables.folder.parent
        facts = {"study": str(folder), "plot": str(self.plot), "seed": self.tables.settings.seed}
        facts |= {"rules_changed": self.tables.settings.rules.changes()}
        if self.comparison.kind == "wins":
            facts["points_a_hand"] = summarise(self.tables.run).margin.rate
        return facts | self.comparison.as_dict()


def compare(
    first: str,
    second: str,
    *,
    deals: int | None = None,
    max_deals: int | None = None,
    matches: bool = False,
    h0: float | None = None,
    h1: float | None = None,
    alpha: float = ALPHA,
    beta: float = BETA,
    rules: RulesLike = "classic",
    seed: SupportsIndex | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str = "",
    overwrite: bool = False,
    watch: Watch | bool | None = None,
    stop: StopFlag | None = None,
) -> Compared:
    """Tell which of two entrants is better, on deals that both play from both sides.

    Pairs are played until a sequential test decides between a margin of `h0` and one of `h1`, or
    so many as `deals` says. In a folder that holds the same comparison it goes on where it stood.

    Parameters
    ----------
    first, second : str
        Entrants, written ``bidder/player``. With three players, one of the first among two of the
        second.
    deals : int, optional
        Pairs to play, for an estimate rather than a decision.
    max_deals : int, optional
        Pairs after which the test gives up, 2**20 where it is not given, of matches 2**18;
        rounded up to whole batches of 256.
    matches : bool
        Compare by whole matches: what is said of deals is then meant of matches.
    h0, h1 : float, optional
        Margins a hand, 0 and 0.5; of matches, share won less share lost, 0 and 0.02.
    alpha, beta : float
        Chance to take the second for true where the first is, and the other way round.
    rules : str, Rules or mapping
    seed : int, optional
        Drawn where it is not given, and no comparison is there to go on with.
    out : path, optional
        Folder; one under ``results/`` where it is not given.
    jobs, backend, scheduler, overwrite, stop
        As for :func:`sviten.simulate`.
    watch : bool or callable, optional
        True shows how the comparison stands while it goes on. A function is told.

    Returns
    -------
    Compared

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    test = StopRule(deals, max_deals, h0, h1, alpha, beta)
    question = ask(first, second, test, matches, rules, seed)
    execution = make_execution(jobs, backend, scheduler, stop=stop)
    with Watcher(compiling()) if watch is True else nullcontext() as shown:
        watching = shown or only_called(watch)
        return run_study(KIND, question, execution, Place(out, overwrite), watching)


class StopRule(NamedTuple):
    """When it is enough; see :func:`compare`."""

    deals: int | None
    max_deals: int | None
    h0: float | None
    h1: float | None
    alpha: float
    beta: float


@dataclass(frozen=True)
class Question:
    """What a comparison is to answer."""

    first: str
    second: str
    unit: str
    most: int
    bounds: Bounds | None
    rules: Rules
    seed: SupportsIndex | None


def ask(
    first: str,
    second: str,
    test: StopRule,
    matches: bool,
    rules: RulesLike,
    seed: SupportsIndex | None,
) -> Question:
    """Put the question of a comparison, checked."""
    unit = "matches" if matches else "deals"
    bounds = _bounds(unit, *test[2:]) if test.deals is None else None
    if test.deals is not None and test.max_deals is not None:
        ends = Option("max_deals")
        raise UsageError(
            Option("deals"), " plays so many pairs, ", ends, " ends a test: give one of them"
        )
    most = _most(unit, test.deals, test.max_deals)
    return Question(first, second, unit, most, bounds, choices.rules(rules), seed)


def _plan(question: Question, seed: int, begun: Study | None) -> Plan:
    """Make the run, with all pairs that it may have."""
    rules = question.rules
    count: dict[str, Any] = {question.unit: question.most}
    seats = seat_two(question.first, question.second, rules)
    settings = make_settings(rules, seats, load_entrant, seed=seed, duplicate=True, **count)
    bounds = asdict(question.bounds) if question.bounds else None
    options = {"bounds": bounds, "most": question.most}
    if begun:
        _check_same(begun, options)
    return Plan({RUN: settings}, options, f"compare-{run_name(settings)}")


def _size(runs: Runs, begun: Runs, jobs: int) -> dict[str, Settings]:
    """Make parts so small that what is decided on is never much older."""
    settings = runs[RUN]
    size = begun[RUN].part_size if begun else _part_size(settings)
    return {RUN: settings.with_part_size(size)}


def _play(study: Study, execution: Execution, anew: bool, watch: Watch | None) -> Study:
    """Play until the test decides."""
    return Session(study, execution, watch).finish(anew=anew)


def conclude(study: Study) -> Compared:
    """Tell a comparison that is over, and draw its path."""
    comparison = begin_comparison(study)
    for pairs in StoredPairs(study.folder / RUN):
        comparison.looks.add(pairs)
    plot_path(comparison, study.folder / PLOT)
    return Compared(comparison, Tables(open_run(study.folder / RUN)), study.folder / PLOT)


def _bounds(unit: str, h0: float | None, h1: float | None, alpha: float, beta: float) -> Bounds:
    low = 0.0 if h0 is None else float(h0)
    try:
        return Bounds(low, low + MARGIN_H1[unit] if h1 is None else float(h1), alpha, beta)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _most(unit: str, deals: SupportsIndex | None, max_deals: SupportsIndex | None) -> int:
    """Pairs that are played at most; of a test in whole batches."""
    if deals is not None:
        return check_count("deals", deals, 1)
    if max_deals is None:
        max_deals = MOST_PAIRS[unit]
    return -(-check_count("max_deals", max_deals, 1) // BATCH) * BATCH


def _check_same(begun: Study, options: dict[str, Any]) -> None:
    """Raise RunError where a comparison asks another question than the one that is there."""
    other = "name another folder, or ", Option("overwrite", True), " replaces it"
    there, here = begun.options["bounds"], options["bounds"]
    if bool(there) != bool(here):
        what = "a test that stops when it is sure" if there else "a fixed number of pairs"
        raise RunError(f"{begun.folder} holds {what}: ", *other)
    changed = [
        f"{name} {there[name]:g} there, {here[name]:g} here"
        for name in there or ()
        if there[name] != here[name]
    ]
    if changed:
        raise RunError(f"{begun.folder} holds another test ({', '.join(changed)}): ", *other)
    if options["most"] < begun.options["most"]:
        raise RunError(
            f"{begun.folder} may have {begun.options['most']:,} pairs: it can be extended, not cut"
        )


def _part_size(settings: Settings) -> int:
    """Pairs in a part, a power of two that depends on who plays and not on the machine."""
    entrants = map(load_entrant, {seated.text for seated in settings.entrants.values()})
    slow = any(entrant.thinks or entrant.plain for entrant in entrants)
    size = (_SLOW_PART if slow else _PART)[settings.unit]
    return min(size, 1 << (settings.count.bit_length() - 1))


def _show(compared: Compared, took: str) -> None:
    facts = compared.as_dict()
    folder = short_path(compared.plot.parent)
    print(f"{folder}: {count(facts['pairs'], 'pair')}, seed {facts['seed']}")
    print(f"{rules_line(facts['rules_changed'])}\n")
    table = compared.comparison.table()
    if "points_a_hand" in facts:
        table.rows.append(["points more a hand", f"{facts['points_a_hand']:.2f}"])
    show_table(table)
    print(f"plot: {short_path(compared.plot)}" + (f", {took}" if took else ""))


def _watcher(compiling: Compiling, unit: str) -> Watcher:
    return Watcher(compiling)


KIND = Kind("compare", _plan, conclude, _show, _size, _play, _watcher)
