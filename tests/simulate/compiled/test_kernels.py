"""Compiled code: caching by content, and one clear line for each way to go wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulate.compiled import kernels
from simulate.engine.engine import Engine, make_buffer
from simulate.errors import IllegalPlay, StrategyError
from simulate.game import tricks
from simulate.rules import make_rules
from strategies.declare.spec import load_entrant

BAD = Path(__file__).parents[2] / "contract" / "plugins" / "bad.py"
PLAYED_OUT = make_rules({"all_pass": "play-out"})

PLUGIN = '''
import numpy as np
from strategies.declare.registry import player
from simulate.compiled.kernels import kernel
from helpers import pick

@player("x", looks_at="legal cards", source="the tests")
def play(view, work):
    """Play what the helper picks."""
    return pick(view.legal)
'''
LOWEST = '''
from simulate.compiled.bits import lowest
from simulate.compiled.kernels import kernel

@kernel
def pick(cards):
    """Pick the lowest card."""
    return lowest(cards)
'''
HIGHEST = LOWEST.replace("lowest", "highest")

#: Prints the first card of deal 0, and how many kernels of the plug-in were compiled anew.
FIRST_CARD = """
import sys
from simulate.engine.engine import Engine
from simulate.rules import make_rules
from strategies.declare.spec import load_entrant
entrant = load_entrant("pass/" + sys.argv[1] + ":x")
engine = Engine(make_rules({"all_pass": "play-out"}), [entrant] * 4, 7)
engine.play_one(0, 0)
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in entrant.kernels)
print(int(engine.table.state["plays"][0, 0]), misses)
"""


def first_card(plugin: Path) -> tuple[int, int]:
    """Card and cache misses, of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FIRST_CARD, str(plugin)],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    card, misses = done.stdout.split()
    return int(card), int(misses)


def first_card_here(plugin: Path) -> int:
    engine = Engine(PLAYED_OUT, [load_entrant(f"pass/{plugin}:x")] * 4, 7)
    engine.play_one(0, 0)
    return int(engine.table.state["plays"][0, 0])


