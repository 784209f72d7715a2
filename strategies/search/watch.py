"""Looking on while a player weighs its cards: what it gave each of them.

Players that play positions on in thought leave what each card gained in the engine's scratch
(:mod:`strategies.search.playouts`). A callback stands in for such a player: it calls the player's
own machine code and reads the scratch afterwards, so that nothing is played otherwise.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simulate.cards import SEATS, card_text
from simulate.compiled.callbacks import CALLBACK
from simulate.engine.entrant import Entrant
from simulate.engine.scratch import WORK
from simulate.game.records import VIEW
from strategies.search.playouts import PLAYOUTS


def watch(entrants: Sequence[Entrant], notes: list[dict[str, Any]]) -> list[Entrant]:
    """Make entrants that play as these do, and note what their players weigh.

    Parameters
    ----------
    entrants : sequence of Entrant
    notes : list of dict
        Gets a note for each decision: `trick` (from 0), `seat`, `card`, `worlds`, and
        `candidates`, a list of `card`, `gain` (mean points of margin above the plain card, that
        which the fast player would play) and `standard_error`.

    Returns
    -------
    list of Entrant
    """
    return [_watched(entrant, notes) for entrant in entrants]


def _watched(entrant: Entrant, notes: list[dict[str, Any]]) -> Entrant:
    own = CALLBACK(entrant.play)

    def look_on(answer: int, error: int, view: int, work: int) -> int:
        scratch = _record(PLAYOUTS, int(_record(WORK, work)["scratch"]))
        scratch["gains"] = math.nan
        status = own(answer, error, view, work)
        if status == 0 and not np.isnan(scratch["gains"]).all():
            seen = _record(VIEW, view)
            notes.append(_note(scratch, seen, ctypes.c_int64.from_address(answer).value))
        return int(status)

    callback = CALLBACK(look_on)
    address = int(ctypes.cast(callback, ctypes.c_void_p).value or 0)
    return replace(entrant, play=address, kernels=(*entrant.kernels, own, callback))


def _record(kind: np.dtype[Any], address: int) -> Any:
    memory: Any = (ctypes.c_char * kind.itemsize).from_address(address)
    return np.frombuffer(memory, kind)[0]


def _note(scratch: Any, view: Any, card: int) -> dict[str, Any]:
    worlds = int(scratch["worlds"])
    legal = int(view["legal"])
    candidates: list[dict[str, Any]] = []
    for each in range(64):
        if legal >> each & 1:
            gain = float(scratch["gains"][each]) / worlds
            spread = float(scratch["squares"][each]) / worlds - gain * gain
            error = math.sqrt(max(spread, 0.0) / worlds)
            candidates.append({"card": card_text(each), "gain": gain, "standard_error": error})
    candidates.sort(key=lambda each: -each["gain"])
    return {
        "trick": int(view["n_tricks"]),
        "seat": SEATS[int(view["seat"])],
        "card": card_text(card),
        "worlds": worlds,
        "candidates": candidates,
    }
