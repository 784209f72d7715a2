"""The documentation says what is so: its examples run, its lists are complete, its links lead."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import sviten
from simulate.cards import sorted_text
from simulate.engine.engine import Engine, make_buffer
from simulate.engine.record import deal_hands, play_record
from simulate.errors import RulesError
from simulate.game.records import VIEW
from simulate.rules import CLASSIC, Rules, load_rules, make_rules, variant_names
from simulate.store.schema import (
    CALLS_SCHEMA,
    PLAYS_SCHEMA,
    forced_schema,
    hands_schema,
    matches_schema,
)
from simulate.store.settings import Settings
from strategies.declare.registry import all_strategies
from strategies.declare.spec import load_entrant
from sviten.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "results" / "README.md"]
PAGES += sorted((ROOT / "docs").glob("*.md"))
PAGES += sorted((ROOT / "results" / "studies").rglob("*.md"))


class Block(NamedTuple):
    """A fenced block: what stands behind the fence, and the lines between."""

    page: str
    line: int
    info: str
    text: str


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, info: str) -> list[Block]:
    """Fenced blocks of a page with exactly this info string."""
    found: list[Block] = []
    inside: list[str] | None = None
    opened = (0, "")
    for number, line in enumerate(read(name).splitlines(), 1):
        if not line.startswith("```"):
            if inside is not None:
                inside.append(line)
        elif inside is None:
            inside, opened = [], (number, line[3:].strip())
        else:
            found.append(Block(name, *opened, "\n".join(inside) + "\n"))
            inside = None
    assert inside is None, f"{name}: the fence of line {opened[0]} does not close"
    return [block for block in found if block.info == info]


def section(name: str, heading: str) -> str:
    """Text below a heading, up to the next of the same rank or above."""
    text = read(name)
    start = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert start, f"{name} has no heading {heading!r}"
    rest = text[start.end() :]
    stop = re.search(rf"^#{{1,{len(start[1])}}} ", rest, re.MULTILINE)
    return rest[: stop.start()] if stop else rest


def table_rows(text: str) -> list[list[str]]:
    """Cells of all table rows, heads and rules left out."""
    rows = []
    for line in text.splitlines():
        if line.startswith("|") and not re.fullmatch(r"[|\s:-]+", line):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return rows


def codes(cell: str) -> list[str]:
    """Texts in backticks."""
    return re.findall(r"`([^`]+)`", cell)


Command = Callable[[str], list[str]]


@pytest.fixture
def printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Lines that a command line prints, run in an empty folder in this process."""
    monkeypatch.chdir(tmp_path)

    def run(command: str) -> list[str]:
        program, *words = shlex.split(command)
        assert program == "sviten"
        capsys.readouterr()
        code = main(words)
        out, err = capsys.readouterr()
        assert code == 0, f"{command}\n{err}"
        return [line.rstrip() for line in out.splitlines()]

    return run


# ------------------------------------------------------------------ links and forbidden things


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    names = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in names}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        other = (page.parent / name).resolve() if name else page
        assert other.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(other), f"{page.name} links to {target}"


def test_every_page_is_linked_from_the_readme() -> None:
    readme = read("README.md")
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert f"docs/{page.name}" in readme


def test_no_path_of_a_machine_is_named() -> None:
    forbidden = re.compile(r"(?<![\w.])/(?:work|root|home)/|\.\./shared")
    files = [*PAGES, ROOT / ".ci" / "run", ROOT / "Makefile", ROOT / "pyproject.toml"]
    for package in ("simulate", "strategies", "analysis", "sviten"):
        files += sorted((ROOT / package).rglob("*.py"))
    for file in files:
        found = forbidden.search(file.read_text(encoding="utf-8"))
        assert not found, f"{file.relative_to(ROOT)} names {found}"


# --------------------------------------------------------------------------------- README


