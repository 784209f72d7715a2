"""A run's tables as Arrow has them: columns built without loops over rows.

Arrays are built from buffers: `pyarrow.array` would import pandas, into every worker process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from simulate.cards import LEVELS
from simulate.engine.loop import RowBuffer
from simulate.engine.loop_forced import NO_SCORE
from simulate.engine.loop_match import ENDINGS
from simulate.rules import MOST_HANDS, Rules
from simulate.store.settings import Settings

_SIDES = ("decl", "def")
_KEY = {"deal_id": pa.int64(), "leg": pa.int8()}
_TEXT = pa.dictionary(pa.int8(), pa.string())

_NUMPY = {
    pa.int8(): np.int8,
    pa.int16(): np.int16,
    pa.int32(): np.int32,
    pa.int64(): np.int64,
    pa.uint16(): np.uint16,
}

#: Null where the record has -1, or of a score less than any.
_NULLABLE = frozenset({"target", "made", "stated", "winner"}) | {
    f"{name}_{level}" for name in ("score", "made", "target") for level in range(1, LEVELS + 1)
}

_SIDE_COLUMNS = (
    ("tricks", pa.int8()),
    ("melds", pa.int8()),
    ("meld_points", pa.int32()),  # a house rule may make a run worth 110 000
    ("dead", pa.int8()),
)


def score_columns(rules: Rules) -> dict[str, int]:
    """Columns of the match sides' scores, and a seat of each side."""
    if rules.players == 4:
        return {"score_ns": 0, "score_ew": 1}
    return {"score_n": 0, "score_e": 1, "score_s": 2}


def before_columns(rules: Rules) -> dict[str, int]:
    """Columns of the match sides' scores before a hand of a match, and a seat of each side."""
    return {name.replace("score", "before"): seat for name, seat in score_columns(rules).items()}


def hands_schema(rules: Rules, *, in_matches: bool = False) -> pa.Schema:
    """Columns of ``hands/``, one row a hand; those of matches have more."""
    types: dict[str, pa.DataType] = dict(_KEY)
    if in_matches:
        types |= {"match_id": pa.int64(), "hand_no": pa.int16()}
    types |= {
        "dealer": pa.int8(),
        "declarer": pa.int8(),
        "level": pa.int8(),
        "denomination": pa.int8(),
        "target": pa.int32(),
        "made": pa.bool_(),
        "stated": pa.uint16(),
    }
    for name, kind in (*_SIDE_COLUMNS, ("score", pa.int32())):
        types |= {f"{name}_{side}": kind for side in _SIDES}
    types |= dict.fromkeys(score_columns(rules), pa.int32())
    if in_matches:
        types |= dict.fromkeys(before_columns(rules), pa.int32())
    return _schema(types | _entrants(rules))


def matches_schema(rules: Rules) -> pa.Schema:
    """Columns of ``matches/``, one row a match and leg."""
    types: dict[str, pa.DataType] = {
        "match_id": pa.int64(),
        "leg": pa.int8(),
        "first_dealer": pa.int8(),
        "hands": pa.int16(),
        "winner": _TEXT,
    }
    types |= dict.fromkeys(score_columns(rules), pa.int32())
    types |= {"lead_changes": pa.int16(), "ended": _TEXT}
    return _schema(types | _entrants(rules))


def forced_schema(rules: Rules) -> pa.Schema:
    """Columns of ``forced/``, one row a declarer and denomination."""
    types: dict[str, pa.DataType] = dict(_KEY) | {"declarer": pa.int8(), "denomination": pa.int8()}
    for name, kind in _SIDE_COLUMNS:
        types |= {f"{name}_{side}": kind for side in _SIDES}
    levels = range(1, LEVELS + 1)
    types |= {f"score_{level}": pa.int32() for level in levels}
    types |= {"score_def": pa.int32()}
    types |= {f"made_{level}": pa.bool_() for level in levels}
    if rules.hard_bid != "off":
        types |= {f"target_{level}": pa.int32() for level in levels}
    return _schema(types | _entrants(rules))


