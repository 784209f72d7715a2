"""Comparisons: pairs of deals until the answer is sure; `sviten` gives these out under its name.

A comparison is a study of one run. While it is played, its finished parts are read in the order of
the deals; when the test decides, the workers are stopped, and the run is taken back to the pairs
that the answer rests on. What is known of the answer always lies in the run itself, so that an
interrupted comparison comes to the same last digit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, SupportsIndex

from analysis.compare.comparison import Comparison
from analysis.compare.interim import BATCH, Looks
from analysis.compare.margins import Pairs, kind_of, no_margins, part_pairs
from analysis.compare.path_plot import plot_path
from analysis.compare.sprt import Bounds
from analysis.show.result import Shown
from analysis.show.text import Table
from analysis.stats.intervals import Interval
from analysis.summary.hands import summarise
from simulate.errors import RunError, StrategyError
from simulate.runs.plan import plan_run
from simulate.runs.play import Execution, Run, RunInterrupted, open_run
from simulate.runs.study import Study, cut_study, is_study, open_study, play_study
from simulate.runs.workers import Backend, StopFlag
from simulate.store.parts import find_fault
from simulate.store.settings import (
    SETTINGS_FILE,
    Settings,
    check_count,
    make_settings,
    read_settings,
)
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike, seat_two
from sviten.api.runs import default_folder, make_execution
from sviten.api.tables import Tables
from sviten.defaults import ALPHA, BETA, MARGIN_H1, MOST_PAIRS
from sviten.display.failures import UsageError
from sviten.display.progress import compiling, only_called
from sviten.display.watching import Watcher

KIND = "compare"
RUN = "pairs"
PLOT = "path.png"

#: Seconds of one worker that a part takes, so that what is decided on is never much older.
_PART_SECONDS = 0.5
_MOST_PART = 2**14
_PILOT = 4096

#: Given how a comparison stands and how many of its pairs are played, while it goes on.
Watch = Callable[[Comparison, int], None]


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

    def sentence(self) -> str:
        """Say which is better, or what the margin is."""
        return self.comparison.sentence()

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return [self.comparison.table()]

    @property
    def study(self) -> Study:
        """Study that the pairs lie in."""
        return open_study(self.tables.folder.parent)

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
    unit = "matches" if matches else "deals"
    bounds = _bounds(unit, h0, h1, alpha, beta) if deals is None else None
    if deals is not None and max_deals is not None:
        raise UsageError("--deals plays so many pairs, --max-deals ends a test: give one of them")
    most = _most(unit, deals, max_deals)
    chosen = choices.rules(rules)
    begun = _begun(out) if not overwrite else None
    if begun and seed is None:
        seed = begun.runs[RUN].seed
    count: dict[str, Any] = {unit: most}
    settings = make_settings(
        chosen, seat_two(first, second, chosen), load_entrant, seed=seed, duplicate=True, **count
    )
    options = {"bounds": asdict(bounds) if bounds else None, "most": most}
    if begun:
        _check_same(begun, options)
        settings = settings.with_part_size(begun.runs[RUN].part_size)
    else:
        settings = settings.with_part_size(_part_size(settings))
    folder = Path(default_folder(settings, "compare-") if out is None else out).absolute()

    def play(execution: Execution, count: int, anew: bool) -> None:
        play_study(
            folder,
            KIND,
            {RUN: settings.with_count(count)},
            load_entrant,
            options=options,
            overwrite=anew,
            execution=execution,
        )

    execution = make_execution(jobs, backend, None, stop, scheduler)
    with Watcher(compiling()) if watch is True else nullcontext() as shown:
        text = shown or only_called(watch)
        return _Session(folder, settings, bounds, play, execution, text).finish(anew=overwrite)


def resume_comparison(
    folder: str | os.PathLike[str], execution: Execution, watch: Watch | None = None
) -> Compared:
    """Finish a comparison that was interrupted; as :func:`compare`.

    Raises
    ------
    SvitenError
        When it is none, or what it was begun with is not what is here.
    """
    study = open_study(folder)
    settings = study.runs[RUN].with_count(study.options["most"])

    def play(execution: Execution, count: int, _: bool) -> None:
        play_study(
            study.folder,
            KIND,
            {RUN: settings.with_count(count)},
            load_entrant,
            options=study.options,
            execution=execution,
        )

    return _Session(study.folder, settings, _stored_bounds(study), play, execution, watch).finish()


def conclude(study: Study) -> Compared:
    """Tell a comparison that is over, and draw its path."""
    settings = study.runs[RUN].with_count(study.options["most"])
    comparison = _begin(settings, _stored_bounds(study))
    for pairs in _Parts(study.folder / RUN):
        comparison.looks.add(pairs)
    return _tell(comparison, study.folder)


def _stored_bounds(study: Study) -> Bounds | None:
    text = study.options["bounds"]
    return Bounds(**text) if text else None


def _tell(comparison: Comparison, folder: Path) -> Compared:
    plot_path(comparison, folder / PLOT)
    return Compared(comparison, Tables(open_run(folder / RUN)), folder / PLOT)


def _begin(settings: Settings, bounds: Bounds | None) -> Comparison:
    """Make a comparison that knows of no pair yet."""
    seats = list(settings.entrants.values())
    none = no_margins(settings)
    return Comparison(
        first=seats[0].text,
        second=seats[1].text,
        kind=kind_of(settings),
        looks=Looks(none.legs, none.opponents),
        most=settings.count,
        bounds=bounds,
    )


class _Session:
    """One stretch of work on a comparison; also the stop flag of its workers.

    Parameters
    ----------
    folder : Path
        Of the study.
    settings : Settings
        Of the run, with all pairs that it may have.
    bounds : Bounds or None
    play : callable
        Plays what is missing of so many pairs; the last argument asks for a new beginning.
    execution : Execution
        Without a progress.
    watch : callable or None
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        bounds: Bounds | None,
        play: Callable[[Execution, int, bool], None],
        execution: Execution,
        watch: Watch | None,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._bounds = bounds
        self._play = play
        self._crew = execution
        self._watch = watch
        self._comparison = _begin(settings, bounds)
        self._decided = False

    def is_set(self) -> bool:
        """Whether the workers are to stop."""
        return self._decided or bool(self._crew.stop and self._crew.stop.is_set())

    def finish(self, *, anew: bool = False) -> Compared:
        """Play what is missing, take the run back to what counts, and draw the path."""
        anew = anew and is_study(self._folder)
        if anew or not self._read_stored():
            self._play_on(anew)
        if not self._comparison.over:
            raise RunError(f"{self._folder / RUN} was changed while it was played: try again")
        pairs = self._comparison.sums.pairs
        if open_run(self._folder / RUN).settings.count > pairs:
            cut_study(self._folder, RUN, pairs)
        self._play(replace(self._crew, progress=None), pairs, False)
        return _tell(self._comparison, self._folder)

    def _read_stored(self) -> bool:
        """Read what the run has already, and tell whether that is enough."""
        for pairs in _Parts(self._folder / RUN):
            self._comparison.looks.add(pairs)
        if self._comparison.over:
            return True
        self._comparison = _begin(self._settings, self._bounds)
        return False

    def _play_on(self, anew: bool) -> None:
        parts = _Parts(self._folder / RUN, self._settings.count)
        played = 0

        def look(done: int, *_: int) -> None:
            nonlocal played
            played = done
            for pairs in parts:
                if not self._decided:
                    self._comparison.looks.add(pairs)
                    self._decided = self._comparison.verdict is not None
            if self._watch:
                self._watch(self._comparison, done)

        execution = replace(self._crew, progress=look, stop=self)
        try:
            self._play(execution, self._settings.count, anew)
        except (RunInterrupted, StrategyError):
            look(played)
            if not self._decided:  # what went on beyond the deciding pair is nobody's concern
                raise
        else:
            look(played)


