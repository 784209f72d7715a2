"""One hand that is given: the hidden cards dealt again and again.

A world is a deal of the hidden cards. Worlds come in turns: deal `deal_id` gives the other seats
hands, and each further turn hands these on by one seat, so that every hidden hand has sat
everywhere. In the first turn the cards are those of ``Engine(..., fixed={seat: hand})``.

Calls that were made before weigh a world: by how nearly the bidders of the other seats, with the
hands that they have in it, would have made them. Worlds of little weight are kept by chance, and
weigh more then, so that few playouts are spent on them (Russian roulette: Kahn, "Use of different
Monte Carlo sampling techniques", 1955). What is done in a world is in `odds_bids`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulate.cards import BIDS
from simulate.compiled.bits import ONE, ZERO
from simulate.compiled.kernels import call_strategy, kernel
from simulate.compiled.philox import GIVEN, below, next_word, open_stream
from simulate.engine.loop_forced import FORCED
from simulate.game.auction import all_bids, bids_above, hold_auction, tell_call
from simulate.game.calls import denomination_of
from simulate.game.deal import deal_cards
from simulate.game.hand import Table, begin_hand
from simulate.game.records import MAX_CALLS, ONE_EACH, SEATS, TO_DECLARERS

#: Calls are numbered 0..30; pass is 0.
CALLS = 31

#: Weight of a call that the bidder would not have made: where it would have bid the same
#: denomination at another level, and where anything else. Nobody bids quite as a strategy does.
NEAR = 1 / 20
FAR = 1 / 2000

#: What is asked about one hand, and room to work it out.
QUESTION = np.dtype(
    [
        ("hand", np.uint64),
        ("legal", np.uint64),  # calls that the seat may make now
        ("least", np.float64),  # worlds that weigh less are kept by chance
        ("seat", np.int64),
        ("dealer", np.int64),
        ("jokers", np.int64),
        ("level_told", np.int64),  # to players who do not heed it; 0 where some do
        ("stop", np.int64),  # set by another thread: no further playout
        ("hands_before", np.int64),  # of the match, those redealt left out
        ("before", np.int32, 4),  # match score of each seat's side
        ("n_calls", np.int64),
        ("calls", np.int8, MAX_CALLS),
        ("callers", np.int8, MAX_CALLS),
        # The world that is looked at.
        ("dealt", np.uint64, 4),
        ("joker_of", np.int8, 4),
        ("chances", np.float64, 3),  # 0 <= x < 1, of each turn
        ("fits", np.int64),
        ("kept", SEATS),  # as after the given calls
        ("contracts", np.int64, CALLS),  # 32 * declarer + bid after each call; -1 passed out
        ("played", np.int8, (4, CALLS)),  # by declarer and bid
        ("made", np.int8, (4, CALLS)),
        ("declarers", np.int32, (4, CALLS)),  # scores
        ("defenders", np.int32, (4, CALLS)),
        ("forced", FORCED),
        ("standing", np.int32, 4),  # match scores in a match that is played on
    ],
    align=True,
)

#: What came of the calls in one world. Arrays go by call. `own` is the own side's score, `others`
#: that of the other side, or with three players of each of the others, who defend.
WORLD = np.dtype(
    [
        ("deal_id", np.int64),
        ("turn", np.int8),
        ("fits", np.int8),  # whether the bidders would have made all the given calls
        ("weight", np.float64),
        ("made", np.int8, CALLS),  # where the bid becomes the contract
        ("own", np.int32, CALLS),
        ("others", np.int32, CALLS),
        ("after", np.int32, (CALLS, 4)),  # by seat, where the auction goes on after the call
        ("declarers", np.int8, CALLS),  # who declares then; -1 for nobody
        ("won", np.float64, CALLS),  # share of the match, where it is played on after that
        ("nobody", np.float64, CALLS),  # how often nobody wins it then
    ],
    align=True,
)


@kernel
def find_turn(table: Table, question: Any) -> int:
    """Hold the auction of the given calls; the seat that speaks after them.

    Returns
    -------
    int64
        Seat, with `callers` and `legal` of the question modified in place; -1 where the auction is
        over before, and -2 - i where call number i is not legal.
    """
    state = table.state[0]
    seats = table.seats[0]
    begin_hand(state, seats, table.bidding[0], 0, question.dealer)
    count = question.n_calls
    for i in range(count):
        state.calls[i] = question.calls[i]
    state.calls[count] = -1  # which nobody may answer: it tells whose turn it is
    for i in range(MAX_CALLS):
        state.callers[i] = -1
    state.forced_calls = count + 1
    over = hold_auction(state, seats)
    state.forced_calls = 0
    if over:
        return -1
    for i in range(count):
        if state.callers[i] < 0:
            return -2 - i
        question.callers[i] = state.callers[i]
    question.legal = seats.views[state.acting].legal
    return state.acting


@kernel
def deal_world(table: Table, question: Any, deal_id: int) -> None:
    """Deal the hidden cards and jokers of a deal, and draw the chances of its turns.

    Parameters
    ----------
    table : Table
        The state is modified.
    question : QUESTION record
        `dealt`, `joker_of` and `chances` are modified in place.
    deal_id : int64
    """
    state = table.state[0]
    seat = question.seat
    for other in range(4):
        state.fixed[other] = question.hand if other == seat else ZERO
    deal_cards(state, state.seed, deal_id)
    for other in range(4):
        question.dealt[other] = state.hands[other]
        question.joker_of[other] = 0
    stream = state.stream
    open_stream(stream, state.seed, GIVEN, 0, deal_id)
    for turn in range(3):
        question.chances[turn] = np.float64(next_word(stream)) / 4294967296.0
    rules = state.rules
    question.joker_of[seat] = question.jokers
    if rules.joker_deal == ONE_EACH:  # which there is with four players alone
        question.joker_of[seat ^ 2] = 1 - question.jokers
        question.joker_of[(seat ^ 1) ^ (2 * below(stream, 2))] = 1
    elif rules.joker_deal != TO_DECLARERS:
        for _ in range(rules.jokers - question.jokers):
            other = below(stream, np.int64(state.players) - 1)
            question.joker_of[other + np.int64(other >= seat)] += 1


@kernel
def turn_world(table: Table, question: Any, turn: int) -> None:
    """Give the other seats the hands that were dealt, handed on by `turn` seats."""
    state = table.state[0]
    players = np.int64(state.players)
    for place in range(players - 1):
        seat = (question.seat + 1 + place) % players
        origin = (question.seat + 1 + (place + turn) % (players - 1)) % players
        state.fixed[seat] = question.dealt[origin]


@kernel
def begin_world(table: Table, question: Any, deal_id: int) -> None:
    """Begin a hand in the present world."""
    state = table.state[0]
    seats = table.seats[0]
    state.leg = 0
    begin_hand(state, seats, table.bidding[0], deal_id, question.dealer)
    if state.rules.jokers:
        for seat in range(4):
            state.jokers[seat] = question.joker_of[seat]
            seats.views[seat].jokers = question.joker_of[seat]


@kernel
def weigh_calls(table: Table, question: Any) -> float:
    """Ask the bidders along the given calls how they would have called.

    Parameters
    ----------
    table : Table
        The present world, begun; the views are modified as by these calls.
    question : QUESTION record
        `fits` is modified in place.

    Returns
    -------
    float64
        Weight of the world; negative where a bidder answered what is not legal.
    """
    state = table.state[0]
    seats = table.seats[0]
    bids = all_bids(state.rules)
    last = 0
    weight = 1.0
    question.fits = 1
    for i in range(question.n_calls):
        seat = np.int64(question.callers[i])
        given = np.int64(question.calls[i])
        view = seats.views[seat]
        view.legal = bids_above(state.rules, bids, last) | ONE
        state.acting = seat
        call = call_strategy(seats.bidders[seat], view, seats.works[seat])
        if call < 0 or call > BIDS or (view.legal >> np.uint64(call)) & ONE == ZERO:
            state.answer = call
            return -1.0
        if call != given and seat != question.seat:
            question.fits = 0
            near = call > 0 and given > 0 and denomination_of(call) == denomination_of(given)
            weight *= NEAR if near else FAR
        tell_call(state, seats, i, seat, given)
        if given:
            last = given
    return weight


@kernel
def weigh_worlds(table: Table, question: Any, weights: np.ndarray, first: int, count: int) -> int:
    """Weigh the worlds of some deals (`weights`, shape (>= turns * count,), modified in place).

    Returns
    -------
    int64
        Worlds weighed; fewer than all where a bidder answered what is not legal.
    """
    turns = np.int64(table.state[0].players) - 1
    done = 0
    for deal_id in range(first, first + count):
        deal_world(table, question, deal_id)
        for turn in range(turns):
            turn_world(table, question, turn)
            begin_world(table, question, deal_id)
            weight = weigh_calls(table, question)
            if weight < 0.0:
                return done
            weights[done] = weight
            done += 1
    return done