def _entrants(rules: Rules) -> dict[str, pa.DataType]:
    return {f"entrant_{seat.lower()}": _TEXT for seat in rules.seats}


def _schema(types: dict[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(n, t, nullable=n in _NULLABLE) for n, t in types.items()])


def _plain_schema(*names: str) -> pa.Schema:
    types = _KEY | dict.fromkeys(names, pa.int8())
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])


#: One row a call, or a card played.
CALLS_SCHEMA = _plain_schema("index", "seat", "call")
PLAYS_SCHEMA = _plain_schema("trick", "position", "seat", "card")


def table_schema(settings: Settings, table: str) -> pa.Schema:
    """Make the schema of a table, with the settings beside it."""
    if table == "hands":
        schema = hands_schema(settings.rules, in_matches=settings.unit == "matches")
    elif table == "matches":
        schema = matches_schema(settings.rules)
    elif table == "forced":
        schema = forced_schema(settings.rules)
    else:
        schema = {"calls": CALLS_SCHEMA, "plays": PLAYS_SCHEMA}[table]
    return schema.with_metadata(settings.part_metadata())


def _array(values: np.ndarray, kind: pa.DataType, valid: np.ndarray | None = None) -> pa.Array:
    """Arrow array of `values`; null where `valid` is false."""
    if kind == pa.bool_():
        data = np.packbits(values > 0, bitorder="little")
    else:
        data = np.ascontiguousarray(values, _NUMPY[kind])
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bitmap, pa.py_buffer(data)])


def _strings(texts: list[str]) -> pa.Array:
    """Arrow array of strings."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def _words(places: np.ndarray, words: list[str]) -> pa.Array:
    """Dictionary-coded array of ``words[place]``; null where `place` is negative."""
    valid = places >= 0 if (places < 0).any() else None
    codes = _array(np.maximum(places, 0), pa.int8(), valid)
    return pa.DictionaryArray.from_arrays(codes, _strings(words))


def _texts(settings: Settings, seat: int, legs: np.ndarray) -> pa.Array:
    """Text of the entrant that sits at `seat` in each row's leg, dictionary-coded."""
    texts = [entrant.text for entrant in settings.entrants.values()]
    unique = list(dict.fromkeys(texts))
    places = [unique.index(texts[(seat - leg) % len(texts)]) for leg in range(settings.legs)]
    return _words(np.array(places, np.int8)[legs], unique)


