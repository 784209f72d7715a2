"""The odds of one hand: known odds, sane answers, calls, precision, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sviten
from analysis.odds.result import Odds
from analysis.odds.words import notes, sentence
from simulate.cards import FULL_DECK, sorted_text
from simulate.errors import CardError, RunError, StrategyError
from sviten.cli import main

HAND = "AKQ52.QJ3.K84.A7"

#: Chance to make each bid of the hand, and its margin, level by level and C D H S NT, of
#: `sviten simulate --ns tips/greedy --ew tips/greedy --forced --hands-of HAND --deals 40000
#: --seed 2024`, where N declares.
KNOWN_HAND = "AK63.QJ7.9842.T5"
KNOWN = np.array(
    [
        [(0.9402, -47.66), (0.9791, -7.67), (0.9734, -9.59), (0.9928, 22.74), (0.9479, -20.94)],
        [(0.8427, -51.39), (0.9303, -9.47), (0.9102, -11.93), (0.9629, 21.44), (0.8583, -24.31)],
        [(0.7213, -59.45), (0.8582, -14.07), (0.8197, -17.81), (0.8962, 16.59), (0.7609, -30.96)],
        [(0.5886, -72.08), (0.7587, -23.07), (0.7062, -28.44), (0.7976, 6.31), (0.652, -41.63)],
        [(0.4616, -88.25), (0.6435, -36.77), (0.5806, -43.94), (0.6668, -10.86), (0.5412, -55.96)],
        [(0.3441, -107.07), (0.5182, -55.12), (0.4532, -63.51), (0.5282, -33.18), (0.4288, -73.58)],
    ]
).reshape(30, 2)


#: Share of matches won from 60:70 after a call, in 30,000 matches each: the hand dealt and the call
#: made in a plain engine, then hand after hand from the scores that it came to (seed 2024).
KNOWN_WON = {"pass": 0.3857, "1NT": 0.4245, "3S": 0.7391}


def held(odds: Odds) -> np.ndarray:
    """Whether the intervals hold what is known, shape (30, 2)."""
    found = []
    for bid, (rate, margin) in zip(odds.bids, KNOWN, strict=True):
        assert bid.margin_interval
        intervals = bid.made_interval, bid.margin_interval
        found.append([i.low <= v <= i.high for i, v in zip(intervals, (rate, margin), strict=True)])
    return np.array(found)


@pytest.fixture(scope="module")
def known() -> Odds:
    return sviten.odds(KNOWN_HAND, n=2000, seed=11)


def test_known_odds_lie_within_the_intervals(known: Odds) -> None:
    assert (known.sums.members, known.sums.clusters) == (2001, 667)
    assert len(known.bids) == 30
    assert held(known).mean() > 0.85  # those of neighbouring bids miss together
    for bid, (rate, margin) in zip(known.bids, KNOWN, strict=True):
        assert bid.made == pytest.approx(rate, abs=0.045)
        assert bid.margin == pytest.approx(margin, abs=6)
        assert bid.margin_interval
        assert bid.made_interval.high - bid.made_interval.low < 0.05
    # the turns of a deal tell more than as many deals of their own
    widths = [np.subtract(*bid.made_interval[::-1]) for bid in known.bids]
    alone = [2 * 1.96 * np.sqrt(bid.made * (1 - bid.made) / 2001) for bid in known.bids]
    assert np.mean(np.divide(widths, alone)) < 1


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    odds = [sviten.odds(KNOWN_HAND, n=600, seed=seed) for seed in range(60)]
    shares = np.mean([held(each) for each in odds], axis=(0, 1))
    assert (shares > 0.92).all()
    assert (shares < 0.98).all()


def test_chances_to_win_a_match_are_those_of_whole_matches() -> None:
    odds = sviten.odds(KNOWN_HAND, scores=[60, 70], n=1500, seed=7)
    for call, rate in KNOWN_WON.items():
        found = odds.passing if call == "pass" else odds.bid(call)
        assert found.won_interval
        half = (found.won_interval.high - found.won_interval.low) / 2
        assert half < 0.025
        assert abs((found.won or 0) - rate) < 1.8 * half
    three = odds.bid("3S")
    assert three.won_gain == pytest.approx((three.won or 0) - (odds.passing.won or 0))
    assert three.won_gain_interval
    alone = np.hypot(*(np.subtract(*i.won_interval[::-1]) for i in (three, odds.passing)))
    assert np.subtract(*three.won_gain_interval[::-1]) < alone  # paired, world by world
    assert odds.best_for_match in {"3S", "4S"}
    assert "pass" not in odds.rivals_for_match
    few = [sviten.odds(KNOWN_HAND, scores=[60, 70], n=200, seed=7, jobs=jobs) for jobs in (1, 2)]
    assert few[0].as_dict() == few[1].as_dict()
    plain = sviten.odds(KNOWN_HAND, n=1500, seed=7)
    assert (plain.best_for_match, plain.passing.won, plain.bids[0].won) == (None, None, None)
    assert plain.bids[0].gain == odds.bids[0].gain  # tips/greedy heeds no match score


@pytest.mark.slow
def test_intervals_of_matches_hold_as_often_as_they_say() -> None:
    found = []
    for seed in range(160):
        odds = sviten.odds(KNOWN_HAND, scores=[60, 70], n=150, seed=seed)
        for call, rate in KNOWN_WON.items():
            interval = (odds.passing if call == "pass" else odds.bid(call)).won_interval
            assert interval
            found.append(interval.low <= rate <= interval.high)
    assert 0.92 < np.mean(found) < 0.98


def test_a_match_may_ask_for_another_call_than_points_do() -> None:
    """Ahead, points are well lost with a poor hand where they keep the others from scoring."""
    odds = sviten.odds("9643.9542.8752.3", scores=[95, 0], n=600, seed=7)
    assert odds.best == "pass"
    assert odds.rivals == ()
    assert odds.best_for_match not in {"pass", None}
    assert "pass" not in odds.rivals_for_match
    points, match = sentence(odds).splitlines()
    assert points.endswith("no bid brings more.")
    assert match.startswith("From 95:0 passing wins ")
    assert match.endswith("Passing, which brings most points, wins fewer.")


def test_the_rules_end_a_match() -> None:
    last = {"rules": "twelve-hands", "n": 150, "seed": 7, "hands_before": 11}
    behind = sviten.odds(KNOWN_HAND, scores=[0, 70], **last)
    ahead = sviten.odds(KNOWN_HAND, scores=[70, 0], **last)
    assert (behind.passing.won or 0) < 0.3 < 0.7 < (ahead.passing.won or 0)
    assert notes(ahead)[2].startswith("match score 70:0 after 11 of 12 hands: ")
    # nobody bids or wins, at any time: the match is shared
    nobody = sviten.odds(
        HAND, with_="pass/high", scores=[40, 40], rules={"hand_limit": 20}, n=9, seed=7
    )
    assert nobody.passing.won == 0.5
    assert 0 < nobody.nobody_wins < 1  # a bid is played
    assert notes(nobody)[3].startswith("nobody wins ")
    assert (ahead.nobody_wins > 0) == (len(notes(ahead)) == 4)
    three = sviten.odds(
        "AKQ52.QJ32.K842.A765", "E", rules="three-player", scores=[90, 20, 10], n=60, seed=7
    )
    assert (three.passing.won or 0) > 0.6
    assert three.as_dict()["scores"] == {"N": 10, "E": 90, "S": 20}


def test_same_seed_same_odds_whatever_the_threads(known: Odds) -> None:
    other = sviten.odds(KNOWN_HAND, n=2000, seed=11, jobs=1)
    assert other.as_dict() == known.as_dict()
    assert notes(known) == [
        "tips/greedy at every seat, whose bidding and play all of this is",
        "2,001 worlds: 667 deals of the hidden cards in 3 turns",
    ]
    assert sviten.odds(KNOWN_HAND, n=30, seed=12).as_dict() != known.as_dict()


def test_precision_is_reached_in_whole_batches() -> None:
    odds = sviten.odds(KNOWN_HAND, precision=0.05, seed=5, jobs=2)
    assert odds.as_dict() == sviten.odds(KNOWN_HAND, precision=0.05, seed=5, jobs=1).as_dict()
    assert odds.sums.clusters % 256 == 0
    for bid in odds.bids:
        low, high = bid.made_interval
        assert max(bid.made - low, high - bid.made) <= 0.05
        assert bid.made_method == "confidence sequence"
    plain = sviten.odds(KNOWN_HAND, n=odds.sums.members, seed=5)
    assert plain.sums.members == odds.sums.members
    for bid, other in zip(odds.bids, plain.bids, strict=True):  # an interval for all looks is wider
        assert bid.made == other.made
        assert bid.made_interval.high >= other.made_interval.high
    assert held(odds).mean() > 0.95


# Hands of which one knows


def test_thirteen_cards_of_a_suit() -> None:
    odds = sviten.odds("AKQJT98765432.-.-.-", n=60, seed=7)
    layout = sviten.best_layout(sorted_text(FULL_DECK), trump="S")
    assert layout is not None
    spade = next(bid for bid in odds.bids if bid.bid == "1S")
    assert (spade.made, spade.score) == (1, 13 + layout.points + 25)
    assert spade.score_interval == (spade.score, spade.score)
    assert spade.made_interval.high == 1
    assert 0.8 < spade.made_interval.low < 1  # sixty worlds are no certainty
    hearts = next(bid for bid in odds.bids if bid.bid == "6H")  # no trump but spades
    assert hearts.margin < spade.margin
    assert odds.best.endswith(("S", "NT"))


def test_a_worthless_hand_passes() -> None:
    odds = sviten.odds("9643.9542.8752.3", n=600, seed=7)
    assert odds.best == "pass"
    assert odds.rivals == ()
    assert all(bid.gain_interval and bid.gain_interval.high < 0 for bid in odds.bids)
    assert odds.passing.margin < 0
    assert "no bid brings more" in odds.sentence()


def test_three_sets() -> None:
    """High ones come home; as many low ones hardly do, since tricks must win them."""
    high, low = (
        {bid.bid: bid for bid in sviten.odds(hand, n=600, seed=7).bids}
        for hand in ("AK2.AK2.AK2.8743", "953.953.953.8742")
    )
    assert high["3S"].made > 0.98
    assert high["3NT"].made > 0.98
    assert high["6S"].made > 0.8
    assert low["6S"].made < 0.25
    for name in ("C", "D", "H", "S", "NT"):
        made = [high[f"{level}{name}"].made for level in range(1, 7)]
        assert made == sorted(made, reverse=True)


# What is known besides the hand


def test_calls_tell_of_the_hidden_hands() -> None:
    """What passing is worth after calls, against the engine's hands in which they were made."""
    deals = 12_000
    hands = sviten.simulate(
        "tips/greedy", "tips/greedy", deals=deals, seed=9, hands={"S": KNOWN_HAND},
        detail=["calls"], jobs=1,
    )  # fmt: skip
    calls = hands.calls.pivot(index="deal_id", columns="index", values="call")
    mine = (calls[0] == 1) & (calls[1] == 0) & (calls.index % 4 == 3)  # N opens 1C, E passes
    rows = hands.hands.set_index("deal_id").loc[calls.index[mine]]
    margins = (rows.score_ns - rows.score_ew).to_numpy(float)
    assert len(margins) > 150
    odds = sviten.odds(KNOWN_HAND, "S", calls="1C pass", n=1500, seed=7)
    assert odds.fits > 0.95
    assert 1000 < odds.sums.effective <= odds.sums.members
    assert odds.passing.margin_interval
    error = np.hypot(
        margins.std() / np.sqrt(len(margins)),
        (odds.passing.margin_interval.high - odds.passing.margin) / 1.96,
    )
    assert abs(odds.passing.margin - margins.mean()) < 3.5 * error
    assert odds.passing.margin > sviten.odds(KNOWN_HAND, "S", n=600, seed=7).passing.margin + 10


