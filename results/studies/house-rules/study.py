"""Makes tables, figures and page of this study; README.md has the commands that play its runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.pages.published import Tables, describe_run, frame, made_with, publish
from analysis.show.figures import BAND, GRID, LINE, LOSS, new_figure, save_figure
from analysis.show.markdown import markdown_table
from simulate.runs.study import open_study

#: Studies of `sviten variants`: all presets, the same with strong bidders, one rule swept.
STUDIES = ["presets", "strong", "trump-runs"]
NAMES = {"presets": "tips/counting", "strong": "calibrated/counting"}
SHADES = {"presets": "#1f4e79", "strong": "#b5651d"}
SOURCES = ["trick_points", "sets", "runs", "trump_runs", "slam_points"]
WITHIN = 2.0
SURE = 0.05
FAIR = {"dealer", "declarers"}
#: Measures that are shown in per cent.
RATES = {"passed_out", "made", "leverage", "drama", "comebacks", "luck", "skill_share"}
RATES |= {"best_wins", "dead", "first_dealer"}


# ------------------------------------------------------------------------- from runs to tables


def gather(runs: Path) -> dict[str, pd.DataFrame]:
    """Take the measures that `sviten variants` wrote: of the reference entrant, and the ladder."""
    measures, described = [], []
    for name in STUDIES:
        study = open_study(runs / name)
        entrants, sets = study.options["entrants"], study.options["sets"]
        table = pd.read_csv(runs / name / "measures.csv")
        table = table[table.entrant.isna() | (table.entrant == entrants[-1])]
        table.insert(0, "study", name)
        measures.append(table)
        settings = list(study.runs.values())
        facts = describe_run(name, settings[0])
        facts |= {"entrants": ", ".join(entrants), "rules": ", ".join(sets), "runs": len(settings)}
        described.append(facts | {"matches": max(each.matches for each in settings)})
    joined = pd.concat(measures)
    words = joined.drop_duplicates("measure")[["measure", "about"]]
    joined = joined.drop(columns=["about", "entrant"])
    return {"measures": joined, "words": words, "runs": frame(described).drop(columns="legs")}


# ----------------------------------------------------------------------------------- figures


def draw(tables: Tables, folder: Path) -> None:
    """Draw all figures."""
    measures = tables["measures"].set_index(["study", "rules", "measure"])
    _strips(
        measures,
        {
            "dealer": "dealer's side over the others, points a hand",
            "declarers": "declarers over defenders, points a contract",
        },
        "Who is favoured: 95 % intervals; shaded: less than 2 points, which counts as fair",
        folder / "favoured.png",
    )
    _strips(
        measures,
        {
            "luck": "a hand: share that the cards make, %",
            "length": "hands of a match",
            "best_wins": "matches that the best wins\nagainst the weakest of its ladder, %",
        },
        "Luck and skill: 95 % intervals",
        folder / "skill.png",
    )
    _draw_points(measures, folder / "points.png")
    _draw_trump_runs(measures, folder / "trump-runs.png")


def _sets(measures: pd.DataFrame, study: str) -> list[str]:
    """Rule sets of a study, the classic game first."""
    return list(dict.fromkeys(measures.loc[study].index.get_level_values("rules")))


def _strip(axes: Any, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color=GRID, lw=0.6)
    axes.set_axisbelow(True)


def _strips(measures: pd.DataFrame, shown: dict[str, str], title: str, path: Path) -> None:
    """Draw measures with their intervals, a line for each rule set, under both ladders."""
    names = _sets(measures, "presets")
    figure = new_figure(1.6 + 4.2 * len(shown), 5.2)
    panels = figure.subplots(1, len(shown), sharey=True)
    for axes, (measure, about) in zip(panels, shown.items(), strict=True):
        scale = 100 if measure in RATES else 1
        if measure in FAIR:
            axes.axvspan(-WITHIN, WITHIN, color=BAND, alpha=0.35, lw=0)
            axes.axvline(0, color="0.4", lw=0.8, ls="--")
        for shift, study in ((-0.13, "presets"), (0.13, "strong")):
            own = measures.loc[study].xs(measure, level="measure").loc[names]
            at = np.arange(len(names)) + shift
            axes.hlines(at, scale * own.low, scale * own.high, color=SHADES[study], lw=1.8)
            axes.plot(scale * own.value, at, "o", color=SHADES[study], ms=4.5, label=NAMES[study])
        axes.set_xlabel(about)
        _strip(axes, names)
    handles, labels = panels[0].get_legend_handles_labels()
    deals = [measures.loc[study, "classic", "dealer"].n for study in ("presets", "strong")]
    labels = [f"{label}, {n:,.0f} deals" for label, n in zip(labels, deals, strict=True)]
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    figure.suptitle(title, fontsize="medium")
    save_figure(figure, path)


def _draw_points(measures: pd.DataFrame, path: Path) -> None:
    """Draw the sources of points as stacked bars."""
    names = _sets(measures, "presets")
    values = measures.loc["presets"].value
    figure = new_figure(9, 4.6)
    axes = figure.subplots()
    start = np.zeros(len(names))
    labels = ["tricks", "sets", "runs", "trump runs", "slams"]
    shades = ["#1f4e79", "#2f7f86", "#6aa84f", "#c9b037", "#b5651d"]
    for source, name, shade in zip(SOURCES, labels, shades, strict=True):
        part = np.array([values.get((rules, source), 0.0) for rules in names])
        axes.barh(range(len(names)), part, left=start, color=shade, label=name, height=0.7)
        start += part
    lost = -np.array([values[rules, "lost"] + values[rules, "penalty"] for rules in names])
    label = "failed contracts, dead cards"
    axes.barh(range(len(names)), lost, color=LOSS, label=label, height=0.7)
    axes.axvline(0, color="0.3", lw=0.8)
    _strip(axes, names)
    n = measures.loc["presets", "classic", "points"].n
    axes.set_xlabel("points of both sides in a hand that is played")
    title = f"Where points come from: tips/counting at all seats, {n:,.0f} deals"
    axes.set_title(title, fontsize="medium", loc="left")
    figure.legend(loc="outside lower center", ncols=6, fontsize="small", frameon=False)
    save_figure(figure, path)


def _multiplier(rules: str) -> int:
    return 2 if rules == "classic" else int(rules.partition("=")[2])


def _draw_trump_runs(measures: pd.DataFrame, path: Path) -> None:
    """Draw what follows from what a run of trumps counts."""
    own = measures.loc["trump-runs"]
    names = sorted(_sets(measures, "trump-runs"), key=_multiplier)
    at = [_multiplier(name) for name in names]
    figure = new_figure(10, 3.6)
    panels = figure.subplots(1, 3)
    for axes, measure, about, scale in (
        (panels[0], "declarers", "declarers over defenders, points", 1),
        (panels[1], "luck", "luck of the cards in a hand, %", 100),
        (panels[2], "skill_share", "skill, % of a hand's deviation", 100),
    ):
        result = own.xs(measure, level="measure").loc[names]
        errors = scale * np.stack([result.value - result.low, result.high - result.value])
        axes.errorbar(
            at, scale * result.value, errors, fmt="o-", color=LINE, ms=5, lw=1.2, capsize=3
        )
        axes.set_title(about, fontsize="medium", loc="left")
        axes.set_xticks(at)
        axes.set_xlabel("trump_run_multiplier")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color=GRID, lw=0.6)
    n = own.loc["classic", "declarers"].n
    figure.suptitle(f"A run of trumps counts so many times: {n:,.0f} deals", fontsize="medium")
    save_figure(figure, path)


# ------------------------------------------------------------------------- tables of the page


def blocks(tables: Tables) -> dict[str, str]:
    """Make the tables of the page."""
    measures = tables["measures"].set_index(["study", "rules", "measure"])
    return {
        "favoured": _favoured(measures),
        "sources": _sources(measures),
        "contracts": _table(
            measures,
            "presets",
            {
                "passed_out": "passed out, %",
                "made": "made, %",
                "level": "level",
                "spread": "sd of a hand",
            },
        ),
        "matches": _table(
            measures,
            "presets",
            {
                "length": "hands",
                "excitement": "excitement",
                "leverage": "at stake in a hand, %",
                "drama": "drama, %",
                "comebacks": "comebacks, %",
                "first_dealer": "first dealer's side wins, %",
            },
        ),
        "skill": _table(
            measures,
            "presets",
            {
                "luck": "luck in a hand, %",
                "skill": "skill, points",
                "skill_share": "skill, % of sd",
                "best_wins": "best beats weakest, %",
            },
        ),
        "strong": _table(
            measures,
            "strong",
            {
                "passed_out": "passed out, %",
                "made": "made, %",
                "level": "level",
                "points": "points",
                "luck": "luck in a hand, %",
                "length": "hands a match",
                "drama": "drama, %",
                "first_dealer": "first dealer's side wins, %",
            },
        ),
        "trump runs": _table(
            measures,
            "trump-runs",
            {
                "declarers": "declarers' edge",
                "points": "points",
                "trump_runs": "from trump runs",
                "spread": "sd of a hand",
                "luck": "luck in a hand, %",
                "skill": "skill, points",
                "skill_share": "skill, % of sd",
            },
        ),
        "runs": _runs(tables["runs"]),
    }


def _cell(row: pd.Series) -> str:
    """Value with half its interval, bold where it differs from classic for sure."""
    scale = 100 if row.name[-1] in RATES else 1
    half = scale * (row.high - row.low) / 2
    digits = 1 if half >= 0.095 or half == 0 else 2
    text = f"{scale * row.value:.{digits}f} ± {half:.{digits}f}"
    return f"**{text}**" if row.p_value <= SURE else text


def _table(measures: pd.DataFrame, study: str, columns: dict[str, str]) -> str:
    names = _sets(measures, study)
    if study == "trump-runs":
        names = sorted(names, key=_multiplier)
    names_shown = {name: name.replace("trump_run_multiplier=", "times ") for name in names}
    if study == "trump-runs":
        names_shown["classic"] = "times 2 (classic)"
    rows = [
        [names_shown[name], *(_cell(measures.loc[study, name, each]) for each in columns)]
        for name in names
    ]
    return markdown_table(["rules", *columns.values()], rows)


def _verdict(row: pd.Series) -> str:
    if row.equivalence_p <= SURE:
        return "fair"
    return "unfair" if row.low > WITHIN or row.high < -WITHIN else "unsure"


def _favoured(measures: pd.DataFrame) -> str:
    rows = []
    for name in _sets(measures, "presets"):
        row = [name]
        for study in ("presets", "strong"):
            dealer, declarers = (
                measures.loc[study, name, each] for each in ("dealer", "declarers")
            )
            row += [_cell(dealer), _verdict(dealer), _cell(declarers)]
        rows.append(row)
    head = ["dealer's side", "is it", "declarers' edge"]
    return markdown_table(["rules", *head, *(f"{each} (strong)" for each in head)], rows)


def _sources(measures: pd.DataFrame) -> str:
    columns = {
        "trick_points": "tricks", "sets": "sets", "runs": "runs", "trump_runs": "trump runs",
        "slam_points": "slams", "lost": "lost", "penalty": "penalty", "points": "all",
    }  # fmt: skip
    rows = []
    for name in _sets(measures, "presets"):
        of = measures.loc["presets", name]
        row = [name, *(f"{of.value.get(each, 0.0):.1f}" for each in columns)]
        rows.append([*row, f"{100 * of.value['dead']:.1f}"])
    return markdown_table(["rules", *columns.values(), "dead cards, %"], rows)


def _runs(runs: pd.DataFrame) -> str:
    rows = [
        [f"`{each.run}`", each.entrants, f"{each.deals:,}", f"{each.matches:,}", each.seed]
        for each in runs.itertuples()
    ]
    head = ["study", "ladder, the last one the reference", "deals", "matches", "seed"]
    return f"{markdown_table(head, rows)}\n\n{made_with(runs)}"


if __name__ == "__main__":
    publish(Path(__file__).parent, gather, draw, blocks)
