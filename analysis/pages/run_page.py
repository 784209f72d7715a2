"""The page that ``sviten report`` writes: what a run holds, put into sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from markupsafe import Markup

from analysis.bids.bids import Bid
from analysis.bids.calibration import Calibration, reliability_table, scores_table
from analysis.bids.selection import Forced, ForcedBid
from analysis.show.svg import (
    Point,
    Series,
    histogram,
    levels_chart,
    reliability_chart,
    whisker,
)
from analysis.show.text import (
    Table,
    count,
    number,
    numbers,
    percent,
    percents,
    rules_text,
    teams_of,
)
from analysis.show.webpage import WebTable, render, web_table
from analysis.stats.reliability import Reliability
from analysis.summary.hands import Summary
from analysis.summary.matches import Matches
from analysis.summary.points import points_table
from simulate.cards import DENOMINATIONS
from simulate.runs.play import Run
from simulate.store.settings import Settings


class Sample(NamedTuple):
    """A hand to step through, and why it is shown."""

    why: str
    record: Mapping[str, Any]


class Fact(NamedTuple):
    """A number at the head of the page."""

    value: str
    about: str


class HeatCell(NamedTuple):
    """Made rate of a bid, and of how many contracts."""

    rate: float
    n: int
    text: str


class Heat(NamedTuple):
    """Made rates by level and denomination."""

    columns: list[str]
    rows: list[tuple[str, list[HeatCell | None]]]


@dataclass
class Block:
    """A piece of a section; what is empty is not shown."""

    title: str = ""
    text: list[str] = field(default_factory=list)
    code: str = ""
    warning: str = ""
    drawing: Markup | None = None
    caption: str = ""
    heat: Heat | None = None
    table: WebTable | None = None
    folded: str = ""
    note: str = ""
    record: Mapping[str, Any] | None = None


@dataclass
class Section:
    """A section of the page."""

    id: str
    title: str
    blocks: list[Block]
    text: list[str] = field(default_factory=list)


def report_page(
    run: Run,
    summary: Summary | None,
    calibration: Calibration,
    samples: Sequence[Sample],
    missing: str = "",
    command: str = "",
) -> str:
    """Make the page of a run.

    Parameters
    ----------
    run : Run
        Finished.
    summary : Summary or None
        None of a forced run.
    calibration : Calibration
    samples : sequence of Sample
    missing : str
        Why there are no samples.
    command : str
        What plays the run again.

    Returns
    -------
    str
        HTML that stands alone.
    """
    settings = run.settings
    sections = []
    findings = [calibration.sentence()]
    if summary:
        findings = [summary.sentence(), calibration.sentence()]
        if summary.matches:
            sections.append(_matches_section(summary.matches))
        sections.append(_scores_section(summary))
    if calibration.bids:
        sections.append(_contracts_section(calibration))
    if calibration.reliability:
        sections.append(_stated_section(calibration.reliability))
    if calibration.forced:
        sections.append(_forced_section(calibration.forced))
    if summary and calibration.bids:
        sections.append(_points_section(run))
    if samples or missing:
        sections.append(_samples_section(samples, missing))
    sections.append(_run_section(run, command))
    page = {
        "title": _title(settings),
        "played": _played(settings),
        "rules": rules_text(settings.rules.changes(), "classic rules"),
        "seed": settings.seed,
        "findings": [line for row in findings for line in row.splitlines()],
        "facts": _facts(summary, calibration) if summary else [],
        "sections": sections,
    }
    return render("report.html", page=page)


def _title(settings: Settings) -> str:
    names = list(dict.fromkeys(team.name for team in teams_of(settings)))
    if settings.forced:
        return f"Forced contracts: {' and '.join(names)}"
    return " v ".join(names) if len(names) > 1 else f"{names[0]} against itself"


def _played(settings: Settings) -> str:
    things = {"deals": ("deal", "deals"), "matches": ("match", "matches")}[settings.unit]
    legs = ", each played twice" if settings.legs == 2 else ""
    legs = f", each played {settings.legs} times" if settings.legs > 2 else legs
    return count(settings.count, *things) + legs


def _facts(summary: Summary, calibration: Calibration) -> list[Fact]:
    facts = []
    if summary.matches:
        for team, wins in zip(summary.teams, summary.matches.wins, strict=True):
            about = f"of matches won by {team.label} (95 %: {percents(wins.interval())})"
            facts.append(Fact(percent(wins.rate), about))
    else:
        for (one, other), margin in summary.margins.items():
            pair = summary.teams[one].label, summary.teams[other].label
            about = (
                f"points a hand, {pair[0]} less {pair[1]} (95 %: {numbers(margin.mean_interval())})"
            )
            facts.append(Fact(number(margin.rate), about))
    for entrant in calibration.entrants[:2]:
        made = calibration.of(entrant)[0].made
        about = (
            f"of {made.trials:,} contracts made by {entrant} (95 %: {percents(made.interval())})"
        )
        facts.append(Fact(percent(made.rate), about))
    out = summary.passed_out
    about = f"of {summary.hands:,} hands passed out (95 %: {percents(out.interval())})"
    return [*facts, Fact(percent(out.rate), about)]


def _matches_section(matches: Matches) -> Section:
    tables = matches.tables()
    blocks = [Block(tables[0].title, table=_plain(tables[0]))]
    first = next(hands for hands, n in enumerate(matches.hands) if n)
    drawing = histogram(matches.hands[first:], first, "hands in a match")
    caption = (
        f"How long matches are: {matches.mean_hands:.2f} hands on average, half have at most "
        f"{matches.hands_reached(0.5)} and nine in ten at most {matches.hands_reached(0.9)} "
        f"({matches.played:,} matches; the longest 0.5 % are not drawn)."
    )
    blocks.append(Block(drawing=drawing, caption=caption))
    blocks += [Block(table.title, table=_plain(table)) for table in tables[1:]]
    return Section("matches", "Matches", blocks)


def _scores_section(summary: Summary) -> Section:
    lines = [
        (team.name, team.seats_text, score)
        for team, score in zip(summary.teams, summary.scores, strict=True)
    ]
    for (one, other), margin in summary.margins.items():
        seats = f"{summary.teams[one].seats_text} less {summary.teams[other].seats_text}"
        lines.append(("difference", seats, margin))
    intervals = [each.mean_interval() for _, _, each in lines]
    edges = [edge for interval in intervals if interval for edge in interval]
    low, high = min([0.0, *edges]), max([0.0, *edges])
    rows = []
    for (name, seats, each), interval in zip(lines, intervals, strict=True):
        drawn = (
            whisker(each.rate, interval, low, high) if each.rate is not None and interval else ""
        )
        rows.append([name, seats, number(each.rate), numbers(interval), drawn])
    columns = ["side", "seats", "mean", "95 % interval", ""]
    unit = "a pair of hands of one deal" if summary.settings.legs > 1 else "a deal"
    unit = "a match" if summary.matches else unit
    note = f"Student's interval; the independent unit is {unit}."
    return Section("scores", "Score a hand", [Block(table=web_table(columns, rows), note=note)])


def _contracts_section(calibration: Calibration) -> Section:
    series = [
        Series(entrant, _points(calibration.of(entrant))) for entrant in calibration.entrants[:3]
    ]
    if calibration.forced:
        series.append(_forced_series(calibration.forced))
    blocks = [
        Block(
            drawing=levels_chart(series),
            caption="Contracts made at each level, with 95 % intervals"
            + (", and the same levels forced on any hand." if calibration.forced else "."),
        )
    ]
    for entrant in calibration.entrants:
        own = calibration.of(entrant)
        bids, more, *_ = calibration.entrant_tables(entrant)
        blocks.append(
            Block(
                entrant,
                heat=_heat(own),
                note="Share of contracts made by level and denomination; below it their number.",
            )
        )
        blocks.append(Block(table=_plain(bids), folded="Every bid, with intervals and scores"))
        blocks.append(Block(table=_plain(more), folded="What one level more would have made"))
    text = [
        "These are contracts that the entrants chose to bid. How often they come home says how "
        "bidder and player do with the hands they bid on; it is not the chance of a bid with any "
        "hand."
    ]
    return Section("contracts", "Contracts", blocks, text)


def _points(bids: Sequence[Bid]) -> list[Point]:
    return [
        Point(bid.level, bid.made.rate, bid.made.interval())
        for bid in bids
        if bid.level and bid.denomination is None and bid.made.rate is not None
    ]


def _forced_series(forced: Forced) -> Series:
    """Mean over the denominations at each level."""
    points = []
    for level in sorted({bid.level for bid in forced.bids}):
        rates = [bid.made.rate or 0.0 for bid in forced.bids if bid.level == level]
        points.append(Point(level, sum(rates) / len(rates), None))
    return Series(f"forced on any hand, {forced.name}", points, forced=True)


def _heat(bids: Sequence[Bid | ForcedBid]) -> Heat:
    cells = {(bid.level, bid.denomination): bid for bid in bids if bid.denomination is not None}
    levels = range(1, 1 + max((level or 1 for level, _ in cells), default=1))
    rows: list[tuple[str, list[HeatCell | None]]] = []
    for level in levels:
        row: list[HeatCell | None] = []
        for place in range(len(DENOMINATIONS)):
            bid = cells.get((level, place))
            if bid is None or bid.made.rate is None:
                row.append(None)
                continue
            text = f"{bid.text}: {percent(bid.made.rate)}, {percents(bid.made.interval())}"
            row.append(HeatCell(bid.made.rate, bid.made.trials, text))
        rows.append((str(level), row))
    return Heat(list(DENOMINATIONS), rows)


def _stated_section(reliability: Sequence[Reliability]) -> Section:
    blocks = []
    for each in reliability:
        caption = (
            f"What stated chances stand for ({int(each.contracts.sum()):,} contracts): contracts "
            "made by stated chance, fitted so that it never falls. A bidder whose chances are "
            "right lies on the dashed line, and by chance within the shaded band in 95 % of cases. "
            "Below: how often each chance is stated."
        )
        blocks.append(
            Block(
                each.entrant,
                [each.sentence()],
                drawing=reliability_chart(each),
                caption=caption,
                table=_plain(scores_table(each)),
                note="Score = miscalibration - discrimination + uncertainty; lower is better. The "
                "miscalibration that comes by chance is what a perfectly calibrated bidder shows.",
            )
        )
        blocks.append(Block(table=_plain(reliability_table(each)), folded="In groups of chances"))
    return Section("stated", "Stated chances", blocks)


def _forced_section(forced: Forced) -> Section:
    tables = forced.tables()
    *beside, bids = tables
    blocks = [Block(table.title, table=_plain(table)) for table in beside]
    if beside:
        blocks[-1].note = (
            "Chosen and forced contracts are never added up. Same hands: the very declarers and "
            "denominations that were chosen, forced. Any hand: the same bids, forced on all hands. "
            "Selection: the difference of the two, in points."
        )
    blocks.append(
        Block(
            "Forced on any hand",
            drawing=levels_chart([_forced_series(forced)]),
            caption="Contracts made at each level, the mean of the denominations.",
            heat=_heat(forced.bids),
            note=f"{forced.deals:,} deals, every seat as declarer, played by {forced.name}.",
        )
    )
    blocks.append(Block(table=_plain(bids), folded="Every bid, with intervals and scores"))
    return Section("forced", "Forced contracts", blocks)


def _points_section(run: Run) -> Section:
    return Section("points", "Where points come from", [Block(table=_plain(points_table(run)))])


def _samples_section(samples: Sequence[Sample], missing: str) -> Section:
    blocks = [Block(sample.why, record=sample.record) for sample in samples]
    if missing:
        blocks = [Block(warning=f"No sample hands: {missing}")]
    text = ["Step through with the buttons, or with the arrow keys once a button is chosen."]
    return Section("hands", "Sample hands", blocks, text if samples else [])


def _run_section(run: Run, command: str) -> Section:
    settings = run.settings
    entrants = [[seat, each.text, each.source[:12]] for seat, each in settings.entrants.items()]
    rules = [
        [name, _written(value), _written(type(settings.rules).model_fields[name].default)]
        for name, value in settings.rules.model_dump().items()
    ]
    versions = [[name, version] for name, version in settings.versions.items()]
    blocks = [
        Block(text=["To play it again:"], code=command),
        Block(
            "Entrants in leg 0", table=web_table(["seat", "entrant", "hash of source"], entrants)
        ),
        Block(table=web_table(["field", "value", "classic"], rules), folded="All rules"),
        Block(table=web_table(["software", "version"], versions), folded="Versions"),
    ]
    return Section("run", "The run", blocks)


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain(table: Table) -> WebTable:
    return web_table(table.columns, table.rows)
