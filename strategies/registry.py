"""Declaring strategies, and finding them by name.

A strategy is one declaration: a kernel with a name, what it looks at, the source of its idea, and
parameters. The decorators :func:`bidder` and :func:`player` make one of a plain function and
register it; every list and help text reads the registry.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from simulate.errors import StrategyError
from simulate.kernels import kernel
from simulate.table import PARAMETERS

Kind = Literal["bidder", "player"]
Kernel = Callable[..., int]
Registry = dict[tuple[Kind, str], "Strategy"]


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
class Strategy:
    """One declared strategy.

    Attributes
    ----------
    kind : {"bidder", "player"}
    name : str
    kernel : numba dispatcher
        ``(view, work) -> int64``.
    looks_at : str
        What of the view it uses.
    source : str
        Where the idea comes from.
    parameters : tuple of Parameter
    about : str
        First line of the kernel's docstring.
    path : Path
        File that declares it.
    """

    kind: Kind
    name: str
    kernel: Any = field(repr=False)
    looks_at: str
    source: str
    parameters: tuple[Parameter, ...]
    about: str
    path: Path


_registered: Registry = {}
_target: ContextVar[Registry] = ContextVar("_target", default=_registered)
_files: dict[Path, Registry] = {}


def bidder(
    name: str, *, looks_at: str, source: str, parameters: Sequence[Parameter] = ()
) -> Callable[[Kernel], Strategy]:
    """Declare a bidder: ``bid(view, work)`` answers a call, 0 for pass.

    Raises
    ------
    StrategyError
        When the name is taken, or a parameter's default lies outside its range.
    """
    return _declare("bidder", name, looks_at, source, parameters)


def player(
    name: str, *, looks_at: str, source: str, parameters: Sequence[Parameter] = ()
) -> Callable[[Kernel], Strategy]:
    """Declare a player: ``play(view, work)`` answers a card of ``view.legal``.

    Raises
    ------
    StrategyError
        When the name is taken, or a parameter's default lies outside its range.
    """
    return _declare("player", name, looks_at, source, parameters)


def _declare(
    kind: Kind, name: str, looks_at: str, source: str, parameters: Sequence[Parameter]
) -> Callable[[Kernel], Strategy]:
    if not name.replace("_", "").replace("-", "").isalnum():
        raise StrategyError(f"{name!r} is no name of a strategy: letters, digits, - and _ serve")
    if len(parameters) > PARAMETERS:
        raise StrategyError(f"{kind} {name} has {len(parameters)} parameters: {PARAMETERS} at most")
    for parameter in parameters:
        if not parameter.low <= parameter.default <= parameter.high:
            raise StrategyError(f"{kind} {name}: default of {parameter.name} is out of its range")

    def register(function: Kernel) -> Strategy:
        strategy = Strategy(
            kind=kind,
            name=name,
            kernel=kernel(function),
            looks_at=looks_at,
            source=source,
            parameters=tuple(parameters),
            about=(function.__doc__ or "").strip().partition("\n")[0],
            path=Path(function.__code__.co_filename),
        )
        registry = _target.get()
        if (kind, name) in registry:
            raise StrategyError(f"{kind} {name!r} is declared twice, lastly in {strategy.path}")
        registry[kind, name] = strategy
        return strategy

    return register


@contextlib.contextmanager
def _collecting() -> Iterator[Registry]:
    """Registry of their own for the strategies declared meanwhile."""
    found: Registry = {}
    token = _target.set(found)
    try:
        yield found
    finally:
        _target.reset(token)


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


def all_strategies() -> list[Strategy]:
    """Every registered strategy, bidders first, by name."""
    _load_shipped()
    _load_installed()
    return [_registered[key] for key in sorted(_registered)]


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
    if path not in _files:
        _files[path] = _load_file(path)
    if (kind, name) in _files[path]:
        return _files[path][kind, name]
    return _missing(kind, name, _files[path], f"{path.name} declares ")


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
    # A name of its own, so that two files called alike stay apart; the folder is on the path
    # while it loads, so that the file finds its neighbours as it does when it is run.
    name = f"sviten_plugin_{path.stem}_{sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        with _collecting() as found:
            spec.loader.exec_module(module)
    except StrategyError:
        raise
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        line = getattr(error, "lineno", None) or _line_in(error, path)
        where = f"{path}, line {line}" if line else str(path)
        raise StrategyError(f"{where}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    return found


def _line_in(error: BaseException, path: Path) -> int | None:
    """Last line of the file at `path` in the error's traceback."""
    line = None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
