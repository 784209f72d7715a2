"""The odds of one given hand: what each bid is worth in worlds that fit what its holder knows.

Three questions, told apart: how often the bid comes home where it becomes the contract, what it
scores then, and what bidding it brings against passing, where the auction goes on after either.
All are answered in the same worlds, so that differences are paired.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.clusters import ClusterSums, Mean
from analysis.intervals import Interval
from analysis.showing import Shown
from analysis.telling import Table, count, percent, percents
from simulate.cards import DENOMINATIONS, SEATS, bid_of, call_text, hand_text
from simulate.rules import Rules

if TYPE_CHECKING:
    import pandas as pd

_EACH_BID = 3  # made, score, margin
_MOST_NAMED = 10
_EACH_CALL = 2  # score, margin: where the auction goes on


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    rules : Rules
    entrants : tuple of str
        By seat: bidders and players of all numbers.
    seed : int
    seat, dealer : int
    hand, jokers : int
    calls, callers : tuple of int
        Made before.
    legal : tuple of int
        Calls that the seat may make, ascending; pass is the first.
    scores : tuple of int, optional
        Match score of each seat's side.
    cheats : tuple of str
        Entrants that are shown all hands.
    """

    rules: Rules
    entrants: tuple[str, ...]
    seed: int
    seat: int
    dealer: int
    hand: int
    jokers: int
    calls: tuple[int, ...]
    callers: tuple[int, ...]
    legal: tuple[int, ...]
    scores: tuple[int, ...] | None = None
    cheats: tuple[str, ...] = ()

    @property
    def bids(self) -> tuple[int, ...]:
        """Calls that are bids."""
        return self.legal[1:]


@dataclass(frozen=True)
class BidOdds:
    """What a bid is worth; points are of the own side, intervals hold in 95 % of cases.

    Attributes
    ----------
    bid, level, denomination
    made : float
        Chance to make it, where it becomes the contract.
    made_interval : Interval
    made_method : str
    score, margin : float
        Score of the own side, and that less the other side's, where it becomes the contract.
    score_interval, margin_interval : Interval or None
    after : float
        Margin where the auction goes on after the bid.
    after_interval : Interval or None
    gain : float
        That less the margin after passing, world by world.
    gain_interval : Interval or None
    """

    bid: str
    level: int
    denomination: str
    made: float
    made_interval: Interval
    made_method: str
    score: float
    score_interval: Interval | None
    margin: float
    margin_interval: Interval | None
    after: float
    after_interval: Interval | None
    gain: float
    gain_interval: Interval | None


@dataclass(frozen=True)
class PassOdds:
    """What passing is worth, where the auction goes on."""

    score: float
    score_interval: Interval | None
    margin: float
    margin_interval: Interval | None


def values_of(worlds: np.ndarray, question: Question) -> np.ndarray:
    """Columns that :class:`Odds` reads, shape (worlds, columns).

    Parameters
    ----------
    worlds : WORLD array
    question : Question
    """
    bids, calls = list(question.bids), list(question.legal)
    stands = np.stack(
        [
            worlds["made"][:, bids],
            worlds["own"][:, bids],
            worlds["own"][:, bids] - worlds["others"][:, bids],
        ],
        axis=2,
    )
    after = np.stack(
        [
            worlds["own_after"][:, calls],
            worlds["own_after"][:, calls] - worlds["others_after"][:, calls],
        ],
        axis=2,
    )
    n = len(worlds)
    columns = [stands.reshape(n, -1), after.reshape(n, -1), worlds["fits"][:, None]]
    return np.concatenate(columns, axis=1).astype(np.float64)


