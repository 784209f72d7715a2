"""Many hands under every variant: legal, the view left alone, memory, and the same rows again."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from simulate.engine.engine import make_buffer
from simulate.errors import StrategyError
from simulate.rules import Rules
from simulate.runs.workers import Pace
from strategies.checks.stage import Shared, Stage, Subject
from strategies.checks.verdict import Row
from strategies.checks.watch import field_at

#: What is said of a hand that does not repeat.
AGAIN = "went otherwise when it was played again"

_MOST_CHUNK = 4096
#: Memory may grow by so much in a whole check, and by so much a hand: a page here and there.
_GROWTH = 16 * 2**20
_GROWTH_HAND = 16


@dataclass
class Played:
    """What many hands came to.

    Attributes
    ----------
    hands : dict of str to int
        By variant.
    decisions : int
    seconds : float
    failure : str
        What went wrong; empty where nothing did.
    wrote, misstated : str
        What was written that should not be; a chance stated that is none.
    growth : int or None
        Bytes that the process grew by; None where that is not known.
    """

    hands: dict[str, int]
    decisions: int = 0
    seconds: float = 0.0
    failure: str = ""
    wrote: str = ""
    misstated: str = ""
    growth: int | None = None
    grown_over: int = 0
    stages: list[Stage] = field(default_factory=list, repr=False)


def peak_memory() -> int | None:
    """Most memory that this process ever had, in bytes; None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def make_stages(subject: Subject, rules: Mapping[str, Rules], shared: Shared) -> list[list[Stage]]:
    """Stages of each variant, one for each way to sit."""
    return [
        [Stage(name, each, seating, shared) for seating in subject.seatings(each.players)]
        for name, each in rules.items()
    ]


def play_many(stages: Sequence[Sequence[Stage]], deals: int, seconds: float) -> Played:
    """Play up to `deals` hands of each variant, for so long; ends at the first failure.

    The variants take turns, so that none is left out where time is short. Half of the hands are
    those of matches that stand anywhere.
    """
    draw = np.random.default_rng(1)
    buffer = make_buffer(_MOST_CHUNK)
    played = Played({each[0].variant: 0 for each in stages})
    played.stages = [stage for each in stages for stage in each]
    paces = {id(stage): Pace() for stage in played.stages}
    began = time.perf_counter()
    before = peak_memory()
    turn = 0
    while True:
        open_ = [each for each in stages if played.hands[each[0].variant] < deals]
        if not open_ or time.perf_counter() - began > seconds:
            break
        for each in open_:
            stage = each[turn % len(each)]
            pace = paces[id(stage)]
            first = played.hands[stage.variant]
            count = min(pace.units, deals - first, _MOST_CHUNK)
            state = stage.engine.table.state
            state["in_match"] = turn // len(each) % 2
            target = stage.rules.target_score
            state["before"][0] = draw.integers(-target, target, 4)
            if stage.rules.players == 4:
                state["before"][0, 2:] = state["before"][0, :2]
            start = time.perf_counter()
            stage.begin()
            try:
                stage.engine.play(buffer, first, count)
            except StrategyError as error:
                played.failure = f"{error} ({stage.text()})"
                break
            pace.learn(count, time.perf_counter() - start)
            played.hands[stage.variant] += count
            if time.perf_counter() - began > seconds:
                break
        turn += 1
        if turn == max(map(len, stages)) + 1:
            before, played.grown_over = peak_memory(), -sum(played.hands.values())
        if played.failure:
            break
    played.seconds = time.perf_counter() - began
    after = peak_memory()
    if before is not None and after is not None and played.grown_over < 0:
        played.growth = after - before
        played.grown_over += sum(played.hands.values())
    _gather(played)
    return played


def _gather(played: Played) -> None:
    """Take what the watched seats noted."""
    for stage in played.stages:
        played.decisions += stage.decisions()
        for seat, asked in enumerate(stage.asked):
            watch = stage.watches[seat]
            if asked and watch["wrote"] >= 0 and not played.wrote:
                played.wrote = f"view.{field_at(int(watch['wrote']))} ({stage.text()})"
            if asked and watch["misstated"] != -1 and not played.misstated:
                played.misstated = f"{int(watch['misstated'])} ({stage.text()})"


def rows_of(played: Played, deals: int, variants: int) -> list[Row]:
    """Tell what the hands showed: legal, view, memory."""
    hands = sum(played.hands.values())
    text = f"{hands:,} hands of {variants} variants, {played.decisions:,} decisions"
    if variants == 1:
        text = f"{hands:,} hands of {next(iter(played.hands))}, {played.decisions:,} decisions"
    if hands < deals * variants and not played.failure:
        text += f" in {played.seconds:.0f} s; asked {deals * variants:,}"
    view = f"nothing else written in {played.decisions:,} decisions"
    fault = played.failure
    if played.misstated and not fault:
        fault = f"states a chance of {played.misstated}: it is per mille, 0 to 1000"
    rows = [Row("legal", "fail", fault) if fault else Row("legal", "pass", text)]
    if played.wrote:
        rows.append(Row("view", "fail", f"writes {played.wrote}: notes belong into view.memo"))
    elif played.decisions:
        rows.append(Row("view", "pass", view))
    else:
        rows.append(Row("view", "not run", "it was asked for nothing"))
    return [*rows, _memory(played)]


def _memory(played: Played) -> Row:
    if played.growth is None or played.grown_over <= 0:
        return Row("memory", "not run", "too few hands, or a system that does not tell")
    hands = played.grown_over
    text = f"{played.growth / 2**20:+.1f} MiB over {hands:,} hands"
    grows = played.growth > max(_GROWTH, _GROWTH_HAND * hands)
    return Row("memory", "fail" if grows else "pass", text)


def play_again(
    subject: Subject, rules: Mapping[str, Rules], shared: Shared, counts: Mapping[str, int]
) -> tuple[str, dict[str, list[str]]]:
    """Play the first hands of each variant twice, the second time backwards.

    Returns
    -------
    text : str
        The first difference, or failure; empty where there is none.
    digests : dict of str to list of str
        By variant, a digest of the calls, cards and scores of each hand.
    """
    digests: dict[str, list[str]] = {}
    for name, each in rules.items():
        seating = next(subject.seatings(each.players))
        pieces = []
        size = max(1, min(counts[name] // 3, _MOST_CHUNK))
        starts = range(0, counts[name], size)
        for order in (starts, reversed(starts)):
            stage = Stage(name, each, seating, shared)
            entries = {}
            for first in order:
                stage.begin()
                count = min(size, counts[name] - first)
                buffer = make_buffer(count, calls=True, plays=True)
                try:
                    stage.engine.play(buffer, first, count)
                except StrategyError as error:
                    return f"{error} ({stage.text()})", digests
                tables = (buffer.rows, buffer.calls, buffer.plays)
                entries[first] = [b"".join(t[i].tobytes() for t in tables) for i in range(count)]
            pieces.append([row for first in starts for row in entries[first]])
        for deal_id, (row, again) in enumerate(zip(*pieces, strict=True)):
            if row != again:
                text = f"deal {deal_id} of variant {name}, seed {stage.engine.seed}"
                return f"{text}, {AGAIN}", digests
        digests[name] = [hashlib.sha256(row).hexdigest()[:8] for row in pieces[0]]
    return "", digests