@pytest.mark.parametrize("edited", ["helpers.py", "package"])
def test_an_edited_helper_is_compiled_anew(tmp_path: Path, edited: str) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text(PLUGIN)
    helper = tmp_path / "helpers.py"
    if edited == "package":  # helpers/__init__.py imports it relatively
        helper = tmp_path / "helpers" / "deep.py"
        helper.parent.mkdir()
        (tmp_path / "helpers" / "__init__.py").write_text("from .deep import pick\n")
    helper.write_text(LOWEST)
    unrelated = tmp_path / "unrelated.py"
    unrelated.write_text("answer = 42\n")
    low, misses = first_card(plugin)
    assert misses == 1
    if edited == "helpers.py":
        unrelated.write_text("answer = 43\n")
        assert first_card(plugin) == (low, 0)
    stamp = helper.stat()
    helper.write_text(HIGHEST)
    os.utime(helper, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # as a checkout may leave it
    high, misses = first_card(plugin)
    assert high > low
    assert misses == 1


def test_an_edited_plugin_is_compiled_anew(tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    text = PLUGIN.replace("from helpers", "from simulate.compiled.bits").replace("pick", "lowest")
    plugin.write_text(text)
    low, _ = first_card(plugin)
    assert first_card_here(plugin) == low
    plugin.write_text(text.replace("lowest", "highest"))
    high, misses = first_card(plugin)
    assert high > low
    assert misses == 1
    assert first_card_here(plugin) == high  # in a process that had loaded it too


def test_an_edited_helper_is_seen_in_the_same_process(tmp_path: Path) -> None:
    plugin = tmp_path / "mine.py"
    plugin.write_text(PLUGIN)
    (tmp_path / "helpers.py").write_text(LOWEST)
    low = first_card_here(plugin)
    (tmp_path / "helpers.py").write_text(HIGHEST)
    assert first_card_here(plugin) > low
    (tmp_path / "helpers.py").write_text(LOWEST)
    assert first_card_here(plugin) == low


def test_helpers_of_one_name_stay_apart(tmp_path: Path) -> None:
    cards = []
    for name, text in (("a", LOWEST), ("b", HIGHEST)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(PLUGIN)
        (tmp_path / name / "helpers.py").write_text(text)
        cards.append(first_card_here(tmp_path / name / "mine.py"))
    assert cards[0] < cards[1]
    assert "helpers" not in sys.modules
    assert load_entrant(f"pass/{tmp_path}/a/mine.py:x").source != (
        load_entrant(f"pass/{tmp_path}/b/mine.py:x").source
    )


def test_sources_of_shipped_kernels() -> None:
    files = {file.name for file in kernels.source_files(Path(tricks.__file__))}
    assert {"tricks.py", "kernels.py", "errors.py"} <= files
    assert "engine.py" not in files
    assert "rules.py" not in files


def test_an_unwritable_cache_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = "import simulate.compiled.bits as b, numpy as np; print(b.nth_bit(np.uint64(6), 1))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"SVITEN_CACHE": str(blocked / "cache")}, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert done.stdout == "2\n"
    (line,) = done.stderr.splitlines()
    assert str(blocked) in line
    assert "SVITEN_CACHE" in line


def line_of(name: str, text: str = "def ") -> int:
    """Line in bad.py, of a text at or after the declaration of a strategy."""
    lines = BAD.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f'("{name}"' in line)
    return next(i for i in range(start, len(lines)) if text in lines[i]) + 1


@pytest.mark.parametrize(
    ("name", "place", "told"),
    [
        ("float", "@player", "returns float64, where an int64 is expected: compute with whole"),
        ("unsigned", "@player", "returns uint64, where an int64 is expected: end every path with"),
        ("small", "@player", "returns int8, where an int64 is expected"),
        ("bool", "@player", "returns bool, where an int64 is expected"),
        ("text", "@player", "where an int64 is expected: answer the number of a card"),
        ("open-end", "@player", "may end without an answer: end every path with `return`"),
        ("no-answer", "@player", "may end without an answer"),
        ("one-argument", "@player", "takes (view), and must take (view, work)"),
        ("three-arguments", "@player", "takes (view, work, more), and must take (view, work)"),
        ("field", "leagl", "the view has no field 'leagl': did you mean legal?"),
        ("rules-field", "pionts", "no field 'trick_pionts': did you mean trick_points?"),
        ("unknown", "", "name 'nowhere' is not defined"),
        ("float-mask", "lowest(half)", "card sets and cards are whole numbers"),
        ("wide", "1 << 63", "write masks as np.uint64(...)"),
        ("with", "", "construct is not supported"),
        ("dict", "{}", "Cannot infer the type of variable 'known'"),
        ("numpy-random", "np.random", "draws from np.random, which no seed repeats: draw from"),
        ("numpy-function", "randint(3)", "below(view.stream, n)"),
        ("python-random", "dice.randint", "draws from dice"),
    ],
)
def test_what_does_not_compile_is_said_in_a_line(name: str, place: str, told: str) -> None:
    with pytest.raises(StrategyError, match=r"^[^\n]{1,700}$") as error:
        load_entrant(f"random/{BAD}:{name}")
    assert told in str(error.value)
    where = f"{BAD}, line {line_of(name, place)}: " if place else f"{BAD}, line "
    assert str(error.value).startswith(where)


def test_draws_of_a_helper_are_found() -> None:
    with pytest.raises(StrategyError, match=r"deep draws from np\.random") as error:
        load_entrant(f"random/{BAD}:deep-random")
    line = BAD.read_text().splitlines().index("    return np.random.randint(n)") + 1
    assert str(error.value).startswith(f"{BAD}, line {line}: ")


@pytest.mark.parametrize(
    ("spec", "kind", "told"),
    [
        ("random/{}:raises", StrategyError, "player raises of random/{}:raises (seat S) raised "
         "ValueError: no idea"),
        ("random/{}:asserts", StrategyError, "raised AssertionError: too late"),
        ("{}:raises/random", StrategyError, "bidder raises of {}:raises/random (seat S) raised "
         "RuntimeError: outbid"),
        ("{}:divides/random", StrategyError, "raised ZeroDivisionError"),
        ("random/{}:ninety-nine", IllegalPlay, "answered 99, which is no legal card"),
        ("random/{}:minus-seven", IllegalPlay, "answered -7, which is no legal card"),
        ("random/{}:not-held", IllegalPlay, "which is no legal card"),
        ("random/{}:revokes", IllegalPlay, "which is no legal card"),
        ("{}:ninety-nine/random", IllegalPlay, "answered 99, which is no legal call"),
        ("{}:minus-seven/random", IllegalPlay, "answered -7, which is no legal call"),
        ("{}:underbids/random", IllegalPlay, "(seat S) answered 1, which is no legal call"),
    ],
)  # fmt: skip
def test_what_fails_in_play_is_named(spec: str, kind: type[StrategyError], told: str) -> None:
    engine = Engine(PLAYED_OUT, [load_entrant(spec.format(BAD))] * 4, 2**40 + 3, 2)
    buffer = make_buffer(200)
    with pytest.raises(kind, match=r"^[^\n]+$") as error:
        engine.play(buffer, 4, 100)
    message = str(error.value)
    assert type(error.value) is kind
    assert told.format(BAD, BAD) in message
    state = engine.table.state[0]
    ending = f" in deal {state['deal_id']}, leg {state['leg']}, seed {2**40 + 3}"
    assert message.endswith(ending)
    # The named hand fails alone too: it can be replayed.
    again = Engine(PLAYED_OUT, [load_entrant(spec.format(BAD))] * 4, 2**40 + 3, 2)
    with pytest.raises(kind) as repeated:
        again.play_one(int(state["deal_id"]), int(state["leg"]))
    assert str(repeated.value) == message


def test_the_guilty_seat_is_blamed() -> None:
    good, bad = load_entrant("random/high"), load_entrant(f"random/{BAD}:ninety-nine")
    engine = Engine(PLAYED_OUT, [good, good, good, bad], 1, 2)
    with pytest.raises(IllegalPlay, match=r"player ninety-nine of .* \(seat [WN]\)"):
        engine.play(make_buffer(100), 0, 50)


def test_indices_are_checked_on_request() -> None:
    code = (
        "import sys, simulate.engine.scratch; from simulate.engine.engine import Engine\n"
        "from simulate.rules import CLASSIC; from strategies.declare.spec import load_entrant\n"
        # No hand comes to be scored then: the compiler need not make the scorer anew.
        "if sys.argv[2] == '1': simulate.engine.scratch.scorer_of = lambda rules: 0\n"
        "engine = Engine(CLASSIC, [load_entrant(sys.argv[1])] * 4, 7)\n"
        "try:\n    [engine.play_one(deal, 0) for deal in range(9)]\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    told = {}
    for switch in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code, f"random/{BAD}:index", switch],
            capture_output=True, text=True, check=True,
            env=os.environ | {"NUMBA_BOUNDSCHECK": switch}, cwd=Path(__file__).parents[3],
        )  # fmt: skip
        told[switch] = done.stdout
    assert told["0"] == ""
    assert told["1"].startswith("StrategyError player index of random/")
    assert "raised IndexError: index" in told["1"]
    assert "out of bounds" in told["1"]
    assert "deal 0" in told["1"]
