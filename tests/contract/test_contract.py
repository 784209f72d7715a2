"""What every registered strategy must keep: legal, repeatable, and blind to what is hidden.

The list reads the registry, so a new strategy is held to it without a line here.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import types

from simulate.cards import DECK
from simulate.compiled.kernels import address_of, call_strategy, kernel
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.entrant import Entrant
from simulate.errors import IllegalPlay, StrategyError
from simulate.game.records import BIDDING, OWN_STOP, STREAM_STOP, VIEW, VIEW_TYPE
from simulate.rules import Rules
from strategies.declare.registry import (
    AnyParameter,
    Parameter,
    PlayerParameter,
    Strategy,
    TableParameter,
    all_strategies,
    find,
)
from strategies.declare.spec import kernel_values, load_entrant
from strategies.knowledge.estimates import table_names
from tests.fixtures.positions import (
    RULES,
    duplicate,
    positions,
    stopping,
)
from tests.fixtures.scripts import asking

PLUGINS = Path(__file__).parent / "plugins"
GOOD = f"{PLUGINS / 'good.py'}"
TAMPER = f"{PLUGINS / 'tamper.py'}"

STRATEGIES = all_strategies()
NAMES = [f"{strategy.kind}-{strategy.name}" for strategy in STRATEGIES]


each = pytest.mark.parametrize("strategy", STRATEGIES, ids=NAMES)
each_honest = pytest.mark.parametrize(
    "strategy",
    [strategy for strategy in STRATEGIES if not strategy.cheats],
    ids=[name for name, strategy in zip(NAMES, STRATEGIES, strict=True) if not strategy.cheats],
)

#: Values of parameters for strategies that think long, which a test need not wait for.
QUICK = {"worlds": 2.0}


def thinks(strategy: Strategy) -> bool:
    """Tell whether a strategy plays hands on in thought."""
    return any(isinstance(parameter, PlayerParameter) for parameter in strategy.parameters)


def some(strategy: Strategy, deals: int) -> range:
    """Deals for a test: fewer for a strategy that thinks long, or solves each of its endings."""
    return range(deals // (30 if thinks(strategy) else 5 if strategy.cheats else 1))


def values_of(parameter: AnyParameter) -> tuple[float | str, float | str]:
    """Least and greatest value that a test need try."""
    if isinstance(parameter, PlayerParameter):
        return "random", "greedy"
    if isinstance(parameter, TableParameter):
        return table_names()[0], table_names()[-1]
    return parameter.low, QUICK.get(parameter.name, parameter.high)


def spec_of(strategy: Strategy, **given: float | str) -> str:
    """Entrant of the strategy, beside a partner of the other kind that keeps hands varied."""
    values = {p.name: QUICK[p.name] for p in strategy.parameters if p.name in QUICK} | given
    params = "(" + ",".join(f"{name}={value}" for name, value in values.items()) + ")"
    if strategy.kind == "bidder":
        return f"{strategy.name}{params}/random"
    return f"random(pass_percent=40)/{strategy.name}{params}"


def rows(
    rules: Rules, entrants: list[Entrant], deals: range, seed: int = 3, legs: int = 1
) -> np.ndarray:
    engine = Engine(rules, entrants, seed, legs)
    buffer = make_buffer(legs * len(deals))
    engine.play(buffer, deals.start, len(deals))
    return buffer.rows


@each
def test_it_says_what_it_is(strategy: Strategy) -> None:
    assert strategy.looks_at
    assert strategy.source
    assert strategy.about.endswith(".")
    assert strategy.kernel.py_func.__doc__
    assert strategy.path.is_file()
    for parameter in strategy.parameters:
        assert parameter.about
        if isinstance(parameter, Parameter):
            assert parameter.low <= parameter.default <= parameter.high
        elif isinstance(parameter, PlayerParameter):
            assert not thinks(find("player", parameter.default))
        else:
            assert parameter.default in table_names()


@each
@pytest.mark.parametrize("name", RULES)
def test_it_answers_legally_and_repeatably(strategy: Strategy, name: str) -> None:
    rules = RULES[name]
    entrants = [load_entrant(spec_of(strategy))] * rules.players
    deals = some(strategy, 600)
    first = rows(rules, entrants, deals)
    assert (first["declarer"] >= 0).any() or strategy.name == "pass"
    again = rows(rules, entrants, range(len(deals) // 3))
    assert first[: len(again)].tobytes() == again.tobytes()
    alone = Engine(rules, entrants, 3)
    buffer = make_buffer(1)
    for deal_id in (deals[-1], 7, len(deals) // 2):
        alone.play(buffer, deal_id, 1)
        assert buffer.rows.tobytes() == first[deal_id : deal_id + 1].tobytes()


@each
def test_it_plays_legally_at_both_ends_of_its_parameters(strategy: Strategy) -> None:
    for parameter in strategy.parameters:
        for value in values_of(parameter):
            spec = spec_of(strategy, **{parameter.name: value})
            rows(RULES["classic"], [load_entrant(spec)] * 4, some(strategy, 150))
    for end in (0, 1):
        values = {p.name: values_of(p)[end] for p in strategy.parameters}
        for rules in (RULES["classic"], RULES["three"]):
            entrants = [load_entrant(spec_of(strategy, **values))] * rules.players
            rows(rules, entrants, some(strategy, 150))


@kernel
def ask(address: int, view: Any, work: int) -> int:
    """Call a strategy as the engine does; `view` is modified in place."""
    return call_strategy(address, view, work)


def set_params(view: np.ndarray, strategy: Strategy) -> None:
    view["params"] = 0
    values = [QUICK.get(p.name, p.default) for p in strategy.parameters]
    view["params"][0, : len(values)] = kernel_values(strategy, values)
    view["memo"] = 0


def lending(strategy: Strategy, rules: Rules) -> Engine:
    """Engine whose scratch a strategy may be asked with; it owns that memory."""
    return Engine(rules, [replace(stopping(), cheats=strategy.cheats)] * rules.players, 8)


def changed_bytes(view: np.ndarray, before: np.ndarray) -> int:
    """Count the changed bytes of a view that are none of a strategy's business."""
    stated = VIEW.fields["stated"][1]
    foreign = np.ones(VIEW.itemsize, bool)
    foreign[VIEW.fields["memo"][1] : OWN_STOP] = False
    foreign[OWN_STOP:STREAM_STOP] = False
    foreign[stated : stated + 4] = False
    return int((view.view(np.uint8) != before.view(np.uint8))[foreign].sum())


