"""Entrants as text: ``bidder/player``, parameters in brackets, user files as ``path.py:name``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from numba import types

from simulate.compiled.kernels import address_of, is_own, source_files, source_hash, values_hash
from simulate.compiled.notebook import CELL, cell_hash, current, in_cell
from simulate.engine.entrant import Entrant
from simulate.errors import StrategyError
from simulate.game.records import VIEW_TYPE
from strategies.declare.registry import (
    AnyParameter,
    Kind,
    Parameter,
    PlayerParameter,
    Strategy,
    TableParameter,
    all_strategies,
    find,
    find_in_file,
    is_registered,
    shared_kernel,
)
from strategies.knowledge.arrays import DATA, read_arrays
from strategies.knowledge.defaults import announce_expected
from strategies.knowledge.estimates import read_tables, table_files
from strategies.search.playouts import ROLLOUT

_PART = re.compile(
    r"(?:(?P<path>(?:(?!\.py:).)+\.py):)?(?P<name>[A-Za-z0-9_-]+)(?:\((?P<params>[^()]*)\))?"
)
#: Letters of an entrant; where it may be cut in two is tried for every slash.
_LONGEST = 2000
_SIGNATURE = (VIEW_TYPE, types.int64)


def split_entrant(text: str) -> tuple[str, str]:
    """Bidder's and player's part of an entrant's text.

    A slash may also stand in a path: the text is cut where both halves are strategies.
    ``path.py:name`` alone stands for the bidder and the player of that name.

    Raises
    ------
    StrategyError
        When the text has no such form.
    """
    text = text.strip()
    if len(text) > _LONGEST:
        raise StrategyError(
            f"an entrant of {len(text):,} letters: it may have {_LONGEST:,}, paths included"
        )
    whole = _PART.fullmatch(text)
    if whole and whole["path"] and Path(whole["path"]).is_file():
        return text, text
    cuts = [(text[: m.start()].strip(), text[m.end() :].strip()) for m in re.finditer("/", text)]
    halves = [cut for cut in cuts if all(map(_PART.fullmatch, cut))]
    for cut in halves:
        if all(map(_is_there, cut)):
            return cut
    if whole and whole["path"] and not any(_is_there(bidder) for bidder, _ in halves):
        raise StrategyError(f"there is no file {whole['path']}")
    if halves:
        return halves[0]
    raise StrategyError(
        f"{text!r} is no entrant: write bidder/player, such as tips/greedy, "
        "tips(min_structures=3)/greedy or path/to/mine.py:name/greedy"
    )


def _is_there(part: str) -> bool:
    """Tell whether half an entrant names a file that exists, or a registered strategy."""
    match = _PART.fullmatch(part)
    if not match:
        return False
    return Path(match["path"]).is_file() if match["path"] else is_registered(match["name"])


def kinds_of(text: str) -> tuple[Kind, ...]:
    """Say of what kinds a name alone is; none where the text is that of an entrant.

    Raises
    ------
    StrategyError
        When there is no strategy of that name, or its file does not load.
    """
    match = _PART.fullmatch(text.strip())
    if not match or ("/" in text and not Path(match["path"] or "").is_file()):
        return ()
    kinds: list[Kind] = []
    missing: list[StrategyError] = []
    for kind in get_args(Kind):
        try:
            if match["path"]:
                find_in_file(kind, Path(match["path"]), match["name"])
            else:
                find(kind, match["name"])
            kinds.append(kind)
        except StrategyError as error:
            if error.__cause__ is not None:
                raise
            missing.append(error)
    if not kinds:
        raise next((error for error in missing if "did you mean" in str(error)), missing[0])
    return tuple(kinds)


def read_part(kind: Kind, text: str) -> tuple[Strategy, tuple[float | str, ...], str]:
    """Strategy, parameter values (of a player in thought its name) and canonical text of half one.

    Raises
    ------
    StrategyError
        When strategy or parameter are not known, or a value is out of range.
    """
    match = _PART.fullmatch(text)
    if not match:
        raise StrategyError(f"{text!r} is no {kind}: write name or name(parameter=value)")
    if match["path"]:
        strategy = find_in_file(kind, Path(match["path"]), match["name"])
    else:
        strategy = find(kind, match["name"])
    values: dict[str, float | str] = {p.name: p.default for p in strategy.parameters}
    given: dict[str, float | str] = {}
    for piece in filter(None, (piece.strip() for piece in (match["params"] or "").split(","))):
        name, equals, value = (side.strip() for side in piece.partition("="))
        if name not in values or not equals:
            known = ", ".join(values) or "none"
            raise StrategyError(
                f"{kind} {strategy.name} has no parameter {piece!r}: it has {known}"
            )
        if name in given:
            raise StrategyError(f"{kind} {strategy.name}: {name} is given twice")
        given[name] = _value(strategy, name, value)
    values |= given
    lines = [
        f"{p.name}={_shortest(values[p.name])}"
        for p in strategy.parameters
        if values[p.name] != p.default
    ]
    prefix = f"{match['path']}:" if match["path"] else ""
    brackets = f"({','.join(lines)})" if lines else ""
    return strategy, tuple(values.values()), f"{prefix}{strategy.name}{brackets}"


def with_parameter(text: str, name: str, value: float) -> str:
    """Set a parameter of an entrant.

    Parameters
    ----------
    text : str
        ``bidder/player``.
    name : str
        Of the parameter; ``bidder.name`` or ``player.name`` where both have one of that name.
    value : float

    Returns
    -------
    str
        Canonical text of the entrant.

    Raises
    ------
    StrategyError
        When the entrant has no such parameter, or both halves have it, or the value is out of
        range.
    """
    kinds: tuple[Kind, Kind] = ("bidder", "player")
    halves = dict(zip(kinds, split_entrant(text), strict=True))
    named, _, plain = name.rpartition(".")
    entries = {kind: read_part(kind, half) for kind, half in halves.items()}
    owners = [
        kind
        for kind, (strategy, _, _) in entries.items()
        if named in {"", kind} and plain in [parameter.name for parameter in strategy.parameters]
    ]
    if len(owners) > 1:
        raise StrategyError(
            f"{name} is of both halves of {text}: say bidder.{name} or player.{name}"
        )
    if not owners:
        known = [
            f"{kind}.{parameter.name}"
            for kind, (strategy, _, _) in entries.items()
            for parameter in strategy.parameters
        ]
        raise StrategyError(
            f"{text} has no parameter {name!r}: it has {', '.join(known) or 'none'}"
        )
    (owner,) = owners
    strategy, values, canonical = entries[owner]
    given = {p.name: old for p, old in zip(strategy.parameters, values, strict=True)}
    given[plain] = value
    inside = ",".join(f"{key}={_shortest(number)}" for key, number in given.items())
    halves = {kind: row for kind, (_, _, row) in entries.items()}
    bare = canonical.removesuffix(")").rpartition("(")[0] if canonical.endswith(")") else canonical
    halves[owner] = read_part(owner, f"{bare}({inside})")[2]
    if halves["bidder"] == halves["player"] and ".py:" in halves["bidder"]:
        return halves["bidder"]
    return f"{halves['bidder']}/{halves['player']}"


def _shortest(value: float | str) -> str:
    """Shortest text that reads back as the same value: workers load entrants by their text."""
    if isinstance(value, str):
        return value
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _value(strategy: Strategy, name: str, text: str) -> float | str:
    parameter = next(p for p in strategy.parameters if p.name == name)
    if isinstance(parameter, TableParameter):
        table_files(text)
        return text
    if isinstance(parameter, PlayerParameter):
        plain = [s.name for s in all_strategies() if s.kind == "player" and _is_plain(s)]
        if text not in plain:
            raise StrategyError(
                f"{strategy.kind} {strategy.name}: {name}={text} must be one of {', '.join(plain)}"
            )
        return text
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not parameter.low <= value <= parameter.high:
        raise StrategyError(
            f"{strategy.kind} {strategy.name}: {name}={text} must be a number "
            f"from {parameter.low:g} to {parameter.high:g}"
        )
    return value


def _is_plain(strategy: Strategy) -> bool:
    """Tell whether a player may play in another's thought."""
    thinks = any(not isinstance(parameter, Parameter) for parameter in strategy.parameters)
    return not (thinks or strategy.cheats or strategy.python or strategy.alone)


