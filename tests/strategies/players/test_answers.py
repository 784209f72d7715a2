"""Given places towards the end of a hand, and the card that each shipped player must play."""

from __future__ import annotations

import pytest

from simulate.rules import load_rules
from tests.fixtures.answers import ask_player, check_range

OPEN = load_rules("last-three-open")

TWO_TENS = "5H 3C 4C 6D 7D|TH TD 9S JD 8S|KH 8C 2C 3D 9D|AH JC QD 4H 2H"


@pytest.mark.parametrize(
    ("players", "hands", "place", "card", "why"),
    [
        # The lead.
        (
            "high counting search oracle",
            "AC KC 4D 9H 2S|3C 5C 6D 7H 8S|TC 8C JD QH 9S|2C 9C 7D 4H 5S",
            "1NT by N, N leads",
            "AC",
            "the highest card",
        ),
        (
            "greedy",
            "AC KC 4D 9H 2S|3C 5C 6D 7H 8S|TC 8C JD QH 9S|2C 9C 7D 4H 5S",
            "1NT by N, N leads",
            "KC",
            "wins as surely as the ace, and keeps it",
        ),
        (
            "high greedy counting search oracle",
            "KC KH 5D 4D 3S|3C 5C 6D 7H 8S|TC 8C JD QH 9S|2C 9C 7D 4H 5S",
            "1C by N, N leads",
            "KH",
            "of two kings that of a side suit",
        ),
        (
            "high greedy counting oracle",
            "KC QH 5D 4D 3S|3C 5C 6D 7H 8S|TC 8C JD AH 9S|2C 9C 7D 4H 5S",
            "1C by N, N leads",
            "KC",
            "the highest, though a trump",
        ),
        # Following.
        (
            "high",
            "5H 3C 4C 6D 7D|2H 7H 9H KH 8S|TC 8C JD QH 9S|2C 9C TD 4H 5S",
            "1NT by N, N leads 5H",
            "7H",
            "the cheapest that beats the five",
        ),
        (
            "greedy counting search oracle",
            "5H 3C 4C 6D 7D|2H 7H 9H KH 8S|TC 8C JD QH 9S|2C 9C TD 4H 5S",
            "1NT by N, N leads 5H",
            "KH",
            "the queen is still behind",
        ),
        (
            "high greedy counting oracle",
            "QH 3C 4C 6D 7D|2H 7H 9H JH 8S|TC 8C JD KH 9S|2C 9C TD 4H 5S",
            "1NT by N, N leads QH",
            "2H",
            "nothing beats the queen: the lowest",
        ),
        (
            "high greedy counting search oracle",
            "AH 3C 4C 6D 7D|2H 7C 9C JC 8S|TC 8C KH 3H 9S|2C 9D TD 4H 5S",
            "1NT by N, N leads AH 2H",
            "3H",
            "the partner's ace wins: the lowest",
        ),
        (
            "high greedy counting search oracle",
            TWO_TENS,
            "1C by N, N leads 5H TH KH",
            "AH",
            "the partner is beaten: take it",
        ),
        (
            "high",
            "5H 3C 4C 6D 7D|TH TD 9S JD 8S|7H 8C 2C 3D 9D|AH JH QD 4H 2H",
            "1C by N, N leads 5H TH 7H",
            "2H",
            "the partner wins: the lowest",
        ),
        # Trumping.
        (
            "high greedy",
            "5H 3C 4C 6D 7D|2C 7C QS JD 8S|TC 8C KH 3H 9S|AH 9D TD 4H 5S",
            "1C by N, N leads 5H",
            "2C",
            "the lowest trump is enough",
        ),
        (
            "high greedy",
            "5H 3C 4C 6D 7D|5C TD 9S JD 8S|7C 8C 2C 3D 9D|AH 9H QD 4H 5S",
            "1C by N, N leads 5H 5C",
            "7C",
            "the lowest trump above the five",
        ),
        (
            "high greedy",
            "5H 3C 4C 6D 7D|TH TD 9S JD 8S|9C 8C 2C 3D 9D|AH JH QD 4H 2H",
            "1D by N, N leads 5H TH",
            "3D",
            "the lowest trump is enough",
        ),
        # Discarding.
        (
            "high greedy",
            "5H 3C 4C 6D 7D|9C TD 9S JD 8S|7C 8C 2C 3D 9D|AH 9H QD 4H 5S",
            "1C by N, N leads 5H 9C",
            "3D",
            "beaten: no trump, though it is lower",
        ),
        (
            "counting search oracle",
            "5H 3C 4C 6D 7D|9C TD 9S JD 8S|7C 8C 2C 3D 9D|AH 9H QD 4H 5S",
            "1C by N, N leads 5H 9C",
            "9D",
            "beaten: a suit in which two are held",
        ),
        (
            "high counting search oracle",
            "5H 3C 4C 6D 7D|TH TD 9S JD 8S|9C 8C 2C 3D 9D|AH JH QD 4H 2H",
            "1NT by N, N leads 5H TH",
            "2C",
            "nothing wins: the lowest",
        ),
        (
            "high",
            "TH 3C 4C 6D 7D|5H TD 9S JD 8S|9C 8C 2C 3D 9D|AH JH QD 4H 2H",
            "1D by N, N leads TH 5H",
            "2C",
            "the partner wins so far: no trump is spent",
        ),
        (
            "high counting",
            "3H 5S|4H 6S|7S 2D|8H 9H",
            "1S by N, N leads 3H 4H",
            "7S",
            "the trick is theirs and a trump takes it",
        ),
        # The ending, all hands face down: what the fast players miss.
        (
            "endgame",
            "6S 7D 8D|5D AD JH|5S AS QC|3S 7S AC",
            "4NT by W, N leads 6S AD",
            "AS",
            "the ace is sure to win",
        ),
    ],
)
def test_the_card(players: str, hands: str, place: str, card: str, why: str) -> None:
    assert {name: ask_player(name, hands, place) for name in players.split()} == dict.fromkeys(
        players.split(), card
    ), why