@each
@pytest.mark.parametrize("name", ["classic", "open", "three"])
def test_it_leaves_its_view_alone(strategy: Strategy, name: str) -> None:
    rules = RULES[name]
    address = address_of(strategy.kernel, (VIEW_TYPE, types.int64))
    engine = lending(strategy, rules)
    work = int(engine.table.seats["works"][0, 0])
    for view, state in positions(strategy.kind, rules, 15 if thinks(strategy) else 150):
        engine.table.state[:] = state
        set_params(view, strategy)
        before = duplicate(view)
        answer = ask(address, view[0], work)
        assert int(view["legal"][0]) >> answer & 1
        assert changed_bytes(view, before) == 0
        again = duplicate(before)
        assert ask(address, again[0], work) == answer


def test_what_overwrites_its_view_is_found_out() -> None:
    address = load_entrant(f"{TAMPER}:tamper").play
    engine = Engine(RULES["classic"], [stopping()] * 4, 8)
    work = int(engine.table.seats["works"][0, 0])
    for view, _ in positions("player", RULES["classic"], 3):
        before = duplicate(view)
        ask(address, view[0], work)
        assert changed_bytes(view, before) > 100


@each
def test_scratch_carries_nothing_over(strategy: Strategy) -> None:
    """The answer is that of a seat whose scratch was never used."""
    rules = RULES["classic"]
    address = address_of(strategy.kernel, (VIEW_TYPE, types.int64))
    used = lending(strategy, rules)
    for view, state in positions(strategy.kind, rules, 20):
        set_params(view, strategy)
        fresh = lending(strategy, rules)
        used.table.state[:] = fresh.table.state[:] = state
        first = ask(address, duplicate(view)[0], int(fresh.table.seats["works"][0, 0]))
        assert ask(address, duplicate(view)[0], int(used.table.seats["works"][0, 0])) == first


