"""Who meets whom: the pairings of a tournament, each a run on the same deals.

A side is two partners, with three players one entrant. With four players two sides meet once, in
two legs; with three, where one of an entrant sits among two of another, each of them is the one in
a run of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from typing import Literal, NamedTuple, get_args

from simulate.engine.entrant import Loader
from simulate.errors import RunError
from simulate.rules import Rules
from simulate.store.make import Amount, make_settings
from simulate.store.settings import Settings

Format = Literal["round-robin", "gauntlet"]
FORMATS: tuple[Format, ...] = get_args(Format)

_LONGEST_NAME = 40

Side = tuple[str, ...]


class Meeting(NamedTuple):
    """Two sides that meet, by the texts of who sits there."""

    one: Side
    other: Side

    @property
    def mixed(self) -> bool:
        """Whether partners on a side are unlike."""
        return len(set(self.one)) > 1 or len(set(self.other)) > 1


def pair_entrants(count: int, form: Format) -> list[tuple[int, int]]:
    """Numbers of the entrants that meet: all of them, or the first one and each of the others.

    Raises
    ------
    RunError
        When the form is not known.
    """
    if form not in FORMATS:
        raise RunError(f"format {form!r} is not known: it is {' or '.join(FORMATS)}")
    pairs = list(combinations(range(count), 2))
    return pairs if form == "round-robin" else [pair for pair in pairs if pair[0] == 0]


def plan_meetings(
    entrants: Sequence[str], form: Format, players: int, *, mixed: bool = False
) -> list[Meeting]:
    """List who meets whom.

    Parameters
    ----------
    entrants : sequence of str
    form : {"round-robin", "gauntlet"}
    players : int
    mixed : bool
        Have each two unlike partners meet two of the one and two of the other as well.

    Raises
    ------
    RunError
        When the form is not known, or there are no partners to mix.
    """
    pairs = [(entrants[one], entrants[other]) for one, other in pair_entrants(len(entrants), form)]
    if players == 3:
        if mixed:
            raise RunError("three players have no partners: mixed ones are for four players")
        return [Meeting((one,), (other,)) for a, b in pairs for one, other in ((a, b), (b, a))]
    alike = [Meeting((one, one), (other, other)) for one, other in pairs]
    if not mixed:
        return alike
    return alike + [Meeting((a, b), (one, one)) for a, b in pairs for one in (a, b)]


def seat_meeting(meeting: Meeting, players: int) -> list[str]:
    """Entrants by seat in leg 0, N first."""
    if players == 3:
        return [meeting.one[0], meeting.other[0], meeting.other[0]]
    return [side[place] for place in (0, 1) for side in meeting]


def meeting_of(settings: Settings) -> Meeting:
    """Sides of a run that :func:`seat_meeting` seated."""
    seated = [entrant.text for entrant in settings.entrants.values()]
    if len(seated) == 3:
        return Meeting((seated[0],), (seated[1],))
    return Meeting((seated[0], seated[2]), (seated[1], seated[3]))


def make_runs(
    meetings: Sequence[Meeting],
    rules: Rules,
    load: Loader,
    *,
    seed: int,
    deals: Amount | None = None,
    matches: Amount | None = None,
) -> dict[str, Settings]:
    """Make the settings of a run, or of two, for each meeting.

    Parameters
    ----------
    meetings : sequence of Meeting
    rules : Rules
    load : Loader
    seed : int
    deals, matches : int or range, optional
        Either or both; matches are played by sides of like partners alone.

    Returns
    -------
    dict of str to Settings
        By name, which depends on nothing but the two sides.
    """
    runs = {}
    for meeting in meetings if deals is not None else ():
        seated = seat_meeting(meeting, rules.players)
        runs[_name(meeting)] = make_settings(
            rules, seated, load, seed=seed, duplicate=True, deals=deals
        )
    for meeting in meetings if matches is not None else ():
        if not meeting.mixed:
            seated = seat_meeting(meeting, rules.players)
            runs[f"{_name(meeting)}-matches"] = make_settings(
                rules, seated, load, seed=seed, duplicate=True, matches=matches
            )
    return runs


def _name(meeting: Meeting) -> str:
    """Name that a folder may bear, other than that of any other meeting."""
    sides = ["+".join(dict.fromkeys(side)) for side in meeting]
    short = [re.sub(r"[^/]*/(?=[^/]*\.py:)", "", side) for side in sides]  # no folders of files
    text = "-v-".join(
        re.sub(r"[^A-Za-z0-9.=+]+", "-", side).strip("-")[:_LONGEST_NAME] for side in short
    )
    return f"{text}-{sha256('|'.join(sides).encode()).hexdigest()[:6]}"
