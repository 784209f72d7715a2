"""Tables of a run, its deals, and its hands one at a time."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.bids.calibration import Calibration
from analysis.bids.calibration import calibrate as calibrate_run
from analysis.summary.forced import ForcedSummary, summarise_forced
from analysis.summary.hands import Summary, summarise
from simulate.cards import hand_text
from simulate.engine.engine import Engine
from simulate.engine.match import enter_hand
from simulate.engine.record import deal_hands, play_record, record_row
from simulate.errors import RunError
from simulate.rules import MOST_HANDS
from simulate.runs.play import Run
from simulate.store.identity import engine_hash
from simulate.store.parts import UNREADABLE, damaged, open_part, part_path
from simulate.store.run import damaged_run
from simulate.store.schema import before_columns, hands_schema
from simulate.store.settings import Settings
from simulate.store.sources import load_stored
from strategies.declare.spec import load_entrant
from strategies.search.watch import watch
from sviten.api.frames import as_run, read_frame
from sviten.api.hand import Hand

if TYPE_CHECKING:
    import pandas as pd  # half a second that `sviten simulate` does without

log = logging.getLogger(__name__)


class Tables:
    """A run and its tables, read when they are first used.

    Whole numbers are widened to int64, in which 100 + 100 is 200; what may be missing is pandas'
    own ``Int64`` (`target`, `stated`) or ``boolean`` (`made`); entrants, `winner` and `ended` are
    categories. With `narrow` numbers stay as they are on disk, for runs that would not fit in
    memory otherwise.

    Parameters
    ----------
    run : Run
    narrow : bool

    Attributes
    ----------
    run : Run
    """

    def __init__(self, run: Run, *, narrow: bool = False) -> None:
        self.run = run
        self._narrow = narrow
        self._warned = False

    def __repr__(self) -> str:
        return f"<Tables of {self.folder}: {self.settings.count:,} {self.settings.unit}>"

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        return self.run.folder

    @property
    def settings(self) -> Settings:
        """What was played."""
        return self.run.settings

    @cached_property
    def hands(self) -> pd.DataFrame:
        """One row a hand, by deal and leg; of matches, by match, leg and deal."""
        return self.read("hands")

    @cached_property
    def matches(self) -> pd.DataFrame:
        """One row a match and leg, in a run of matches."""
        return self.read("matches")

    @cached_property
    def forced(self) -> pd.DataFrame:
        """One row a declarer and denomination, in a forced run."""
        return self.read("forced")

    @cached_property
    def calls(self) -> pd.DataFrame:
        """One row a call, where the run was asked for them."""
        return self.read("calls")

    @cached_property
    def plays(self) -> pd.DataFrame:
        """One row a card played, where the run was asked for them."""
        return self.read("plays")

    def read(self, table: str = "hands", columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Read a table, or some columns of it.

        Parameters
        ----------
        table : {"hands", "matches", "forced", "calls", "plays"}
        columns : sequence of str, optional

        Raises
        ------
        RunError
            When the run is unfinished, has no such table or column, or a part is damaged.
        """
        return read_frame(self.run, table, columns, narrow=self._narrow)

    @cached_property
    def summary(self) -> Summary | ForcedSummary:
        """Matches won, contracts, scores and the margin between the sides.

        Of a forced run: how often each contract comes home.
        """
        return summarise_forced(self.run) if self.settings.forced else summarise(self.run)

    def hand(self, deal_id: int, leg: int = 0, *, why: bool = False) -> Hand:
        """Play a hand of the run again, to look into it.

        Parameters
        ----------
        deal_id, leg : int
        why : bool
            Note in the record what players that weigh their cards gave each of them, as `why`; see
            :func:`strategies.search.watch.watch`.

        Raises
        ------
        RunError
            When the run has no such hand, or what is played now differs from its row.
        """
        settings = self.settings
        if settings.forced:
            raise RunError(f"{self.folder} is a forced run: its playouts are not hands to replay")
        _check_deal(settings, deal_id)
        self._warn_of_engine()
        if not 0 <= leg < settings.legs:
            legs = "only leg 0" if settings.legs == 1 else f"legs 0 to {settings.legs - 1}"
            raise RunError(f"leg {leg}: {self.folder} has {legs}")
        entrants = load_stored(self.folder, settings, load_entrant)
        notes: list[dict[str, Any]] = []
        if why:
            entrants = watch(entrants, notes)
        engine = Engine(settings.rules, entrants, settings.seed, settings.legs, settings.fixed)
        row = self._row(deal_id, leg)
        if settings.unit == "matches":
            dealer = self._enter_match(engine, deal_id, leg, row)
        else:
            dealer = deal_id % settings.rules.players
        notes.clear()  # hands of the match before this one
        record = play_record(engine, deal_id, leg, dealer)
        if row is None:
            log.warning("deal %d is not written yet: there is no row to compare with", deal_id)
        else:
            self._compare(record, row)
        if why:
            record["why"] = notes
        return Hand(engine, record)

    def _warn_of_engine(self) -> None:
        """Say once where the run was played by another engine than this one."""
        if self.settings.engine != engine_hash() and not self._warned:
            self._warned = True
            log.warning(
                "%s was played by sviten %s of other source: a hand may replay otherwise",
                self.folder,
                self.settings.versions.get("sviten", "?"),
            )

    def _enter_match(
        self, engine: Engine, deal_id: int, leg: int, row: dict[str, Any] | None
    ) -> int:
        """Set the match scores before a hand of a match, and tell its dealer."""
        if row is None:
            return enter_hand(engine, deal_id, leg)
        state = engine.table.state[0]
        state["in_match"] = 1
        sides = [row[name] for name in before_columns(self.settings.rules)]
        state["before"] = [sides[seat % len(sides)] for seat in range(4)]
        return int(row["dealer"])

    def _row(self, deal_id: int, leg: int) -> dict[str, Any] | None:
        """Row of a hand; None where it is not written."""
        part = _unit_of(self.settings, deal_id) // self.settings.part_size
        path = part_path(self.folder, "hands", part)
        if not path.is_file():
            return None
        try:
            with open_part(self.folder, "hands", part) as file:
                for group in range(file.metadata.num_row_groups):
                    key = file.read_row_group(group, columns=["deal_id", "leg"]).combine_chunks()
                    ids, legs = (column.to_numpy() for column in key.columns)
                    result = np.flatnonzero((ids == deal_id) & (legs == leg))
                    if len(result):
                        table = file.read_row_group(group).slice(result[0], 1)
                        row: dict[str, Any] = table.to_pylist()[0]
                        return row
        except UNREADABLE as error:
            raise damaged_run(self.folder, damaged(path, error)) from error
        except RunError as error:
            raise damaged_run(self.folder, error) from error
        if self.settings.unit == "matches":
            return None
        fault = RunError(f"{path} is damaged: it has no row for deal {deal_id}, leg {leg}")
        raise damaged_run(self.folder, fault)

    def _compare(self, record: dict[str, Any], row: dict[str, Any]) -> None:
        """Raise RunError where a record does not agree with its row in every field."""
        text = record_row(record)
        if self.settings.unit == "matches":  # the record knows no match
            kept = hands_schema(self.settings.rules).names
            row = {name: value for name, value in row.items() if name in kept}
        differences = [
            f"{name} is {row.get(name, 'missing')} there, {text.get(name, 'missing')} here"
            for name in dict.fromkeys([*row, *text])
            if name not in row or name not in text or row[name] != text[name]
        ]
        if not differences:
            return
        why = "" if self.settings.engine == engine_hash() else "; the engine's source is another"
        raise RunError(
            f"deal {record['deal_id']}, leg {record['leg']} of {self.folder} does not replay: "
            f"{'; '.join(differences[:3])}{why}"
        )


