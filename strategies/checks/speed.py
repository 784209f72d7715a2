"""Microseconds a decision, at views of hands that were played."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from simulate.game.records import BIDDING, VIEW
from strategies.checks.stage import Stage
from strategies.checks.watch import ask_often

#: Seconds that a view is asked for, so that the clock's own time does not count.
_LONG = 2e-4


def time_decisions(
    stage: Stage, views: Mapping[int, list[np.ndarray]], seconds: float
) -> dict[str, dict[str, float]]:
    """Time the decisions at `views`, by what was asked for.

    Returns
    -------
    dict
        For ``bid`` and ``play``: how many views (`n`), mean and slowest in microseconds.
    """
    seat = next(seat for seat, asked in enumerate(stage.asked) if asked)
    work = int(stage.engine.table.seats["works"][0, seat])
    spare = np.zeros(1, VIEW)
    ask_often(int(stage.watches["addresses"][seat, BIDDING]), np.zeros(0, VIEW), spare, work, 1)
    entries = {}
    for asked, each in views.items():
        if not each or asked not in stage.asked[seat]:
            continue
        address = int(stage.watches["addresses"][seat, asked])
        stop = time.perf_counter() + seconds / 2
        times = []
        for view in each:
            stage.begin()
            often, took = 1, _once(address, view, spare, work, 1)
            while took * often < _LONG:
                often = max(2 * often, int(_LONG / max(took, 1e-8)))
                took = _once(address, view, spare, work, often)
            # The machine has other things to do as well: the quickest of three counts.
            took = min([took, *(_once(address, view, spare, work, often) for _ in range(2))])
            times.append(1e6 * took)
            if time.perf_counter() > stop:
                break
        name = "bid" if asked == BIDDING else "play"
        entries[name] = {"n": len(times), "mean": float(np.mean(times)), "slowest": max(times)}
    return entries


def _once(address: int, view: np.ndarray, spare: np.ndarray, work: int, times: int) -> float:
    """Seconds that a decision takes, of so many."""
    began = time.perf_counter()
    ask_often(address, view, spare, work, times)
    return (time.perf_counter() - began) / times


def tell_speed(result: Mapping[str, Mapping[str, float]], *, plain: bool) -> str:
    """Say it in a line."""
    names = {"bid": "call", "play": "card"}
    lines = []
    for name, each in result.items():
        slowest = f"max {_short(each['slowest'])}, n {each['n']:.0f}"
        lines.append(f"{names[name]} {_short(each['mean'])} us ({slowest})")
    return ", ".join(lines) + (": plain Python, the slow path" if plain else "")


def _short(number: float) -> str:
    """Two digits, or whole."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
