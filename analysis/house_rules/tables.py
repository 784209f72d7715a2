"""House rules side by side as tables: for a person to read, and for a program to calculate with."""

from __future__ import annotations

import math
from itertools import chain
from pathlib import Path
from typing import Any

from analysis.house_rules.result import HouseRules, Measured, RuleSet
from analysis.house_rules.words import changes, fairness, reading
from analysis.show.flat import write_both
from analysis.show.text import Table, count
from analysis.stats.intervals import Interval
from analysis.stats.measures import Measure, equivalence_p
from simulate.game.score_terms import SCORE_TERMS


def house_tables(house: HouseRules) -> list[Table]:
    """Tables for a person; readings are :func:`analysis.house_rules.words.reading`'s."""
    by = f"{house.reference} at all seats, {count(house.deals, 'deal')}"
    matches = f"{house.reference} at all seats, {count(house.matches, 'match', 'matches')}"
    return [
        _summary(house, f"Who is favoured, points a hand or contract; {by}"),
        _table(house, f"Contracts; {by}", "contracts"),
        _sources(house),
        _matches(house, f"Matches; {matches}"),
        _table(house, f"Drama, by the chance to win; {matches}", "drama"),
        _table(
            house,
            f"Luck and skill; {len(house.entrants)} entrants, "
            f"{count(house.deals, 'paired deal')} each pairing",
            "skill",
        ),
    ]


def _grouped(house: HouseRules, group: str) -> list[Measure]:
    """List the measures of a table, in the order in which they are declared."""
    measures = {row.measure.name: row.measure for row in house.base.results}
    return [each for each in measures.values() if each.group == group]


def _table(house: HouseRules, title: str, group: str) -> Table:
    measures = _grouped(house, group)
    rows = [[of.name, *(_cell(of.of(each.name)) for each in measures)] for of in house.sets]
    return Table(title, ["rules", *(each.head for each in measures)], rows)


def _cell(result: Measured) -> str:
    """Value with half its interval, and a star where it differs from the base for sure."""
    value, interval = result.estimate.value, result.estimate.interval
    if math.isnan(value) or interval is None:
        return "-"
    scale = result.measure.scale
    half = scale * (interval.high - interval.low) / 2
    digits, star = _digits(half), "*" if result.real else ""
    return f"{scale * value:.{digits}f} ±{half:.{digits}f}{star}"


def _digits(half: float) -> int:
    return 1 if half >= 0.095 or half == 0 else 2 if half >= 0.0095 else 3


def _summary(house: HouseRules, title: str) -> Table:
    measures = _grouped(house, "favoured")
    rows = []
    for of in house.sets:
        cells = [(_cell(of.of(each.name)), _verdict(house, of, each.name)) for each in measures]
        rows.append([of.name, *chain(*cells)])
    heads = chain(*((each.head, "is it") for each in measures))
    return Table(title, ["rules", *heads], rows)


def _matches(house: HouseRules, title: str) -> Table:
    table = _table(house, title, "matches")
    table.columns.insert(2, "50 and 90 %")
    for of, row in zip(house.sets, table.rows, strict=True):
        row.insert(2, f"{of.matches.hands_reached(0.5)} and {of.matches.hands_reached(0.9)}")
    return table


def _verdict(house: HouseRules, of: RuleSet, measure: str) -> str:
    verdict = house.verdict(of, measure)
    if measure != "declarers":
        return verdict
    ahead = of.of(measure).estimate.value > 0
    words = {"fair": "level", "unfair": "ahead" if ahead else "behind"}
    return words.get(verdict, verdict)