class _Resource(NamedTuple):
    """What a strategy gets by a parameter that is a name: memory, which is kept for good."""

    record: np.ndarray
    source: str
    files: tuple[Path, ...] = ()
    arrays: tuple[np.ndarray, ...] = ()

    @property
    def address(self) -> float:
        """Where it lies; a float64 holds any address."""
        return float(self.record.ctypes.data)


@cache
def _rollout_player(name: str) -> _Resource:
    """ROLLOUT array, shape (1,), of a registered player with its default parameters."""
    player = find("player", name)
    record = np.zeros(1, ROLLOUT)
    record["play"] = address_of(player.kernel, _SIGNATURE)
    record["discard"] = address_of(player.between, _SIGNATURE)
    record["announce"] = address_of(shared_kernel(announce_expected), _SIGNATURE)
    values = kernel_values(player)
    record["params"][0, : len(values)] = values
    return _Resource(record, _source(player))


@cache
def _estimates_of(files: tuple[Path, ...], content: str) -> _Resource:
    """ESTIMATES array of files with this hash of their content."""
    return _Resource(read_tables(files), content, files)


@cache
def _arrays_of(files: tuple[Path, ...], content: str) -> _Resource:
    """ARRAY array of data files with this hash of their content."""
    listed, arrays = read_arrays(files)
    return _Resource(listed, content, files, tuple(arrays))


