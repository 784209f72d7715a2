"""What `counting` counts of a card: with weights of one at a time its worth is what they weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulate.cards import read_card
from simulate.compiled.kernels import kernel
from strategies.players import counting
from strategies.players.counting import WEIGHTS, card_worth, look, pile_worth, weights_row
from tests.fixtures.answers import set_place
from tests.fixtures.scripts import asking

NAMES = {
    value: name
    for name, value in vars(counting).items()
    if name.isupper() and isinstance(value, int) and name not in ("WEIGHTS", "ROWS")
}

PILES = [name for value, name in NAMES.items() if value < counting.CHANCE]


@kernel
def weigh(view: Any, card: int, out: Any) -> int:
    """Write what each weight is of; give the row of the weights."""
    hidden, table, led, best, ours, wanted = look(view)
    unit = np.zeros(WEIGHTS)
    for place in range(WEIGHTS):
        unit[place] = 1.0
        out[place] = card_worth(view, card, hidden, table, led, best, ours, wanted, unit)
        unit[place] = 0.0
    return weights_row(view, led)


def counted(card: str, hands: str, place: str, **given: str) -> tuple[int, dict[str, float]]:
    """Row of the weights, and what those are of that are not of 0."""
    asked = set_place(asking(), hands, place, **given)
    out = np.zeros(WEIGHTS)
    row = weigh(asked.view, read_card(card), out)
    return row, {NAMES[i]: round(float(out[i]), 4) for i in np.flatnonzero(out)}


@pytest.mark.parametrize(
    ("card", "hands", "place", "given", "row", "expected"),
    [
        (  # The lead of a trump, with the ace beside it: nothing out is higher.
            "KC",
            "AC KC 4D 9H|3C 5C 6D 7H|TC 8C JD QH|2C 9C 7D 4H",
            "1C by N, N leads",
            {},
            0,
            {
                "CHANCE": 1.0,
                "CHANCE_LATE": 0.4,  # four cards in hand
                "KEEP_TRUMP": 1.0,
                "KEEP_TRUMP_LATE": 0.4,
                "IS_TRUMP": 1.0,
                "TRUMP_LENGTH": 0.5,
                "TRUMPS_OUT": 1.5,  # six
                "TOP_TRUMP": 1.0,
                "NEXT_TRUMP": 1.0,  # the ace
                "RANK_TRUMP": 0.8333,
                "POWER_USED": 1.0,
                "MISSED": 0.75,  # 5, 8 and T: they have 4 6, 6 7 and J Q
                "MISSED_WON": 0.75,
                "DECLARER_TRUMP": 1.0,
            },
        ),
        (  # A lone side card. All others are out of the suit, West of trumps too.
            "4D",
            "AC KC 4D 9H|3C 5C 6D 7H|TC 8C JD QH|2C 9C 7D 4H",
            "1C by N, N leads",
            {"voids": "ED SD WD WC"},
            0,
            {
                # East lacks all of six trumps in twelve cards with (8/12)^6, else South ruffs.
                "CHANCE": 0.9199,
                "CHANCE_LATE": 0.368,
                "KEEP": 0.4219,  # three higher ones are out
                "KEEP_LATE": 0.1688,
                "LENGTH": 0.25,
                "OUT": 0.75,
                "RANK": -0.6667,
                "POWER_USED": 0.3881,
                "FRIEND_RUFFS": 1.0,
                "FOE_RUFFS": 1.0,
                "FOE_FREE": 1.0,
                "MISSED": 0.5,
                "MISSED_WON": 0.46,
                "SINGLE": 1.0,
            },
        ),
        (  # Last to play, it takes the trick from a foe.
            "AH",
            "5H 3C 4C|TH TD 9S|KH 8C 2C|AH JC QH",
            "1C by N, N leads 5H TH KH",
            {"ours": "JH 7S 7D 5C"},
            3,
            {
                "CHANCE": 1.0,
                "CHANCE_LATE": 0.3,
                "KEEP": 1.0,
                "KEEP_LATE": 0.3,
                "LENGTH": 0.5,
                "TOP": 1.0,
                "RANK": 1.0,
                "POWER_USED": 1.0,
            },
        ),
        (  # Last to play, it leaves the trick to a foe.
            "QH",
            "5H 3C 4C|TH TD 9S|KH 8C 2C|AH JC QH",
            "1C by N, N leads 5H TH KH",
            {"ours": "JH 7S 7D 5C"},
            3,
            {"KEEP": 1.0, "KEEP_LATE": 0.3, "LENGTH": 0.5, "TOP": 1.0, "RANK": 0.6667},
        ),
        (  # A ruff in the third seat: West lacks hearts and overruffs with (4/7)^2 (3/7).
            "8C",
            "5H 3C 4C|TH TD 9S|9C 8C 2C|AH JC QH",
            "1C by E, N leads 5H TH",
            {"ours": "7C 9D 2H 2S"},
            5,
            {
                "CHANCE": 0.8601,
                "CHANCE_LATE": 0.258,
                "KEEP_TRUMP": 0.75,  # the jack is out
                "KEEP_TRUMP_LATE": 0.225,
                "IS_TRUMP": 1.0,
                "TRUMP_LENGTH": 0.75,
                "TRUMPS_OUT": 0.75,
                "NEXT_TRUMP": 1.0,
                "POWER_USED": 0.645,
                "MISSED": 0.5,  # 4 and J
                "MISSED_WON": 0.43,
            },
        ),
        (  # A discard.
            "2D",
            "5H 3C 4C|KH TH 9S|9D 8C 2D|AH JC QH",
            "1C by E, N leads 5H KH",
            {"ours": "3D 4D 2H 2S", "voids": "WC NC"},
            5,
            {"KEEP": 1.0, "KEEP_LATE": 0.3, "LENGTH": 0.5, "TOP": 1.0, "RANK": -1.0},
        ),
        (  # Second, at no trump: two higher ones are out, and the partner may have them.
            "9H",
            "5H 3C 4C|TH 9H KS|9D 8C 2D|AH JC QH",
            "4NT by E, N leads 5H",
            {"ours": "TD TS 8H 2S"},
            1,
            {
                "CHANCE": 0.762,
                "CHANCE_LATE": 0.2286,
                "KEEP": 0.5625,
                "KEEP_LATE": 0.1688,
                "LENGTH": 0.5,
                "OUT": 0.5,
                "NEXT": 1.0,
                "RANK": 0.1667,
                "POWER_USED": 0.4286,
                "MISSED": 0.5,
                "MISSED_WON": 0.381,
            },
        ),
        (  # Over the partner's card, nobody being left who could beat it.
            "KH",
            "8H 3C 4C|2H TH 9S|KH 8C 7H|AH JC QH",
            "1C by N, N leads 8H 2H",
            {"ours": "TD TS 9H 2S", "voids": "WH WC NH NC"},
            2,
            {
                "CHANCE": 1.0,
                "CHANCE_LATE": 0.3,
                "KEEP": 0.75,
                "KEEP_LATE": 0.225,
                "LENGTH": 0.5,
                "OUT": 0.75,
                "RANK": 0.8333,
                "POWER_USED": 0.75,
                "FRIEND_FREE": 1.0,
                "FOE_FREE": 1.0,
                "OVER_FRIEND": 1.0,
            },
        ),
        (  # At no trump who has shown out ruffs nothing; West has one of two cards in six.
            "3C",
            "3C 4S|5C 6S|7S 8S|9S TS",
            "2NT by S, N leads",
            {"voids": "EC SC"},
            0,
            {
                "CHANCE": 0.6667,
                "CHANCE_LATE": 0.1333,
                "KEEP": 0.75,
                "KEEP_LATE": 0.15,
                "LENGTH": 0.25,
                "OUT": 0.25,
                "RANK": -0.8333,
                "POWER_USED": 0.5,
                "FRIEND_FREE": 1.0,
                "FOE_FREE": 1.0,
                "MISSED": 0.25,
                "MISSED_WON": 0.1667,
                "SINGLE": 1.0,
            },
        ),
    ],
)
def test_what_it_counts(
    card: str,
    hands: str,
    place: str,
    given: dict[str, str],
    row: int,
    expected: dict[str, float],
) -> None:
    found, facts = counted(card, hands, place, **given)
    assert found == row
    later = {name: value for name, value in facts.items() if name not in PILES}
    assert later == expected
    # What the piles come to is the mean over who wins the trick.
    view = set_place(asking(), hands, place, **given).view
    trump = int(view["denomination"])
    lane = np.uint64(0xFFFF << 16 * trump if trump < 4 else 0)
    trick = sum(1 << read_card(each) for each in place.split()[5:]) | 1 << read_card(card)
    own, other, chance = view["own_pile"], view["other_pile"], expected.get("CHANCE", 0.0)
    for name in PILES:
        w = np.zeros(WEIGHTS)
        w[getattr(counting, name)] = 1.0
        gained = np.uint64(trick)
        won = pile_worth(own | gained, other, lane, 2.0, w)
        won -= pile_worth(other, own | gained, lane, 2.0, w)
        lost = pile_worth(own, other | gained, lane, 2.0, w)
        lost -= pile_worth(other | gained, own, lane, 2.0, w)
        mean = chance * won + (1 - chance) * lost
        assert facts.get(name, 0.0) == pytest.approx(mean, abs=2e-3), name
