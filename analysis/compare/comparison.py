"""What a comparison of two entrants comes to, while it goes on and when it is over.

The margin is the first entrant's. Either a test stops when it is sure
(:mod:`analysis.compare.sprt`), and the interval is one of a confidence sequence, or the number of
pairs was chosen beforehand, and it is Student's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from analysis.compare.interim import BATCH, Looks
from analysis.compare.margins import Kind, Margins
from analysis.compare.power import fixed_pairs
from analysis.compare.sprt import Bounds
from analysis.show.text import Table, count
from analysis.stats.intervals import Interval
from analysis.stats.sequence import sequence_interval

#: Entrants that have been level in every one of so many pairs are told to play alike.
LEVEL_PAIRS = 16 * BATCH
CONFIDENCE = 0.95


class Verdict(NamedTuple):
    """What a comparison was stopped by.

    Attributes
    ----------
    look : int
        At which it was.
    decision : {"H0", "H1", "level"}
        ``"level"`` where every pair up to there is.
    """

    look: int
    decision: Literal["H0", "H1", "level"]


@dataclass(frozen=True)
class Comparison:
    """A comparison of two entrants.

    Attributes
    ----------
    first, second : str
    kind : {"points", "wins"}
        What a margin is made of: points a hand, or matches won less lost, of all.
    looks : Looks
        Pairs taken in so far, up to the deciding look or beyond.
    most : int
        Pairs that are to be played, at most.
    bounds : Bounds or None
        What is tested; None where `most` pairs are to be played whatever they show.
    """

    first: str
    second: str
    kind: Kind
    looks: Looks
    most: int
    bounds: Bounds | None

    @property
    def verdict(self) -> Verdict | None:
        """What it is stopped by; None while it goes on, or where nothing is tested."""
        if self.bounds is None:
            return None
        if result := self.bounds.decide(self.looks):
            return Verdict(*result)
        level_pairs = BATCH if self.first == self.second else LEVEL_PAIRS
        look = level_pairs // BATCH - 1
        if len(self.looks) > look and not self.looks.differing[look]:
            return Verdict(look, "level")
        return None

    @property
    def over(self) -> bool:
        """Whether no more pairs are to be played."""
        return self.verdict is not None or self.looks.taken >= self.most

    @property
    def sums(self) -> Margins:
        """Sums over the pairs that the answer rests on."""
        if verdict := self.verdict:
            return self.looks.margins(verdict.look)
        return self.looks.rest()

    @property
    def ratio(self) -> float | None:
        """Log likelihood ratio at the last look that counts; None before the first."""
        look = self.verdict.look if self.verdict else len(self.looks) - 1
        if self.bounds is None or look < 0:
            return None
        sums = self.looks.margins(look)
        return float(self.bounds.ratio(sums.pairs, sums.mean or 0.0, sums.variance))

    @property
    def interval(self) -> Interval | None:
        """Interval of the margin: of a sequence while more pairs may follow, or may have.

        None without any spread: pairs that are all alike do not tell how the next may be.
        """
        if not self.sums.variance:
            return None
        if self.bounds is None and self.over:
            return self.sums.interval(CONFIDENCE)
        return sequence_interval(self.sums, 1 - CONFIDENCE)

    @property
    def interval_method(self) -> str:
        """Name of the interval."""
        if self.bounds is None and self.over:
            return "95 % interval"
        return "95 % confidence sequence"

    @property
    def unpaired_hands(self) -> int | None:
        """Hands, or matches, that the same test would take, of a fixed number and unpaired."""
        if self.bounds is None or not self.sums.leg_deviation:
            return None
        return fixed_pairs(
            self.bounds.h1 - self.bounds.h0,
            self.sums.leg_deviation,
            self.bounds.alpha,
            self.bounds.beta,
        )

    def margin_text(self) -> str:
        """Tell the first one's margin and its interval."""
        if self.sums.mean is None:
            return "-"
        decimals = self._decimals
        unit = " %" if self.kind == "wins" else ""
        text = f"{self._shown(self.sums.mean):.{decimals}f}{unit}"
        return text if self.interval is None else f"{text} ({self._interval_text(1)})"

    def _deviation_text(self, deviation: float) -> str:
        return "-" if self.sums.pairs < 2 else f"{self._shown(deviation):.2f}"

    def sentence(self) -> str:
        """Say who is better, by how much, and how sure that is."""
        sums, units = self.sums, self._units
        if sums.mean is None:
            return f"{self.first} and {self.second}: nothing is played yet."
        if not sums.differing and self.first == self.second:
            return f"{self.first} against itself: level in every one of {units}, as it must be."
        if not sums.differing and sums.pairs < BATCH:
            return f"{self.first} and {self.second} are level in {units}: too few to tell."
        if not sums.differing:
            share = 100 * (1 - (1 - CONFIDENCE) ** (1 / sums.pairs))
            things = "matches" if self.kind == "wins" else "deals"
            return (
                f"{self.first} and {self.second} are level in every one of {units}: if they play "
                f"differently at all, then in fewer than {share:.2g} % of {things}."
            )
        sign = -1 if sums.mean < 0 else 1
        ahead, behind = (self.first, self.second)[::sign]
        mean = abs(self._shown(sums.mean))
        if self.kind == "wins":
            points = f"{mean:.{self._decimals}f} percentage points"
            text = f"{ahead} wins {points} more of the matches than {behind}"
        else:
            text = f"{ahead} scores {mean:.{self._decimals}f} more a hand than {behind}"
        if self.interval is None:
            return f"{text} ({units}, too few for an interval)."
        text += f" ({self.interval_method} {self._interval_text(sign)}, {units})"
        return f"{text}: {self._conclusion()}."

    def _conclusion(self) -> str:
        bounds, verdict, interval = self.bounds, self.verdict, self.interval
        if bounds is None or verdict is None:
            if interval is not None and interval.low > 0:
                return f"{self.first} is better"
            if interval is not None and interval.high < 0:
                return f"{self.second} is better"
            return "too close to call" if self.bounds is None else "undecided"
        h0, h1 = (self._amount(bound) for bound in (bounds.h0, bounds.h1))
        if verdict.decision == "H1":
            than = "" if bounds.h0 == 0 else f" by more than {h0}"
            return (
                f"{self.first} is better{than}, with an error of at most {100 * bounds.alpha:g} %"
            )
        if interval is not None and interval.high < 0:
            return f"{self.second} is better"
        error = f"with an error of at most {100 * bounds.beta:g} %"
        return f"{self.first} is not better by {h1} or more, {error}"

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        sums, bounds = self.sums, self.bounds
        test = None
        if bounds is not None:
            test = {
                "h0": bounds.h0,
                "h1": bounds.h1,
                "alpha": bounds.alpha,
                "beta": bounds.beta,
                "ratio": self.ratio,
                "low": bounds.low,
                "high": bounds.high,
                "decision": self.verdict.decision if self.verdict else None,
                "unpaired_fixed": self.unpaired_hands,
            }
        return {
            "first": self.first,
            "second": self.second,
            "unit": "matches" if self.kind == "wins" else "deals",
            "pairs": sums.pairs,
            "legs": sums.legs,
            "most_pairs": self.most,
            "over": self.over,
            "differing": sums.differing,
            "margin": sums.mean,
            "interval": self.interval,
            "interval_method": self.interval_method,
            "deviation": sums.deviation,
            "unpaired_deviation": sums.leg_deviation,
            "test": test,
            "sentence": self.sentence(),
        }

    def table(self) -> Table:
        """Table for a person."""
        sums = self.sums
        what = "matches won more" if self.kind == "wins" else "margin a hand"
        rows = [
            [what, self.margin_text()],
            ["pairs", f"{sums.pairs:,} ({sums.legs * sums.pairs:,} {self._hands})"],
            ["pairs not level", f"{sums.differing:,}"],
            ["deviation of a pair", self._deviation_text(sums.deviation)],
            ["deviation unpaired", self._deviation_text(sums.leg_deviation)],
        ]
        if self.bounds is not None and self.ratio is not None:
            rows.append(["log likelihood ratio", self.ratio_text()])
        if self.bounds is not None and self.verdict and self.unpaired_hands:
            text = f"{self.unpaired_hands:,} {self._hands}"
            rows.append(["unpaired, fixed number", f"{text} for the same errors"])
        title = f"{self.first} v {self.second}"
        if sums.legs == 3:
            title += ": one of the first among two of the second, from every seat"
        return Table(title, ["fact", "value"], rows)

    def ratio_text(self) -> str:
        """Tell the ratio and the bounds it lies between."""
        if self.bounds is None or self.ratio is None:
            return "-"
        h0, h1 = (self._amount(bound) for bound in (self.bounds.h0, self.bounds.h1))
        low, high = self.bounds.low, self.bounds.high
        return f"{self.ratio:.2f} (margin {h0} at {low:.2f}, {h1} at {high:.2f})"

    @property
    def _units(self) -> str:
        things = ("match", "matches") if self.kind == "wins" else ("deal", "deals")
        paired = "paired " if self.sums.legs > 1 else ""
        return count(self.sums.pairs, *(paired + thing for thing in things))

    @property
    def _hands(self) -> str:
        return "matches" if self.kind == "wins" else "hands"

    @property
    def _decimals(self) -> int:
        """Digits behind the point that the interval makes sense of."""
        interval = self.interval
        width = self._shown(interval.high - interval.low) if interval else math.inf
        return 1 if width > 1 else 2 if width > 0.1 else 3

    def _shown(self, margin: float) -> float:
        """Margin as it is told: wins in per cent."""
        return 100 * margin if self.kind == "wins" else margin

    def _amount(self, margin: float) -> str:
        return f"{self._shown(margin):g}{' %' if self.kind == 'wins' else ''}"

    def _interval_text(self, sign: int) -> str:
        interval = self.interval
        assert interval is not None
        low, high = sorted(sign * self._shown(bound) for bound in interval)
        return f"{low:.{self._decimals}f} to {high:.{self._decimals}f}"
