"""House rules side by side; `sviten` gives :func:`variants` out under its name.

A study with the same runs for every rule set, on the same deals: each entrant of a ladder at all
seats, each two against each other, whole matches of the last one at all seats, and of it against
the first.
"""

from __future__ import annotations

import math
import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from analysis.house_rules.meld_sources import sample_melds
from analysis.house_rules.plots import write_plots
from analysis.house_rules.result import HouseRules, Sample, weigh
from analysis.house_rules.tables import as_dict, house_notes, house_tables, write_tables
from analysis.house_rules.words import reading, sentence
from analysis.show.result import Shown
from analysis.show.text import Table
from analysis.stats.intervals import Clustered
from simulate.rules import CLASSIC, Rules, load_rules, read_change, variant_names
from simulate.runs.pairing import make_runs, plan_meetings
from simulate.runs.play import Progress, Run
from simulate.runs.study import Study
from simulate.runs.workers import Backend, StopFlag
from simulate.store.make import check_count, make_settings
from simulate.store.run import short_path
from simulate.store.settings import Settings
from simulate.store.sources import load_stored
from strategies.declare.spec import load_entrant
from sviten.api.choices import check_specs, listed
from sviten.api.runs import make_execution
from sviten.defaults import HOUSE_DEALS, WITHIN
from sviten.display.failures import UsageError
from sviten.display.progress import shows_progress
from sviten.display.text import show_table
from sviten.studies.base import Kind, Place, Plan, run_study, share_parts

if TYPE_CHECKING:
    import pandas as pd

#: From weak to strong, all of them fast; the last one is the reference.
LADDER = ("random/random", "tips/random", "tips/high", "tips/greedy", "tips/counting")
#: Matches for so many deals, where their number is not given.
DEALS_A_MATCH = 4
#: Hands that are played anew to tell sets from runs.
SAMPLE = 2000
MOST_SETS = 50


@dataclass(frozen=True, repr=False)
class Weighed(Shown):
    """House rules that are weighed.

    Attributes
    ----------
    house : HouseRules
        What they come to.
    study : Study
        Their runs.
    files : list of Path
        Tables and plots.
    """

    house: HouseRules
    study: Study
    files: list[Path]

    def sentence(self) -> str:
        """Say which rule sets are unfair."""
        return sentence(self.house)

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        rows = [[of.name, reading(self.house, of)] for of in self.house.sets]
        readings = Table("What each rule set does", ["rules", "reading"], rows)
        return [*house_tables(self.house), readings]

    @property
    def summary(self) -> pd.DataFrame:
        """Values and reading of each rule set, a row each."""
        return self._frame("summary")

    @property
    def measures(self) -> pd.DataFrame:
        """Every measure of every rule set with its interval and its difference to classic."""
        return self._frame("measures")

    def notes(self) -> list[str]:
        """Say what marks mean."""
        return house_notes(self.house)

    def _frame(self, name: str) -> pd.DataFrame:
        import pandas as pd

        return pd.read_parquet(self.study.folder / f"{name}.parquet")

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        facts = {"study": str(self.study.folder), "files": [str(path) for path in self.files]}
        return facts | as_dict(self.house)


@dataclass(frozen=True)
class Question:
    """What a study of house rules is to answer; see :func:`variants`."""

    rules: dict[str, Rules]
    ladder: list[str]
    deals: int
    matches: int
    within: float
    seed: SupportsIndex | None


