"""Plot of a parameter swept: the margin of each value, with a band that holds for all of them."""

from __future__ import annotations

from pathlib import Path

from analysis.compare.sweep import Sweep
from analysis.show.figures import BAND, LINE, MARK, new_figure, save_figure
from analysis.show.text import count


def plot_curve(sweep: Sweep, path: Path) -> None:
    """Write the plot as a PNG."""
    figure = new_figure(8, 4.5)
    axes = figure.subplots()
    values = [point.value for point in sweep.points]
    margins = [point.margin for point in sweep.points]
    bands = [point.band for point in sweep.points if point.band]
    if bands:
        low, high = zip(*bands, strict=True)
        axes.fill_between(values, low, high, color=BAND, alpha=0.5, lw=0, label="95 % band of all")
        if len(values) == 1:
            axes.vlines(values, low, high, color=BAND, lw=3)
    axes.plot(values, margins, "o-", color=LINE, label="margin")
    best = [point for point in sweep.points if point.may_be_best]
    axes.plot(
        [point.value for point in best],
        [point.margin for point in best],
        "o",
        color=MARK,
        label="may be the best",
    )
    axes.axhline(0, color="0.4", lw=0.8, ls="--")
    axes.set_xlabel(f"{sweep.parameter} of {sweep.entrant}")
    axes.set_ylabel("points a hand")
    units = count(sweep.sums.deals, "paired deal")
    axes.set_title(f"against {sweep.against}, {units} for each value", fontsize="medium")
    axes.legend(fontsize="small")
    save_figure(figure, path)