@pytest.mark.parametrize(
    ("hands", "place", "card", "hidden"),
    [
        ("8D 9H TS|9C KH QH|2H 5C JD|4C 6D 7S", "2H by N, S leads", "5C", "JD"),
        ("7C 7H KS|3C 4S 9H|2D 8C 8D|8H 8S AD", "4NT by E, N leads 7H 9H", "8C", "2D"),
        ("7H AC AD|2C 9S AS|6H 6S TC|6C 6D QS", "4NT by S, W leads QS", "AC", "7H"),
        ("5D 7C 7S|2C 3C JD|3S KS TC|7D 8H QH", "1NT by W, E leads JD", "KS", "3S"),
        ("2S JS KH|4C 4D 9S|7S AH KD|7C AC AS", "2D by W, W leads AC JS 4C", "AH", "KD"),
        ("5H 8C QD|3H 7C AH|3S 5D 8S|7S 8D QS", "3S by E, N leads", "8C", "QD"),
        ("2H 4S AH|4C 7S JH|4D 9C KS|KC QH TH", "3S by W, S leads", "9C", "KS"),
        ("2C 3C 6S|2S 5D TC|4C 6C 6H|3D 4H AC", "1NT by E, W leads", "3D", "AC"),
    ],
)
def test_open_hands_are_played_exactly(hands: str, place: str, card: str, hidden: str) -> None:
    """As the oracle plays them, which has tried every card; and otherwise where they lie hidden."""
    assert ask_player("oracle", hands, place) == card
    for name in ("greedy", "counting", "endgame"):
        assert ask_player(name, hands, place, rules=OPEN) == card
    assert {ask_player(name, hands, place) for name in ("greedy", "counting")} == {hidden}


