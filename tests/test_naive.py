"""Tests of the slow oracle itself: the rules' examples, hands made by hand, brute force."""

import itertools
import json
import random
from pathlib import Path

import pytest

from tests import naive
from tests.fixtures.piles import every_layout
from tests.naive import CLASSIC, Deal, Philox, best_layouts, reachable_totals, rules_with

N, E, S, W = range(4)
DECK = [rank + suit for suit in naive.SUITS for rank in naive.RANKS]


def lowest(view):
    return view.legal[0]


def scripted(**calls):
    """Make a bidder for all seats: each makes its calls in turn, then passes."""
    left = {seat: list(calls.get(seat, "").split()) for seat in "NESW"}

    def bid(view):
        own = left["NESW"[view.seat]]
        return own.pop(0) if own else "pass"

    return bid


# --------------------------------------------------------------------------- randomness


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000",
         "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
         "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
         "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)  # fmt: skip
def test_philox_gives_the_published_vectors(counter, key, expected):
    counter, key, expected = (
        tuple(int(word, 16) for word in text.split()) for text in (counter, key, expected)
    )
    assert naive.philox_block(counter, key) == expected


def test_the_stream_places_seed_purpose_seat_and_deal():
    seed, deal_id = 0x299F31D0A4093822, 0x0370734413198A2E
    stream = Philox(seed, naive.OWN, 2, deal_id)
    key, rest = (0xA4093822, 0x299F31D0), (16 * 4 + 2, 0x13198A2E, 0x03707344)
    words = [stream.word() for _ in range(8)]
    first = naive.philox_block((0, *rest), key)
    assert words == [*first, *naive.philox_block((1, *rest), key)]


def test_seeds_are_not_cut_to_32_bits():
    assert Philox(1, 0, 0, 0).word() != Philox(1 + 2**32, 0, 0, 0).word()
    assert Philox(1, 0, 0, 0).word() != Philox(1, 0, 0, 2**32).word()


