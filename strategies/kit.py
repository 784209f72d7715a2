"""All that the author of a strategy imports: ``from strategies.kit import bidder, has, popcount``.

A strategy is a function of a view and a handle. What it may call is gathered here from where it is
at home; each name's own docstring says more.

==================  ==============================================================================
declaring           `bidder`, `player`, `Parameter`, `PlayerParameter`, `TableParameter`, `kernel`
sets of cards       `cards`, `popcount`, `lowest`, `highest`, `has`, `bit`, `nth_bit`, `suit_cards`,
                    `ZERO`, `ONE`, `LANE`
cards               `suit`, `rank`, `CLUBS`, `DIAMONDS`, `HEARTS`, `SPADES`
calls               `bid`, `level_of`, `denomination_of`, `PASS`, `NT`
melds               `layout_of`, `count_structures`, `pile_promise`, `spread_aces`
tricks              `trick_so_far`, `card_strength`, `seen_cards`, `low_card`, `winning_chance`
chance              `below`
numbers             `numbers`, `matrix`, `table_at`, `own_margin`, `own_chance`, `against_others`
in thought          `in_sight`, `solve_ending`, `playouts_of`, `open_playouts`, `next_world`,
                    `play_card`, `play_contract`, `rollout_card`
for cheats          `truth_of`
==================  ==============================================================================
"""

from simulate.compiled.bits import (
    LANE,
    ONE,
    ZERO,
    bit,
    has,
    highest,
    lowest,
    nth_bit,
    popcount,
    suit_cards,
)
from simulate.compiled.kernels import kernel
from simulate.compiled.members import cards
from simulate.compiled.philox import below
from simulate.engine.scratch import layout_of, truth_of
from simulate.game.calls import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    NT,
    PASS,
    SPADES,
    denomination_of,
    level_of,
)
from simulate.game.calls import make_call as bid
from simulate.game.calls import rank_of as rank
from simulate.game.calls import suit_of as suit
from simulate.game.tricks import card_strength
from strategies.declare.registry import (
    Parameter,
    PlayerParameter,
    TableParameter,
    bidder,
    player,
)
from strategies.knowledge.arrays import matrix, numbers
from strategies.knowledge.estimates import table_at
from strategies.knowledge.judgement import (
    count_structures,
    low_card,
    pile_promise,
    seen_cards,
    spread_aces,
    trick_so_far,
    winning_chance,
)
from strategies.knowledge.prospects import against_others, own_chance, own_margin
from strategies.search.endgame import in_sight, solve_ending
from strategies.search.playouts import (
    next_world,
    open_playouts,
    play_card,
    play_contract,
    playouts_of,
    rollout_card,
)

__all__ = [
    "CLUBS",
    "DIAMONDS",
    "HEARTS",
    "LANE",
    "NT",
    "ONE",
    "PASS",
    "SPADES",
    "ZERO",
    "Parameter",
    "PlayerParameter",
    "TableParameter",
    "against_others",
    "below",
    "bid",
    "bidder",
    "bit",
    "card_strength",
    "cards",
    "count_structures",
    "denomination_of",
    "has",
    "highest",
    "in_sight",
    "kernel",
    "layout_of",
    "level_of",
    "low_card",
    "lowest",
    "matrix",
    "next_world",
    "nth_bit",
    "numbers",
    "open_playouts",
    "own_chance",
    "own_margin",
    "pile_promise",
    "play_card",
    "play_contract",
    "player",
    "playouts_of",
    "popcount",
    "rank",
    "rollout_card",
    "seen_cards",
    "solve_ending",
    "spread_aces",
    "suit",
    "suit_cards",
    "table_at",
    "trick_so_far",
    "truth_of",
    "winning_chance",
]
