"""Chosen contracts beside forced ones, never pooled: what the choice of hands does to made rates.

A forced run plays every hand in every denomination, declared by every seat. So it tells two things
of the bids of another run: what they would come to with any hand, and, where both runs have the
same deals, what they come to with the very hands they were chosen for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.bids.features import Feature
from analysis.show.text import Table, number, numbers, percent, percents
from analysis.stats.intervals import Clustered, Interval
from simulate.cards import DENOMINATIONS


def _one_more(made: Clustered | None, adds: Clustered | None) -> dict[str, Any]:
    """One level more, as JSON takes it; nothing where it is not known."""
    if not made or not adds:
        return {}
    facts = {"rate": made.rate, "adds": adds.rate, "adds_interval": adds.mean_interval()}
    return {"one_level_more": facts}


@dataclass(frozen=True)
class ForcedBid:
    """A bid with any hand, or with any of a kind.

    Attributes
    ----------
    level : int
    denomination : int or None
        None where all are counted together.
    made, score, margin : Clustered
        Of all hands of all seats; the margin is the score less the defenders'.
    made_more, adds : Clustered or None
        Made one level higher, and what that adds to the score; None at the highest level.
    value : str or None
        Value of the feature by which hands are told apart.
    """

    level: int
    denomination: int | None
    made: Clustered
    score: Clustered
    margin: Clustered
    made_more: Clustered | None
    adds: Clustered | None
    value: str | None = None

    @property
    def text(self) -> str:
        """Text of the bid: ``3H``, or ``level 3``."""
        if self.denomination is None:
            return f"level {self.level}"
        return f"{self.level}{DENOMINATIONS[self.denomination]}"

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        facts: dict[str, Any] = {
            "level": self.level,
            "denomination": None if self.denomination is None else DENOMINATIONS[self.denomination],
            **({} if self.value is None else {"value": self.value}),
            "count": self.made.trials,
            "deals": self.made.clusters,
            "rate": self.made.rate,
            "interval": self.made.interval(),
            "method": self.made.method,
            "mean_score": self.score.rate,
            "score_interval": self.score.mean_interval(),
            "mean_margin": self.margin.rate,
            "margin_interval": self.margin.mean_interval(),
        }
        return facts | _one_more(self.made_more, self.adds)


@dataclass(frozen=True)
class Selected:
    """Contracts that an entrant chose, and the same bids forced.

    Attributes
    ----------
    entrant : str
    level, denomination : int or None
        None where all are counted together.
    chosen : Clustered
        Made.
    any_hand : float
        Made rate of the same bids, as often each, forced on any hand.
    same_hand : Clustered or None
        Made when forced on the hands that they were chosen for; None where the runs have not the
        same deals.
    made_more, adds : Clustered or None
        One level higher with these hands: made, and what it adds to the score.
    """

    entrant: str
    level: int | None
    denomination: int | None
    chosen: Clustered
    any_hand: float
    same_hand: Clustered | None
    made_more: Clustered | None
    adds: Clustered | None

    @property
    def effect(self) -> float:
        """Made rate with the hands chosen less that with any hand."""
        return ((self.same_hand or self.chosen).rate or 0.0) - self.any_hand

    def effect_interval(self) -> Interval | None:
        """Interval of the effect, with the rate of any hand taken as known.

        It is known far better; and since the hands chosen are among all hands, its error would
        make the difference no less certain.
        """
        interval = (self.same_hand or self.chosen).interval()
        return interval and Interval(interval.low - self.any_hand, interval.high - self.any_hand)

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        facts: dict[str, Any] = {
            "entrant": self.entrant,
            "level": self.level,
            "denomination": None if self.denomination is None else DENOMINATIONS[self.denomination],
            "count": self.chosen.trials,
            "chosen": self.chosen.rate,
            "chosen_interval": self.chosen.interval(),
            "any_hand": self.any_hand,
            "selection": self.effect,
            "selection_interval": self.effect_interval(),
        }
        if self.same_hand:
            facts |= {
                "same_hand": self.same_hand.rate,
                "same_hand_interval": self.same_hand.interval(),
            }
        facts["method"] = (self.same_hand or self.chosen).method
        return facts | _one_more(self.made_more, self.adds)


@dataclass(frozen=True)
class Forced:
    """Forced contracts, and what they say of chosen ones.

    Attributes
    ----------
    folder : str
        The forced run.
    entrants : tuple of str
        Who played.
    deals : int
    bids : tuple of ForcedBid
    selected : tuple of Selected
        By entrant of the other run; empty where there is none.
    paired : bool
        Whether both runs have the same deals.
    feature : Feature or None
        What the hands are told apart by as well.
    by_feature : tuple of ForcedBid
        By value; for each the levels, then the bids.
    """

    folder: str
    entrants: tuple[str, ...]
    deals: int
    bids: tuple[ForcedBid, ...]
    selected: tuple[Selected, ...]
    paired: bool
    feature: Feature | None = None
    by_feature: tuple[ForcedBid, ...] = ()

    @property
    def name(self) -> str:
        """Who played, as one text."""
        return " + ".join(self.entrants)

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        return {
            "run": self.folder,
            "entrants": list(self.entrants),
            "deals": self.deals,
            "paired": self.paired,
            "bids": [bid.as_dict() for bid in self.bids],
            "selected": [each.as_dict() for each in self.selected],
            "by": self.feature
            and {
                "name": self.feature.name,
                "about": self.feature.about,
                "bids": [bid.as_dict() for bid in self.by_feature],
            },
        }

    def sentences(self) -> list[str]:
        """Say how far the choice of hands lifts made rates, for each entrant."""
        return [self._sentence(each) for each in self.selected if each.level is None]

    def _sentence(self, each: Selected) -> str:
        rate = each.same_hand or each.chosen
        text = f"Bids of {each.entrant} come home {percent(rate.rate)} of the time "
        text += "forced on the hands that they were chosen for" if self.paired else "as chosen"
        text += f", {percent(each.any_hand)} on any hand (played by {self.name}): "
        interval = each.effect_interval()
        if interval is None or interval.low <= 0 <= interval.high:
            return f"{text}no choice of hands is to be seen."
        points = f"{100 * each.effect:.1f} points ({percents(interval)})"
        return f"{text}the choice of hands is worth {points}."

    def tables(self) -> list[Table]:
        """Tables for a person."""
        tables = []
        for entrant in dict.fromkeys(each.entrant for each in self.selected):
            own = [s for s in self.selected if s.entrant == entrant and s.denomination is None]
            own = [*own[1:], own[0]]
            columns = ["level", "contracts", "chosen", "same hands", "any hand", "selection"]
            rows = [_selected_row(each) for each in own]
            title = f"Chosen by {entrant}, and forced on {self.name}: made"
            tables.append(Table(title, [*columns, "95 % interval"], rows))
            rows = [_more_row(each) for each in own if each.adds]
            if rows:
                columns = ["level", "contracts", "made", "one more: made", "adds", "95 % interval"]
                title = f"One level more with the hands that {entrant} chose, forced"
                tables.append(Table(title, columns, rows))
        rows = [_forced_row(bid) for bid in self.bids]
        columns = ["bid", "contracts", "made", "95 % interval", "score", "margin", "one more adds"]
        tables.append(Table(f"Forced on any hand, played by {self.name}", columns, rows))
        return tables + ([self._feature_table(self.feature)] if self.feature else [])

    def _feature_table(self, feature: Feature) -> Table:
        levels = sorted({bid.level for bid in self.bids})
        rates = {(b.value, b.level): b.made for b in self.by_feature if b.denomination is None}
        rows = [
            [
                value,
                f"{rates[value, levels[0]].trials:,}",
                *(percent(rates[value, level].rate) for level in levels),
            ]
            for value in dict.fromkeys(bid.value for bid in self.by_feature)
            if value is not None
        ]
        columns = [feature.name, "contracts", *(f"level {level}" for level in levels)]
        return Table(f"Forced, made at each level by {feature.about}", columns, rows)


def _selected_row(each: Selected) -> list[str]:
    interval = each.effect_interval()
    return [
        "all" if each.level is None else str(each.level),
        f"{each.chosen.trials:,}",
        percent(each.chosen.rate),
        percent(each.same_hand.rate) if each.same_hand else "-",
        percent(each.any_hand),
        f"{100 * each.effect:.1f}",
        percents(interval),
    ]


def _more_row(each: Selected) -> list[str]:
    assert each.made_more
    assert each.same_hand
    assert each.adds
    return [
        str(each.level),
        f"{each.chosen.trials:,}",
        percent(each.same_hand.rate),
        percent(each.made_more.rate),
        number(each.adds.rate),
        numbers(each.adds.mean_interval()),
    ]


def _forced_row(bid: ForcedBid) -> list[str]:
    return [
        bid.text,
        f"{bid.made.trials:,}",
        percent(bid.made.rate),
        percents(bid.made.interval()),
        number(bid.score.rate),
        number(bid.margin.rate),
        number(bid.adds.rate) if bid.adds else "-",
    ]
