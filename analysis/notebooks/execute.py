"""Runs the notebooks of this folder in a fresh kernel each, and compares their outputs.

``python analysis/notebooks/execute.py`` fails where a cell raises or warns, or where what is stored
says something else than what comes out; it writes nothing. With ``--update`` it stores what came
out. Names of notebooks, such as ``02-bid-calibration``, choose some of them.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).parent
SECONDS_A_CELL = 600
#: Warnings are errors, but for those of the kernel's own house.
_STRICT = (
    "import warnings; warnings.simplefilter('error'); "
    "warnings.simplefilter('ignore', PendingDeprecationWarning); "
    "warnings.simplefilter('ignore', ResourceWarning)"
)


def execute(path: Path) -> Any:
    """Run a notebook in a temporary folder; returns it with the outputs that came.

    Raises
    ------
    CellExecutionError
        When a cell raises or warns.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory(prefix="sviten-notebook-") as folder:
        client = NotebookClient(
            notebook,
            timeout=SECONDS_A_CELL,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            extra_arguments=[f"--IPKernelApp.exec_lines={_STRICT}", "--log-level=ERROR"],
            record_timing=False,
            coalesce_streams=True,  # how many pieces a text comes in is chance
        )
        client.execute()
    # What differs from machine to machine is not stored.
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    return notebook


def words_of(cell: Any) -> list[str]:
    """Words of a cell's outputs, and what kinds they are; pictures are taken for alike."""
    words = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        words += [output.get("name", output["output_type"]), *sorted(data)]
        words += (output.get("text", "") + data.get("text/plain", "")).split()
    return words


def differences(stored: Any, made: Any) -> list[str]:
    """Say which cells of a notebook come out otherwise than they are stored."""
    rows = []
    for number, (old, new) in enumerate(zip(stored.cells, made.cells, strict=True), 1):
        before, after = words_of(old), words_of(new)
        # What an optional cell says depends on what is installed.
        if before == after or "optional" in old.metadata.get("tags", []):
            continue
        place = next(
            (k for k, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]),
            min(len(before), len(after)),
        )
        old_text, new_text = (" ".join(words[place : place + 8]) for words in (before, after))
        rows.append(f"cell {number}: stored {old_text!r}, now {new_text!r}")
    return rows


def main(arguments: list[str]) -> int:
    """Run the notebooks that are named, or all; returns the exit code."""
    names = [name.removesuffix(".ipynb") for name in arguments if not name.startswith("--")]
    known = {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}
    if unknown := [name for name in names if name not in known]:
        print(f"no notebook {', '.join(unknown)}: there are {', '.join(known)}", file=sys.stderr)
        return 2
    failed = 0
    for name in names or known:
        began = time.monotonic()
        stored = nbformat.read(known[name], as_version=4)
        try:
            made = execute(known[name])
        except CellExecutionError as error:
            failed = 1
            plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
            print(f"{name}: {plain}", file=sys.stderr)
            continue
        if "--update" in arguments:
            nbformat.write(made, known[name])
            outcome = "stored"
        elif result := differences(stored, made):
            failed = 1
            outcome = "STALE: `make notebooks-update` stores what comes out now"
            outcome += "".join(f"\n    {line}" for line in result)
        else:
            outcome = "as stored"
        print(f"{name}: {time.monotonic() - began:.0f} s, {outcome}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
