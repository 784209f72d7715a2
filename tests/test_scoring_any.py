"""Scores with jokers and announced totals, against the naive engine.

The command refuses such rules until records and layouts tell of jokers too; the engine's own check
is set aside here.
"""

from __future__ import annotations

from typing import Any

import pytest

from simulate import engine as engine_module
from simulate.engine import Engine, make_sheet
from simulate.rules import load_rules
from strategies.spec import load_entrant
from tests import naive

SEED = 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "changes", "hands"),
    [
        ("hard-bid", {}, 50),
        ("hard-bid", {"hard_bid": "at-least", "fail_value": "target"}, 40),
        ("hard-bid", {"hard_bid_melds": False, "dead_card_penalty": 1}, 25),
        ("jokers", {}, 20),
        ("jokers", {"joker_deal": "one-each", "min_natural_cards": 3}, 15),
        ("jokers", {"joker_deal": "declarers"}, 10),
        ("jokers", {"jokers": 1, "dead_card_penalty": 2, "set3_points": 7}, 25),
        ("three-player+jokers+hard-bid", {"fail_value": "target"}, 10),
    ],
)
def test_scores_agree(
    variant: str, changes: dict[str, Any], hands: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "unplayed", lambda rules: None)
    rules = load_rules(variant, changes)
    players = rules.players
    entrant = load_entrant("random(pass_percent=75)/random")
    engine = Engine(rules, [entrant] * players, SEED)
    sheet = make_sheet(hands)
    engine.play(sheet, 0, hands)
    fields = rules.model_dump(mode="json")
    for deal_id, row in enumerate(sheet.rows):
        slow = naive.play_hand(
            fields,
            naive.deal(fields, SEED, deal_id),
            deal_id % players,
            announce=lambda view, target=int(row["target"]): target,
            **naive.random_seats(fields, SEED, deal_id, 75),
        )
        assert row["made"] == {None: -1, False: 0, True: 1}[slow["made"]], deal_id
        for end, side in (("decl", "declarers"), ("def", "defenders")):
            expected = slow["sides"][side]
            assert row[f"tricks_{end}"] == expected["tricks"], deal_id
            assert row[f"melds_{end}"] == len(expected["melds"]), deal_id
            assert row[f"meld_points_{end}"] == expected["meld_points"], deal_id
            assert row[f"dead_{end}"] == expected["dead"], deal_id
            assert row[f"score_{end}"] == expected["score"], deal_id
