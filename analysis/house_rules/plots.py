"""Plots of house rules side by side, as PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.house_rules.result import HouseRules
from analysis.house_rules.winning import STEPS
from analysis.show.figures import (
    BAND,
    GREY,
    GRID,
    INK,
    LINE,
    LOSS,
    MARK,
    SHADES,
    new_figure,
    save_figure,
)
from analysis.show.text import count
from simulate.cards import DENOMINATIONS, LEVELS
from simulate.game.score_terms import SCORE_TERMS, ScoreTerm

if TYPE_CHECKING:  # imported when a plot is drawn: it takes a second
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write_plots(house: HouseRules, folder: Path) -> list[Path]:
    """Write the plots.

    Returns
    -------
    list of Path
        The files written.
    """
    drawn = {
        "fairness": _fairness(house),
        "differences": _differences(house),
        "points": _points(house),
        "contracts": _contracts(house),
        "winning": _winning(house),
    }
    return [save_figure(figure, folder / f"{name}.png") for name, figure in drawn.items()]


def _by(house: HouseRules) -> str:
    return f"{house.reference} at all seats, {count(house.deals, 'deal')}"


def _lines(axes: Axes, house: HouseRules) -> None:
    """Name the rule sets, the base on top, and rule lines."""
    axes.set_yticks(range(len(house.sets)), [of.name for of in house.sets])
    axes.set_ylim(len(house.sets) - 0.5, -0.5)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _fairness(house: HouseRules) -> Figure:
    """Advantages with their intervals, and the band within which they count as none."""
    figure = new_figure(10, 1.8 + 0.34 * len(house.sets))
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, about in zip(
        panels,
        ("dealer", "declarers"),
        ("dealer's side over the others, points a hand", "declarers over defenders, points"),
        strict=True,
    ):
        axes.axvspan(-house.within, house.within, color=BAND, alpha=0.35, lw=0)
        axes.axvline(0, color="0.4", lw=0.8, ls="--")
        for place, of in enumerate(house.sets):
            result = of.of(name).estimate
            ends = result.interval or (np.nan, np.nan)
            ink = MARK if house.verdict(of, name) == "unfair" else LINE
            axes.hlines(place, *ends, color=ink, lw=1.8)
            axes.plot(result.value, place, "o", color=ink, ms=5)
        axes.set_xlabel(about)
        axes.grid(axis="x", color=GRID, lw=0.6)
        axes.set_axisbelow(True)
    _lines(panels[0], house)
    panels[1].tick_params(length=0)
    for side in ("top", "right", "left"):
        panels[1].spines[side].set_visible(False)
    title = f"Who is favoured: 95 % intervals, {_by(house)}"
    figure.suptitle(f"{title}\nshaded: counts as fair; red: beyond that", fontsize="medium")
    return figure


def _differences(house: HouseRules) -> Figure:
    """Heat map of the differences to the base, in steps of what is worth a word."""
    sets = [of for of in house.sets[1:] if of.rules.players == house.base.rules.players]
    kept = ("", house.reference)
    measures = [each.measure for each in house.base.results if each.measure.worth]
    measures = list({each.name: each for each in measures}.values())
    cells = np.full((len(measures), len(sets)), np.nan)
    texts: dict[tuple[int, int], str] = {}
    for column, of in enumerate(sets):
        for row, measure in enumerate(measures):
            result = of.of(measure.name)
            if result.difference is None or result.entrant not in kept:
                continue
            by = result.difference.value
            cells[row, column] = np.tanh(by / measure.worth / 4) if result.real else 0.0
            if result.real:
                shown = by * measure.scale
                texts[row, column] = f"{shown:+.{1 if abs(shown) >= 10 else 2}f}"
    figure = new_figure(4.6 + 0.86 * max(len(sets), 1), 2.0 + 0.34 * len(measures))
    axes = figure.subplots()
    if sets:
        axes.imshow(cells, cmap="RdBu_r", vmin=-1.3, vmax=1.3, aspect="auto")
    for (row, column), text in texts.items():
        strong = abs(cells[row, column]) > 0.8
        ink = "white" if strong else INK
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color=ink)
    axes.set_xticks(range(len(sets)), [of.name for of in sets], rotation=35, ha="right")
    axes.set_yticks(range(len(measures)), [each.about for each in measures], fontsize=8)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    title = f"Differences to {house.base.name} on the same {house.deals:,} deals"
    figure.suptitle(f"{title}\nblank: none that is sure and worth a word", fontsize="medium")
    return figure


def _points(house: HouseRules) -> Figure:
    """Bars of where points come from, and of what failed contracts and dead cards cost."""
    gains = [term for term in SCORE_TERMS if term.sign > 0]
    losses = [term for term in SCORE_TERMS if term.sign < 0]
    sources = [name for term in gains for name in term.parts or (term.short,)]
    plus = np.array([[x for term in gains for x in _of(house, at, term)] for at in _places(house)])
    minus = np.array([[_value(house, at, term.name) for term in losses] for at in _places(house)])
    figure = new_figure(9, 2.2 + 0.34 * len(house.sets))
    axes = figure.subplots()
    _bars(axes, plus, sources, SHADES, 1)
    _bars(axes, minus, [term.about for term in losses], [GREY, LOSS, *reversed(SHADES)], -1)
    axes.axvline(0, color="0.3", lw=0.8)
    _lines(axes, house)
    axes.set_xlabel("points of both sides in a hand that is played")
    sample = next(iter(house.base.melds.values())).trials
    axes.set_title(
        f"Where points come from: {_by(house)}; sets and runs from {count(sample, 'hand')}",
        fontsize="medium",
        loc="left",
    )
    figure.legend(loc="outside lower center", ncols=7, fontsize="small", frameon=False)
    return figure


def _places(house: HouseRules) -> range:
    return range(len(house.sets))


def _of(house: HouseRules, place: int, term: ScoreTerm) -> list[float]:
    """Points from a term, or from its parts."""
    if not term.parts:
        return [_value(house, place, term.name)]
    return [house.sets[place].melds[part].rate or 0.0 for part in term.parts]


def _value(house: HouseRules, place: int, name: str) -> float:
    value = house.sets[place].of(name).estimate.value
    return 0.0 if np.isnan(value) else value


def _bars(
    axes: Axes, parts: np.ndarray, names: Sequence[str], shades: Sequence[str], sign: int
) -> None:
    """Draw bars of parts one behind another, to the right or to the left of 0."""
    start = np.zeros(len(parts))
    for part, name, shade in zip(parts.T, names, shades, strict=False):
        axes.barh(range(len(parts)), sign * part, left=start, color=shade, label=name, height=0.7)
        start = start + sign * part


def _contracts(house: HouseRules) -> Figure:
    """Bars of the contracts by level and by denomination."""
    figure = new_figure(10, 2.2 + 0.34 * len(house.sets))
    panels = figure.subplots(1, 2, sharey=True)
    levels = [f"level_{level}" for level in range(1, LEVELS + 1)]
    for axes, columns, names in (
        (panels[0], levels, [str(level) for level in range(1, LEVELS + 1)]),
        (panels[1], [f"in_{name}" for name in DENOMINATIONS], list(DENOMINATIONS)),
    ):
        shares = np.array(
            [
                [100 * _value(house, place, name) for name in columns]
                for place in range(len(house.sets))
            ]
        )
        _bars(axes, shares, names, SHADES, 1)
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of contracts")
        axes.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=6, fontsize="small", frameon=False
        )
        axes.tick_params(length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    _lines(panels[0], house)
    figure.suptitle(f"Contracts by level and denomination: {_by(house)}", fontsize="medium")
    return figure


def _winning(house: HouseRules) -> Figure:
    """Heat maps of the chance to win by score, the own side dealing."""
    columns = min(4, len(house.sets))
    rows = -(-len(house.sets) // columns)
    figure = new_figure(2.6 * columns + 0.8, 2.5 * rows + 0.7)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    image = None
    seen = np.flatnonzero(np.sum([of.winning.views for of in house.sets], axis=(0, 1, 2)))
    low = 100 * (int(seen[0]) - STEPS) / STEPS
    for axes, of in zip(panels, house.sets, strict=False):
        been = of.winning.views[1] > 0
        shown = np.where(been, 100 * of.winning.chances[1], np.nan)
        image = axes.imshow(
            shown, origin="lower", cmap="RdBu_r", vmin=0, vmax=100,
            extent=(-100, 100, -100, 100),
        )  # fmt: skip
        axes.plot([-100, 100], [-100, 100], color="0.5", lw=0.6, ls=":")
        axes.set_title(f"{of.name}, {count(of.matches.played, 'match', 'matches')}", fontsize=8)
        axes.set_xlim(low, 100)
        axes.set_ylim(low, 100)
        axes.tick_params(labelsize=7)
    for axes in panels[len(house.sets) :]:
        axes.set_visible(False)
    figure.supxlabel("highest score of the others, % of the target", fontsize="medium")
    figure.supylabel("own score, % of the target", fontsize="medium")
    assert image is not None  # there is a rule set
    figure.colorbar(image, ax=panels.tolist(), label="chance to win, %", shrink=0.7)
    figure.suptitle(
        f"Chance to win a match before a hand that the own side deals; {house.reference}",
        fontsize="medium",
    )
    return figure
