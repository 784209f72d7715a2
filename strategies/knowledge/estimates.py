"""What bidders know of hands from experience: numbers fitted from runs, and the files they lie in.

A file is JSON, made by ``sviten fit``: what it was fitted from, and `coefficients` as the fields of
:data:`ESTIMATES`. A bidder declares a :class:`~strategies.declare.registry.TableParameter` and
reads its record by address, so that another file compiles nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

from simulate.cards import LEVELS
from simulate.compiled.kernels import kernel, record_at
from simulate.errors import StrategyError
from strategies.knowledge.calls import TOLD
from strategies.knowledge.card_points import FEATURES, KINDS

SCHEMA = 1
#: Where the tables lie that come with the project.
FOLDER = Path(__file__).parents[1] / "tables"
#: Those that stand together as the table `shipped`, in the order of :func:`table_at`.
SHIPPED = ("classic", "jokers", "three-player")

#: Points of a hand (see :mod:`strategies.knowledge.card_points`) for each kind of denomination,
#: mostly by level, and how the calls correct them (see :mod:`strategies.knowledge.calls`). Margins
#: are the own side's score less the other's; chances are log odds.
ESTIMATES = np.dtype(
    [
        ("melds", np.float64, (KINDS, FEATURES)),  # that the declarers can lay
        ("declare", np.float64, (KINDS, LEVELS, FEATURES)),  # margin as declarer
        ("partner", np.float64, (KINDS, LEVELS, FEATURES)),  # margin as declarer's partner
        ("defend", np.float64, (KINDS, LEVELS, FEATURES)),  # margin as defender
        ("chance", np.float64, (KINDS, LEVELS, FEATURES)),  # to make the contract
        ("declare_calls", np.float64, (KINDS, LEVELS, TOLD)),
        ("partner_calls", np.float64, (KINDS, LEVELS, TOLD)),
        ("defend_calls", np.float64, (KINDS, LEVELS, TOLD)),
        ("chance_calls", np.float64, (KINDS, LEVELS, TOLD)),  # of contracts that were chosen
    ]
)
ESTIMATES_TYPE: Any = numba.from_dtype(ESTIMATES)
_SIZE = ESTIMATES.itemsize


@kernel
def table_at(address: float, view: Any) -> Any:
    """ESTIMATES record for the rules of a view: a kernel reads `address` off its parameters."""
    place = 0
    if view.players == 3:
        place = 2
    elif view.rules.jokers > 0:
        place = 1
    return record_at(np.int64(address) + place * _SIZE, ESTIMATES_TYPE)


def table_names() -> list[str]:
    """Names by which a table may be called."""
    return ["shipped", *SHIPPED]


def table_files(name: str) -> list[Path]:
    """Files of a table: those that come with the project by name, another by its path.

    Raises
    ------
    StrategyError
        When there is no such file.
    """
    if name == "shipped":
        return [FOLDER / f"{each}.json" for each in SHIPPED]
    path = Path(name) if name.endswith(".json") else FOLDER / f"{name}.json"
    if not path.is_file():
        raise StrategyError(
            f"there is no table {name}: it may be {', '.join(table_names())} or a file .json that "
            "`sviten fit` made"
        )
    return [path.resolve()]


def read_tables(files: Sequence[Path]) -> np.ndarray:
    """Read what lies where a kernel looks for it by the rules; one table stands for all.

    Returns
    -------
    ESTIMATES array, shape (len(SHIPPED),)

    Raises
    ------
    StrategyError
        As for :func:`read_table`.
    """
    tables = [read_table(file) for file in files]
    return np.concatenate(tables if len(tables) > 1 else tables * len(SHIPPED))


def read_table(path: Path) -> np.ndarray:
    """Read the coefficients of a file.

    Returns
    -------
    ESTIMATES array, shape (1,)

    Raises
    ------
    StrategyError
        When it is no such file.
    """
    record = np.zeros(1, ESTIMATES)
    try:
        content = json.loads(path.read_bytes())
        if content["schema"] != SCHEMA:
            raise StrategyError(
                f"{path} has schema {content['schema']}, where {SCHEMA} is read: make it again"
            )
        for name in ESTIMATES.names or ():
            record[name][0] = np.array(content["coefficients"][name], np.float64)
    except StrategyError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = f"{type(error).__name__}: {error}"
        raise StrategyError(f"{path} is no table that `sviten fit` made ({text})") from None
    if not np.isfinite(record.view(np.float64)).all():
        raise StrategyError(f"{path} holds numbers that are none: make it again with `sviten fit`")
    return record
