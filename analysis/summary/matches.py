"""Who wins the matches of a run, how long they are and how they end.

Matches of one id are one cluster: their legs see the same deals. A drawn or unfinished match is a
match that nobody has won, and counts as such in every rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from analysis.show.text import (
    Table,
    Team,
    count,
    number,
    numbers,
    percent,
    percents,
    seats_head,
    teams_of,
)
from analysis.stats.intervals import Clustered
from analysis.summary.tally import cluster_sums, whole_clusters
from simulate.engine.loop_match import ENDINGS
from simulate.rules import MOST_HANDS
from simulate.runs.play import Run
from simulate.store.schema import score_columns
from simulate.store.settings import Settings


@dataclass(frozen=True)
class Matches:
    """Summary of the matches of a run.

    Attributes
    ----------
    settings : Settings
    teams : tuple of Team
    wins : tuple of Clustered
        Of each team, of all matches.
    leads : dict of (int, int) to Clustered
        Wins of one team less another's, in a match.
    scores : tuple of Clustered
        Final scores of each team.
    lead_changes : Clustered
    hands : tuple of int
        How many matches had so many hands.
    ended : dict of str to int
        How many matches ended at the target, the cap (`max_hands`) and the limit (`hand_limit`).
    drawn : int
        Those that ended at the cap without a winner.
    """

    settings: Settings
    teams: tuple[Team, ...]
    wins: tuple[Clustered, ...]
    leads: dict[tuple[int, int], Clustered]
    scores: tuple[Clustered, ...]
    lead_changes: Clustered
    hands: tuple[int, ...]
    ended: dict[str, int]
    drawn: int

    @property
    def played(self) -> int:
        """Matches, each leg counted."""
        return self.wins[0].trials

    @property
    def unfinished(self) -> int:
        """Matches that were stopped at `hand_limit`."""
        return self.ended["limit"]

    @property
    def mean_hands(self) -> float:
        """Mean hands of a match, passed-out ones included."""
        return sum(hands * n for hands, n in enumerate(self.hands)) / self.played

    def hands_reached(self, share: float) -> int:
        """Hands that so great a share of the matches did not exceed."""
        return int(np.searchsorted(np.cumsum(self.hands), share * self.played))

    def sentence(self) -> str:
        """Say who wins more matches, and how sure that is."""
        first, *others = sorted(
            range(len(self.teams)), key=lambda team: self.wins[team].events, reverse=True
        )
        ids = self.settings.count
        paired = "paired " if self.settings.legs > 1 else ""
        units = count(ids, f"{paired}match", f"{paired}matches")
        if self.unfinished == self.played:
            return f"Nobody wins: all of {units} are unfinished."
        names = {team.name for team in self.teams}
        level = not any(lead.events2 for lead in self.leads.values())
        if len(names) == 1 and self.settings.legs > 1 and level:
            return f"{names.pop()} against itself: level in every one of {units}, as it must be."
        wins = self.wins[first]
        text = f"{self.teams[first].label} wins {percent(wins.rate)} of the matches"
        text += f" (95 % interval {percents(wins.interval())}, {units})"
        for team in others:
            text += f", {self.teams[team].label} {percent(self.wins[team].rate)}"
        for number_of, what in ((self.drawn, "drawn"), (self.unfinished, "unfinished")):
            if number_of:
                text += f"; {percent(number_of / self.played)} are {what}"
        pair = min(first, others[0]), max(first, others[0])
        lead = self.leads[pair].mean_interval()
        unsure = lead is None or lead.low <= 0 <= lead.high
        return text + (": too close to call." if unsure else ".")

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        teams = [
            {
                "name": team.name,
                "seats": team.seats,
                "won": wins.events,
                "rate": wins.rate,
                "interval": wins.interval(),
                "design_effect": wins.effect,
                "mean_final_score": scores.rate,
                "final_score_interval": scores.mean_interval(),
            }
            for team, wins, scores in zip(self.teams, self.wins, self.scores, strict=True)
        ]
        leads = [
            {
                "first": self.teams[one].name,
                "second": self.teams[other].name,
                "difference": lead.rate,
                "interval": lead.mean_interval(),
            }
            for (one, other), lead in self.leads.items()
        ]
        return {
            "played": self.played,
            "teams": teams,
            "leads": leads,
            "drawn": self.drawn,
            "unfinished": self.unfinished,
            "ended": self.ended,
            "hands": {
                "mean": self.mean_hands,
                "median": self.hands_reached(0.5),
                "ninety_percent": self.hands_reached(0.9),
            },
            "lead_changes": self.lead_changes.rate,
        }

    def tables(self) -> list[Table]:
        """Tables for a person."""
        rows = [
            [
                team.name,
                team.seats_text,
                f"{wins.events:,}",
                percent(wins.rate),
                percents(wins.interval()),
                number(scores.rate),
                numbers(scores.mean_interval()),
            ]
            for team, wins, scores in zip(self.teams, self.wins, self.scores, strict=True)
        ]
        for what, row in ((self.drawn, "drawn"), (self.unfinished, "unfinished")):
            rows.append([row, "", f"{what:,}", percent(what / self.played), "", "", ""])
        columns = ["side", seats_head(self.settings), "won", "of all", "95 % interval"]
        won = Table("Matches", [*columns, "final score", "95 % interval"], rows)
        facts = [
            f"{self.mean_hands:.2f}",
            str(self.hands_reached(0.5)),
            str(self.hands_reached(0.9)),
            number(self.lead_changes.rate),
            *(f"{self.ended[name]:,}" for name in ENDINGS),
        ]
        columns = ["mean hands", "median", "90 %", "lead changes"]
        columns += ["ended at target", "at max_hands", "at hand_limit"]
        return [won, Table("A match", columns, [facts])]


def summarise_matches(run: Run) -> Matches:
    """Summarise the matches of a finished run.

    Raises
    ------
    RunError
        When the run is unfinished, or a part is damaged.
    """
    settings = run.settings
    names = list(score_columns(settings.rules))
    sides = [name.removeprefix("score_").upper() for name in names]
    pairs = list(combinations(range(len(sides)), 2))
    wins = [Clustered() for _ in sides]
    scores = [Clustered() for _ in sides]
    leads = {pair: Clustered() for pair in pairs}
    lead_changes = Clustered()
    hands = np.zeros(MOST_HANDS + 1, np.int64)
    ended = dict.fromkeys(ENDINGS, 0)
    drawn = 0
    columns = ["match_id", "leg", "hands", "winner", *names, "lead_changes", "ended"]
    words = {"winner": sides, "ended": list(ENDINGS)}
    for rows in whole_clusters(run.batches(columns, "matches"), columns, "match_id", 1, words):
        ids, legs = rows["match_id"], rows["leg"]
        first = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]])
        everyone = np.arange(len(ids))
        final = np.array([rows[name] for name in names])
        won = []
        for team in range(len(sides)):
            side = (team + legs) % len(sides)
            won.append((rows["winner"] == side).astype(np.int64))
            wins[team] = wins[team].merge(cluster_sums(won[team], first))
            scores[team] = scores[team].merge(cluster_sums(final[side, everyone], first))
        for one, other in pairs:
            more = cluster_sums(won[one] - won[other], first)
            leads[one, other] = leads[one, other].merge(more)
        lead_changes = lead_changes.merge(cluster_sums(rows["lead_changes"], first))
        hands += np.bincount(rows["hands"], minlength=len(hands))
        for place, name in enumerate(ENDINGS):
            ended[name] += int((rows["ended"] == place).sum())
        cap = rows["ended"] == ENDINGS.index("cap")
        drawn += int((cap & (rows["winner"] < 0)).sum())
    return Matches(
        settings=settings,
        teams=teams_of(settings),
        wins=tuple(wins),
        leads=leads,
        scores=tuple(scores),
        lead_changes=lead_changes,
        hands=tuple(hands.tolist()),
        ended=ended,
        drawn=drawn,
    )
