"""A tournament as tables: for a person to read, and for a program to calculate with."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

from scipy import special

from analysis.show.flat import write_both
from analysis.show.text import Table, count, number, numbers, percent
from analysis.stats.bradley_terry import Strength
from analysis.tournament.result import Tournament

#: Circles and partners that are told: those that cannot be chance.
_LEVEL = 0.05
_MOST_CIRCLES = 5


def tournament_tables(tournament: Tournament) -> list[Table]:
    """Tables for a person."""
    tables = [_ratings(tournament)] if len(tournament.entrants) > 1 else []
    if tournament.form == "gauntlet" and tournament.pairings:
        tables.append(_outcomes(tournament))
    elif tournament.ratings:
        tables.append(_cross(tournament, "points"))
    if tournament.form != "gauntlet" and tournament.strengths:
        tables.append(_cross(tournament, "matches"))
    if tournament.additions:
        tables += [_players(tournament), _partners(tournament)]
    return tables


def tournament_notes(tournament: Tournament) -> list[str]:
    """Tell who failed, what the ratings do not say, and what marks in the tables mean."""
    notes = [
        f"Failed, and left out: {each.entrant}"
        + (f": {each.why} (run {each.where})" if each.where else f" does not load: {each.why}")
        for each in tournament.failed
    ]
    ratings = tournament.ratings
    if ratings and any(pairing.unsure for pairing in tournament.pairings):
        notes.append("?  the 95 % interval of this margin alone holds 0")
    if ratings and ratings.fit.freedom:
        fit = ratings.fit
        notes.append(
            f"Ratings explain the margins up to {fit.rms:.2f} points a hand "
            f"(chi-square {fit.chi_square:.1f} of {fit.freedom}, p {_p(fit.p_value)})."
        )
        real = [circle for circle in ratings.circles if circle.beat and circle.p_value <= _LEVEL]
        for circle in real[:_MOST_CIRCLES]:
            lines = []
            for one, other in pairwise((*circle.entrants, circle.entrants[0])):
                pairing = tournament.between(one, other)
                assert pairing is not None  # a circle is made of three that met in deals
                assert pairing.margin is not None
                names = tournament.entrants[one], tournament.entrants[other]
                lines.append(f"{names[0]} beats {names[1]} by {pairing.margin:.1f}")
            notes.append(f"In a circle: {', '.join(lines)} (p {_p(circle.p_value)}).")
        if len(real) > _MOST_CIRCLES:
            notes.append(f"{len(real) - _MOST_CIRCLES} more circles stand in the JSON.")
    return notes


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _ratings(tournament: Tournament) -> Table:
    columns, text = ["", "entrant"], []
    if tournament.ratings:
        columns += ["points", "95 % interval"]
        text.append("points a hand")
    if tournament.strengths:
        columns += ["won", "chance", "95 % interval"]
        text.append("chance to win a match")
    title = f"Ratings against the average: {', '.join(text)}"
    rows = []
    for place, name in enumerate(tournament.entrants):
        row = [str(place + 1), name]
        if ratings := tournament.ratings:
            row += [_signless(ratings.values[place]), numbers(ratings.intervals[place])]
        if strengths := tournament.strengths:
            row += [percent(_share(tournament, place)), *_chances(strengths[place])]
        rows.append(row)
    return Table(title, columns, rows)


def _signless(value: float) -> str:
    return number(None if math.isnan(value) else value)


def _share(tournament: Tournament, place: int) -> float | None:
    """Share of its matches that an entrant has won."""
    of = [tournament.between(place, other) for other in range(len(tournament.entrants))]
    met = [pairing.matches for pairing in of if pairing and pairing.matches]
    if not met:
        return None
    total = met[0]
    for each in met[1:]:
        total = total.plus(each)
    return total.share


def _chances(strength: Strength) -> tuple[str, str]:
    """Chance to win a match against one of strength 0, and its interval."""
    if math.isnan(strength.value) or all(map(math.isinf, strength.interval)):
        return "-", "-"
    low, high = (100 * float(special.expit(end)) for end in strength.interval)
    if math.isinf(strength.value):
        return ("all" if strength.value > 0 else "none"), f"{low:.1f} to {high:.1f}"
    return percent(float(special.expit(strength.value))), f"{low:.1f} to {high:.1f}"


def _cross(tournament: Tournament, what: str) -> Table:
    """Table of the row's entrant against the column's, both by rank."""
    k = len(tournament.entrants)
    rows = []
    for one in range(k):
        row = [str(one + 1)]
        for other in range(k):
            pairing = tournament.between(one, other)
            cell = ""
            if pairing and what == "points" and pairing.margin is not None:
                cell = f"{pairing.margin_text}{'?' if pairing.unsure else ''}"
            elif pairing and what == "matches" and pairing.matches:
                share = pairing.matches.share
                cell = "-" if share is None else f"{100 * share:.1f}"
            row.append(cell)
        rows.append(row)
    title = {
        "points": "Margins, points a hand over the column's entrant; "
        f"{count(tournament.deals, 'paired deal')} each",
        "matches": "Matches won of those finished, %; "
        f"{count(tournament.matches, 'paired match', 'paired matches')} each",
    }[what]
    return Table(title, ["", *(str(place + 1) for place in range(k))], rows)


def _outcomes(tournament: Tournament) -> Table:
    """Table of the pairings, for a gauntlet, where most entrants have not met."""
    names = tournament.entrants
    rows = []
    for pairing in tournament.pairings:
        share = pairing.matches.share if pairing.matches else None
        row = [f"{names[pairing.one]} over {names[pairing.other]}"]
        rows.append([*row, number(pairing.margin), numbers(pairing.interval), percent(share)])
    title = f"Pairings: points a hand, {count(tournament.deals, 'paired deal')}; matches won"
    return Table(title, ["pairing", "margin", "95 % interval", "won"], rows)


def _players(tournament: Tournament) -> Table:
    additions = tournament.additions
    assert additions
    best_first = sorted(range(len(tournament.entrants)), key=lambda each: -additions.values[each])
    rows = [
        [
            tournament.entrants[each],
            _signless(additions.values[each]),
            numbers(additions.intervals[each]),
        ]
        for each in best_first
    ]
    title = "What one player adds to its side, points a hand above the average"
    return Table(title, ["entrant", "adds", "95 % interval"], rows)


def _partners(tournament: Tournament) -> Table:
    assert tournament.additions
    rows = [
        [
            f"{pair.one + 1} + {pair.other + 1}",
            number(pair.over_one),
            number(pair.over_other),
            number(pair.beyond),
            numbers(pair.interval),
            _p(pair.p_value),
        ]
        for pair in tournament.additions.partners
    ]
    columns = ["partners", "over two first", "over two second", "beyond", "95 % interval", "p"]
    title = "Unlike partners by rank, and what they make beyond the sum of the two (p by Holm)"
    return Table(title, columns, rows)


def write_tournament(tournament: Tournament, folder: Path) -> list[Path]:
    """Write ``ratings``, ``pairings`` and, if any, ``partners``, each as parquet and as CSV.

    Returns
    -------
    list of Path
        The files written.
    """
    facts = tournament.as_dict()
    pairings = [row | (row.pop("matches") or {}) for row in facts["pairings"]]
    tables = {"ratings": facts["entrants"], "pairings": pairings}
    if tournament.additions:
        tables["partners"] = facts["partners"]
    return write_both(tables, folder)
