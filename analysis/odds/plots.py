"""Heat map of a hand's odds: chances to make each bid, what it brings, what it does in a match."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from analysis.odds.result import BidOdds, Odds
from analysis.odds.words import question_hand, question_scores
from analysis.show.figures import new_figure, save_figure
from analysis.show.text import count
from analysis.stats.intervals import Interval
from simulate.cards import DENOMINATIONS, SEATS, SUIT_SIGNS, call_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DARK = 0.55  # share of the colours' range from which text is white


def plot_odds(odds: Odds, path: Path) -> None:
    """Write the plot as a PNG."""
    asked = odds.question
    in_match = asked.scores is not None
    figure = new_figure(13 if in_match else 9, 4.8)
    chance, gain, *match = figure.subplots(1, 3 if in_match else 2)
    _draw(
        chance,
        odds,
        {bid.bid: (100 * bid.made, f"{100 * bid.made:.0f}") for bid in odds.bids},
        "Blues",
        (0, 100),
    )
    chance.set_title("chance to make it as the contract, %", fontsize="medium")
    most = max((abs(bid.gain) for bid in odds.bids), default=1.0) or 1.0
    _draw(
        gain,
        odds,
        {bid.bid: (bid.gain, _gain_text(bid)) for bid in odds.bids},
        "RdBu",
        (-most, most),
    )
    gain.set_title("points that bidding it brings more than passing", fontsize="medium")
    for axes in match:
        gains = {bid.bid: 100 * (bid.won_gain or 0) for bid in odds.bids}
        most = max(map(abs, gains.values()), default=1.0) or 1.0
        cells = {bid.bid: (gains[bid.bid], _won_text(bid)) for bid in odds.bids}
        _draw(axes, odds, cells, "RdBu", (-most, most))
        passing = f"after a pass {100 * (odds.passing.won or 0):.0f}"
        axes.set_title(f"matches won after bidding it, % ({passing})", fontsize="medium")
    calls = " ".join(call_text(call) for call in asked.calls)
    after = f" after {calls}" if calls else ""
    if in_match:
        after += f", match score {question_scores(asked)}"
    names = " and ".join(dict.fromkeys(asked.entrants))
    worlds = count(odds.sums.members, "world")
    if asked.calls:
        worlds += f" worth {odds.sums.effective:,.0f}"
    figure.suptitle(
        f"{question_hand(asked)} at {SEATS[asked.seat]}{after}\n"
        f"played by {names}, {worlds}; in brackets: not told apart from a pass",
        fontsize="medium",
    )
    save_figure(figure, path)


def _gain_text(bid: BidOdds) -> str:
    return _bracketed(f"{bid.gain:+.0f}", bid.gain_interval)


def _won_text(bid: BidOdds) -> str:
    return _bracketed(f"{100 * (bid.won or 0):.0f}", bid.won_gain_interval)


def _bracketed(text: str, gain: Interval | None) -> str:
    """Put what may as well be level with passing in brackets."""
    unsure = gain is None or gain.low <= 0 <= gain.high
    return f"({text})" if unsure else text


def _draw(
    axes: Axes,
    odds: Odds,
    cells: dict[str, tuple[float, str]],
    colours: str,
    limits: tuple[float, float],
) -> None:
    """Draw a map of level by denomination; bids that are not legal stay empty."""
    rules = odds.question.rules
    known = [name for name in DENOMINATIONS if name in rules.denominations]
    grid = np.full((rules.max_level, len(known)), np.nan)
    low, high = limits
    for row in range(rules.max_level):
        for column, name in enumerate(known):
            value, text = cells.get(f"{row + 1}{name}", (np.nan, "-"))
            grid[row, column] = value
            share = (value - low) / (high - low)
            dark = share > _DARK if low == 0 else abs(share - 0.5) > _DARK / 1.6
            axes.text(column, row, text, ha="center", va="center", color="w" if dark else "k")
    axes.imshow(grid, cmap=colours, vmin=low, vmax=high, aspect="auto", origin="lower")
    axes.set_xticks(range(len(known)), [SUIT_SIGNS.get(name, name) for name in known])
    axes.set_yticks(range(rules.max_level), [str(level + 1) for level in range(rules.max_level)])
    axes.set_xlabel("denomination")
    axes.set_ylabel("level")
    axes.spines[:].set_visible(False)
