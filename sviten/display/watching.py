"""What a person sees of a comparison while it goes on: a panel on a terminal, lines in a log.

In a notebook it is a line below the cell.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sviten.display.notebook import CellLine, in_notebook
from sviten.display.progress import LOG_SECONDS, Compiling, tell
from sviten.display.text import duration

if TYPE_CHECKING:
    from analysis.compare.comparison import Comparison

#: Seconds between two drawings of the panel.
_DRAW_SECONDS = 0.25
_LINE = 41


class Watcher:
    """Shows how a comparison stands; a context manager and a callable.

    Parameters
    ----------
    compiling : Compiling

    Attributes
    ----------
    played : int
        Pairs played since it began to show.
    seconds : float
        What that took, compiling aside.
    """

    def __init__(self, compiling: Compiling) -> None:
        self.played = 0
        self.seconds = 0.0
        self._compiling = compiling
        self._began: float | None = None
        self._start = 0
        self._shown = 0.0
        self._panel: Any = None
        self._cell = CellLine()
        self._last: Comparison | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._panel:
            self._panel.stop()
        if self._last and isinstance(error, KeyboardInterrupt) and self._last.looks.taken:
            tell(f"so far: {self._last.sentence()}")

    def __call__(self, comparison: Comparison, played: int) -> None:
        """Show how it stands when so many pairs are played."""
        self._last = comparison
        now = time.monotonic()
        in_cell = in_notebook()
        at_once = in_cell or sys.stderr.isatty()
        if self._began is None:
            self._began, self._start, self._shown = now - self._compiling.seconds, played, now
            if played and not at_once:
                tell(f"{played:,} pairs are there already")
        self.played = played - self._start
        self.seconds = now - self._compiling.seconds - self._began
        if now < self._shown + (_DRAW_SECONDS if at_once else LOG_SECONDS):
            return
        self._shown = now
        if in_cell:
            self._cell.show(self._line(comparison))
        elif at_once:
            self._draw(comparison)
        elif comparison.looks.taken:
            tell(self._line(comparison))

    def _line(self, comparison: Comparison) -> str:
        facts = [
            f"{comparison.sums.pairs:,} pairs: margin {comparison.margin_text()}",
            f"ratio {comparison.ratio_text()}" if comparison.ratio is not None else "",
            f"{self.left_text(comparison)} left",
        ]
        return ", ".join(filter(None, facts))

    def left_text(self, comparison: Comparison) -> str:
        """Tell the time that is left: what is likely, its range, and what it is at most."""
        from analysis.compare.power import pairs_left

        if comparison.over:
            return "nothing"
        if not self.played or not self.seconds:
            return "-"
        pace = self.seconds / self.played
        played = self._start + self.played
        longest = duration(pace * max(0, comparison.most - played))
        left = comparison.bounds and pairs_left(comparison.bounds, comparison.sums, comparison.most)
        if not left:
            return longest if comparison.bounds is None else f"{longest} at most"
        ahead = played - comparison.sums.pairs  # played, but not looked at yet
        likely, low, high = (
            duration(pace * max(0, pairs - ahead)) for pairs in (left.likely, left.low, left.high)
        )
        return f"about {likely} ({low} to {high}), {longest} at most"

    def _draw(self, comparison: Comparison) -> None:
        from rich.console import Console  # slow to import, and not needed in a log
        from rich.live import Live
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        rows = [
            ("margin", f"{comparison.margin_text()}  {comparison.interval_method}"),
            ("pairs", f"{self._start + self.played:,} of at most {comparison.most:,}"),
            ("left", self.left_text(comparison)),
        ]
        if comparison.bounds:
            rows.insert(1, ("test", _decision_line(comparison)))
        else:
            rows[1] = ("pairs", f"{self._start + self.played:,} of {comparison.most:,}")
        for head, text in rows:
            grid.add_row(Text(head, style="bold"), Text(text))
        if not self._panel:
            tell(f"{comparison.first} v {comparison.second}")
            console = Console(file=sys.stderr)
            self._panel = Live(grid, console=console, transient=True, auto_refresh=False)
            self._panel.start()
        self._panel.update(grid, refresh=True)


def _decision_line(comparison: Comparison) -> str:
    """Draw where the ratio stands between its bounds."""
    bounds, ratio = comparison.bounds, comparison.ratio
    assert bounds is not None
    share = ((ratio or 0.0) - bounds.low) / (bounds.high - bounds.low)
    place = round(min(max(share, 0.0), 1.0) * (_LINE - 1))
    zero = round(-bounds.low / (bounds.high - bounds.low) * (_LINE - 1))
    line = ["-"] * _LINE
    line[zero] = "+"
    line[place] = "#"
    return f"H0 |{''.join(line)}| H1  {ratio or 0.0:.2f}"
