"""What may be chosen: a rule set, strategies, who sits where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import joblib

from simulate.errors import StrategyError
from simulate.rules import Rules, load_rules, make_rules
from strategies.declare.registry import Strategy, all_strategies
from strategies.declare.spec import read_part, split_entrant

#: Rules, the name of a variant (several joined by ``+``), or fields that differ from classic.
RulesLike = Rules | str | Mapping[str, object]


def rules(variant: RulesLike = "classic", **changes: object) -> Rules:
    """Make a rule set.

    Parameters
    ----------
    variant : str, Rules or mapping
        Name of a variant, path of a TOML file, several joined by ``+``; or fields that differ
        from the classic game.
    **changes
        Fields that differ from the variant.

    Returns
    -------
    Rules

    Raises
    ------
    RulesError
        When a name is not known, or the rules make no sense.
    """
    if isinstance(variant, Rules):
        return make_rules(variant.model_dump() | changes) if changes else variant
    if isinstance(variant, str):
        return load_rules(variant, changes)
    return make_rules({**variant, **changes})


def listed(names: Sequence[str]) -> list[str]:
    """Names in a list; one that is given by itself is not taken for a list of letters."""
    return [names] if isinstance(names, str) else list(names)


def cores() -> int:
    """Cores that this process may use, by its affinity and by the quota of its container."""
    return joblib.cpu_count()


def strategies() -> list[Strategy]:
    """List the registered strategies, bidders first.

    Raises
    ------
    StrategyError
        When an installed package's strategies do not load.
    """
    return all_strategies()


def seat_entrants(ns: str, ew: str, seats: Mapping[str, str] | None, rules: Rules) -> list[str]:
    """Specs by seat, N first.

    Raises
    ------
    StrategyError
        When `seats` names other seats than those that play.
    """
    if seats is None:
        return [(ns, ew)[seat % 2] for seat in range(rules.players)]
    if sorted(seats) != sorted(rules.seats):
        raise StrategyError(
            f"seats {','.join(seats) or 'none'}: an entrant is needed for each of "
            f"{','.join(rules.seats)}, once"
        )
    return [seats[seat] for seat in rules.seats]


def seat_two(first: str, second: str, rules: Rules) -> list[str]:
    """Specs by seat, N first: two against two, or with three players one among two."""
    return [first, *([second, first, second] if rules.players == 4 else [second, second])]


def check_specs(specs: Sequence[str]) -> list[str]:
    """Find misspelt names before anything is compiled; returns what should be known of them."""
    notes = []
    for spec in dict.fromkeys(specs):
        bidder, player = split_entrant(spec)
        for strategy, _, text in (read_part("bidder", bidder), read_part("player", player)):
            if strategy.python:
                message = "plain Python: a hand takes some hundred times as long as if compiled"
                notes.append(f"{strategy.kind} {text} is {message}")
    return notes