def _data_of(strategy: Strategy) -> _Resource | None:
    """Arrays that a strategy brings along."""
    if not strategy.data:
        return None
    try:
        content = sha256(b"".join(file.read_bytes() for file in strategy.data))
    except OSError as error:
        raise StrategyError(
            f"{strategy.kind} {strategy.name} ({strategy.path}) names a data file that cannot be "
            f"read, {error.filename}: {error.strerror}"
        ) from error
    return _arrays_of(strategy.data, content.hexdigest()[:16])


def _resource_of(parameter: AnyParameter, value: str) -> _Resource:
    """Find what a parameter's value stands for."""
    if isinstance(parameter, TableParameter):
        files = tuple(table_files(value))
        content = sha256(b"".join(file.read_bytes() for file in files))
        return _estimates_of(files, content.hexdigest()[:16])
    return _rollout_player(value)


def kernel_values(
    strategy: Strategy, values: Sequence[float | str] | None = None
) -> tuple[float, ...]:
    """Parameters as a kernel reads them, by default the defaults.

    In place of a player in thought, or a table, it is the address of its record, which is kept for
    good; at the last place that of the list of its arrays, where the strategy brings data files.
    """
    if values is None:
        values = [parameter.default for parameter in strategy.parameters]
    read = [
        _resource_of(parameter, value).address if isinstance(value, str) else value
        for parameter, value in zip(strategy.parameters, values, strict=True)
    ]
    if data := _data_of(strategy):
        read += [0.0] * (DATA - len(read)) + [data.address]
    return tuple(read)


def load_entrant(text: str) -> Entrant:
    """Compile an entrant.

    Parameters
    ----------
    text : str
        ``bidder/player``.

    Returns
    -------
    Entrant

    Raises
    ------
    StrategyError
        When it is not known, or does not compile.
    """
    bid_text, play_text = split_entrant(text)
    bidder, bidder_params, bidder_text = read_part("bidder", bid_text)
    player, player_params, player_text = read_part("player", play_text)
    both = (bidder, player)
    files = {file for s in both if s.path.is_file() for file in source_files(s.path)}
    kernels = [_now(kernel) for s in both for kernel in (s.kernel, s.between)]
    bid, announce, play, discard = (address_of(kernel, _SIGNATURE) for kernel in kernels)
    resources = [
        _resource_of(parameter, value)
        for strategy, values in ((bidder, bidder_params), (player, player_params))
        for parameter, value in zip(strategy.parameters, values, strict=True)
        if isinstance(value, str)
    ]
    resources += filter(None, map(_data_of, both))
    files |= {file for each in resources for file in each.files}
    same = bid_text == play_text and ".py:" in bid_text  # a name alone is no entrant
    return Entrant(
        text=bidder_text if same else f"{bidder_text}/{player_text}",
        bidder=bidder.name,
        player=player.name,
        bid=bid,
        play=play,
        announce=announce,
        discard=discard,
        bidder_params=kernel_values(bidder, bidder_params),
        player_params=kernel_values(player, player_params),
        heeds_level=player.heeds_level,
        source="-".join([*map(_source, both), *(each.source for each in resources)]),
        files=tuple(file for file in sorted(files) if not is_own(file)),
        kernels=tuple(kernels),
        alone="; ".join(s.alone for s in both if s.alone),
        plain=tuple(f"{s.kind} {s.name}" for s in both if s.python),
        cheats=player.cheats,
        thinks=any(isinstance(p, PlayerParameter) for s in both for p in s.parameters),
    )


def _now(kernel: Any) -> Any:
    """Kernel as a notebook's cells now have it."""
    return current(kernel) if in_cell(kernel.py_func) else kernel


def _source(strategy: Strategy) -> str:
    """Hash of what a strategy was made of."""
    functions = {k.py_func for k in (strategy.kernel, strategy.between)}
    cells = sorted(cell_hash(function) for function in functions if in_cell(function))
    if cells:
        return f"{CELL}{'-'.join(cells)}"
    content = source_hash(strategy.path)
    values = sorted(filter(None, map(values_hash, functions)))
    return sha256(f"{content} {values}".encode()).hexdigest()[:16] if values else content
