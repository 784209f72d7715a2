"""Plot of the path of a comparison: the margin with its interval, and the test, look by look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.compare.comparison import CONFIDENCE, Comparison
from analysis.show.figures import BAND, LINE, MARK, new_figure, save_figure
from analysis.show.text import count
from analysis.stats.sequence import half_width

if TYPE_CHECKING:  # imported when a plot is drawn: it takes a second
    from matplotlib.axes import Axes

_MOST_POINTS = 2000


def plot_path(comparison: Comparison, path: Path) -> None:
    """Write the plot as a PNG.

    Parameters
    ----------
    comparison : Comparison
        With a pair at least.
    path : Path
    """
    tested = comparison.bounds is not None
    figure = new_figure(8, 6.4 if tested else 4.2)
    axes = figure.subplots(2 if tested else 1, 1, sharex=True, squeeze=False)[:, 0]
    _draw_margin(axes[0], comparison)
    if tested:
        _draw_ratio(axes[1], comparison)
    matches = comparison.kind == "wins"
    axes[-1].set_xlabel("paired matches" if matches else "paired deals")
    axes[-1].set_xlim(left=0)
    axes[-1].xaxis.set_major_formatter("{x:,.0f}")
    n = comparison.sums.pairs
    units = count(n, "paired match", "paired matches") if matches else count(n, "paired deal")
    figure.suptitle(f"{comparison.first} v {comparison.second}, {units}", fontsize="medium")
    save_figure(figure, path)


def _shown_looks(comparison: Comparison) -> np.ndarray:
    """Choose looks up to the last one that counts, no more than can be told apart."""
    verdict = comparison.verdict
    last = verdict.look if verdict else len(comparison.looks) - 1
    if last < 0:
        return np.zeros(0, np.int64)
    return np.unique(np.linspace(0, last, _MOST_POINTS).round().astype(np.int64))


def _draw_margin(axes: Axes, comparison: Comparison) -> None:
    scale = 100.0 if comparison.kind == "wins" else 1.0
    looks, shown = comparison.looks, _shown_looks(comparison)
    if len(shown):
        pairs, mean = looks.pairs[shown], scale * looks.mean[shown]
        variance = looks.variance[shown] * pairs / (pairs - 1)
        half = scale * half_width(pairs, np.sqrt(variance), 1 - CONFIDENCE)
        axes.fill_between(
            pairs,
            mean - half,
            mean + half,
            color=BAND,
            alpha=0.5,
            lw=0,
            label="95 % confidence sequence",
        )
        axes.plot(pairs, mean, color=LINE, label="margin")
        # The first intervals are so wide that they would hide all others.
        settled = slice(len(shown) // 20, None)
        low, high = (mean - half)[settled].min(), (mean + half)[settled].max()
        room = 0.05 * max(high - low, 1e-9)
        axes.set_ylim(min(low, 0.0) - room, max(high, 0.0) + room)
    sums, interval = comparison.sums, comparison.interval
    if sums.mean is not None and interval is not None:
        axes.errorbar(
            [sums.pairs],
            [scale * sums.mean],
            [[scale * (sums.mean - interval.low)], [scale * (interval.high - sums.mean)]],
            fmt="o",
            color=MARK,
            capsize=4,
            label=f"{comparison.interval_method} at the end",
        )
    for bound in (comparison.bounds.h0, comparison.bounds.h1) if comparison.bounds else (0.0,):
        axes.axhline(scale * bound, color="0.4", lw=0.8, ls="--")
    whose = f"margin of {comparison.first}"
    axes.set_ylabel("matches won less lost, %" if comparison.kind == "wins" else "points a hand")
    axes.set_title(whose, fontsize="small", loc="left")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="small")


def _draw_ratio(axes: Axes, comparison: Comparison) -> None:
    bounds, looks, shown = comparison.bounds, comparison.looks, _shown_looks(comparison)
    assert bounds is not None
    if len(shown):
        ratio = bounds.ratio(looks.pairs, looks.mean, looks.variance)[shown]
        axes.plot(looks.pairs[shown], ratio, color=LINE)
        axes.plot(looks.pairs[shown[-1:]], ratio[-1:], "o", color=MARK)
    unit = " %" if comparison.kind == "wins" else " points"
    scale = 100.0 if comparison.kind == "wins" else 1.0
    for height, bound in ((bounds.high, bounds.h1), (bounds.low, bounds.h0)):
        axes.axhline(height, color=MARK, lw=0.8, ls="--")
        axes.annotate(
            f"{'H1' if height > 0 else 'H0'}: a margin of {scale * bound:g}{unit}",
            (0.01, height),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3 if height > 0 else -3),
            textcoords="offset points",
            fontsize="small",
            va="bottom" if height > 0 else "top",
            color=MARK,
        )
    axes.margins(y=0.25)
    axes.set_ylabel("log likelihood ratio")
    axes.set_title("decided where the ratio leaves its bounds", fontsize="small", loc="left")