def redeal(view: Any, state: Any, draw: np.random.Generator) -> list[int]:
    """Whole hands that the seat of `view` could as well be playing against."""
    seat = int(view["seat"])
    count = 4 * int(view["n_tricks"]) + int(view["trick_size"])
    played = sum(1 << int(card) for card in view["plays"][:count])
    hands = [int(hand) & played for hand in state["dealt"]]
    hands[seat] = int(state["dealt"][seat])
    hidden = [card for card in DECK if not (played | hands[seat]) >> card & 1]
    draw.shuffle(hidden)
    for other in range(4):
        while hands[other].bit_count() < 13:
            hands[other] |= 1 << hidden.pop()
    return hands


def answer_in(rules: Rules, own: Entrant, view: Any, state: Any, hands: list[int]) -> int:
    """Say what `own` answers where `hands` were dealt and all before `view` is as it was."""
    engine = Engine(rules, [own] * 4, 8, fixed=dict(enumerate(hands)))
    calls = int(view["n_calls"])
    plays = 4 * int(view["n_tricks"]) + int(view["trick_size"])
    table = engine.table.state
    table["calls"][0], table["plays"][0] = view["calls"], view["plays"]
    table["forced_calls"], table["forced_plays"] = calls, plays
    engine.play_one(int(state["deal_id"]), 0)
    if state["phase"] == BIDDING:
        assert table["callers"][0, calls] == view["seat"]
        return int(table["calls"][0, calls])
    return int(table["plays"][0, plays])


@each_honest
def test_hidden_cards_make_no_difference(strategy: Strategy) -> None:
    """Deal the hidden cards anew and come to the same decision: the answer is the same."""
    rules = RULES["played-out"]
    own = load_entrant(spec_of(strategy))
    draw = np.random.default_rng(1)
    compared = 0
    for views, states in positions(strategy.kind, rules, 60):
        view, state = views[0], states[0]
        answer = answer_in(rules, own, view, state, [int(hand) for hand in state["dealt"]])
        for _ in range(4):
            # Suits that were shown out of may not come back, or the cards before are no history.
            with contextlib.suppress(IllegalPlay):
                hands = redeal(view, state, draw)
                assert answer_in(rules, own, view, state, hands) == answer
                compared += 1
    assert compared > 60


def test_what_cheats_is_found_out() -> None:
    """The same test tells a player that is shown the hidden cards."""
    rules = RULES["played-out"]
    own = load_entrant("random(pass_percent=40)/oracle")
    draw = np.random.default_rng(1)
    differs = 0
    for views, states in positions("player", rules, 20):
        view, state = views[0], states[0]
        answer = answer_in(rules, own, view, state, [int(hand) for hand in state["dealt"]])
        for _ in range(4):
            with contextlib.suppress(IllegalPlay):
                hands = redeal(view, state, draw)
                differs += answer_in(rules, own, view, state, hands) != answer
    assert differs > 5


def test_the_truth_is_lent_to_none_but_those_that_cheat() -> None:
    strategy = find("player", "oracle")
    assert [s.name for s in STRATEGIES if s.cheats] == ["oracle"]
    engine = Engine(RULES["classic"], [stopping()] * 4, 8)
    views = [view for view, _ in positions("player", RULES["classic"], 20)]
    view = next(view for view in views if int(view["legal"][0]).bit_count() > 1)
    set_params(view, strategy)
    address = address_of(strategy.kernel, (VIEW_TYPE, types.int64))
    with pytest.raises(ValueError, match="the truth is lent to none"):
        ask(address, view[0], int(engine.table.seats["works"][0, 0]))


def test_a_view_shows_nothing_hidden() -> None:
    """The bytes of a view are the same whatever the others hold."""
    rules = RULES["classic"]
    draw = np.random.default_rng(2)
    compared = 0
    for kind in ("bidder", "player"):
        for views, states in positions(kind, rules, 60):
            view, state = views[0], states[0]
            calls = int(view["n_calls"])
            plays = 4 * int(view["n_tricks"]) + int(view["trick_size"])
            seen = set()
            for trial in range(4):
                hands = redeal(view, state, draw) if trial else map(int, state["dealt"])
                engine = Engine(rules, [asking()] * 4, 8, fixed=dict(enumerate(hands)))
                table = engine.table.state
                table["calls"][0], table["plays"][0] = view["calls"], view["plays"]
                table["forced_calls"], table["forced_plays"] = calls, plays
                with contextlib.suppress(IllegalPlay):
                    engine.play_one(int(state["deal_id"]), 0)
                if table["answer"][0] == -1:  # it came to the decision
                    assert table["acting"][0] == view["seat"]
                    seen.add(engine.table.seats["views"][0, int(view["seat"])].tobytes())
                    compared += 1
            assert len(seen) == 1
    assert compared > 240


