"""The slow oracle: the whole game in plain Python, to be read beside the rules.

Nothing here is imported from the project and nothing is clever for speed's sake alone, so that
an error in the fast engine is not repeated here. Cards and calls are text, ``"QH"`` and
``"3NT"``; seats are numbers, N 0, E 1, S 2, W 3; sets of rules are dicts. The sections follow
the rules: numbers, randomness, the deal, the auction, the tricks, the melds, the score, the
hand, the match, and last the random strategies that the fast engine has too.

Where the rules leave something open, the reading taken is marked "Reading:".

Examples
--------
>>> rules = rules_with(jokers=2)
>>> record = play_hand(rules, deal(rules, 7, 12), 0, **random_seats(rules, 7, 12))
>>> points, melds, dead, layout = best_layouts(["QH", "KH", "AH", "2H", "3H"], None, CLASSIC)
>>> points, melds, dead
(5, 1, 2)
"""

import functools
import itertools
from collections import namedtuple
from dataclasses import dataclass

# --------------------------------------------------------------------- words and numbers

SEATS = "NESW"
SUITS = "CDHS"
RANKS = "23456789TJQKA"
DENOMINATIONS = ("C", "D", "H", "S", "NT")
JOKER = "*"
PASS = "pass"

CLASSIC = {
    "players": 4,
    "denominations": ["C", "D", "H", "S", "NT"],
    "max_level": 6,
    "suit_ranking": "none",
    "auction": "continuous",
    "passed_may_return": True,
    "all_pass": "redeal",
    "trick_points": 1,
    "set3_points": 5,
    "set4_points": 10,
    "run3_points": 5,
    "run_step_points": 5,
    "trump_run_multiplier": 2,
    "dead_card_penalty": 0,
    "slam_bonus": 25,
    "fail_multiplier": 10,
    "failed_contract_scores": False,
    "target_score": 100,
    "max_hands": 0,
    "hand_limit": 1000,
    "open_last": 0,
    "jokers": 0,
    "joker_deal": "random",
    "min_natural_cards": 2,
    "hard_bid": "off",
    "hard_bid_melds": True,
    "fail_value": "level",
    "kitty": "none",
}


def rules_with(**changes):
    """Change some fields of the classic rules."""
    unknown = set(changes) - set(CLASSIC)
    if unknown:
        raise KeyError(f"no such rule: {sorted(unknown)}")
    return {**CLASSIC, **changes}


def rank_of(card):
    """Give the rank of a card, 2 to 14."""
    return RANKS.index(card[0]) + 2


def suit_of(card):
    """Give the suit of a card, one of C D H S."""
    return card[1]


def card_code(card):
    """Give the number of a card: 16 * suit + rank."""
    return 16 * SUITS.index(suit_of(card)) + rank_of(card)


def card_at(suit, position):
    """Give the card of a suit at a position of a run, where 1 and 14 both are the ace."""
    return RANKS[(14 if position == 1 else position) - 2] + suit


def shown(cards):
    """Cards in the order of a record: suits S H D C, ranks falling within a suit."""
    return sorted(cards, key=card_code, reverse=True)


def call_code(call):
    """Give the number of a call: 0 for a pass, else 5 * (level - 1) + denomination + 1."""
    if call == PASS:
        return 0
    level, denomination = split_bid(call)
    return 5 * (level - 1) + DENOMINATIONS.index(denomination) + 1


def split_bid(bid):
    """Split a bid into its level and its denomination."""
    return int(bid[0]), bid[1:]


# --------------------------------------------------------------------------- randomness

DEAL, JOKERS, FIRST_DEALER, KEYS, OWN = range(5)
BIDDER, PLAYER = range(2)
WORD = 0xFFFFFFFF


def philox_block(counter, key):
    """Philox4x32 with ten rounds (Salmon et al. 2011): four words from four and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        product0 = 0xD2511F53 * c0
        product1 = 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (
            (product1 >> 32) ^ c1 ^ k0,
            product1 & WORD,
            (product0 >> 32) ^ c3 ^ k1,
            product0 & WORD,
        )
        k0 = (k0 + 0x9E3779B9) & WORD
        k1 = (k1 + 0xBB67AE85) & WORD
    return c0, c1, c2, c3


class Philox:
    """A stream of random numbers for one purpose, seat and deal."""

    def __init__(self, seed, purpose, seat, deal_id):
        self.key = (seed & WORD, seed >> 32 & WORD)
        self.place = (16 * purpose + seat, deal_id & WORD, deal_id >> 32 & WORD)
        self.block = 0
        self.words = []

    def word(self):
        """Draw the next 32-bit word."""
        if not self.words:
            self.words = list(philox_block((self.block, *self.place), self.key))
            self.block += 1
        return self.words.pop(0)

    def below(self, n):
        """Draw a whole number from 0 to n - 1, all equally likely (Lemire 2019)."""
        product = self.word() * n
        if product & WORD < n:
            threshold = (2**32 - n) % n
            while product & WORD < threshold:
                product = self.word() * n
        return product >> 32


def own_stream(seed, whose, seat, deal_id):
    """Make the stream of a seat's BIDDER or PLAYER, whose key is drawn for the hand."""
    place = (16 * KEYS, deal_id & WORD, deal_id >> 32 & WORD)
    keys = philox_block((seat, *place), (seed & WORD, seed >> 32 & WORD))
    low, high = keys[2 * whose : 2 * whose + 2]
    return Philox(high << 32 | low, OWN, seat, 0)