def test_readme_sets_up_with_two_lines() -> None:
    fenced = re.findall(r"^```[^\n]*\n(.*?)^```", section("README.md", "Set up"), re.M | re.S)
    assert len(fenced) == 2
    first, second = (text.rstrip("\n") for text in fenced)
    assert "\n" not in first
    assert "\n" not in second
    assert re.match(r"python -m pip install -e \. && sviten simulate\b", first)
    assert re.match(r'python -m pip install -e "\.\[test\]" && pytest', second)
    if sys.platform != "win32":
        told = subprocess.run(
            ["bash", str(ROOT / ".ci" / "run"), "--commands"],
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert told.stdout.splitlines() == [first, second]


# ---------------------------------------------------------------------------------- rules


def shown(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def test_every_field_of_the_rules_is_documented_with_its_default() -> None:
    rows = {codes(row[0])[0]: row for row in table_rows(section("docs/rules.md", "All fields"))[1:]}
    text = read("docs/rules.md").split("## All fields")[0]
    assert list(rows)[: len(Rules.model_fields)] == list(Rules.model_fields)
    for name, field in Rules.model_fields.items():
        assert codes(rows[name][1]) == [shown(field.default)], name
        assert f"`{name}" in text or name in {"players"}, f"{name} is in the table alone"


def test_every_variant_is_documented() -> None:
    presets = section("docs/rules.md", "The variants").partition("Presets combine")[0]
    said = {codes(row[0])[0]: row for row in table_rows(presets)[1:]}
    assert sorted(said) == sorted(variant_names())
    for name, row in said.items():
        rules = load_rules(name)
        changes = {
            field: json.loads(value)
            for field, _, value in (code.partition(" = ") for code in codes(row[1]))
        }
        assert changes == rules.changes(), name


def test_rule_file_of_the_docs_loads(tmp_path: Path) -> None:
    (block,) = blocks("docs/rules.md", "toml")
    (tmp_path / "my-table.toml").write_text(block.text)
    rules = load_rules(str(tmp_path / "my-table.toml"))
    expected = {"dead_card_penalty": 1, "all_pass": "play-out", "suit_ranking": "bridge"}
    assert rules.changes() == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"speed": 1},
        {"trick_points": 1001},
        {"denominations": ()},
        {"denominations": ("C", "C")},
        {"kitty": "pile"},
        {"players": 3},
        {"players": 3, "kitty": "pile", "all_pass": "play-out"},
        {"all_pass": "play-out", "denominations": ("C",)},
        {"joker_deal": "one-each", "jokers": 1},
        {"players": 3, "kitty": "pile", "joker_deal": "one-each", "jokers": 2},
        {"hard_bid_melds": False},
        {"fail_value": "target"},
        {"hand_limit": 5, "max_hands": 12},
        {"open_last": 14},
    ],
)
def test_what_the_docs_call_refused_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        make_rules(fields)


def test_examples_of_layouts() -> None:
    rows = table_rows(section("docs/rules.md", "Examples"))[1:]
    pile = ""
    assert len(rows) == 10
    for cells in rows:
        if codes(cells[0]):
            pile = codes(cells[0])[0]
        elif cells[0] == "all thirteen hearts":
            pile = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
        trump = None if cells[1] == "none" else cells[1]
        layout = sviten.best_layout(pile, trump=trump, at_least=int(cells[2]))
        if cells[4] == "-":
            assert layout is None, cells
        else:
            assert layout is not None, cells
            assert (layout.points, len(layout.melds)) == (int(cells[4]), int(cells[5])), cells


# ----------------------------------------------------------------------------- strategies


def test_shipped_strategies_are_documented() -> None:
    rows = table_rows(section("docs/strategies.md", "Those that come with the project"))[1:]
    said = sorted((row[0], codes(row[1])[0]) for row in rows)
    installed = {point.value.partition(":")[0] for point in entry_points(group="sviten.strategies")}
    shipped = [
        (strategy.kind, strategy.name)
        for strategy in all_strategies()
        if strategy.path.is_relative_to(ROOT / "strategies")
    ]
    assert said == sorted(shipped), f"installed beside them: {installed}"


def test_every_field_of_the_view_is_documented() -> None:
    rows = table_rows(section("docs/strategies.md", "What the view holds"))[1:]
    said = [name for row in rows for name in codes(row[0])]
    assert sorted(said) == sorted(VIEW.names or ())
    for row in rows:
        for name in codes(row[0]):
            kind = (VIEW.fields or {})[name][0]
            if name not in {"stream", "rules"}:
                assert row[1].startswith(kind.base.name), name


EXAMPLES = blocks("docs/strategies.md", "python")
DECLARED = re.compile(r"@(bidder|player)\(\s*\"([\w-]+)\"")


