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
from simulate.cards import DENOMINATIONS, LEVELS
from simulate.game.score_terms import HAND_COLUMNS, SCORE_TERMS, SIDE_COLUMNS, side_of
from simulate.rules import Rules
from simulate.runs.play import Run
from simulate.store.schema import score_columns

#: Deals that are set side by side at one go.
ROWS = 2**13

#: Where the declarer sits, seen from the dealer clockwise.
PLACES = ("dealer", "left", "across", "right")
PLACES_OF_THREE = ("dealer", "left", "right")

_ENDS = ("decl", "def")
_READ = ["deal_id", "leg", "dealer", "denomination", *HAND_COLUMNS]
_READ += [f"{what}_{end}" for what in (*SIDE_COLUMNS, "score") for end in _ENDS]


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
    played = rows["tricks_decl"] + rows["tricks_def"] > 0
    both = [side_of(rows, end) for end in _ENDS]
    numbers = rules.numbers()[0]
    of_dealer = scores[rows["dealer"] % sides, everyone]
    seat = sides * scores[0] - total
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
        "slams": both[0].swept | both[1].swept,
        "points": rows["score_decl"] + rows["score_def"],
        **{t.name: t.of(both[0], numbers) + t.of(both[1], numbers) for t in SCORE_TERMS},
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