def test_calls_that_no_bidder_would_make_tell_nothing() -> None:
    asked = {"with_": "pass/greedy", "n": 90, "seed": 7}
    odds = sviten.odds(HAND, calls=["6C"], **asked)
    plain = sviten.odds(HAND, **asked)
    assert odds.fits == 0
    assert odds.sums.effective == pytest.approx(odds.sums.members)
    assert [bid.bid for bid in odds.bids] == ["6NT"]
    assert odds.bids[0].made == plain.bids[-1].made
    assert notes(odds)[2] == "90 worlds, 90 effective, of 30 deals of the hidden cards in 3 turns"


def test_no_worlds_tell_no_odds() -> None:
    with pytest.raises(RunError, match="n = 0: it must be a whole number, 1 or more"):
        sviten.odds(HAND, n=0)


def test_chunks_of_which_no_world_fits_the_calls() -> None:
    few = sviten.odds(HAND, calls=["pass"] * 3, with_="tips/high", n=10, seed=1)
    assert 0 < few.sums.members < few.sums.clusters * 3


def test_bidders_heed_the_match_score(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "from simulate.compiled.bits import has\n"
        "from strategies.declare.registry import bidder\n\n\n"
        '@bidder("late", looks_at="match scores", source="a test")\n'
        "def late(view, work):\n"
        '    """Bid everything where the other side is about to win."""\n'
        "    other = view.scores[(view.seat + 1) % 4]\n"
        "    if view.scores[view.seat] == 40 and other == 90 and has(view.legal, 30):\n"
        "        return 30\n"
        "    return 0\n"
    )
    asked: dict[str, Any] = {
        "seat": "E",
        "with_": "pass/high",
        "against": f"{tmp_path / 'late.py'}:late/high",
        "n": 30,
        "seed": 7,
    }
    even = sviten.odds(HAND, **asked)
    assert (even.passing.score, even.passing.margin) == (0, 0)  # passed out
    late = sviten.odds(HAND, scores=[90, 40], **asked)
    assert late.passing.margin > 0  # they go down in 6NT
    assert sviten.odds(HAND, scores=[40, 90], **asked).passing.margin == 0
    assert late.as_dict()["scores"] == {"N": 40, "E": 90, "S": 40, "W": 90}