class _Parts:
    """Pairs of the parts of a run that are there, in order; goes on where it stopped.

    A part that cannot be read is as good as missing: whoever plays the run makes it again.

    Parameters
    ----------
    folder : Path
        The run; it need not be there yet.
    count : int, optional
        Pairs that it is to have, where they are not those of its settings.
    """

    def __init__(self, folder: Path, count: int | None = None) -> None:
        self._folder = folder
        self._count = count
        self._run: Run | None = None
        self._read = 0

    def __iter__(self) -> Iterator[Pairs]:
        if self._run is None:
            if not (self._folder / SETTINGS_FILE).is_file():
                return
            settings = read_settings(self._folder)
            self._run = Run(self._folder, settings.with_count(self._count or settings.count))
        settings = self._run.settings
        for part in settings.parts[self._read :]:
            if find_fault(self._folder, settings, part, thorough=False):
                return
            try:
                pairs = part_pairs(self._run, part)
            except RunError:
                return
            self._read += 1
            yield pairs


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


def _begun(out: str | os.PathLike[str] | None) -> Study | None:
    """Comparison that stands in a folder."""
    if out is None or not is_study(out):
        return None
    study = open_study(out)
    return study if study.kind == KIND else None


def _check_same(begun: Study, options: dict[str, Any]) -> None:
    """Raise RunError where a comparison asks another question than the one that is there."""
    replace_it = "name another folder, or --overwrite replaces it"
    there, here = begun.options["bounds"], options["bounds"]
    if bool(there) != bool(here):
        what = "a test that stops when it is sure" if there else "a fixed number of pairs"
        raise RunError(f"{begun.folder} holds {what}: {replace_it}")
    changed = [
        f"{name} {there[name]:g} there, {here[name]:g} here"
        for name in there or ()
        if there[name] != here[name]
    ]
    if changed:
        raise RunError(f"{begun.folder} holds another test ({', '.join(changed)}): {replace_it}")
    if options["most"] < begun.options["most"]:
        raise RunError(
            f"{begun.folder} may have {begun.options['most']:,} pairs: it can be extended, not cut"
        )


def _part_size(settings: Settings) -> int:
    """Pairs in a part: what one worker plays in about half a second, a power of two."""
    pilot = min(settings.count, _PILOT)
    plan = plan_run(settings.with_count(pilot), load_entrant)
    wanted = _PART_SECONDS * pilot / plan.seconds
    return 1 << (max(1, int(min(wanted, settings.count, _MOST_PART))).bit_length() - 1)
