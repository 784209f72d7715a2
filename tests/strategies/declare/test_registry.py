"""Strategies as text, the registry, and users' files."""

from __future__ import annotations

import importlib.metadata
import math
import subprocess
import sys
from pathlib import Path

import pytest

from simulate.errors import StrategyError
from strategies.declare import registry
from strategies.declare.registry import (
    Parameter,
    all_strategies,
    bidder,
    find,
    find_in_file,
    player,
)
from strategies.declare.spec import load_entrant, read_part, split_entrant

PLUGINS = Path(__file__).parents[2] / "contract" / "plugins"
GOOD = PLUGINS / "good.py"


@pytest.mark.parametrize(
    ("text", "canonical", "values"),
    [
        ("tips", "tips", (2, 4, 1, 6)),
        ("tips()", "tips", (2, 4, 1, 6)),
        ("tips(min_structures=3)", "tips(min_structures=3)", (3, 4, 1, 6)),
        ("tips( min_trumps = 4.5 , min_structures = 3 )",
         "tips(min_structures=3,min_trumps=4.5)", (3, 4.5, 1, 6)),
        ("tips(min_structures=2,extra_melds=1e0)", "tips", (2, 4, 1, 6)),
        ("tips(min_structures=0)", "tips(min_structures=0)", (0, 4, 1, 6)),
        ("tips(min_trumps=4.000001)", "tips(min_trumps=4.000001)", (2, 4.000001, 1, 6)),
        ("tips(min_trumps=3.14159265358979)", "tips(min_trumps=3.14159265358979)",
         (2, 3.14159265358979, 1, 6)),
        (f"tips(min_trumps={1 / 3!r})", f"tips(min_trumps={1 / 3!r})", (2, 1 / 3, 1, 6)),
    ],
)  # fmt: skip
def test_parameters(text: str, canonical: str, values: tuple[float, ...]) -> None:
    strategy, read, told = read_part("bidder", text)
    assert strategy.name == "tips"
    assert (read, told) == (values, canonical)
    assert read_part("bidder", told)[1:] == (values, canonical)  # workers load it by this text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tips(min_structures=9)", "min_structures=9 must be a number from 0 to 8"),
        ("tips(min_structures=-1)", "from 0 to 8"),
        ("tips(min_structures=nan)", "from 0 to 8"),
        ("tips(min_structures=inf)", "from 0 to 8"),
        ("tips(min_structures=x)", "from 0 to 8"),
        ("tips(min_structures=)", "from 0 to 8"),
        ("tips(min_structure=3)", "it has min_structures, min_trumps"),
        ("tips(3)", "has no parameter '3'"),
        ("tips(min_structures=2,min_structures=3)", "min_structures is given twice"),
        ("pass(x=1)", "it has none"),
        ("tipps", "'tipps' is no bidder: did you mean tips?"),
        ("greedy", "it is a player; an entrant is written bidder/player"),
        ("xyzzy", "known are "),
        ("tips(min_structures=3", "is no bidder"),
        ("", "is no bidder"),
        ("a b", "is no bidder"),
    ],
)
def test_parts_that_are_refused(text: str, told: str) -> None:
    with pytest.raises(StrategyError, match=r"^[^\n]+$") as error:
        read_part("bidder", text)
    assert told in str(error.value)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Working folder with plug-ins in places that are easily misread."""
    for place in ("mine.py", "a/mine.py", "b/mine.py", "sp ace (1)/mine.py", "tips/mine.py"):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(GOOD.read_text())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ("tips/greedy", ("tips", "greedy")),
        (" tips / greedy ", ("tips", "greedy")),
        ("tips(min_structures=3)/greedy(set=2)", ("tips(min_structures=3)", "greedy(set=2)")),
        ("mine.py:first", ("mine.py:first", "mine.py:first")),
        ("mine.py:first/greedy", ("mine.py:first", "greedy")),
        ("tips/mine.py:first", ("tips/mine.py:first", "tips/mine.py:first")),  # it exists
        ("pass/mine.py:first", ("pass", "mine.py:first")),
        ("a/mine.py:first/b/mine.py:counts", ("a/mine.py:first", "b/mine.py:counts")),
        ("a/mine.py:first(stated=3)/b/mine.py:counts",
         ("a/mine.py:first(stated=3)", "b/mine.py:counts")),
        ("./a/mine.py:first/greedy", ("./a/mine.py:first", "greedy")),
        ("a/../b/mine.py:first/greedy", ("a/../b/mine.py:first", "greedy")),
        ("sp ace (1)/mine.py:first/greedy", ("sp ace (1)/mine.py:first", "greedy")),
        ("tips/a/mine.py:first", ("tips", "a/mine.py:first")),
        ("tipps/greedy", ("tipps", "greedy")),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("home")
def test_where_an_entrant_is_cut(text: str, halves: tuple[str, str]) -> None:
    assert split_entrant(text) == halves


@pytest.mark.usefixtures("home")
def test_absolute_paths() -> None:
    path = Path("a/mine.py").resolve()
    assert split_entrant(f"tips/{path}:first") == ("tips", f"{path}:first")
    assert split_entrant(f"{path}:first/greedy") == (f"{path}:first", "greedy")
    assert split_entrant(f"{path}:first/{path}:counts") == (f"{path}:first", f"{path}:counts")
    assert split_entrant(f"{path}:first") == (f"{path}:first",) * 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tips", "is no entrant: write bidder/player"),
        ("", "is no entrant"),
        ("/", "is no entrant"),
        ("tips/", "is no entrant"),
        ("tips/greedy/high", "is no entrant"),
        ("nowhere.py:x", "there is no file nowhere.py"),
        ("folder/nowhere.py:x", "there is no file folder/nowhere.py"),
        ("folder/deep/nowhere.py:x/greedy", "nowhere.py"),
        ("tips/nowhere.py:x", "nowhere.py"),
        ("nowhere.py:x/greedy", "there is no file"),
        ("mine.py:frist/greedy", "'frist' is no bidder: did you mean first?"),
        ("mine.py:counts/greedy", "it is a player"),
        ("mine.py:counts", "it is a player"),
        ("tips/gredy", "'gredy' is no player: did you mean greedy?"),
        ("tipps/greedy", "did you mean tips?"),
    ],
)
@pytest.mark.usefixtures("home")
def test_entrants_that_are_refused(text: str, told: str) -> None:
    with pytest.raises(StrategyError, match=r"^[^\n]+$") as error:
        load_entrant(text)
    assert told in str(error.value)


def test_canonical_texts_load_the_same_entrant(home: Path) -> None:
    for text, canonical in (
        ("tips( min_structures=3 ) / greedy", "tips(min_structures=3)/greedy"),
        ("random/random", "random/random"),
        ("random(pass_percent=33.333333333)/high", "random(pass_percent=33.333333333)/high"),
        ("mine.py:first", "mine.py:first"),
        ("mine.py:first(stated=7)/high", "mine.py:first(stated=7)/high"),
        ("a/mine.py:first/b/mine.py:first", "a/mine.py:first/b/mine.py:first"),
    ):
        entrant = load_entrant(text)
        assert entrant.text == canonical
        assert load_entrant(canonical) == entrant
    own = load_entrant("mine.py:first/high")
    assert (own.bidder, own.player) == ("first", "high")
    assert own.files == (home / "mine.py",)
    assert own.bidder_params == (500,)
    assert load_entrant("tips/greedy").files == ()


def test_files_of_one_name_stay_apart(home: Path) -> None:
    changed = GOOD.read_text().replace('"stated", 500', '"stated", 400')
    (home / "b/mine.py").write_text(changed)
    first, second = load_entrant("a/mine.py:first/high"), load_entrant("b/mine.py:first/high")
    assert (first.bidder_params, second.bidder_params) == ((500,), (400,))
    assert first.source != second.source
    assert first.bid != second.bid
    assert load_entrant("a/mine.py:first/high") == first


def test_a_neighbours_strategies_are_offered_too(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text(GOOD.read_text())
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(
            "from shared import first_bid, lowest_card\nfrom strategies.bidders.tips import tips\n"
        )
        assert load_entrant(f"{tmp_path}/{name}.py:first").bidder == "first"
        assert load_entrant(f"{tmp_path}/shared.py:first").player == "first"
    assert find("bidder", "tips").path.name == "tips.py"
    with pytest.raises(StrategyError, match="'first' is no player"):
        find("player", "first")


def test_a_file_that_imports_shipped_ones_first_takes_nothing_away(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from strategies.bidders.tips import count_structures\n" + GOOD.read_text()
    )
    code = (
        "import sys; from strategies.declare.spec import load_entrant\n"
        "print(load_entrant(sys.argv[1]).text, load_entrant('tips/greedy').text)\n"
        "from strategies.declare.registry import all_strategies; print(len(all_strategies()))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, f"{tmp_path}/mine.py:first"],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert done.stdout.split() == [
        f"{tmp_path}/mine.py:first",
        "tips/greedy",
        str(len(all_strategies())),
    ]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError: division by zero"),
        ("import nowhere_at_all\n", 1, "ModuleNotFoundError"),
        ("x = 1\ndef broken(:\n", 2, "SyntaxError"),
        ("raise ValueError('first\\nsecond')\n", 1, "ValueError: first"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit"),
        (GOOD.read_text() + "\n\n@bidder('first', **TOLD)\ndef again(view, work):\n    return 0\n",
         None, "bidder 'first' is declared twice"),
        (GOOD.read_text().replace("500, 0, 1000", "5000, 0, 1000"), None,
         "default of stated is out of its range"),
        (GOOD.read_text().replace('"counts"', '"co unts"'), None, "letters, digits, - and _"),
    ],
)  # fmt: skip
def test_files_that_do_not_load(tmp_path: Path, text: str, line: int | None, told: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    for _ in range(2):  # nothing half-loaded is left behind
        with pytest.raises(StrategyError, match=r"^[^\n]+$") as error:
            load_entrant(f"{path}:first/high")
        assert told in str(error.value)
        assert str(error.value).startswith(f"{path}, line {line or ''}")
    path.write_text(GOOD.read_text())
    assert load_entrant(f"{path}:first/high").bidder == "first"


def test_a_neighbour_that_does_not_load_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import helpers\n" + GOOD.read_text())
    (tmp_path / "helpers.py").write_text("x = 1\nx =\n")
    with pytest.raises(StrategyError, match=r"helpers\.py, line 2: SyntaxError"):
        load_entrant(f"{tmp_path}/mine.py:first/high")
    (tmp_path / "helpers.py").write_text("x = 1\n")
    assert load_entrant(f"{tmp_path}/mine.py:first/high").bidder == "first"


def test_a_name_taken_twice_is_an_error() -> None:
    with pytest.raises(StrategyError, match="bidder 'tips' is declared twice"):
        bidder("tips", looks_at="nothing", source="the tests")(lambda view, work: 0)
    assert find("bidder", "tips").path.name == "tips.py"


def test_a_bidder_and_a_player_may_share_a_name() -> None:
    assert find("bidder", "random") is not find("player", "random")


@pytest.mark.parametrize(
    ("name", "parameters", "told"),
    [
        ("two words", [], "no name"),
        ("", [], "no name"),
        ("a/b", [], "no name"),
        ("many", [Parameter(f"p{i}", 0, 0, 1, "") for i in range(17)], "16 at most"),
        ("range", [Parameter("p", 2, 0, 1, "")], "out of its range"),
        ("nan", [Parameter("p", math.nan, 0, 1, "")], "out of its range"),
        ("twice", [Parameter("p", 0, 0, 1, ""), Parameter("p", 1, 0, 1, "")], "parameter p twice"),
        ("spelt", [Parameter("p=1", 0, 0, 1, "")], "no name"),
    ],
)
def test_declarations_that_are_refused(name: str, parameters: list[Parameter], told: str) -> None:
    with pytest.raises(StrategyError, match=told):
        player(name, looks_at="nothing", source="the tests", parameters=parameters)


def test_the_lists_read_the_registry() -> None:
    names = [(strategy.kind, strategy.name) for strategy in all_strategies()]
    assert names == sorted(set(names))
    assert {("bidder", "pass"), ("bidder", "random"), ("bidder", "tips")} <= set(names)
    assert {("player", "random"), ("player", "high"), ("player", "greedy")} <= set(names)
    assert not any("first" in name for name in names)  # users' files are their own


class Point:
    """An entry point of an installed package."""

    name = "extra"

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def load(self) -> None:
        if self.error:
            raise self.error
        if ("player", "installed") not in registry._registered:
            player("installed", looks_at="nothing", source="the tests")(good_play)


def good_play(view, work):
    """Answer a club."""
    return 2


def test_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Point()])
    assert find("player", "installed").name == "installed"
    assert split_entrant("pass/installed") == ("pass", "installed")
    broken = [Point(ValueError("no"))]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: broken)
    with pytest.raises(StrategyError, match="entry point extra does not load: no"):
        all_strategies()
    assert find("player", "high").name == "high"  # shipped ones need no entry point


def test_find_in_file_takes_relative_paths(home: Path) -> None:
    relative = find_in_file("player", Path("mine.py"), "counts")
    assert relative is find_in_file("player", home / "mine.py", "counts")
    assert relative.path == home / "mine.py"


def test_a_text_of_thousands_of_letters_is_refused_at_once() -> None:
    for text in ("a/" * 5000, "tips(" * 5000, "x" * 10**6, "/" * 10**5):
        with pytest.raises(StrategyError, match="it may have 2,000"):
            load_entrant(text)
