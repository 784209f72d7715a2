"""The best layout of a pile, in Python."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from simulate.cards import DENOMINATIONS, NT, read_cards, read_denomination
from simulate.engine.scratch import make_work
from simulate.errors import CardError
from simulate.melds import solve
from simulate.melds.layouts import Wanted, meld_texts
from sviten.api import choices
from sviten.api.choices import RulesLike

MOST_JOKERS = 2


class Layout(NamedTuple):
    """Best layout of a pile.

    Attributes
    ----------
    points : int
        Of the melds; a penalty for dead cards is not taken off.
    melds : list of list of str
        Cards of each meld ascending, a low ace first; a joker is ``*``.
    dead : int
        Cards in no meld.
    """

    points: int
    melds: list[list[str]]
    dead: int


def best_layout(
    cards: str | Iterable[str],
    trump: str | int | None = None,
    jokers: int = 0,
    at_least: int = 0,
    rules: RulesLike = "classic",
) -> Layout | None:
    """Find the best layout of a pile.

    Parameters
    ----------
    cards : str or iterable of str
        ``"QH KH AH"``, ``"AKQ.QJ3.-.A7"`` (S.H.D.C) or a list of cards.
    trump : {"C", "D", "H", "S", "NT"} or 0..4, optional
    jokers : int
        Wild cards beside those written as ``*``.
    at_least : int
        Melds that it must have.
    rules : str, Rules or mapping

    Returns
    -------
    Layout or None
        None where no layout has so many melds.

    Raises
    ------
    CardError
        When something is no card, a card appears twice, or there are more than two jokers.
    RulesError
        When the rules make no sense.
    """
    pile, written = read_cards(cards_text(cards))
    denomination = _denomination(trump)
    at_least = _whole("at_least", at_least)
    jokers = _whole("jokers", jokers) + written
    if jokers > MOST_JOKERS:
        raise CardError(f"{jokers} jokers: the game has at most {MOST_JOKERS}")
    if at_least > pile.bit_count() + jokers:  # nor could compiled code count so far
        return None
    chosen = choices.rules(rules)
    work = make_work(chosen.numbers())
    wanted = Wanted(pile, denomination, at_least, jokers, chosen.min_natural_cards)
    laid = meld_texts(work, wanted)
    if laid is None:
        return None
    points, dead = _value(work, wanted)
    return Layout(points, laid, dead)


def _value(work: np.ndarray, wanted: Wanted) -> tuple[int, int]:
    """Points and dead cards of a layout that exists."""
    area = work[0]["melds"]
    pile = np.uint64(wanted.pile)
    if not wanted.jokers:
        points, _, dead = solve.best_layout(area, pile, wanted.trump, wanted.at_least)
    else:
        from simulate.melds.wild import best_layout_wild  # takes long to compile

        points, _, dead = best_layout_wild(
            area, pile, wanted.jokers, wanted.min_natural, wanted.trump, wanted.at_least
        )
    return int(points), int(dead)


def cards_text(cards: Any) -> str:
    """Text of cards that are given as a text or as a list; CardError where they are neither."""
    if isinstance(cards, str):
        return cards
    try:
        words = list(cards)
    except TypeError:
        words = [cards]
    for word in words:
        if not isinstance(word, str):
            raise CardError(f"{word!r} is no card: write a text such as 'QH KH AH', or a list")
    return " ".join(words)


def _denomination(trump: Any) -> int:
    if trump is None:
        return NT
    if isinstance(trump, str):
        return read_denomination(trump)
    try:
        number = -1 if isinstance(trump, bool) else operator.index(trump)
    except TypeError:
        number = -1
    if number not in range(len(DENOMINATIONS)):
        raise CardError(f"{trump!r} is no denomination: write C, D, H, S or NT, or 0 to 4")
    return number


def _whole(name: str, number: Any) -> int:
    try:
        checked = -1 if isinstance(number, bool) else operator.index(number)
    except TypeError:
        checked = -1
    if checked < 0:
        raise CardError(f"{name} = {number!r}: it must be a whole number, 0 or more")
    return checked
