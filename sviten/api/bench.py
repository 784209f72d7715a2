"""What this machine does on one core: nanoseconds of the steps that a run is made of.

The kernels that measure a step loop over the very functions that a run calls. Repeats of all steps
are interleaved and the median is taken, so that a machine whose speed drifts treats all alike.
"""

from __future__ import annotations

import importlib.util
import inspect
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from simulate.cards import DECK
from simulate.compiled.kernels import kernel
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.loop import RowBuffer
from simulate.game import tricks
from simulate.game.deal import deal_cards
from simulate.game.hand import Table, begin_hand, begin_play
from simulate.game.scoring import score_hand
from simulate.game.tricks import play_out
from simulate.melds.solve import best_layout
from simulate.rules import CLASSIC, load_rules, variant_names
from simulate.store.buffer import GROUP_HANDS
from simulate.store.make import make_settings
from simulate.store.parts import PartWriter
from strategies.declare.spec import load_entrant
from strategies.players.random import random as random_player

PILES = (13, 26, 39, 52)
ROWS = 1 << 17

Step = Callable[[int], Any]


@kernel
def _deals(table: Table, first: int, count: int) -> None:
    state = table.state[0]
    for deal_id in range(first, first + count):
        deal_cards(state, state.seed, deal_id)


@kernel
def _begin_plain(table: Table, deal_id: int) -> None:
    """Start a hand without an auction: any contract will do."""
    state = table.state[0]
    begin_hand(state, table.seats[0], table.bidding[0], deal_id, deal_id & 3)
    state.declarer = deal_id & 3
    state.level = 1
    state.denomination = deal_id % 5
    begin_play(state, table.seats[0], table.playing[0])


@kernel
def _plain_hands(table: Table, first: int, count: int) -> bool:
    state = table.state[0]
    for deal_id in range(first, first + count):
        _begin_plain(table, deal_id)
        if not play_out(state, table.seats[0]):
            return False
    return True


@kernel
def _hands_with_layouts(table: Table, first: int, count: int) -> bool:
    state = table.state[0]
    for deal_id in range(first, first + count):
        _begin_plain(table, deal_id)
        if not play_out(state, table.seats[0]):
            return False
        score_hand(state, table.scorer[0])
    return True


@kernel
def _layouts(area: Any, piles: Any, trumps: Any, count: int) -> int:
    total = 0
    for i in range(count):
        at = i % len(piles)
        points, _, _ = best_layout(area, piles[at], trumps[at], 0)
        total += points
    return total


def _direct_hands() -> Callable[..., bool]:
    """Make the plain loop with the random player called directly, from the same source text.

    Only the call by address is replaced, so that the two loops differ in nothing else. Compiled
    anew each time, since there is no file to key a cache by.
    """
    source = inspect.getsource(play_out)
    by_address = "call_strategy(seats.players[seat], view, seats.works[seat])"
    assert by_address in source
    source = source.replace(by_address, "random_kernel(view, seats.works[seat])")
    loop = inspect.getsource(_plain_hands)
    names = vars(tricks) | {
        "random_kernel": random_player.kernel,
        "_begin_plain": _begin_plain,
        "Table": Table,
    }
    exec(compile(source, "<direct loop>", "exec"), names)
    exec(compile(loop, "<direct loop>", "exec"), names)
    return names["_plain_hands"]  # type: ignore[no-any-return]


def _random_piles(size: int, count: int, rng: np.random.Generator) -> np.ndarray:
    piles = np.zeros(count, np.uint64)
    for i in range(count):
        cards = rng.choice(len(DECK), size, replace=False)
        piles[i] = sum(1 << DECK[card] for card in cards)
    return piles


