"""What a tournament comes to: who beats whom, ratings of all, who failed.

A deal is played by every pairing, so deals are what is independent, and all pairings are resampled
together. Matches are counted beside it, and rated by the model of Bradley and Terry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from analysis.show.text import count
from analysis.stats.bradley_terry import Strength
from analysis.stats.intervals import Interval
from analysis.tournament.partners import Additions
from analysis.tournament.ratings import Ratings
from simulate.store.settings import Settings

#: Share of bootstrap replicates that must agree on who is rated higher.
_SURE = 0.975
#: Ratings that differ by less differ by rounding alone.
_LEVEL = 1e-9


class Failed(NamedTuple):
    """An entrant that does not stand.

    Attributes
    ----------
    entrant : str
    where : str
        The run in which it failed; empty where it did not load.
    why : str
    """

    entrant: str
    where: str
    why: str


class Won(NamedTuple):
    """Matches of one entrant against another.

    Attributes
    ----------
    won, lost, drawn, unfinished : float
        With three players, where one sits among two, the two have half of each.
    """

    won: float = 0.0
    lost: float = 0.0
    drawn: float = 0.0
    unfinished: float = 0.0

    def plus(self, other: Won) -> Won:
        """Add up the matches of both."""
        return Won(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def turned(self) -> Won:
        """The same as the other one sees it."""
        return Won(self.lost, self.won, self.drawn, self.unfinished)

    @property
    def share(self) -> float | None:
        """Share of the finished matches that was won, a drawn one counting half."""
        finished = self.won + self.lost + self.drawn
        return (self.won + self.drawn / 2) / finished if finished else None


class Pairing(NamedTuple):
    """How two entrants came out against each other.

    Attributes
    ----------
    one, other : int
    margin : float or None
        Of the one over the other, points a hand; None where they met in matches alone.
    interval : Interval or None
        Student's, on paired deals; None with fewer than two.
    matches : Won or None
    """

    one: int
    other: int
    margin: float | None = None
    interval: Interval | None = None
    matches: Won | None = None

    @property
    def margin_text(self) -> str:
        """Margin as a cell shows it; what rounds to zero has no sign."""
        return "-" if self.margin is None else f"{round(self.margin, 1) + 0.0:.1f}"

    @property
    def unsure(self) -> bool:
        """Whether the interval of the margin holds 0."""
        return self.interval is None or self.interval.low <= 0 <= self.interval.high

    @property
    def turned(self) -> Pairing:
        """The same as the other one sees it."""
        return Pairing(
            self.other,
            self.one,
            None if self.margin is None else -self.margin,
            self.interval and Interval(-self.interval.high, -self.interval.low),
            self.matches and self.matches.turned,
        )


@dataclass(frozen=True)
class Tournament:
    """A tournament.

    Attributes
    ----------
    settings : Settings
        Of one of its runs.
    form : str
        Format.
    entrants : list of str
        Those that stand, the best first; numbers of entrants are places in it.
    failed : list of Failed
    deals, matches : int
        That every pairing has played, each in all its legs.
    pairings : list of Pairing
    ratings : Ratings or None
        Where deals were played.
    strengths : list of Strength or None
        Where matches were played.
    additions : Additions or None
        Where unlike partners played.
    """

    settings: Settings
    form: str
    entrants: list[str]
    failed: list[Failed]
    deals: int
    matches: int
    pairings: list[Pairing]
    ratings: Ratings | None = None
    strengths: list[Strength] | None = None
    additions: Additions | None = None

    def between(self, one: int, other: int) -> Pairing | None:
        """How the one came out against the other; None where they have not met."""
        for pairing in self.pairings:
            if (pairing.one, pairing.other) == (one, other):
                return pairing
            if (pairing.one, pairing.other) == (other, one):
                return pairing.turned
        return None

    def sentence(self) -> str:
        """Say who is best, by how much, and how sure that is."""
        if len(self.entrants) < 2:
            return "No two entrants are left to compare."
        if self.ratings is None or np.isnan(self.ratings.values[0]):
            return self._matches_sentence()
        best, second = self.entrants[:2]
        if np.ptp(self.ratings.values) < _LEVEL:
            return (
                f"All {len(self.entrants)} entrants are level in "
                f"{count(self.deals, 'paired deal')} each pairing."
            )
        text = f"{best} is first of {len(self.entrants)} entrants"
        text += f", {self.ratings.values[0]:.1f} points a hand above their average"
        interval = self.ratings.intervals[0]
        paired = count(self.deals, "paired deal")
        if interval is None:
            return f"{text} ({paired} each pairing, too few for an interval)."
        text += f" (95 % interval {interval.low:.1f} to {interval.high:.1f}, {paired} each pairing)"
        ahead = self.ratings.values[0] - self.ratings.values[1]
        sure = self.ratings.differences[0, 1] >= _SURE
        then = "" if sure else ": too close to call"
        return f"{text}, {ahead:.1f} above {second}{then}."

    def _matches_sentence(self) -> str:
        if self.strengths is None:
            return "The pairings that are left do not connect all entrants: there are no ratings."
        best, strength = self.entrants[0], self.strengths[0]
        if all(won is None or won.share is None for *_, won in self.pairings):
            return "No match was finished: there is none to rank the entrants by."
        text = f"{best} is first of {len(self.entrants)} entrants by matches"
        if np.isinf(strength.value):
            return f"{text}: it has lost none that would bound its strength."
        low, high = (100 * special.expit(end) for end in strength.interval)
        chance = 100 * special.expit(strength.value)
        return (
            f"{text}: it would win {chance:.1f} % of them against the average of all "
            f"(95 % interval {low:.1f} to {high:.1f}, "
            f"{count(self.matches, 'paired match', 'paired matches')} each pairing)."
        )

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them: what is infinite or not known is null."""
        names = self.entrants
        entrants = []
        for place, name in enumerate(names):
            facts: dict[str, Any] = {"name": name}
            if self.ratings:
                facts["rating"] = _finite(self.ratings.values[place])
                facts["interval"] = _ends(self.ratings.intervals[place])
            if self.strengths:
                strength = self.strengths[place]
                facts["strength"] = _finite(strength.value)
                facts["strength_interval"] = _ends(strength.interval)
                facts["unbounded"] = bool(np.isinf(strength.value))
            if self.additions:
                facts["adds"] = _finite(self.additions.values[place])
                facts["adds_interval"] = _ends(self.additions.intervals[place])
            entrants.append(facts)
        pairings = [
            {
                "one": names[pairing.one],
                "other": names[pairing.other],
                "margin": pairing.margin,
                "interval": _ends(pairing.interval),
                "matches": pairing.matches and pairing.matches._asdict(),
            }
            for pairing in self.pairings
        ]
        facts = {
            "format": self.form,
            "seed": self.settings.seed,
            "rules_changed": self.settings.rules.changes(),
            "deals": self.deals,
            "matches": self.matches,
            "entrants": entrants,
            "pairings": pairings,
            "failed": [failed._asdict() for failed in self.failed],
        }
        if self.ratings:
            facts["fit"] = self.ratings.fit._asdict()
            facts["circles"] = [
                circle._asdict()
                | {
                    "entrants": [names[each] for each in circle.entrants],
                    "interval": _ends(circle.interval),
                }
                for circle in self.ratings.circles
            ]
        if self.additions:
            facts["partners"] = [
                pair._asdict()
                | {
                    "one": names[pair.one],
                    "other": names[pair.other],
                    "interval": _ends(pair.interval),
                }
                for pair in self.additions.partners
            ]
        return facts


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _ends(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_finite(end) for end in interval]
