"""Options that several commands take."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from simulate.rules import Rules


class Backend(StrEnum):
    """How jobs run."""

    threading = "threading"
    loky = "loky"
    dask = "dask"


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Variant = Annotated[
    str, typer.Option(help="Rules: a preset, or a TOML file; several are joined by +.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Change a field of the rules; repeatable."),
]
Seed = Annotated[int | None, typer.Option(help="0 to 2**64 - 1.", show_default="drawn, and told")]
Out = Annotated[Path | None, typer.Option(help="Folder.", show_default="one under results/")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what stands in the folder.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Workers.", show_default="as many as there are cores")
]
BackendOption = Annotated[
    Backend, typer.Option(help="Threads, processes, or the workers of a dask cluster.")
]
Scheduler = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Of the dask cluster, which must see the folder of the run.",
        show_default="DASK_SCHEDULER_ADDRESS",
    ),
]


def chosen_rules(variant: str, changes: list[str] | None) -> Rules:
    """Rules as named on the command line."""
    from simulate.rules import load_rules, read_change

    return load_rules(variant, dict(map(read_change, changes or [])))
