"""Sweeps of a parameter; `sviten` gives these out under its name.

A sweep is a study with a run for each value, all on the same deals against one opponent. Parameters
travel in the view, so no value compiles anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex

from analysis.compare.sweep import Sweep, sweep_runs
from analysis.compare.sweep_plot import plot_curve
from analysis.show.flat import write_both
from analysis.show.result import Shown
from analysis.show.text import Table, count
from simulate.rules import Rules
from simulate.runs.play import Progress
from simulate.runs.study import Study
from simulate.runs.workers import Backend, StopFlag
from simulate.store.make import check_count, make_settings
from simulate.store.run import short_path
from strategies.declare.spec import load_entrant, with_parameter
from sviten.api import choices
from sviten.api.choices import RulesLike, seat_two
from sviten.api.runs import make_execution, run_name
from sviten.defaults import SWEEP_DEALS
from sviten.display.failures import UsageError
from sviten.display.output import rules_line
from sviten.display.progress import shows_progress
from sviten.display.text import show_table
from sviten.studies.base import Kind, Place, Plan, run_study, share_parts

PLOT = "curve.png"
TABLE = "sweep"

MOST_VALUES = 500


@dataclass(frozen=True, repr=False)
class Swept(Shown):
    """A sweep that is over.

    Attributes
    ----------
    sweep : Sweep
        What it comes to.
    study : Study
        Its runs, one a value.
    """

    sweep: Sweep
    study: Study

    def sentence(self) -> str:
        """Say which value does best."""
        return self.sweep.sentence()

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return [self.sweep.table()]

    @property
    def best(self) -> float:
        """Value with the greatest margin."""
        return self.sweep.best.value

    @property
    def plot(self) -> Path:
        """PNG of the curve."""
        return self.study.folder / PLOT

    @property
    def files(self) -> list[Path]:
        """Table of the values, as parquet and as CSV."""
        return [self.study.folder / f"{TABLE}.{kind}" for kind in ("parquet", "csv")]

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        first = next(iter(self.study.runs.values()))
        facts = {"study": str(self.study.folder), "plot": str(self.plot), "seed": first.seed}
        return facts | {"rules_changed": first.rules.changes()} | self.sweep.as_dict()


@shows_progress("deals")
def sweep(
    entrant: str,
    parameter: str,
    values: Iterable[float],
    *,
    against: str | None = None,
    deals: SupportsIndex | None = None,
    rules: RulesLike = "classic",
    seed: SupportsIndex | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str = "",
    overwrite: bool = False,
    progress: Progress | bool | None = None,
    stop: StopFlag | None = None,
) -> Swept:
    """Try values of a parameter, all on the same deals.

    In a folder that holds the same sweep it goes on where it stood; values and deals may be added.

    Parameters
    ----------
    entrant : str
        Written ``bidder/player``.
    parameter : str
        Name of one of its parameters; ``bidder.name`` or ``player.name`` where both have it.
    values : iterable of float
        What it is to be.
    against : str, optional
        Entrant that all play against; `entrant` as it is given where it is not named.
    deals : int, optional
        Pairs for each value; 20,000 where it is not given.
    rules, seed, out, jobs, backend, scheduler, overwrite, progress, stop
        As for :func:`sviten.simulate`.

    Returns
    -------
    Swept

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    question = ask(entrant, parameter, values, against, deals, rules, seed)
    execution = make_execution(jobs, backend, scheduler, progress, stop)
    return run_study(KIND, question, execution, Place(out, overwrite))


@dataclass(frozen=True)
class Question:
    """What a sweep is to answer; see :func:`sweep`."""

    entrant: str
    parameter: str
    values: list[float]
    against: str
    deals: int
    rules: Rules
    seed: SupportsIndex | None


def ask(
    entrant: str,
    parameter: str,
    values: Iterable[float],
    against: str | None = None,
    deals: SupportsIndex | None = None,
    rules: RulesLike = "classic",
    seed: SupportsIndex | None = None,
) -> Question:
    """Put the question of a sweep, checked."""
    chosen = choices.rules(rules)
    wanted = sorted({float(value) for value in values})
    if not 1 <= len(wanted) <= MOST_VALUES:
        raise UsageError(f"{len(wanted)} values of {parameter}: a sweep has 1 to {MOST_VALUES}")
    pairs = check_count("deals", SWEEP_DEALS if deals is None else deals, 1)
    against = entrant if against is None else against
    return Question(entrant, parameter, wanted, against, pairs, chosen, seed)


def _plan(question: Question, seed: int, begun: Study | None) -> Plan:
    """Make a run for each value."""
    parameter, rules = question.parameter, question.rules
    texts = {value: with_parameter(question.entrant, parameter, value) for value in question.values}
    runs = {
        f"{parameter}={value:g}": make_settings(
            rules,
            seat_two(text, question.against, rules),
            load_entrant,
            seed=seed,
            duplicate=True,
            deals=question.deals,
        )
        for value, text in texts.items()
    }
    if len(runs) < len(texts):
        raise UsageError(f"values of {parameter} that agree in six digits cannot be told apart")
    options = {
        "entrant": question.entrant,
        "against": question.against,
        "parameter": parameter,
        "values": question.values,
    }
    return Plan(runs, options, f"sweep-{run_name(next(iter(runs.values())))}")


def conclude(study: Study) -> Swept:
    """Add up the runs, draw the curve and write the table."""
    text: Mapping[str, Any] = study.options
    runs = [study.run(f"{text['parameter']}={value:g}") for value in text["values"]]
    result = sweep_runs(text["entrant"], text["against"], text["parameter"], text["values"], runs)
    swept = Swept(result, study)
    plot_curve(result, swept.plot)
    write_both({TABLE: result.rows()}, study.folder)
    return swept


def _show(swept: Swept, took: str) -> None:
    facts = swept.as_dict()
    folder = short_path(swept.study.folder)
    print(f"{folder}: {count(facts['deals'], 'paired deal')} a value, seed {facts['seed']}")
    print(f"{rules_line(facts['rules_changed'])}\n")
    show_table(swept.sweep.table())
    names = ", ".join(path.name for path in [*swept.files, swept.plot])
    print(f"files: {names}" + (f"; {took}" if took else ""))


KIND = Kind("sweep", _plan, conclude, _show, size=share_parts)
