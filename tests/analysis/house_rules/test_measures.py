"""Measures of house rules are whole: a heading, a table that is there, columns that exist."""

from __future__ import annotations

import pytest

from analysis.house_rules.columns import PAIRING_COLUMNS, column_names
from analysis.house_rules.measures import (
    GROUPS,
    MATCH_MEASURES,
    contest_measures,
    ladder_measures,
    table_measures,
)
from analysis.house_rules.winning import MATCH_COLUMNS
from analysis.stats.measures import Measure
from simulate.game.score_terms import SCORE_TERMS
from simulate.rules import CLASSIC, Rules, load_rules

THREE = load_rules("three-player")


def measures_of(rules: Rules) -> list[tuple[Measure, list[str]]]:
    """All measures, with the columns that each has."""
    met = [(0, 1), (0, 2), (1, 2)]
    paired = [f"{place}.{name}" for place in range(3) for name in PAIRING_COLUMNS]
    return [
        *((each, column_names(rules)) for each in table_measures(rules)),
        *((each, paired) for each in ladder_measures(3, met, rules.players, rules.sides - 1)),
        *((each, list(MATCH_COLUMNS)) for each in MATCH_MEASURES),
        *((each, ["met", "won"]) for each in contest_measures(rules.sides)),
    ]


@pytest.mark.parametrize("rules", [CLASSIC, THREE], ids=["four", "three"])
def test_every_measure_is_whole(rules: Rules) -> None:
    measures = measures_of(rules)
    for measure, columns in measures:
        measure.of(dict.fromkeys(columns, 1.0))  # reads no column that is not there
        assert set(measure.rate or ()) <= set(columns), measure.name
        assert bool(measure.head) == bool(measure.group), measure.name
        assert measure.group in ("", *GROUPS), measure.name
        assert bool(measure.worth) == bool(measure.more) == bool(measure.less), measure.name
    names = [measure.name for measure, _ in measures]
    assert len(set(names)) == len(names)
    for group in GROUPS:
        heads = [measure.head for measure, _ in measures if measure.group == group]
        assert heads
        assert len(set(heads)) == len(heads)


def test_every_term_of_the_score_has_a_measure() -> None:
    sources = {each.name for each in table_measures(CLASSIC) if each.group == "sources"}
    assert {term.name for term in SCORE_TERMS} < sources


def test_a_measure_without_its_column_is_seen() -> None:
    measure, columns = next(each for each in measures_of(CLASSIC) if each[0].name == "slams")
    with pytest.raises(KeyError, match="slams"):
        measure.of(dict.fromkeys(set(columns) - {"slams"}, 1.0))
