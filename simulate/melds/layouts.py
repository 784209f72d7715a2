"""Layouts as text: the melds themselves, for records and for people.

The searches with jokers and for exact totals are compiled only where they are asked for: they take
the compiler as long as the rest of the engine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulate.cards import card_text, cards_of, rank_of
from simulate.melds.solve import lay_out

#: Most melds of a layout, with two jokers: 54 cards in threes.
MOST_MELDS = 18

JOKER = "*"

_KING = 13
_ACE = 14


class Wanted(NamedTuple):
    """Pile, and what its layout is to be.

    Attributes
    ----------
    pile : int
        Natural cards.
    trump : int
        Denomination 0..4.
    at_least : int
        Melds that it must have.
    jokers : int
        Jokers that join it, 0..2.
    min_natural : int
        Natural cards that a meld with a joker needs.
    total : int, optional
        Points less penalties that it is worth exactly; without it the best layout is laid.
    """

    pile: int
    trump: int
    at_least: int = 0
    jokers: int = 0
    min_natural: int = 2
    total: int | None = None


def meld_texts(work: np.ndarray, wanted: Wanted) -> list[list[str]] | None:
    """Melds of a layout.

    Parameters
    ----------
    work : WORK array, shape (1,)
        Prepared for the rules; its scratch is overwritten.
    wanted : Wanted

    Returns
    -------
    list of list of str, or None
        Each run ascending, a low ace first, and a joker ``*`` in its place; a joker of a set last.
        None where there is no such layout.
    """
    area = work[0]["melds"]
    pile = np.uint64(wanted.pile)
    melds = np.zeros(MOST_MELDS, np.uint64)
    stand_for = np.zeros(MOST_MELDS, np.uint64)
    if wanted.total is not None:
        from simulate.melds.totals import lay_out_total

        count = lay_out_total(
            area,
            pile,
            wanted.jokers,
            wanted.min_natural,
            wanted.trump,
            wanted.at_least,
            wanted.total,
            melds,
            stand_for,
        )
    elif wanted.jokers:
        from simulate.melds.wild import lay_out_wild

        count = lay_out_wild(
            area,
            pile,
            wanted.jokers,
            wanted.min_natural,
            wanted.trump,
            wanted.at_least,
            melds,
            stand_for,
        )
    else:
        count = lay_out(area, pile, wanted.trump, wanted.at_least, melds)
    if count < 0:
        return None
    return [
        meld_text(int(meld), int(jokers))
        for meld, jokers in zip(melds[:count], stand_for[:count], strict=True)
    ]


def meld_text(natural: int, jokers: int = 0) -> list[str]:
    """Write down one meld.

    Parameters
    ----------
    natural : int
        Its natural cards.
    jokers : int
        Cards for which jokers stand.
    """
    cards = cards_of(natural | jokers)
    ranks = [rank_of(card) for card in cards]
    if len(set(ranks)) == 1:  # whichever suits the jokers stand for
        return [card_text(card) for card in cards_of(natural)] + [JOKER] * jokers.bit_count()
    if ranks[-1] == _ACE and ranks[0] == 2 and _KING not in ranks:
        cards = cards[-1:] + cards[:-1]
    return [JOKER if jokers >> card & 1 else card_text(card) for card in cards]
