"""Tournaments in Python; `sviten` gives these out under its own name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from analysis.show.result import Shown
from analysis.show.text import Table, count
from analysis.tournament.judge import judge
from analysis.tournament.ladder import Ladder, write_ladders
from analysis.tournament.plots import write_plots
from analysis.tournament.result import Tournament
from analysis.tournament.tables import tournament_notes, tournament_tables, write_tournament
from simulate.engine.entrant import Entrant
from simulate.errors import Option, RunError, StrategyError
from simulate.rules import Rules
from simulate.runs.pairing import Format, make_runs, plan_meetings
from simulate.runs.play import Progress
from simulate.runs.study import Study
from simulate.runs.workers import Backend, StopFlag
from simulate.store.run import short_path
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike, check_specs, listed
from sviten.api.runs import make_execution
from sviten.defaults import PAIRING_DEALS
from sviten.display.failures import UsageError
from sviten.display.output import rules_line
from sviten.display.progress import shows_progress
from sviten.display.text import show_table
from sviten.studies.base import Kind, Place, Plan, run_study
from sviten.studies.ladder import OPPONENT, ladder_groups, make_ladders

if TYPE_CHECKING:
    import pandas as pd  # half a second that the command does without

#: What a tournament comes to, beside its runs.
FILES: tuple[str, ...] = ("ratings.parquet", "pairings.parquet", "partners.parquet")
FILES += ("ratings.csv", "pairings.csv", "partners.csv", "ladder.csv", "cross.png", "ratings.png")


@dataclass(frozen=True, repr=False)
class Played(Shown):
    """A tournament that is over.

    Attributes
    ----------
    study : Study
        Its runs.
    tournament : Tournament
        What it comes to.
    files : list of Path
        Tables and plots.
    ladders : list of Ladder
        Where the strategies stand on the ladder, where it was one.
    """

    study: Study
    tournament: Tournament
    files: list[Path]
    ladders: list[Ladder]

    def sentence(self) -> str:
        """Say who is best."""
        return self.tournament.sentence()

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return tournament_tables(self.tournament)

    def notes(self) -> list[str]:
        """Say who failed, and what marks mean."""
        return tournament_notes(self.tournament)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Entrants, the best first, with ratings and intervals."""
        return self._read("ratings")

    @cached_property
    def pairings(self) -> pd.DataFrame:
        """Each two entrants that met, with margin, interval and matches."""
        return self._read("pairings")

    @cached_property
    def partners(self) -> pd.DataFrame:
        """Unlike partners, where they played."""
        return self._read("partners")

    @property
    def failed(self) -> dict[str, str]:
        """Entrants that failed, and why."""
        return {each.entrant: each.why for each in self.tournament.failed}

    def _read(self, name: str) -> pd.DataFrame:
        import pandas as pd

        path = self.study.folder / f"{name}.parquet"
        if not path.is_file():
            raise RunError(f"{self.study.folder} has no {name}: play it with mixed=True")
        return pd.read_parquet(path)

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        files = [str(path) for path in self.files]
        facts = {"study": str(self.study.folder), "files": files} | self.tournament.as_dict()
        return facts | {"ladders": [ladder.as_dict() for ladder in self.ladders]}


