"""``sviten bench``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sviten.commands.options import Json
from sviten.display.output import print_json


def bench(
    variants: Annotated[
        bool, typer.Option("--variants", help="Measure a hand under every preset instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure this machine: time of a deal, a hand, a layout, a row."""
    from sviten.api import bench as measuring
    from sviten.display.progress import tell, watch_compiling

    watch_compiling()
    measured: dict[str, Any]
    if variants:
        measured = measuring.measure_variants(progress=tell)
        text = measuring.report_variants(measured)
    else:
        measured = measuring.measure(progress=tell)
        text = measuring.report(measured)
    if as_json:
        print_json(measured)
    else:
        print(text)
