"""``sviten replay``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sviten.commands.options import Json
from sviten.display.output import print_json


def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.")],
    deal_id: Annotated[int, typer.Argument(metavar="DEAL_ID", min=0)],
    leg: Annotated[int, typer.Option(min=0, help="1 for the seats changed.")] = 0,
    why: Annotated[
        bool, typer.Option("--why", help="Tell what players that weigh cards gave each of them.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to step through instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell one hand of a run, trick by trick."""
    from simulate.runs.play import open_run
    from sviten.api.tables import Tables
    from sviten.display.progress import watch_compiling
    from sviten.display.text import record_text, shows_signs

    watch_compiling()
    record = Tables(open_run(run)).hand(deal_id, leg, why=why).record
    if html:
        from analysis.show.webpage import replay_page
        from simulate.store.atomic import write_whole

        write_whole(html, replay_page(record).encode())
        if as_json:
            print_json({"run": str(run), "page": str(html), "bytes": html.stat().st_size})
        else:
            print(f"{html}: to be opened in any browser")
    elif as_json:
        print_json(record)
    else:
        print(record_text(record, signs=shows_signs(sys.stdout)), end="")