def _real_piles(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Piles of both sides, and trumps, as they come out of hands of tips/greedy."""
    entrant = load_entrant("tips/greedy")
    engine = Engine(CLASSIC, [entrant] * 4, 7)
    buffer = make_buffer(1)
    piles: list[int] = []
    trumps: list[int] = []
    deal_id = 0
    while len(piles) < count:
        engine.play(buffer, deal_id, 1)
        state = engine.table.state[0]
        if state["declarer"] >= 0:
            piles += [int(pile) for pile in state["piles"]]
            trumps += [int(state["denomination"])] * 2
        deal_id += 1
    return np.array(piles, np.uint64), np.array(trumps, np.int64)


def _naive_module() -> ModuleType | None:
    """Slow engine of the tests, which only a checkout has."""
    path = Path(__file__).parents[2] / "tests" / "naive.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("sviten_naive", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["sviten_naive"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _steps() -> dict[str, tuple[Step, int]]:
    """Each step and how many times a repeat does it."""
    random = load_entrant("random/random")
    strong = load_entrant("tips/greedy")
    plain = Engine(CLASSIC, [random] * 4, 7)
    greedy = Engine(CLASSIC, [strong] * 4, 7)
    table = plain.table
    area = table.scorer[0]["melds"]
    direct = _direct_hands()
    buffer = make_buffer(ROWS)
    rng = np.random.default_rng(7)

    def layouts(piles: np.ndarray, trumps: np.ndarray) -> Step:
        return partial(_layouts, area, piles, trumps)

    steps: dict[str, tuple[Step, int]] = {
        "deal": (partial(_deals, table, 0), 300_000),
        "plain_hand": (partial(_plain_hands, table, 0), 60_000),
        "plain_hand_direct": (partial(direct, table, 0), 60_000),
        "hand_with_layouts": (partial(_hands_with_layouts, table, 0), 40_000),
        "tips_greedy_hand": (partial(greedy.play, buffer, 0), 15_000),
    }
    repeats = {13: 500_000, 26: 300_000, 39: 60_000, 52: 10_000}
    for size in PILES:
        piles = _random_piles(size, 1 if size == 52 else 2000, rng)
        piles = np.resize(piles, 2000)
        steps[f"layout_{size}"] = (layouts(piles, np.arange(2000) % 5), repeats[size])
    steps["layout_mix"] = (layouts(*_real_piles(4000)), 200_000)
    steps["row"] = (_row_writer(greedy, buffer), ROWS)
    naive = _naive_module()
    if naive is not None:
        steps["naive_hand"] = (_naive_hands(naive), 20)
    return steps


def _row_writer(engine: Engine, buffer: RowBuffer) -> Step:
    """Write played rows to a part file, the way a run does."""
    engine.play(buffer, 0, ROWS)
    settings = make_settings(
        CLASSIC, ["tips/greedy"] * 4, load_entrant, deals=ROWS, seed=7
    ).with_part_size(ROWS)

    def write(count: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            writer = PartWriter(Path(folder), settings, 0)
            for start in range(0, count, GROUP_HANDS):
                stop = min(start + GROUP_HANDS, count)
                group = buffer._replace(rows=buffer.rows[start:stop])
                for _ in writer.write(group, stop - start):
                    pass
            writer.finish()
            writer.publish()

    return write


def _naive_hands(naive: ModuleType) -> Step:
    fields = CLASSIC.model_dump(mode="json")

    def play(count: int) -> None:
        for deal_id in range(count):
            dealt = naive.deal(fields, 7, deal_id)
            naive.play_hand(fields, dealt, deal_id % 4, **naive.random_seats(fields, 7, deal_id))

    return play


def _timed(
    steps: dict[str, tuple[Step, int]], repeats: int, tell: Callable[[str], None]
) -> dict[str, list[float]]:
    """Nanoseconds of each step in each repeat; the steps take turns."""
    for do, count in steps.values():
        do(max(1, count // 100))
    times: dict[str, list[float]] = {name: [] for name in steps}
    for repeat in range(repeats):
        tell(f"repeat {repeat + 1} of {repeats}")
        for name, (do, count) in steps.items():
            start = time.perf_counter_ns()
            do(count)
            times[name].append((time.perf_counter_ns() - start) / count)
    return times


def measure(*, repeats: int = 7, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Measure all steps.

    Parameters
    ----------
    repeats : int
        Timings of each step, of which the median is taken; the steps take turns.
    progress : callable, optional
        Told what is being done.

    Returns
    -------
    dict
        Nanoseconds: ``deal_ns``, ``plain_hand_ns``, ``plain_hand_direct_ns``,
        ``hand_with_layouts_ns``, ``tips_greedy_hand_ns``, ``layout_ns`` by pile size,
        ``layout_mix_ns`` (piles of real hands), ``row_ns``, ``naive_hand_ns`` (None where the
        tests are not installed).
    """
    tell = progress or (lambda text: None)
    tell("compiling")
    times = _timed(_steps(), repeats, tell)
    median = {name: round(statistics.median(values), 1) for name, values in times.items()}
    return {
        "deal_ns": median["deal"],
        "plain_hand_ns": median["plain_hand"],
        "plain_hand_direct_ns": median["plain_hand_direct"],
        "hand_with_layouts_ns": median["hand_with_layouts"],
        "tips_greedy_hand_ns": median["tips_greedy_hand"],
        "layout_ns": {str(size): median[f"layout_{size}"] for size in PILES},
        "layout_mix_ns": median["layout_mix"],
        "row_ns": median["row"],
        "naive_hand_ns": median.get("naive_hand"),
    }


def report(measured: dict[str, Any]) -> str:
    """Table of what was measured, for a person: each step, its time, and how many a second."""
    rows = [
        ("deal", measured["deal_ns"]),
        ("hand of random cards, called by address", measured["plain_hand_ns"]),
        ("hand of random cards, called directly", measured["plain_hand_direct_ns"]),
        ("hand of random cards and both layouts", measured["hand_with_layouts_ns"]),
        ("hand of tips/greedy, auction to row", measured["tips_greedy_hand_ns"]),
        *((f"layout of {size} cards", measured["layout_ns"][str(size)]) for size in PILES),
        ("layout of a real hand's pile", measured["layout_mix_ns"]),
        ("row written", measured["row_ns"]),
        ("hand of the naive engine", measured["naive_hand_ns"]),
    ]
    lines = [f"{'one core':<42}{'time':>12}{'a second':>16}"]
    for name, nanoseconds in rows:
        if nanoseconds is None:
            lines.append(f"{name:<42}{'not here: the tests are not installed':>28}")
            continue
        unit, scale = ("ns", 1) if nanoseconds < 1e4 else ("us", 1e3)
        shown = f"{nanoseconds / scale:,.{0 if nanoseconds >= 100 else 1}f} {unit}"
        lines.append(f"{name:<42}{shown:>12}{1e9 / nanoseconds:>16,.0f}")
    return "\n".join(lines)


def measure_variants(
    *, repeats: int = 7, progress: Callable[[str], None] | None = None
) -> dict[str, dict[str, float]]:
    """Measure a hand of tips/greedy, auction to row, under every preset.

    Parameters
    ----------
    repeats : int
    progress : callable, optional

    Returns
    -------
    dict
        By variant: ``hand_ns``, the median in nanoseconds, and ``times_classic``, the median of
        the ratios to classic within a repeat.
    """
    tell = progress or (lambda text: None)
    tell("compiling")
    entrant = load_entrant("tips/greedy")
    buffer = make_buffer(8000)
    steps: dict[str, tuple[Step, int]] = {}
    for name in variant_names():
        rules = load_rules(name)
        engine = Engine(rules, [entrant] * rules.players, 7)
        steps[name] = (partial(engine.play, buffer, 0), 8000)
    times = _timed(steps, repeats, tell)
    classic = times["classic"]
    return {
        name: {
            "hand_ns": round(statistics.median(values), 1),
            "times_classic": round(
                statistics.median(a / b for a, b in zip(values, classic, strict=True)), 3
            ),
        }
        for name, values in times.items()
    }


def report_variants(measured: dict[str, dict[str, float]]) -> str:
    """Table of what :func:`measure_variants` found, for a person."""
    lines = [f"{'tips/greedy, one core':<24}{'a hand':>12}{'classic = 1':>14}{'a second':>12}"]
    for name, row in measured.items():
        lines.append(
            f"{name:<24}{row['hand_ns'] / 1e3:>9.2f} us{row['times_classic']:>14.2f}"
            f"{1e9 / row['hand_ns']:>12,.0f}"
        )
    return "\n".join(lines)
