"""The command, and the flat public API.

``sviten.simulate``, ``compare`` and the others are imported when they are first used;
``help(sviten)`` tells of each.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulate.errors import SvitenError as SvitenError
    from simulate.rules import Rules as Rules
    from sviten.api.check import check as check
    from sviten.api.choices import rules as rules
    from sviten.api.choices import strategies as strategies
    from sviten.api.frames import dataset as dataset
    from sviten.api.frames import join as join
    from sviten.api.hand import Hand as Hand
    from sviten.api.hand import play as play
    from sviten.api.layout import Layout as Layout
    from sviten.api.layout import best_layout as best_layout
    from sviten.api.odds import odds as odds
    from sviten.api.runs import merge as merge
    from sviten.api.runs import simulate as simulate
    from sviten.api.tables import Tables as Tables
    from sviten.api.tables import calibrate as calibrate
    from sviten.api.tables import deals as deals
    from sviten.api.tables import load as load
    from sviten.api.tables import replay as replay
    from sviten.studies.compare import compare as compare
    from sviten.studies.power import power as power
    from sviten.studies.report import report as report
    from sviten.studies.resume import resume as resume
    from sviten.studies.sweep import sweep as sweep
    from sviten.studies.tournament import tournament as tournament
    from sviten.studies.variants import variants as variants

#: Module of each public name. The imports above are the only list of them, and they are read, not
#: run: what `sviten --help` does not need is not imported.
_HOMES = {
    name: home
    for home, name in re.findall(
        r"^    from (\S+) import (\w+) as \2$", Path(__file__).read_text("utf-8"), re.MULTILINE
    )
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sviten' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


def _check_origin() -> None:
    """Refuse to work with a folder or file that only bears the name of one of our packages."""
    home = Path(__file__).resolve().parents[1]
    for name in ("simulate", "strategies", "analysis"):
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ImportError(f"package {name} is missing in {home}: install sviten again")
        places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or [])
        if not all(Path(place).resolve().is_relative_to(home) for place in places):
            raise ImportError(
                f"{places[0]} hides sviten's package {name} (in {home}): "
                "rename it, or start Python in another folder"
            )


_check_origin()
