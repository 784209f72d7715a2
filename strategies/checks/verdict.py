"""What the checks of a strategy come to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Outcome = Literal["pass", "fail", "not run"]

#: Hands of each variant, seconds for it all, and for one decision, where nobody says.
DEALS, SECONDS, LIMIT = 100_000, 120.0, 10.0

#: Every check, in the order shown, and what it asks.
CHECKS = {
    "compiles": "the file loads, and the machine takes the code",
    "source": "its answers come of the view and its stream alone",
    "legal": "every answer is legal, and nothing is raised",
    "view": "of its view it changes memo, stated and stream alone",
    "repeatable": "the same hands again, the same rows",
    "blind": "cards that it cannot see make no difference",
    "bounds": "it reads within its arrays",
    "ends": "every decision ends",
    "speed": "time of a decision",
    "memory": "memory does not grow",
}


@dataclass(frozen=True)
class Row:
    """One check.

    Attributes
    ----------
    check : str
        A key of :data:`CHECKS`.
    outcome : {"pass", "fail", "not run"}
    text : str
        One line: how much was tested, or what was found.
    """

    check: str
    outcome: Outcome
    text: str


@dataclass(frozen=True, repr=False)
class Verdict:
    """Outcome of all checks of a strategy.

    Attributes
    ----------
    spec : str
    what : str
        What was checked, such as ``player greedy``.
    rows : tuple of Row
    facts : dict
        Numbers behind the rows: hands by variant, decisions, microseconds.
    """

    spec: str
    what: str
    rows: tuple[Row, ...]
    facts: dict[str, Any]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(row.outcome != "fail" for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """Verdict as JSON takes it."""
        return {"passed": self.passed, **asdict(self)}

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        width = max(map(len, CHECKS))
        lines = [f"{self.what}: {'passed' if self.passed else 'FAILED'}"]
        lines += [f"  {row.check:{width}}  {row.outcome:7}  {row.text}" for row in self.rows]
        return "\n".join(lines)
