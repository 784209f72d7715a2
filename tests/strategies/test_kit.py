"""What authors import: told in the docs name by name, and the same as the cards module says."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sviten
from simulate.cards import DECK, cards_of, make_call, rank_of, suit_of
from simulate.compiled.kernels import kernel, source_files
from strategies import kit
from strategies.declare.former import FORMER
from strategies.declare.registry import find_in_file

ROOT = Path(__file__).parents[2]


def test_the_docs_tell_every_name() -> None:
    page = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    section = page.partition("## Helpers")[2].partition("\n#")[0]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    told = re.findall(r"`(\w+)", "".join(rows))
    assert sorted(told) == sorted(kit.__all__)
    named = re.findall(r"`(\w+)`", kit.__doc__.partition("===")[2])
    assert sorted(named) == sorted(kit.__all__)


def test_every_name_is_there_and_says_what_it_is() -> None:
    for name in kit.__all__:
        value = getattr(kit, name)
        assert isinstance(value, int | np.uint64) or value.__doc__, name


@kernel
def _through(mask: np.uint64) -> int:
    total = np.int64(0)
    for card in kit.cards(mask):
        total = total * 53 % 1_000_003 + 64 * kit.suit(card) + kit.rank(card)
    return total


@kernel
def _calls(level: int, denomination: int) -> tuple[int, int, int]:
    call = kit.bid(level, denomination)
    return call, kit.level_of(call), kit.denomination_of(call)


@given(st.sets(st.sampled_from(DECK)))
def test_loops_go_through_the_cards_in_order(chosen: set[int]) -> None:
    mask = np.uint64(sum(1 << card for card in chosen))
    total = 0
    for card in sorted(chosen):
        total = total * 53 % 1_000_003 + 64 * suit_of(card) + rank_of(card)
    assert _through(mask) == total
    assert list(kit.cards(mask)) == cards_of(int(mask))


LOOPS = """
from strategies.kit import cards, player, rank

@player("loops", looks_at="the legal cards", source="a test")
def loops(view, work):
    best = -1
    for card in cards(view.legal):
        if best < 0 or rank(card) > rank(best):
            best = card
    return best
"""


def test_a_loop_comes_back_from_the_cache(tmp_path: Path) -> None:
    file = tmp_path / "loops.py"
    file.write_text(LOOPS)
    code = (
        "from strategies.declare.spec import load_entrant\n"
        f"entrant = load_entrant('tips/{file}:loops')\n"
        "print(sum(entrant.kernels[2].stats.cache_hits.values()))"
    )
    command = [sys.executable, "-c", code]
    hits = [
        int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert hits == [0, 1]


def test_calls_in_kernels_are_those_of_the_cards_module() -> None:
    for level in range(1, 7):
        for denomination in range(5):
            call = make_call(level, denomination)
            assert _calls(level, denomination) == (call, level, denomination)
            assert (kit.level_of(call), kit.denomination_of(call)) == (level, denomination)
    assert kit.level_of(kit.PASS) == 0


OLD = """
from simulate.bits import lowest
from simulate.work import layout_of
import simulate.tricks
from strategies.judgement import low_card
from strategies.registry import player

@player("old", looks_at="nothing", source="a test")
def old(view, work):
    return low_card(view.legal, view.denomination)
"""


def test_files_of_older_versions_load_and_play(tmp_path: Path) -> None:
    file = tmp_path / "old.py"
    file.write_text(OLD)
    run = sviten.simulate(f"tips/{file}:old", deals=30, seed=4, jobs=1, out=tmp_path / "run")
    before = run.hands["score_ns"].tolist()
    longer = sviten.resume(run.folder, deals=40, jobs=1)
    assert longer.hands["score_ns"].tolist()[:30] == before
    path = find_in_file("player", file, "old").path
    names = {each.relative_to(ROOT).as_posix() for each in source_files(path) if each != path}
    assert {"simulate/compiled/bits.py", "strategies/knowledge/judgement.py"} <= names


def test_old_names_are_for_such_files_alone(tmp_path: Path) -> None:
    file = tmp_path / "old.py"
    file.write_text(OLD)
    find_in_file("player", file, "old")
    for name in FORMER:
        assert name not in sys.modules
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)


def test_every_old_name_leads_somewhere() -> None:
    for name, now in FORMER.items():
        module = importlib.import_module(now)
        assert module.__spec__
        assert module.__spec__.name == now, name


def test_the_kit_needs_no_tables_of_runs() -> None:
    code = (
        "import sys, strategies.kit; print([m for m in ('pandas', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
