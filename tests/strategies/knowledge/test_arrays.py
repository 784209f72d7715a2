"""Numbers that strategies bring along: handed over, part of their source, copied, never stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sviten
from simulate.errors import StrategyError
from strategies.declare.registry import find_in_file
from strategies.declare.spec import load_entrant
from strategies.knowledge.arrays import MOST_BYTES, read_arrays

HEAD = """
import importlib, json, os
from pathlib import Path

import numpy as np

from simulate.compiled.bits import highest, lowest
from strategies.declare.registry import Parameter, player
from strategies.knowledge.arrays import matrix, numbers

HERE = Path(__file__).parent
"""

DECLARED = """
@player("mine", looks_at="numbers", source="a test", data=["w.npz", "more.npy"],
        parameters=[Parameter("bias", 0, -1, 1, "a test")])
def mine(view, work):
    \"\"\"Play high where the numbers of all arrays add up to more than nothing.\"\"\"
    table = matrix(view, 1)
    total = numbers(view, 0).sum() + table[1, 2] + numbers(view, 1)[5] + numbers(view, 2)[0]
    if table.shape[0] != 2 or table.shape[1] != 3 or matrix(view, 0).shape[1] != 1:
        return -1
    return highest(view.legal) if total + view.params[0] > 0 else lowest(view.legal)
"""

#: Ways of a file to other numbers, which its kernel freezes: code, and what changes them.
WAYS = {
    "npy": 'C = int(np.load(HERE / "c.npy")[0])',
    "json": 'C = json.loads((HERE / "c.json").read_text())["c"]',
    "text": 'C = float((HERE / "c.txt").read_text())',
    "environment": 'C = int(os.environ["SVITEN_TEST_NUMBER"])',
    "import": 'C = importlib.import_module("neigh" + "bour").C',
    "array": 'C = json.loads((HERE / "c.json").read_text())["c"] * np.ones(3)',
}


def write_number(folder: Path, number: int) -> None:
    np.save(folder / "c.npy", np.array([number]))
    (folder / "c.json").write_text(f'{{"c": {number}}}')
    (folder / "c.txt").write_text(str(number))
    neighbour = folder / "neighbour.py"
    neighbour.write_text(f"C = {number}\n")
    os.utime(neighbour, ns=(number, number))  # in one second: by Python's bytecode no other file


def write_frozen(folder: Path, way: str) -> Path:
    file = folder / "mine.py"
    number = "C[0]" if way == "array" else "C"
    file.write_text(
        f"""{HEAD}
{WAYS[way]}


@player("mine", looks_at="a number", source="a test")
def mine(view, work):
    return highest(view.legal) if {number} > 0 else lowest(view.legal)
"""
    )
    return file


def score(file: Path, out: Path, **options: object) -> tuple[int, str]:
    run = sviten.simulate(
        f"tips/{file}:mine", "tips/high", deals=40, seed=3, jobs=1, out=out, **options
    )
    return int(run.hands["score_ns"].sum()), run.settings.entrants["N"].source


@pytest.mark.parametrize("way", WAYS)
def test_what_is_frozen_is_never_stale(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_frozen(tmp_path, way)
    seen = []
    for number in (0, 1, 0):
        write_number(tmp_path, number)
        monkeypatch.setenv("SVITEN_TEST_NUMBER", str(number))
        if way == "environment":  # which no file tells of: as another process would load it
            os.utime(file, ns=(len(seen), len(seen)))
        seen.append(score(file, tmp_path / f"run-{len(seen)}"))
    assert seen[0] == seen[2]
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] != seen[1][1]


@pytest.mark.parametrize("way", ["npy", "import"])
def test_copies_of_what_was_read_are_run(way: str, tmp_path: Path) -> None:
    file = write_frozen(tmp_path, way)
    write_number(tmp_path, 1)
    run = sviten.simulate(f"tips/{file}:mine", deals=40, seed=3, jobs=1, out=tmp_path / "run")
    before = run.hands["score_ns"].tolist()
    write_number(tmp_path, 0)
    assert sviten.replay(run, 3)["deal_id"] == 3
    longer = sviten.resume(run.folder, deals=60, jobs=1)
    assert longer.hands["score_ns"].tolist()[:40] == before


def test_another_process_gets_the_same_source(tmp_path: Path) -> None:
    file = write_frozen(tmp_path, "npy")
    write_number(tmp_path, 1)
    own = load_entrant(f"tips/{file}:mine").source
    code = (
        "from strategies.declare.spec import load_entrant\n"
        f"print(load_entrant('tips/{file}:mine').source)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == own


def test_declared_arrays_are_handed_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + DECLARED)
    np.save(tmp_path / "more.npy", np.array([0]))
    seen = []
    for number in (0, 3):
        np.savez(tmp_path / "w.npz", a=np.zeros(4), b=np.full((2, 3), number))
        seen.append(score(file, tmp_path / f"run-{number}"))
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] != seen[1][1]
    kernel = find_in_file("player", file, "mine").kernel
    assert len(kernel.overloads) == 1  # nothing was compiled for other numbers
    sources = tmp_path / "run-3" / "sources" / "0"
    assert sorted(path.name for path in sources.iterdir() if path.is_file()) == [
        "mine.py", "more.npy", "w.npz",
    ]  # fmt: skip
    np.savez(tmp_path / "w.npz", a=np.zeros(4), b=np.zeros((2, 3)))
    longer = sviten.resume(tmp_path / "run-3", deals=50, jobs=1)
    assert int(longer.hands["score_ns"][:40].sum()) == seen[1][0]
    (sources / "more.npy").unlink()
    with pytest.raises(StrategyError, match=r"names a data file that cannot be read, .*more\.npy"):
        sviten.resume(tmp_path / "run-3", deals=60, jobs=1)


def test_an_array_that_is_not_there_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + DECLARED.replace("numbers(view, 2)", "numbers(view, 3)"))
    np.savez(tmp_path / "w.npz", a=np.zeros(4), b=np.zeros((2, 3)))
    np.save(tmp_path / "more.npy", np.zeros(1))
    with pytest.raises(StrategyError, match="hold no array of that number in deal 1"):
        score(file, tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("w.csv", b"1,2", "write it with numpy"),
        ("w.npy", b"no array", "cannot be read"),
        ("w.npz", b"PK no", "cannot be read"),
        ("o.npy", np.array([{}], object), "Object arrays"),
        ("t.npy", np.array(["text"]), "holds numbers in one dimension or two"),
        ("d.npy", np.zeros((2, 2, 2)), "3 dimensions"),
    ],
)
def test_what_is_no_data_is_refused(
    name: str, content: bytes | np.ndarray, text: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        np.save(file, content, allow_pickle=True)
    with pytest.raises(StrategyError, match=text):
        read_arrays([file])


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    np.savez_compressed(file, a=np.zeros(MOST_BYTES // 8 + 1))
    assert file.stat().st_size < 1_000_000
    with pytest.raises(StrategyError, match="at most"):
        read_arrays([file])
