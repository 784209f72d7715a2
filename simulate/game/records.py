"""The records that a hand is played in: the engine's `State` and the seats' `View`.

The state is the truth and only the engine has it. A seat's strategies get that seat's view: what
the seat may know, and nothing else. Both are flat records: compiled code passes one pointer.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from simulate.compiled.philox import KEY_WORDS, STREAM

#: Calls of the longest auction: 30 bids, up to three passes before the first, two between any two,
#: three after the last.
MAX_CALLS = 96
MAX_TRICKS = 17
PARAMETERS = 16
MEMO = 16

# What a strategy is asked for.
BIDDING = 0
PLAYING = 1
ANNOUNCING = 2
DISCARDING = 3

# Numbers of options, in the order in which `Rules` lists their words.
TO_DECLARERS = 2  # joker_deal
ONE_EACH = 1
EXACT_BID = 1  # hard_bid
LOSE_TARGET = 1  # fail_value
KITTY_EXCHANGE = 1
KITTY_PILE = 2
KITTY_LAST_TRICK = 3

#: The rules as numbers; options that are words are numbered in the order that `Rules` lists them.
RULES = np.dtype(
    [
        (name, np.int32)
        for name in (
            "players",
            "denominations",  # one bit a denomination
            "max_level",
            "suit_ranking",
            "auction",
            "passed_may_return",
            "all_pass",
            "trick_points",
            "set3_points",
            "set4_points",
            "run3_points",
            "run_step_points",
            "trump_run_multiplier",
            "dead_card_penalty",
            "slam_bonus",
            "fail_multiplier",
            "failed_contract_scores",
            "target_score",
            "max_hands",
            "hand_limit",
            "open_last",
            "jokers",
            "joker_deal",
            "min_natural_cards",
            "hard_bid",
            "hard_bid_melds",
            "fail_value",
            "kitty",
        )
    ],
    align=True,
)

#: What a seat may know. A strategy may change `memo`, `stated` and `stream` alone; whatever else it
#: writes is its own loss, since the engine reads nothing back but those.
VIEW = np.dtype(
    [
        ("legal", np.uint64),  # the legal cards, or the legal calls: bit `call`
        ("hand", np.uint64),  # own cards
        ("own_pile", np.uint64),  # cards captured by the own side
        ("other_pile", np.uint64),
        ("discard", np.uint64),  # the card laid down for the kitty, known to the declarer alone
        ("faces", np.uint64, (4,)),  # hands that lie face up, by seat; empty otherwise
        ("params", np.float64, (PARAMETERS,)),  # of the bidder in the auction, then of the player
        ("memo", np.int64, (MEMO,)),  # the strategy's own for this hand; starts at zero
        ("stream", STREAM),  # the strategy's own random numbers
        ("rules", RULES),
        ("scores", np.int32, (4,)),  # match score of each seat's side before the hand
        ("target", np.int32),  # points announced in a hard bid
        ("stated", np.int32),  # chance that a bidder gives its contract, per mille; -1 unstated
        ("seat", np.int8),
        ("players", np.int8),
        ("dealer", np.int8),
        ("jokers", np.int8),  # own jokers
        ("declarer", np.int8),  # -1 without a bid; in the auction: of the highest bid so far
        ("level", np.int8),  # 0 without a bid
        ("denomination", np.int8),
        ("sides", np.int8, (4,)),  # of each seat: 0 declarers, 1 defenders
        ("n_calls", np.int8),
        ("leader", np.int8),  # who led, or leads, to this trick
        ("trick_size", np.int8),  # cards in this trick so far
        ("n_tricks", np.int8),  # tricks completed
        ("own_tricks", np.int8),
        ("other_tricks", np.int8),
        ("trick", np.int8, (4,)),  # cards of this trick, in the order played
        ("voids", np.int8, (4,)),  # of each seat: bit `suit` where it has shown out
        ("calls", np.int8, (MAX_CALLS,)),  # from the seat to the dealer's left on
        ("callers", np.int8, (MAX_CALLS,)),  # seat that made each call
        ("plays", np.int8, (52,)),  # cards in the order played, trick after trick
        ("leaders", np.int8, (MAX_TRICKS + 1,)),  # of each trick
    ],
    align=True,
)

#: The truth about one hand. `acting` and `answer` say whose
#: answer was illegal where a kernel says that one was.
STATE = np.dtype(
    [
        ("hands", np.uint64, (4,)),  # as held now
        ("dealt", np.uint64, (4,)),
        ("fixed", np.uint64, (4,)),  # cards that each seat is given before the rest is dealt
        ("kitty", np.uint64),
        ("discard", np.uint64),
        ("piles", np.uint64, (2,)),  # declarers, defenders
        ("aside", np.uint64, (2,)),  # what joins the piles when the melds are laid
        ("seed", np.uint64),
        ("keys", np.uint32, (KEY_WORDS,)),  # of what each seat's bidder and player draw
        ("deal_id", np.int64),
        ("answer", np.int64),
        ("forced_calls", np.int64),  # so many of `calls` are given, not asked for
        ("forced_plays", np.int64),  # so many of `plays` are given, not asked for
        ("forced_between", np.int64),  # whether `forced_discard` and `forced_target` are given
        ("forced_discard", np.int64),
        ("forced_target", np.int64),
        ("rules", RULES),
        ("before", np.int32, (4,)),  # match score of each seat's side before the hand
        ("target", np.int32),
        ("stated", np.int32),
        ("meld_points", np.int32, (2,)),
        ("scores", np.int32, (2,)),
        ("melds", np.int8, (2,)),
        ("dead", np.int8, (2,)),
        ("slam", np.int8, (2,)),
        ("made", np.int8),  # -1 without a contract
        ("in_match", np.int8),
        ("phase", np.int8),  # BIDDING, ...: what was asked for last
        ("leg", np.int8),
        ("players", np.int8),
        ("hand_size", np.int8),
        ("dealer", np.int8),
        ("declarer", np.int8),
        ("level", np.int8),
        ("denomination", np.int8),
        ("acting", np.int8),  # the seat whose strategy was asked last
        ("leader", np.int8),
        ("trick_size", np.int8),
        ("n_tricks", np.int8),
        ("n_calls", np.int8),
        ("tricks", np.int8, (2,)),
        ("sides", np.int8, (4,)),
        ("jokers", np.int8, (4,)),
        ("trick", np.int8, (4,)),
        ("voids", np.int8, (4,)),
        ("calls", np.int8, (MAX_CALLS,)),
        ("callers", np.int8, (MAX_CALLS,)),
        ("plays", np.int8, (52,)),
        ("leaders", np.int8, (MAX_TRICKS + 1,)),
        ("stream", STREAM),  # of the jokers
        ("words", np.uint32, (48,)),  # random words of the deal
        ("deck", np.uint8, (52,)),
    ],
    align=True,
)

#: The four seats of a hand: what each sees, and the strategies that answer for it. One record
#: rather than arrays, so that kernels pass one pointer and count no references.
SEATS = np.dtype(
    [
        ("views", VIEW, (4,)),
        ("bidders", np.int64, (4,)),  # addresses
        ("players", np.int64, (4,)),  # addresses
        ("announcers", np.int64, (4,)),
        ("discarders", np.int64, (4,)),
        ("works", np.int64, (4,)),  # handles of scratch
        ("spare", VIEW, (2,)),  # the declarer's bidder and player while they take turns
    ],
    align=True,
)

#: Bytes of a view, and where the strategy's own part lies in it: `params` and `memo` up
#: to OWN_STOP, and its stream up to STREAM_STOP.
VIEW_SIZE = VIEW.itemsize
OWN_START = int(VIEW.fields["params"][1]) if VIEW.fields else 0
STREAM_STOP = int(VIEW.fields["rules"][1]) if VIEW.fields else 0
OWN_STOP = int(VIEW.fields["stream"][1]) if VIEW.fields else 0

VIEW_TYPE: Any = numba.from_dtype(VIEW)
STATE_TYPE: Any = numba.from_dtype(STATE)
