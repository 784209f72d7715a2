"""What differs between two sets of settings, told by name."""

from __future__ import annotations

from typing import Any

from simulate.store.settings import SETTINGS_FILE, Settings

#: What may differ between two sets of settings that give the same rows.
_FREE = frozenset({"schema", "versions", "created", "stored"})


def _flatten(value: Any, name: str = "") -> dict[str, Any]:
    """Leaves of nested settings by dotted name, but for what the rows do not depend on."""
    if not isinstance(value, dict):
        return {name: value}
    leaves: dict[str, Any] = {}
    for key, inner in value.items():
        if key not in _FREE:
            leaves |= _flatten(inner, f"{name}.{key}" if name else key)
    return leaves


def name_differences(
    left: Settings, right: Settings, there: str = "there", here: str = "here"
) -> str:
    """Name the first differences that make for other rows: ``seed 7 there, 8 here``.

    Parameters
    ----------
    left, right : Settings
    there, here : str
        What stands behind their values.

    Returns
    -------
    str
        Empty where the same rows come of both.
    """
    of_left, of_right = (_flatten(each.model_dump(mode="json")) for each in (left, right))
    return _tell_differences(of_left, of_right, there, here)


def name_part_differences(written: dict[str, Any], settings: Settings) -> str:
    """Name the first differences between what a part repeats and the settings, as they matter.

    Returns
    -------
    str
        Empty where the part is of these settings.
    """
    return _tell_differences(
        _flatten(written), _flatten(settings.part_facts()), "in the parts", f"in {SETTINGS_FILE}"
    )


def _tell_differences(left: dict[str, Any], right: dict[str, Any], there: str, here: str) -> str:
    lines = [
        f"{name} {left.get(name, 'unset')} {there}, {right.get(name, 'unset')} {here}"
        for name in dict.fromkeys([*left, *right])
        if left.get(name) != right.get(name)
    ]
    return "; ".join(lines[:3]) + (f"; and {len(lines) - 3} more" if len(lines) > 3 else "")