# --------------------------------------------------------------- users' files, good and bad ones


def test_plugins_keep_the_contract() -> None:
    for name, rules in RULES.items():
        for spec in (f"{GOOD}:first", f"{GOOD}:first/{GOOD}:counts", f"tips/{GOOD}:draws"):
            played = rows(rules, [load_entrant(spec)] * rules.players, range(200))
            assert (
                played.tobytes()
                == rows(rules, [load_entrant(spec)] * rules.players, range(200)).tobytes()
            ), name


def test_what_a_bidder_states_is_written_down() -> None:
    played = rows(
        RULES["classic"], [load_entrant(f"{GOOD}:first(stated=123)/random")] * 4, range(50)
    )
    assert (played["stated"] == 123).all()
    unstated = rows(RULES["classic"], [load_entrant("tips/random")] * 4, range(50))
    assert (unstated["stated"] == -1).all()


def test_a_memo_starts_empty_in_every_hand() -> None:
    entrants = [load_entrant(f"random/{GOOD}:counts")] * 4
    together = rows(RULES["classic"], entrants, range(40))
    engine = Engine(RULES["classic"], entrants, 3)
    buffer = make_buffer(1)
    for deal_id in range(39, -1, -1):
        engine.play(buffer, deal_id, 1)
        assert buffer.rows.tobytes() == together[deal_id : deal_id + 1].tobytes()


@pytest.mark.parametrize("name", ["classic", "played-out", "open", "three"])
def test_overwriting_a_view_changes_nothing_for_others(name: str) -> None:
    rules = RULES[name]
    others = [load_entrant("random(pass_percent=30)/greedy")] * (rules.players - 1)
    tampered = rows(rules, [load_entrant(f"{TAMPER}:tamper"), *others], range(300), legs=2)
    honest = rows(rules, [load_entrant(f"{TAMPER}:honest"), *others], range(300), legs=2)
    assert tampered.tobytes() == honest.tobytes()
    assert (honest["declarer"] >= 0).any()


@pytest.mark.parametrize(
    "spec", ["tips/greedy", f"{TAMPER}:tamper", f"{GOOD}:first/{GOOD}:counts", "random/random"]
)
def test_rows_do_not_depend_on_chunking(spec: str) -> None:
    rules = RULES["played-out"]
    entrants = [load_entrant(spec), load_entrant("random/high")] * 2
    whole = rows(rules, entrants, range(100), legs=2)
    pieces = b""
    engine = Engine(rules, entrants, 3, 2)
    first = 0
    for size in (1, 2, 3, 34, 60):
        buffer = make_buffer(2 * size)
        engine.play(buffer, first, size)
        pieces += buffer.rows.tobytes()
        first += size
    assert pieces == whole.tobytes()
    backwards = [rows(rules, entrants, range(i, i + 10), legs=2) for i in range(90, -1, -10)]
    assert b"".join(piece.tobytes() for piece in backwards[::-1]) == whole.tobytes()


def test_a_strategys_draws_change_no_deal_and_no_other() -> None:
    rules = RULES["classic"]
    opponents = load_entrant("random/random")
    first, draws = load_entrant(f"pass/{GOOD}:first"), load_entrant(f"pass/{GOOD}:draws")
    plain = rows(rules, [first, opponents] * 2, range(200))
    drawn = rows(rules, [draws, opponents] * 2, range(200))
    assert plain.tobytes() == drawn.tobytes()


def test_a_failure_leaves_the_engine_usable() -> None:
    bad = load_entrant(f"random/{PLUGINS / 'bad.py'}:raises")
    engine = Engine(RULES["classic"], [bad] * 4, 3)
    with pytest.raises(StrategyError):
        engine.play(make_buffer(50), 0, 50)
    deal_id = int(engine.table.state["deal_id"][0])
    with pytest.raises(StrategyError, match=f"deal {deal_id},"):
        engine.play_one(deal_id, 0)
