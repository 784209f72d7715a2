"""Given hands and auctions, and the call that each shipped bidder must make."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strategies
from simulate.cards import read_hand
from simulate.rules import Rules, load_rules, make_rules
from strategies.knowledge.judgement import count_structures
from tests.fixtures.answers import ask_bidder, check_range

HEARTS = make_rules({"denominations": ("H",)})
SUITS = make_rules({"denominations": ("C", "D", "H", "S")})
SWEEP = "AK4.AK6.AK5.9732"  # no structure, six aces and kings


@pytest.mark.parametrize(
    ("bidder", "hand", "calls", "call", "why"),
    [
        ("pass", "AKQJT98765432...", "", "pass", "whatever it holds"),
        ("pass", SWEEP, "1C pass pass", "pass", "whatever was said"),
        # tips: structures.
        ("tips", "432.765.9753.T86", "", "1D", "two runs of three: as many as it needs"),
        ("tips", "432.Q65.9753.T86", "", "pass", "one run"),
        ("tips(min_structures=1)", "432.Q65.9753.T86", "", "1D", "one run, and one is enough"),
        # tips: the suit.
        ("tips", "765.432.9753.T86", "", "1D", "the longest suit"),
        ("tips", "432.765.T86.9753", "", "1C", "the longest suit"),
        ("tips", "9753.765.432.T86", "", "1S", "the longest suit"),
        ("tips", "JT98.76.432.9753", "", "1C", "of two alike the first"),
        ("tips", "JT98.76.432.K753", "", "1C", "an honour makes the longer of two alike"),
        ("tips", "432.9.AKQ2.K6543", "", "1C", "4 and 3 honours are 5.5, as are 5 and 1"),
        ("tips", "432.9.AKQ32.9654", "", "1D", "5 and 3 honours"),
        ("tips", "AKQ2.9.432.J8643", "", "1S", "4 and 3 honours are 5.5, more than 5"),
        # tips: no trump with aces and kings.
        ("tips(min_structures=0)", SWEEP, "", "1NT", "six aces and kings sweep"),
        ("tips(min_structures=0)", "AK4.AK6.A85.9732", "", "1C", "five do not"),
        ("tips(min_structures=0,sweep_cards=7)", SWEEP, "", "1C", "six, where seven are asked for"),
        # tips: how high.
        ("tips", "432.765.9753.T86", "1NT", "2D", "the lowest level that is legal"),
        ("tips", "432.765.9753.T86", "2C", "3D", "no higher suit within a level; 2 structures + 1"),
        ("tips", "432.765.9753.T86", "3C", "pass", "4 is more than the structures and one"),
        ("tips(extra_melds=2)", "432.765.9753.T86", "3C", "4D", "two more than the structures"),
        ("tips(extra_melds=0)", "432.765.9753.T86", "2C", "pass", "no more than the structures"),
        ("tips(extra_melds=-2)", "432.765.9753.T86", "", "pass", "no level is as low as 0"),
        ("tips", "65432.765.5.8765", "5C", "6S", "two runs of five or four, 5, 6, 7: five in all"),
        # tips: who stands.
        ("tips", "432.765.9753.T86", "pass 1C pass", "pass", "the partner's bid stands"),
        ("tips", "432.765.9753.T86", "1C pass pass", "2D", "the left opponent's does not"),
        ("tips", "432.765.9753.T86", "1C", "2D", "nor the right one's"),
        # points: as many points as it asks for, and its partner left alone.
        ("points", "AKQ2.AK3.QJ5.543", "", "1S", "plenty"),
        ("points", "AKQ2.AK3.QJ5.543", "1C pass pass", "2S", "plenty above an opponent's bid"),
        ("points", "AKQ2.AK3.QJ5.543", "pass 1C pass", "pass", "the partner's bid stands"),
        ("points", "9432.863.952.743", "", "pass", "nothing"),
        ("points", "AKQJT98765432...", "1NT", "2S", "the lowest level that is legal"),
        # calibrated and montecarlo: the lowest level to open, a leap above opponents.
        ("calibrated", "AKQ2.AK3.QJ5.543", "", "1S", "nobody is to be kept out"),
        ("calibrated", "9432.863.952.743", "", "pass", "nothing"),
        ("calibrated", "AKQJ32.AK3.AK.32", "1C", "6S", "each level above an opponent is worth 12"),
        ("calibrated(leap=0)", "AKQJ32.AK3.AK.32", "1C", "2S", "nothing gained by a leap"),
        ("calibrated", "AKQJ32.AK3.AK.32", "pass 1S pass", "pass", "the partner has said it"),
        ("montecarlo", "AKQ2.AK3.QJ5.543", "", "1S", "nobody is to be kept out"),
        ("montecarlo", "9432.863.952.743", "", "pass", "nothing"),
        ("montecarlo", "AKQJ32.AK3.AK.32", "1C", "6S", "each level above an opponent is worth 12"),
    ],
)  # fmt: skip
def test_the_call(bidder: str, hand: str, calls: str, call: str, why: str) -> None:
    assert ask_bidder(bidder, hand, calls).call == call, why


@pytest.mark.parametrize(
    ("bidder", "hand", "rules", "jokers", "call", "why"),
    [
        ("tips", "432.765.9753.T86", HEARTS, 0, "pass", "three small trumps"),
        ("tips", "432.765.QT97.T86", HEARTS, 0, "pass", "three small trumps, whatever beside"),
        ("tips", "432.K76.9753.876", HEARTS, 0, "pass", "3 and an honour are 3.5"),
        ("tips", "432.KQ6.9753.876", HEARTS, 0, "1H", "3 and two honours are 4"),
        ("tips", "432.9865.975.876", HEARTS, 0, "1H", "four small ones"),
        ("tips(min_trumps=4.5)", "432.9865.975.876", HEARTS, 0, "pass", "4 is less than 4.5"),
        ("tips(min_trumps=4.5)", "432.A865.975.876", HEARTS, 0, "1H", "4 and an honour are 4.5"),
        ("tips(min_structures=0)", SWEEP, SUITS, 0, "1C", "there is no no trump"),
        ("tips", "432.765.9753.T86", load_rules("no-trump"), 0, "1NT", "nothing else to bid"),
        ("tips", "432.Q65.9753.T86", load_rules("jokers"), 0, "pass", "one structure"),
        ("tips", "432.Q65.9753.T86", load_rules("jokers"), 1, "1D", "and a joker: another"),
    ],
)  # fmt: skip
def test_the_call_by_other_rules(
    bidder: str, hand: str, rules: Rules, jokers: int, call: str, why: str
) -> None:
    assert ask_bidder(bidder, hand, rules=rules, jokers=jokers).call == call, why


@pytest.mark.parametrize("seat", ["N", "E", "S", "W"])
@pytest.mark.parametrize("bidder", ["tips", "points", "calibrated(leap=0)"])
def test_whoever_the_partner_is(bidder: str, seat: str) -> None:
    hand = "AKQ3.AKQ.7532.32"
    assert ask_bidder(bidder, hand, "pass 1C pass", seat=seat).call == "pass"
    assert ask_bidder(bidder, hand, "1C pass pass", seat=seat).call == "2S"
    assert ask_bidder(bidder, hand, "pass pass 1C", seat=seat).call == "2S"


def test_of_three_players_nobody_is_the_partner() -> None:
    rules = load_rules("three-player")
    for calls in ("1C pass", "pass 1C"):
        assert ask_bidder("tips", "65432.8765.9753.T986", calls, rules=rules).call == "2S"


@pytest.mark.parametrize(
    ("hand", "count"),
    [
        ("432.765.9753.T86", 2),
        ("A32.AKQ.9753.T86", 2),  # the ace is low and high
        ("AKQ32.8.QJ97.864", 2),  # high and low of one suit
        ("AK2.8765.J97.864", 1),  # around the corner is no run
        ("5432.9876.QT8.A6", 2),  # a longer run is one
        ("5.5.5.AQT8642", 1),
        ("5.5..AQT86542", 2),
        ("85.85.8.QT5", 2),
    ],
)
def test_structures(hand: str, count: int) -> None:
    size = sum(map(len, hand.split(".")))
    assert count_structures(np.uint64(read_hand(hand, size))) == count


#: A call by default, and by one more or one less of a parameter: the default decides it.
FLIPS = [
    ("tips", "min_structures", 1, "432.Q65.9753.T86", "", "pass", "1D"),
    ("tips", "min_structures", 3, "432.765.9753.T86", "", "1D", "pass"),
    ("points", "margin", 16, "AJ74.J43.K6.J853", "1C", "2S", "pass"),
    ("points", "margin", 14, "AJ82.J8.KJ84.543", "2H", "pass", "3S"),
    ("points", "margin", 14, "95.QJ764.86543.6", "1S", "pass", "2H"),
    ("points", "margin", 16, "Q76.J94.75.QJT96", "2H", "3C", "pass"),
    ("points", "spare", 1, "843.54.T5.QJT762", "2D pass pass", "3C", "pass"),
    ("points", "spare", 1, "J9762.QT.QJ75.AJ", "3H", "4S", "pass"),
    ("points", "spare", -1, "J86.QJ6.KQT6.QJT", "3H", "pass", "4D"),
    ("points", "spare", -1, "86.86.QJ93.QJT85", "3H", "pass", "4C"),
    ("calibrated", "open", 9, "KJ54.AT3.Q62.842", "", "pass", "1S"),
    ("calibrated", "open", 11, "AQ43.QT95.732.97", "", "1S", "pass"),
    ("calibrated", "open", 9, "T52.T6.KJ98.KT75", "", "pass", "1D"),
    ("calibrated", "open", 11, "J9542.K64.5.Q532", "", "1S", "pass"),
    ("calibrated", "caution", 9, "953.Q73.Q7.AQ965", "1C", "pass", "5C"),
    ("calibrated", "caution", 11, "T7.632.A85.KQ643", "1C", "5C", "pass"),
    ("calibrated", "caution", 9, "J84.J754.AJ9.T95", "1H pass pass", "pass", "3D"),
    ("calibrated", "caution", 11, "AT643.Q84.KJ.J53", "1S", "5S", "pass"),
    ("calibrated", "leap", 13, ".KT864.Q94.AQT32", "1NT", "4C", "5C"),
    ("calibrated", "leap", 11, "A2.Q87.K952.KQJ4", "1H pass pass", "5C", "4C"),
    ("calibrated", "leap", 13, "Q7.96.AQ764.J874", "1H pass pass", "4D", "5D"),
    ("calibrated", "leap", 11, "QT72.97.Q.JT9864", "1NT", "6C", "4C"),
    ("montecarlo(worlds=1,belief=10000)", "open", 9, "KJ54.AT3.Q62.842", "", "pass", "1S"),
    ("montecarlo(worlds=1,belief=10000)", "open", 11, "AQ43.QT95.732.97", "", "1S", "pass"),
    ("montecarlo", "caution", 11, "AT4.32.QJ7.Q9832", "pass 1C pass", "2C", "pass"),
    ("montecarlo", "caution", 9, "A75.4.Q97653.T74", "pass 1C pass", "pass", "2C"),
    ("montecarlo", "leap", 13, "AK62.7643.J54.93", "1C", "3S", "4S"),
    ("montecarlo", "leap", 11, "T864.T9743.6.Q82", "1S", "4H", "3H"),
    ("montecarlo", "worlds", 17, "KQ732.Q5.985.KQ6", "1S", "5S", "6NT"),
    ("montecarlo", "worlds", 15, "K942.A972.75.J94", "1C", "3H", "4S"),
]


@pytest.mark.parametrize(
    ("bidder", "parameter", "other", "hand", "calls", "call", "instead"), FLIPS
)
def test_a_default_decides(
    bidder: str, parameter: str, other: int, hand: str, calls: str, call: str, instead: str
) -> None:
    assert ask_bidder(bidder, hand, calls).call == call
    name, _, given = bidder.rstrip(")").partition("(")
    spec = f"{name}({given + ',' if given else ''}{parameter}={other})"
    assert ask_bidder(spec, hand, calls).call == instead


@pytest.mark.parametrize(
    ("hand", "calls", "other"), [("Q7643.T83.Q62.84", "4H", 63), ("KQ543.AT3.Q62.84", "5H", 65)]
)
def test_what_the_table_says_counts_as_64_worlds(hand: str, calls: str, other: int) -> None:
    spec = "montecarlo(caution=-200,leap=0{})"
    stated = ask_bidder(spec.format(""), hand, calls)
    assert stated == ask_bidder(spec.format(",belief=64"), hand, calls)
    assert stated != ask_bidder(spec.format(f",belief={other}"), hand, calls)


def test_random_may_always_pass() -> None:
    spec = "random(pass_percent=100)"
    calls = {ask_bidder(spec, SWEEP, seed=seed).call for seed in range(700)}
    assert calls == {"pass"}  # a draw of a hundred would come seven times


def test_random_passes_sixty_times_in_a_hundred_and_bids_anything() -> None:
    """Its draw of 0 to 99 is found by what it does with each percentage."""

    def draw(seed: int) -> int:
        spec = "random(pass_percent={})"
        hand = "432.765.9753.T86"
        bids = [ask_bidder(spec.format(p), hand, seed=seed).call != "pass" for p in (59, 60, 61)]
        return 59 + bids.index(False) - 1 if False in bids and True in bids else -1

    by_draw = {}
    for seed in range(1000):
        by_draw.setdefault(draw(seed), seed)
        if {59, 60} <= by_draw.keys():
            break
    assert ask_bidder("random", "432.765.9753.T86", seed=by_draw[59]).call == "pass"
    assert ask_bidder("random", "432.765.9753.T86", seed=by_draw[60]).call != "pass"
    calls = Counter(
        ask_bidder("random(pass_percent=0)", "432.765.9753.T86", "5S pass pass", seed=seed).call
        for seed in range(300)
    )
    assert set(calls) == {"5NT", "6C", "6D", "6H", "6S", "6NT"}
    assert min(calls.values()) > 30


RANKS = "23456789TJQKA"
TABLE: dict[str, Any] = json.loads(
    (Path(strategies.__file__).parent / "tables" / "classic.json").read_text()
)["coefficients"]


def worth(points: list[float], hand: str, trump: int) -> float:
    """Points of a hand added up with pencil and paper; `trump` counts from spades down."""
    controls = sum(hand.count(rank) for rank in "AK")
    total = points[0] + points[55] * controls**2
    for place, suit in enumerate(hand.split(".")):
        ranks, lengths = (1, 27) if place == trump else (14, 41)
        total += points[lengths + len(suit)]
        total += sum(points[ranks + RANKS.index(rank)] for rank in suit)
    return total


def chance(hand: str, trump: int, level: int) -> float:
    return float(1 / (1 + np.exp(-worth(TABLE["chance"][0][level - 1], hand, trump))))


def last(spec: str, hand: str, calls: str, **given: Any) -> int:
    """Greatest whole number, put into the spec, by which it still bids."""
    low, high = -200, 200
    assert ask_bidder(spec.format(low), hand, calls, **given).call != "pass"
    assert ask_bidder(spec.format(high), hand, calls, **given).call == "pass"
    while high - low > 1:
        middle = (low + high) // 2
        bids = ask_bidder(spec.format(middle), hand, calls, **given).call != "pass"
        low, high = (middle, high) if bids else (low, middle)
    return low


OPENER = "KQ543.AT3.Q62.84"


def test_it_bids_what_its_hand_is_worth() -> None:
    value = worth(TABLE["declare"][0][0], OPENER, 0)
    constant, slope = TABLE["declare_calls"][0][0][:2]  # of an auction in which nothing was said
    assert last("points(margin={})", OPENER, "") == np.floor(value)
    assert last("calibrated(open={})", OPENER, "") == np.floor(constant + slope * value)


def test_the_chance_it_states_is_corrected_for_bids_that_stand() -> None:
    constant, slope = TABLE["chance_calls"][0][0][:2]
    odds = worth(TABLE["chance"][0][0], OPENER, 0)
    expected = round(1000 / (1 + np.exp(-(constant + slope * odds))))
    assert ask_bidder("calibrated", OPENER) == ("1S", expected)
    table = TABLE["chance_calls"][0][3]
    odds = table[0] + table[1] * worth(TABLE["chance"][0][3], OPENER, 0)
    odds += table[6] + 3 * table[7]  # an opponent has bid another suit, at the level of three
    expected_four = round(1000 / (1 + np.exp(-odds)))
    assert ask_bidder("calibrated(caution=-200,leap=0)", OPENER, "3C") == ("4S", expected_four)
    constant, slope = TABLE["chance_calls"][1][0][:2]
    odds = constant + slope * worth(TABLE["chance"][1][0], OPENER, 4)
    call = ask_bidder("calibrated(open=-200)", OPENER, rules=load_rules("no-trump"))
    assert call == ("1NT", round(1000 / (1 + np.exp(-odds))))
    # A single world among ten thousand that the table stands for changes next to nothing.
    call, stated = ask_bidder("montecarlo(worlds=1,belief=10000)", OPENER)
    assert (call, stated) == ("1S", pytest.approx(expected, abs=1))
    assert ask_bidder("points", OPENER).stated == -1
    assert ask_bidder("calibrated", "9432.863.952.743").stated == -1


@pytest.mark.parametrize(
    ("bidder", "lowest", "share"),
    # Defenders score some sixty points: from forty on, the target of a hundred is within reach.
    [
        ("calibrated()", 0, 0.0),
        ("calibrated()", 40, 0.0),
        ("calibrated()", 42, 2 / 60),
        ("calibrated()", 70, 0.5),
        ("calibrated()", 99, 59 / 60),
        ("calibrated()", 100, 1.0),
        ("calibrated()", 130, 1.0),
        ("montecarlo(worlds=1,belief=10000)", 70, 0.5),
    ],
)
def test_near_the_end_of_a_match_a_contract_is_worth_more(
    bidder: str, lowest: int, share: float
) -> None:
    """An opening bid, the lower of the two sides being at `lowest`."""
    spec = bidder.replace(")", ",match={},open={{}})").replace("(,", "(")
    for scores in ((lowest, 150, lowest, 150), (150, lowest, 150, lowest)):
        more, plain = (last(spec.format(m), OPENER, "", scores=scores) for m in (100, 0))
        assert more - plain == pytest.approx(100 * share * chance(OPENER, 0, 1), abs=1.01)


@pytest.mark.parametrize(
    ("calls", "level", "usual"),
    # The contract that stands comes home seven times in ten: for the others, or for the own side.
    [("3C", 4, -0.7), ("4C pass pass", 5, -0.7), ("pass 1C pass", 2, 0.7)],
)
def test_a_bid_that_stands_is_worth_seven_tenths_of_a_contract(
    calls: str, level: int, usual: float
) -> None:
    hand = "Q7643.T83.Q62.84" if usual < 0 else OPENER
    spec = "calibrated(leap=0,match={},caution={{}})"
    scores = (100, 100, 100, 100)
    match = 100 if usual < 0 else 400
    more, plain = (last(spec.format(m), hand, calls, scores=scores) for m in (match, 0))
    expected = match * (chance(hand, 0, level) - usual)
    assert more - plain == pytest.approx(expected, abs=1.01)


@pytest.mark.parametrize(
    ("bidder", "parameter", "low", "high"),
    [
        ("random", "pass_percent", 0, 100),
        ("tips", "min_structures", 0, 8),
        ("tips", "min_trumps", 0, 13),
        ("tips", "extra_melds", -6, 6),
        ("tips", "sweep_cards", 0, 13),
        ("points", "margin", -200, 200),
        ("points", "spare", -6, 6),
        ("calibrated", "open", -200, 200),
        ("calibrated", "caution", -200, 200),
        ("calibrated", "leap", 0, 100),
        ("calibrated", "match", 0, 1000),
        ("montecarlo", "worlds", 1, 10_000),
        ("montecarlo", "belief", 0, 10_000),
        ("montecarlo", "open", -200, 200),
        ("montecarlo", "caution", -200, 200),
        ("montecarlo", "leap", 0, 100),
        ("montecarlo", "match", 0, 1000),
    ],
)
def test_what_a_parameter_may_be(bidder: str, parameter: str, low: int, high: int) -> None:
    check_range("bidder", bidder, parameter, low, high)
