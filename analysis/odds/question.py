"""What is asked about one hand, and what each world answers to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulate.rules import Rules


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    rules : Rules
    entrants : tuple of str
        By seat: bidders and players of all numbers.
    seed : int
    seat, dealer : int
    hand, jokers : int
    calls, callers : tuple of int
        Made before.
    legal : tuple of int
        Calls that the seat may make, ascending; pass is the first.
    scores : tuple of int, optional
        Match score of each seat's side; where there are any, the match is played on.
    hands_before : int
        Hands of the match before this one, those redealt left out.
    cheats : tuple of str
        Entrants that are shown all hands.
    """

    rules: Rules
    entrants: tuple[str, ...]
    seed: int
    seat: int
    dealer: int
    hand: int
    jokers: int
    calls: tuple[int, ...]
    callers: tuple[int, ...]
    legal: tuple[int, ...]
    scores: tuple[int, ...] | None = None
    hands_before: int = 0
    cheats: tuple[str, ...] = ()

    @property
    def bids(self) -> tuple[int, ...]:
        """Calls that are bids."""
        return self.legal[1:]


def values_of(worlds: np.ndarray, question: Question) -> np.ndarray:
    """Columns that :class:`analysis.odds.result.Odds` reads, shape (worlds, columns).

    For each bid, as the contract: whether it is made, the own side's score, and that less the other
    side's (with three players the mean of theirs). For each call, the auction going on after it:
    that score and margin, and in a match the own side's share of it. Lastly whether the given calls
    fit, and how often nobody wins the match, whatever is called.

    Parameters
    ----------
    worlds : WORLD array
    question : Question
    """
    bids, calls = list(question.bids), list(question.legal)
    own = worlds["own"][:, bids]
    stands = [worlds["made"][:, bids], own, own - worlds["others"][:, bids]]
    sides = question.rules.sides
    after = worlds["after"][:, calls]
    own = after[:, :, question.seat]
    followed = [own, own - (after[:, :, :sides].sum(axis=2) - own) / (sides - 1)]
    if question.scores is not None:
        followed.append(worlds["won"][:, calls])
    # Of a chunk in which calls kept no world the number of columns cannot be told from the size.
    blocks = [np.dstack(block) for block in (stands, followed)]
    blocks = [block.reshape(len(block), np.prod(block.shape[1:])) for block in blocks]
    nobody = worlds["nobody"][:, calls].mean(axis=1)
    return np.column_stack([*blocks, worlds["fits"], nobody]).astype(np.float64)