def test_the_only_card_is_played() -> None:
    hands = "7H AC AD|2H 9S AS|6H 6S TC|6C 6D QS"
    for name in ("random", "high", "greedy", "counting", "endgame", "search", "oracle"):
        assert ask_player(name, hands, "4NT by S, N leads 7H") == "2H"


def test_random_plays_a_legal_card() -> None:
    hands = "2C 4C 6C 8C|3C 5C 7D 9D|2D 4D 6D 8D|3D 5D 7C 9C"
    assert ask_player("random", hands, "1NT by N, N leads") in {"2C", "4C", "6C", "8C"}
    assert ask_player("random", hands, "1NT by N, N leads 2C") in {"3C", "5C"}
    assert ask_player("random", hands, "1NT by N, N leads 2C 3C") in {"2D", "4D", "6D", "8D"}


#: Where a parameter's default decides: the card by default, and by a little more or less.
FLIPS = [
    (
        "greedy(set=0.315)",
        "2H 3C 8D 9H|5C 9S KC TH|4S JD QD QH|5S 6S 9D TC",
        "3S by N, E leads",
        "TH",
        "9S",
    ),
    (
        "greedy(set=0.285)",
        "5S 6H 8H QC|2C 5C 5H JH|7C 8D QS TC|AS KH KS TD",
        "1NT by N, S leads 8D TD",
        "5S",
        "6H",
    ),
    (
        "greedy(pair=0.42)",
        "4D 7C 8S TD|4C 8D 9H KS|3H 8C 9C JD|2C 4H 4S 6D",
        "3S by S, E leads",
        "4C",
        "9H",
    ),
    (
        "greedy(pair=0.38)",
        "2D 4H 4S QC|3C 5S JH TH|8S AC QH TS|5D AD KC QD",
        "3S by S, E leads",
        "TH",
        "3C",
    ),
    (
        "greedy(run=0.315)",
        "2C 2D 7H JC|2S 5C 7S 8H|5H AH KS QD|8D 9C AD TC",
        "2D by N, E leads",
        "5C",
        "8H",
    ),
    (
        "greedy(run=0.285)",
        "2S 3D 4D 4H|5C 5D 9S AC|2C 4S JC KC|6C 8C JH JS",
        "2D by E, W leads",
        "6C",
        "JS",
    ),
    (
        "greedy(touch=0.0525)",
        "7H JD JH TC|2C 4C 7C 8H|2H 9H JC TS|5D 5H 6S 8D",
        "2D by N, W leads 8D JD",
        "2C",
        "8H",
    ),
    (
        "greedy(trick=3.325)",
        "3H 6S 8D QH|4D 7H JS KS|2D 7S KC QC|6C 8S AC TD",
        "4NT by E, S leads",
        "KC",
        "7S",
    ),
    (
        "greedy(trick=3.675)",
        "3C 4D 8H QH|3H 9C 9H AH|4H 7C AD KS|2D 3S 7D AS",
        "3S by E, W leads",
        "2D",
        "AS",
    ),
    (
        "greedy(keep=7.125)",
        "3H AD JC KD|5H 5S 7D 8D|8C KH QD TS|2H 5D 6S QH",
        "2D by S, N leads",
        "3H",
        "KD",
    ),
    (
        "greedy(keep=7.875)",
        "2C 2S 7D KS|5D 6H AH AS|3H 6C QC TC|7H 9S JS TD",
        "1NT by S, N leads",
        "KS",
        "2S",
    ),
    (
        "greedy(decay=0.7875)",
        "3D AC AS QH|2C 4D 6H 7C|6C 9C 9S KC|5C JH KS QS",
        "1NT by E, N leads 3D 4D",
        "9S",
        "6C",
    ),
    (
        "greedy(decay=0.7125)",
        "3H 8C AC JD|6C 6S 8D 8S|2H 4D 7D QH|4H 7C 7H 8H",
        "3S by W, E leads",
        "8D",
        "6C",
    ),
    (
        "greedy(ruff=3)",
        "4S 9H JD QS|2D 5D 9C 9S|4H 7C QD TS|AH JS KH TH",
        "2H by W, W leads",
        "JS",
        "TH",
    ),
    (
        "greedy(ruff=5)",
        "6H 7H JS TD|4C 8C KD TC|2C 8H 9H AS|6S 7D TH TS",
        "2D by N, N leads JS",
        "KD",
        "8C",
    ),
    ("endgame(cards=2)", "5S 7C 8S|4C 8C 9D|3D 6H AH|4H 5C KD", "3S by E, N leads 8S", "4C", "9D"),
    (
        "endgame(cards=4)",
        "2D 5C 7S TD|3C AH JS QC|2C 4C KD KH|8D 9C 9D JC",
        "1C by W, S leads",
        "KD",
        "2C",
    ),
    (
        "endgame(worlds=15)",
        "6S 9C AH|7D TC TS|2S KS QS|3C 8H QD",
        "4NT by N, E leads 7D",
        "2S",
        "KS",
    ),
    ("endgame(worlds=17)", "5S 6D JC|7D JD QS|3C 5D JS|4S AD TH", "1NT by E, S leads", "5D", "3C"),
    (
        "search(worlds=15)",
        "3C 5H 5S QS|4C 6C 7C KH|2D 4H 8C AC|4S 5D 8D JS",
        "2D by N, E leads 6C",
        "8C",
        "AC",
    ),
    (
        "search(worlds=17)",
        "2H 7H KS TS|4D 5H 7D JS|6D 8C 9H TH|3H 4H 8D AH",
        "1NT by N, W leads",
        "8D",
        "AH",
    ),
    (
        "search(caution=1.6)",
        "4S 9C AH TH|4C JD KH KS|2D 4D 8C TC|5S 6S 8D 9S",
        "2D by N, E leads KH",
        "2D",
        "4D",
    ),
    (
        "search(caution=1.4)",
        "2D 7H 8C JC|5C 9S AD AS|4S 8S QD QS|4C 5H 6C AH",
        "1C by E, E leads",
        "AS",
        "5C",
    ),
    (
        "search(exact=2)",
        "5C 5D 5H KH|2C 6S 8H 9H|7D 8S 9D JD|4S 9S KS TS",
        "2D by N, N leads 5C 2C JD",
        "4S",
        "9S",
    ),
    (
        "oracle(exact=3)",
        "6S 7S 9D JC KH|2D 3D 5D 8D 9C|4D 8H JS QD TH|3H 4H 5H 7C QS",
        "4NT by W, N leads 9D 8D",
        "4D",
        "QD",
    ),
    (
        "oracle(exact=0)",
        "8D AC KD TS|4S 6S 7H TH|3H 5C 5S 9C|4D 5H 6D AS",
        "1NT by S, W leads 4D 8D 6S",
        "5C",
        "5S",
    ),
]


@pytest.mark.parametrize(("other", "hands", "place", "card", "instead"), FLIPS)
def test_a_default_decides(other: str, hands: str, place: str, card: str, instead: str) -> None:
    assert ask_player(other.partition("(")[0], hands, place) == card
    assert ask_player(other, hands, place) == instead


@pytest.mark.parametrize(
    ("player", "parameter", "low", "high"),
    [
        ("greedy", "set", 0, 20),
        ("greedy", "pair", 0, 20),
        ("greedy", "run", 0, 20),
        ("greedy", "touch", 0, 20),
        ("greedy", "trick", 0, 40),
        ("greedy", "keep", 0, 40),
        ("greedy", "decay", 0, 1),
        ("greedy", "ruff", 0, 40),
        ("endgame", "cards", 0, 5),
        ("endgame", "worlds", 1, 10_000),
        ("search", "worlds", 1, 10_000),
        ("search", "caution", 0, 10),
        ("search", "exact", 0, 4),
        ("oracle", "exact", 0, 4),
    ],
)
def test_what_a_parameter_may_be(player: str, parameter: str, low: int, high: int) -> None:
    check_range("player", player, parameter, low, high)
