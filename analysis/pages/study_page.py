"""The page that ``sviten report`` writes of a study: its findings, tables, plots and runs."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from analysis.pages.run_page import Block, Section
from analysis.show.result import Shown
from analysis.show.text import count, rules_text
from analysis.show.webpage import render, web_table
from simulate.runs.study import Study

_TITLES = {"tournament": "Tournament", "sweep": "Sweep", "variants": "House rules side by side"}


def study_page(study: Study, result: Shown, plots: Sequence[Path]) -> str:
    """Make the page of a study.

    Parameters
    ----------
    study : Study
        Played.
    result : Shown
        What it comes to.
    plots : sequence of Path
        PNG files, which the page takes in.

    Returns
    -------
    str
        HTML that stands alone.
    """
    tables = [
        Block(table.title, table=web_table(table.columns, table.rows))
        for table in result.shown_tables()
    ]
    sections = [
        Section("results", "Results", tables, result.notes()),
        Section("plots", "Plots", [Block(drawing=_picture(path)) for path in plots]),
        Section("runs", "The runs", [_runs(study), *_rules_and_versions(study)]),
    ]
    sets = {
        rules_text(settings.rules.changes(), "classic rules") for settings in study.runs.values()
    }
    page = {
        "title": _title(study),
        "played": count(len(study.runs), "run"),
        "rules": sets.pop() if len(sets) == 1 else count(len(sets), "rule set"),
        "seed": study.seed,
        "findings": result.sentence().splitlines(),
        "facts": [],
        "sections": [section for section in sections if section.blocks],
    }
    return render("report.html", page=page)


def _title(study: Study) -> str:
    if study.kind != "compare":
        return _TITLES.get(study.kind, study.folder.name)
    (settings,) = study.runs.values()
    return " v ".join(dict.fromkeys(seated.text for seated in settings.entrants.values()))


def _picture(path: Path) -> Markup:
    """Put a PNG file into the page."""
    data = base64.b64encode(path.read_bytes()).decode()
    about = path.stem.replace("-", " ").replace("_", " ")
    return Markup('<img alt="{}" src="data:image/png;base64,{}">').format(about, data)


def _runs(study: Study) -> Block:
    rows = []
    for name, settings in study.runs.items():
        seated = ", ".join(f"{seat} {each.text}" for seat, each in settings.entrants.items())
        rows.append([name, seated, f"{settings.count:,}", settings.unit, str(settings.legs)])
    columns = ["folder", "entrants in leg 0", "number", "of", "legs"]
    return Block(table=web_table(columns, rows), folded="Folders, entrants and deals")


def _rules_and_versions(study: Study) -> list[Block]:
    first = next(iter(study.runs.values()), None)
    if first is None:
        return []
    rules = {
        name.partition("--")[0] if study.kind == "variants" else "all": settings.rules
        for name, settings in study.runs.items()
    }
    rows = [[name, rules_text(each.changes(), "classic rules")] for name, each in rules.items()]
    versions = [[name, version] for name, version in first.versions.items()]
    return [
        Block(table=web_table(["runs", "rules"], rows), folded="Rules"),
        Block(table=web_table(["software", "version"], versions), folded="Versions"),
    ]