def test_below_rejects_what_would_be_uneven():
    stream = Philox(0, 0, 0, 0)
    n = 3 * 2**30  # a quarter of the words must be drawn again
    draws = [stream.below(n) for _ in range(4000)]
    thirds = [sum(draw // 2**30 == third for draw in draws) for third in range(3)]
    assert all(1200 < count < 1470 for count in thirds)
    assert stream.block * 4 > 5000
    stream.words = [0, 2**32 - 1]
    assert stream.below(6) == 5  # word 0 falls below the threshold 4


# ----------------------------------------------------------------------------- the deal


@pytest.mark.parametrize("players", [3, 4])
def test_a_deal_is_a_deck(players):
    rules = rules_with(players=players)
    hands, kitty, jokers, *_ = naive.deal(rules, 7, 12)
    assert [len(hand) for hand in hands] == [13 if players == 4 else 17] * players
    assert len(kitty) == (players == 3)
    assert sorted(itertools.chain(kitty, *hands)) == sorted(DECK)
    assert sum(jokers) == 0
    assert naive.deal(rules, 7, 13).hands != hands
    assert naive.deal({**rules, "jokers": 2}, 7, 12).hands == hands


def test_jokers_are_dealt_as_the_rules_say():
    dealt = [naive.deal(rules_with(jokers=2), 1, i).jokers for i in range(200)]
    assert all(sum(jokers) == 2 for jokers in dealt)
    assert any(2 in jokers for jokers in dealt)
    dealt = [naive.deal(rules_with(jokers=2, joker_deal="one-each"), 1, i) for i in range(99)]
    assert all(d.jokers[N] + d.jokers[S] == 1 == d.jokers[E] + d.jokers[W] for d in dealt)
    assert len({tuple(d.jokers) for d in dealt}) == 4
    assert naive.deal(rules_with(jokers=2, joker_deal="declarers"), 1, 1).jokers == [0] * 4


# -------------------------------------------------------------------------- the auction


def auction(rules, dealer, **calls):
    bid = scripted(**calls)

    def call(seat, legal, _):
        answer = bid(naive.View(rules, seat, dealer, [], legal, 0, []))
        assert answer in legal
        return answer

    made, declarer, last = naive.hold_auction(rules, dealer, call)
    return " ".join("NESW"[seat] + ":" + call for seat, call in made), declarer, last


@pytest.mark.parametrize(
    ("rules", "calls", "expected", "declarer"),
    [
        ({}, {}, "E:pass S:pass W:pass N:pass", None),
        ({}, {"S": "1C"}, "E:pass S:1C W:pass N:pass E:pass", S),
        ({}, {"S": "1C", "E": "pass 1NT"}, "E:pass S:1C W:pass N:pass E:1NT S:pass W:pass N:pass",
         E),
        ({}, {"E": "6NT"}, "E:6NT S:pass W:pass N:pass", E),
        ({}, {"N": "1D"}, "E:pass S:pass W:pass N:1D E:pass S:pass W:pass", N),
        ({"passed_may_return": False}, {"N": "1D"}, "E:pass S:pass W:pass N:1D", N),
        ({"passed_may_return": False}, {"E": "1D 3D", "W": "2D"},
         "E:1D S:pass W:2D N:pass E:3D W:pass", E),
        ({"passed_may_return": False}, {}, "E:pass S:pass W:pass N:pass", None),
        ({"auction": "one-round"}, {"E": "1D", "W": "2D"}, "E:1D S:pass W:2D N:pass", W),
        ({"auction": "one-round"}, {"E": "6NT"}, "E:6NT S:pass W:pass N:pass", E),
        ({"auction": "one-round"}, {}, "E:pass S:pass W:pass N:pass", None),
        ({"players": 3}, {"E": "1D"}, "E:1D S:pass N:pass", E),
        ({"players": 3}, {}, "E:pass S:pass N:pass", None),
    ],
)  # fmt: skip
def test_auctions(rules, calls, expected, declarer):
    made, won, _ = auction(rules_with(**rules), N, **calls)
    assert made == expected
    assert won == declarer


def test_which_bids_outrank():
    suits_equal, bridge = CLASSIC, rules_with(suit_ranking="bridge")
    assert naive.legal_calls(suits_equal, "5C") == ["pass", "5NT", *[
        "6" + denomination for denomination in naive.DENOMINATIONS]]  # fmt: skip
    assert naive.legal_calls(bridge, "6D") == ["pass", "6H", "6S", "6NT"]
    assert naive.legal_calls(suits_equal, "6NT") == ["pass"]
    assert not naive.outranks("5S", "5S", bridge)
    assert not naive.outranks("5S", "5C", suits_equal)
    only = rules_with(denominations=["NT", "H"], max_level=2)
    assert naive.legal_calls(only, None) == ["pass", "1H", "1NT", "2H", "2NT"]
    codes = [naive.call_code(call) for call in naive.legal_calls(CLASSIC, None)]
    assert codes == list(range(31))


def test_illegal_answers_are_refused():
    dealt = naive.deal(CLASSIC, 1, 1)
    with pytest.raises(ValueError, match="legal is"):
        naive.play_hand(CLASSIC, dealt, N, lambda view: "7NT", lowest)
    with pytest.raises(ValueError, match="legal is"):
        naive.play_hand(CLASSIC, dealt, N, scripted(N="1H"), lambda view: "1H")


# --------------------------------------------------------------------------- the tricks


def test_follow_suit_and_win():
    assert naive.legal_cards(["2C", "3D", "AS"], ["KD", "2S"]) == ["3D"]
    assert naive.legal_cards(["AS", "2C"], ["KD"]) == ["2C", "AS"]
    assert naive.legal_cards(["AS", "2C"], []) == ["2C", "AS"]
    assert naive.winning_place(["TD", "AS", "QD", "2H"], None) == 2
    assert naive.winning_place(["TD", "AS", "QD", "2H"], "H") == 3
    assert naive.winning_place(["TD", "AS", "QD", "2H"], "C") == 2


# ---------------------------------------------------------------------------- the melds


@pytest.mark.parametrize(
    ("pile", "trump", "at_least", "expected"),
    [
        ("QH KH AH 2H 3H", None, 0, (5, 1)),
        ("2H 3H 4H 5H 6H 7H", None, 0, (20, 1)),
        ("2H 3H 4H 5H 6H 7H", None, 2, (10, 2)),
        ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "H", 0, (110, 1)),
        ("JH QH KH KS KD KC", None, 0, (10, 2)),
        ("TH JH QH KH KS KD KC", None, 0, (15, 2)),
        ("QH KH AH KS KD KC AS AD", None, 0, (15, 2)),
        ("QH KH AH KS KD KC AS AD", None, 3, None),
        ("QH KH AH 2H", None, 0, (5, 1)),
        ("KH AH 2H", None, 0, (0, 0)),
        ("AH 2H 3H", "H", 0, (10, 1)),
        ("3H 4H 5H 6H 7H 4S 4D", None, 0, (15, 1)),
        ("", None, 0, (0, 0)),
    ],
)
def test_worked_examples(pile, trump, at_least, expected):
    found = best_layouts(pile.split(), trump, CLASSIC, at_least=at_least)
    assert (found and found[:2]) == expected


@pytest.mark.parametrize(
    ("pile", "jokers", "rules", "expected"),
    [
        ("5H 6H", 1, {}, (5, 1, 0)),
        ("5H 6H", 1, {"min_natural_cards": 3}, (0, 0, 2)),
        ("5H 9H", 2, {}, (0, 0, 2)),
        ("5H 8H", 2, {}, (10, 1, 0)),
        ("5H", 2, {}, (0, 0, 1)),
        ("5H 5S", 1, {}, (5, 1, 0)),
        ("5H 5S", 2, {}, (10, 1, 0)),
        ("5H 5S 5D", 1, {}, (10, 1, 0)),
        ("5H 5S 5D 5C", 2, {}, (10, 1, 0)),  # no five of a rank, and no second set of fives
        ("5S 5D 5H 6H 7H", 1, {}, (10, 2, 0)),  # the joker stands for the five in the other
        ("KH AH 2H", 1, {}, (5, 1, 1)),  # never round the corner
        ("AH 2H 3H QH KH", 1, {}, (10, 2, 0)),
        ("2H 3H QH KH", 2, {}, (10, 2, 0)),
        ("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", 2, {}, (55, 1, 0)),
    ],
)
def test_jokers_in_melds(pile, jokers, rules, expected):
    assert best_layouts(pile.split(), None, rules_with(**rules), jokers)[:3] == expected


def test_the_ace_of_a_suit_stands_in_one_run():
    """With the joker as a second ace of hearts two runs of seven would come to 50."""
    hearts = [card for card in DECK if card[1] == "H"]
    assert best_layouts(hearts, None, CLASSIC, jokers=1, at_least=2)[:2] == (45, 2)


def known_optima():
    lines = (Path(__file__).parent / "data" / "meld_optima.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("known", known_optima())
def test_known_optima(known):
    for at_least, best in enumerate(known["best"]):
        found = best_layouts(known["cards"], known["trump"], CLASSIC, at_least=at_least)
        assert (found and found[0]) == best


MELD_RULES = [
    {},
    {"dead_card_penalty": 1},
    {"dead_card_penalty": 7},
    {"trump_run_multiplier": 3, "run_step_points": 2},
    {"set3_points": 10, "set4_points": 5},
    {"set3_points": 0, "run3_points": 0, "dead_card_penalty": 2},
    {"min_natural_cards": 3},
    {"min_natural_cards": 3, "dead_card_penalty": 1},
]


@pytest.mark.parametrize("changes", MELD_RULES, ids=str)
@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_layouts_agree_with_brute_force(changes, jokers):
    rules = rules_with(**changes)
    penalty = rules["dead_card_penalty"]
    rng = random.Random(f"{changes}{jokers}")
    for _ in range(16):
        ranks = set(rng.choice(["A2345", "TJQKA", "A23QK", "34567", "A2JQK"]))
        near = [card for card in DECK if card[0] in ranks]
        pile = rng.sample(near, 12 - 2 * jokers)
        trump = rng.choice(["C", "D", None])
        layouts = every_layout(pile, trump, rules, jokers)
        for at_least in range(5):
            enough = [layout for layout in layouts if layout[1] >= at_least]
            best = max(enough, key=lambda x: (x[0] - penalty * x[2], x[1], -x[2]), default=None)
            found = best_layouts(pile, trump, rules, jokers, at_least)
            assert (found and found[:3]) == best, (pile, trump, at_least)
            fewest = {}
            for points, melds, dead in enough:
                key = (points - penalty * dead, melds)
                fewest[key] = min(dead, fewest.get(key, 99))
            reached = reachable_totals(pile, trump, rules, jokers, at_least)
            assert len(reached) == len(fewest), (pile, trump, at_least)
            assert {(p - penalty * d, m): d for p, m, d in reached} == fewest


def check_layout(layout, pile, trump, rules, jokers):
    """Check that the melds are melds, disjoint, out of the pile, and count as they say."""
    points, number, dead, melds = layout
    natural = [card for meld in melds for card in meld if card != "*"]
    assert len(melds) == number
    assert len(set(natural)) == len(natural)
    assert set(natural) <= set(pile)
    assert dead == len(pile) - len(natural)
    assert sum(meld.count("*") for meld in melds) <= jokers
    total = 0
    for meld in melds:
        cards = [card for card in meld if card != "*"]
        assert len(cards) == len(meld) or len(cards) >= rules["min_natural_cards"]
        if len({card[0] for card in cards}) == 1:
            assert len(meld) in (3, 4)
            total += rules["set3_points" if len(meld) == 3 else "set4_points"]
            continue
        (suit,) = {card[1] for card in cards}
        i, card = next((i, card) for i, card in enumerate(meld) if card != "*" and card[0] != "A")
        first = naive.rank_of(card) - i
        assert first >= 1
        assert first + len(meld) - 1 <= 14
        assert 3 <= len(meld) <= 13
        for place, card in enumerate(meld, first):
            assert card in ("*", naive.card_at(suit, place))
        total += naive.run_points(len(meld), suit == trump, naive.terms_of(rules))
    assert total == points


@pytest.mark.parametrize(("size", "jokers"), [(26, 0), (39, 0), (20, 1), (20, 2)])
def test_layouts_are_layouts(size, jokers):
    rng = random.Random(size)
    for _ in range(20):
        pile = rng.sample(DECK, size)
        trump = rng.choice(["H", "S", None])
        check_layout(best_layouts(pile, trump, CLASSIC, jokers), pile, trump, CLASSIC, jokers)
    for layout in naive.reachable_layouts(pile, trump, CLASSIC, jokers):
        check_layout(layout, pile, trump, CLASSIC, jokers)


# ------------------------------------------------------------------- hands made by hand

# North takes all three tricks: Q-K-A and 2-3-4 of hearts, 5-6-7 of clubs, three cards dead.
SWEEP = Deal([["AH", "KH", "QH"], ["2H", "3H", "4H"], ["5C", "6C", "7C"], ["9D", "9S", "TD"]])


@pytest.mark.parametrize(
    ("bid", "changes", "target", "made", "melds", "score"),
    [
        ("2H", {}, None, True, 3, 3 + 25 + 25),
        ("3H", {}, None, True, 3, 3 + 25 + 25),
        ("2NT", {}, None, True, 3, 3 + 15 + 25),
        ("4H", {}, None, False, 3, -40 + 25),
        ("4H", {"failed_contract_scores": True}, None, False, 3, 3 + 25 - 40 + 25),
        ("4H", {"slam_bonus": 0}, None, False, 3, -40),
        ("4H", {"fail_multiplier": 5}, None, False, 3, -20 + 25),
        ("3H", {"dead_card_penalty": 1}, None, True, 3, 3 + 25 - 3 + 25),
        ("3H", {"trick_points": 4}, None, True, 3, 12 + 25 + 25),
        ("2H", {"hard_bid": "exact"}, 28, True, 3, 28 + 25),
        ("2H", {"hard_bid": "exact"}, 18, True, 2, 18 + 25),
        ("1H", {"hard_bid": "exact"}, 8, True, 1, 8 + 25),
        ("1H", {"hard_bid": "exact"}, 23, True, 2, 23 + 25),
        ("2H", {"hard_bid": "exact"}, 27, False, 3, -20 + 25),
        ("2H", {"hard_bid": "exact"}, 8, False, 3, -20 + 25),
        ("2H", {"hard_bid": "exact", "hard_bid_melds": False}, 8, True, 1, 8 + 25),
        ("4H", {"hard_bid": "exact", "hard_bid_melds": False}, 3, True, 0, 3 + 25),
        ("4H", {"hard_bid": "exact"}, 28, False, 3, -40 + 25),
        ("2H", {"hard_bid": "exact", "fail_value": "target"}, 27, False, 3, -270 + 25),
        ("2H", {"hard_bid": "at-least"}, 20, True, 3, 28 + 25),
        ("2H", {"hard_bid": "at-least"}, 28, True, 3, 28 + 25),
        ("2H", {"hard_bid": "at-least"}, 29, False, 3, -20 + 25),
        ("4H", {"hard_bid": "at-least"}, 20, False, 3, -40 + 25),
        ("4H", {"hard_bid": "at-least", "hard_bid_melds": False}, 20, True, 3, 28 + 25),
    ],
)
def test_scores_of_a_sweep(bid, changes, target, made, melds, score):
    rules = rules_with(**changes)
    record = naive.play_hand(rules, SWEEP, W, scripted(N=bid), lowest, announce=lambda _: target)
    declarers, defenders = record["sides"]["declarers"], record["sides"]["defenders"]
    assert record["contract"]["target"] == target
    assert record["made"] is made
    assert declarers["seats"] == ["N", "S"]
    assert (declarers["tricks"], len(declarers["melds"])) == (3, melds)
    assert declarers["score"] == score
    assert declarers["slam_bonus"] == rules["slam_bonus"]
    assert defenders == {
        "seats": ["E", "W"], "tricks": 0, "captured": [], "melds": [], "meld_points": 0,
        "dead": 0, "slam_bonus": 0, "score": 0,
    }  # fmt: skip


def test_the_record_of_a_hand():
    record = naive.play_hand(CLASSIC, SWEEP, W, scripted(N="2H"), lowest)
    assert list(record) == [
        "schema", "seed", "deal_id", "leg", "rules", "dealer", "hands", "kitty", "jokers",
        "auction", "contract", "discard", "tricks", "sides", "made",
    ]  # fmt: skip
    assert record["dealer"] == "W"
    assert record["auction"][:2] == [
        {"seat": "N", "call": "2H"},
        {"seat": "E", "call": "pass"},
    ]
    assert record["tricks"][0] == {
        "leader": "N",
        "cards": ["QH", "2H", "5C", "9D"],
        "winner": "N",
    }
    assert record["sides"]["declarers"]["melds"] == [
        ["2H", "3H", "4H"],
        ["5C", "6C", "7C"],
        ["QH", "KH", "AH"],
    ]


def test_a_whole_suit_sweeps():
    hands = [naive.shown(card for card in DECK if card[1] == suit) for suit in "SHDC"]
    record = naive.play_hand(CLASSIC, Deal(hands), W, scripted(N="4S"), lowest)
    side = record["sides"]["declarers"]
    assert (side["meld_points"], len(side["melds"]), side["dead"]) == (110 + 3 * 55, 4, 0)
    assert side["score"] == 275 + 13 + 25


def test_a_defending_slam_scores_too():
    record = naive.play_hand(CLASSIC, SWEEP, W, scripted(W="1D"), lowest)
    # West's diamonds are led first: 9D draws no diamond, and wins.
    assert record["tricks"][0]["winner"] == "W"
    hands = [["2C", "3C"], ["4C", "5C"], ["6D", "7D"], ["8S", "9S"]]
    record = naive.play_hand(CLASSIC, Deal(hands), W, scripted(N="1NT"), lowest)
    assert record["sides"]["declarers"]["score"] == -10
    # E takes both tricks: 2-3-4-5 of clubs is ten.
    assert record["sides"]["defenders"]["score"] == 2 + 10 + 25


def test_passed_out():
    record = naive.play_hand(rules_with(dead_card_penalty=1), SWEEP, N, scripted(), lowest)
    assert record["contract"] is None
    assert record["made"] is None
    assert record["tricks"] == []
    assert record["sides"]["declarers"]["seats"] == ["E", "W"]
    assert [side["score"] for side in record["sides"].values()] == [0, 0]


def test_played_out():
    rules = rules_with(all_pass="play-out", jokers=2, joker_deal="declarers")
    record = naive.play_hand(rules, SWEEP, W, scripted(), lowest)
    assert record["contract"] is None
    assert record["made"] is None
    assert record["jokers"] == dict.fromkeys("NESW", 0)
    assert record["tricks"][0]["leader"] == "N"
    side = record["sides"]["declarers"]
    assert (side["seats"], side["score"]) == (["N", "S"], 3 + 15 + 25)


def test_jokers_to_the_declarer():
    rules = rules_with(jokers=2, joker_deal="declarers")
    seen = []

    def spying(view):
        seen.append((view.seat, view.jokers))
        return lowest(view)

    record = naive.play_hand(rules, SWEEP, W, scripted(N="4H"), spying)
    assert record["jokers"] == {"N": 2, "E": 0, "S": 0, "W": 0}
    assert set(seen) == {(N, 2), (E, 0), (S, 0), (W, 0)}
    # A fourth meld: the nines and a joker; the other lengthens a trump run.
    side = record["sides"]["declarers"]
    assert (side["meld_points"], len(side["melds"]), record["made"]) == (10 + 20 + 5 + 5, 4, True)
    assert side["dead"] == 1


# N has A and K of hearts, the kitty is the queen.
THREE = Deal([["AH", "KH"], ["2H", "3D"], ["4C", "5C"]], ["QH"])
# East has the last trick.
LAST = Deal([["AH", "2C"], ["2H", "AC"], ["4C", "5C"]], ["3C"])


@pytest.mark.parametrize(
    ("dealt", "kitty", "scores", "captured"),
    [
        (THREE, "exchange", (2 + 10 + 25, 0), (7, 0)),
        (THREE, "pile", (2 + 10 + 25, 0), (7, 0)),
        (THREE, "last-trick", (2 + 10 + 25, 0), (7, 0)),
        (THREE, "dead", (-10 + 25, 0), (6, 0)),
        (LAST, "pile", (-10, 1), (4, 3)),
        (LAST, "last-trick", (-10, 1 + 10), (3, 4)),
    ],
)
def test_the_kitty(dealt, kitty, scores, captured):
    def highest_heart(view):
        hearts = [card for card in view.legal if card[1] == "H"]
        return (hearts or view.legal)[-1]

    rules = rules_with(players=3, kitty=kitty)
    record = naive.play_hand(rules, dealt, S, scripted(N="1H"), highest_heart, discard=lowest)
    sides = record["sides"].values()
    assert record["discard"] == ("QH" if kitty == "exchange" else None)
    assert record["kitty"] == list(dealt.kitty)
    assert [side["seats"] for side in sides] == [["N"], ["E", "S"]]
    assert tuple(len(side["captured"]) for side in sides) == captured
    assert tuple(side["score"] for side in sides) == scores


def test_the_discard_and_the_announcement_come_before_the_lead():
    rules = rules_with(
        players=3, kitty="exchange", jokers=1, joker_deal="declarers", hard_bid="at-least"
    )
    order = []

    def discard(view):
        order.append(("discard", view.jokers, len(view.hand), view.contract["target"]))
        return view.legal[0]

    def announce(view):
        order.append(("announce", view.jokers, len(view.hand), view.legal))
        return 7

    record = naive.play_hand(
        rules, THREE, S, scripted(N="1H"), lowest, announce=announce, discard=discard
    )
    assert order == [("discard", 1, 3, None), ("announce", 1, 2, None)]
    assert record["contract"]["target"] == 7


@pytest.mark.parametrize(("open_last", "open_tricks"), [(0, 0), (3, 3), (13, 13)])
def test_hands_lie_open_at_the_end(open_last, open_tricks):
    seen = []

    def spying(view):
        seen.append(view.open_hands is not None)
        return lowest(view)

    rules = rules_with(open_last=open_last)
    naive.play_hand(rules, naive.deal(rules, 3, 3), N, scripted(N="1H"), spying)
    assert seen == [False] * 4 * (13 - open_tricks) + [True] * 4 * open_tricks


# ---------------------------------------------------------------------------- the match


@pytest.mark.parametrize(
    ("scores", "declarer", "counted", "expected"),
    [
        ({"NS": 99, "EW": -200}, "NS", 5, None),
        ({"NS": 100, "EW": 99}, "EW", 5, ("NS", "target")),
        ({"NS": 100, "EW": 140}, "NS", 5, ("NS", "target")),
        ({"NS": 110, "EW": 105}, None, 5, ("NS", "target")),
        ({"NS": 105, "EW": 105}, None, 5, None),
        ({"NS": 105, "EW": 105}, None, 12, (None, "cap")),
        ({"NS": 50, "EW": 40}, "EW", 12, ("NS", "cap")),
        ({"NS": 50, "EW": 50}, "EW", 12, (None, "cap")),
        ({"NS": 105, "EW": 40}, "EW", 12, ("NS", "target")),
        ({"NS": 50, "EW": 40}, None, 11, (None, "limit")),
        ({"N": 101, "E": 120, "S": 130}, "N", 5, ("N", "target")),
        ({"N": 10, "E": 120, "S": 130}, "N", 5, ("S", "target")),
        ({"N": 10, "E": 120, "S": 120}, "N", 5, None),
        ({"N": 10, "E": 120, "S": 120}, "N", 12, (None, "cap")),
    ],
)
def test_how_a_match_ends(scores, declarer, counted, expected):
    rules = rules_with(max_hands=12, hand_limit=20)
    hands = 20 if expected and expected[1] == "limit" else 12
    assert naive.match_end(rules, scores, declarer, counted, hands) == expected


@pytest.mark.parametrize("changes", [{}, {"players": 3, "kitty": "exchange"}], ids=str)
def test_a_random_match(changes):
    rules = rules_with(**changes, target_score=60)
    records, result = naive.play_match(
        rules, 5, 3, lambda deal_id: naive.random_seats(rules, 5, deal_id)
    )
    players = rules["players"]
    first = "NESW".index(result["first_dealer"])
    assert [record["dealer"] for record in records] == [
        "NESW"[(first + i) % players] for i in range(len(records))
    ]
    assert [record["deal_id"] for record in records] == [3 * 1024 + i for i in range(len(records))]
    for name, score in result["scores"].items():
        assert score == sum(naive.scores_of(record)[0][name] for record in records)
    assert result["ended"] == "target"
    assert result["scores"][result["winner"]] >= 60
    for before in result["before"]:  # beyond the target play goes on between equals alone
        assert (
            max(before.values()) < 60 or sorted(before.values())[-1] == sorted(before.values())[-2]
        )


def test_players_who_always_pass_come_to_no_end():
    rules = rules_with(hand_limit=7, max_hands=5)
    records, result = naive.play_match(
        rules, 1, 0, lambda _: {"bidder": scripted(), "player": lowest}, first_dealer=S
    )
    assert len(records) == 7
    assert (result["winner"], result["ended"], result["lead_changes"]) == (None, "limit", 0)


# --------------------------------------------------------------------------- invariants

THREE_PLAYERS = {"players": 3, "kitty": "exchange"}
VARIANTS = {
    "classic": {},
    "no-trump": {"denominations": ["NT"]},
    "last-three-open": {"open_last": 3},
    "jokers": {"jokers": 2},
    "one-each": {"jokers": 2, "joker_deal": "one-each"},
    "declarers": {"jokers": 2, "joker_deal": "declarers", "min_natural_cards": 3},
    "triple-trump-runs": {"trump_run_multiplier": 3},
    "hard-bid": {"hard_bid": "exact", "fail_multiplier": 5},
    "hard-bid-dead": {"hard_bid": "exact", "dead_card_penalty": 1, "fail_value": "target"},
    "at-least": {"hard_bid": "at-least", "hard_bid_melds": False},
    "three-player": THREE_PLAYERS,
    "three-jokers": {**THREE_PLAYERS, "jokers": 2, "kitty": "last-trick"},
    "three-pile": {**THREE_PLAYERS, "kitty": "pile"},
    "three-dead": {**THREE_PLAYERS, "kitty": "dead"},
    "dead-cards": {"dead_card_penalty": 1},
    "one-round": {"auction": "one-round"},
    "final-pass": {"passed_may_return": False, "suit_ranking": "bridge"},
    "play-out": {"all_pass": "play-out"},
    "keeps": {"failed_contract_scores": True, "slam_bonus": 0},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_invariants_of_random_hands(name):
    rules = rules_with(**VARIANTS[name])
    contracts = 0
    for deal_id in range(12):
        dealt = naive.deal(rules, 11, deal_id)
        seats = naive.random_seats(rules, 11, deal_id, 85 if deal_id % 3 else 97)
        record = naive.play_hand(
            rules, dealt, deal_id % rules["players"], announce=lambda _: 11, **seats
        )
        contracts += record["contract"] is not None
        check_record(record, rules)
        assert json.loads(json.dumps(record)) == record
    assert contracts


def check_record(record, rules):
    sides = record["sides"]
    contract = record["contract"]
    if contract is None and rules["all_pass"] == "redeal":
        assert [side["score"] for side in sides.values()] == [0, 0]
        return
    gone = record["kitty"] if rules["kitty"] == "dead" else []
    captured = [card for side in sides.values() for card in side["captured"]]
    assert sorted(captured + gone) == sorted(DECK)
    tricks = len(record["tricks"])
    assert tricks == (13 if rules["players"] == 4 else 17)
    assert sum(side["tricks"] for side in sides.values()) == tricks
    trump = contract["denomination"] if contract else None
    for name, side in sides.items():
        jokers = sum(record["jokers"][seat] for seat in side["seats"])
        layout = (side["meld_points"], len(side["melds"]), side["dead"], side["melds"])
        check_layout(layout, side["captured"], trump, rules, jokers)
        assert side["slam_bonus"] == (rules["slam_bonus"] if side["tricks"] == tricks else 0)
        score = rules["trick_points"] * side["tricks"] + side["meld_points"]
        score -= rules["dead_card_penalty"] * side["dead"]
        if name == "declarers" and record["made"] is False:
            loss = contract["target" if rules["fail_value"] == "target" else "level"]
            score = score if rules["failed_contract_scores"] else 0
            score -= rules["fail_multiplier"] * loss
        elif name == "declarers" and rules["hard_bid"] == "exact" and contract:
            assert score == contract["target"]
        assert side["score"] == score + side["slam_bonus"]


def test_random_strategies_draw_as_agreed():
    rules = CLASSIC
    stream = naive.own_stream(1, naive.BIDDER, 0, 0)
    view = naive.View(rules, 0, 0, [], ["pass"], 0, [])
    assert naive.random_bidder(stream, view) == "pass"
    assert stream.block == 0
    view.legal = ["pass", "6H", "6NT"]
    assert {naive.random_bidder(stream, view, 0) for _ in range(50)} == {"6H", "6NT"}
    assert {naive.random_bidder(stream, view, 100) for _ in range(50)} == {"pass"}
    stream = naive.own_stream(1, naive.PLAYER, 0, 0)
    view.legal = ["QH"]
    assert naive.random_player(stream, view) == "QH"
    assert stream.block == 1
