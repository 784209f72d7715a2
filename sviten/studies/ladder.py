"""The ladder: every strategy that comes with the project, measured against one opponent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import strategies
from analysis.tournament.ladder import Ladder, climb
from simulate.engine.engine import Engine, make_buffer
from simulate.rules import Rules
from simulate.runs.study import Study
from strategies.declare.registry import Strategy, all_strategies
from strategies.declare.spec import load_entrant

#: Whom all others meet: plain whist sense, and the tips that players give each other.
BIDDER, PLAYER = "tips", "high"
OPPONENT = f"{BIDDER}/{PLAYER}"
#: Between these a player closes a share of the gap.
ENDS = (f"{BIDDER}/random", f"{BIDDER}/oracle")
#: Beside each strategy as it comes, what else a rung is to have.
_MORE: dict[str, list[str]] = {"player": ["search(worlds=64)"], "bidder": []}

_TIMED_SECONDS = 0.5
_HOME = Path(strategies.__file__).parent


def ladder_groups(entered: Sequence[str] = ()) -> dict[str, list[str]]:
    """Entrants of the ladder by title of its parts.

    Parameters
    ----------
    entered : sequence of str
        Entrants of the user's own.
    """
    players, bidders = (
        [*(each.name for each in all_strategies() if each.kind == kind and _shipped(each)), *more]
        for kind, more in _MORE.items()
    )
    groups = {
        f"Players, all with the bidder {BIDDER}": [f"{BIDDER}/{player}" for player in players],
        f"Bidders, all with the player {PLAYER}": [f"{bidder}/{PLAYER}" for bidder in bidders],
    }
    if entered:
        groups["Entered"] = [load_entrant(text).text for text in entered]
    return groups


def _shipped(strategy: Strategy) -> bool:
    """Whether a strategy comes with the project, for all rules."""
    return strategy.path.is_relative_to(_HOME) and not strategy.variants


def hand_microseconds(entrant: str, rules: Rules) -> float:
    """Measure a hand with an entrant at every seat, in time of one processor."""
    engine = Engine(rules, [load_entrant(entrant)] * rules.players, seed=1)
    count = 1
    while True:
        buffer = make_buffer(count)
        engine.play(buffer, 0, 1)  # compiles, or loads what was compiled
        begun = time.thread_time()
        engine.play(buffer, 0, count)
        taken = time.thread_time() - begun
        if taken >= _TIMED_SECONDS / 2:
            return 1e6 * taken / count
        count = max(count + 1, min(16 * count, int(count * _TIMED_SECONDS / max(taken, 1e-6))))


def make_ladders(study: Study) -> list[Ladder]:
    """Make the ladders of a tournament that was played as one."""
    groups = study.options["ladder"]
    rules = next(iter(study.runs.values())).rules
    failed = {failure.entrant for failure in study.failures}
    standing = {name for group in groups.values() for name in group} - failed
    costs = {name: hand_microseconds(name, rules) for name in sorted(standing)}
    return climb(study, groups, costs, ENDS)
