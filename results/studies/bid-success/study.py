"""Makes tables, figures and page of this study; README.md has the commands that play its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sviten
from analysis.bids.tables import bid_tables
from analysis.pages.published import Tables, describe_run, frame, publish, runs_table
from analysis.show.figures import GRID, new_figure, save_figure
from analysis.show.markdown import markdown_table
from analysis.stats.intervals import rate_interval, rate_method

BIDDERS = ["tips", "points", "calibrated", "montecarlo"]
#: Runs of one entrant at all seats.
ALONE = [*BIDDERS, "calibrated-counting"]
PLACES = ["first", "second", "third", "dealer"]
#: With fewer contracts means are not shown.
FEW = 30
SHADES = dict(zip(BIDDERS, ["#8c8c8c", "#2f7f86", "#1f4e79", "#b5651d"], strict=True))


# ------------------------------------------------------------------------- from runs to tables


def gather(runs: Path) -> dict[str, pd.DataFrame]:
    """Add up the runs, by what `sviten calibrate` makes of each."""
    facts: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("runs", "bids", "selection", "stated", "scores", "forced")
    }

    def add(name: str, forced: Path | None = None) -> None:
        run = sviten.load(runs / name)
        facts["runs"].append(describe_run(name, run.settings))
        one, other = (run.settings.entrants[seat].text for seat in "NE")
        against = {one: "itself"} if one == other else {one: other, other: one}
        for kind, rows in bid_tables(sviten.calibrate(run, by="position", forced=forced)).items():
            if kind != "forced":
                facts[kind] += [{"against": against[row["entrant"]]} | row for row in rows]

    for name in ALONE:
        add(name, runs / "forced" if name in BIDDERS else None)
    league = sorted(path.parent.name for path in (runs / "league").glob("*/run.json"))
    for name in league:
        add(f"league/{name}")
    facts["positions"] = [
        row
        for row in facts["bids"]
        if "by" in row
        and row["against"] == "itself"
        and (row["level"] is None or (row["level"], row["denomination"]) == (6, "NT"))
    ]
    facts["bids"] = [
        row
        for row in facts["bids"]
        if "by" not in row and (row["against"] == "itself" or row["denomination"] is None)
    ]
    facts["stated"] = [row for row in facts["stated"] if row["against"] == "itself"]

    given = sviten.load(runs / "forced")
    facts["runs"].append(describe_run("forced", given.settings))
    for feature in ("length", "structures"):
        rows = bid_tables(sviten.calibrate(given, by=feature))["forced"]
        facts["forced"] += [
            row
            for row in rows
            if (row["denomination"] is None if "by" in row else feature == "length")
        ]
    facts["openings"] = _openings(sviten.load(runs / "calibrated"))
    tables = {name: frame(rows) for name, rows in facts.items()}
    tables["scores"] = tables["scores"].assign(method="student; by chance: 500 draws")
    pairings = pd.read_csv(runs / "league" / "pairings.csv")
    deals = sviten.load(runs / "league" / league[0]).settings.count
    return tables | {"pairings": pairings.assign(n=deals, method="student, paired deals")}


def _openings(run: Any) -> list[dict[str, Any]]:
    """Count who bids first, by place in the order of calling."""
    first = run.calls[run.calls.call > 0].groupby("deal_id").first()
    dealer = run.hands.set_index("deal_id").dealer.reindex(first.index)
    places = ((first.seat - dealer - 1) % 4).value_counts()
    return [
        {"entrant": run.settings.entrants["N"].text, "place": name, "n": len(first)}
        | {"opens": places.get(at, 0), "rate": places.get(at, 0) / len(first)}
        | {"interval": rate_interval(places.get(at, 0), len(first))}
        | {"method": rate_method(places.get(at, 0), len(first))}
        for at, name in enumerate(PLACES)
    ]


# ----------------------------------------------------------------------------------- figures


def draw(tables: Tables, folder: Path) -> None:
    """Draw all figures."""
    _draw_made(tables, folder / "made.png")
    _draw_hands(tables, folder / "hands.png")
    _draw_stated(tables, folder / "stated.png")


def _levels(bids: pd.DataFrame, bidder: str) -> pd.DataFrame:
    own = bids[(bids.entrant == f"{bidder}/greedy") & (bids.against == "itself")]
    return own[own.denomination.isna() & own.level.notna()]


def _draw_made(tables: Tables, path: Path) -> None:
    """Made rates by level beside those of any hand, and at which levels contracts are played."""
    figure = new_figure(9.6, 4.6)
    made, share = figure.subplots(1, 2)
    forced = tables["forced"]
    given = forced[forced.by.isna()].groupby("level").rate.mean()
    made.plot(given.index, 100 * given, "--", color="0.35", lw=1.4, label="forced on any hand")
    for place, bidder in enumerate(BIDDERS):
        own = _levels(tables["bids"], bidder)
        total = own.n.sum()
        often = own[own.n >= FEW]
        at = often.level + 0.06 * (place - 1.5)
        errors = np.abs(100 * np.stack([often.rate - often.low, often.high - often.rate]))
        made.errorbar(
            at, 100 * often.rate, errors, fmt="o-", color=SHADES[bidder], ms=4, lw=1.2, capsize=2,
            label=f"chosen by {bidder}, n {total:,.0f}",
        )  # fmt: skip
        share.bar(
            own.level + 0.2 * (place - 1.5), 100 * own.n / total, 0.19, color=SHADES[bidder],
            label=bidder,
        )  # fmt: skip
    made.set_title("How often contracts come home", fontsize="medium", loc="left")
    made.set_ylabel("made, % (95 % intervals)")
    made.set_ylim(0, 102)
    made.legend(fontsize="small", frameon=False, loc="lower left")
    share.set_title("At which level contracts are played", fontsize="medium", loc="left")
    share.set_ylabel("% of the bidder's contracts")
    share.legend(fontsize="small", frameon=False, loc="upper center")
    for axes in (made, share):
        axes.set_xlabel("level")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color=GRID, lw=0.6)
        axes.set_axisbelow(True)
    save_figure(figure, path)


def _draw_hands(tables: Tables, path: Path) -> None:
    """Made rates of forced contracts by the trumps held, and by the structures held."""
    figure = new_figure(9.6, 4.6)
    forced = tables["forced"]
    panels = figure.subplots(1, 2, sharey=True)
    shades = ["#9cc3e6", "#6ca0d0", "#4a83b8", "#2f689e", "#1f4e79", "#12304d"]
    for axes, by, about, most in (
        (panels[0], "length", "cards in the denomination (NT: in the longest suit)", 8),
        (panels[1], "structures", "sets and runs of three or more in hand", 4),
    ):
        for level, shade in enumerate(shades, 1):
            own = forced[(forced.by == by) & (forced.level == level)]
            own = own[own.value.astype(int) <= most]
            x = own.value.astype(int)
            errors = np.abs(100 * np.stack([own.rate - own.low, own.high - own.rate]))
            axes.errorbar(
                x, 100 * own.rate, errors, fmt="o-", ms=3, lw=1.2, color=shade, capsize=2,
                label=f"level {level}",
            )  # fmt: skip
        axes.set_xlabel(about)
        axes.set_xticks(range(most + 1))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color=GRID, lw=0.6)
        axes.set_axisbelow(True)
    n = int(forced[(forced.by == "length") & (forced.level == 1)].n.sum())
    panels[0].set_ylabel("made, % (95 % intervals)")
    panels[0].set_ylim(0, 102)
    panels[1].legend(fontsize="small", frameon=False, loc="lower right", ncols=2)
    title = f"What makes a contract come home: forced contracts, played by greedy, n {n:,} a level"
    figure.suptitle(title, fontsize="medium")
    save_figure(figure, path)


def _draw_stated(tables: Tables, path: Path) -> None:
    """Made rates against the chances stated."""
    figure = new_figure(5.6, 5.2)
    axes = figure.subplots()
    axes.plot([0, 100], [0, 100], color="0.5", lw=0.8, ls=(0, (4, 3)), label="as stated")
    for entrant, shade in (
        ("calibrated/greedy", SHADES["calibrated"]),
        ("montecarlo/greedy", SHADES["montecarlo"]),
        ("calibrated/counting", "#7b3f61"),
    ):
        own = tables["stated"]
        own = own[own.entrant == entrant]
        errors = np.abs(100 * np.stack([own.rate - own.low, own.high - own.rate]))
        axes.errorbar(
            100 * own.mean_stated, 100 * own.rate, errors, fmt="o-", ms=4, lw=1.1, capsize=2,
            color=shade, label=f"{entrant}, n {own.n.sum():,}",
        )  # fmt: skip
    axes.set_xlim(20, 100)
    axes.set_ylim(20, 100)
    axes.set_xlabel("stated chance, %")
    axes.set_ylabel("contracts made, % (95 % intervals)")
    axes.set_title("Stated chances, each entrant against itself", fontsize="medium", loc="left")
    axes.legend(frameon=False, fontsize="small", loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


# ------------------------------------------------------------------------- tables of the page


def blocks(tables: Tables) -> dict[str, str]:
    """Make the tables of the page."""
    return {
        "overview": _overview(tables),
        "4H": _one_bid(tables, 4, "H"),
        "6NT": _one_bid(tables, 6, "NT"),
        "made": _made(tables),
        "one more": _one_more(tables),
        "hands": _hands(tables),
        "pairings": _pairings(tables),
        "positions": _positions(tables),
        "stated": _stated(tables),
        "runs": runs_table(tables["runs"]),
    }


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def _span(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f}"


def _half(row: Any, name: str = "", digits: int = 1) -> str:
    """Tell half the width of an interval."""
    low, high = (row[f"{name}_{end}" if name else end] for end in ("low", "high"))
    return f"± {(high - low) / 2:.{digits}f}"


def _mean(row: Any, name: str) -> str:
    return f"{row[f'mean_{name}']:.1f} {_half(row, name)}"


def _overview(tables: Tables) -> str:
    bids, runs = tables["bids"], tables["runs"].set_index("run")
    rows = []
    for bidder in BIDDERS:
        own = bids[(bids.entrant == f"{bidder}/greedy") & (bids.against == "itself")]
        total = own[own.level.isna()].iloc[0]
        levels = own[own.denomination.isna() & own.level.notna()]
        hands = runs.loc[bidder, "deals"]
        rows.append(
            [
                f"`{bidder}`",
                f"{hands:,}",
                _percent(total.n / hands),
                f"{(levels.level * levels.n).sum() / levels.n.sum():.2f}",
                f"{_percent(total.rate)} ({_span(total.low, total.high)})",
                _mean(total, "score"),
                _mean(total, "margin"),
            ]
        )
    head = ["bidder", "hands", "bid on", "mean level", "made", "score", "over the defenders"]
    return markdown_table(head, rows)


def _one_bid(tables: Tables, level: int, denomination: str) -> str:
    bids, chosen, forced = tables["bids"], tables["selection"], tables["forced"]
    rows = []
    for bidder in BIDDERS:
        one = bids[(bids.entrant == f"{bidder}/greedy") & (bids.against == "itself")]
        one = one[(one.level == level) & (one.denomination == denomination)]
        same = chosen[(chosen.entrant == f"{bidder}/greedy") & (chosen.level == level)]
        same = same[same.denomination == denomination]
        for (_, row), (_, beside) in zip(one.iterrows(), same.iterrows(), strict=True):
            selection = "-"
            if beside.n >= FEW:
                selection = f"{100 * beside.selection:+.1f} ({100 * beside.selection_low:.1f} to "
                selection += f"{100 * beside.selection_high:.1f})"
            rows.append(
                [
                    f"`{bidder}`",
                    f"{row.n:,}",
                    f"{_percent(row.rate)} ({_span(row.low, row.high)})",
                    selection,
                    *([_mean(row, "score"), _mean(row, "margin")] if row.n >= FEW else "--"),
                ]
            )
    any_hand = forced[forced.by.isna() & (forced.level == level)]
    any_hand = any_hand[any_hand.denomination == denomination].iloc[0]
    made = f"{_percent(any_hand.rate)} ({_span(any_hand.low, any_hand.high)})"
    score = _mean(any_hand, "score")
    margin = _mean(any_hand, "margin")
    rows.append(["forced on any hand", f"{any_hand.n:,}", made, "", score, margin])
    head = [f"{level}{denomination} by", "contracts", "made", "selection, points", "score"]
    head.append("over the defenders")
    return markdown_table(head, rows)


def _made(tables: Tables) -> str:
    forced, chosen = tables["forced"], tables["selection"]
    chosen = chosen[chosen.denomination.isna() & chosen.level.notna()].set_index(
        ["entrant", "level"]
    )
    rows = []
    for level, given in forced[forced.by.isna()].groupby("level"):
        row = [str(level), _percent(given.rate.mean())]
        for bidder in BIDDERS:
            key = f"{bidder}/greedy", float(level)
            own = chosen.loc[key] if key in chosen.index else None
            row.append("-" if own is None else f"{_percent(own.chosen)} ({own.n:,})")
            row.append("-" if own is None else f"{100 * own.selection:+.1f}")
        rows.append(row)
    head = ["level", "any hand"]
    for bidder in BIDDERS:
        head += [f"`{bidder}` (n)", "selection"]
    return markdown_table(head, rows)


def _one_more(tables: Tables) -> str:
    chosen, forced = tables["selection"], tables["forced"]
    chosen = chosen[chosen.denomination.isna() & chosen.level.notna()]
    chosen = chosen.set_index(["entrant", "level"])
    given = forced[forced.by.isna() & (forced.denomination == "H")].set_index("level")
    name = "one_level_more_adds"
    rows = []
    for level in range(1, 6):
        one = given.loc[level]
        row = [f"{level} to {level + 1}", f"{one[name]:.2f} {_half(one, name, 2)}"]
        for bidder in BIDDERS:
            key = f"{bidder}/greedy", float(level)
            known = key in chosen.index and chosen.loc[key].n >= FEW
            own = chosen.loc[key] if known else None
            row.append("-" if own is None else f"{own[name]:.2f} {_half(own, name, 2)}")
        rows.append(row)
    head = ["level", "any hand, in hearts", *(f"`{bidder}`" for bidder in BIDDERS)]
    return markdown_table(head, rows)


def _hands(tables: Tables) -> str:
    forced = tables["forced"]
    rows = []
    for by, about, values in (
        ("length", "trumps", range(1, 8)),
        ("structures", "sets and runs", range(5)),
    ):
        for value in values:
            own = forced[(forced.by == by) & (forced.value == value)].set_index("level")
            rows.append(
                [
                    f"{about}: {value}",
                    f"{own.n.iloc[0]:,}",
                    *(_percent(own.rate[level]) for level in (2, 4, 6)),
                    *(_mean(own.loc[level], "margin") for level in (1, 4, 6)),
                ]
            )
    head = ["held", "contracts", "level 2 made", "level 4 made", "level 6 made"]
    head += [f"level {level}, over the defenders" for level in (1, 4, 6)]
    return markdown_table(head, rows)


def _pairings(tables: Tables) -> str:
    pairings, bids = tables["pairings"], tables["bids"]
    total = bids[bids.level.isna()].set_index(["entrant", "against"])
    rows = []
    for _, pair in pairings.iterrows():
        one, other = total.loc[(pair.one, pair.other)], total.loc[(pair.other, pair.one)]
        rows.append(
            [
                f"`{pair.one.split('/')[0]}` over `{pair.other.split('/')[0]}`",
                f"{pair.margin:.1f} {_half(pair)}",
                _percent(one.n / (one.n + other.n)),
                f"{_percent(one.rate)}, {_percent(other.rate)}",
                f"{one.mean_margin:.1f}, {other.mean_margin:.1f}",
            ]
        )
    head = ["bidder", "points a hand", "declares", "made, each", "over the defenders, each"]
    return markdown_table(head, rows)


def _positions(tables: Tables) -> str:
    positions = tables["positions"].set_index(["entrant", "value"])
    rows = []
    opens = tables["openings"].set_index("place").rate
    for place in PLACES:
        row = [place]
        for bidder in BIDDERS[:3]:
            own = positions.loc[f"{bidder}/greedy"]
            total, highest = (own[own.level.isna() == every] for every in (True, False))
            here = total.loc[place]
            row.append(_percent(here.n / total.n.sum()))
            if bidder == "calibrated":
                row.insert(-1, _percent(opens[place]))
                row.append(_percent(highest.n[place] / here.n))
            row.append(_mean(here, "margin"))
        rows.append(row)
    head = ["calls"]
    for bidder in BIDDERS[:3]:
        own = [f"`{bidder}` declares", "over the defenders"]
        if bidder == "calibrated":
            own = [f"`{bidder}` opens", "declares", "of them 6NT", own[-1]]
        head += own
    return markdown_table(head, rows)


def _stated(tables: Tables) -> str:
    rows = []
    for _, row in tables["scores"].iterrows():
        rows.append(
            [
                f"`{row.entrant}` against {_name(row.against)}",
                f"{row.n:,}",
                _percent(row.mean_stated),
                _percent(row.rate),
                f"{100 * row.made_less_stated:+.1f} ({_difference_span(row)})",
                f"{row.brier_miscalibration:.4f} ({row.miscalibration_by_chance:.4f})",
                f"{row.brier_discrimination:.4f}",
                f"{row.brier_uncertainty:.4f}",
            ]
        )
    head = ["entrant", "contracts", "stated", "made", "made less stated, points"]
    head += ["miscalibration (by chance)", "discrimination", "uncertainty"]
    return markdown_table(head, rows)


def _name(against: str) -> str:
    return against if against == "itself" else f"`{against.split('/')[0]}`"


def _difference_span(row: Any) -> str:
    return f"{100 * row.made_less_stated_low:.1f} to {100 * row.made_less_stated_high:.1f}"


if __name__ == "__main__":
    publish(Path(__file__).parent, gather, draw, blocks)
