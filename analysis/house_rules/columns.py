"""What is counted of hands under a rule set: a whole number for each deal, by name.

Hands in which one entrant sits at every seat tell what the rules do by themselves; pairings of a
ladder, what they make of unlike players. Columns of several rule sets on the same deals stand side
by side, so that their differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from analysis.compare.margins import stream_pairs
from analysis.summary.tally import whole_clusters
from simulate.cards import DENOMINATIONS
from simulate.rules import Rules
from simulate.runs.play import Run
from simulate.store.schema import score_columns

#: Deals that are set side by side at one go.
ROWS = 2**13

LEVELS = 6
#: Where the declarer sits, seen from the dealer clockwise.
PLACES = ("dealer", "left", "across", "right")
PLACES_OF_THREE = ("dealer", "left", "right")

_READ = ["deal_id", "leg", "dealer", "declarer", "level", "denomination", "made"]
_READ += [
    f"{what}_{side}"
    for what in ("tricks", "meld_points", "dead", "score")
    for side in ("decl", "def")
]


def table_columns(rows: dict[str, np.ndarray], rules: Rules) -> dict[str, np.ndarray]:
    """Count hands in which all play alike.

    Parameters
    ----------
    rows : dict of str to int64 array, shape (n,)
        Columns of ``hands/``, one leg.
    rules : Rules

    Returns
    -------
    dict of str to int64 array, shape (n,)
        Numbers of things that are or are not so (0 or 1), and points. `dealer_lead` and
        `seat_lead`, of N and its partner, are over the mean of the other sides, times their number.
    """
    scores = np.array([rows[name] for name in score_columns(rules)])
    sides, everyone = len(scores), np.arange(len(rows["dealer"]))
    total = scores.sum(axis=0)
    contract = rows["declarer"] >= 0
    made = contract & (rows["made"] == 1)
    failed = contract & ~made
    played = rows["tricks_decl"] + rows["tricks_def"] > 0
    swept = [played & (rows[f"tricks_{side}"] == 0) for side in ("def", "decl")]
    # What the declarers of a failed contract have won or laid scores only where the rules say so.
    scoring = ~failed | rules.failed_contract_scores
    of_dealer = scores[rows["dealer"] % sides, everyone]
    seat = sides * scores[0] - total
    bonus = rules.slam_bonus * (swept[0].astype(np.int64) + swept[1])
    tricks = rules.trick_points * (scoring * rows["tricks_decl"] + rows["tricks_def"])
    melds = scoring * rows["meld_points_decl"] + rows["meld_points_def"]
    dead = scoring * rows["dead_decl"] + rows["dead_def"]
    penalty = rules.dead_card_penalty * dead
    both = rows["score_decl"] + rows["score_def"]
    columns = {
        "hands": np.ones(len(everyone), np.int64),
        "played": played,
        "passed_out": ~played,
        "contracts": contract,
        "made": made,
        "level": rows["level"],
        "dealer_lead": sides * of_dealer - total,
        "seat_lead": seat,
        "seat_square": seat * seat,
        "declarer_lead": contract * (rows["score_decl"] - rows["score_def"]),
        "slams": swept[0] | swept[1],
        "points": both,
        "trick_points": tricks,
        "meld_points": melds,
        "slam_points": bonus,
        "penalty": penalty,
        "lost": tricks + melds + bonus - penalty - both,
        "dead": rows["dead_decl"] + rows["dead_def"],
        "captured": played * (52 - (rules.kitty == "dead")),
    }
    for level in range(1, LEVELS + 1):
        columns[f"level_{level}"] = contract & (rows["level"] == level)
    for place, name in enumerate(DENOMINATIONS):
        columns[f"in_{name}"] = contract & (rows["denomination"] == place)
    places = PLACES if rules.players == 4 else PLACES_OF_THREE
    for turn, name in enumerate(places):
        at = (rows["dealer"] + turn) % rules.players
        columns[f"declared_{name}"] = contract & (rows["declarer"] == at)
    return {name: column.astype(np.int64) for name, column in columns.items()}


def column_names(rules: Rules) -> list[str]:
    """Names of the columns of hands in which all play alike."""
    names = dict.fromkeys([*_READ, *score_columns(rules)])
    return list(table_columns({name: np.zeros(0, np.int64) for name in names}, rules))


def stream_table(run: Run) -> Iterator[np.ndarray]:
    """Columns of a finished run in which all play alike, shape (n, columns), piece by piece."""
    names = [*_READ, *score_columns(run.settings.rules)]
    for rows in whole_clusters(run.batches(names), names, "deal_id", 1):
        yield np.column_stack(list(table_columns(rows, run.settings.rules).values()))


#: Columns of a pairing: the margin of a deal in all its legs, its square, squares of the legs.
PAIRING_COLUMNS = ("margin", "square", "leg_squares")


def stream_pairing(run: Run) -> Iterator[np.ndarray]:
    """Columns of a finished pairing, shape (n, 3), piece by piece."""
    for pairs in stream_pairs(run):
        yield np.column_stack([pairs.margins, pairs.margins**2, pairs.squares])


def beside(streams: Sequence[Iterator[np.ndarray]], rows: int) -> Iterator[np.ndarray]:
    """Set columns of the same deals side by side.

    Parameters
    ----------
    streams : sequence of iterator of arrays, shape (n, columns)
        Pieces of any length, in order of the deals.
    rows : int
        Deals in each.

    Yields
    ------
    array, shape (<= 8192, all columns)
    """
    held: list[np.ndarray | None] = [None] * len(streams)
    for first in range(0, rows, ROWS):
        count = min(ROWS, rows - first)
        taken = []
        for place, stream in enumerate(streams):
            have = held[place]
            while have is None or len(have) < count:
                piece = next(stream)
                have = piece if have is None else np.concatenate([have, piece])
            taken.append(have[:count])
            held[place] = have[count:]
        yield np.concatenate(taken, axis=1)
