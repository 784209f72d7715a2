"""The command, and the flat public API.

======================  ===========================================================
:func:`simulate`        plays deals or matches between entrants, writes a run
:func:`resume`          finishes a run or a study, or extends a run
:func:`compare`         tells which of two entrants is better
:func:`power`           how many pairs a comparison will take
:func:`sweep`           tries values of a parameter
:func:`merge`           joins runs of deals that follow one another
:func:`load`            tables of a run
:func:`join`            a table of several runs, one below the other
:func:`dataset`         a table that does not fit in memory
:func:`calibrate`       how often bids come home, and whether stated chances are right
:func:`deals`           the cards of a run's deals
:func:`replay`          one hand of a run, as a record
:func:`report`          a web page of a run
:func:`play`            one hand to look into, and to continue from another play
:func:`best_layout`     the best melds of a pile
:func:`odds`            what each bid of a hand is worth
:func:`check`           tests a strategy before it is used
:func:`strategies`      what may be named as bidder and player
:func:`rules`           a rule set
:func:`tournament`      has entrants meet each other, and rates them
:func:`variants`        sets house rules side by side
======================  ===========================================================
"""

from __future__ import annotations

import importlib
import importlib.util
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

#: Where each name lives: it is imported when it is first used, since `sviten --help` needs none.
_HOMES = {
    "Hand": "sviten.api.hand",
    "Layout": "sviten.api.layout",
    "Rules": "simulate.rules",
    "SvitenError": "simulate.errors",
    "Tables": "sviten.api.tables",
    "best_layout": "sviten.api.layout",
    "check": "sviten.api.check",
    "compare": "sviten.studies.compare",
    "calibrate": "sviten.api.tables",
    "dataset": "sviten.api.frames",
    "deals": "sviten.api.tables",
    "join": "sviten.api.frames",
    "load": "sviten.api.tables",
    "merge": "sviten.api.runs",
    "odds": "sviten.api.odds",
    "play": "sviten.api.hand",
    "power": "sviten.studies.power",
    "replay": "sviten.api.tables",
    "report": "sviten.studies.report",
    "resume": "sviten.studies.resume",
    "rules": "sviten.api.choices",
    "simulate": "sviten.api.runs",
    "strategies": "sviten.api.choices",
    "sweep": "sviten.studies.sweep",
    "tournament": "sviten.studies.tournament",
    "variants": "sviten.studies.variants",
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
