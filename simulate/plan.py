"""Time, disk and the size of parts, from a short pilot."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import pyarrow as pa

from simulate.columns import calls_table, hands_table, plays_table, table_schema
from simulate.engine import Engine, Sheet, make_sheet
from simulate.entrant import Loader
from simulate.parts import open_writer, run_tables
from simulate.settings import Settings
from simulate.sources import load_checked

#: Seconds that a part is to take, and the pilot.
PART_SECONDS = 20.0
PILOT_SECONDS = 0.25
#: Parts that each worker gets, where there are deals enough: the last ones end near each other.
PARTS_A_JOB = 3
LEAST_DEALS = 1024
MOST_DEALS = 2**18
#: Below this a part is not worth a file, so that slow strategies may have fewer deals in one.
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
    part_deals : int
        Deals in a part, a power of two.
    """

    seconds: float
    size: int
    part_deals: int


def plan_run(settings: Settings, load: Loader, jobs: int = 1) -> Plan:
    """Play some deals of a run, and estimate the whole.

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
    first = settings.first_deal
    details = {name: name in settings.detail for name in ("calls", "plays")}
    sheet = make_sheet(settings.legs, **details)
    engine.play(sheet, first, 1)  # compiles, or loads what was compiled
    deals = 1
    while True:
        sheet = make_sheet(deals * settings.legs, **details)
        began = time.perf_counter()
        engine.play(sheet, first, deals)
        played = time.perf_counter() - began
        if played > PILOT_SECONDS / 3 or deals == settings.deals:
            break
        growth = min(16.0, PILOT_SECONDS / 2 / max(played, 1e-6))
        deals = min(settings.deals, max(deals + 1, int(deals * growth)))
    hands = deals * settings.legs
    began = time.perf_counter()
    whole = _written_size(settings, sheet, hands)
    written = time.perf_counter() - began
    half = _written_size(settings, sheet, hands // 2)
    # A file's fixed part would weigh too much in a short pilot: what the second half adds counts.
    a_hand = (whole - half) / (hands - hands // 2)
    rate = deals / (played + written)
    part_deals = choose_part(rate, settings.deals, jobs)
    parts = -(-settings.deals // part_deals)
    workers = min(jobs, parts, os.cpu_count() or 1)
    return Plan(
        seconds=settings.deals / rate / workers,
        size=int(settings.deals * settings.legs * a_hand + parts * (whole - hands * a_hand)),
        part_deals=part_deals,
    )


def choose_part(rate: float, deals: int, jobs: int) -> int:
    """Deals in a part.

    Parameters
    ----------
    rate : float
        Deals that one worker plays in a second.
    deals : int
        Of the whole run.
    jobs : int

    Returns
    -------
    int
        A power of two.
    """
    wanted = min(rate * PART_SECONDS, deals / (PARTS_A_JOB * jobs), MOST_DEALS)
    least = min(rate * LEAST_SECONDS, LEAST_DEALS)
    return 1 << (max(1, int(max(wanted, least))).bit_length() - 1)


def _written_size(settings: Settings, sheet: Sheet, hands: int) -> int:
    """Bytes of the part files that the first `hands` hands of a sheet make."""
    total = 0
    for table in run_tables(settings):
        if table == "hands":
            rows = hands_table(settings, sheet.rows[:hands])
        else:
            make = calls_table if table == "calls" else plays_table
            rows = make(settings, sheet, 0, hands)
        sink = pa.BufferOutputStream()
        with open_writer(sink, table_schema(settings, table)) as writer:
            writer.write_table(rows)
        total += sink.getvalue().size
    return total
