"""What melds are worth by kind, from hands that are played anew: tables of runs hold only totals.

Only what scores is counted: not the layout that is shown of a failed contract.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.stats.intervals import Clustered
from simulate.cards import DENOMINATIONS
from simulate.engine.engine import Engine
from simulate.engine.entrant import Entrant
from simulate.engine.record import side_melds
from simulate.game.score_terms import MELD_KINDS
from simulate.rules import Rules
from simulate.store.settings import Settings


def meld_kind(meld: Sequence[str], trump: str) -> str:
    """Kind of a meld; one with two jokers is told by its natural cards.

    Parameters
    ----------
    meld : sequence of str
        Cards, ``*`` for a joker.
    trump : str
        Denomination.
    """
    natural = [card for card in meld if card != "*"]
    if len({card[:-1] for card in natural}) == 1:
        return "sets"
    return "trump runs" if natural[0][-1] == trump else "runs"


def meld_worth(meld: Sequence[str], trump: str, rules: Rules) -> int:
    """Points of a meld."""
    kind = meld_kind(meld, trump)
    if kind == "sets":
        return rules.set3_points if len(meld) == 3 else rules.set4_points
    points = rules.run3_points + rules.run_step_points * (len(meld) - 3)
    return points * (rules.trump_run_multiplier if kind == "trump runs" else 1)


def sample_melds(
    settings: Settings, entrants: Sequence[Entrant], deals: range
) -> dict[str, Clustered]:
    """Points of each kind of meld in a hand that is not passed out, both sides together.

    Parameters
    ----------
    settings : Settings
        Of a run of deals.
    entrants : sequence of Entrant
        By seat.
    deals : range
        That are played.
    """
    rules = settings.rules
    engine = Engine(rules, entrants, settings.seed)
    points = np.zeros((len(deals), len(MELD_KINDS)), np.int64)
    n = 0
    for place, deal in enumerate(deals):
        engine.play_one(deal, 0)
        state = engine.table.state[0]
        n += bool(state["n_tricks"])
        trump = DENOMINATIONS[state["denomination"]] if state["declarer"] >= 0 else "NT"
        keeps = state["made"] != 0 or rules.failed_contract_scores
        for side in range(0 if keeps else 1, 2):
            for meld in side_melds(engine, side):
                kind = MELD_KINDS.index(meld_kind(meld, trump))
                points[place, kind] += meld_worth(meld, trump, rules)
    return {
        kind: Clustered(n, n, int(column.sum()), n, int(column.sum()), int((column**2).sum()))
        for kind, column in zip(MELD_KINDS, points.T, strict=True)
    }
