"""Scratch memory that compiled code may use: one per engine, one per seat, none of it state.

Strategies get the address of theirs as an opaque number, `work`, to hand on to the functions here:
what lies behind it cannot be overwritten by accident, and no seat shares it with another.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.kernels import code_address, kernel, record_at
from simulate.game.endgame import ENDING
from simulate.game.records import STATE_TYPE
from simulate.game.scoring import SCORER_TYPES, SIDE, score_plain
from simulate.melds.solve import MELD_AREA, best_layout, prepare_melds

WORK = np.dtype(
    [
        ("melds", MELD_AREA),
        ("ending", np.int64),  # address of an ENDING, one for all seats
        ("scratch", np.int64),  # address of ROOM bytes for all seats: strategies.search.playouts
        ("truth", np.int64),  # address of the STATE, for a strategy declared to cheat; else 0
        ("scorer", np.int64),  # address of the code that scores a side under the rules
        ("side", SIDE),
        ("filler", np.int64, 7),  # to whole cache lines, as the layouts' memory has it
    ],
    align=True,
)
#: Bytes that a strategy may use within a decision. The system gives memory when it is written to,
#: so that they cost nothing where no strategy does.
ROOM = 1 << 16
WORK_TYPE: Any = numba.from_dtype(WORK)
ENDING_TYPE: Any = numba.from_dtype(ENDING)


def make_work(rules: np.ndarray, count: int = 1) -> np.ndarray:
    """Scratch for one rule set: a WORK array of shape (`count`,).

    Parameters
    ----------
    rules : RULES array, shape (1,)
    count : int
    """
    size = count * WORK.itemsize
    memory = np.zeros(size + ENDING.itemsize + ROOM, np.uint8)
    works = memory[:size].view(WORK)
    works["ending"] = memory.ctypes.data + size
    works["scratch"] = memory.ctypes.data + size + ENDING.itemsize
    _prepare(works[0], rules[0])
    works[0]["scorer"] = scorer_of(rules)
    works[1:] = works[0]
    return works


def scorer_of(rules: np.ndarray) -> int:
    """Address of the code that scores a side under `rules`, a RULES array of shape (1,)."""
    if rules["jokers"][0] or rules["hard_bid"][0]:
        # Compiled only for those who play so: it takes as long as the rest of the engine.
        from simulate.game.scoring_jokers import score_any

        return code_address(score_any, SCORER_TYPES)
    return code_address(score_plain, SCORER_TYPES)


@kernel
def _prepare(work: Any, rules: Any) -> None:
    prepare_melds(
        work.melds,
        rules.set3_points,
        rules.set4_points,
        rules.run3_points,
        rules.run_step_points,
        rules.trump_run_multiplier,
        rules.dead_card_penalty,
    )


@kernel
def truth_of(work: int) -> Any:
    """STATE record of the hand that is being played, for a strategy that is declared to cheat.

    Parameters
    ----------
    work : int64
        The handle that the strategy was given.

    Raises
    ------
    ValueError
        In a strategy that is not declared to cheat.
    """
    truth = record_at(work, WORK_TYPE).truth
    if truth == 0:
        raise ValueError("the truth is lent to none but those that are declared to cheat")
    return record_at(truth, STATE_TYPE)


@kernel
def layout_of(work: int, pile: np.uint64, trump: int, at_least: int) -> tuple[int, int, int]:
    """Best layout of a pile, for strategies.

    Parameters
    ----------
    work : int64
        The handle that the strategy was given.
    pile : uint64
    trump : int64
        Denomination 0..4.
    at_least : int64
        Melds that it must have.

    Returns
    -------
    points, melds, dead : int64
        `melds` is -1 where no layout has so many.
    """
    return best_layout(record_at(work, WORK_TYPE).melds, pile, trump, at_least)
