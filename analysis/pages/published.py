"""Published studies: runs turned into small tables, figures and the tables of a page.

A study has a folder with a page, ``README.md``, and a script that says what its tables are. Figures
and page are made of the tables as they were written, so that nothing is told that they do not hold.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.show.flat import flat_table
from analysis.show.markdown import fill_page, markdown_table
from analysis.show.text import changes_text
from simulate.store.settings import Settings

PAGE = "README.md"

Tables = Mapping[str, pd.DataFrame]
#: From the folder of the runs to tables by name.
Gather = Callable[[Path], dict[str, pd.DataFrame]]
#: Draws figures of the tables into a folder.
Draw = Callable[[Tables, Path], None]
#: From the tables to the texts of the page by the names of their marks.
Blocks = Callable[[Tables], dict[str, str]]


def publish(
    folder: Path, gather: Gather, draw: Draw, blocks: Blocks, argv: Sequence[str] | None = None
) -> None:
    """Make a study of runs that are finished, as its script is asked to.

    Parameters
    ----------
    folder : Path
        Of the study, with its page.
    gather, draw, blocks : callable
    argv : sequence of str, optional
        Arguments of the script; those of the process where it is not given.
    """
    parser = argparse.ArgumentParser(description="Makes tables, figures and page of finished runs.")
    parser.add_argument("runs", type=Path, help="folder of the runs")
    parser.add_argument("--out", type=Path, default=folder, help="folder to write to")
    chosen = parser.parse_args(argv)
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, table in gather(chosen.runs).items():
        table.to_csv(chosen.out / f"{name}.csv", index=False, float_format="%.6g")
    tables = read_tables(chosen.out)
    draw(tables, chosen.out)
    page = fill_page((folder / PAGE).read_text(encoding="utf-8"), blocks(tables))
    (chosen.out / PAGE).write_text(page, encoding="utf-8")


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Read the tables of a study by name."""
    return {
        path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""])
        for path in sorted(folder.glob("*.csv"))
    }


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Table of facts, a column for each number."""
    table: pd.DataFrame = flat_table(list(rows)).to_pandas(integer_object_nulls=True)
    return table


def describe_run(name: str, settings: Settings) -> dict[str, Any]:
    """Tell what it takes to make a run again."""
    texts = dict.fromkeys(entrant.text for entrant in settings.entrants.values())
    versions = settings.versions
    return {
        "run": name,
        "entrants": " v ".join(texts),
        "rules": changes_text(settings.rules.changes()) or "classic",
        settings.unit: settings.count,
        "legs": settings.legs,
        "seed": settings.seed,
        "engine": settings.engine,
        **{library: versions[library] for library in ("sviten", "python", "numpy", "numba")},
    }


def runs_table(runs: pd.DataFrame) -> str:
    """Tell runs of deals as a page does, and what they were made with."""
    rows = [
        [f"`{row.run}`", f"`{row.entrants}`", f"{row.deals:,}", row.legs, row.seed]
        for row in runs.itertuples()
    ]
    table = markdown_table(["run", "entrants", "deals", "legs", "seed"], rows)
    return f"{table}\n\n{made_with(runs)}"


def made_with(runs: pd.DataFrame) -> str:
    """Tell the versions that runs were made with, which are those of the first."""
    one = runs.iloc[0]
    text = f"sviten {one.sviten}, engine {one.engine}, Python {one.python}, numpy {one.numpy}"
    return f"Made with {text}, numba {one.numba}."