def hands_table(settings: Settings, rows: np.ndarray) -> pa.Table:
    """Table of ``hands/``.

    Parameters
    ----------
    settings : Settings
    rows : HAND array
    """
    rules = settings.rules
    taken = {name: rows["scores"][:, seat] for name, seat in score_columns(rules).items()}
    taken |= {name: rows["before"][:, seat] for name, seat in before_columns(rules).items()}
    taken |= {"match_id": rows["deal_id"] // MOST_HANDS, "hand_no": rows["deal_id"] % MOST_HANDS}
    return _table(settings, "hands", rows, taken)


def matches_table(settings: Settings, rows: np.ndarray) -> pa.Table:
    """Table of ``matches/``.

    Parameters
    ----------
    settings : Settings
    rows : MATCH array
    """
    scores = score_columns(settings.rules)
    sides = [name.removeprefix("score_").upper() for name in scores]
    taken = {name: rows["scores"][:, seat] for name, seat in scores.items()}
    words = {"winner": sides, "ended": list(ENDINGS)}
    return _table(settings, "matches", rows, taken, words)


def forced_table(settings: Settings, rows: np.ndarray) -> pa.Table:
    """Table of ``forced/``.

    Parameters
    ----------
    settings : Settings
    rows : FORCED array
    """
    taken = {
        f"{name}_{k + 1}": rows[field][:, k]
        for name, field in (("score", "scores"), ("made", "made"), ("target", "targets"))
        for k in range(LEVELS)
    }
    return _table(settings, "forced", rows, taken)


def _table(
    settings: Settings,
    table: str,
    rows: np.ndarray,
    taken: dict[str, np.ndarray],
    words: dict[str, list[str]] | None = None,
) -> pa.Table:
    """Table of `rows`: columns from `taken` or of their own, numbers of `words` as text."""
    schema = table_schema(settings, table)
    columns = []
    for field in schema:
        if field.name.startswith("entrant_"):
            seat = settings.rules.seats.lower().index(field.name[-1])
            columns.append(_texts(settings, seat, rows["leg"]))
            continue
        values = taken[field.name] if field.name in taken else rows[field.name]
        if words and field.name in words:
            columns.append(_words(values, words[field.name]))
        else:
            none = NO_SCORE if field.name.startswith("score_") else -1
            columns.append(_array(values, field.type, values > none if field.nullable else None))
    return pa.Table.from_arrays(columns, schema=schema)


def calling_seats(rules: Rules, dealers: np.ndarray, calls: np.ndarray) -> np.ndarray:
    """Seats that made the calls.

    Parameters
    ----------
    rules : Rules
    dealers : int array, shape (n,)
    calls : int8 array, shape (n, m)
        -1 after the last.

    Returns
    -------
    int64 array, shape (n, m)
        Meaningless after the last call.
    """
    players = rules.players
    hands, longest = calls.shape
    first = dealers.astype(np.int64) + 1
    if rules.passed_may_return:
        return (first[:, None] + np.arange(longest)) % players
    # A pass is final: seats that passed are skipped from then on.
    seats = np.empty((hands, longest), np.int64)
    everyone = np.arange(hands)
    out = np.zeros((hands, players), bool)
    seat = first % players
    for i in range(longest):
        seats[:, i] = seat
        out[everyone, seat] |= calls[:, i] == 0
        seat = (seat + 1) % players
        for _ in range(players - 1):
            seat = np.where(out[everyone, seat], (seat + 1) % players, seat)
    return seats


def _detail(
    schema: pa.Schema, rows: np.ndarray, counts: Any, values: dict[str, np.ndarray]
) -> pa.Table:
    """Table of key and `values`, of which `counts` belong to each hand of `rows`."""
    keys = {name: np.repeat(rows[name], counts) for name in _KEY}
    values = keys | values
    return pa.Table.from_arrays([_array(values[f.name], f.type) for f in schema], schema=schema)


def calls_table(settings: Settings, buffer: RowBuffer, start: int, stop: int) -> pa.Table:
    """Table of ``calls/`` for the hands `start` to `stop` of a buffer."""
    rows = buffer.rows[start:stop]
    counts = (buffer.calls[start:stop] >= 0).sum(axis=1)
    calls = buffer.calls[start:stop, : max(1, int(counts.max(initial=0)))]
    index = np.broadcast_to(np.arange(calls.shape[1]), calls.shape)
    seats = calling_seats(settings.rules, rows["dealer"], calls)
    made = calls >= 0
    values = {"index": index[made], "seat": seats[made], "call": calls[made]}
    return _detail(table_schema(settings, "calls"), rows, counts, values)


def plays_table(settings: Settings, buffer: RowBuffer, start: int, stop: int) -> pa.Table:
    """Table of ``plays/`` for the hands `start` to `stop` of a buffer."""
    players = settings.rules.players
    tricks = settings.rules.hand_size
    rows = buffer.rows[start:stop]
    played = rows["tricks_decl"] + rows["tricks_def"] > 0  # then all tricks are: no claims here
    rows = rows[played]
    leaders = buffer.leaders[start:stop][played, :tricks, None]
    positions = np.arange(players, dtype=np.int8)
    values = {
        "trick": np.tile(np.repeat(np.arange(tricks, dtype=np.int8), players), len(rows)),
        "position": np.tile(positions, len(rows) * tricks),
        "seat": ((leaders + positions) % players).ravel(),
        "card": buffer.plays[start:stop][played, : players * tricks].ravel(),
    }
    return _detail(table_schema(settings, "plays"), rows, players * tricks, values)