def test_there_are_examples_of_both_kinds() -> None:
    kinds = {kind for block in EXAMPLES for kind, _ in DECLARED.findall(block.text)}
    assert kinds == {"bidder", "player"}


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: f"line-{block.line}")
def test_strategies_of_the_docs_play(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(block.text)
    np.savez(tmp_path / "weights.npz", cards=np.arange(64.0))  # as the text makes it
    declared = DECLARED.findall(block.text)
    assert declared
    specs = [
        f"{file}:{name}/greedy" if kind == "bidder" else f"tips/{file}:{name}"
        for kind, name in declared
    ]
    names = [name for _, name in declared]
    specs += [f"{file}:{name}" for name in dict.fromkeys(names) if names.count(name) == 2]
    other = load_entrant("tips/greedy")
    for spec in specs:
        entrant = load_entrant(spec)
        engine = Engine(CLASSIC, [entrant, other, entrant, other], 7)
        buffer = make_buffer(400)
        engine.play(buffer, 0, 400)
        rows = buffer.rows
        assert ((rows["tricks_decl"] + rows["tricks_def"]) == 13).any()
        if not spec.startswith("tips/"):
            ours = rows[rows["declarer"] % 2 == 0]
            assert len(ours), f"{spec} declares nothing"
            states = {900} if "view.stated" in block.text else {-1}
            assert set(ours["stated"].tolist()) == states


# --------------------------------------------------------------------------- architecture


def test_the_picture_of_the_house_is_the_list_of_its_folders() -> None:
    house = section("docs/architecture.md", "The house")
    (picture,) = re.findall(r"^```\n(.*?)^```", house, re.DOTALL | re.MULTILINE)
    storeys = {line.split()[0]: re.findall(r"\w+", line)[1:] for line in picture.splitlines()}
    contracts = {
        contract["containers"][0]: [
            name for layer in contract["layers"] for name in layer.split(" | ")
        ]
        for contract in tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
        if "containers" in contract
    }
    assert {f"{package}/": wings for package, wings in contracts.items()} == storeys
    wings = {name for row in table_rows(house)[1:] for name in codes(row[0])}
    there = {
        f"{package}.{path.stem}"
        for package in contracts
        for path in (ROOT / package).iterdir()
        if (path / "__init__.py").is_file() or (path.suffix == ".py" and path.stem != "__init__")
    }
    assert wings - {"analysis.notebooks"} == there - {"simulate.variants", "strategies.tables"}


def test_the_docs_deal_as_the_engine_does() -> None:
    (block,) = blocks("docs/architecture.md", "python")
    names: dict[str, Any] = {}
    exec(compile(block.text, "docs/architecture.md", "exec"), names)
    for seed in (0, 7, 2**32, 2**64 - 1):
        for deal_id in (0, 1, 12, 2**33 + 5, *range(100, 130)):
            for rules in (CLASSIC, load_rules("three-player")):
                masks = deal_hands(rules, seed, deal_id, {})
                dealt, kitty = names["deal"](seed, deal_id, rules.players)
                for seat, mask in zip(rules.seats, masks, strict=True):
                    assert sorted(dealt[seat]) == sorted(sorted_text(mask)), (seed, deal_id, seat)
                assert len(kitty) == 52 - rules.players * rules.hand_size


def type_name(kind: pa.DataType) -> str:
    return "text" if pa.types.is_dictionary(kind) else str(kind)


def test_columns_are_documented() -> None:
    said: dict[str, str] = {}
    told: set[str] = set()
    for row in table_rows(section("docs/architecture.md", "`hands`"))[1:]:
        said |= dict.fromkeys(codes(row[0]), row[1])
        told |= set(codes(row[2]))
    schema = hands_schema(CLASSIC)
    assert list(said) == schema.names
    for field in schema:
        null = ", null" if field.nullable else ""
        assert said[field.name] == type_name(field.type) + null, field.name
    three = set(hands_schema(load_rules("three-player")).names) - set(schema.names)
    assert three <= told
    rows = table_rows(section("docs/architecture.md", "`calls` and `plays`"))[1:]
    for row, table in zip(rows, (CALLS_SCHEMA, PLAYS_SCHEMA), strict=True):
        assert [name for name in codes(row[1])] == table.names[2:]
        assert all(field.type == pa.int8() for field in table if field.name != "deal_id")


def test_columns_of_matches_are_documented() -> None:
    three = load_rules("three-player")
    for title, schema, of_three in (
        ("`matches`", matches_schema(CLASSIC), matches_schema(three)),
        (
            "Hands of matches",
            hands_schema(CLASSIC, in_matches=True),
            hands_schema(three, in_matches=True),
        ),
    ):
        rows = table_rows(section("docs/architecture.md", title))[1:]
        said = {name: row[1] for row in rows for name in codes(row[0])}
        new = [field for field in schema if field.name not in hands_schema(CLASSIC).names]
        if title == "`matches`":
            new = list(schema)
        assert list(said) == [field.name for field in new]
        for field in new:
            null = ", null" if field.nullable else ""
            assert said[field.name] == type_name(field.type) + null, field.name
        others = set(of_three.names) - set(schema.names) - set(hands_schema(three).names)
        assert others <= {name for row in rows for name in codes(row[2])}


def test_columns_of_forced_runs_are_documented() -> None:
    rows = table_rows(section("docs/architecture.md", "`forced`"))[1:]
    schema = forced_schema(load_rules("hard-bid"))
    assert [name for row in rows for name in codes(row[0])] == schema.names
    for row in rows:
        names = codes(row[0])
        kinds = [
            type_name(schema.field(name).type) + (", null" if schema.field(name).nullable else "")
            for name in names
        ]
        assert row[1] in {kinds[0] if len(set(kinds)) == 1 else ", ".join(kinds)}, names
    assert set(forced_schema(CLASSIC).names) < set(schema.names)


def test_keys_of_settings_and_records_are_documented() -> None:
    rows = table_rows(section("docs/architecture.md", "`run.json`"))[1:]
    said = {name for row in rows for name in codes(row[0])}
    fields = Settings.model_fields.items()
    assert said == {field.alias or name for name, field in fields}

    engine = Engine(CLASSIC, [load_entrant("tips/greedy")] * 4, 7)
    record = play_record(engine, 12)
    rows = table_rows(section("docs/architecture.md", "The hand record"))[1:]
    assert set(record) == {name for row in rows for name in codes(row[0])}
    inner = {codes(row[0])[0]: set(codes(row[1])) for row in rows}
    assert inner["contract"] == set(record["contract"])
    assert inner["tricks"] == set(record["tricks"][0])
    assert inner["sides"] == {*record["sides"], *record["sides"]["declarers"]}


def test_keys_of_the_bench_are_documented() -> None:
    rows = table_rows(section("docs/architecture.md", "What the bench measures"))[1:]
    said = {name for row in rows for name in codes(row[0])}
    assert said == set(
        re.findall(r"^        \"(\w+_ns)\":", read("sviten/api/bench.py"), re.MULTILINE)
    )


# --------------------------------------------------------------------------- dependencies


def test_every_dependency_has_its_line() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]

    def names(requirements: list[str]) -> list[str]:
        return sorted(re.split(r"[\[<>=~! ]", text)[0] for text in requirements)

    extras = project["optional-dependencies"]
    for heading, expected in (
        ("To run", names(project["dependencies"])),
        ("To test", names(extras["test"])),
        ("To extend", names([r for extra, rs in extras.items() if extra != "test" for r in rs])),
    ):
        rows = table_rows(section("docs/dependencies.md", heading))[1:]
        assert sorted(row[0] for row in rows) == expected, heading
        assert all(all(row) for row in rows), heading