@shows_progress("deals and matches")
def variants(
    names: Sequence[str] = (),
    *,
    entrants: Sequence[str] = LADDER,
    deals: SupportsIndex | None = None,
    matches: SupportsIndex | None = None,
    changes: Mapping[str, Sequence[object]] | None = None,
    within: float = WITHIN,
    seed: SupportsIndex | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str = "",
    overwrite: bool = False,
    progress: Progress | bool | None = None,
    stop: StopFlag | None = None,
) -> Weighed:
    """Set house rules side by side: the same deals and entrants under each of them.

    In a folder that holds the same study it goes on where it stood; rule sets may be added.

    Parameters
    ----------
    names : sequence of str, optional
        Presets, paths of TOML files, or several joined by ``+``; all presets where neither these
        nor `changes` are given. The classic game is always there: the others are compared with it.
    entrants : sequence of str
        The ladder, two or more, from weak to strong; the last one is the reference.
    deals : int, optional
        Of each run; 20,000 where it is not given.
    matches : int, optional
        Likewise; a quarter of the deals where it is not given.
    changes : mapping of str to sequence, optional
        Fields of the rules and the values that each is to have, in every combination.
    within : float
        Points a hand up to which an advantage counts as fair.
    seed, out, jobs, backend, scheduler, overwrite, progress, stop
        As for :func:`sviten.simulate`.

    Returns
    -------
    Weighed

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    question = ask(names, entrants, deals, matches, changes, within, seed)
    execution = make_execution(jobs, backend, scheduler, progress, stop)
    return run_study(KIND, question, execution, Place(out, overwrite))


def ask(
    names: Sequence[str],
    entrants: Sequence[str],
    deals: SupportsIndex | None,
    matches: SupportsIndex | None,
    changes: Mapping[str, Sequence[object]] | None,
    within: float,
    seed: SupportsIndex | None,
) -> Question:
    """Put the question of a study of house rules, checked."""
    chosen = choose_rules(listed(names), changes or {})
    entrants = listed(entrants)
    check_specs(entrants)
    ladder = [load_entrant(text).text for text in entrants]
    if len(set(ladder)) < max(2, len(ladder)):
        raise UsageError(f"a ladder takes two entrants or more, each once: {', '.join(ladder)}")
    if not 0 < within < math.inf:
        raise UsageError(f"within = {within}: it is a number of points a hand above 0")
    count = check_count("deals", HOUSE_DEALS if deals is None else deals, 2)
    of_matches = max(2, count // DEALS_A_MATCH) if matches is None else matches
    of_matches = check_count("matches", of_matches, 2)
    return Question(chosen, ladder, count, of_matches, within, seed)


def _plan(question: Question, seed: int, begun: Study | None) -> Plan:
    """Make the runs of every rule set."""
    runs: dict[str, Settings] = {}
    sets: dict[str, dict[str, Any]] = {}
    for name, rules in question.rules.items():
        made = _runs_of(rules, question.ladder, seed, question.deals, question.matches)
        folder = _folder_name(name)
        runs |= {f"{folder}--{run}": settings for run, settings in made.runs.items()}
        sets[name] = {
            role: [f"{folder}--{run}" for run in named] for role, named in made.roles.items()
        }
        sets[name] |= {role: sets[name][role][0] for role in ("matches", "contest")}
    options = {"entrants": question.ladder, "within": question.within, "sets": sets}
    return Plan(runs, options, f"variants-seed-{seed}")


def conclude(study: Study) -> Weighed:
    """Weigh a study that is played, and write its tables and plots."""
    house = weigh(study, _sample(SAMPLE))
    files = [*write_tables(house, study.folder), *write_plots(house, study.folder)]
    return Weighed(house, study, files)


def choose_rules(names: Sequence[str], changes: Mapping[str, Sequence[object]]) -> dict[str, Rules]:
    """Rule sets by name, the classic game first; of those that are the same only the first.

    Raises
    ------
    RulesError
        When one is not known, or makes no sense.
    UsageError
        When there are too many, or nothing to compare.
    """
    bases = list(names) or ([] if changes else variant_names())
    fields = list(changes)
    entries = {"classic": CLASSIC}
    for base in bases or ["classic"]:
        for values in product(*changes.values()):
            text = ",".join(
                f"{field}={_value_text(value)}" for field, value in zip(fields, values, strict=True)
            )
            rules = load_rules(base, dict(zip(fields, values, strict=True)))
            stem = "+".join(
                Path(part).stem if part.endswith(".toml") else part for part in base.split("+")
            )
            name = text if text and base == "classic" else ",".join(filter(None, [stem, text]))
            if rules in entries.values():
                continue
            if name in entries:
                raise UsageError(f"two rule sets are called {name}: name the files apart")
            entries[name] = rules
    if not 2 <= len(entries) <= MOST_SETS:
        one = len(entries) < 2
        why = "all that is named is the classic game" if one else f"{len(entries)} of them"
        raise UsageError(f"{why}: rule sets to compare with classic may be 1 to {MOST_SETS - 1}")
    return entries


def read_changes(texts: Sequence[str]) -> dict[str, list[object]]:
    """Values by field of ``field=v1,v2,v3``, as written on the command line.

    A list of denominations is one value.

    Raises
    ------
    RulesError
        When it has no such form, or the field is not known.
    """
    rows: dict[str, list[object]] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        values = rest.split(",") if equals and name.strip() != "denominations" else [rest]
        for value in values:
            field, read = read_change(f"{name}{equals}{value}")
            rows.setdefault(field, []).append(read)
    return rows


def _value_text(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _folder_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.=+,]+", "-", name)


@dataclass(frozen=True)
class _Runs:
    """Runs of a rule set, and what each is for."""

    runs: dict[str, Settings]
    roles: dict[str, list[str]]


def _runs_of(rules: Rules, ladder: Sequence[str], seed: int, deals: int, matches: int) -> _Runs:
    tables = {
        f"table-{place}": make_settings(
            rules, [text] * rules.players, load_entrant, seed=seed, deals=deals
        )
        for place, text in enumerate(ladder, 1)
    }
    meetings = plan_meetings(ladder, "round-robin", rules.players)
    pairings = make_runs(meetings, rules, load_entrant, seed=seed, deals=deals)
    best, first = ladder[-1], ladder[0]
    against = [first, best, first] if rules.players == 4 else [first, first]
    whole = {
        "matches": make_settings(
            rules, [best] * rules.players, load_entrant, seed=seed, matches=matches
        ),
        "contest": make_settings(
            rules, [best, *against], load_entrant, seed=seed, matches=matches, duplicate=True
        ),
    }
    roles = {"tables": list(tables), "pairings": list(pairings)}
    return _Runs(tables | pairings | whole, roles | {name: [name] for name in whole})


def _sample(most: int) -> Sample:
    """Make a sampler that plays the first deals of a run anew."""

    def sample(run: Run) -> dict[str, Clustered]:
        settings = run.settings
        entrants = load_stored(run.folder, settings, load_entrant)
        ids = settings.ids
        return sample_melds(settings, entrants, range(ids.start, min(ids.stop, ids.start + most)))

    return sample


def _show(weighed: Weighed, took: str) -> None:
    house = weighed.house
    print(f"{short_path(weighed.study.folder)}: {len(house.sets)} rule sets, seed {house.seed}")
    print(f"ladder: {', '.join(house.entrants)}\n")
    for table in house_tables(house):
        rows = [[_writable(cell) for cell in row] for row in table.rows]
        show_table(table._replace(rows=rows))
    for note in house_notes(house):
        print(textwrap.fill(_writable(note), 80, subsequent_indent="   "))
    print("\nWhat each rule set does")
    for of in house.sets:
        text = f"{of.name}: {reading(house, of)}"
        print(textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="      "))
    names = ", ".join(path.name for path in weighed.files)
    print(f"\ntables and plots: {names}" + (f", {took}" if took else ""))


def _writable(text: str) -> str:
    """Write a sign of plus and minus in two where the output has not got it."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.replace("\u00b1", "+-")
    return text


KIND = Kind("variants", _plan, conclude, _show, size=share_parts)
