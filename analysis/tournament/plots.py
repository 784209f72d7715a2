"""Plots of a tournament as PNG files: who beats whom, and the ratings with their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from analysis.show.figures import (
    BLUE,
    EMPTY,
    GRID,
    INK,
    MAP_DPI,
    MUTED,
    new_figure,
    save_figure,
)
from analysis.show.text import count
from analysis.tournament.result import Tournament

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure  # imported when a plot is drawn: it takes a second

_LONGEST_LABEL = 34


def write_plots(tournament: Tournament, folder: Path) -> list[Path]:
    """Write ``cross.png`` and ``ratings.png``.

    Returns
    -------
    list of Path
        The files written; none where fewer than two entrants stand.
    """
    if len(tournament.entrants) < 2:
        return []
    figures = {"cross": cross_map(tournament), "ratings": rating_plot(tournament)}
    return [
        save_figure(figure, folder / f"{name}.png", MAP_DPI) for name, figure in figures.items()
    ]


def cross_map(tournament: Tournament) -> Figure:
    """Heat map of the row's entrant against the column's: margins, or else matches won."""
    from matplotlib import colormaps

    k = len(tournament.entrants)
    points = tournament.ratings is not None
    cells = np.full((k, k), np.nan)
    texts = [[""] * k for _ in range(k)]
    for one in range(k):
        for other in range(k):
            pairing = tournament.between(one, other)
            if pairing is None:
                continue
            share = pairing.matches.share if pairing.matches else None
            value = pairing.margin if points else (None if share is None else 100 * share - 50)
            if value is None:
                continue
            cells[one, other] = value
            texts[one][other] = pairing.margin_text if points else f"{value + 50:.0f} %"
    reach = max(float(np.nanmax(np.abs(cells), initial=0.0)), 1e-9)
    labels = [_label(place, name) for place, name in enumerate(tournament.entrants)]
    figure = new_figure(1.6 + 0.62 * k + 0.075 * max(map(len, labels)), 1.7 + 0.46 * k)
    axes = figure.add_subplot()
    shades = colormaps["RdBu"].with_extremes(bad=EMPTY)
    image = axes.imshow(cells, vmin=-reach, vmax=reach, cmap=shades, aspect="auto")
    for one, row in enumerate(texts):
        for other, text in enumerate(row):
            if text:
                dark = abs(cells[one, other]) > 0.6 * reach
                ink = "white" if dark else INK
                axes.text(other, one, text, ha="center", va="center", color=ink, fontsize=8)
    axes.set_xticks(range(k), [str(place + 1) for place in range(k)])
    axes.set_yticks(range(k), labels)
    axes.set_xlabel("against")
    axes.tick_params(length=0)
    axes.set_title(_title("Who beats whom", tournament, points=points), fontsize=10, loc="left")
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.colorbar(image, ax=axes)
    bar.set_label("margin, points a hand" if points else "matches won, % above 50")
    bar.outline.set_visible(False)
    return figure


def rating_plot(tournament: Tournament) -> Figure:
    """Ratings with their intervals, in points a hand, in matches, or both side by side."""
    panels = [tournament.ratings is not None, tournament.strengths is not None]
    k = len(tournament.entrants)
    labels = [_label(place, name) for place, name in enumerate(tournament.entrants)]
    width = 1.2 + 4.6 * sum(panels) + 0.075 * max(map(len, labels))
    figure = new_figure(width, 1.6 + 0.34 * k)
    drawn = figure.subplots(1, sum(panels), sharey=True, squeeze=False)[0]
    if tournament.ratings:
        values = tournament.ratings.values
        ends = [tuple(each or (np.nan, np.nan)) for each in tournament.ratings.intervals]
        _bars(drawn[0], values, np.array(ends, float), 0.0)
        drawn[0].set_xlabel("points a hand above the average")
        title = _title("Ratings, bootstrap 95 % intervals", tournament, points=True)
        drawn[0].set_title(title, fontsize=10, loc="left")
    if tournament.strengths:
        values = 100 * special.expit(np.array([each.value for each in tournament.strengths]))
        spans = np.array([each.interval for each in tournament.strengths], float)
        _bars(drawn[-1], values, 100 * special.expit(spans), 50.0)
        drawn[-1].set_xlim(-2, 102)
        drawn[-1].set_xlabel("chance to win a match against the average, %")
        title = _title("Bradley-Terry, 95 % intervals", tournament, points=False)
        drawn[-1].set_title(title, fontsize=10, loc="left")
    drawn[0].set_yticks(range(k), labels)
    drawn[0].set_ylim(k - 0.5, -0.5)
    return figure


def _bars(axes: Axes, values: np.ndarray, spans: np.ndarray, centre: float) -> None:
    """Draw points with bars, and a line at `centre`; bars that are not known are left out."""
    places = np.arange(len(values))
    axes.axvline(centre, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    known = ~np.isnan(spans).any(axis=1)
    axes.hlines(places[known], spans[known, 0], spans[known, 1], color=BLUE, linewidth=1.6)
    axes.plot(values, places, "o", color=BLUE, markersize=5)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _label(place: int, name: str) -> str:
    short = name if len(name) <= _LONGEST_LABEL else f"...{name[3 - _LONGEST_LABEL :]}"
    return f"{short}  {place + 1}"


def _title(what: str, tournament: Tournament, *, points: bool) -> str:
    if points:
        return f"{what}\n{count(tournament.deals, 'paired deal')} each pairing"
    return f"{what}\n{count(tournament.matches, 'paired match', 'paired matches')} each pairing"