def test_other_rules() -> None:
    three = sviten.odds("AKQ52.QJ32.K842.A765", "E", rules="three-player", n=40, seed=7)
    assert (three.sums.members, three.sums.clusters) == (40, 20)
    assert three.as_dict()["turns"] == 2
    jokers = sviten.odds(HAND + "**", rules="jokers", n=300, seed=7)
    plain = sviten.odds(HAND, rules="jokers", n=300, seed=7)
    assert jokers.as_dict()["hand"] == HAND + "**"
    assert jokers.bids[-1].made > plain.bids[-1].made
    few = sviten.odds(HAND, rules={"denominations": ["H", "NT"], "max_level": 2}, n=9, seed=7)
    assert [bid.bid for bid in few.bids] == ["1H", "1NT", "2H", "2NT"]
    cards = ["AS", "KS", "QS", "5S", "2S", "QH", "JH", "3H", "KD", "8D", "4D", "AC", "7C"]
    rules = {"denominations": ["H", "NT"], "max_level": 2}
    assert sviten.odds(cards, rules=rules, n=9, seed=7).as_dict() == few.as_dict()
    frame = few.frame()
    assert frame.bid.tolist() == ["1H", "1NT", "2H", "2NT"]
    assert (frame.made_low <= frame.made).all()


@pytest.mark.parametrize(
    ("changes", "error", "told"),
    [
        ({"n": 10, "precision": 0.1}, RunError, "give one of them"),
        ({"precision": 0.0001}, RunError, "it may be 0.001 to 0.25"),
        ({"n": -3}, RunError, "n"),
        ({"seat": "Q"}, CardError, "no seat"),
        ({"seat": 0}, CardError, "0 is no seat: write N, E, S or W"),
        ({"calls": [0]}, CardError, "0 is no call: write pass"),
        ({"seat": "W", "rules": "three-player"}, CardError, "three players sit at N, E and S"),
        ({"scores": [10]}, RunError, "there are 2 sides, the own one first"),
        ({"scores": [10, 100]}, RunError, "the match ends at 100"),
        ({"scores": [10.5, 20]}, RunError, "match score 10.5: it is a whole number"),
        ({"scores": [-(10**10), 20]}, RunError, "it is a whole number, -1000000 or more"),
        ({"scores": [0, 0], "rules": "twelve-hands"}, RunError, "say how many were played before"),
        ({"hands_before": 3}, RunError, "it goes with match scores"),
        (
            {"scores": [0, 0], "rules": "twelve-hands", "hands_before": 12},
            RunError,
            "a match ends after 12 hands",
        ),
        ({"with_": "tip/greedy"}, StrategyError, "tip"),
    ],
)
def test_what_cannot_be_asked(changes: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        sviten.odds(HAND, **changes)


# The command


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plot = tmp_path / "odds.png"
    words = ["odds", HAND, "--seed", "7", "--n", "90", "--calls", "1S pass", "--seat", "S"]
    assert main([*words, "--plot", str(plot)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{HAND} at S, dealer W, seed 7"
    assert lines[2].startswith("tips/greedy at every seat")
    assert lines[3].startswith("after N 1S, E pass: ")
    rows = [line.split()[0] for line in lines if " ± " in line]
    assert rows[:2] == ["1NT", "2C"]
    assert max(map(len, lines[: lines.index(f"plot: {plot}")])) <= 80
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["sentence"] == lines[-1]
    assert facts["entrants"]["W"] == "tips/greedy"
    assert len(facts["bids"]) == 26
    assert {"bid", "made", "made_interval", "made_method", "gain"} <= set(facts["bids"][0])


def test_command_in_a_match(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plot = tmp_path / "odds.png"
    words = ["odds", KNOWN_HAND, "--seed", "7", "--n", "90", "--score", "20:90"]
    assert main([*words, "--plot", str(plot)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4] == "match score 20:90: the match is played on twice after each call in a world"
    assert max(map(len, lines[: lines.index(f"plot: {plot}")])) <= 80
    second = lines[lines.index("The match, the auction going on after the call") :]
    assert [line.split()[0] for line in second[2:5]] == ["pass", "1C", "1D"]
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["best_for_match"] in {bid["bid"] for bid in facts["bids"]}
    assert facts["passing"]["won_method"] == "wilson"
    assert facts["sentence"].splitlines() == lines[-2:]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["AKQ52.QJ3.K84"], "has 3 suits"),
        (["AKQ52 QJ3 K84 A7"], "'AKQ52' names no suit: write cards such as QH, or four suits"),
        ([HAND, "--calls", "2H 1S"], "call 2, 1S, is not legal there"),
        ([HAND, "--score", "ten"], "write OWN:OTHER"),
        ([HAND, "--with", "tips"], "bidder/player"),
        ([HAND, "--precision", "0.9"], "it may be"),
    ],
)
def test_wrong_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", *words]) == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert not printed.out
