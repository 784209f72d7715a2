"""What contracts can be told apart by: where the declarer sat, the match score, the cards held.

Cards are not stored in a run. They are dealt again in compiled code, which takes less time than
reading the row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from simulate.cards import NT
from simulate.compiled.bits import LANE, LANE_ONES
from simulate.compiled.kernels import kernel
from simulate.errors import Option, RunError
from simulate.game.deal import deal_cards
from simulate.game.records import STATE
from simulate.store.schema import before_columns
from simulate.store.settings import Settings

Rows = dict[str, np.ndarray]


#: Leads of the declarer's side before the hand at which one standing ends and the next begins.
STANDINGS = (-50, -10, 11, 51)


class Feature(NamedTuple):
    """Something that contracts are told apart by.

    Attributes
    ----------
    name, about : str
    labels : tuple of str
        What its values are called; a value is a place in here.
    columns : tuple of str
        Columns of ``hands/`` that it is read off, beside those of the contract.
    values : callable
        Rows of contracts to an int64 array of values.
    """

    name: str
    about: str
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    values: Callable[[Rows], np.ndarray]


#: Names of all features, and what they are.
FEATURES = {
    "seat": "seat of the declarer",
    "position": "place in the order of calling",
    "score": "lead of the side before the hand",
    "length": "cards in the denomination (NT: the longest suit)",
    "structures": "threes of a rank and of a sequence in hand",
}


def make_feature(name: str, settings: Settings) -> Feature:
    """Make a feature for a run.

    Raises
    ------
    RunError
        When there is no such feature, or the run does not have it.
    """
    if name not in FEATURES:
        raise RunError(f"contracts are not told apart by {name!r}: by {', '.join(FEATURES)}")
    by = Option("by", name)
    if name == "score" and settings.unit != "matches":
        raise RunError("only the hands of matches have a score before the hand: not ", by)
    if name == "position" and settings.forced:
        raise RunError("a forced run has no auction and no order of calling: not ", by)
    labels, columns, values = _MAKERS[name](settings)
    return Feature(name, FEATURES[name], labels, columns, values)


def _seat(settings: Settings) -> Any:
    return tuple(settings.rules.seats), (), lambda rows: rows["declarer"]


def _position(settings: Settings) -> Any:
    players = settings.rules.players
    labels = (
        ("first", "second", "third", "dealer") if players == 4 else ("first", "second", "dealer")
    )
    return labels, ("dealer",), lambda rows: (rows["declarer"] - rows["dealer"] - 1) % players


def _score(settings: Settings) -> Any:
    names = tuple(before_columns(settings.rules))

    def values(rows: Rows) -> np.ndarray:
        before = np.stack([rows[name] for name in names])
        side = rows["declarer"] % len(names) if len(names) == 2 else rows["declarer"]
        everyone = np.arange(len(side))
        own = before[side, everyone]
        before[side, everyone] = np.iinfo(np.int64).min
        result: np.ndarray = np.searchsorted(STANDINGS, own - before.max(axis=0), "right")
        return result

    low, near, beyond, high = STANDINGS
    labels = (
        f"down {1 - low}+",
        f"down {1 - near}-{-low}",
        f"within {-near}",
        f"up {beyond}-{high - 1}",
        f"up {high}+",
    )
    return labels, names, values


def _length(settings: Settings) -> Any:
    deal = _Dealer(settings)

    def values(rows: Rows) -> np.ndarray:
        hands = deal(rows)
        lengths = np.stack([np.bitwise_count(hands >> np.uint64(16 * s) & LANE) for s in range(4)])
        suit = rows["denomination"]
        result = np.where(suit == NT, lengths.max(axis=0), lengths[suit % NT, np.arange(len(suit))])
        return result.astype(np.int64)

    labels = tuple(map(str, range(min(13, settings.rules.hand_size) + 1)))
    return labels, (), values


def _structures(settings: Settings) -> Any:
    deal = _Dealer(settings)
    return tuple(map(str, range(9))), (), lambda rows: np.minimum(count_structures(deal(rows)), 8)


def count_structures(hands: np.ndarray) -> np.ndarray:
    """Count ranks with three or more cards, and stretches of three or more neighbours in a suit.

    Parameters
    ----------
    hands : uint64 array

    Returns
    -------
    int64 array
    """
    a, b, c, d = (hands >> np.uint64(16 * suit) & LANE for suit in range(4))
    sets = np.bitwise_count((a & b & (c | d)) | (c & d & (a | b)))
    line = hands | (hands >> np.uint64(13) & (LANE_ONES << np.uint64(1)))  # the ace low as well
    thirds = line & line >> np.uint64(1) & line >> np.uint64(2)
    runs = np.bitwise_count(thirds & ~(thirds >> np.uint64(1)))
    return sets.astype(np.int64) + runs


_MAKERS: dict[str, Callable[[Settings], Any]] = {
    "seat": _seat,
    "position": _position,
    "score": _score,
    "length": _length,
    "structures": _structures,
}


@kernel
def _deal_again(state: Any, ids: np.ndarray, seats: np.ndarray, hands: np.ndarray) -> None:
    """Write the hand of each seat in each deal to `hands`, a uint64 array."""
    for i in range(len(ids)):
        if i == 0 or ids[i] != ids[i - 1]:
            deal_cards(state, state.seed, ids[i])
        hands[i] = state.hands[np.uint64(seats[i])]


class _Dealer:
    """Deals the declarers' hands of a run again."""

    def __init__(self, settings: Settings) -> None:
        state = np.zeros(1, STATE)
        state["seed"] = np.uint64(settings.seed)
        state["players"] = settings.rules.players
        state["hand_size"] = settings.rules.hand_size
        for seat, cards in settings.fixed.items():
            state["fixed"][0, seat] = np.uint64(cards)
        self._state = state

    def __call__(self, rows: Rows) -> np.ndarray:
        hands = np.zeros(len(rows["deal_id"]), np.uint64)
        _deal_again(self._state[0], rows["deal_id"], rows["declarer"], hands)
        return hands
