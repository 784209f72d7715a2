"""The memory of endings: it is started anew for the same cards in another contract."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from simulate.engine.scratch import make_work
from simulate.game.endgame import ENDING
from simulate.rules import load_rules
from tests.simulate.game.test_endgame import Ending, check, naive_record


@pytest.mark.parametrize("kitty", ["", "last-trick"])
def test_the_same_cards_in_another_contract(kitty: str) -> None:
    rules = load_rules("three-player", {"kitty": kitty}) if kitty else load_rules("classic")
    work = make_work(rules.numbers())[0]
    memory = np.zeros(1, ENDING)[0]
    values = set()
    for deal_id in range(3):
        record = naive_record(rules, deal_id)
        for level, denomination in ((1, "H"), (6, "H"), (1, "NT"), (6, "NT"), (1, "C")):
            other = deepcopy(record)
            other["contract"] |= {"level": level, "denomination": denomination}
            ending = Ending(other, 2, 0, memory)
            check(ending, work)
            values.add(ending.solved(work)[1])
    assert len(values) > 3
