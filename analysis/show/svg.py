"""Small drawings for web pages, as SVG that takes its colours from the page's style sheet.

They are drawn 360 units wide, so that their text is readable on a phone. A series is told apart by
the class ``s0``, ``s1``, ``s2``; ``s3`` is the grey one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup, escape

from analysis.stats.intervals import Interval
from analysis.stats.reliability import Reliability

WIDTH = 360


class Point(NamedTuple):
    """A rate with its interval, at a level."""

    level: int
    rate: float
    interval: Interval | None


class Series(NamedTuple):
    """Rates by level.

    Attributes
    ----------
    name : str
    points : list of Point
    forced : bool
        Drawn in grey.
    """

    name: str
    points: list[Point]
    forced: bool = False


def _svg(height: float, parts: Sequence[str], label: str, width: float = WIDTH) -> Markup:
    head = f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">'
    return Markup(head + "".join(parts) + "</svg>")


def _text(x: float, y: float, text: str, anchor: str = "middle", names: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{names}"'
    return f"<text {place}>{escape(text)}</text>"


def _line(x1: float, y1: float, x2: float, y2: float, names: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{names}"/>'


def _path(points: Sequence[tuple[float, float]], names: str) -> str:
    return f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in points)}" class="{names}"/>'


def _percent_axis(left: float, top: float, bottom: float, right: float) -> list[str]:
    parts = []
    for percent in range(0, 101, 25):
        y = bottom - (bottom - top) * percent / 100
        parts.append(_line(left, y, right, y, "axis"))
        parts.append(
            _text(left - 6, y + 4, f"{percent} %" if percent == 100 else f"{percent}", "end")
        )
    return parts


def legend(series: Sequence[Series]) -> Markup:
    """Give the names of series in their colours."""
    spans = (
        Markup('<span class="{}">● {}</span>').format(_colour(each, place), each.name)
        for place, each in enumerate(series)
    )
    return Markup('<div class="legend">') + Markup("").join(spans) + Markup("</div>")


def _colour(series: Series, place: int) -> str:
    return "s3" if series.forced else f"s{place % 3}"


def levels_chart(series: Sequence[Series]) -> Markup:
    """Draw made rates by level with intervals, a line for each series."""
    left, right, top, bottom = 42.0, 350.0, 8.0, 190.0
    levels = [point.level for each in series for point in each.points]
    low, high = min(levels, default=1), max(levels, default=1)
    step = (right - left - 40) / max(1, high - low)
    parts = _percent_axis(left, top, bottom, right)
    for level in range(low, high + 1):
        parts.append(_text(left + 20 + step * (level - low), bottom + 16, str(level)))
    parts.append(_text((left + right) / 2, bottom + 32, "level"))
    for place, each in enumerate(series):
        names = _colour(each, place)
        shift = 4.0 * (place - (len(series) - 1) / 2)  # intervals side by side
        at = [
            (left + 20 + step * (p.level - low) + shift, bottom - (bottom - top) * p.rate)
            for p in each.points
        ]
        if len(at) > 1:
            parts.append(_path(at, names))
        for (x, y), point in zip(at, each.points, strict=True):
            if point.interval:
                ends = (bottom - (bottom - top) * edge for edge in point.interval)
                parts.append(_line(x, next(ends), x, next(ends), f"whisker {names}"))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="{names}"/>')
    text = "made rate by level: " + ", ".join(each.name for each in series)
    return (legend(series) if len(series) > 1 else Markup("")) + _svg(bottom + 38, parts, text)


def whisker(mean: float, interval: Interval, low: float, high: float) -> Markup:
    """Draw a mean and its interval on a scale from `low` to `high`, for a cell of a table."""
    scale = 132 / max(high - low, 1e-9)

    def x(value: float) -> float:
        return 6 + scale * (value - low)

    parts = [_line(6, 8, 138, 8, "axis")]
    if low <= 0 <= high:
        parts.append(_line(x(0), 1, x(0), 15, "zero"))
    parts.append(_line(x(interval.low), 8, x(interval.high), 8, "whisker s0"))
    parts.append(f'<circle cx="{x(mean):.1f}" cy="8" r="3.2" class="s0"/>')
    return _svg(16, parts, f"{mean:.2f}, {interval.low:.2f} to {interval.high:.2f}", 144)


def histogram(counts: Sequence[int], first: int, thing: str) -> Markup:
    """Draw the share of each whole number from `first` on, as bars.

    Parameters
    ----------
    counts : sequence of int
    first : int
    thing : str
        What the numbers are, below the axis.
    """
    total = sum(counts)
    # What lies beyond 99.5 % would leave no room for the rest.
    shown = int(np.searchsorted(np.cumsum(counts), 0.995 * total)) + 1
    width = math.ceil(shown / 40)  # at most forty bars
    bars = [sum(counts[i : min(i + width, shown)]) / total for i in range(0, shown, width)]
    left, right, top, bottom = 42.0, 350.0, 12.0, 150.0
    tallest = max(bars)
    step = (right - left) / len(bars)
    parts = [_line(left, bottom, right, bottom, "axis")]
    parts.append(_text(left - 6, top + 4, f"{100 * tallest:.0f} %", "end"))
    parts.append(_text(left - 6, bottom + 4, "0", "end"))
    every = math.ceil(len(bars) / 12)
    for place, share in enumerate(bars):
        x, height = left + step * place, (bottom - top) * share / tallest
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{bottom - height:.1f}" width="{max(step - 2, 1):.1f}" '
            f'height="{height:.1f}" class="bar"><title>{100 * share:.1f} %</title></rect>'
        )
        if place % every == 0:
            parts.append(_text(x + step / 2, bottom + 16, str(first + place * width)))
    parts.append(_text((left + right) / 2, bottom + 32, thing))
    return _svg(bottom + 38, parts, thing)


def reliability_chart(reliability: Reliability) -> Markup:
    """Draw what stated chances stand for, the band of a calibrated bidder, and the counts below."""
    left, right, top, bottom, floor = 42.0, 350.0, 8.0, 316.0, 376.0
    parts = _percent_axis(left, top, bottom, right)

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (right - left) * x, bottom - (bottom - top) * y

    stated = reliability.stated.tolist()
    low, high = (edge.tolist() for edge in reliability.band)
    if len(stated) > 1:
        upper = [at(x, y) for x, y in zip(stated, high, strict=True)]
        lower = [at(x, y) for x, y in zip(stated, low, strict=True)]
        ring = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*upper, *reversed(lower)])
        parts.append(f'<polygon points="{ring}" class="band"/>')
    parts.append(_line(*at(0, 0), *at(1, 1), "zero"))
    fit = [at(x, y) for x, y in zip(stated, reliability.fitted.tolist(), strict=True)]
    if len(fit) > 1:
        parts.append(_path(fit, "s0"))
    if len(fit) < 30:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="s0"/>' for x, y in fit]
    counts, _ = np.histogram(stated, bins=50, range=(0, 1), weights=reliability.contracts)
    step = (right - left) / len(counts)
    for place, count in enumerate((counts / counts.max()).tolist()):
        if count:
            height = 36 * count
            x, y = left + step * place, floor - height
            size = f'width="{step - 0.6:.1f}" height="{height:.1f}"'
            parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="bar"/>')
    parts.append(_line(left, floor, right, floor, "axis"))
    for percent in range(0, 101, 25):
        parts.append(_text(left + (right - left) * percent / 100, floor + 16, str(percent)))
    parts.append(_text((left + right) / 2, floor + 32, "stated chance, %"))
    parts.append(_text(left + 4, top + 12, "contracts made", "start"))
    return _svg(floor + 38, parts, f"reliability of {reliability.entrant}")
