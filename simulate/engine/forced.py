"""Hands with the contract given (a forced run); the loop is :mod:`simulate.engine.loop_forced`."""

from __future__ import annotations

import numpy as np

from simulate.cards import DENOMINATIONS, SEATS
from simulate.compiled.callbacks import raised
from simulate.engine.engine import Engine
from simulate.engine.entrant import Entrant
from simulate.engine.loop_forced import FORCED, hold_auctions, play_all, play_contract
from simulate.errors import IllegalPlay, StrategyError
from simulate.game.records import MAX_CALLS
from simulate.rules import Rules


def heedless_of_level(entrant: Entrant, rules: Rules) -> bool:
    """Whether the player looks at neither level nor announced target under these rules."""
    open_hands = rules.open_last > 0
    return entrant.heeds_level == "never" or (
        entrant.heeds_level == "in open hands" and not open_hands
    )


def contracts_a_leg(rules: Rules) -> int:
    """Playouts of a deal in one leg: a seat and a denomination each."""
    return rules.players * len(rules.denominations)


def auctions(engine: Engine, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Hold the auctions of `count` deals from deal id `first` on, in leg 0.

    Returns
    -------
    calls, callers : int8 arrays, shape (count, MAX_CALLS)
        -1 after the last call.

    Raises
    ------
    IllegalPlay, StrategyError
        As for :meth:`simulate.engine.engine.Engine.play`.
    """
    calls, callers = (np.empty((count, MAX_CALLS), np.int8) for _ in range(2))
    try:
        held = hold_auctions(engine.table, calls, callers, first)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise engine.failure(raised(error)) from error
    if held < count:
        raise engine.failure("", IllegalPlay)
    return calls, callers


def play_forced(engine: Engine, rows: np.ndarray, first: int, count: int) -> None:
    """Play `count` deals from deal id `first` on, every leg of each, declared by every seat.

    Parameters
    ----------
    engine : Engine
    rows : FORCED array
        Modified in place.
    first, count : int

    Raises
    ------
    IllegalPlay, StrategyError
        As for :meth:`simulate.engine.engine.Engine.play`.
    """
    try:
        done = play_all(engine.table, rows, first, count)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise engine.failure(raised(error)) from error
    if done < count * engine.legs * contracts_a_leg(engine.rules):
        raise engine.failure("", IllegalPlay)


def check_heedless(engine: Engine, first: int, deals: int = 4) -> None:
    """Play some deals at the lowest and at the highest level, and compare the cards.

    Raises
    ------
    StrategyError
        Naming the player that plays otherwise under another level, though it is declared not to.
    IllegalPlay
        As for :meth:`simulate.engine.engine.Engine.play`.
    """
    state = engine.table.state[0]
    row = np.zeros(1, FORCED)[0]
    denomination = DENOMINATIONS.index(engine.rules.denominations[-1])
    for deal_id in range(first, first + deals):
        for declarer in range(engine.rules.players):
            seen = []
            for level in (1, engine.rules.max_level):
                try:
                    legal = play_contract(
                        engine.table, row, deal_id, 0, declarer, denomination, level
                    )
                except Exception as error:
                    raise engine.failure(raised(error)) from error
                if not legal:
                    raise engine.failure("", IllegalPlay)
                seen.append((state["plays"].copy(), state["leaders"].copy()))
            (low, leaders), (high, _) = seen
            if (low != high).any():
                place = int(np.flatnonzero(low != high)[0])
                players = engine.rules.players
                seat = (int(leaders[place // players]) + place) % players
                entrant = engine.seated[0][seat]
                raise StrategyError(
                    f"player {entrant.player} of {entrant.text} (seat {SEATS[seat]}) is declared "
                    f"to look at no level, yet plays otherwise as {SEATS[declarer]} declares "
                    f"{engine.rules.max_level}{DENOMINATIONS[denomination]} rather than "
                    f"1{DENOMINATIONS[denomination]} in deal {deal_id}, seed {engine.seed}"
                )