def _sources(house: HouseRules) -> Table:
    """Tell where points come from: terms of the score, those of melds by their kinds.

    A source that gave nothing under any of the rules takes no column.
    """
    measures = [
        each
        for each in _grouped(house, "sources")
        if any(of.of(each.name).estimate.value for of in house.sets)
    ]
    parts = {term.name: term.parts for term in SCORE_TERMS if term.parts}
    rows, heads = [], ["rules"]
    for each in measures:
        heads += parts.get(each.name, [each.head])
    for of in house.sets:
        row = [of.name]
        for each in measures:
            if each.name in parts:
                row += [_tenths(of.melds[kind].rate) for kind in parts[each.name]]
            else:
                row.append(_tenths(each.scale * of.of(each.name).estimate.value))
        rows.append(row)
    n = min(next(iter(of.melds.values())).trials for of in house.sets)
    title = f"Points of both sides in a hand by source (sets and runs from {count(n, 'hand')})"
    return Table(title, heads, rows)


def _tenths(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.1f}"


def house_notes(house: HouseRules) -> list[str]:
    """Tell what marks in the tables mean, and what stands alone."""
    notes = [
        "±  half of the 95 % interval: Wilson's or Jeffreys' of rates, Student's of the others",
        "*  differs from classic on the same deals, by as much as is worth a word, with 95 % "
        "confidence for all rule sets and measures together",
        f"fair: less than {house.within:g} points either way by two one-sided tests at 5 %; "
        f"unfair: the 95 % interval lies beyond; unsure: neither",
    ]
    alone = [of.name for of in house.sets if of.rules.players != house.base.rules.players]
    if alone:
        notes.append(
            f"{', '.join(alone)}: another number of players is dealt other cards, so no "
            "difference is told; N+S is N alone"
        )
    return notes


def as_dict(house: HouseRules) -> dict[str, Any]:
    """Facts as JSON takes them."""
    return {
        "entrants": house.entrants,
        "reference": house.reference,
        "deals": house.deals,
        "matches": house.matches,
        "seed": house.seed,
        "within": house.within,
        "rule_sets": [
            {
                "name": of.name,
                "rules_changed": of.rules.changes(),
                "reading": reading(house, of),
                "measures": [_facts(house, row) for row in of.results],
                "melds": {
                    kind: {
                        "points": sums.rate,
                        "interval": sums.mean_interval(),
                        "hands": sums.trials,
                    }
                    for kind, sums in of.melds.items()
                },
                "matches": of.matches.as_dict(),
                "winning": of.winning.as_dict(),
            }
            for of in house.sets
        ],
    }


def _facts(house: HouseRules, result: Measured) -> dict[str, Any]:
    estimate, difference = result.estimate, result.difference
    facts: dict[str, Any] = {
        "measure": result.measure.name,
        "about": result.measure.about,
        "entrant": result.entrant or None,
        "value": _finite(estimate.value),
        "interval": _ends(estimate.interval),
        "n": estimate.n,
        "method": estimate.method,
        "difference": difference and _finite(difference.value),
        "difference_interval": difference and _ends(difference.interval),
        "difference_method": difference and difference.method,
        "p_value": _finite(result.p_value),
    }
    if result.measure.fair:
        facts["equivalence_p"] = equivalence_p(estimate, house.within)
    return facts


def write_tables(house: HouseRules, folder: Path) -> list[Path]:
    """Write ``summary`` and ``measures``, each as parquet and as CSV.

    Returns
    -------
    list of Path
        The files written.
    """
    measures, summary = [], []
    for of in house.sets:
        row: dict[str, Any] = {"rules": of.name}
        for each in of.results:
            facts = _facts(house, each)
            measures.append({"rules": of.name} | facts)
            if each.entrant in ("", house.reference):
                row[each.measure.name] = facts["value"]
        for kind, sums in of.melds.items():
            row[f"points from {kind}"] = sums.rate
            measures.append(
                {"rules": of.name, "measure": kind.replace(" ", "_")}
                | {"about": f"points from {kind}, a hand of a sample"}
                | {"entrant": house.reference, "value": sums.rate}
                | {"interval": sums.mean_interval(), "n": sums.trials, "method": "student"}
            )
        row["hands_median"] = of.matches.hands_reached(0.5)
        row["hands_90_percent"] = of.matches.hands_reached(0.9)
        row |= {"fairness": fairness(house, of), "changes": changes(house, of)}
        summary.append(row)
    return write_both({"summary": summary, "measures": measures}, folder)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _ends(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_finite(end) for end in interval]
