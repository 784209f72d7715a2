"""Strategies in plain Python: the same rows as compiled, and errors that reach the caller."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from simulate.compiled.bits import highest, lowest, popcount
from simulate.compiled.callbacks import PlainRecord
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.entrant import Entrant
from simulate.errors import IllegalPlay, StrategyError
from simulate.game.records import VIEW
from simulate.rules import CLASSIC, Rules, load_rules
from strategies.declare.spec import load_entrant

#: The same text twice: compiled and plain must come to the same rows.
STRATEGIES = '''
import numpy as np

from simulate.compiled.bits import bit, has, highest, lowest, nth_bit, popcount, suit_cards
from simulate.compiled.philox import below
from simulate.engine.scratch import layout_of
from strategies.knowledge.judgement import trick_so_far
from strategies.declare.registry import Parameter, bidder, player


def announce(view, work):
    """Announce what the cards in hand tell."""
    view.memo[1] += 1
    return 10 * popcount(view.hand) + 3 * view.level + view.memo[0] + view.memo[1]


@bidder("both", looks_at="all", source="the tests", announce=announce, PYTHON)
def bid(view, work):
    """Bid by chance, and state one."""
    view.memo[0] += 1
    view.stated = 30 * view.level + 16 * view.seat + view.memo[0]
    if below(view.stream, 3) or view.legal < 4:
        return 0
    return nth_bit(view.legal, below(view.stream, popcount(view.legal)))


def discard(view, work):
    """Lay down the highest card."""
    return highest(view.legal)


@player("both", looks_at="all", source="the tests", discard=discard, PYTHON,
        parameters=[Parameter("low", 1, 0, 2, "so often the lowest card")])
def play(view, work):
    """Play by all that can be read."""
    view.memo[view.n_tricks % 16] += view.trick_size
    if view.trick_size:
        led, best, winner = trick_so_far(view)
        if 100 * view.trick[0] + led + best + winner + 50 * view.rules.trick_points < 1500:
            return lowest(view.legal)
    points, melds, dead = layout_of(work, view.own_pile | view.hand, view.denomination, 0)
    if (points + view.voids[1] + view.sides[2] + view.leaders[0]) % 3 < view.params[0]:
        return lowest(view.legal)
    if has(view.legal, 40) and suit_cards(view.hand, 2) == view.hand & ~np.uint64(bit(3)):
        return 40
    return highest(view.legal)
'''


def write(folder: Path, name: str, text: str, *, plain: bool) -> str:
    (folder / f"{name}.py").write_text(text.replace("PYTHON", f"python={plain}"))
    return str(folder / f"{name}.py")


def play(rules: Rules, entrant: Entrant, deals: int) -> bytes:
    engine = Engine(rules, [entrant] * rules.players, 11)
    buffer = make_buffer(deals, calls=True, plays=True)
    engine.play(buffer, 0, deals)
    return b"".join(table.tobytes() for table in buffer)


@pytest.mark.parametrize("variant", ["classic", "three-player", "hard-bid+last-three-open"])
def test_plain_and_compiled_come_to_the_same_rows(tmp_path: Path, variant: str) -> None:
    fast = load_entrant(write(tmp_path, "fast", STRATEGIES, plain=False) + ":both")
    slow = load_entrant(write(tmp_path, "slow", STRATEGIES, plain=True) + ":both")
    assert (fast.plain, slow.plain) == ((), ("bidder both", "player both"))
    rules = load_rules(variant)
    assert play(rules, slow, 40) == play(rules, fast, 40)


def test_plain_functions_of_bits_are_the_compiled_ones() -> None:
    for number in (0, 1, 6, 0x7FFC, 1 << 62, 2**64 - 1):
        mask = np.uint64(number)
        text = f"{number:b}"
        assert popcount(mask) == text.count("1")
        assert highest(mask) == (len(text) - 1 if number else -1)
        assert lowest(mask) == (len(text) - 1 - text.rindex("1") if number else 64)


def test_no_field_of_a_view_is_hidden_by_numpy() -> None:
    view = np.zeros(1, np.dtype((PlainRecord, VIEW)))[0]
    for name, (kind, *_) in (VIEW.fields or {}).items():
        value = getattr(view, name)
        if kind.names:
            assert isinstance(value, PlainRecord)
        elif kind.shape:
            assert value.dtype.itemsize == 8
        else:
            assert isinstance(value, np.uint64 if kind == np.uint64 else int)
    with pytest.raises(ValueError, match="read-only"):
        view.trick[0] = 1
    view.memo[3] = 7
    view.rules.slam_bonus = 9
    assert (view["memo"][3], view["rules"]["slam_bonus"]) == (7, 9)
    with pytest.raises(AttributeError):
        _ = view.leagl


BAD = '''
from strategies.declare.registry import bidder, player

TOLD = {"looks_at": "all", "source": "the tests", "python": True}


@player("late", **TOLD)
def late(view, work):
    """Raise once."""
    if view.n_tricks == 9 and view.seat == 3:
        return {}["nothing"]
    return int(view.legal).bit_length() - 1


@player("none", **TOLD)
def none(view, work):
    """Forget the return."""


@player("float", **TOLD)
def whole(view, work):
    """Answer 3.0."""
    return 3.0


@player("truth", **TOLD)
def truth(view, work):
    """Answer a truth."""
    return view.legal > 1


@player("large", **TOLD)
def large(view, work):
    """Answer what fits nowhere."""
    return 2**70


@player("exits", **TOLD)
def exits(view, work):
    """Leave."""
    raise SystemExit(3)


@player("stops", **TOLD)
def stops(view, work):
    """Be interrupted."""
    raise KeyboardInterrupt


@player("illegal", **TOLD)
def illegal(view, work):
    """Answer no card."""
    return -1


@player("arity", **TOLD)
def arity(view):
    """Take too little."""
    return 2


@player("draws", **TOLD)
def draws(view, work):
    """Draw from elsewhere."""
    import random
    return DICE.randint(0, 3)


import random
DICE = random.Random(3)
'''


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("late", "(seat W) raised KeyError: 'nothing' ({}, line 11) in deal 0, leg 0, seed 11"),
        ("none", "gave no answer: end every path with `return` and an int in deal 0"),
        ("float", "answered 3.0, where an int is expected in deal 0"),
        ("truth", "where an int is expected in deal 0"),
        ("large", "answered 1180591620717411303424, which is no card and no call in deal 0"),
        ("exits", "raised SystemExit: 3 ({}, line 41) in deal 0"),
        ("illegal", "answered -1, which is no legal card in deal 0"),
        ("arity", "arity takes (view), and must take (view, work)"),
        ("draws", "draws from DICE, which no seed repeats"),
    ],
)
def test_what_goes_wrong_reaches_the_caller(tmp_path: Path, name: str, told: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    rules = load_rules("classic", {"all_pass": "play-out"})
    with pytest.raises(StrategyError, match=r"^[^\n]+$") as error:
        play(rules, load_entrant(f"pass/{path}:{name}"), 3)
    assert told.format(path) in str(error.value)
    assert (type(error.value) is IllegalPlay) == (name == "illegal")
    if name == "late":
        assert isinstance(error.value.__cause__, KeyError)
    assert play(CLASSIC, load_entrant("random/random"), 3)  # nothing is left over


def test_ctrl_c_within_a_strategy_is_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    entrant = load_entrant(f"random/{tmp_path / 'bad.py'}:stops")
    with pytest.raises(KeyboardInterrupt):
        play(CLASSIC, entrant, 3)


def test_threads_have_their_own_errors(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    rules = load_rules("classic", {"all_pass": "play-out"})
    entrants = [load_entrant(f"pass/{tmp_path / 'bad.py'}:{name}") for name in ("late", "none")]
    told: dict[int, str] = {}

    def work(number: int) -> None:
        try:
            play(rules, entrants[number % 2], 20)
        except StrategyError as error:
            told[number] = str(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {("late" in told[n], "KeyError" in told[n]) for n in range(0, 8, 2)} == {(True, True)}
    assert {("gave no answer" in told[n]) for n in range(1, 8, 2)} == {True}
