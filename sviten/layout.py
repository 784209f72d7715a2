"""The best layout of a pile, in Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from simulate import melds
from simulate.cards import read_cards, read_denomination
from simulate.errors import CardError, RulesError
from simulate.record import meld_texts
from simulate.work import make_work
from sviten import choices
from sviten.choices import RulesLike


class Layout(NamedTuple):
    """Best layout of a pile.

    Attributes
    ----------
    points : int
        Of the melds; a penalty for dead cards is not taken off.
    melds : list of list of str
        Cards of each meld ascending, a low ace first.
    dead : int
        Cards in no meld.
    """

    points: int
    melds: list[list[str]]
    dead: int


def best_layout(
    cards: str | Iterable[str],
    trump: str | None = None,
    jokers: int = 0,
    at_least: int = 0,
    rules: RulesLike = "classic",
) -> Layout | None:
    """Find the best layout of a pile.

    Parameters
    ----------
    cards : str or iterable of str
        ``"QH KH AH"``, ``"AKQ.QJ3.-.A7"`` (S.H.D.C) or a list of cards.
    trump : {"C", "D", "H", "S", "NT"}, optional
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
        When something is no card, or a card appears twice.
    RulesError
        When the rules make no sense, or the pile has jokers.
    """
    pile, written = read_cards(cards if isinstance(cards, str) else " ".join(cards))
    denomination = read_denomination("NT" if trump is None else trump)
    if at_least < 0:
        raise CardError(f"at_least = {at_least}: it must be 0 or more")
    if jokers < 0:
        raise CardError(f"jokers = {jokers}: it must be 0 or more")
    if jokers + written:
        raise RulesError(f"jokers = {jokers + written}: piles with jokers are not laid out yet")
    work = make_work(choices.rules(rules).numbers())
    area = work[0]["melds"]
    points, laid, dead = melds.best_layout(area, np.uint64(pile), denomination, at_least)
    if laid < 0:
        return None
    return Layout(int(points), meld_texts(work, pile, denomination, at_least), int(dead))