@shows_progress("deals")
def tournament(
    entrants: Sequence[str] = (),
    *,
    ladder: bool = False,
    form: Format = "round-robin",
    deals: int | range | None = None,
    matches: int | range | None = None,
    mixed: bool = False,
    allow_cheating: bool = False,
    rules: RulesLike = "classic",
    seed: SupportsIndex | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    backend: Backend = "threading",
    scheduler: str = "",
    overwrite: bool = False,
    progress: Progress | bool | None = None,
    stop: StopFlag | None = None,
) -> Played:
    """Have entrants meet each other on the same deals, and rate them.

    An entrant that fails is left out from there on, and named; the others go on. In a folder that
    holds the same tournament it goes on where it stood, and takes in entrants that are new.

    Parameters
    ----------
    entrants : sequence of str
        Written ``bidder/player``; two or more, or with `ladder` any number.
    ladder : bool
        Have every strategy that comes with the project, and the entrants, meet one opponent.
    form : {"round-robin", "gauntlet"}
        Everyone meets everyone, or the first one meets each of the others.
    deals, matches : int or range, optional
        That each pairing plays, in all its legs; 10 000 deals where neither is given.
    mixed : bool
        Have unlike partners play too.
    allow_cheating : bool
        Let those play that are declared to see what is hidden.
    rules : str, Rules or mapping
    seed : int, optional
        Drawn where it is not given, and no tournament is there to go on with.
    out : path, optional
        Folder; one under ``results/`` where it is not given.
    jobs, backend, scheduler, overwrite, progress, stop
        As for :func:`sviten.simulate`.

    Returns
    -------
    Played

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    amounts = Amounts(deals, matches)
    field = Field(listed(entrants), form, ladder, mixed, allow_cheating)
    question = Question(field, amounts, choices.rules(rules), seed)
    execution = make_execution(jobs, backend, scheduler, progress, stop)
    return run_study(KIND, question, execution, Place(out, overwrite))


class Amounts(NamedTuple):
    """What each pairing plays; deals where neither is given."""

    deals: int | range | None
    matches: int | range | None


class Field(NamedTuple):
    """Who plays, and who meets whom; see :func:`tournament`."""

    entrants: list[str]
    form: Format
    ladder: bool
    mixed: bool
    allow_cheating: bool


@dataclass(frozen=True)
class Question:
    """What a tournament is to answer."""

    field: Field
    amounts: Amounts
    rules: Rules
    seed: SupportsIndex | None


def _plan(question: Question, seed: int, begun: Study | None) -> Plan:
    """Make the runs of all pairings of the entrants that load."""
    field, (deals, matches) = question.field, question.amounts
    groups = ladder_groups(field.entrants) if field.ladder else {}
    if field.ladder:
        entrants = list(dict.fromkeys([OPPONENT, *chain.from_iterable(groups.values())]))
        field = field._replace(entrants=entrants, form="gauntlet", allow_cheating=True)
    loaded, refused = _enter(field.entrants, allow_cheating=field.allow_cheating)
    names = list(loaded)
    runs = make_runs(
        plan_meetings(names, field.form, question.rules.players, mixed=field.mixed),
        question.rules,
        loaded.__getitem__,
        seed=seed,
        deals=PAIRING_DEALS if deals is None and matches is None else deals,
        matches=matches,
    )
    options: dict[str, Any] = {"entrants": names, "refused": refused, "format": field.form}
    if field.ladder:
        options["ladder"] = groups
    return Plan(runs, options, f"tournament-seed-{seed}")


def conclude(study: Study) -> Played:
    """Judge a tournament that is played, write its tables and plots; time the ladder."""
    for path in (study.folder / name for name in FILES):
        path.unlink(missing_ok=True)  # of entrants that have failed since, or partners no more
    judged = judge(study)
    files = [*write_tournament(judged, study.folder), *write_plots(judged, study.folder)]
    ladders = make_ladders(study) if "ladder" in study.options else []
    if ladders:
        files.append(write_ladders(ladders, study.folder))
    return Played(study, judged, files, ladders)


def _enter(
    texts: Sequence[str], *, allow_cheating: bool
) -> tuple[dict[str, Entrant], dict[str, str]]:
    """Load the entrants.

    Returns
    -------
    loaded : dict of str to Entrant
        By canonical text.
    refused : dict of str to str
        Those that do not load, and why.

    Raises
    ------
    StrategyError
        When a name is not known.
    UsageError, RunError
        When there can be no tournament of them.
    """
    loaded: dict[str, Entrant] = {}
    refused: dict[str, str] = {}
    for text in texts:
        try:
            check_specs([text])
        except StrategyError as error:
            if error.__cause__ is None:  # what is misspelt is no entrant that failed
                raise
            refused[text] = str(error)
            continue
        try:
            entrant = load_entrant(text)
        except StrategyError as error:
            refused[text] = str(error)
            continue
        if entrant.text in loaded:
            raise UsageError(
                f"{entrant.text} is entered twice: against itself it is exactly level; name it once"
            )
        if entrant.cheats and not allow_cheating:
            allow = Option("allow_cheating", True)
            raise UsageError(f"{text} is declared to cheat: ", allow, " lets it play")
        loaded[entrant.text] = entrant
    if len(loaded) < 2:
        message = f"a tournament takes two entrants or more: there is {len(loaded) or 'none'}"
        if refused:
            whys = [f"{text} does not load: {why}" for text, why in refused.items()]
            raise RunError("; ".join([message, *whys]))
        raise UsageError(message)
    return loaded, refused


def _show(played: Played, took: str) -> None:
    judged, ladders = played.tournament, played.ladders
    settings = judged.settings
    runs = count(len(played.study.standing), "run")
    print(f"{short_path(played.study.folder)}: {judged.form}, {runs}, seed {settings.seed}")
    print(f"{rules_line(settings.rules.changes())}\n")
    for table in [ladder.table() for ladder in ladders] or tournament_tables(judged):
        show_table(table)
    for note in [*(ladder.note() for ladder in ladders[:1]), *tournament_notes(judged)]:
        print(f"{note}\n")
    names = ", ".join(path.name for path in played.files)
    print(f"tables and plots: {names}" + (f", {took}" if took else ""))


KIND = Kind("tournament", _plan, conclude, _show, tolerant=True)
