"""Time, disk and the size of parts, from a short pilot."""

from __future__ import annotations

import time
from dataclasses import dataclass

import joblib
import numpy as np
import pyarrow as pa

from simulate.engine.engine import Engine
from simulate.engine.entrant import Loader
from simulate.engine.loop import RowBuffer
from simulate.store.buffer import PartBuffer, make_tables
from simulate.store.parts import open_writer, run_tables
from simulate.store.schema import table_schema
from simulate.store.settings import Settings
from simulate.store.sources import load_checked

#: Seconds that a part is to take, and the pilot.
PART_SECONDS = 20.0
PILOT_SECONDS = 0.25
#: Parts that each worker gets, where there are deals enough: the last ones end near each other.
PARTS_A_JOB = 3
LEAST_UNITS = 1024
MOST_UNITS = 2**18
#: Below this a part is not worth a file: slow strategies may have fewer deals in one.
LEAST_SECONDS = 1.0


@dataclass(frozen=True)
class Plan:
    """What a run will take.

    Attributes
    ----------
    seconds : float
        Estimate of the time it takes.
    size : int
        Estimate of the bytes on disk.
    part_size : int
        Deals or matches in a part, a power of two.
    """

    seconds: float
    size: int
    part_size: int


def plan_run(settings: Settings, load: Loader, jobs: int = 1) -> Plan:
    """Play some deals or matches of a run, and estimate the whole.

    Parameters
    ----------
    settings : Settings
    load : Loader
    jobs : int

    Raises
    ------
    IllegalPlay, StrategyError
        When a strategy fails.
    """
    specs = [entrant.text for entrant in settings.entrants.values()]
    entrants = load_checked(settings, specs, load)
    engine = Engine(settings.rules, entrants, settings.seed, settings.legs, settings.fixed)
    first = settings.ids.start
    PartBuffer(settings, 1).play(engine, first, 1)  # compiles, or loads what was compiled
    units = 1
    while True:
        buffer = PartBuffer(settings, units)
        began = time.perf_counter()
        full = buffer.play(engine, first, units) < units
        played = time.perf_counter() - began
        if full or played > PILOT_SECONDS / 3 or units == settings.count:
            break
        growth = min(16.0, PILOT_SECONDS / 2 / max(played, 1e-6))
        units = min(settings.count, max(units + 1, int(units * growth)))
    units = buffer.units
    began = time.perf_counter()
    whole = _written_size(settings, *buffer.first(units))
    written = time.perf_counter() - began
    half = _written_size(settings, *buffer.first(units // 2))
    # A file's fixed part would weigh too much in a short pilot: what the second half adds counts.
    of_one = (whole - half) / (units - units // 2)
    rate = units / (played + written)
    part_size = choose_part(rate, settings.count, jobs)
    parts = -(-settings.count // part_size)
    workers = min(jobs, parts, joblib.cpu_count())
    return Plan(
        seconds=settings.count / rate / workers,
        size=int(settings.count * of_one + parts * (whole - units * of_one)),
        part_size=part_size,
    )


def choose_part(rate: float, units: int, jobs: int) -> int:
    """Choose how many deals or matches make a part.

    Parameters
    ----------
    rate : float
        How many one worker plays in a second.
    units : int
        Of the whole run.
    jobs : int

    Returns
    -------
    int
        A power of two.
    """
    wanted = min(rate * PART_SECONDS, units / (PARTS_A_JOB * jobs), MOST_UNITS)
    least = min(rate * LEAST_SECONDS, LEAST_UNITS)
    return 1 << (max(1, int(max(wanted, least))).bit_length() - 1)


def _written_size(
    settings: Settings, buffer: RowBuffer, hands: int, matches: np.ndarray, forced: np.ndarray
) -> int:
    """Bytes of the part files of such rows; see :func:`simulate.store.buffer.make_tables`."""
    pieces: dict[str, list[pa.Table]] = {table: [] for table in run_tables(settings)}
    for table, rows in make_tables(settings, buffer, hands, matches, forced):
        pieces[table].append(rows)
    total = 0
    for table, tables in pieces.items():
        sink = pa.BufferOutputStream()
        with open_writer(sink, table_schema(settings, table)) as writer:
            for rows in tables:
                writer.write_table(rows)
        total += sink.getvalue().size
    return total
