"""Plots of bid success and calibration as PNG files; each says what it shows and of how many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.bids.bids import Bid
from analysis.bids.calibration import Calibration
from analysis.bids.selection import Forced, ForcedBid
from analysis.show.figures import (
    BLUE,
    CHANCE,
    EMPTY,
    INK,
    MAP_DPI,
    MUTED,
    new_figure,
    save_figure,
)
from analysis.stats.reliability import Reliability
from simulate.cards import DENOMINATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # imported when a plot is drawn: it takes a second


def write_plots(calibration: Calibration, folder: Path) -> list[Path]:
    """Write all plots of a calibration.

    Parameters
    ----------
    calibration : Calibration
    folder : Path
        Made where it is not there.

    Returns
    -------
    list of Path
        The files written.
    """
    figures: dict[str, Figure] = {}
    for entrant in calibration.entrants:
        name = _file_name(entrant, calibration.entrants)
        figures[f"made-{name}"] = made_map(entrant, calibration.of(entrant))
        if calibration.feature:
            own = [bid for bid in calibration.by_feature if bid.entrant == entrant]
            about = f"{entrant}, by {calibration.feature.name}"
            labels = [bid.value or "" for bid in own if bid.level is None]
            figures[f"made-by-{calibration.feature.name}-{name}"] = feature_map(about, own, labels)
    for reliability in calibration.reliability:
        name = _file_name(reliability.entrant, calibration.entrants)
        figures[f"reliability-{name}"] = reliability_diagram(reliability)
    if calibration.forced:
        forced = calibration.forced
        figures["made-forced"] = forced_map(forced)
        if forced.feature:
            labels = list(dict.fromkeys(bid.value or "" for bid in forced.by_feature))
            about = f"{forced.name}, forced, by {forced.feature.name}"
            figures[f"made-forced-by-{forced.feature.name}"] = feature_map(
                about, forced.by_feature, labels
            )
    return [
        save_figure(figure, folder / f"{name}.png", MAP_DPI) for name, figure in figures.items()
    ]


def _file_name(entrant: str, entrants: list[str]) -> str:
    """Name of an entrant that a file may bear, with its number where two would be alike."""
    names = [re.sub(r"[^A-Za-z0-9.=]+", "-", text).strip("-")[-60:] for text in entrants]
    place = entrants.index(entrant)
    return f"{names[place]}-{place + 1}" if names.count(names[place]) > 1 else names[place]


def made_map(entrant: str, bids: Iterable[Bid]) -> Figure:
    """Heat map of made rates by level and denomination, contracts below each rate."""
    cells = {(b.level, b.denomination): b for b in bids if b.denomination is not None}
    levels = range(1, 1 + max((level or 1 for level, _ in cells), default=1))
    table = [[cells.get((level, place)) for place in range(5)] for level in levels]
    contracts = sum(bid.made.trials for bid in cells.values())
    title = f"Contracts made by {entrant}\n{contracts:,} chosen contracts"
    return _heat_map(
        title, table, list(map(str, levels)), list(DENOMINATIONS), "level", "denomination"
    )


def forced_map(forced: Forced) -> Figure:
    """Heat map of made rates by level and denomination, forced on any hand."""
    cells = {(b.level, b.denomination): b for b in forced.bids}
    levels = range(1, 1 + max(bid.level for bid in forced.bids))
    table = [[cells.get((level, place)) for place in range(5)] for level in levels]
    title = f"Contracts forced on any hand, {forced.name}\n{forced.deals:,} deals"
    names = list(map(str, levels)), list(DENOMINATIONS)
    return _heat_map(title, table, *names, "level", "denomination")


def feature_map(about: str, bids: Iterable[Bid | ForcedBid], labels: list[str]) -> Figure:
    """Heat map of made rates by a feature's value and level."""
    cells = {(b.value, b.level): b for b in bids if b.denomination is None and b.level}
    levels = range(1, 1 + max((level or 1 for _, level in cells), default=1))
    table = [[cells.get((label, level)) for level in levels] for label in labels]
    contracts = sum(bid.made.trials for bid in cells.values())
    title = f"Contracts made by {about}\n{contracts:,} chosen contracts"
    return _heat_map(
        title, table, labels, list(map(str, levels)), about.rsplit(" ", 1)[-1], "level"
    )


def _heat_map(
    title: str,
    table: Sequence[Sequence[Bid | ForcedBid | None]],
    rows: list[str],
    columns: list[str],
    row_name: str,
    column_name: str,
) -> Figure:
    from matplotlib import colormaps

    rates = np.array(
        [[np.nan if bid is None else bid.made.rate for bid in row] for row in table], float
    )
    figure = new_figure(
        2.2 + 0.85 * len(columns) + 0.07 * max(map(len, rows)), 1.9 + 0.55 * len(rows)
    )
    axes = figure.add_subplot()
    shades = colormaps["viridis"].with_extremes(bad=EMPTY)
    image = axes.imshow(rates, vmin=0, vmax=1, cmap=shades, aspect="auto")
    for y, row in enumerate(table):
        for x, bid in enumerate(row):
            if bid is None or bid.made.rate is None:
                continue
            ink = "white" if bid.made.rate < 0.6 else INK
            axes.text(
                x, y - 0.1, f"{100 * bid.made.rate:.0f} %", ha="center", va="center", color=ink
            )
            text = f"n {bid.made.trials:,}"
            axes.text(x, y + 0.27, text, ha="center", va="center", color=ink, fontsize=7)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xlabel(column_name)
    axes.set_ylabel(row_name)
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=10, loc="left")
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.colorbar(image, ax=axes)
    bar.set_label("made, share of contracts")
    bar.outline.set_visible(False)
    return figure


def reliability_diagram(reliability: Reliability) -> Figure:
    """Draw what stated chances stand for, the band of a calibrated bidder, and the counts."""
    figure = new_figure(5.4, 6.6)
    panels: Any = figure.subplots(2, 1, height_ratios=(4.5, 1), sharex=True)
    axes, below = panels
    stated = 100 * reliability.stated
    low, high = (100 * edge for edge in reliability.band)
    if len(stated) > 1:
        axes.fill_between(stated, low, high, color=CHANCE, label="95 % band if calibrated")
    axes.plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.plot(
        stated,
        100 * reliability.fitted,
        color=BLUE,
        linewidth=1.6,
        label="made (isotonic)",
        marker="o" if len(stated) < 30 else None,
        markersize=4,
    )
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_ylabel("contracts made, %")
    axes.legend(loc="upper left", frameon=False)
    parts = reliability.brier
    text = (
        f"Brier {parts.score:.4f}\nmiscalibration {parts.miscalibration:.4f}"
        f" ({reliability.null:.4f} by chance)\n"
        f"discrimination {parts.discrimination:.4f}\nuncertainty {parts.uncertainty:.4f}"
    )
    axes.text(98, 3, text, ha="right", va="bottom", fontsize=8, color=INK)
    n = int(reliability.contracts.sum())
    axes.set_title(
        f"Chances stated by {reliability.entrant}\n{n:,} contracts", fontsize=10, loc="left"
    )
    counts, edges = np.histogram(stated, bins=50, range=(0, 100), weights=reliability.contracts)
    below.bar(edges[:-1], counts, width=np.diff(edges), align="edge", color=BLUE, alpha=0.6)
    below.set_xlabel("stated chance, %")
    below.set_ylabel("contracts")
    for each in (axes, below):
        each.spines[["top", "right"]].set_visible(False)
    return figure
