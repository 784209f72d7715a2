"""Plays the pairs of a comparison until its test decides.

While the run is played, its finished parts are read in the order of the deals; when the test
decides, the workers are stopped, and the run is taken back to the pairs that the answer rests on.
What is known of the answer always lies in the run itself, so that an interrupted comparison comes
to the same last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from analysis.compare.comparison import Comparison
from analysis.compare.interim import Looks
from analysis.compare.margins import Pairs, kind_of, no_margins, part_pairs
from analysis.compare.sprt import Bounds
from simulate.errors import RunError, StrategyError
from simulate.runs.play import Execution, Run, RunInterrupted, open_run
from simulate.runs.study import Study, cut_study, is_study
from simulate.store.parts import find_fault
from simulate.store.settings import SETTINGS_FILE, read_settings
from sviten.studies.base import play_all

#: Name of the one run of a comparison.
RUN = "pairs"

#: Given how a comparison stands and how many of its pairs are played, while it goes on.
Watch = Callable[[Comparison, int], None]


def begin_comparison(study: Study) -> Comparison:
    """Make a comparison that knows of no pair yet."""
    text = study.options["bounds"]
    settings = study.runs[RUN]
    seats = list(settings.entrants.values())
    none = no_margins(settings)
    return Comparison(
        first=seats[0].text,
        second=seats[1].text,
        kind=kind_of(settings),
        looks=Looks(none.legs, none.opponents),
        most=study.options["most"],
        bounds=Bounds(**text) if text else None,
    )


class Session:
    """One stretch of work on a comparison; also the stop flag of its workers.

    Parameters
    ----------
    study : Study
        The run may have been taken back already.
    execution : Execution
        Without a progress.
    watch : callable or None
    """

    def __init__(self, study: Study, execution: Execution, watch: Watch | None) -> None:
        self._study = study
        self._run = study.folder / RUN
        self._settings = study.runs[RUN].with_count(study.options["most"])
        self._execution = execution
        self._watch = watch
        self._comparison = begin_comparison(study)
        self._decided = False

    def is_set(self) -> bool:
        """Whether the workers are to stop."""
        return self._decided or bool(self._execution.stop and self._execution.stop.is_set())

    def finish(self, *, anew: bool = False) -> Study:
        """Play what is missing, and take the run back to what counts."""
        anew = anew and is_study(self._study.folder)
        if anew or not self._read_stored():
            self._play_on(anew)
        if not self._comparison.over:
            raise RunError(f"{self._run} was changed while it was played: try again")
        pairs = self._comparison.sums.pairs
        if open_run(self._run).settings.count > pairs:
            cut_study(self._study.folder, RUN, pairs)
        return self._play(replace(self._execution, progress=None), pairs)

    def _play(self, execution: Execution, count: int, anew: bool = False) -> Study:
        """Play what is missing of so many pairs."""
        study = replace(self._study, runs={RUN: self._settings.with_count(count)})
        return play_all(study, execution, anew, None)

    def _read_stored(self) -> bool:
        """Read what the run has already, and tell whether that is enough."""
        for pairs in StoredPairs(self._run):
            self._comparison.looks.add(pairs)
        if self._comparison.over:
            return True
        self._comparison = begin_comparison(self._study)
        return False

    def _play_on(self, anew: bool) -> None:
        parts = StoredPairs(self._run, self._settings.count)
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

        execution = replace(self._execution, progress=look, stop=self)
        try:
            self._play(execution, self._settings.count, anew)
        except (RunInterrupted, StrategyError):
            look(played)
            if not self._decided:  # what went on beyond the deciding pair is nobody's concern
                raise
        else:
            look(played)


class StoredPairs:
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
