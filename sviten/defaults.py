"""What is played where nobody says how much: for Python, for the commands, and for their help.

This module imports nothing, so that ``sviten --help`` may read it.
"""

from __future__ import annotations

#: Entrants of a run.
ENTRANT_NS, ENTRANT_EW = "tips/greedy", "random/random"

#: Deals of a run, of each pairing of a tournament, of each value of a sweep, of each run of
#: house rules.
RUN_DEALS = 100_000
PAIRING_DEALS = 10_000
SWEEP_DEALS = 20_000
HOUSE_DEALS = 20_000
#: Worlds of a hand's odds.
WORLDS = 2_000

#: Pairs after which a test gives up, and the margin of H1 above H0: half a point a hand; of
#: matches, won by 51 to 49.
MOST_PAIRS = {"deals": 2**20, "matches": 2**18}
MARGIN_H1 = {"deals": 0.5, "matches": 0.02}
#: Chances of a test to err either way.
ALPHA, BETA = 0.05, 0.05

#: Points a hand up to which an advantage counts as fair.
WITHIN = 2.0
