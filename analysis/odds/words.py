"""The odds of one hand in words: what they rest on, tables, and what to call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.show.text import Table, count, percent, percents
from analysis.stats.intervals import Interval
from simulate.cards import JOKER, SEATS, call_text, hand_text
from simulate.engine.odds_match import SEQUELS

if TYPE_CHECKING:
    from analysis.odds.question import Question
    from analysis.odds.result import Odds

_MOST_NAMED = 10


def notes(odds: Odds) -> list[str]:
    """Lines to tell above the tables: what the numbers rest on."""
    asked = odds.question
    lines = [f"{_seated(asked)}, whose bidding and play all of this is"]
    members, dealt = odds.sums.members, count(odds.sums.clusters, "deal")
    turns = f"{dealt} of the hidden cards in {asked.rules.players - 1} turns"
    if asked.calls:
        pairs = zip(asked.callers, asked.calls, strict=True)
        calls = ", ".join(f"{SEATS[seat]} {call_text(call)}" for seat, call in pairs)
        lines += [
            f"after {calls}: in {percent(odds.fits)} of the worlds the bidders would call so",
            f"{members:,} worlds, {odds.sums.effective:,.0f} effective, of {turns}",
        ]
    else:
        lines.append(f"{members:,} worlds: {turns}")
    if asked.scores is not None:
        times = {1: "once", 2: "twice"}.get(SEQUELS, f"{SEQUELS} times")
        lines.append(
            f"match score {question_scores(asked)}: "
            f"the match is played on {times} after each call in a world"
        )
        if odds.nobody_wins:
            lines.append(
                f"nobody wins {percent(odds.nobody_wins)} of these matches: "
                "each side is given an equal part"
            )
    if asked.cheats:
        lines.append(f"{', '.join(asked.cheats)} sees all hands: this is a bracket, no estimate")
    if odds.tightest is not None:
        lines.append("intervals hold at every look (confidence sequence)")
    return lines


def question_hand(asked: Question) -> str:
    """Tell the hand, with a dash where it has nothing of a suit."""
    suits = hand_text(asked.hand).split(".")
    return ".".join(suit or "-" for suit in suits) + JOKER * asked.jokers


def question_scores(asked: Question) -> str:
    """Tell the match score, the own side's first, and how many hands it took where that matters."""
    if asked.scores is None:
        return ""
    sides = asked.rules.sides
    text = ":".join(str(asked.scores[(asked.seat + k) % sides]) for k in range(sides))
    capped = asked.rules.max_hands
    return f"{text} after {asked.hands_before} of {capped} hands" if capped else text


def tables(odds: Odds) -> list[Table]:
    """Tables for a person: points, and in a match the chance to win it; none without a bid."""
    if not odds.bids:
        return []
    rows = [
        [
            bid.bid,
            percent(bid.made),
            percents(bid.made_interval),
            _give_or_take(bid.score, bid.score_interval),
            _give_or_take(bid.margin, bid.margin_interval),
            _give_or_take(bid.gain, bid.gain_interval),
        ]
        for bid in odds.bids
    ]
    columns = ["bid", "made", "95 % interval", "score", "margin", "bid less pass"]
    entries = [Table("As the contract, and the auction going on after it", columns, rows)]
    if odds.question.scores is not None:
        passing = odds.passing
        rows = [["pass", percent(passing.won), percents(passing.won_interval), "-"]]
        rows += [
            [
                bid.bid,
                percent(bid.won),
                percents(bid.won_interval),
                _points(bid.won_gain, bid.won_gain_interval),
            ]
            for bid in odds.bids
        ]
        columns = ["call", "match won", "95 % interval", "bid less pass, % of matches"]
        entries.append(Table("The match, the auction going on after the call", columns, rows))
    return entries


def sentence(odds: Odds) -> str:
    """Say what to call: for points, and in a match another line for the match."""
    text = _for_points(odds)
    return f"{text}\n{_for_match(odds)}" if odds.question.scores is not None else text


def _for_points(odds: Odds) -> str:
    passed = _give_or_take(odds.passing.margin, odds.passing.margin_interval)
    text = f"Passing brings a margin of {passed} points"
    if not odds.bids:
        return f"{text}; no bid is legal."
    if odds.best == "pass":
        text += ", and no bid brings more"
    else:
        bid = odds.bid(odds.best)
        gain = _give_or_take(bid.gain, bid.gain_interval)
        text += (
            f"; {bid.bid} brings most, {gain} more, and comes home in {percent(bid.made)} "
            "where it is the contract"
        )
    return f"{text}{_not_told_apart(odds.rivals)}."


def _for_match(odds: Odds) -> str:
    """Say which call wins most matches, and whether it is the one for points."""
    text = (
        f"From {question_scores(odds.question)} passing wins {percent(odds.passing.won)} of matches"
    )
    best = odds.best_for_match
    if not odds.bids or best is None:
        return f"{text}."
    if best == "pass":
        text += ", and no bid wins more"
    else:
        bid = odds.bid(best)
        gain = _points(bid.won_gain, bid.won_gain_interval)
        text += f"; {best} wins most, {percent(bid.won)}, {gain} points more"
    text += _not_told_apart(odds.rivals_for_match)
    if best != odds.best and odds.best not in odds.rivals_for_match:
        most = "Passing" if odds.best == "pass" else odds.best
        text += f". {most}, which brings most points, wins fewer"
    return f"{text}."


def _not_told_apart(rivals: tuple[str, ...]) -> str:
    if not rivals:
        return ""
    few = len(rivals) <= _MOST_NAMED
    others = ", ".join(rivals) if few else f"{len(rivals)} other calls"
    return f". Not told apart from it: {others}"


def _give_or_take(value: float, interval: Interval | None) -> str:
    """Tell a mean and its interval, which is symmetric."""
    return f"{value:.1f}" if interval is None else f"{value:.1f} ± {interval.high - value:.1f}"


def _points(share: float | None, interval: Interval | None) -> str:
    """Tell a difference of rates, in per cent."""
    if share is None:
        return "-"
    scaled = None if interval is None else Interval(100 * interval.low, 100 * interval.high)
    return _give_or_take(100 * share, scaled)


def _seated(asked: Question) -> str:
    """Tell who sits where."""
    names = dict.fromkeys(asked.entrants)
    if len(names) == 1:
        return f"{asked.entrants[0]} at every seat"
    seats = zip(asked.rules.seats, asked.entrants, strict=True)
    by_name: dict[str, str] = {}
    for seat, name in seats:
        by_name[name] = f"{by_name[name]}+{seat}" if name in by_name else seat
    return ", ".join(f"{name} at {where}" for name, where in by_name.items())
