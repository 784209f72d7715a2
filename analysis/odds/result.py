"""The odds of one given hand: what each bid is worth in worlds that fit what its holder knows.

Three questions, told apart: how often the bid comes home where it becomes the contract, what it
scores then, and what bidding it brings against passing, where the auction goes on after either.
All are answered in the same worlds, so that differences are paired.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from analysis.odds.question import Question
from analysis.odds.words import notes, sentence, tables
from analysis.show.result import Shown
from analysis.show.text import Table
from analysis.stats.intervals import Interval
from analysis.stats.weighted import ClusterSums, Mean
from simulate.cards import DENOMINATIONS, SEATS, bid_of, call_text, hand_text
from simulate.engine.odds_match import SEQUELS

if TYPE_CHECKING:
    import pandas as pd

_EACH_BID = 3  # made, score, margin


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
    won : float or None
        In a match: chance that the own side wins it, where the auction goes on after the bid.
    won_interval : Interval or None
    won_method : str or None
    won_gain : float or None
        That less the chance after passing, world by world.
    won_gain_interval : Interval or None
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
    won: float | None
    won_interval: Interval | None
    won_method: str | None
    won_gain: float | None
    won_gain_interval: Interval | None


@dataclass(frozen=True)
class PassOdds:
    """What passing is worth, where the auction goes on; names as in :class:`BidOdds`."""

    score: float
    score_interval: Interval | None
    margin: float
    margin_interval: Interval | None
    won: float | None
    won_interval: Interval | None
    won_method: str | None


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

    def sentence(self) -> str:
        """Say what to call."""
        return sentence(self)

    def notes(self) -> list[str]:
        """Lines to tell above the tables: what the numbers rest on."""
        return notes(self)

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return tables(self)

    def _after(self, place: int) -> int:
        """Column of the score after call number `place`; the margin and the match come next."""
        each = 2 if self.question.scores is None else 3
        return _EACH_BID * len(self.question.bids) + each * place

    def _interval(self, mean: Mean, confidence: float = 0.95) -> Interval | None:
        if self.tightest is None:
            return self.sums.student(mean, confidence)
        return self.sums.sequence(mean, self.tightest, 1 - confidence)

    def _rate(self, column: int, trials: int = 1) -> tuple[float, Interval, str]:
        """Rate, its interval, and the interval's method; a world makes so many trials of it."""
        mean = self.sums.mean(column)
        if self.tightest is None:
            return mean.value, *self.sums.rate_interval(mean, trials=trials)
        return mean.value, self.sums.rate_sequence(mean, self.tightest), "confidence sequence"

    def _made(self, place: int) -> tuple[float, Interval, str]:
        """Chance to make bid number `place`."""
        return self._rate(_EACH_BID * place)

    def _won(self, place: int) -> tuple[float, Interval, str] | tuple[None, None, None]:
        """Chance to win the match after call number `place`."""
        if self.question.scores is None:
            return None, None, None
        return self._rate(self._after(place) + 2, SEQUELS)

    @property
    def widest(self) -> float:
        """Most that the interval of any chance reaches to one side."""
        rows = [self._made(place) for place in range(len(self.question.bids))]
        rows += [each for k in range(len(self._texts)) if (each := self._won(k))[0] is not None]
        return max((max(r - i.low, i.high - r) for r, i, _ in rows), default=0.0)

    @cached_property
    def bids(self) -> tuple[BidOdds, ...]:
        """Every bid that the seat may make, in order."""
        return tuple(self._bid(place) for place in range(len(self.question.bids)))

    def bid(self, text: str) -> BidOdds:
        """Bid that is written so."""
        return self.bids[self._texts.index(text) - 1]

    def _bid(self, place: int) -> BidOdds:
        call = self.question.bids[place]
        level, denomination = bid_of(call)
        score, margin = (self.sums.mean(_EACH_BID * place + k) for k in (1, 2))
        own, passing = self._after(place + 1) + 1, self._after(0) + 1
        after, gain = self.sums.mean(own), self.sums.mean(own, passing)
        made, interval, method = self._made(place)
        won, won_interval, won_method = self._won(place + 1)
        won_gain = None if won is None else self.sums.mean(own + 1, passing + 1)
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
            won=won,
            won_interval=won_interval,
            won_method=won_method,
            won_gain=won_gain and won_gain.value,
            won_gain_interval=won_gain and self._interval(won_gain),
        )

    @cached_property
    def passing(self) -> PassOdds:
        """Worth of passing."""
        score, margin = (self.sums.mean(self._after(0) + k) for k in (0, 1))
        intervals = self._interval(score), self._interval(margin)
        return PassOdds(score.value, intervals[0], margin.value, intervals[1], *self._won(0))

    @property
    def fits(self) -> float:
        """Share of the weight of worlds in which the bidders would have made all given calls."""
        return self.sums.mean(self._after(len(self.question.legal))).value

    @property
    def nobody_wins(self) -> float:
        """Share of the matches played on that were drawn or unfinished."""
        return self.sums.mean(self._after(len(self.question.legal)) + 1).value

    @property
    def best(self) -> str:
        """Call with the greatest margin."""
        return self._for_points[0]

    @property
    def rivals(self) -> tuple[str, ...]:
        """Calls that are not told apart from the best with 95 % confidence for all together."""
        return self._for_points[1]

    @property
    def best_for_match(self) -> str | None:
        """Call with the greatest chance to win the match; None without match scores."""
        return self._for_match[0]

    @property
    def rivals_for_match(self) -> tuple[str, ...]:
        """Calls that are not told apart from that, likewise."""
        return self._for_match[1]

    @cached_property
    def _for_points(self) -> tuple[str, tuple[str, ...]]:
        return self._best_by(1)

    @cached_property
    def _for_match(self) -> tuple[str | None, tuple[str, ...]]:
        return (None, ()) if self.question.scores is None else self._best_by(2)

    def _best_by(self, column: int) -> tuple[str, tuple[str, ...]]:
        """Best call by a column of those of calls, and its rivals."""
        columns = [self._after(place) + column for place in range(len(self._texts))]
        best = max(columns, key=lambda each: self.sums.mean(each).value)
        # Bonferroni, one-sided: the best was picked for its luck too.
        confidence = 1 - 2 * 0.05 / max(1, len(columns) - 1)
        rivals = []
        for text, each in zip(self._texts, columns, strict=True):
            interval = self._interval(self.sums.mean(best, each), confidence)
            if each != best and (interval is None or interval.low <= 0):
                rivals.append(text)
        return self._texts[columns.index(best)], tuple(rivals)

    @property
    def _texts(self) -> list[str]:
        return [call_text(call) for call in self.question.legal]

    def frame(self) -> pd.DataFrame:
        """Table of the bids, a row each."""
        import pandas as pd

        from analysis.show.flat import flat_row  # pyarrow's files with it

        return pd.DataFrame([flat_row(vars(bid)) for bid in self.bids])

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
            "hands_before": asked.hands_before if asked.rules.max_hands else None,
            "matches_a_call_and_world": None if asked.scores is None else SEQUELS,
            "rules_changed": asked.rules.changes(),
            "entrants": dict(zip(asked.rules.seats, asked.entrants, strict=True)),
            "seed": asked.seed,
            "worlds": self.sums.members,
            "effective_worlds": self.sums.effective,
            "deals": self.sums.clusters,
            "turns": asked.rules.players - 1,
            "calls_fit": self.fits if asked.calls else None,
            "nobody_wins": None if asked.scores is None else self.nobody_wins,
            "stopped_by_precision": self.tightest is not None,
            "passing": asdict(self.passing),
            "bids": [asdict(bid) for bid in self.bids],
            "best": self.best,
            "not_told_apart": list(self.rivals),
            "best_for_match": self.best_for_match,
            "not_told_apart_for_match": list(self.rivals_for_match),
            "sentence": self.sentence(),
        }