def _unit_of(settings: Settings, deal_id: int) -> int:
    """Deal or match that a hand belongs to."""
    return deal_id if settings.unit == "deals" else deal_id // MOST_HANDS


def _check_deal(settings: Settings, deal_id: int) -> None:
    ids = settings.ids
    unit = _unit_of(settings, deal_id)
    if unit not in ids:
        text = f"deal {deal_id} is not in the run: it has "
        if settings.unit == "matches":
            text = f"deal {deal_id} is of match {unit}, which is not in the run: it has matches "
        raise RunError(f"{text}{ids[0]} to {ids[-1]}")


def _tables(run: Any) -> Tables:
    if isinstance(run, Tables):
        return run
    return Tables(as_run(run))


def load(run: Tables | Run | str | os.PathLike[str], *, narrow: bool = False) -> Tables:
    """Open a run's tables.

    Parameters
    ----------
    run : path, Run or Tables
    narrow : bool
        Keep whole numbers as narrow as they are on disk.

    Returns
    -------
    Tables

    Raises
    ------
    RunError
        When it is no run.
    """
    return Tables(as_run(run), narrow=narrow)


def deals(run: Tables | Run | str | os.PathLike[str], ids: int | Iterable[int]) -> pd.DataFrame:
    """Deal a run's cards again.

    Parameters
    ----------
    run : Tables or path
    ids : int or iterable of int
        Deal ids of the run.

    Returns
    -------
    DataFrame
        By `deal_id`: hands as text, ``AKQ52.QJ3.K84.A7`` (S.H.D.C), a column a seat.

    Raises
    ------
    RunError
        When it is no run, or has no such deal.
    """
    import pandas as pd

    settings = _tables(run).settings
    wanted = [int(each) for each in ([ids] if isinstance(ids, int) else ids)]
    for deal_id in wanted:
        _check_deal(settings, deal_id)
    dealt = [deal_hands(settings.rules, settings.seed, each, settings.fixed) for each in wanted]
    texts = [[hand_text(hand) for hand in hands] for hands in dealt]
    index = pd.Index(wanted, dtype="int64", name="deal_id")
    return pd.DataFrame(texts, index=index, columns=list(settings.rules.seats))


def replay(
    run: Tables | Run | str | os.PathLike[str], deal_id: int, leg: int = 0, *, why: bool = False
) -> dict[str, Any]:
    """Play a hand of a run again, and check it against its row in every field.

    Parameters
    ----------
    run : Tables or path
    deal_id, leg : int
    why : bool
        Add as `why` what players that weigh their cards gave each of them.

    Returns
    -------
    dict
        The hand record.

    Raises
    ------
    RunError
        When there is no such hand, or it does not replay as it was written.
    """
    return _tables(run).hand(deal_id, leg, why=why).record


def calibrate(
    run: Tables | Run | str | os.PathLike[str],
    *,
    by: str | None = None,
    forced: Tables | Run | str | os.PathLike[str] | None = None,
) -> Calibration:
    """Judge the bids of a run: how often they come home, and whether stated chances are right.

    Parameters
    ----------
    run : Tables or path
    by : {"seat", "position", "score", "length", "structures"}, optional
        What contracts are told apart by as well.
    forced : Tables or path, optional
        A forced run that the contracts are set beside; best one of the same deals.

    Returns
    -------
    Calibration

    Raises
    ------
    RunError
        When it is no finished run, there is no such feature, or the forced run is none or of
        other rules.
    """
    return calibrate_run(as_run(run), by, None if forced is None else as_run(forced))
