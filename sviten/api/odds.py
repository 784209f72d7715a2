"""The odds of one hand; `sviten` gives this out under its own name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from analysis.odds.question import Question
from analysis.odds.result import Odds
from analysis.odds.sampling import Sampler
from simulate.cards import read_call, read_cards, read_seat
from simulate.engine.odds_hand import GivenHand
from simulate.errors import CardError, Option, RunError
from simulate.rules import Rules
from simulate.store.make import check_count, check_seed
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike
from sviten.api.layout import cards_text
from sviten.defaults import ENTRANT_NS, WORLDS
from sviten.display.progress import only_called, shows_progress

if TYPE_CHECKING:
    from simulate.runs.play import Progress

FINEST, COARSEST = 0.001, 0.25
#: Match score that the engine's 32 bits still hold when a long match has gone on from it.
LOWEST = -1_000_000


@shows_progress("worlds")
def odds(
    hand: str | Iterable[str],
    seat: str = "N",
    *,
    with_: str = ENTRANT_NS,
    against: str | None = None,
    calls: str | Sequence[str] = (),
    scores: Sequence[int] | None = None,
    hands_before: SupportsIndex | None = None,
    n: SupportsIndex | None = None,
    precision: float | None = None,
    rules: RulesLike = "classic",
    seed: SupportsIndex | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Odds:
    """Tell what each bid of a hand is worth.

    Parameters
    ----------
    hand : str or iterable of str
        ``"AKQ52.QJ3.K84.A7"`` (S.H.D.C), or a list of cards; ``*`` is a joker.
    seat : {"N", "E", "S", "W"}
        Who holds it, and is to speak.
    with_ : str
        Entrant, ``bidder/player``, at that seat and the partner's.
    against : str, optional
        Entrant at the other seats; `with_` where it is not given.
    calls : str or sequence of str
        Calls made before, such as ``"pass 2H"``. The hidden hands are weighed by what the bidders
        would have called.
    scores : sequence of int, optional
        Match scores before the hand: the own side's, then those of the others clockwise. With them
        the match is played on, for the chance to win it.
    hands_before : int, optional
        Hands of the match before this one, those redealt left out: needed with `scores` where the
        rules end a match after `max_hands`.
    n : int, optional
        Worlds, about; 2,000 where neither this nor `precision` is given.
    precision : float, optional
        Deal worlds until every chance is known to so much either way, such as 0.01.
    rules : str, Rules or mapping
        Variant, rule set, or fields that differ from the classic game.
    seed : int, optional
        0..2**64 - 1; drawn where it is not given.
    jobs : int, optional
        Threads; as many as there are cores where it is not given.
    progress : bool or callable, optional
        True shows it. A function is given worlds done, in all, and 0.

    Returns
    -------
    Odds

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    chosen = choices.rules(rules)
    place = read_seat(seat)
    if place >= chosen.players:
        raise CardError(f"seat {seat}: three players sit at N, E and S")
    cards, jokers = read_cards(cards_text(hand))
    made = tuple(read_call(call) for call in read_calls(calls))
    if n is not None and precision is not None:
        raise RunError("n and precision: give one of them")
    if precision is not None and not FINEST <= precision <= COARSEST:
        raise RunError(f"precision {precision}: it may be {FINEST} to {COARSEST}")
    worlds = WORLDS if n is None else check_count("n", n, 1)
    against = with_ if against is None else against
    ours = {place, place ^ 2} if chosen.players == 4 else {place}
    specs = [with_ if each in ours else against for each in range(chosen.players)]
    loaded = {spec: load_entrant(spec) for spec in dict.fromkeys(specs)}
    entrants = [loaded[spec] for spec in specs]
    drawn = check_seed(seed)
    before = None if scores is None else seat_scores(scores, place, chosen)
    hands_played = check_hands_before(hands_before, chosen, in_match=before is not None)
    wanted = choices.cores() if jobs is None else jobs
    chunks = math.ceil(worlds / 64) if precision is None else wanted
    threads = 1 if any(entrant.plain for entrant in entrants) else max(1, min(wanted, chunks))
    hands = [
        GivenHand(chosen, entrants, drawn, place, cards, jokers, made, before, hands_played)
        for _ in range(threads)
    ]
    first = hands[0]
    question = Question(
        rules=chosen,
        entrants=tuple(entrant.text for entrant in entrants),
        seed=drawn,
        seat=place,
        dealer=first.dealer,
        hand=cards,
        jokers=jokers,
        calls=made,
        callers=tuple(first.callers),
        legal=tuple(first.legal),
        scores=None if before is None else tuple(before),
        hands_before=hands_played,
        cheats=tuple(dict.fromkeys(each.text for each in entrants if each.cheats)),
    )
    sampler = Sampler(question, hands, only_called(progress))
    return sampler.many(worlds) if precision is None else sampler.precise(precision)


def read_calls(calls: str | Sequence[str]) -> list[str]:
    """Words of a list of calls."""
    return re.split(r"[\s,]+", calls.strip(" ,")) if isinstance(calls, str) and calls else [*calls]


def seat_scores(scores: Sequence[int], seat: int, rules: Rules) -> list[int]:
    """Match scores by seat, of the own side's and the others' clockwise.

    Raises
    ------
    RunError
        When there are not as many as sides, one is no whole number, or one has won already.
    """
    sides = rules.sides
    if len(scores) != sides:
        raise RunError(f"{len(scores)} match scores: there are {sides} sides, the own one first")
    for score in scores:
        if not isinstance(score, int | np.integer) or score < LOWEST:
            raise RunError(f"match score {score!r}: it is a whole number, {LOWEST} or more")
    if max(scores) >= rules.target_score:
        raise RunError(f"match score {max(scores)}: the match ends at {rules.target_score}")
    return [int(scores[(other - seat) % sides]) for other in range(rules.players)]


def check_hands_before(given: SupportsIndex | None, rules: Rules, *, in_match: bool) -> int:
    """Check how many hands of the match were played before.

    Raises
    ------
    RunError
        Where it must be given and is not, or the match is over by then.
    """
    last = rules.max_hands or rules.hand_limit
    if given is None:
        if in_match and rules.max_hands:
            raise RunError(
                f"match scores where a match ends after {last} hands: say how many were "
                "played before: ",
                Option("hands_before", ...),
            )
        return 0
    if not in_match:
        raise RunError(
            Option("hands_before"), ": it goes with match scores (", Option("scores"), ")"
        )
    hands = check_count("hands_before", given, 0)
    if hands >= last:
        raise RunError(f"hands_before {hands}: a match ends after {last} hands")
    return hands
