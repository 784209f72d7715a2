"""Measures by which rule sets are set side by side, and from where on each is worth a word."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from analysis.house_rules.columns import PLACES, PLACES_OF_THREE
from analysis.stats.measures import Means, Measure, ratio
from analysis.tournament.circles import Pairing
from analysis.tournament.ratings import least_squares
from simulate.cards import DENOMINATIONS, LEVELS
from simulate.game.score_terms import SCORE_TERMS
from simulate.rules import Rules

#: Tables in which measures stand (:mod:`analysis.house_rules.tables`).
GROUPS = ("favoured", "contracts", "sources", "matches", "drama", "skill")


def table_measures(rules: Rules) -> list[Measure]:
    """Measures of hands in which one entrant sits at every seat."""
    others = 1 if rules.players == 4 else 2
    places = PLACES if rules.players == 4 else PLACES_OF_THREE
    rows = [
        Measure(
            "dealer",
            "the dealer's side over the others, points a hand",
            lambda means: means["dealer_lead"] / others,
            worth=0.5,
            more="better for the dealer's side",
            less="worse for the dealer's side",
            fair=True,
            head="dealer",
            group="favoured",
        ),
        Measure(
            "seat",
            f"{'N+S' if others == 1 else 'N'} over the others, points a hand",
            lambda means: means["seat_lead"] / others,
            fair=True,
            head="N+S",
            group="favoured",
        ),
        Measure(
            "declarers",
            "declarers over defenders, points a contract",
            ratio("declarer_lead", "contracts"),
            worth=1.0,
            more="better for declarers",
            less="worse for declarers",
            fair=True,
            head="declarers",
            group="favoured",
        ),
        Measure(
            "made",
            "contracts made, %",
            ratio("made", "contracts"),
            ("made", "contracts"),
            0.02,
            "contracts made more often",
            "contracts made less often",
            head="made, %",
            group="contracts",
        ),
        Measure(
            "passed_out",
            "hands passed out, %",
            ratio("passed_out", "hands"),
            ("passed_out", "hands"),
            0.01,
            "more hands passed out",
            "fewer hands passed out",
            head="passed, %",
            group="contracts",
        ),
        Measure(
            "level",
            "mean level of contracts",
            ratio("level", "contracts"),
            None,
            0.1,
            "higher contracts",
            "lower contracts",
            head="level",
            group="contracts",
        ),
        Measure(
            "slams",
            "hands with a slam, %",
            ratio("slams", "played"),
            ("slams", "played"),
            0.005,
            "more slams",
            "fewer slams",
            head="slams, %",
            group="contracts",
        ),
        Measure(
            "points",
            "points of both sides, a hand",
            ratio("points", "played"),
            None,
            1.0,
            "more points a hand",
            "fewer points a hand",
            head="all",
            group="sources",
        ),
        Measure(
            "spread",
            "standard deviation of a hand's margin, points",
            lambda means: _deviation(means) / others,
            None,
            1.0,
            "wider swings in a hand",
            "narrower swings in a hand",
        ),
    ]
    for term in SCORE_TERMS:
        about, of = f"points {term.about}, a hand", ratio(term.name, "played")
        rows.append(Measure(term.name, about, of, head=term.short, group="sources"))
    rows.append(
        Measure(
            "dead",
            "captured cards in no meld, %",
            ratio("dead", "captured"),
            None,
            0.02,
            "more dead cards",
            "fewer dead cards",
            head="dead, %",
            group="sources",
        )
    )
    shares = [(f"level_{level}", f"contracts of level {level}, %") for level in _levels()]
    shares += [(f"in_{name}", f"contracts in {name}, %") for name in DENOMINATIONS]
    shares += [(f"declared_{name}", f"contracts by {_seat(name)}, %") for name in places]
    for name, about in shares:
        rate = name, "contracts"
        head, group = ("in NT, %", "contracts") if name == "in_NT" else ("", "")
        rows.append(Measure(name, about, ratio(*rate), rate, head=head, group=group))
    return rows


def _levels() -> range:
    return range(1, LEVELS + 1)


def _seat(place: str) -> str:
    return {"dealer": "the dealer", "across": "the dealer's partner"}.get(
        place, f"the seat to the dealer's {place}"
    )


def _deviation(means: Means) -> float:
    return math.sqrt(max(means["seat_square"] - means["seat_lead"] ** 2, 0.0))


def ladder_measures(k: int, met: Sequence[Pairing], legs: int, opponents: int) -> list[Measure]:
    """Measures of pairings of a ladder.

    Parameters
    ----------
    k : int
        Entrants.
    met : sequence of (int, int)
        Who meets in each pairing; its columns are ``0.margin`` and so on.
    legs : int
        Of a deal.
    opponents : int
        Of an entrant, each with a score of its own.
    """
    return [
        Measure(
            "luck",
            "share of a hand's outcome that the cards make, %",
            lambda means: _luck(means, len(met), legs),
            None,
            0.02,
            "more luck of the cards",
            "less luck of the cards",
            head="luck, %",
            group="skill",
        ),
        Measure(
            "skill",
            "spread of ratings on the ladder, points a hand",
            lambda means: _rating_spread(means, k, met, legs * opponents),
            None,
            0.5,
            "wider gaps between good and bad players",
            "narrower gaps between good and bad players",
            head="skill, points",
            group="skill",
        ),
        Measure(
            "skill_share",
            "the same in standard deviations of a hand, %",
            lambda means: _skill_share(means, k, met, legs, opponents),
            None,
            0.02,
            "more skill beside the luck of a hand",
            "less skill beside the luck of a hand",
            head="skill, % of sd",
            group="skill",
        ),
    ]


def _moments(means: Means, pairings: int, legs: int) -> tuple[float, float]:
    """Variance of a leg's margin and covariance of two legs', added up over the pairings."""
    variance = covariance = 0.0
    for place in range(pairings):
        mean = means[f"{place}.margin"] / legs
        squares = means[f"{place}.leg_squares"]
        variance += squares / legs - mean**2
        covariance += (means[f"{place}.square"] - squares) / (legs * (legs - 1)) - mean**2
    return variance, covariance


def _luck(means: Means, pairings: int, legs: int) -> float:
    """Share of the variance that turns round with the cards.

    Where the cards alone decide, the margins of a deal's k legs add up to nothing, and their
    covariance is - variance / (k - 1).
    """
    variance, covariance = _moments(means, pairings, legs)
    return -(legs - 1) * covariance / variance if variance > 0 else math.nan


def _rating_spread(means: Means, k: int, met: Sequence[Pairing], unit: int) -> float:
    margins = np.array([means[f"{place}.margin"] for place in range(len(met))]) / unit
    return float(np.std(least_squares(k, met, margins)))


def _skill_share(means: Means, k: int, met: Sequence[Pairing], legs: int, opponents: int) -> float:
    variance, _ = _moments(means, len(met), legs)
    deviation = math.sqrt(max(variance, 0.0) / len(met)) / opponents
    return _rating_spread(means, k, met, legs * opponents) / deviation if deviation else math.nan


MATCH_MEASURES = [
    Measure(
        "length",
        "hands of a match",
        ratio("hands", "matches"),
        None,
        0.5,
        "longer matches",
        "shorter matches",
        head="hands",
        group="matches",
    ),
    Measure(
        "drama",
        "how low the winner's chance had fallen below its share, %",
        ratio("drama", "decided"),
        None,
        0.01,
        "more drama",
        "less drama",
        head="drama, %",
        group="drama",
    ),
    Measure(
        "comebacks",
        "matches won by a side whose chance had been halved, %",
        ratio("comebacks", "decided"),
        ("comebacks", "decided"),
        0.02,
        "more comebacks",
        "fewer comebacks",
        head="comebacks, %",
        group="drama",
    ),
    Measure(
        "excitement",
        "changes of the chance to win, added up over a match",
        ratio("excitement", "matches"),
        None,
        0.1,
        "more excitement in a match",
        "less excitement in a match",
        head="excitement",
        group="drama",
    ),
    Measure(
        "leverage",
        "change of the chance to win in a hand, %",
        ratio("excitement", "hands"),
        None,
        0.01,
        "more at stake in a hand",
        "less at stake in a hand",
        head="a hand, %",
        group="drama",
    ),
    Measure(
        "hands_after",
        "hands played on once a side had 95 %, in a match",
        ratio("hands_after", "decided"),
        None,
        0.1,
        "longer endings after the match is decided",
        "shorter endings after the match is decided",
        head="after 95 %",
        group="drama",
    ),
    Measure(
        "lead_changes",
        "changes of the lead in a match",
        ratio("lead_changes", "matches"),
        None,
        0.1,
        "more changes of the lead",
        "fewer changes of the lead",
        head="lead changes",
        group="matches",
    ),
    Measure(
        "decided",
        "matches that somebody wins, %",
        ratio("decided", "matches"),
        ("decided", "matches"),
        0.005,
        "more matches that end with a winner",
        "fewer matches that end with a winner",
        head="decided, %",
        group="matches",
    ),
    Measure(
        "unfinished",
        "matches stopped at the limit of hands, %",
        ratio("unfinished", "matches"),
        ("unfinished", "matches"),
        0.005,
        "more unfinished matches",
        "fewer unfinished matches",
        head="unfinished, %",
        group="matches",
    ),
    Measure(
        "first_dealer",
        "won matches that the first dealer's side wins, %",
        ratio("first_dealer", "decided"),
        ("first_dealer", "decided"),
        0.01,
        "better for the first dealer",
        "worse for the first dealer",
    ),
]


def contest_measures(sides: int) -> list[Measure]:
    """Measures of matches of the last of the ladder against the first; a draw is shared."""
    return [
        Measure(
            "best_wins",
            "matches that the last of the ladder wins against the first, %",
            ratio("won", "met"),
            ("won", "met"),
            0.01,
            "the better player wins more matches",
            "the better player wins fewer matches",
            head="best wins, %",
            group="skill",
        ),
        Measure(
            "match_luck",
            "luck in a match: lost matches as a share of those that luck alone would lose, %",
            lambda means: sides / (sides - 1) * (1 - means["won"] / means["met"]),
        ),
    ]
