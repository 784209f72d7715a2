"""What a person sees while work goes on: a bar on a terminal, a few lines in a log.

In a notebook it is a line below the cell. Functions of Python show it where `progress` is true.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from sviten.display.notebook import CellLine, in_notebook
from sviten.display.text import duration

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

#: In a log: a line for each such share of the work, and none sooner than this after the last.
LOG_SHARE = 0.1
LOG_SECONDS = 10.0
_CELL_SECONDS = 0.25


def tell(text: str) -> None:
    """Write a message to stderr."""
    print(text, file=sys.stderr, flush=True)


class Compiling:
    """How long was compiled; says so when it begins.

    Attributes
    ----------
    seconds : float
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._began = 0.0
        self._shown = False

    def begin(self) -> None:
        """Take in that a compilation begins, maybe within another."""
        if not self._shown:
            self._shown = True
            tell("compiling what has not run here before: this is done once, in up to 40 s")
        if not self._depth:
            self._began = time.monotonic()
        self._depth += 1

    def end(self) -> None:
        """Take in that a compilation has ended."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.monotonic() - self._began


class Progress:
    """Shows the deals or matches that are played; a context manager and a callable.

    A run that is taken up again starts where it stood.

    Parameters
    ----------
    compiling : Compiling
    unit : str
        What is played, such as "deals".

    Attributes
    ----------
    played : int
        Deals or matches played since it began to show.
    seconds : float
        What that took, compiling aside.
    """

    def __init__(self, compiling: Compiling, unit: str = "deals") -> None:
        self.played = 0
        self.seconds = 0.0
        self._compiling = compiling
        self._unit = unit
        self._began: float | None = None
        self._bar: Any = None
        self._cell: CellLine | None = None
        self._task: Any = None
        self._shown = 0.0
        self._share = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, done: int, total: int, start: int) -> None:
        """Show that `done` of `total` are played, of which `start` were before."""
        now = time.monotonic() - self._compiling.seconds
        if self._began is None:
            self._began = now
        self.played = done - start
        self.seconds = now - self._began
        if in_notebook():
            self._show_cell(done, total, start)
        elif sys.stderr.isatty():
            self._show_bar(done, total, start)
        else:
            self._write_line(done, total, start)

    def _show_cell(self, done: int, total: int, start: int) -> None:
        now = time.monotonic()
        if done < total and now < self._shown + _CELL_SECONDS:
            return
        self._shown = now
        self._cell = self._cell or CellLine()
        text = f"{done:,} of {total:,} {self._unit} played"
        if start < done < total and self.seconds >= 1:
            text += f", {duration(self.seconds / self.played * (total - done))} left"
        self._cell.show(text, done / total)

    def _show_bar(self, done: int, total: int, start: int) -> None:
        if not self._bar:
            from rich import progress  # slow to import, and not needed in a log
            from rich.console import Console

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.TextColumn(f"{{task.completed:,.0f}} of {{task.total:,.0f}} {self._unit}"),
                progress.TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            self._task = self._bar.add_task("playing", total=total, completed=start)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total)

    def _write_line(self, done: int, total: int, start: int) -> None:
        now = time.monotonic()
        share = done / total
        if not self._shown:
            self._shown, self._share = now, share
            if start:
                tell(f"{start:,} of {total:,} {self._unit} are there already")
        elif share >= self._share + LOG_SHARE and now >= self._shown + LOG_SECONDS:
            self._shown, self._share = now, share
            tell(f"{done:,} of {total:,} {self._unit} played")


def only_called(wanted: T | bool | None) -> T | None:
    """Give a function to call with the progress; None where it was only asked whether to show."""
    return wanted if callable(wanted) else None


def shows_progress(unit: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function with an argument `progress` show it to a person where that is true."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def showing(*args: P.args, **kwargs: P.kwargs) -> R:
            if kwargs.get("progress") is not True:
                return function(*args, **kwargs)
            of_matches = kwargs.get("matches") is not None and kwargs.get("deals") is None
            with Progress(compiling(), "matches" if of_matches else unit) as progress:
                kwargs["progress"] = progress
                return function(*args, **kwargs)

        return showing

    return decorate


@functools.cache
def compiling() -> Compiling:
    """Watch the compiler, once for all calls of this process."""
    return watch_compiling()


def watch_compiling() -> Compiling:
    """Say it once, when numba first compiles something that it does not find in the cache."""
    from numba.core import event

    watch = Compiling()

    class Listener(event.Listener):
        """Hands numba's events on."""

        def on_start(self, event: Any) -> None:
            """Take in that a compilation begins."""
            watch.begin()

        def on_end(self, event: Any) -> None:
            """Take in that it has ended."""
            watch.end()

    event.register("numba:compile", Listener())
    return watch
