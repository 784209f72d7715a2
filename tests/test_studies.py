"""Published studies say what their tables say, and their commands make such tables."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
import typer

from analysis.pages.published import publish, read_tables
from analysis.show.markdown import fill_page, markdown_table, replace_block
from simulate.errors import RunError
from sviten.api.choices import check_specs
from sviten.cli import app, main
from sviten.commands.options import split_entrants

ROOT = Path(__file__).parents[1]
STUDIES = ROOT / "results" / "studies"
FOLDERS = sorted(path.parent for path in STUDIES.glob("*/README.md"))
#: Tables that tell of runs and words, in which nothing is estimated.
PLAIN = {"runs", "words"}
MOST_BYTES = 2_000_000

each_study = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def page(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def script(folder: Path) -> ModuleType:
    name = folder.name.replace("-", "_")
    spec = importlib.util.spec_from_file_location(f"study_{name}", folder / "study.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(folder: Path) -> Iterator[list[str]]:
    """Words of each command of a page."""
    for block in re.findall(r"^```sh\n(.*?)^```", page(folder), re.M | re.S):
        yield from map(shlex.split, block.splitlines())


def test_there_are_studies_and_the_top_page_links_to_each() -> None:
    assert len(FOLDERS) >= 3
    top = page(STUDIES)
    for folder in FOLDERS:
        assert f"]({folder.name}/README.md)" in top
    assert sum(path.stat().st_size for path in STUDIES.rglob("*") if path.is_file()) < MOST_BYTES
    assert not list(STUDIES.rglob("*.parquet"))


def test_the_readme_quotes_what_the_studies_say() -> None:
    rows = list(re.finditer(r"^\|.*\(results/studies/([\w-]+)/README.md\).*", page(ROOT), re.M))
    assert sorted(row[1] for row in rows) == [folder.name for folder in FOLDERS]
    for row in rows:
        quoted = re.findall(r"\d+\.\d(?: ± \d+\.\d)?", row[0])
        assert quoted
        for figure in quoted:
            assert figure in page(STUDIES / row[1])


@each_study
def test_commands_are_understood(folder: Path) -> None:
    group = typer.main.get_command(app)
    assert hasattr(group, "get_command")
    *played, last = commands(folder)
    assert played
    assert last[0] == "python"
    assert (ROOT / last[1]).samefile(folder / "study.py")
    outs = []
    for name, *words in (words[1:] for words in played if words[0] == "sviten"):
        context = group.make_context("sviten", [name])
        command = group.get_command(context, name)
        assert command is not None, name
        with command.make_context(name, list(words), parent=context) as inner:
            assert inner.params["seed"] is not None
            entrants = [inner.params.get(side) for side in ("ns", "ew")]
            named = inner.params.get("entrants") or []
            entrants += split_entrants(named) if isinstance(named, str) else named
            check_specs([text for text in entrants if text])
            outs.append(Path(str(inner.params["out"])))
    assert {out.parent for out in outs} == {Path(last[2])}
    assert len(outs) == len(set(outs)) == len(played)


@each_study
def test_every_file_is_named_and_every_named_file_is_there(folder: Path) -> None:
    text = page(folder)
    named = set(re.findall(r"`([\w-]+\.(?:csv|png|py))`", text))
    named |= set(re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)) | {"study.py", "README.md"}
    there = {path.name for path in folder.iterdir() if path.is_file()}
    assert named == there


@each_study
def test_tables_have_numbers_intervals_and_methods(folder: Path) -> None:
    for name, table in read_tables(folder).items():
        assert len(table), name
        if name in PLAIN:
            continue
        assert {"n", "method"} <= set(table.columns), name
        assert (table.n > 0).all(), name
        lows = [column for column in table.columns if column.endswith("low")]
        assert lows, name
        for low in lows:
            ends = table[[low, f"{low.removesuffix('low')}high", "method"]].dropna(subset=[low])
            assert (ends.iloc[:, 0] <= ends.iloc[:, 1]).all(), (name, low)
            assert ends.method.notna().all(), (name, low)


@each_study
def test_tables_of_the_page_are_those_of_the_files(folder: Path) -> None:
    text = page(folder)
    assert fill_page(text, script(folder).blocks(read_tables(folder))) == text


def test_the_duels_of_players_stand_in_the_docs_too() -> None:
    folder = STUDIES / "what-search-adds"
    duels = script(folder).blocks(read_tables(folder))["duels"]
    text = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    assert fill_page(text, {"duels": duels}) == text


NUMBER = re.compile(r"\d[\d,]*\.\d+|\d[\d,]*(?= %)")


@each_study
def test_figures_that_are_quoted_stand_in_the_tables(folder: Path) -> None:
    text = page(folder)
    findings = text.split("## Findings")[1].split("\n## ")[0]
    tables = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    there = set(re.findall(r"\d[\d,]*(?:\.\d+)?", tables))
    quoted = NUMBER.findall(findings)
    assert len(quoted) >= 8
    assert [number for number in quoted if number not in there] == []


#: Deals of a small study: enough for every bidder to declare, few where players search.
FEW = {"bid-success": 300, "house-rules": 40, "what-search-adds": 40}


@pytest.mark.slow
@each_study
def test_a_small_study_is_made_by_the_commands(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    *played, last = commands(folder)
    for _, *words in played:
        for option, most in (("--deals", FEW[folder.name]), ("--matches", 4)):
            if option in words:
                place = words.index(option) + 1
                words[place] = str(min(int(words[place]), most))
        if words[0] == "variants" and "--set" not in words:
            words.insert(1, "no-trump")  # all presets would take a minute to compile
        assert main(words) == 0, words
    module = script(folder)
    argv = [last[2], "--out", "made"]
    publish(folder, module.gather, module.draw, module.blocks, argv)
    made, kept = read_tables(Path("made")), read_tables(folder)
    assert set(made) == set(kept)
    for name, table in made.items():
        assert list(table.columns) == list(kept[name].columns), name
    assert {path.name for path in Path("made").iterdir()} == {
        path.name for path in folder.iterdir() if path.is_file() and path.suffix != ".py"
    }
    if folder.name == "what-search-adds":
        gains_add_up_to_margins(made)


def gains_add_up_to_margins(tables: dict[str, pd.DataFrame]) -> None:
    gains = tables["gains"]
    every = gains[(gains.level == "all") & (gains.part == "all")]
    margins = tables["duels"].set_index("one").value
    for player, entrant in (("search", "tips/search"), ("oracle (sees all)", "tips/oracle")):
        own = every[every.player == player]
        assert len(own) == 2
        duel = tables["duels"][tables["duels"].one == entrant].iloc[0]
        bid = own.n.iloc[0] / duel.n
        assert margins[entrant] == pytest.approx(own.value.sum() * bid / 2, abs=1e-3)


def test_marks_of_a_page() -> None:
    text = "a\n<!-- one -->\nold\n<!-- end one -->\nb"
    told = markdown_table(["x", "y"], [["p", 1], ["q", 2.5]])
    assert told == "| x | y |\n| --- | ---: |\n| p | 1 |\n| q | 2.5 |"
    filled = fill_page(text, {"one": told})
    assert filled == f"a\n<!-- one -->\n\n{told}\n\n<!-- end one -->\nb"
    assert fill_page(filled, {"one": told}) == filled
    for wrong in ("no marks", "<!-- end one --> <!-- one -->", text + text):
        with pytest.raises(RunError, match="once, in this order"):
            replace_block(wrong, "<!-- one -->", "<!-- end one -->", "x")


def test_gains_are_those_of_a_plain_count() -> None:
    module = script(STUDIES / "what-search-adds")
    values = np.array([1.0, 2.0, 4.0, 9.0])
    told = module.estimate(values)
    half = 5.84090931 * values.std(ddof=1) / 2  # Student's quantile of 99.5 %, 3 degrees
    assert (told["n"], told["value"]) == (4, 4.0)
    assert told["high"] - told["value"] == pytest.approx(half)
    hands = pd.DataFrame({"leg": [0, 1, 0, 1], "score_ns": [9, 3, 1, 0], "score_ew": [2, 5, 0, 7]})
    assert module.margins(hands).tolist() == [(7 + 2) / 2, (1 + 7) / 2]
