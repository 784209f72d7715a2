"""Pages of studies: what they hold, what is refused, and what a browser makes of them."""

from __future__ import annotations

import json
import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

import pytest

import sviten
from analysis.show.result import Shown
from simulate.errors import RunError
from simulate.runs.study import open_study
from sviten.cli import main
from tests.fixtures.browser import browse, needs_browser, sections

OPTIONS: dict[str, Any] = {"seed": 7, "jobs": 1}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    folder = tmp_path_factory.mktemp("studies")
    few = OPTIONS | {"deals": 60}
    return {
        "tournament": sviten.tournament(
            ["tips/greedy", "tips/high", "random/random"], out=folder / "tournament", **few
        ),
        "compare": sviten.compare(
            "tips/greedy", "tips/high", deals=600, out=folder / "compare", **OPTIONS
        ),
        "sweep": sviten.sweep("tips/greedy", "min_structures", [1, 2], out=folder / "sweep", **few),
        "variants": sviten.variants(
            ["no-trump"], entrants=["tips/high", "tips/greedy"], out=folder / "variants", **few
        ),
        "folder": folder,  # type: ignore[dict-item]
    }


@pytest.mark.parametrize("kind", ["tournament", "compare", "sweep", "variants"])
def test_a_page_holds_what_the_command_told(kind: str, studies: dict[str, Any]) -> None:
    result, folder = studies[kind], studies["folder"] / kind
    page = sviten.report(folder).read_text("utf-8")
    assert sections(page) == ["results", "plots", "runs"]
    text = page.replace("&#39;", "'")
    for line in (*result.sentence().splitlines(), *result.notes()):
        assert escape(line, quote=False) in text
    for table in result.shown_tables():
        assert escape(table.title, quote=False) in text
        for row in table.rows:
            for cell in row:
                if not re.fullmatch(r"[1-6][CDHS]", cell):
                    assert escape(cell, quote=False) in text
    assert page.count('<img alt="') == len(list(folder.glob("*.png"))) > 0
    for name in open_study(folder).runs:
        assert name in page


def test_what_cannot_be_reported(
    studies: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "short"
    shutil.copytree(studies["folder"] / "tournament", folder)
    shutil.rmtree(next(path for path in folder.iterdir() if path.is_dir()) / "hands")
    assert main(["report", str(folder)]) == 1
    told = f"{folder} is unfinished: `sviten resume {folder}` finishes it\n"
    assert capsys.readouterr().err.endswith(told)
    with pytest.raises(RunError, match="forced contracts are set beside a run of it"):
        sviten.report(studies["folder"] / "sweep", forced=studies["folder"] / "sweep")
    content = json.loads((folder / "study.json").read_text())
    content |= {"kind": "party", "runs": {}}
    (folder / "study.json").write_text(json.dumps(content))
    with pytest.raises(RunError, match="is a study of kind 'party'"):
        sviten.report(folder)


def test_a_study_that_is_replaced_leaves_no_page(tmp_path: Path) -> None:
    options = OPTIONS | {"deals": 20, "out": tmp_path / "study"}
    sviten.tournament(["tips/high", "random/high"], **options)
    page = sviten.report(tmp_path / "study")
    assert page.is_file()
    sviten.tournament(["tips/high", "pass/high"], overwrite=True, **options)
    assert not page.exists()


def test_a_page_is_made_of_results_too(studies: dict[str, Any]) -> None:
    for kind in ("tournament", "compare", "sweep"):
        assert sviten.report(studies[kind]) == (studies["folder"] / kind / "report.html").absolute()


@needs_browser
def test_a_page_in_a_browser(studies: dict[str, Any], tmp_path: Path) -> None:
    path = sviten.report(studies["folder"] / "tournament", tmp_path / "page.html")
    page = path.read_text("utf-8")
    shown = "<script>seen.push(...[...document.images].filter((i) => !i.complete || !i.naturalWidth"
    page = page.replace("</body>", f"{shown}).map((i) => 'no picture: ' + i.alt));</script></body>")
    found = browse(page, tmp_path)
    shutil.rmtree(tmp_path / "profile", ignore_errors=True)
    assert found["seen"] == []
    assert all(name.startswith("data:") for name in found["loaded"])
    assert found["dead"] == 0
    assert found["sections"] == ["results", "plots", "runs"]
