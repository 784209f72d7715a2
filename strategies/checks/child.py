"""All checks of a strategy, in a process that its guard may end.

What is found is written line by line to a file, as JSON: what hangs later takes nothing away.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from numba.core import event

from simulate.compiled.kernels import reads_of, source_files
from simulate.engine.engine import make_buffer
from simulate.errors import StrategyError
from simulate.rules import Rules, load_rules, variant_names
from strategies.checks.blind import Blind, look_behind
from strategies.checks.origins import Globals, find_origin
from strategies.checks.playing import (
    AGAIN,
    Played,
    make_stages,
    peak_memory,
    play_again,
    play_many,
    rows_of,
)
from strategies.checks.speed import tell_speed, time_decisions
from strategies.checks.stage import Shared, Stage, Subject
from strategies.checks.verdict import Row
from strategies.declare.registry import Kind, Strategy
from strategies.declare.spec import kinds_of, load_entrant, read_part, split_entrant

#: Shares of the time that is given.
_LEGAL, _AGAIN, _BLIND, _SPEED = 0.55, 0.1, 0.2, 0.02
_FAILS = "a hand fails before its end"
_CHEATS = "it is declared to cheat, and is lent all hands"
_OTHERWISE = "the same hand does not go the same way"
#: Hands of each variant that are played again.
_MOST_AGAIN = 2000


class _Compiling(event.Listener):
    """Lets the guard not take a compiler for a strategy that does not answer.

    What plain Python calls is compiled when it is first called, in the midst of a hand.
    """

    def __init__(self, shared: Shared) -> None:
        self._head = shared.head
        self._depth = 0
        self._playing = 0

    def on_start(self, _: Any) -> None:
        """Take in that a compilation begins."""
        if not self._depth:
            self._playing = int(self._head["playing"][0])
            self._head["playing"] = 0
        self._depth += 1
        self._head["beats"] += 1

    def on_end(self, _: Any) -> None:
        """Take in that one has ended."""
        self._depth -= 1
        self._head["beats"] += 1
        if not self._depth:
            self._head["playing"] = self._playing


class Report:
    """Writes what is found, a line at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, **facts: Any) -> None:
        """Write one thing down."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts) + "\n")

    def row(self, row: Row) -> None:
        """Write a check down."""
        self(row=asdict(row))

    def stages(self, stages: list[Stage]) -> None:
        """Write down who sits where, for the guard to tell."""
        for stage in stages:
            names = [[e.bidder, e.player] for e in stage.engine.seated[0]]
            self(stage=stage.place, text=stage.text(), seed=stage.engine.seed, names=names)


def find_subject(spec: str) -> tuple[Subject, list[Strategy]]:
    """Say what a spec names: a bidder, a player, both of that name, or an entrant.

    Raises
    ------
    StrategyError
        When there is none.
    """
    kinds: tuple[Kind, ...] = kinds_of(spec)
    if kinds:
        halves = {kind: spec for kind in kinds}
    else:
        bidder, player = split_entrant(spec)
        halves = {"bidder": bidder, "player": player}
    entries = {kind: read_part(kind, text)[::2] for kind, text in halves.items()}
    subject = Subject(*(str(entries.get(kind, (None, ""))[1]) for kind in ("bidder", "player")))
    return subject, [strategy for strategy, _ in entries.values()]


def check(question: Mapping[str, Any]) -> None:
    """Run the checks.

    Parameters
    ----------
    question : mapping
        What the guard wants: `spec`, `deals`, `seconds`, `variants`, `report` and `shared`
        (paths), and `counts` where the first hands alone are to be played, with bounds checked.
    """
    report = Report(Path(question["report"]))
    shared = Shared(Path(question["shared"]))
    with event.install_listener("numba:compile", _Compiling(shared)):
        _check(question, report, shared)


def _check(question: Mapping[str, Any], report: Report, shared: Shared) -> None:
    """Run the checks, and write down what they find."""
    report(begin="compiles")
    began = time.perf_counter()
    try:
        subject, strategies = find_subject(question["spec"])
    except StrategyError as error:
        if error.__cause__ is None:  # there is none of that name: nothing to be judged
            report(unknown=str(error))
        else:
            report.row(Row("compiles", "fail", str(error)))
        return
    try:
        report(what=", ".join(f"{s.kind} {t}" for s, t in _named(subject, strategies)))
        entrant = load_entrant(f"{subject.bidder or 'pass'}/{subject.player or 'random'}")
    except StrategyError as error:
        report.row(Row("compiles", "fail", str(error)))
        return
    took = f"compiled, or found in the cache, in {time.perf_counter() - began:.1f} s"
    plain = [f"{s.kind} {s.name}" for s in strategies if s.python]
    if plain:
        took = f"{' and '.join(plain)} in plain Python: not compiled, and slow"
    rules = _rules(question["variants"], strategies)
    if question.get("counts"):
        _bounds(report, subject, rules, shared, question)
        return
    report.row(Row("compiles", "pass", took))
    kernels = [kernel for s in strategies for kernel in (s.kernel, s.between)]
    origin = next(filter(None, map(find_origin, kernels)), "")
    if origin:
        report.row(Row("source", "fail", origin))
    notes = Globals(kernels)
    stages = make_stages(subject, rules, shared)
    everyone = [stage for each in stages for stage in each]
    _warm_up(everyone[0].rules, question)
    report.stages(everyone)
    seconds = float(question["seconds"])

    report(begin="legal")
    played = play_many(stages, question["deals"], _LEGAL * seconds)
    shared.pause()
    for row in rows_of(played, question["deals"], len(rules)):
        report.row(row)
    report(facts={"hands": played.hands, "decisions": played.decisions, "peak": peak_memory()})

    report(begin="repeatable")
    counts = _counts(played, _AGAIN * seconds)
    difference, digests = play_again(subject, rules, shared, counts)
    shared.pause()
    report.row(_repeatable(played, difference, counts))
    report(counts=counts, digests=digests)

    report(begin="blind")
    pairs = []
    for each in stages:
        again = make_stages(subject, {each[0].variant: each[0].rules}, shared)[0]
        report.stages(again)
        pairs += list(zip(each, again, strict=True))
    if why := _CHEATS if entrant.cheats else _unfit(played, difference):
        blind = Blind(failure=why)
    else:
        blind = look_behind(pairs[:: max(map(len, stages))] + pairs, _BLIND * seconds)
    shared.pause()
    report.row(_blind(blind))
    if not origin and (change := notes.changed()):
        report.row(Row("source", "fail", change))
    elif not origin:
        text = "names no other memory, chance, clock or notes"
        report.row(Row("source", "pass", f"{text}{_frozen_files(strategies)}"))

    report(begin="speed")
    speed = time_decisions(stages[0][0], blind.views, _SPEED * seconds) if blind.compared else {}
    shared.pause()
    if speed:
        report.row(Row("speed", "pass", tell_speed(speed, plain=bool(entrant.plain))))
    else:
        report.row(Row("speed", "not run", "no decision was seen"))
    report(facts={"microseconds": speed, "compared": blind.compared})


def _named(subject: Subject, strategies: list[Strategy]) -> list[tuple[Strategy, str]]:
    texts = {"bidder": subject.bidder, "player": subject.player}
    return [(strategy, texts[strategy.kind]) for strategy in strategies]


def _rules(variants: list[str], strategies: list[Strategy]) -> dict[str, Rules]:
    """Rules to play by: those asked for, else those that all of the strategies claim."""
    claims = [set(strategy.variants or variant_names()) for strategy in strategies]
    names = variants or [n for n in variant_names() if all(n in claim for claim in claims)]
    others = [n for claim in claims for n in sorted(claim) if n not in variant_names()]
    return {name: load_rules(name) for name in names or others or ["classic"]}


def _frozen_files(strategies: Sequence[Strategy]) -> str:
    """Tell what files a strategy reads as it is loaded; an empty text where there are none."""
    sources = {file for each in strategies for file in source_files(each.path)}
    read = {file for source in sources for file in reads_of(source)}
    names = sorted(file.name for file in read if file.suffix != ".py")
    if not names:
        return ""
    return (
        f"; reads {', '.join(names)} as it is loaded, and is compiled anew where that changes: "
        "data=[...] in its declaration hands numbers over instead"
    )


def _warm_up(rules: Rules, question: Mapping[str, Any]) -> None:
    """Have all that the checks use compiled, while nobody looks at the clock."""
    shared = Shared(Path(f"{question['shared']}-warm"))
    subject = Subject("random", "random")
    seating = next(subject.seatings(rules.players))
    stage, again = (Stage("classic", rules, seating, shared) for _ in range(2))
    stage.engine.play(make_buffer(1, calls=True, plays=True), 0, 1)
    blind = look_behind([(stage, again)], 0.0)
    time_decisions(stage, blind.views, 0.0)


def _counts(played: Played, seconds: float) -> dict[str, int]:
    """Hands of each variant that can be played twice in that time."""
    hands = sum(played.hands.values())
    speed = hands / played.seconds if played.seconds else 0.0
    each = int(speed * seconds / 2 / len(played.hands))
    return {name: max(2, min(each, _MOST_AGAIN, most)) for name, most in played.hands.items()}


def _repeatable(played: Played, difference: str, counts: Mapping[str, int]) -> Row:
    if played.failure and difference:
        return Row("repeatable", "not run", _FAILS)
    if difference:
        return Row("repeatable", "fail", difference)
    return Row("repeatable", "pass", f"{sum(counts.values()):,} hands again, the other way round")


def _unfit(played: Played, difference: str) -> str:
    """Say why it makes no sense to ask again; an empty text where it does."""
    if played.failure:
        return _FAILS
    if played.wrote:
        return "it writes over its view"
    return _OTHERWISE if difference else ""


def _blind(blind: Blind) -> Row:
    if blind.text:
        return Row("blind", "fail", blind.text)
    if blind.failure:
        return Row("blind", "not run", blind.failure)
    text = f"{blind.compared:,} answers the same"
    return Row("blind", "pass" if blind.compared else "not run", text)


def _bounds(
    report: Report,
    subject: Subject,
    rules: Mapping[str, Rules],
    shared: Shared,
    question: Mapping[str, Any],
) -> None:
    """Play the first hands with bounds checked, in a process with other hashes of text."""
    counts = question["counts"]
    _warm_up(next(iter(rules.values())), question)
    report(begin="bounds")
    difference, digests = play_again(subject, rules, shared, counts)
    shared.pause()
    if "IndexError" in difference:
        report.row(Row("bounds", "fail", difference))
    elif difference:
        why = _OTHERWISE if difference.endswith(AGAIN) else _FAILS
        report.row(Row("bounds", "not run", why))
    else:
        checked = f"{sum(counts.values()):,} hands with every index checked"
        report.row(Row("bounds", "pass", checked))
    report(counts=counts, digests=digests)


def _end_with(parent: int, seconds: float) -> None:
    """Let this process outlive neither its guard nor any sensible time.

    A thread sees to it; the alarm is for code that never lets go of Python's lock.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(int(seconds))

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Check what the guard asks for, on standard input."""
    facts = json.loads(sys.stdin.read())
    _end_with(facts["parent"], facts["alarm"])
    check(facts)
