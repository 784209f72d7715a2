"""Dealing worlds of one given hand until they are as many, or their odds as sure, as is wanted.

Worlds are counted in chunks of deals in their order, whoever is done first, and looked at in whole
batches: so the odds depend on neither workers nor the time that anything takes, and stopping when
the intervals are narrow enough does no harm, since those of a confidence sequence hold at every
look (`analysis.stats.sequence`).
"""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from analysis.odds.question import Question, values_of
from analysis.odds.result import Odds
from analysis.stats.weighted import ClusterSums
from simulate.engine.odds import WORLD
from simulate.engine.odds_hand import GivenHand
from simulate.errors import RunError

if TYPE_CHECKING:
    from simulate.runs.play import Progress

_CHUNK = 64  # deals, where every world is kept
_BATCH = 4  # chunks between two looks
_CALL_SECONDS = 0.1
_MOST_ROOM = 1024

#: How much wider an interval of the sequence is at its tightest than one for a single look.
_WIDER = 1.55


class Sampler:
    """Plays worlds, in a thread for each of the given hands.

    Parameters
    ----------
    question : Question
    hands : list of GivenHand
        One for each thread, all of the same question.
    progress : callable, optional
        Given worlds done, in all, and 0.
    """

    def __init__(
        self,
        question: Question,
        hands: list[GivenHand],
        progress: Progress | None = None,
    ) -> None:
        self._question = question
        self._share = hands[0].share
        self._progress = progress
        self._hands = hands
        self._free: queue.SimpleQueue[GivenHand] = queue.SimpleQueue()
        for hand in hands:
            self._free.put(hand)

    def many(self, worlds: int) -> Odds:
        """Odds in about so many worlds: whole deals, and kept by chance where calls weigh them.

        Raises
        ------
        RunError
            When none was kept.
        """
        turns = self._question.rules.players - 1
        deals = math.ceil(worlds / (turns * self._share))
        chunk = min(self._chunk, math.ceil(deals / 16))
        best = None
        for sums in self._chunks(range(0, deals, chunk), chunk, deals):
            best = sums if best is None else best.merge(sums)
            self._tell(best.members, max(worlds, best.members))
        if best is None or not best.members:
            raise RunError("no world that fits the calls was kept: ask for more worlds")
        return Odds(self._question, best)

    def precise(self, precision: float) -> Odds:
        """Odds with every chance known to `precision` either way, at the first look where it is."""
        turns = self._question.rules.players - 1
        z = float(special.ndtri(0.975))
        tightest = (_WIDER * z / (2 * precision)) ** 2 / turns
        step = self._chunk
        best: ClusterSums | None = None
        start = 0
        while True:
            stop = start + _BATCH * step
            for sums in self._chunks(range(start, stop, step), step, stop):
                best = sums if best is None else best.merge(sums)
            start = stop
            if best is None or best.filled < 2:
                continue
            odds = Odds(self._question, best, tightest)
            wide = odds.widest
            if wide <= precision:
                self._tell(best.members, best.members)
                return odds
            self._tell(best.members, math.ceil(best.members * (wide / precision) ** 2))

    @property
    def _chunk(self) -> int:
        return math.ceil(_CHUNK / self._share)

    def _tell(self, done: int, total: int) -> None:
        if self._progress:
            self._progress(done, total, 0)

    def _chunks(self, starts: range, size: int, stop: int) -> Iterator[ClusterSums]:
        """Play chunks of deals; their sums, in their order."""
        with ThreadPoolExecutor(len(self._hands)) as pool:
            futures = [pool.submit(self._play, at, min(at + size, stop)) for at in starts]
            try:
                for future in futures:
                    while not future.done():  # so that Ctrl-C is heard
                        wait([future], timeout=0.2)
                    yield future.result()
            except BaseException:
                for future in futures:
                    future.cancel()
                for hand in self._hands:
                    hand.stop()
                raise

    def _play(self, first: int, stop: int) -> ClusterSums:
        """Play a chunk of deals, with as much room at a time as a moment's work needs."""
        hand = self._free.get()
        try:
            room = np.zeros(3, WORLD)
            pieces = []
            deal_id = first
            while deal_id < stop:
                began = time.monotonic()
                deal_id, done = hand.play(room, deal_id, stop)
                pieces.append(room[:done].copy())
                if time.monotonic() - began < _CALL_SECONDS / 2 and len(room) < _MOST_ROOM:
                    room = np.zeros(4 * len(room), WORLD)
        finally:
            self._free.put(hand)
        worlds = np.concatenate(pieces)
        values = values_of(worlds, self._question)
        return ClusterSums.of(stop - first, worlds["deal_id"], worlds["weight"], values)
