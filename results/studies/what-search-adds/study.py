"""Makes tables, figures and page of this study; README.md has the commands that play its runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

import sviten
from analysis.pages.published import Tables, describe_run, frame, publish, runs_table
from analysis.show.figures import GRID, new_figure, save_figure
from analysis.show.markdown import markdown_table
from simulate.runs.pairing import meeting_of
from simulate.runs.study import open_study

CONFIDENCE = 0.99
METHOD = "student 99 %, paired deals"
OPPONENT, CLAIRVOYANT, PLAIN = "tips/high", "tips/oracle", "tips/counting"
#: Runs in which a player meets counting on the deals that counting also plays alone.
THINKERS = {"search": "search", "search-64": "search(worlds=64)", "oracle": "oracle (sees all)"}
PARTS = ["tricks", "melds", "failed contracts", "slams"]
FAIL, SLAM = 10, 25  # of the classic rules
SHADES = ["#1f4e79", "#6aa84f", "#c0504d", "#b5651d"]


# ------------------------------------------------------------------------- from runs to tables


def estimate(values: np.ndarray) -> dict[str, Any]:
    """Mean of values that are independent, a deal each, with Student's interval."""
    n = len(values)
    half = special.stdtrit(n - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / math.sqrt(n)
    mean = values.mean()
    return {"n": n, "value": mean, "low": mean - half, "high": mean + half, "method": METHOD}


def margins(hands: pd.DataFrame) -> np.ndarray:
    """Take what the entrant at N in leg 0 scores more than the other, a hand, by deal."""
    ahead = hands.score_ns - hands.score_ew
    return np.where(hands.leg == 0, ahead, -ahead).reshape(-1, 2).mean(axis=1)


def gather(runs: Path) -> dict[str, pd.DataFrame]:
    """Add up the ladder, the duels, and what is gained where."""
    facts = {"players": _players(runs / "ladder"), "duels": [], "gains": []}
    described = []
    for folder in sorted(runs.iterdir()):
        if folder.name == "ladder":
            first = next(iter(open_study(folder).runs.values()))
            described.append(describe_run("ladder", first) | {"entrants": "the ladder"})
            continue
        run = sviten.load(folder)
        described.append(describe_run(folder.name, run.settings))
        if run.settings.legs == 2:
            one, other = (run.settings.entrants[seat].text for seat in "NE")
            facts["duels"].append({"one": one, "other": other} | estimate(margins(run.hands)))
    alone = sviten.load(runs / "counting-alone").hands
    for name, player in THINKERS.items():
        facts["gains"] += _gains(player, sviten.load(runs / name).hands, alone)
    return {name: frame(rows) for name, rows in facts.items()} | {"runs": frame(described)}


def _players(folder: Path) -> list[dict[str, Any]]:
    """Strength of each player of the ladder, share of the way to the clairvoyant one, and cost."""
    study = open_study(folder)
    over = {OPPONENT: 0.0}
    for name in study.standing:
        if study.runs[name].unit == "deals":
            entrant = meeting_of(study.runs[name]).other[0]
            over[entrant] = -margins(sviten.load(folder / name).hands)
    table = pd.read_csv(folder / "ladder.csv").drop_duplicates("entrant").set_index("entrant")
    cost = table.microseconds
    rows = []
    for entrant in table[table.ladder.str.startswith("Players")].index:
        deals = over[entrant] + np.zeros(table.n.max())
        # Of a ratio of means, by linearisation.
        best = over[CLAIRVOYANT]
        share = deals.mean() / best.mean()
        within = estimate((deals - share * best) / best.mean())
        rows.append(
            {"entrant": entrant}
            | estimate(deals)
            | {"share": share, "share_low": share + within["low"]}
            | {"share_high": share + within["high"], "microseconds": cost[entrant]}
            | {"cost": cost[entrant] / cost[PLAIN]}
        )
    return rows


def _sources(hands: pd.DataFrame) -> pd.DataFrame:
    """Part what declarers score more than defenders by where it comes from."""
    scored = hands.made.fillna(True).astype(int)  # a contract that fails scores nothing else
    fine = np.where(scored == 0, -FAIL * hands.level, 0)
    parts = pd.DataFrame(
        {
            "tricks": scored * hands.tricks_decl - hands.tricks_def,
            "melds": scored * hands.meld_points_decl - hands.meld_points_def,
            "failed contracts": fine,
            "slams": SLAM * ((hands.tricks_decl == 13) * 1 - (hands.tricks_def == 13) * 1),
        }
    )
    assert (parts.sum(axis=1) == hands.score_decl - hands.score_def).all()
    return parts


def _gains(player: str, hands: pd.DataFrame, alone: pd.DataFrame) -> list[dict[str, Any]]:
    """Tell what a player gains on counting as declarer and as defender, by source and level.

    With the bidder `tips` all hands of a deal end in the same contract, whoever plays it. So what
    the player makes of it is compared with what counting makes of it against counting.
    """
    deals = len(hands) // 2
    alone = alone.iloc[:deals].reset_index(drop=True)
    legs = [hands[hands.leg == leg].reset_index(drop=True) for leg in (0, 1)]
    for leg in legs:
        for column in ("deal_id", "declarer", "level", "denomination"):
            assert (leg[column] == alone[column]).all(), column
    base, parts = _sources(alone), [_sources(leg) for leg in legs]
    ours = (alone.declarer % 2 == 0).to_numpy()  # the player sits N and S in leg 0
    bid = (alone.declarer >= 0).to_numpy()
    level = alone.level.to_numpy()
    rows = []
    for role, mine, sign in (("declaring", ours, 1), ("defending", ~ours, -1)):
        gained = sign * (parts[0].where(np.c_[mine].repeat(len(PARTS), 1), parts[1]) - base)
        gained["all"] = gained[PARTS].sum(axis=1)
        facts = {"player": player, "role": role}
        for part in ("all", *PARTS):
            rows.append(facts | {"level": "all", "part": part} | estimate(gained[part][bid]))
        for each in np.unique(level[bid]):
            there = bid & (level == each)
            if there.sum() >= 30:
                one = {"level": str(each), "part": "all"}
                rows.append(facts | one | estimate(gained["all"][there]))
        played = [leg[mine == first] for leg, first in zip(legs, (True, False), strict=True)]
        hands_of = pd.concat(played).sort_values("deal_id").reset_index(drop=True)
        for fact, column, of in (
            ("tricks taken", "tricks_decl", hands_of),
            ("melds laid", "melds_decl", hands_of),
            ("contracts made, %", "made", hands_of),
        ):
            new, old = (each[column].astype("Int64")[bid].to_numpy(float) for each in (of, alone))
            change = sign * (100 if column == "made" else 1) * (new - old)
            rows.append(facts | {"level": "all", "part": fact} | estimate(change))
    return rows


# ----------------------------------------------------------------------------------- figures


def draw(tables: Tables, folder: Path) -> None:
    """Draw all figures."""
    _draw_strength(tables["players"], folder / "strength.png")
    _draw_gains(tables["gains"], folder / "gains.png")


def _draw_strength(players: pd.DataFrame, path: Path) -> None:
    """Points a hand against the time that a hand takes."""
    figure = new_figure(8.2, 4.8)
    axes = figure.subplots()
    n = players.n.max()
    for row in players[players.entrant != "tips/random"].itertuples():
        shade = "#b03a2e" if row.entrant == CLAIRVOYANT else "#1f4e79"
        half = (row.high - row.low) / 2
        axes.errorbar(row.cost, row.value, half, fmt="o", color=shade, ms=6, capsize=3, lw=1.2)
        name = row.entrant.partition("/")[2] + (" (sees all)" if shade == "#b03a2e" else "")
        axes.annotate(
            name, (row.cost, row.value), xytext=(8, -4), textcoords="offset points", fontsize=9
        )
    axes.set_xscale("log")
    axes.set_xlim(right=4 * players.cost.max())
    axes.axhline(0, color="0.6", lw=0.8, ls="--")
    axes.set_xlabel("time of a hand, counting = 1 (logarithmic)")
    axes.set_ylabel("points a hand over tips/high")
    title = f"What thinking adds, and costs: 99 % intervals, {n:,} paired deals, bidder tips"
    axes.set_title(title, fontsize="medium", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GRID, lw=0.6)
    axes.set_axisbelow(True)
    save_figure(figure, path)


def _draw_gains(gains: pd.DataFrame, path: Path) -> None:
    """Gains on counting by role and source."""
    figure = new_figure(9.6, 4.2)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, role in zip(panels, ("declaring", "defending"), strict=True):
        own = gains[(gains.role == role) & (gains.level == "all")]
        for place, player in enumerate(THINKERS.values()):
            labelled = place == 0 and role == "declaring"
            of = own[own.player == player].set_index("part")
            up = down = 0.0
            for part, shade in zip(PARTS, SHADES, strict=True):
                value = of.value[part]
                start = up if value > 0 else down
                name = part if labelled else None
                axes.bar(place, value, 0.6, bottom=start, color=shade, label=name)
                up, down = (up + value, down) if value > 0 else (up, down + value)
            total = of.loc["all"]
            axes.errorbar(
                place, total.value, (total.high - total.low) / 2, fmt="D", color="black", ms=5,
                capsize=4, label="all, 99 % interval" if labelled else None,
            )  # fmt: skip
        axes.axhline(0, color="0.4", lw=0.8)
        axes.set_xticks(range(len(THINKERS)), list(THINKERS.values()))
        axes.set_title(f"gained by {role}", fontsize="medium", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color=GRID, lw=0.6)
        axes.set_axisbelow(True)
    panels[0].set_ylabel("points of margin a contract, over counting")
    figure.legend(loc="outside lower center", ncols=5, frameon=False, fontsize="small")
    save_figure(figure, path)


# ------------------------------------------------------------------------- tables of the page


def blocks(tables: Tables) -> dict[str, str]:
    """Make the tables of the page."""
    return {
        "players": _players_table(tables["players"]),
        "duels": _duels_table(tables["duels"]),
        "gains": _gains_table(tables["gains"]),
        "levels": _levels_table(tables["gains"]),
        "runs": runs_table(tables["runs"]),
    }


def _half(row: Any, digits: int = 1) -> str:
    return f"{row.value:+.{digits}f} ± {(row.high - row.low) / 2:.{digits}f}"


def _players_table(players: pd.DataFrame) -> str:
    rows = []
    for row in players.itertuples():
        low, high = 100 * row.share_low, 100 * row.share_high
        same = row.entrant == OPPONENT
        share = f"{100 * row.share:.0f} % ({low:.0f} to {high:.0f})"
        if row.entrant in (OPPONENT, CLAIRVOYANT):
            share = f"{100 * row.share:.0f} %"
        cost = f"{row.cost:,.0f}" if row.cost >= 10 else f"{row.cost:.2f}"
        rows.append([f"`{row.entrant}`", "0" if same else _half(row), share, cost])
    head = ["entrant", "points a hand over `tips/high`", "of the way to `oracle`", "time of a hand"]
    return markdown_table(head, rows)


def _duels_table(duels: pd.DataFrame) -> str:
    rows = [
        [f"`{row.one}`", f"`{row.other}`", _half(row), f"{row.n:,}"] for row in duels.itertuples()
    ]
    return markdown_table(["entrant", "against", "points a hand", "paired deals"], rows)


def _gains_table(gains: pd.DataFrame) -> str:
    facts = ["tricks taken", "melds laid", "contracts made, %"]
    rows = []
    for (player, role), own in gains[gains.level == "all"].groupby(["player", "role"], sort=False):
        of = {row.part: row for row in own.itertuples()}
        cells = [_half(of[part]) for part in ("all", *PARTS)]
        cells += [_half(of[fact], 2 if fact != facts[2] else 1) for fact in facts]
        rows.append([f"`{player.split(' ')[0]}` {role}", *cells])
    head = ["over counting", "all", *PARTS, "tricks", "declarers' melds", "made, %"]
    return markdown_table(head, rows)


def _levels_table(gains: pd.DataFrame) -> str:
    own = gains[(gains.part == "all") & (gains.level != "all")]
    levels = sorted(own.level.unique())
    rows = []
    for (player, role), of in own.groupby(["player", "role"], sort=False):
        by = {row.level: row for row in of.itertuples()}
        cells = [f"{_half(by[each])} ({by[each].n:,})" if each in by else "-" for each in levels]
        rows.append([f"`{player.split(' ')[0]}` {role}", *cells])
    return markdown_table(["over counting", *(f"level {each} (n)" for each in levels)], rows)


if __name__ == "__main__":
    publish(Path(__file__).parent, gather, draw, blocks)