# ----------------------------------------------------------------------------- the deal

Deal = namedtuple("Deal", "hands kitty jokers seed deal_id", defaults=((), (), None, None))
Deal.__doc__ = "Hands by seat, the kitty, jokers by seat, and where they came from."


def deal(rules, seed, deal_id):
    """Deal the cards of one hand, and the jokers where they are dealt before the auction."""
    players = rules["players"]
    size = 13 if players == 4 else 17
    deck = [rank + suit for suit in SUITS for rank in RANKS]
    stream = Philox(seed, DEAL, 0, deal_id)
    for i in range(51, size - 1, -1):
        j = stream.below(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    hands = [shown(deck[size * seat : size * (seat + 1)]) for seat in range(players)]
    jokers = [0] * players
    stream = Philox(seed, JOKERS, 0, deal_id)
    if rules["joker_deal"] == "random":
        for _ in range(rules["jokers"]):
            jokers[stream.below(players)] += 1
    elif rules["joker_deal"] == "one-each":
        jokers[2 * stream.below(2)] += 1
        jokers[1 + 2 * stream.below(2)] += 1
    return Deal(hands, deck[size * players :], jokers, seed, deal_id)


# --------------------------------------------------------------------- what a seat sees


@dataclass
class View:
    """What the seat to decide may know; a strategy answers with one of `legal`.

    `legal` holds calls in the order of their codes, or cards in the order of theirs; it is None
    for an announcement, which may be any whole number.
    """

    rules: dict
    seat: int
    dealer: int
    hand: list
    legal: list
    jokers: int
    auction: list
    contract: dict = None
    leader: int = None
    trick: list = None  # the cards of this trick so far
    history: list = None  # finished tricks, as in the record
    tricks: dict = None  # won so far, by "declarers" and "defenders"
    piles: dict = None  # the cards that everyone has seen taken, by side
    open_hands: list = None  # all hands, where they lie face up
    scores: dict = None  # of the match, before this hand


def ask(strategy, view):
    """Ask a strategy, and refuse an answer that is not legal."""
    answer = strategy(view)
    if view.legal is None:
        legal = isinstance(answer, int) and not isinstance(answer, bool) and answer >= 0
    else:
        legal = answer in view.legal
    if not legal:
        raise ValueError(f"seat {SEATS[view.seat]} answered {answer!r}; legal is {view.legal}")
    return answer


def by_seat(strategies, seat):
    """Find the strategy of a seat, where one may stand for all."""
    return strategies if callable(strategies) else strategies[seat]


# -------------------------------------------------------------------------- the auction


def outranks(bid, last, rules):
    """Whether a bid outranks the last bid (None: there is none yet)."""
    if last is None:
        return True
    level, denomination = split_bid(bid)
    last_level, last_denomination = split_bid(last)
    if level != last_level:
        return level > last_level
    if rules["suit_ranking"] == "bridge":
        return DENOMINATIONS.index(denomination) > DENOMINATIONS.index(last_denomination)
    return denomination == "NT" and last_denomination != "NT"


def legal_calls(rules, last):
    """List the calls that are legal after the last bid, in the order of their codes."""
    bids = [
        f"{level}{denomination}"
        for level in range(1, rules["max_level"] + 1)
        for denomination in DENOMINATIONS
        if denomination in rules["denominations"]
    ]
    return [PASS, *(bid for bid in bids if outranks(bid, last, rules))]


def hold_auction(rules, dealer, call):
    """Hold an auction; ``call(seat, legal, auction)`` makes each call.

    Returns
    -------
    tuple
        The calls as (seat, call), the declarer and the bid (None and None if all passed).
    """
    players = rules["players"]
    auction = []
    last = declarer = None
    waiting = set(range(players))  # who must pass before the auction ends
    out = set()  # whose pass was final
    seat = (dealer + 1) % players
    while waiting:
        if seat not in out:
            answer = call(seat, legal_calls(rules, last), auction)
            auction.append((seat, answer))
            if rules["auction"] == "one-round":
                waiting.discard(seat)
            elif answer == PASS:
                waiting.discard(seat)
                if not rules["passed_may_return"]:
                    out.add(seat)
            else:
                waiting = set(range(players)) - {seat} - out
            if answer != PASS:
                last, declarer = answer, seat
        seat = (seat + 1) % players
    return auction, declarer, last


# --------------------------------------------------------------------------- the tricks


def legal_cards(hand, trick):
    """List the cards that may be played: follow suit if you can."""
    following = [card for card in hand if trick and suit_of(card) == suit_of(trick[0])]
    return sorted(following or hand, key=card_code)


def winning_place(trick, trump):
    """Which card of a trick wins: the highest trump, else the highest of the suit led."""
    suits = [suit_of(card) for card in trick]
    ruling = trump if trump in suits else suits[0]
    best = max((card for card in trick if suit_of(card) == ruling), key=rank_of)
    return trick.index(best)


# ---------------------------------------------------------------------------- the melds
#
# Every choice of sets is tried, rank by rank from the aces up. What the sets leave of a suit
# falls into blocks of consecutive cards, and a block that has ended is divided into runs in
# every way (`divisions`). Two choices of sets that leave the same unended blocks and as many
# jokers are the same from there on, so only the best way to each such state is kept.
#
# A block is written as a word, one cell for each position from 1 (ace low) to 14 (ace high):
#     x  a card, in a run or left dead
#     X  a card that must be in a run (the low ace: left out of a run it is no low ace)
#     *  a joker, which must be in a run (left out of a run it does not stand here)
# A joker in a run and the card of a set for which it stands may change places, as long as the
# set keeps its natural cards; both come to the same, so only the joker in the set is tried.
#
# What is kept is a table of ways. In the search for the best layout it holds for each number
# of melds the way that is worth most, but where one with more melds is worth as much; in the
# exact search (hard-bid) it holds every pair of number of melds and worth. A way is (worth,
# melds, used, trail): `used` counts natural cards in melds, `worth` is meld points +
# dead_card_penalty * used, which is the points after the penalty but for a constant; the trail
# says how the melds came about.

Terms = namedtuple("Terms", "set3 set4 run3 step trump penalty natural")
Terms.__doc__ = "The rules that bear on the worth of a layout."

NOTHING = (0, 0, 0, ())


def terms_of(rules):
    """Pick out the rules that bear on the worth of a layout."""
    return Terms(
        rules["set3_points"],
        rules["set4_points"],
        rules["run3_points"],
        rules["run_step_points"],
        rules["trump_run_multiplier"],
        rules["dead_card_penalty"],
        rules["min_natural_cards"],
    )


def run_points(length, is_trump, terms):
    """Count the points of a run."""
    return (terms.run3 + terms.step * (length - 3)) * (terms.trump if is_trump else 1)


def keep(table, way, exact):
    """Put a way into a table unless the table knows a better one."""
    worth, melds, used, _ = way
    key = (melds, worth) if exact else melds
    known = table.get(key)
    if known is None or (worth, used) > (known[0], known[2]):
        table[key] = way


def promising(table, exact):
    """Leave out the ways that another with more melds is worth as much as, but for exact totals."""
    if exact:
        return table
    left, best = [], (-1, -1)
    for melds in sorted(table, reverse=True):
        worth, _, used, _ = table[melds]
        if (worth, used) > best:
            best = worth, used
            left.append(melds)
    return {melds: table[melds] for melds in table if melds in left}


def extended(table, pieces, note, exact):
    """Add each of the pieces to each way of a table; the note goes on the trail."""
    result = {}
    for worth, melds, used, trail in table.values():
        for more_worth, more_melds, more_used, piece in pieces:
            longer = (trail, note, piece)
            way = (worth + more_worth, melds + more_melds, used + more_used, longer)
            keep(result, way, exact)
    return result


@functools.cache
def divisions(word, is_trump, terms, exact):
    """Divide a block into runs in every way; a trail lists the runs as (cells left, length)."""
    table = {}
    if not word:
        keep(table, NOTHING, exact)
        return table
    if word[0] == "x":  # the first card stays dead
        for way in divisions(word[1:], is_trump, terms, exact).values():
            keep(table, way, exact)
    for length in range(3, min(len(word), 13) + 1):  # or begins a run
        naturals = length - word[:length].count(JOKER)
        if naturals < length and naturals < terms.natural:
            continue
        gain = run_points(length, is_trump, terms) + terms.penalty * naturals
        for worth, melds, used, trail in divisions(word[length:], is_trump, terms, exact).values():
            runs = ((len(word), length), *trail)
            keep(table, (worth + gain, melds + 1, used + naturals, runs), exact)
    return promising(table, exact)


@functools.cache
def run_positions(ranks, jokers, natural):
    """Where a suit's runs could hold a card of the pile, and where a joker, at the very most.

    Parameters
    ----------
    ranks : frozenset of int
        The ranks of the suit that are in the pile.
    jokers, natural : int
        The jokers at hand, and the natural cards that a meld needs.

    Returns
    -------
    tuple of set
        Positions 1 to 14 for a card of the pile, and for a joker.
    """
    for_cards, for_jokers = set(), set()
    for first, last in itertools.combinations(range(1, 15), 2):
        run = range(first, last + 1)
        if not 3 <= len(run) <= 13:  # fourteen would hold both ends of the ace
            continue
        cards = {position for position in run if (14 if position == 1 else position) in ranks}
        holes = set(run) - cards
        if len(holes) <= jokers and (not holes or len(cards) >= natural):
            for_cards |= cards
            for_jokers |= holes
        if len(holes) < jokers and len(cards) > natural:  # a joker where the card is in a set
            for_jokers |= cards
    return for_cards, for_jokers


def set_choices(cards, jokers, in_runs, terms, exact):
    """List the sets that cards of one rank can make, as (jokers, cards, way); none is one too.

    For the best layout a few that cannot be better than another are left out: a card that no
    run could want joins its set as a fourth card or in the place of a joker, and where three
    such cards make a set by themselves, some set is made.
    """
    idle = set(cards) - in_runs
    choices = []
    if exact or len(idle) < 3:
        choices.append((0, (), None))
    for size in range(1, len(cards) + 1):
        for chosen in itertools.combinations(cards, size):
            for extra in range(max(0, 3 - size), min(jokers, 4 - size) + 1):
                if extra and size < terms.natural:
                    continue
                may_be_fourth = size + extra == 3 and terms.set4 >= terms.set3
                if not exact and idle - set(chosen) and (extra or may_be_fourth):
                    continue
                points = terms.set3 if size + extra == 3 else terms.set4
                meld = (*shown(chosen), *[JOKER] * extra)
                choices.append((extra, chosen, (points + terms.penalty * size, 1, size, meld)))
    return choices


def low_ace_choices(free, wild, for_cards, for_jokers):
    """List what may stand at the low end of a suit, with what is left for the high end.

    The ace is one card, so the runs of a suit hold it at one end only, be it itself or a joker
    (Reading: A-2-3 and Q-K-joker of one suit would overlap in the ace). What is left for the
    high end is the card "x", only a joker "*", or nothing "".
    """
    if free:
        high = "x" if 14 in for_cards else ""
    else:
        high = JOKER if wild and 14 in for_jokers else ""
    choices = [("", high)]
    if free and 1 in for_cards:
        choices = [("X", ""), ("", high)] if high else [("x", "")]
    if wild and 1 in for_jokers:
        choices.append((JOKER, ""))
    return choices


def cell_choices(free, wild, position, for_cards, for_jokers):
    """List what may stand in a block: a card, a joker, or nothing, which ends the block.

    `free` says that the card is in the pile and in no set, `wild` that a joker may stand here.
    """
    choices = ["x" if free and position in for_cards else ""]
    if wild and position in for_jokers:
        choices.append(JOKER)
    return choices


def moves_at(position, highs, cards, usable, jokers, terms, exact):
    """List the moves at one position: a set of that rank or none, and a cell for each suit.

    Parameters
    ----------
    position : int
        1 to 14; the set of aces is chosen at 1.
    highs : tuple of str
        What is left of each suit's ace for the high end.
    cards : list of str
        The cards of that rank in the pile.
    usable : list
        What `run_positions` says of each suit.
    jokers : int
        The jokers at hand.
    terms : Terms
        The scoring terms.
    exact : bool
        Whether every total counts, or only the best.

    Returns
    -------
    list of tuple
        (jokers used, the way of the set or None, the four cells, the four highs).
    """
    if position == 14:
        sets = [(0, (), None)]
    else:
        places = {1, 14} if position == 1 else {position}
        in_runs = {card for card in cards if places & usable[SUITS.index(suit_of(card))][0]}
        sets = set_choices(cards, jokers, in_runs, terms, exact)
    moves = []
    for extra, chosen, way in sets:
        choices = []
        for s, suit in enumerate(SUITS):
            own = [card for card in cards if suit_of(card) == suit]
            free = bool(own) and own[0] not in chosen
            if free:  # a joker could leave the card dead, for an exact total with a penalty
                wild = exact and terms.penalty > 0
            elif own:  # in a set, where the joker may as well be if natural cards are left enough
                wild = len(chosen) <= terms.natural
            else:
                wild = True
            if position == 1:
                choices.append(low_ace_choices(free, wild, *usable[s]))
                continue
            if position == 14 and highs[s] != "x":
                cells = ["", JOKER] if highs[s] == JOKER else [""]
            else:
                cells = cell_choices(free, wild, position, *usable[s])
            choices.append([(cell, highs[s] if position < 14 else "") for cell in cells])
        for picks in itertools.product(*choices):
            cells = tuple(cell for cell, _ in picks)
            used = extra + cells.count(JOKER)
            if used <= jokers:
                moves.append((used, way, cells, tuple(high for _, high in picks)))
    return moves


@functools.lru_cache(maxsize=256)  # a failed contract asks twice about one pile
def all_ways(pile, trump, terms, jokers, exact):
    """Make the table of the ways to lay out a pile, as the comment above explains."""
    usable = []
    by_rank = {rank: [] for rank in range(2, 15)}
    for suit in SUITS:
        ranks = frozenset(rank_of(card) for card in pile if suit_of(card) == suit)
        usable.append(run_positions(ranks, jokers, terms.natural))
    for card in sorted(pile, key=card_code):
        by_rank[rank_of(card)].append(card)

    # A state is the unended block of each suit, what is left of its ace, and the jokers left.
    start = {}
    keep(start, NOTHING, exact)
    states = {(("",) * 4, ("",) * 4, jokers): start}
    for position in range(1, 16):  # at 15 there is nothing, so that every block ends
        moves = {}
        new_states = {}
        for (blocks, highs, left), table in states.items():
            if position == 15:
                moves[highs] = [(0, None, ("",) * 4, highs)]
            elif highs not in moves:
                cards = by_rank[14 if position == 1 else position]
                moves[highs] = moves_at(position, highs, cards, usable, jokers, terms, exact)
            for used, way, cells, new_highs in moves[highs]:
                if used > left:
                    continue
                new_table = table
                if way:
                    new_table = extended(new_table, [way], None, exact)
                new_blocks = []
                for suit, block, cell in zip(SUITS, blocks, cells, strict=True):
                    new_blocks.append(block + cell if cell else "")
                    if not cell and block not in ("", "x", "xx"):
                        runs = divisions(block, suit == trump, terms, exact).values()
                        note = (suit, position, block)
                        new_table = extended(new_table, runs, note, exact)
                if not new_table:  # a joker or a low ace that no run takes up
                    continue
                state = (tuple(new_blocks), new_highs, left - used)
                if state in new_states:
                    merged = dict(new_states[state])
                    for known in new_table.values():
                        keep(merged, known, exact)
                    new_table = merged
                new_states[state] = new_table
        states = {state: promising(table, exact) for state, table in new_states.items()}
    result = {}
    for table in states.values():
        for known in table.values():
            keep(result, known, exact)
    return result


def ways_of(pile, trump, rules, jokers, exact):
    """List the ways to lay out a pile that count: the best, or all (see above)."""
    assert len(set(pile)) == len(pile), "a card is twice in the pile"
    key = (frozenset(pile), suit_or_none(trump), terms_of(rules), jokers, exact)
    return all_ways(*key).values()


def melds_of(trail):
    """List the melds that a trail led to."""
    melds = []
    while trail:
        trail, note, piece = trail
        if note is None:
            melds.append(list(piece))
            continue
        suit, end, block = note
        for cells_left, length in piece:
            at = len(block) - cells_left
            first = end - cells_left
            melds.append(
                [
                    JOKER if block[at + i] == JOKER else card_at(suit, first + i)
                    for i in range(length)
                ]
            )
    return sorted(melds)


def layout_of(way, pile, rules):
    """Read a way: meld points, number of melds, dead cards, the melds."""
    worth, melds, used, trail = way
    points = worth - rules["dead_card_penalty"] * used
    return points, melds, len(pile) - used, melds_of(trail)


def suit_or_none(trump):
    """Give a trump suit, or None for no trump."""
    return None if trump in (None, "NT") else trump


def best_layouts(pile, trump, rules, jokers=0, at_least=0):
    """Find the layout that scores most of those with at least so many melds.

    Most points after the dead-card penalty, then more melds, then fewer dead cards.

    Parameters
    ----------
    pile : list of str
        The natural cards.
    trump : str or None
        The trump suit; None or "NT" where there is none.
    rules : dict
        Every field of the rules.
    jokers : int
        The jokers that join the layout.
    at_least : int
        The number of melds that is needed.

    Returns
    -------
    tuple or None
        Meld points (before the penalty), number of melds, dead cards and the melds; None if no
        layout has so many melds.
    """
    ways = ways_of(pile, trump, rules, jokers, False)
    enough = [way for way in ways if way[1] >= at_least]
    if not enough:
        return None
    return layout_of(max(enough, key=lambda way: way[:3]), pile, rules)


def reachable_layouts(pile, trump, rules, jokers=0, at_least=0):
    """Find a layout for every total that can be laid with at least so many melds.

    For each total after the penalty and each number of melds it is one with the fewest dead.
    """
    ways = ways_of(pile, trump, rules, jokers, True)
    return [layout_of(way, pile, rules) for way in ways if way[1] >= at_least]


def reachable_totals(pile, trump, rules, jokers=0, at_least=0):
    """Give the set of (meld points, melds, dead cards) of `reachable_layouts`."""
    return {layout[:3] for layout in reachable_layouts(pile, trump, rules, jokers, at_least)}


def laid_points(layout, rules):
    """Count the points of a layout after the dead-card penalty."""
    points, _, dead, _ = layout
    return points - rules["dead_card_penalty"] * dead


# ---------------------------------------------------------------------------- the score


def lay_contract(rules, contract, tricks, pile, jokers):
    """Lay out the declarers' pile: whether the contract is made, and the layout that shows."""
    trump, level, target = contract["denomination"], contract["level"], contract["target"]
    needed = level
    if rules["hard_bid"] != "off" and not rules["hard_bid_melds"]:
        needed = 0
    trick_points = rules["trick_points"] * tricks
    if rules["hard_bid"] == "exact":
        hits = [
            layout
            for layout in reachable_layouts(pile, trump, rules, jokers, needed)
            if trick_points + laid_points(layout, rules) == target
        ]
        if hits:
            return True, max(hits, key=lambda layout: (layout[1], -layout[2]))
    else:
        best = best_layouts(pile, trump, rules, jokers, needed)
        if best and rules["hard_bid"] == "off":
            return True, best
        if best and trick_points + laid_points(best, rules) >= target:
            return True, best
    return False, best_layouts(pile, trump, rules, jokers)


def loss_of(rules, contract):
    """Say what a failed contract costs."""
    by_target = rules["hard_bid"] != "off" and rules["fail_value"] == "target"
    return rules["fail_multiplier"] * contract["target" if by_target else "level"]


def settle_side(rules, contract, declarers, tricks, all_tricks, pile, jokers):
    """Lay out and score one side; returns (made, the side's part of the record)."""
    trump = contract["denomination"] if contract else None
    made = None
    if contract and declarers:
        made, layout = lay_contract(rules, contract, tricks, pile, jokers)
    else:
        layout = best_layouts(pile, trump, rules, jokers)
    slam = rules["slam_bonus"] if tricks == all_tricks else 0
    score = rules["trick_points"] * tricks + laid_points(layout, rules)
    if made is False:
        kept = score if rules["failed_contract_scores"] else 0
        score = kept - loss_of(rules, contract)
    side = {
        "tricks": tricks,
        "captured": shown(pile),
        "melds": layout[3],
        "meld_points": layout[0],
        "dead": layout[2],
        "slam_bonus": slam,
        "score": score + slam,
    }
    return made, side


# ----------------------------------------------------------------------------- the hand


def sides_of(players, first):
    """List the seats of the side of a seat, and those of the other side."""
    if players == 3:
        own = [first]
    else:
        own = sorted([first, (first + 2) % 4])
    return own, [seat for seat in range(players) if seat not in own]


def play_hand(
    rules,
    dealt,
    dealer,
    bidder,
    player,
    announce=None,
    discard=None,
    scores=None,
    leg=0,
):
    """Play one hand and return its record.

    Parameters
    ----------
    rules : dict
        Every field of the rules.
    dealt : Deal
        The cards, from `deal` or made by hand.
    dealer : int
        The dealer's seat.
    bidder, player, announce, discard : callable or list of callable
        For all seats or by seat: called with a `View`, they answer with one of its `legal`
        calls or cards, `announce` with a whole number from 0.
    scores : dict, optional
        The match scores before the hand, for the views.
    leg : int
        Only stands in the record.

    Returns
    -------
    dict
        The hand record, without the entrants.
    """
    players = rules["players"]
    hands = [list(hand) for hand in dealt.hands]
    kitty = list(dealt.kitty)
    jokers = list(dealt.jokers or [0] * players)
    left_of_dealer = (dealer + 1) % players
    calls = []  # as in the record
    common = {"rules": rules, "dealer": dealer, "auction": calls, "scores": scores}

    def in_code_order(cards):
        return sorted(cards, key=card_code)

    def call(seat, legal, auction):
        view = View(seat=seat, hand=in_code_order(hands[seat]), legal=legal, jokers=jokers[seat],
                    **common)  # fmt: skip
        answer = ask(by_seat(bidder, seat), view)
        calls.append({"seat": SEATS[seat], "call": answer})
        return answer

    _, declarer, bid = hold_auction(rules, dealer, call)
    passed_out = declarer is None and rules["all_pass"] == "redeal"
    first = left_of_dealer if declarer is None else declarer
    own, others = sides_of(players, first)
    names = ["declarers" if seat in own else "defenders" for seat in range(players)]
    contract = discarded = None
    if declarer is not None:
        level, denomination = split_bid(bid)
        contract = {
            "declarer": SEATS[declarer],
            "level": level,
            "denomination": denomination,
            "target": None,
            "stated": None,
        }
        if rules["joker_deal"] == "declarers":
            jokers[declarer] += rules["jokers"]
    trump = suit_or_none(contract and contract["denomination"])

    hidden = {"declarers": [], "defenders": []}  # what joins a pile only at the end
    if declarer is not None:
        before_lead = {"seat": declarer, "jokers": jokers[declarer], "contract": contract}
        if rules["kitty"] == "exchange":
            hands[declarer] += kitty
            held = in_code_order(hands[declarer])
            view = View(hand=held, legal=held, **before_lead, **common)
            discarded = ask(by_seat(discard, declarer), view)
            hands[declarer].remove(discarded)
            hidden["declarers"].append(discarded)
        elif rules["kitty"] == "pile":
            hidden["declarers"] += kitty
        if rules["hard_bid"] != "off":
            view = View(hand=in_code_order(hands[declarer]), legal=None, **before_lead, **common)
            contract["target"] = ask(by_seat(announce, declarer), view)

    history = []
    tricks = {"declarers": 0, "defenders": 0}
    piles = {"declarers": [], "defenders": []}
    all_tricks = 0 if passed_out else len(hands[0] if declarer is None else hands[declarer])
    leader = first
    for _ in range(all_tricks):
        # Reading: with open_last = the hand size the leader already sees the hands.
        faces_up = len(hands[leader]) <= rules["open_last"]
        trick = []
        for turn in range(players):
            seat = (leader + turn) % players
            view = View(
                seat=seat,
                hand=in_code_order(hands[seat]),
                legal=legal_cards(hands[seat], trick),
                jokers=jokers[seat],
                contract=contract,
                leader=leader,
                trick=trick,
                history=history,
                tricks=tricks,
                piles=piles,
                open_hands=[shown(hand) for hand in hands] if faces_up else None,
                **common,
            )
            card = ask(by_seat(player, seat), view)
            hands[seat].remove(card)
            trick.append(card)
        winner = (leader + winning_place(trick, trump)) % players
        history.append({"leader": SEATS[leader], "cards": trick, "winner": SEATS[winner]})
        tricks[names[winner]] += 1
        piles[names[winner]] += trick
        leader = winner
    if rules["kitty"] == "last-trick" and not passed_out:
        hidden[names[leader]] += kitty

    made = None
    sides = {}
    for name, seats in (("declarers", own), ("defenders", others)):
        letters = {"seats": [SEATS[seat] for seat in seats]}
        if passed_out:
            numbers = {"meld_points": 0, "dead": 0, "slam_bonus": 0, "score": 0}
            sides[name] = {**letters, "tricks": 0, "captured": [], "melds": [], **numbers}
            continue
        side_made, side = settle_side(
            rules,
            contract,
            name == "declarers",
            tricks[name],
            all_tricks,
            piles[name] + hidden[name],
            sum(jokers[seat] for seat in seats),
        )
        sides[name] = {**letters, **side}
        if name == "declarers":
            made = side_made
    return {
        "schema": 1,
        "seed": dealt.seed,
        "deal_id": dealt.deal_id,
        "leg": leg,
        "rules": dict(rules),
        "dealer": SEATS[dealer],
        "hands": {SEATS[seat]: shown(hand) for seat, hand in enumerate(dealt.hands)},
        "kitty": kitty,
        "jokers": {SEATS[seat]: number for seat, number in enumerate(jokers)},
        "auction": calls,
        "contract": contract,
        "discard": discarded,
        "tricks": history,
        "sides": sides,
        "made": made,
    }


# ---------------------------------------------------------------------------- the match


def match_sides(players):
    """Who has a score in a match: two sides, or three seats."""
    return ["NS", "EW"] if players == 4 else ["N", "E", "S"]


def scores_of(record):
    """Say what each side of a match scores by a hand, and which side declared (or None)."""
    names = match_sides(record["rules"]["players"])
    scores = {}
    for side in record["sides"].values():
        for seat in side["seats"]:
            name = next(name for name in names if seat in name)
            scores[name] = side["score"]
    contract = record["contract"]
    declarer = contract and next(name for name in names if contract["declarer"] in name)
    return {name: scores[name] for name in names}, declarer


def lead(scores):
    """Name the side with the highest score, None if that is shared."""
    highest = max(scores.values())
    leaders = [name for name, score in scores.items() if score == highest]
    return leaders[0] if len(leaders) == 1 else None


def match_end(rules, scores, declarer, counted, hands):
    """How a match stands after a hand: (winner, ended), or None to play on.

    Parameters
    ----------
    rules : dict
        Every field of the rules.
    scores : dict
        The scores by side.
    declarer : str or None
        The side that declared this hand.
    counted, hands : int
        The hands so far, without those passed out and redealt, and with them.
    """
    there = {name: score for name, score in scores.items() if score >= rules["target_score"]}
    if there:
        winner = declarer if declarer in there else lead(there)
        if winner:
            return winner, "target"
    if rules["max_hands"] and counted >= rules["max_hands"]:
        return lead(scores), "cap"
    if hands >= rules["hand_limit"]:
        return None, "limit"
    return None


def play_match(rules, seed, match_id, strategies, first_dealer=None):
    """Play hands until the match ends.

    Parameters
    ----------
    rules : dict
        Every field of the rules.
    seed, match_id : int
        Hand h of the match is the deal ``match_id * 1024 + h``.
    strategies : callable
        Called with the deal id; returns the arguments of `play_hand` that name strategies, as
        `random_seats` does.
    first_dealer : int, optional
        The first dealer; drawn if None (Reading: from the stream of the match's first deal).

    Returns
    -------
    tuple of list and dict
        The hand records; the result: first_dealer, hands, winner (a side, or None), scores,
        lead_changes, ended ("target", "cap" or "limit"), and `before`, the scores before
        each hand.
    """
    players = rules["players"]
    if first_dealer is None:
        first_dealer = Philox(seed, FIRST_DEALER, 0, match_id * 1024).below(players)
    scores = dict.fromkeys(match_sides(players), 0)
    records, before = [], []
    counted = lead_changes = 0
    last_leader = end = None
    while end is None:
        deal_id = match_id * 1024 + len(records)
        before.append(dict(scores))
        record = play_hand(
            rules,
            deal(rules, seed, deal_id),
            (first_dealer + len(records)) % players,
            scores=dict(scores),
            **strategies(deal_id),
        )
        records.append(record)
        gained, declarer = scores_of(record)
        for name in scores:
            scores[name] += gained[name]
        if record["tricks"]:
            counted += 1
        # Reading: the lead changes when another side than the last to lead alone leads alone.
        leader = lead(scores)
        if leader and last_leader and leader != last_leader:
            lead_changes += 1
        last_leader = leader or last_leader
        end = match_end(rules, scores, declarer, counted, len(records))
    winner, ended = end
    return records, {
        "first_dealer": SEATS[first_dealer],
        "hands": len(records),
        "winner": winner,
        "scores": scores,
        "lead_changes": lead_changes,
        "ended": ended,
        "before": before,
    }


# --------------------------------------------------------------------- random strategies


def random_bidder(stream, view, pass_percent=60):
    """Pass with a chance, else make any legal bid; draws nothing where no bid is legal."""
    bids = [call for call in view.legal if call != PASS]
    if not bids:
        return PASS
    if PASS in view.legal and stream.below(100) < pass_percent:
        return PASS
    return bids[stream.below(len(bids))]


def random_player(stream, view):
    """Play any legal card; draws also where there is only one. Discards in the same way."""
    return view.legal[stream.below(len(view.legal))]


def random_seats(rules, seed, deal_id, pass_percent=60):
    """Make the random strategies of every seat for one hand, as arguments of `play_hand`."""

    def bidder(seat):
        stream = own_stream(seed, BIDDER, seat, deal_id)
        return lambda view: random_bidder(stream, view, pass_percent)

    def player(seat):
        stream = own_stream(seed, PLAYER, seat, deal_id)
        return lambda view: random_player(stream, view)

    players = [player(seat) for seat in range(rules["players"])]
    bidders = [bidder(seat) for seat in range(rules["players"])]
    return {"bidder": bidders, "player": players, "discard": players}
