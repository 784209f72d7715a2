"""Declaring strategies, and finding them by name.

A strategy is one declaration: a kernel with a name, what it looks at, the source of its idea, and
parameters. The decorators :func:`bidder` and :func:`player` make one of a plain function and
register it; every list and help text reads the registry.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.metadata
import pkgutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from simulate.compiled.callbacks import Plain
from simulate.compiled.kernels import kernel
from simulate.compiled.notebook import in_cell
from simulate.engine.entrant import HeedsLevel
from simulate.errors import RulesError, StrategyError
from simulate.game.records import PARAMETERS
from simulate.rules import load_rules
from strategies.declare.plugins import PREFIX, forget, load_module, stamp
from strategies.knowledge.arrays import DATA
from strategies.knowledge.defaults import announce_expected, discard_weak

Kind = Literal["bidder", "player"]
Kernel = Callable[..., int]
Registry = dict[tuple[Kind, str], "Strategy"]
Stamp = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Parameter:
    """A number that tunes a strategy; a kernel reads it as ``view.params[k]``, k its place.

    Attributes
    ----------
    name : str
    default, low, high : float
        Default, and the range that is accepted, ends included.
    about : str
        What it does, in a few words.
    """

    name: str
    default: float
    low: float
    high: float
    about: str


@dataclass(frozen=True)
class PlayerParameter:
    """A player that a strategy plays on with in thought (see :mod:`strategies.search.playouts`).

    A kernel reads ``view.params[k]`` as the address of a ROLLOUT record. Its own parameters are at
    their defaults, and it has no player in thought itself.

    Attributes
    ----------
    name : str
    default : str
        Name of a registered player.
    about : str
        What it is for, in a few words.
    """

    name: str
    default: str
    about: str


@dataclass(frozen=True)
class TableParameter:
    """Numbers fitted from runs that a strategy reckons with; :mod:`strategies.knowledge.estimates`.

    A kernel reads ``view.params[k]`` as the address of an ESTIMATES record.

    Attributes
    ----------
    name : str
    default : str
        Name of a table that comes with the project.
    about : str
        What it is for, in a few words.
    """

    name: str
    default: str
    about: str


#: What a strategy may be told.
AnyParameter = Parameter | PlayerParameter | TableParameter


@dataclass(frozen=True, repr=False)
class Strategy:
    """One declared strategy.

    Attributes
    ----------
    kind : {"bidder", "player"}
    name : str
    kernel : numba dispatcher or Plain
        ``(view, work) -> int64``.
    between : numba dispatcher or Plain
        Of the same signature, asked between auction and lead: a bidder's announcement, a player's
        discard.
    looks_at : str
        What of the view it uses.
    source : str
        Where the idea comes from.
    parameters : tuple of Parameter, PlayerParameter and TableParameter
    about : str
        First line of the kernel's docstring.
    path : Path
        File that declares it.
    variants : tuple of str
        Presets that it is made for; none for all.
    python : bool
        Whether it is plain Python, which is slow.
    heeds_level : {"always", "in open hands", "never"}
        Of a player: when it looks at the level of the contract, or at an announced target.
    cheats : bool
        A player that is shown all hands: a bracket, no opponent.
    data : tuple of Path
        Files whose arrays it is handed (see :mod:`strategies.knowledge.arrays`).
    """

    kind: Kind
    name: str
    kernel: Any = field(repr=False)
    between: Any = field(repr=False)
    looks_at: str
    source: str
    parameters: tuple[AnyParameter, ...]
    about: str
    path: Path
    variants: tuple[str, ...] = ()
    python: bool = False
    heeds_level: HeedsLevel = "always"
    cheats: bool = False
    data: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {self.about}>"

    @property
    def alone(self) -> str:
        """Say why no other process can load it; an empty text where one can."""
        module = self.kernel.py_func.__module__ or ""
        if in_cell(self.kernel.py_func) and not self.path.is_file():
            return f"{self.kind} {self.name} was declared in a notebook cell: write it to a file"
        if module.startswith((PREFIX, "strategies.")) or module.partition(".")[0] in _installed():
            return ""
        text = f"{self.kind} {self.name} is known to this process alone"
        return f"{text}: name it {self.path}:{self.name}"


_registered: Registry = {}
#: What the modules of plug-ins declare, by the module's name.
_plugged: dict[str, Registry] = {}
#: What a user's file offers, and its stamp when it was loaded.
_files: dict[Path, tuple[Stamp, Registry]] = {}


def bidder(
    name: str,
    *,
    looks_at: str,
    source: str,
    parameters: Sequence[AnyParameter] = (),
    announce: Kernel = announce_expected,
    variants: Sequence[str] = (),
    python: bool = False,
    data: Sequence[str] = (),
) -> Callable[[Kernel], Strategy]:
    """Declare a bidder: ``bid(view, work)`` answers a call, 0 for pass.

    `announce` is a function of the same arguments that answers the points of a hard bid; without
    one the bidder announces the shipped estimate. `variants`, `python` and `data` are as for
    :func:`player`.

    Raises
    ------
    StrategyError
        When the name is taken, or a parameter's default lies outside its range.
    """
    about = _About(looks_at, source, tuple(variants), tuple(data))
    return _declare("bidder", name, about, parameters, announce, python=python)


def player(
    name: str,
    *,
    looks_at: str,
    source: str,
    parameters: Sequence[AnyParameter] = (),
    discard: Kernel = discard_weak,
    variants: Sequence[str] = (),
    python: bool = False,
    heeds_level: HeedsLevel = "always",
    cheats: bool = False,
    data: Sequence[str] = (),
) -> Callable[[Kernel], Strategy]:
    """Declare a player: ``play(view, work)`` answers a card of ``view.legal``.

    `discard` is a function of the same arguments that answers the card laid down for the kitty of
    three players; without one the player discards by the shipped sense. `heeds_level` says when it
    looks at the level of the contract or at an announced target: a forced run needs players that
    do not.
    `variants` names the presets that it is made for, where they are not all. With `python` the
    function is not compiled: it may use all of Python, and takes some hundred times as long.
    `data` names files of numbers beside the declaring file, ``.npy`` or ``.npz``, which the kernel
    reads as arrays; runs keep copies of them.

    A player that `cheats` is lent the truth beside its view:
    :func:`simulate.engine.scratch.truth_of`. It shows what there is to gain, is marked in every
    list, and plays no tournament unasked.

    Raises
    ------
    StrategyError
        When the name is taken, or a parameter's default lies outside its range.
    """
    about = _About(looks_at, source, tuple(variants), tuple(data), heeds_level, cheats)
    return _declare("player", name, about, parameters, discard, python=python)


def _place(strategy: Strategy) -> str:
    return str(strategy.path) if strategy.path.is_file() else "a notebook cell"


def _declares_anew(function: Kernel, old: Kernel) -> bool:
    """Tell whether a notebook runs a declaration again: in a cell, by ``%run``, or reloading it."""
    if in_cell(old) and in_cell(function):
        return True
    same_file = old.__code__.co_filename == function.__code__.co_filename
    if old.__globals__ is function.__globals__:
        return same_file and old.__qualname__ == function.__qualname__
    return same_file or old.__module__ == function.__module__ == "__main__"


@functools.cache
def shared_kernel(function: Kernel) -> Any:
    """Kernel of a function that many strategies share."""
    return kernel(function, strict=True)


def _between(function: Kernel, *, plain: bool) -> Any:
    """Make what answers between auction and lead, as the engine calls it."""
    return Plain(function) if plain else shared_kernel(function)


class _About(NamedTuple):
    """What a declaration says of a strategy."""

    looks_at: str
    source: str
    variants: tuple[str, ...]
    data: tuple[str, ...]
    heeds_level: HeedsLevel = "always"
    cheats: bool = False


def _declare(
    kind: Kind,
    name: str,
    about: _About,
    parameters: Sequence[AnyParameter],
    between: Kernel,
    *,
    python: bool,
) -> Callable[[Kernel], Strategy]:
    if not name.replace("_", "").replace("-", "").isalnum():
        raise StrategyError(f"{name!r} is no name of a strategy: letters, digits, - and _ serve")
    most = DATA if about.data else PARAMETERS
    if len(parameters) > most:
        raise StrategyError(f"{kind} {name} has {len(parameters)} parameters: {most} at most")
    heeds_level = about.heeds_level
    if heeds_level not in get_args(HeedsLevel):
        known = ", ".join(map(repr, get_args(HeedsLevel)))
        raise StrategyError(f"{kind} {name}: heeds_level={heeds_level!r} may be {known}")
    names = [parameter.name for parameter in parameters]
    for parameter in parameters:
        if not parameter.name.isidentifier():
            raise StrategyError(f"{kind} {name}: {parameter.name!r} is no name of a parameter")
        if names.count(parameter.name) > 1:
            raise StrategyError(f"{kind} {name} has the parameter {parameter.name} twice")
        if not isinstance(parameter, Parameter):
            continue
        if not parameter.low <= parameter.default <= parameter.high:
            raise StrategyError(f"{kind} {name}: default of {parameter.name} is out of its range")

    for variant in about.variants:
        try:
            load_rules(variant)
        except RulesError as error:
            raise StrategyError(f"{kind} {name} is made for {variant!r}: {error}") from error

    def register(function: Kernel) -> Strategy:
        own = python and between not in (announce_expected, discard_weak)
        path = Path(function.__code__.co_filename)
        compiled = Plain(function) if python else kernel(function, strict=True)
        strategy = Strategy(
            kind=kind,
            name=name,
            kernel=compiled,
            # One function is compiled once: two libraries of one name hide each other's address.
            between=compiled if between is function else _between(between, plain=own),
            looks_at=about.looks_at,
            source=about.source,
            parameters=tuple(parameters),
            about=(function.__doc__ or "").strip().partition("\n")[0],
            path=path,
            variants=about.variants,
            python=python,
            heeds_level=heeds_level,
            cheats=about.cheats,
            data=tuple(path.parent / file for file in about.data),
        )
        module = function.__module__
        plugged = module.startswith(PREFIX)
        registry = _plugged.setdefault(module, {}) if plugged else _registered
        taken = registry.get((kind, name))
        if taken and (plugged or not _declares_anew(function, taken.kernel.py_func)):
            places = " and ".join(dict.fromkeys(map(_place, (taken, strategy))))
            raise StrategyError(f"{kind} {name!r} is declared twice, in {places}: rename one")
        registry[kind, name] = strategy
        return strategy

    return register


def _load_shipped() -> None:
    for group in ("strategies.bidders", "strategies.players"):
        package = importlib.import_module(group)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{group}.{module.name}")


def _load_installed() -> None:
    """Import what installed packages name under the entry point group `sviten.strategies`."""
    for point in importlib.metadata.entry_points(group="sviten.strategies"):
        try:
            point.load()
        except StrategyError:
            raise
        except Exception as error:
            raise StrategyError(f"entry point {point.name} does not load: {error}") from error


def _installed() -> set[str]:
    """Name the installed packages whose strategies every process knows."""
    points = importlib.metadata.entry_points(group="sviten.strategies")
    return {getattr(point, "module", "").partition(".")[0] for point in points}


def all_strategies() -> list[Strategy]:
    """Every registered strategy, bidders first, by name."""
    _load_shipped()
    _load_installed()
    return [_registered[key] for key in sorted(_registered)]


def is_registered(name: str) -> bool:
    """Tell whether there is a bidder or a player of that name."""
    _load_shipped()
    if not any(known == name for _, known in _registered):
        _load_installed()
    return any(known == name for _, known in _registered)


def declared_here(spec: str) -> str:
    """Say what of a spec no other process can load; an empty text where all can be."""
    for part in spec.split("/"):
        name = part.partition("(")[0].strip()
        for kind in get_args(Kind):
            strategy = _registered.get((kind, name))
            if strategy and strategy.alone:
                return strategy.alone
    return ""


def find(kind: Kind, name: str) -> Strategy:
    """Strategy of that kind and name.

    Raises
    ------
    StrategyError
        When there is none; the message suggests the closest name.
    """
    _load_shipped()
    if (kind, name) not in _registered:
        _load_installed()
    if (kind, name) in _registered:
        return _registered[kind, name]
    return _missing(kind, name, _registered, "known are ")


def find_in_file(kind: Kind, path: Path, name: str) -> Strategy:
    """Strategy that the user's file at `path` declares.

    Raises
    ------
    StrategyError
        When the file does not load, or declares no such strategy.
    """
    path = path.resolve()
    if path in _files and stamp(path) != _files[path][0]:  # edited since, as from a notebook
        forget(path)
        del _files[path]
    if path not in _files:
        declared = _load_file(path)
        _files[path] = stamp(path), declared
    declared = _files[path][1]
    if (kind, name) in declared:
        return declared[kind, name]
    return _missing(kind, name, declared, f"{path.name} declares ")


def _missing(kind: Kind, name: str, registry: Registry, lead: str) -> Strategy:
    names = [known for of_kind, known in sorted(registry) if of_kind == kind]
    close = difflib.get_close_matches(name, names, n=1)
    others = [of_kind for of_kind, known in registry if known == name]
    if others:
        hint = f"it is a {others[0]}; an entrant is written bidder/player"
    elif close:
        hint = f"did you mean {close[0]}?"
    else:
        hint = lead + (", ".join(names) or f"no {kind}")
    raise StrategyError(f"{name!r} is no {kind}: {hint}")


def _load_file(path: Path) -> Registry:
    if not path.is_file():
        raise StrategyError(f"there is no file {path}")
    _load_shipped()  # what the file imports of it is declared for all, not for the file
    _forget_gone()
    try:
        module = load_module(path)
    except StrategyError as error:
        line = _line_in(error, path)
        raise StrategyError(f"{path}, line {line}: {error}" if line else str(error)) from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        file, line = path, _line_in(error, path)
        if isinstance(error, SyntaxError) and error.filename:
            file, line = Path(error.filename), error.lineno
        where = f"{file}, line {line}" if line else str(file)
        text = str(error).strip().partition("\n")[0]
        raise StrategyError(f"{where}: {type(error).__name__}: {text}") from error
    finally:
        _forget_gone()
    entries = dict(_plugged.get(module.__name__, {}))
    for value in vars(module).values():  # what it has from a neighbour, it offers too
        if isinstance(value, Strategy):
            entries.setdefault((value.kind, value.name), value)
    return entries


def _forget_gone() -> None:
    """Forget what modules declared that failed to load, or were edited since."""
    for name in set(_plugged) - set(sys.modules):
        del _plugged[name]


def _line_in(error: BaseException, path: Path) -> int | None:
    """Last line of the file at `path` in the error's traceback."""
    line = None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
