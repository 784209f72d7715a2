"""Figures as PNG files, and the colours they share.

They are made without pyplot, so that nothing is kept and no display is asked for.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from simulate.store.atomic import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # imported when a figure is made: it takes a second

#: A line, its band, and what is to be seen first.
LINE, BAND, MARK = "#1f4e79", "#9cc3e6", "#b03a2e"
#: Estimates with bars of their own; the text upon a map, and lines that only guide the eye.
BLUE, INK, MUTED = "#1f5fa8", "#222222", "#6b6b6b"
#: Grid lines, the band of what chance does, and the cells of a map that hold nothing.
GRID, CHANCE, EMPTY = "#e6e6e6", "#d5dbe3", "#f2f2f2"
#: Parts that are drawn side by side, and those that are taken off.
SHADES = ("#1f4e79", "#2f7f86", "#6aa84f", "#c9b037", "#b5651d", "#7b3f61")
LOSS, GREY = "#c0504d", "#8c8c8c"

#: Dots an inch of a plot, and of a map, whose cells hold small text.
PLOT_DPI, MAP_DPI = 120, 150


def new_figure(width: float, height: float) -> Figure:
    """Make a figure of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path, dpi: int = PLOT_DPI) -> Path:
    """Write a figure as a PNG, whole or not at all; gives the path back."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    write_whole(path, buffer.getvalue())
    return path