# ------------------------------------------------------------------------- commands of the docs


PAGES_WITH_COMMANDS = ("README.md", "docs/cookbook.md")
CONSOLES = [b for page in PAGES_WITH_COMMANDS for b in blocks(page, "console")]
SAMPLES = [b for page in PAGES_WITH_COMMANDS for b in blocks(page, "console sample")]


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """Each `$ command` of a block, and the lines shown below it."""
    pieces = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert not pieces[0]
    return [
        (command, shown.splitlines())
        for command, shown in zip(pieces[1::2], pieces[2::2], strict=True)
    ]


@pytest.mark.parametrize("block", CONSOLES, ids=lambda b: f"{Path(b.page).stem}-{b.line}")
def test_commands_print_what_the_docs_show(block: Block, printed: Command) -> None:
    """All commands of a block run in one folder; `...` stands for what is not shown."""
    for command, shown in commands(block):
        lines = printed(command)
        if shown != ["..."]:
            assert lines == shown, command


def test_the_command_is_installed_beside_python() -> None:
    """The first of the commands above, as a user runs it: a process of its own."""
    command, shown = commands(CONSOLES[0])[0]
    scripts = str(Path(sys.executable).parent)
    done = subprocess.run(
        shlex.split(command),
        env=os.environ
        | {"PATH": scripts + os.pathsep + os.environ["PATH"], "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS)
def test_commands_of_samples_run(page: str, printed: Command) -> None:
    """Numbers of a sample change with the strategies and the machine; its first line stands."""
    for block in SAMPLES:
        for command, shown in commands(block) if block.page == page else []:
            lines = printed(command)
            first, expected = (re.sub(r"[\d.,]+", "0", text[0]) for text in (lines, shown))
            assert first[:12] == expected[:12], command
            assert len(lines) > 1 or len(shown) == 1, command


RECIPES = blocks("docs/cookbook.md", "python") + blocks("README.md", "python")


@pytest.mark.parametrize("block", RECIPES, ids=lambda b: f"{Path(b.page).stem}-{b.line}")
def test_recipes_in_python_run(
    block: Block,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A comment behind a `print` is what it prints."""
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, f"{block.page}:{block.line}", "exec"), {"__name__": "recipe"})
    shown = re.findall(r"^print\(.*\)  # (.+)$", block.text, re.MULTILINE)
    if shown:
        assert capsys.readouterr().out.splitlines() == shown
