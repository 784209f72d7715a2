"""What `sviten strategies` and `sviten rules` tell, as facts and as tables."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from simulate.rules import Rules, load_rules, variant_file, variant_names
from strategies.declare.registry import (
    AnyParameter,
    Parameter,
    PlayerParameter,
    Strategy,
    all_strategies,
)
from strategies.knowledge.estimates import table_names


class Table(NamedTuple):
    """A table to be shown: texts alone."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def strategy_facts() -> list[dict[str, Any]]:
    """List the registered strategies as JSON takes them."""
    return [
        {
            "kind": strategy.kind,
            "name": strategy.name,
            "about": strategy.about,
            "looks_at": strategy.looks_at,
            "source": strategy.source,
            "variants": list(strategy.variants),
            "python": strategy.python,
            "cheats": strategy.cheats,
            "parameters": [
                {
                    "name": parameter.name,
                    "default": parameter.default,
                    "low": getattr(parameter, "low", None),
                    "high": getattr(parameter, "high", None),
                    "about": parameter.about,
                }
                for parameter in strategy.parameters
            ],
        }
        for strategy in all_strategies()
    ]


def strategy_tables() -> list[Table]:
    """Bidders, players, and their parameters."""
    known = all_strategies()
    tables = []
    for kind in ("bidder", "player"):
        rows = [[s.name, _about(s), s.looks_at, s.source] for s in known if s.kind == kind]
        columns = [kind, "what it does", "looks at", "source"]
        tables.append(Table(f"{kind.capitalize()}s", columns, rows))
    rows = [_parameter(s, parameter) for s in known for parameter in s.parameters]
    columns = ["of", "parameter", "default", "range", "what it does"]
    tables.append(Table("Parameters, written name(parameter=value)", columns, rows))
    return tables


def _about(strategy: Strategy) -> str:
    """Say what a strategy does, for what rules, and whether it is slow or cheats."""
    text = f" Made for {', '.join(strategy.variants)}." if strategy.variants else ""
    text += " Plain Python, slow." if strategy.python else ""
    text += " It cheats: plays no tournament unasked." if strategy.cheats else ""
    return f"{strategy.about}{text}"


def _parameter(strategy: Strategy, parameter: AnyParameter) -> list[str]:
    if isinstance(parameter, Parameter):
        default, accepted = f"{parameter.default:g}", f"{parameter.low:g} to {parameter.high:g}"
    elif isinstance(parameter, PlayerParameter):
        default, accepted = parameter.default, "a player"
    else:
        default, accepted = parameter.default, f"{', '.join(table_names())} or a file"
    return [
        f"{strategy.kind} {strategy.name}",
        parameter.name,
        default,
        accepted,
        parameter.about,
    ]


def rules_facts(variant: str, rules: Rules) -> dict[str, Any]:
    """Rule set as JSON takes it, with what is known of each field.

    Parameters
    ----------
    variant : str
        Its name, or several joined by ``+``.
    rules : Rules
        What it comes to.
    """
    values = rules.model_dump(mode="json")
    fields = type(rules).model_fields
    files = [variant_file(part.strip()) for part in variant.split("+")]
    return {
        "variant": variant,
        "description": " ".join(file.get("description", "") for file in files).strip(),
        "source": "; ".join(file["source"] for file in files if file.get("source")),
        "rules": values,
        "changes": rules.changes(),
        "fields": {
            name: {
                "value": values[name],
                "classic": _plain(field.default),
                "about": field.description,
                "choices": _choices(field.annotation),
            }
            for name, field in fields.items()
        },
        "notes": rules.notes(),
        "variants": {name: variant_file(name).get("description", "") for name in variant_names()},
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _choices(annotation: Any) -> list[Any] | None:
    """Values that a field may have, where they are listed."""
    values = get_args(annotation)
    return list(values) if values and all(isinstance(v, str | int) for v in values) else None


def rules_tables(facts: dict[str, Any]) -> list[Table]:
    """Fields that differ from the classic game, the others, and the presets."""
    tables = []
    changed = list(facts["changes"])
    same = [name for name in facts["fields"] if name not in changed]
    title = ": ".join(filter(None, [facts["variant"], facts["description"]]))
    if facts["source"]:
        title += f"\nSource: {facts['source']}"
    if changed:
        columns = ["field", "value", "classic", "what it is"]
        tables.append(Table(title, columns, [_field(facts, name, True) for name in changed]))
        title = "As in the classic game"
    columns = ["field", "value", "what it is"]
    tables.append(Table(title, columns, [_field(facts, name, False) for name in same]))
    presets = [[name, about, _differences(name)] for name, about in facts["variants"].items()]
    tables.append(Table("Presets", ["variant", "what it is", "sets"], presets))
    return tables


def _field(facts: dict[str, Any], name: str, with_classic: bool) -> list[str]:
    field = facts["fields"][name]
    about = field["about"]
    if field["choices"]:
        about += f" ({', '.join(map(str, field['choices']))})"
    classic = [_written(field["classic"])] if with_classic else []
    return [name, _written(field["value"]), *classic, about]


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _differences(name: str) -> str:
    changes = load_rules(name).changes()
    return ", ".join(f"{field}={_written(value)}" for field, value in changes.items())
