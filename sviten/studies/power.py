"""How many pairs a comparison will take, from a pilot that is thrown away."""

from __future__ import annotations

import math
import tempfile
import time
from typing import Any, SupportsIndex

from analysis.compare.interim import BATCH
from analysis.compare.margins import Margins, join_pairs, kind_of, no_margins, run_pairs
from analysis.compare.needed import Needed, doubt_of
from analysis.compare.sprt import Bounds
from simulate.runs.plan import plan_run
from simulate.runs.play import Execution, simulate_run
from simulate.store.make import make_settings
from strategies.declare.spec import load_entrant
from sviten.api import choices
from sviten.api.choices import RulesLike, seat_two
from sviten.api.runs import default_jobs
from sviten.defaults import ALPHA, BETA
from sviten.display.failures import UsageError

#: Pairs of the pilot: as many as take so many seconds, within bounds.
_SECONDS = 5.0
_MOST = 32 * BATCH


def power(
    first: str,
    second: str,
    effect: float,
    *,
    matches: bool = False,
    alpha: float = ALPHA,
    beta: float = BETA,
    rules: RulesLike = "classic",
    seed: SupportsIndex | None = None,
    jobs: int | None = None,
) -> Needed:
    """Tell how many pairs it takes to see a margin between two entrants.

    Parameters
    ----------
    first, second : str
        Entrants, written ``bidder/player``.
    effect : float
        Margin a hand; of matches, share won less share lost.
    matches : bool
        Of whole matches.
    alpha, beta : float
        How often it may be seen where there is none, and missed where it is there.
    rules, seed, jobs
        As for :func:`sviten.compare`.

    Returns
    -------
    Needed

    Raises
    ------
    SvitenError
        One line that says what was wrong and what would be right.
    """
    try:
        Bounds(0.0, effect, alpha, beta)
    except ValueError as error:
        real = 0 < effect < math.inf
        text = str(error) if real else f"power {effect:g}: it must be a margin above 0"
        raise UsageError(text) from None
    chosen = choices.rules(rules)
    count: dict[str, Any] = {"matches" if matches else "deals": BATCH}
    settings = make_settings(
        chosen, seat_two(first, second, chosen), load_entrant, seed=seed, duplicate=True, **count
    )
    jobs = default_jobs() if jobs is None else jobs
    rate = BATCH / plan_run(settings, load_entrant).seconds
    batches = int(min(_MOST, rate * jobs * _SECONDS) / BATCH)
    settings = settings.with_count(BATCH * max(1, batches))
    with tempfile.TemporaryDirectory(prefix="sviten-pilot-") as folder:
        began = time.perf_counter()
        run = simulate_run(folder, settings, load_entrant, execution=Execution(jobs))
        seconds = time.perf_counter() - began
        pairs = join_pairs(run_pairs(run))
    none = no_margins(settings)
    return Needed(
        first=settings.entrants["N"].text,
        second=settings.entrants["E"].text,
        kind=kind_of(settings),
        effect=effect,
        alpha=alpha,
        beta=beta,
        pilot=Margins.of(pairs, none.legs, none.opponents),
        doubt=doubt_of(pairs),
        pace=seconds / len(pairs.ids),
    )
