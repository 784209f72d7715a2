"""What rule sets come to, in words."""

from __future__ import annotations

from analysis.house_rules.result import HouseRules, Measured, RuleSet
from analysis.show.text import count

#: Differences that are told of a rule set.
_MOST_WORDS = 4


def reading(house: HouseRules, of: RuleSet) -> str:
    """Say of a rule set whether it is fair, and what it changes most."""
    return f"{fairness(house, of)}; {changes(house, of)}."


def fairness(house: HouseRules, of: RuleSet) -> str:
    """Say whom the deal favours."""
    result = of.of("dealer", house.reference).estimate
    verdict = house.verdict(of, "dealer")
    within = f"{house.within:g}"
    if verdict == "fair":
        return f"fair to the dealer (within {within})"
    if verdict == "unfair":
        return f"UNFAIR: favours {_favoured(result.value)} by {abs(result.value):.1f} points a hand"
    interval = result.interval
    if interval and not interval.low <= 0 <= interval.high:
        whom = _favoured(result.value)
        low, high = sorted(map(abs, interval))
        return (
            f"favours {whom} by {low:.1f} to {high:.1f} points a hand, not sure to be over {within}"
        )
    return f"not sure to be fair to the dealer within {within}: more deals would tell"


def _favoured(value: float) -> str:
    return "the dealer's side" if value > 0 else "the side that bids first"


def changes(house: HouseRules, of: RuleSet) -> str:
    """Say what differs most from the base."""
    if of is house.base:
        return "the game that the others are compared with"
    if of.rules.players != house.base.rules.players:
        return f"other players and deals than {house.base.name}: its numbers stand alone"
    real = [row for row in of.results if row.real and row.entrant in ("", house.reference)]
    if not real:
        return f"nothing worth a word differs from {house.base.name}"
    real.sort(key=lambda row: -abs(_weight(row)))
    lines = [_phrase(row) for row in real[:_MOST_WORDS]]
    more = len(real) - len(lines)
    return ", ".join(lines) + (f", and {count(more, 'smaller difference')}" if more else "")


def _weight(result: Measured) -> float:
    assert result.difference is not None
    return result.difference.value / result.measure.worth


def _phrase(result: Measured) -> str:
    assert result.difference is not None
    measure, by = result.measure, result.difference.value * result.measure.scale
    words = measure.more if by > 0 else measure.less
    return f"{words} ({by:+.{1 if abs(by) >= 10 else 2}f}{' %' if measure.percent else ''})"


def sentence(house: HouseRules) -> str:
    """Say which rule sets are unfair to the dealer, and which changes the game most."""
    unfair = [of for of in house.sets if house.verdict(of, "dealer") == "unfair"]
    lines = [f"{of.name} is {fairness(house, of)}." for of in unfair]
    fair = sum(house.verdict(of, "dealer") == "fair" for of in house.sets)
    lines.append(
        f"{fair} of {count(len(house.sets), 'rule set')} are shown to be fair to the dealer within "
        f"{house.within:g} points a hand, played by {house.reference} "
        f"({count(house.deals, 'deal')} each)."
    )
    return "\n".join(lines)
