"""The notebooks as they are stored, and the command that runs them; `make notebooks` runs all."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parents[2] / "analysis" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LEAVES_A_FOLDER = {
    f"sviten.{name}" for name in ("simulate", "compare", "sweep", "tournament", "variants")
}
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home|tmp|Users|var)/|[A-Z]:\\|\b20\d\d-\d\d-\d\d\b")


def load_command() -> ModuleType:
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


execute = load_command()


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_six() -> None:
    assert [path.stem[:3] for path in NOTEBOOKS] == [f"0{k}-" for k in range(1, 7)]
    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    cookbook = (FOLDER.parents[1] / "docs" / "cookbook.md").read_text(encoding="utf-8")
    assert "analysis/notebooks/" in readme
    for path in NOTEBOOKS:
        assert path.name in cookbook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stored_and_tell_nothing_of_a_machine(path: Path) -> None:
    assert path.stat().st_size < 300_000
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata.language_info) == {"name"}
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert set(cell.metadata) <= {"tags"}
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name", "stdout") == "stdout", output
            told = [output.get("text", ""), *output.get("data", {}).values()]
            assert not MACHINE.search(" ".join(each for each in told if len(each) < 20_000)), told
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_asks_and_answers_from_its_own_run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    source = "\n".join(cell.source for cell in notebook.cells)
    assert "?" in notebook.cells[0].source
    assert notebook.cells[-2].source.endswith("## Answer")
    assert re.search(r"\d", "".join(output.text for output in notebook.cells[-1].outputs))
    assert "tempfile.TemporaryDirectory" in source
    assert "sviten.dataset(" in source
    for call in (
        node for cell in code_cells(notebook) for node in ast.walk(ast.parse(cell.source))
    ):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in LEAVES_A_FOLDER:
            assert "out" in {each.arg for each in call.keywords}, ast.unparse(call)


def made(*sources: str, outputs: bool = False) -> Any:
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    if outputs:
        for cell in cells:
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=cell.source)]
    return nbformat.v4.new_notebook(cells=cells)


def test_what_is_stale_is_named() -> None:
    old, new = (made("a margin of 5.1 points", last, outputs=True) for last in ("10", "11"))
    assert execute.differences(old, old) == []
    assert execute.differences(old, new) == ["cell 2: stored '10', now '11'"]
    new.cells[1].outputs[0].text = "10  \n"
    assert execute.differences(old, new) == []
    new.cells[1].outputs = []
    assert execute.differences(old, new) == ["cell 2: stored 'stdout 10', now ''"]
    old.cells[1].metadata.tags = ["optional"]
    assert execute.differences(old, new) == []


def test_the_command_fails_where_a_cell_does_and_writes_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(execute, "FOLDER", tmp_path)
    path = tmp_path / "good.ipynb"
    nbformat.write(made("print(1 + 1)", "open('left-behind', 'w').close()"), path)
    before = path.read_text()
    assert execute.main([]) == 1
    assert "good: " in (told := capsys.readouterr().out)
    assert "cell 1: stored '', now 'stdout 2'" in told
    assert path.read_text() == before
    assert execute.main(["good", "--update"]) == 0
    assert execute.main(["good.ipynb"]) == 0
    assert "as stored" in capsys.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == ["good.ipynb"]
    assert not Path("left-behind").exists()
    assert execute.main(["missing"]) == 2
    assert "there are good" in capsys.readouterr().err


@pytest.mark.parametrize(
    "source", ["raise ValueError('on purpose')", "import warnings; warnings.warn('on purpose')"]
)
def test_errors_and_warnings_fail(source: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.ipynb"
    nbformat.write(made(source), path)
    with pytest.raises(CellExecutionError, match="on purpose"):
        execute.execute(path)


def test_the_command_is_called_by_make() -> None:
    makefile = (FOLDER.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert "$(PYTHON) analysis/notebooks/execute.py\n" in makefile
    assert "$(PYTHON) analysis/notebooks/execute.py --update\n" in makefile
    assert sys.modules.get("execute") is not execute  # the folder's name is nobody's module
