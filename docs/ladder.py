"""Plays the ladder, and writes its tables into docs/strategies.md: ``make ladder``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import sviten
from analysis.show.markdown import markdown_table, replace_block
from analysis.tournament.ladder import Ladder
from sviten.display.progress import Progress, watch_compiling

PAGE = Path(__file__).with_name("strategies.md")
BEGIN, END = "<!-- ladder: made by `make ladder` -->", "<!-- end of the ladder -->"


def block(ladders: Sequence[Ladder], seed: int) -> str:
    """Tables of the ladder as the page has them."""
    lines = [f"{ladders[0].note()} Seed {seed}, sviten {version('sviten')}.", ""]
    for ladder in ladders:
        table = ladder.table()
        rows = [
            [f"`{name}`", *(cell.replace("+-", "±") for cell in cells)]
            for name, *cells in table.rows
        ]
        lines += [f"**{table.title}**", "", markdown_table(table.columns, rows), ""]
    return "\n".join(lines[:-1])


def main() -> None:
    """Play, or go on, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=3000)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--out", type=Path, default=Path("results/ladder"))
    chosen = parser.parse_args()
    with Progress(watch_compiling(), "deals and matches") as progress:
        played = sviten.tournament(
            ladder=True,
            deals=chosen.deals,
            matches=chosen.matches,
            seed=chosen.seed,
            jobs=chosen.jobs,
            out=chosen.out,
            progress=progress,
        )
    text = block(played.ladders, chosen.seed)
    page = replace_block(PAGE.read_text(encoding="utf-8"), BEGIN, END, text)
    PAGE.write_text(page, encoding="utf-8")
    print(text)
    for entrant, why in played.failed.items():
        print(f"failed: {entrant}: {why}")


if __name__ == "__main__":
    main()
