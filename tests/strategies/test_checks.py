"""The checks of a strategy find what is wrong, and let pass what is right."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from simulate.errors import StrategyError
from simulate.game.records import VIEW
from strategies.checks.child import find_subject
from strategies.checks.guard import check_strategy
from strategies.checks.verdict import CHECKS, Row, Verdict
from strategies.checks.watch import field_at
from strategies.declare.registry import Strategy, all_strategies
from tests.fixtures.checks import checked

PLUGINS = Path(__file__).parents[1] / "contract" / "plugins"
BAD, CHEATS = PLUGINS / "bad.py", PLUGINS / "cheats.py"


def spec_of(strategy: Strategy) -> str:
    """Spec of a strategy; one that searches does so in small."""
    small = "(worlds=2)" if "worlds" in [p.name for p in strategy.parameters] else ""
    return f"{strategy.name}{small}"


def registered() -> list[str]:
    """Entrants that every registered strategy is in; what cheats stands alone."""
    bidders = [spec_of(s) for s in all_strategies() if s.kind == "bidder"]
    players = [spec_of(s) for s in all_strategies() if s.kind == "player" and not s.cheats]
    pairs = itertools.zip_longest(bidders, players)
    cheats = [spec_of(s) for s in all_strategies() if s.cheats]
    return [f"{bidder or 'pass'}/{player or 'high'}" for bidder, player in pairs] + cheats


@pytest.mark.parametrize("spec", registered())
def test_registered_strategies_pass(spec: str, tmp_path: Path) -> None:
    variants = ("classic",) if "worlds" in spec else ("jokers",)
    rows, _ = checked(tmp_path, spec, deals=200, seconds=0.8, variants=variants)
    assert {name: row.text for name, row in rows.items() if row.outcome == "fail"} == {}
    passed = {name for name, row in rows.items() if row.outcome == "pass"}
    assert passed >= {"compiles", "source", "legal", "view", "repeatable"}
    assert "blind" in passed or "/" not in spec


@pytest.mark.slow
@pytest.mark.parametrize("spec", registered())
def test_registered_strategies_pass_under_every_variant(spec: str) -> None:
    verdict = check_strategy(spec, seconds=4)
    assert verdict.passed, str(verdict)
    assert min(verdict.facts["hands"].values()) > 0


#: What each bad strategy fails, and what is said of it.
FAILING: dict[str, dict[str, str]] = {
    f"{CHEATS}:peeks/high": {"blind": r"answered \w+, and \w+ with other cards in the hands"},
    f"tips/{CHEATS}:peeks": {"blind": "with other cards in the hands it cannot see, in deal"},
    f"{CHEATS}:tells": {"blind": "with other cards in the hands it cannot see"},
    f"{CHEATS}:notes": {"source": "the global NOTES changed while hands were played"},
    f"{CHEATS}:frames": {
        "blind": "with other cards in the hands it cannot see",
        "source": r"climbs uses sys\._getframe: a strategy has its view",
    },
    f"{CHEATS}:deals": {"source": "uses fill: a seat does not know the seed"},
    f"{CHEATS}:numbers": {"source": r"uses view\.stream\.key: draw with below"},
    f"{CHEATS}:clock": {
        "source": r"line \d+: asks_the_time uses time\.perf_counter_ns",
        "repeatable": "went otherwise when it was played again",
    },
    f"{CHEATS}:counter": {
        "source": r"counter sets the global COUNT: notes belong into",
        "repeatable": r"deal \d+ of variant classic, seed 1, went otherwise",
    },
    f"{CHEATS}:voids": {"view": r"writes view\.voids \(variant classic.*\): notes belong"},
    f"{CHEATS}:rewinds": {"view": r"writes view\.stream"},
    f"{PLUGINS / 'tamper.py'}:tamper": {"view": r"writes view\.legal"},
    f"{CHEATS}:boasts": {"legal": "states a chance of 2000 .*per mille, 0 to 1000"},
    f"{CHEATS}:rarely-raises": {"legal": "raised ValueError: four aces in deal"},
    f"{CHEATS}:rarely-illegal": {"legal": "answered 99, which is no legal card in deal"},
    f"{BAD}:underbids": {"legal": "answered 1, which is no legal call"},
    f"{BAD}:float": {"compiles": "returns float64, where an int64 is expected"},
    f"{BAD}:open-end": {"compiles": "may end without an answer: end every path with"},
    f"{BAD}:one-argument": {"compiles": r"takes \(view\), and must take \(view, work\)"},
    f"{BAD}:numpy-random": {"compiles": r"draws from np\.random, which no seed repeats"},
    f"{BAD}:field": {"compiles": r"bad\.py, line \d+: .*did you mean legal\?"},
}


@pytest.mark.parametrize("spec", FAILING, ids=lambda spec: spec.rpartition(".py:")[2])
def test_what_is_wrong_is_found(tmp_path: Path, spec: str) -> None:
    rows, _ = checked(tmp_path, spec, deals=40_000 if "rarely" in spec else 300, seconds=2)
    for name, text in FAILING[spec].items():
        assert rows[name].outcome == "fail", name
        assert re.search(text, rows[name].text), rows[name].text
        assert "\n" not in rows[name].text
    if "compiles" in FAILING[spec]:
        assert list(rows) == ["compiles"]


def test_what_passes_says_how_much_was_tested(tmp_path: Path) -> None:
    rows, facts = checked(
        tmp_path, f"{PLUGINS / 'good.py'}:first/{PLUGINS / 'good.py'}:counts",
        deals=500, seconds=2, variants=("classic", "three-player", "hard-bid"),
    )  # fmt: skip
    assert {row.outcome for row in rows.values()} == {"pass"}, rows
    assert rows["legal"].text.startswith("1,500 hands of 3 variants, ")
    assert facts["counts"].keys() == {"classic", "three-player", "hard-bid"}
    assert re.fullmatch(r"call [\d.,]+ us \(.*\), card [\d.,]+ us \(.*\)", rows["speed"].text)


def test_short_time_is_said(tmp_path: Path) -> None:
    rows, _ = checked(tmp_path, "search(worlds=2)", deals=100_000, seconds=1)
    assert re.fullmatch(
        r"[\d,]+ hands of classic, [\d,]+ decisions in \d+ s; asked 100,000", rows["legal"].text
    )


def test_a_declaration_may_claim_fewer_variants(tmp_path: Path) -> None:
    text = (PLUGINS / "good.py").read_text()
    claim = '**TOLD, variants=["no-trump", "three-player"])\ndef lowest_card'
    (tmp_path / "mine.py").write_text(text.replace("**TOLD)\ndef lowest_card", claim))
    _, facts = checked(tmp_path, f"random/{tmp_path}/mine.py:first", variants=())
    assert facts["counts"].keys() == {"no-trump", "three-player"}
    (tmp_path / "mine.py").write_text(text.replace("**TOLD)\ndef lowest_card",
        '**TOLD, variants=["no-trumps"])\ndef lowest_card'))  # fmt: skip
    with pytest.raises(StrategyError, match="player first is made for 'no-trumps'"):
        find_subject(f"random/{tmp_path}/mine.py:first")


@pytest.mark.parametrize(
    ("spec", "halves"),
    [
        ("tips", ("tips", "")),
        ("greedy", ("", "greedy")),
        ("random", ("random", "random")),
        ("tips(min_structures=3)/greedy", ("tips(min_structures=3)", "greedy")),
        (f"{PLUGINS}/good.py:first", (f"{PLUGINS}/good.py:first",) * 2),
        (f"{PLUGINS}/good.py:counts", ("", f"{PLUGINS}/good.py:counts")),
    ],
)
def test_what_a_spec_names(spec: str, halves: tuple[str, str]) -> None:
    subject, strategies = find_subject(spec)
    assert (subject.bidder, subject.player) == halves
    assert [s.kind for s in strategies] == [
        kind for kind, half in zip(("bidder", "player"), halves, strict=True) if half
    ]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("gredy", "'gredy' is no player: did you mean greedy?"),
        ("xyzzy", "'xyzzy' is no bidder: known are "),
        ("tips/gredy", "did you mean greedy?"),
        ("nowhere.py:x", "there is no file"),
        (f"{BAD}:nothing", "'nothing' is no bidder"),
    ],
)
def test_what_is_not_known_is_no_verdict(spec: str, text: str) -> None:
    with pytest.raises(StrategyError, match=r"^[^\n]+$") as error:
        find_subject(spec)
    assert text in str(error.value)
    assert error.value.__cause__ is None


def test_every_byte_of_a_view_has_its_field() -> None:
    for name, (kind, start, *_) in (VIEW.fields or {}).items():
        assert field_at(start) == field_at(start + kind.itemsize - 1) == name


def test_a_verdict_reads_well() -> None:
    rows = tuple(Row(name, "pass", "all well") for name in CHECKS)
    good = Verdict("x", "player x", rows, {})
    bad = Verdict("x", "player x", (*rows[1:], Row("legal", "fail", "no")), {"hands": 3})
    assert (good.passed, bad.passed) == (True, False)
    assert str(bad).splitlines()[0] == "player x: FAILED"
    assert json.loads(json.dumps(bad.as_dict()))["rows"][-1]["outcome"] == "fail"
    assert np.all([line.isascii() for line in str(bad).splitlines()])


# ------------------------------------------------------------- in a process that may be ended


def test_an_endless_loop_is_ended() -> None:
    verdict = check_strategy(f"{CHEATS}:hangs", seconds=10, limit=2, variants=["classic"])
    rows = {row.check: row for row in verdict.rows}
    assert rows["ends"].outcome == "fail"
    assert re.fullmatch(
        r"no answer within 2 s: player hangs, seat [NESW], in deal \d+, leg 0, seed 1 "
        r"\(variant classic.*\)",
        rows["ends"].text,
    )
    assert rows["compiles"].outcome == "pass"
    assert rows["legal"].outcome == "not run"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "check", "text"),
    [
        ("holds", "ends", r"no answer within 2 s: player holds, seat [NESW], in deal 0"),
        ("crashes", "legal", r"the process was ended by SIG\w+ .*: player crashes, seat"),
        ("hash", "repeatable", r"deal \d+ of variant classic went otherwise in another process"),
        ("hoards", "memory", r"\+\d+\.\d MiB over [\d,]+ hands"),
        ("peeks", "bounds", "raised IndexError: index is out of bounds in deal"),
    ],
)
def test_what_only_a_process_shows(name: str, check: str, text: str) -> None:
    spec = f"tips/{CHEATS}:{name}"
    verdict = check_strategy(spec, seconds=10, limit=2, variants=["classic"])
    rows = {row.check: row for row in verdict.rows}
    assert rows[check].outcome == "fail", str(verdict)
    assert re.search(text, rows[check].text)
    assert not verdict.passed
