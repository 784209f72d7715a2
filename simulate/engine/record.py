"""One hand as text: the object that replay, golden hands and reports come from.

The keys and their order are fixed; a reader elsewhere relies on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulate.cards import (
    DENOMINATIONS,
    SEATS,
    bid_of,
    call_text,
    card_text,
    cards_of,
    read_call,
    read_seat,
    sorted_text,
)
from simulate.engine.engine import Engine
from simulate.game.deal import deal_cards
from simulate.game.records import STATE
from simulate.melds.layouts import Wanted, meld_texts
from simulate.rules import Rules

#: Version of the record's form.
SCHEMA = 1

_SIDES = ("declarers", "defenders")


def play_record(
    engine: Engine, deal_id: int, leg: int = 0, dealer: int | None = None
) -> dict[str, Any]:
    """Play one hand and write it down.

    Parameters
    ----------
    engine : Engine
        Its state holds the hand afterwards.
    deal_id, leg : int
    dealer : int, optional
        As for :meth:`simulate.engine.engine.Engine.play_one`.

    Returns
    -------
    dict
        The hand record: plain lists, texts and numbers, as ``json.dumps`` takes them.

    Raises
    ------
    StrategyError
        When a strategy raised, or answered what is not legal.
    """
    engine.play_one(deal_id, leg, dealer)
    state = engine.table.state[0]
    seats = engine.rules.seats
    made = int(state["made"])
    return {
        "schema": SCHEMA,
        "seed": engine.seed,
        "deal_id": deal_id,
        "leg": leg,
        "rules": engine.rules.model_dump(mode="json"),
        "entrants": {seat: e.text for seat, e in zip(seats, engine.seated[leg], strict=True)},
        "dealer": SEATS[state["dealer"]],
        "hands": {seat: sorted_text(state["dealt"][i]) for i, seat in enumerate(seats)},
        "kitty": sorted_text(state["kitty"]),
        "jokers": {seat: int(state["jokers"][i]) for i, seat in enumerate(seats)},
        "auction": [
            {"seat": SEATS[state["callers"][i]], "call": call_text(int(state["calls"][i]))}
            for i in range(state["n_calls"])
        ],
        "contract": _contract(state),
        "discard": card_text(cards_of(state["discard"])[0]) if state["discard"] else None,
        "tricks": _tricks(state),
        "sides": {name: _side(engine, side) for side, name in enumerate(_SIDES)},
        "made": None if made < 0 else bool(made),
    }


def _contract(state: np.void) -> dict[str, Any] | None:
    if state["declarer"] < 0:
        return None
    target = int(state["target"])
    stated = int(state["stated"])
    return {
        "declarer": SEATS[state["declarer"]],
        "level": int(state["level"]),
        "denomination": DENOMINATIONS[state["denomination"]],
        "target": None if target < 0 else target,
        "stated": None if stated < 0 else min(stated, 1000) / 1000,
    }


def _tricks(state: np.void) -> list[dict[str, Any]]:
    players = int(state["players"])
    return [
        {
            "leader": SEATS[state["leaders"][trick]],
            "cards": [card_text(int(card)) for card in state["plays"][players * trick :][:players]],
            "winner": SEATS[state["leaders"][trick + 1]],
        }
        for trick in range(state["n_tricks"])
    ]


def _side(engine: Engine, side: int) -> dict[str, Any]:
    """Write down the side's tricks, pile, layout and score."""
    state = engine.table.state[0]
    pile = state["piles"][side]
    return {
        "seats": [seat for i, seat in enumerate(engine.rules.seats) if state["sides"][i] == side],
        "tricks": int(state["tricks"][side]),
        "captured": sorted_text(pile),
        "melds": side_melds(engine, side),
        "meld_points": int(state["meld_points"][side]),
        "dead": int(state["dead"][side]),
        "slam_bonus": engine.rules.slam_bonus if state["slam"][side] else 0,
        "score": int(state["scores"][side]),
    }


def side_melds(engine: Engine, side: int) -> list[list[str]]:
    """Write down the melds of the layout that stands for a side of the hand just played.

    Parameters
    ----------
    engine : Engine
    side : int
        0 declarers, 1 defenders.
    """
    state = engine.table.state[0]
    if not state["piles"][side]:
        return []
    rules = engine.rules
    wanted = Wanted(
        pile=int(state["piles"][side]),
        trump=int(state["denomination"]),
        jokers=int(state["jokers"][state["sides"] == side].sum()),
        min_natural=rules.min_natural_cards,
    )
    if side == 0 and state["made"] == 1:
        if rules.hard_bid == "off" or rules.hard_bid_melds:
            wanted = wanted._replace(at_least=int(state["level"]))
        if rules.hard_bid == "exact":
            tricks = rules.trick_points * int(state["tricks"][side])
            wanted = wanted._replace(total=int(state["target"]) - tricks)
    melds = meld_texts(engine.table.scorer, wanted)
    assert melds is not None  # the hand was scored by it
    return melds


def deal_hands(rules: Rules, seed: int, deal_id: int, fixed: Mapping[int, int]) -> list[int]:
    """Deal a hand without playing it.

    Parameters
    ----------
    rules : Rules
    seed, deal_id : int
    fixed : mapping of int to int
        Card sets that seats are given beforehand.

    Returns
    -------
    list of int
        Card set of each seat.
    """
    state = np.zeros(1, STATE)
    state["players"] = rules.players
    state["hand_size"] = rules.hand_size
    for seat, cards in fixed.items():
        state["fixed"][0, seat] = np.uint64(cards)
    deal_cards(state[0], np.uint64(seed), deal_id)
    return [int(cards) for cards in state["hands"][0, : rules.players]]


def record_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Row of the table `hands` that a record stands for, read off its texts alone.

    Returns
    -------
    dict
        Column names and values; None for null.
    """
    seats = "".join(record["hands"])
    contract = record["contract"]
    row: dict[str, Any] = {
        "deal_id": record["deal_id"],
        "leg": record["leg"],
        "dealer": read_seat(record["dealer"]),
        "declarer": -1,
        "level": 0,
        "denomination": -1,
        "target": None,
        "made": record["made"],
        "stated": None,
    }
    if contract:
        bid = read_call(f"{contract['level']}{contract['denomination']}")
        row["declarer"] = read_seat(contract["declarer"])
        row["level"], row["denomination"] = bid_of(bid)
        row["target"] = contract["target"]
        if contract["stated"] is not None:
            row["stated"] = round(1000 * contract["stated"])
    for name, end in zip(_SIDES, ("decl", "def"), strict=True):
        side = record["sides"][name]
        row[f"tricks_{end}"] = side["tricks"]
        row[f"melds_{end}"] = len(side["melds"])
        row[f"meld_points_{end}"] = side["meld_points"]
        row[f"dead_{end}"] = side["dead"]
        row[f"score_{end}"] = side["score"]
        for seat in side["seats"]:
            text = seat if len(seats) == 3 else "NS" if seat in "NS" else "EW"
            row[f"score_{text.lower()}"] = side["score"]
    for seat in seats:
        row[f"entrant_{seat.lower()}"] = record["entrants"][seat]
    return row
