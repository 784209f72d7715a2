"""Checking a strategy, and telling what came of it; `sviten.check` in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simulate.rules import load_rules
from strategies.checks.guard import check_strategy
from strategies.checks.verdict import DEALS, LIMIT, SECONDS, Verdict
from sviten.display.progress import tell


class Table(NamedTuple):
    """The verdict as a table."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def check(
    spec: str,
    *,
    deals: int = DEALS,
    seconds: float = SECONDS,
    limit: float = LIMIT,
    variants: Sequence[str] = (),
    quiet: bool = False,
) -> Verdict:
    """Test a strategy before it costs a night; it is run in a process of its own.

    Parameters
    ----------
    spec : str
        A bidder, a player, or an entrant ``bidder/player``.
    deals : int
        Hands of each variant to play.
    seconds : float
        Time for all checks, compiling aside. Where it does not suffice, fewer hands are played,
        and the verdict says how many.
    limit : float
        Seconds that one decision may take.
    variants : sequence of str
        Rules to play by; otherwise every preset that the strategy is declared for.
    quiet : bool
        Do not say what is being checked.

    Returns
    -------
    Verdict
        Print it; `passed` says whether all is well, `rows` has each check.

    Raises
    ------
    StrategyError
        When there is no such strategy, or it lies in a notebook's cell.
    RulesError
        When a variant is not known.
    """
    for variant in variants:
        load_rules(variant)
    began = (lambda _: None) if quiet else _Steps()
    return check_strategy(
        spec, deals=deals, seconds=seconds, limit=limit, variants=variants, progress=began
    )


class _Steps:
    """Tells each step once."""

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def __call__(self, name: str) -> None:
        if name not in self._shown:
            self._shown.add(name)
            tell(f"checking: {name}")


def verdict_table(verdict: Verdict) -> Table:
    """Make a table of a verdict."""
    title = f"{verdict.what}: {'passed' if verdict.passed else 'FAILED'}"
    rows = [[row.check, row.outcome, row.text] for row in verdict.rows]
    return Table(title, ["check", "outcome", "what was found"], rows)
