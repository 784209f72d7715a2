"""Random rule sets, as hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from simulate.errors import RulesError
from simulate.rules import Rules, make_rules

DENOMINATIONS = ["C", "D", "H", "S", "NT"]

#: Fields of a hand of four players without jokers and announcements, and values that stretch them.
#: The naive engine plays these in less than a millisecond.
PLAYED: dict[str, st.SearchStrategy[Any]] = {
    "denominations": st.lists(st.sampled_from(DENOMINATIONS), min_size=1, unique=True).map(tuple),
    "max_level": st.integers(1, 6),
    "suit_ranking": st.sampled_from(["none", "bridge"]),
    "auction": st.sampled_from(["continuous", "one-round"]),
    "passed_may_return": st.booleans(),
    "all_pass": st.sampled_from(["redeal", "play-out"]),
    "trick_points": st.integers(0, 3),
    "set3_points": st.integers(0, 12),
    "set4_points": st.integers(0, 12),
    "run3_points": st.integers(0, 12),
    "run_step_points": st.integers(0, 7),
    "trump_run_multiplier": st.integers(1, 4),
    "dead_card_penalty": st.integers(0, 3),
    "slam_bonus": st.sampled_from([0, 25, 50]),
    "fail_multiplier": st.integers(1, 20),
    "failed_contract_scores": st.booleans(),
}


@st.composite
def played_rules(draw: st.DrawFn) -> Rules:
    """Rule set of four players: the classic one with about half of its fields drawn anew."""
    values = {name: draw(value) for name, value in PLAYED.items() if draw(st.booleans())}
    try:
        return make_rules(values)
    except RulesError:  # playing out needs no trump
        return make_rules(values | {"denominations": (*values["denominations"], "NT")})


#: The other fields of a hand.
OTHERS: dict[str, st.SearchStrategy[Any]] = {
    "players": st.sampled_from([3, 4]),
    "open_last": st.integers(0, 13),
    "jokers": st.integers(0, 2),
    "joker_deal": st.sampled_from(["random", "one-each", "declarers"]),
    "min_natural_cards": st.sampled_from([2, 3]),
    "hard_bid": st.sampled_from(["off", "exact", "at-least"]),
    "hard_bid_melds": st.booleans(),
    "fail_value": st.sampled_from(["level", "target"]),
    "kitty": st.sampled_from(["exchange", "pile", "last-trick", "dead"]),
}


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Rule set out of the whole space: what makes no sense beside the rest is put right."""
    values = draw(played_rules()).model_dump()
    values |= {name: draw(value) for name, value in OTHERS.items() if draw(st.booleans())}
    if values["players"] == 4:
        values["kitty"] = "none"
    elif values["kitty"] == "none":
        values["kitty"] = "exchange"
    if values["players"] == 3:
        values["all_pass"] = "redeal"
    if values["joker_deal"] == "one-each" and (values["players"] == 3 or values["jokers"] != 2):
        values["joker_deal"] = "random"
    if values["hard_bid"] == "off":
        values |= {"hard_bid_melds": True, "fail_value": "level"}
    return make_rules(values)
