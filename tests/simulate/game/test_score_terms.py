"""The declared terms of a score are what the engine adds up: no more and no less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulate.compiled.kernels import code_address, kernel
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.forced import play_forced
from simulate.engine.loop_forced import FORCED
from simulate.engine.scratch import scorer_of
from simulate.game.score_terms import (
    HAND_COLUMNS,
    SCORE_TERMS,
    SIDE_COLUMNS,
    Side,
    score_of,
    side_of,
)
from simulate.game.scoring import SCORER_TYPES, never_less, score_plain
from simulate.rules import Rules, load_rules, make_rules, variant_names
from strategies.declare.spec import load_entrant
from tests.fixtures.rule_sets import any_rules

ENDS = ("decl", "def")
#: Some contracts fail, some are made; against passes, nearly all tricks may be one side's.
SPECS = ["tips/greedy", "random/random", "tips/high", "random(pass_percent=60)/random"]


def hands(rules: Rules, deals: range, seed: int = 7, scorer: int = 0) -> Any:
    """Rows of hands, as a run's table has them."""
    entrants = [load_entrant(spec) for spec in SPECS[: rules.players]]
    engine = Engine(rules, entrants, seed, rules.players)
    if scorer:
        engine.table.scorer["scorer"] = scorer
    buffer = make_buffer(rules.players * len(deals))
    engine.play(buffer, deals.start, len(deals))
    names = [*HAND_COLUMNS, *(f"{n}_{end}" for n in (*SIDE_COLUMNS, "score") for end in ENDS)]
    return {name: buffer.rows[name].astype(np.int64) for name in names}


def undeclared(rows: Any, rules: Rules) -> int:
    """Hands and sides whose score is not the sum of the declared terms."""
    numbers = rules.numbers()[0]
    return sum(
        int((score_of(side_of(rows, end), numbers) != rows[f"score_{end}"]).sum()) for end in ENDS
    )


@pytest.mark.parametrize("variant", variant_names())
def test_terms_add_up_to_the_score_in_every_preset(variant: str) -> None:
    rules = load_rules(variant)
    rows = hands(rules, range(60))
    assert (rows["score_decl"] != 0).sum() > 50
    assert undeclared(rows, rules) == 0


@settings(max_examples=150)
@given(rules=any_rules(), first=st.integers(0, 2**40), seed=st.integers(0, 2**64 - 1))
def test_terms_add_up_to_the_score_under_any_rules(rules: Rules, first: int, seed: int) -> None:
    assert undeclared(hands(rules, range(first, first + 4), seed), rules) == 0


@settings(max_examples=60)
@given(drawn=any_rules(), first=st.integers(0, 2**40))
def test_terms_add_up_at_every_level_of_forced_runs(drawn: Rules, first: int) -> None:
    """Rows hold one layout: the best, which stands where it has the level, or none has."""
    off = {"hard_bid": "off", "hard_bid_melds": True, "fail_value": "level"}
    rules = make_rules(drawn.model_dump() | off)
    engine = Engine(rules, [load_entrant("pass/random")] * rules.players, 7, 1)
    rows = np.zeros(rules.players * len(rules.denominations), FORCED)
    play_forced(engine, rows, first, 1)
    names = [f"{name}_{end}" for name in SIDE_COLUMNS for end in ENDS]
    columns = {name: rows[name].astype(np.int64) for name in ("declarer", *names)}
    for k in range(rules.max_level):
        made = rows["made"][:, k]
        told = columns | {"level": np.full(len(rows), k + 1), "made": made, "target": made * 0 - 1}
        score = score_of(side_of(told, "decl"), rules.numbers()[0])
        known = (made == 0) | (k < rows["melds_decl"])
        assert (score == rows["scores"][:, k])[known].all(), k + 1


@kernel
def planted(side: Any, melds: Any, rules: Any) -> int:
    """Score as ever, and give three points for eight tricks, of which nothing is declared."""
    return score_plain(side, melds, rules) + np.int64(3 if side.tricks >= 8 else 0)


def test_a_term_that_is_not_declared_is_seen() -> None:
    rules = make_rules({})
    assert undeclared(hands(rules, range(60), scorer=scorer_of(rules.numbers())), rules) == 0
    rows = hands(rules, range(60), scorer=code_address(planted, SCORER_TYPES))
    many = sum(int((rows[f"tricks_{end}"] >= 8).sum()) for end in ENDS)
    assert undeclared(rows, rules) == many > 20


@pytest.mark.parametrize("term", SCORE_TERMS, ids=lambda term: term.name)
def test_no_term_is_idle(term: Any) -> None:
    rules = make_rules({"dead_card_penalty": 1, "trump_run_multiplier": 3})
    rows = hands(rules, range(600))
    points = [term.of(side_of(rows, end), rules.numbers()[0]) for end in ENDS]
    assert any((values > 0).any() for values in points)
    assert all((values >= 0).all() for values in points)


def test_names_of_terms_are_unique() -> None:
    assert len({term.name for term in SCORE_TERMS}) == len(SCORE_TERMS)
    assert len({term.short for term in SCORE_TERMS}) == len(SCORE_TERMS)
    assert {term.sign for term in SCORE_TERMS} == {1, -1}


@given(any_rules())
def test_endings_are_bounded_where_every_term_is_monotone(rules: Rules) -> None:
    numbers = rules.numbers()
    assert bool(never_less(numbers[0])) == all(term.monotone(numbers[0]) for term in SCORE_TERMS)


def test_terms_by_hand() -> None:
    kept = {"failed_contract_scores": True, "dead_card_penalty": 2, "fail_multiplier": 7}
    side = Side(tricks=13, meld_points=20, dead=4, swept=1, failed=1, level=3, target=50)

    def points(**fields: Any) -> list[int]:
        numbers = make_rules(fields).numbers()[0]
        return [int(term.sign * term.of(side, numbers)) for term in SCORE_TERMS]

    assert points() == [0, 0, 25, 0, -30]
    assert points(**kept) == [13, 20, 25, -8, -21]
    assert points(hard_bid="exact", fail_value="target") == [0, 0, 25, 0, -500]
    assert points(hard_bid="exact") == [0, 0, 25, 0, -30]
