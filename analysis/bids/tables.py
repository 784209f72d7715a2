"""Bid success and calibration as CSV files, a row for each kind of contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from analysis.bids.calibration import Calibration
from analysis.show.flat import write_csv
from analysis.stats.reliability import Reliability


def write_tables(calibration: Calibration, folder: Path) -> list[Path]:
    """Write what :func:`bid_tables` gives, each to a file of its name.

    Parameters
    ----------
    calibration : Calibration
    folder : Path
        Made where it is not there.

    Returns
    -------
    list of Path
        The files written.
    """
    tables = bid_tables(calibration)
    return [write_csv(rows, folder / f"{name}.csv") for name, rows in tables.items()]


def bid_tables(calibration: Calibration) -> dict[str, list[dict[str, Any]]]:
    """Rows of ``bids``, ``stated`` and ``scores``, ``forced`` and ``selection``, where there are.

    Chosen and forced contracts stand in tables of their own. All intervals are of 95 %: that of a
    rate by the method that its row names, Student's of means.
    """
    tables = {
        "bids": [
            *_rows(bid.as_dict() for bid in calibration.bids),
            *_by(calibration.feature, (bid.as_dict() for bid in calibration.by_feature)),
        ],
        "stated": [row for each in calibration.reliability for row in _groups(each)],
        "scores": [_scores(each) for each in calibration.reliability],
    }
    if forced := calibration.forced:
        tables["forced"] = [
            *_rows(bid.as_dict() for bid in forced.bids),
            *_by(forced.feature, (bid.as_dict() for bid in forced.by_feature)),
        ]
        tables["selection"] = _rows(each.as_dict() for each in forced.selected)
    return {name: rows for name, rows in tables.items() if rows}


def _rows(facts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"n" if name == "count" else name: value for name, value in f.items()} for f in facts]


def _by(feature: Any, facts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"by": feature.name} for row in _rows(facts)]


def _groups(reliability: Reliability) -> list[dict[str, Any]]:
    """Contracts in groups of neighbouring chances."""
    return [
        {
            "entrant": reliability.entrant,
            "stated_from": group.low,
            "stated_to": group.high,
            "n": group.contracts,
            "made": group.made,
            "mean_stated": group.stated,
            "rate": group.made / group.contracts,
            "interval": group.interval,
            "method": group.method,
        }
        for group in reliability.groups()
    ]


def _scores(reliability: Reliability) -> dict[str, Any]:
    """Tell what the chances of an entrant come to, the curve left out."""
    facts = reliability.as_dict()
    del facts["curve"], facts["sentence"]
    return {"entrant": facts.pop("entrant"), "n": facts.pop("contracts")} | facts