@dataclass(frozen=True, repr=False)
class Odds(Shown):
    """The odds of a hand.

    Attributes
    ----------
    question : Question
    sums : ClusterSums
        Of the columns of :func:`values_of`; a cluster is a deal of the hidden cards.
    tightest : float or None
        Where worlds were dealt until the intervals were narrow enough: clusters at which those of
        the confidence sequence are narrowest.
    """

    question: Question
    sums: ClusterSums
    tightest: float | None = None

    def _after(self, place: int) -> int:
        """Column of the score after call number `place`; the margin is in the next."""
        return _EACH_BID * len(self.question.bids) + _EACH_CALL * place

    def _interval(self, mean: Mean) -> Interval | None:
        if self.tightest is None:
            return self.sums.student(mean)
        return self.sums.sequence(mean, self.tightest)

    def rate(self, place: int) -> tuple[float, Interval, str]:
        """Chance to make bid number `place`, its interval, and the interval's method."""
        mean = self.sums.mean(_EACH_BID * place)
        if self.tightest is None:
            return mean.value, *self.sums.rate_interval(mean)
        return mean.value, self.sums.rate_sequence(mean, self.tightest), "confidence sequence"

    @property
    def widest(self) -> float:
        """Most that the interval of any chance reaches to one side."""
        found = [self.rate(place) for place in range(len(self.question.bids))]
        return max((max(r - i.low, i.high - r) for r, i, _ in found), default=0.0)

    @cached_property
    def bids(self) -> tuple[BidOdds, ...]:
        """Every bid that the seat may make, in order."""
        return tuple(self._bid(place) for place in range(len(self.question.bids)))

    def _bid(self, place: int) -> BidOdds:
        call = self.question.bids[place]
        level, denomination = bid_of(call)
        score, margin = (self.sums.mean(_EACH_BID * place + k) for k in (1, 2))
        own, passing = self._after(place + 1) + 1, self._after(0) + 1
        after, gain = self.sums.mean(own), self.sums.mean(own, passing)
        made, interval, method = self.rate(place)
        return BidOdds(
            bid=call_text(call),
            level=level,
            denomination=DENOMINATIONS[denomination],
            made=made,
            made_interval=interval,
            made_method=method,
            score=score.value,
            score_interval=self._interval(score),
            margin=margin.value,
            margin_interval=self._interval(margin),
            after=after.value,
            after_interval=self._interval(after),
            gain=gain.value,
            gain_interval=self._interval(gain),
        )

    @cached_property
    def passing(self) -> PassOdds:
        """Worth of passing."""
        score, margin = (self.sums.mean(self._after(0) + k) for k in (0, 1))
        return PassOdds(score.value, self._interval(score), margin.value, self._interval(margin))

    @property
    def fits(self) -> float:
        """Share of the weight of worlds in which the bidders would have made all given calls."""
        return self.sums.mean(self._after(len(self.question.legal))).value

    @cached_property
    def best(self) -> str:
        """Call with the greatest margin."""
        return self._texts[self._best]

    @cached_property
    def rivals(self) -> tuple[str, ...]:
        """Calls that are not told apart from the best with 95 % confidence for all together."""
        others = len(self._texts) - 1
        found = []
        for place, text in enumerate(self._texts):
            if place == self._best:
                continue
            less = self.sums.mean(self._after(self._best) + 1, self._after(place) + 1)
            # Bonferroni, one-sided: the best was picked for its luck too.
            alpha = 0.05 / others
            if self.tightest is None:
                interval = self.sums.student(less, 1 - 2 * alpha)
            else:
                interval = self.sums.sequence(less, self.tightest, 2 * alpha)
            if interval is None or interval.low <= 0:
                found.append(text)
        return tuple(found)

    @property
    def _texts(self) -> list[str]:
        return [call_text(call) for call in self.question.legal]

    @cached_property
    def _best(self) -> int:
        margins = [self.sums.mean(self._after(k) + 1).value for k in range(len(self._texts))]
        return int(np.argmax(margins))

    def frame(self) -> pd.DataFrame:
        """Table of the bids, a row each."""
        import pandas as pd

        rows = []
        for bid in self.bids:
            row: dict[str, Any] = {}
            for name, value in vars(bid).items():
                if name.endswith("_interval"):
                    short = name.removesuffix("_interval")
                    row[f"{short}_low"], row[f"{short}_high"] = value or (None, None)
                else:
                    row[name] = value
            rows.append(row)
        return pd.DataFrame(rows)

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        asked = self.question
        return {
            "hand": hand_text(asked.hand, asked.jokers),
            "seat": SEATS[asked.seat],
            "dealer": SEATS[asked.dealer],
            "calls": [call_text(call) for call in asked.calls],
            "callers": [SEATS[seat] for seat in asked.callers],
            "scores": None
            if asked.scores is None
            else dict(zip(asked.rules.seats, asked.scores, strict=True)),
            "rules_changed": asked.rules.changes(),
            "entrants": dict(zip(asked.rules.seats, asked.entrants, strict=True)),
            "seed": asked.seed,
            "worlds": self.sums.members,
            "effective_worlds": self.sums.effective,
            "deals": self.sums.clusters,
            "turns": asked.rules.players - 1,
            "calls_fit": self.fits if asked.calls else None,
            "stopped_by_precision": self.tightest is not None,
            "passing": asdict(self.passing),
            "bids": [asdict(bid) for bid in self.bids],
            "best": self.best,
            "not_told_apart": list(self.rivals),
            "sentence": self.sentence(),
        }

    def notes(self) -> list[str]:
        """Lines to tell above the table: what the numbers rest on."""
        asked = self.question
        told = [f"{_seated(asked)}, whose bidding and play all of this is"]
        members, dealt = self.sums.members, count(self.sums.clusters, "deal")
        turns = f"{dealt} of the hidden cards in {asked.rules.players - 1} turns"
        if asked.calls:
            pairs = zip(asked.callers, asked.calls, strict=True)
            calls = ", ".join(f"{SEATS[seat]} {call_text(call)}" for seat, call in pairs)
            told += [
                f"after {calls}: in {percent(self.fits)} of the worlds the bidders would call so",
                f"{members:,} worlds, {self.sums.effective:,.0f} effective, of {turns}",
            ]
        else:
            told.append(f"{members:,} worlds: {turns}")
        if asked.cheats:
            told.append(f"{', '.join(asked.cheats)} sees all hands: this is a bracket, no estimate")
        if self.tightest is not None:
            told.append("intervals hold at every look (confidence sequence)")
        return told

    def table(self) -> Table:
        """Table for a person."""
        rows = [
            [
                bid.bid,
                percent(bid.made),
                percents(bid.made_interval),
                _give_or_take(bid.score, bid.score_interval),
                _give_or_take(bid.margin, bid.margin_interval),
                _give_or_take(bid.gain, bid.gain_interval),
            ]
            for bid in self.bids
        ]
        columns = ["bid", "made", "95 % interval", "score", "margin", "bid less pass"]
        return Table("As the contract, and the auction going on after it", columns, rows)

    def _tables(self) -> list[Table]:
        return [self.table()]

    def sentence(self) -> str:
        """Say what to call."""
        passed = _give_or_take(self.passing.margin, self.passing.margin_interval)
        told = f"Passing brings a margin of {passed} points"
        if not self.bids:
            return f"{told}; no bid is legal."
        if self.best == "pass":
            told += ", and no bid brings more"
        else:
            bid = next(bid for bid in self.bids if bid.bid == self.best)
            gain = _give_or_take(bid.gain, bid.gain_interval)
            told += (
                f"; {bid.bid} brings most, {gain} more, and comes home in {percent(bid.made)} "
                "where it is the contract"
            )
        if self.rivals:
            few = len(self.rivals) <= _MOST_NAMED
            others = ", ".join(self.rivals) if few else f"{len(self.rivals)} other calls"
            told += f". Not told apart from it: {others}"
        return f"{told}."


def _give_or_take(value: float, interval: Interval | None) -> str:
    """Tell a mean and its interval, which is symmetric."""
    return f"{value:.1f}" if interval is None else f"{value:.1f} ± {interval.high - value:.1f}"


def _seated(asked: Question) -> str:
    """Tell who sits where."""
    names = dict.fromkeys(asked.entrants)
    if len(names) == 1:
        return f"{asked.entrants[0]} at every seat"
    seats = zip(asked.rules.seats, asked.entrants, strict=True)
    by_name: dict[str, str] = {}
    for seat, name in seats:
        by_name[name] = f"{by_name[name]}+{seat}" if name in by_name else seat
    return ", ".join(f"{name} at {where}" for name, where in by_name.items())
