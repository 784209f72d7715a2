"""Wording for who uses the command: options as flags, a run as the command that plays it again.

It is the one place that knows how flags are written; below, what helps is an
:class:`~simulate.errors.Option` or a :class:`~simulate.errors.Call`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simulate.errors import Call, Option, SvitenError

if TYPE_CHECKING:
    from simulate.rules import Rules
    from simulate.store.settings import Settings

#: Options that bear another name on the command line; ids that are meant have one of their own.
_NAMES = {"rules": "variant", "scores": "score"}
_RANGES = {"deals": "deal_range", "matches": "match_range"}


def worded(error: SvitenError) -> str:
    """Message of an error."""
    return "".join(_word(piece) for piece in error.args)


def _word(piece: object) -> str:
    if isinstance(piece, Option):
        return shlex.join(_flags(piece))
    return f"`{command(piece)}`" if isinstance(piece, Call) else str(piece)


def command(call: Call) -> str:
    """Command that does what a function of `sviten` does."""
    words = ["sviten", _dashed(call.name), *map(str, call.arguments)]
    return shlex.join(words + [word for option in call.options for word in _flags(option)])


def command_of(settings: Settings, out: str = "") -> str:
    """Command that plays the rows of a run again.

    Parameters
    ----------
    settings : Settings
    out : str
        Folder to name; none where it is empty.
    """
    texts = {seat: seated.text for seat, seated in settings.entrants.items()}
    ns, ew = (list(texts.values())[side::2] for side in (0, 1))
    paired = len({*ns}) == len({*ew}) == 1
    size = settings.part_size
    options = {
        "forced": settings.forced,
        **({"ns": ns[0], "ew": ew[0]} if paired else {"seats": texts}),
        "rules": _named(settings.rules),
        "duplicate": settings.legs > 1,
        settings.unit: settings.ids if settings.ids.start else settings.count,
        "hands": settings.hands,
        "detail": settings.detail,
        "part_size": size if size & (size - 1) else 0,  # a pilot takes a power of two
    }
    given = {name: value for name, value in options.items() if value}
    folder = {"out": out} if out else {}
    return command(Call("simulate", **given, seed=settings.seed, **folder))


def _named(rules: Rules) -> str | dict[str, Any]:
    """Name of the preset that the rules are, or what differs from the classic game."""
    from simulate.rules import load_rules, variant_names

    changes = rules.changes()
    names = (name for name in variant_names() if load_rules(name) == rules)
    return next(names, changes) if changes else {}


def _flags(option: Option) -> list[str]:
    """Words of an option; a mapping becomes as many as it takes."""
    name, value = option
    if isinstance(value, Mapping):
        pairs = [(key, _text(each)) for key, each in value.items()]
        if name == "hands":
            return [word for seat, hand in pairs for word in ("--hands-of", hand, "--seat", seat)]
        if name == "rules":
            return [word for pair in pairs for word in ("--set", "=".join(pair))]
        value = ["=".join(pair) for pair in pairs]
    names = _RANGES if isinstance(value, range) else _NAMES
    flag = f"--{_dashed(names.get(name, name))}"
    return [flag] if value is None or value is True else [flag, _text(value)]


def _text(value: object) -> str:
    if value is ...:
        return "N"
    if isinstance(value, range):
        return f"{value.start}:{value.stop}"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _dashed(name: str) -> str:
    return name.replace("_", "-")
