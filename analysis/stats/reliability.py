"""Whether stated chances are what they say: reliability by isotonic regression (CORP).

A chance is stated per mille, so two counts for each of 1,001 values, contracts and made contracts,
hold all that any number of rows can say.

Source: Dimitriadis, Gneiting and Jordan, "Stable reliability diagrams for probabilistic
classifiers", PNAS 118 (2021). The pool-adjacent-violators fit takes the place of bins, and splits a
proper score exactly into miscalibration - discrimination + uncertainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from analysis.stats.intervals import Clustered, Interval, rate_interval, rate_method

#: Chances are whole numbers per mille.
CELLS = 1001

#: Draws of the consistency band.
DRAWS = 500

#: Groups of the table, of about as many contracts each.
GROUPS = 10

_STATED = np.arange(CELLS) / 1000
_HALF_UNIT = 0.0005


class Parts(NamedTuple):
    """A mean score in parts: ``score = miscalibration - discrimination + uncertainty``."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


class Group(NamedTuple):
    """Contracts with neighbouring stated chances.

    Attributes
    ----------
    low, high : float
        Least and greatest chance stated.
    contracts, made : int
    stated : float
        Mean chance stated.
    interval : Interval
        Of the made rate.
    method : str
        Of the interval.
    """

    low: float
    high: float
    contracts: int
    made: int
    stated: float
    interval: Interval
    method: str


def isotonic(n: np.ndarray, made: np.ndarray) -> np.ndarray:
    """Made rate as a function that does not fall, by pooling adjacent violators.

    Parameters
    ----------
    n, made : arrays, shape (k,)
        Contracts and made contracts by rising stated chance; ``n > 0``.

    Returns
    -------
    float64 array, shape (k,)
    """
    fitted: np.ndarray = optimize.isotonic_regression(made / n, weights=n).x
    return fitted


def brier(p: np.ndarray, n: np.ndarray, made: np.ndarray) -> float:
    """Mean of (p - outcome) squared."""
    return float((made * (1 - p) ** 2 + (n - made) * p**2).sum() / n.sum())


def log_score(p: np.ndarray, n: np.ndarray, made: np.ndarray) -> float:
    """Mean of minus the natural logarithm of the chance given to what happened.

    Infinite where what was called impossible happened.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.where(made > 0, -made * np.log(p), 0.0)
        losses += np.where(n > made, -(n - made) * np.log1p(-p), 0.0)
    return float(losses.sum() / n.sum())


def decompose(score: Any, stated: np.ndarray, n: np.ndarray, made: np.ndarray) -> Parts:
    """Split a score.

    Parameters
    ----------
    score : callable
        :func:`brier` or :func:`log_score`.
    stated, n, made : arrays, shape (k,)
        By rising stated chance; ``n > 0``.
    """
    whole = score(stated, n, made)
    calibrated = score(isotonic(n, made), n, made)
    base = score(np.full(len(n), made.sum() / n.sum()), n, made)
    return Parts(whole, whole - calibrated, base - calibrated, base)


def draw_calibrated(
    stated: np.ndarray, n: np.ndarray, effect: float, draws: int = DRAWS
) -> tuple[np.ndarray, np.ndarray]:
    """Draw what a bidder would show that is perfectly calibrated.

    Each contract is made with its stated chance. Where the legs of a deal go together, deviations
    are widened by the root of the design effect.

    Parameters
    ----------
    stated, n : arrays, shape (k,)
    effect : float
    draws : int

    Returns
    -------
    fits : float64 array, shape (draws, k)
    miscalibration : float64 array, shape (draws,)
        Of the Brier score.
    """
    rng = np.random.default_rng(20210223)  # the same band for the same counts
    fits = np.empty((draws, len(n)))
    parts = np.empty(draws)
    for draw in range(draws):
        # Not cut off at 0 and n, which would take from the width where few contracts are stated.
        made = n * stated + np.sqrt(effect) * (rng.binomial(n, stated) - n * stated)
        fits[draw] = isotonic(n, made)
        parts[draw] = brier(stated, n, made) - brier(fits[draw], n, made)
    return np.clip(fits, 0.0, 1.0), parts


@dataclass(frozen=True)
class Reliability:
    """Stated chances of an entrant against what happened.

    Attributes
    ----------
    entrant : str
    stated, contracts, made : arrays, shape (k,)
        Chances that were stated, ascending, and the contracts they were stated for.
    fitted : float64 array, shape (k,)
        Chance that a stated one stands for.
    band : pair of float64 arrays, shape (k,)
        Where 95 % of the fits of a perfectly calibrated bidder lie, each for itself.
    brier, log : Parts
    brier_interval : Interval or None
        Of the mean Brier score.
    effect : float
        Design effect of the deviations.
    null : float
        Mean miscalibration (Brier) that a perfectly calibrated bidder shows by chance.
    p_value : float
        Share of perfectly calibrated bidders that show as much.
    bias : Clustered
        Sum of 1000 for each made contract less the per mille stated.
    held_out : tuple of float, or None
        Brier scores on deals that the recalibration was not fitted on: as stated, recalibrated.
    """

    entrant: str
    stated: np.ndarray
    contracts: np.ndarray
    made: np.ndarray
    fitted: np.ndarray
    band: tuple[np.ndarray, np.ndarray]
    brier: Parts
    log: Parts
    brier_interval: Interval | None
    effect: float
    null: float
    p_value: float
    bias: Clustered
    held_out: tuple[float, float] | None

    @property
    def error(self) -> float:
        """Root mean square of what stated chances are off by, the chance part taken off."""
        return float(np.sqrt(max(0.0, self.brier.miscalibration - self.null)))

    def recalibrate(self, chance: float) -> float:
        """Chance that a stated one stands for, by the fit on all deals."""
        return float(np.interp(chance, self.stated, self.fitted))

    def groups(self) -> list[Group]:
        """Contracts in up to ten groups of neighbouring chances."""
        ends = np.cumsum(self.contracts)
        group = np.minimum((ends - self.contracts) * GROUPS // ends[-1], GROUPS - 1)
        rows = []
        for number in np.unique(group):
            inside = group == number
            n, made = int(self.contracts[inside].sum()), int(self.made[inside].sum())
            stated = self.stated[inside]
            interval = rate_interval(made, n, self.effect)
            assert interval
            mean = float((stated * self.contracts[inside]).sum() / n)
            method = rate_method(made, n, self.effect)
            rows.append(Group(stated[0], stated[-1], n, made, mean, interval, method))
        return rows

    def sentence(self) -> str:
        """Say whether the stated chances can be believed."""
        n = int(self.contracts.sum())
        mean = float((self.stated * self.contracts).sum() / n)
        text = (
            f"{self.entrant} states {100 * mean:.1f} % on average and makes "
            f"{100 * self.made.sum() / n:.1f} % of {n:,} contracts"
        )
        if self.p_value > 0.05:
            return f"{text}: no miscalibration to be seen."
        interval = self.bias.mean_interval()
        way = ""
        if interval and (interval.low > 0 or interval.high < 0):
            way = ", too timid on the whole" if interval.low > 0 else ", too bold on the whole"
        return f"{text}; its chances are off by {100 * self.error:.1f} points (rms){way}."

    def as_dict(self) -> dict[str, Any]:
        """Facts as JSON takes them."""
        bias, interval = self.bias.rate, self.bias.mean_interval()
        return {
            "entrant": self.entrant,
            "contracts": int(self.contracts.sum()),
            "mean_stated": float((self.stated * self.contracts).sum() / self.contracts.sum()),
            "rate": float(self.made.sum() / self.contracts.sum()),
            "made_less_stated": None if bias is None else bias / 1000,
            "made_less_stated_interval": interval and [each / 1000 for each in interval],
            "brier": self.brier._asdict(),
            "brier_interval": self.brier_interval,
            "log": self.log._asdict(),
            "design_effect": self.effect,
            "miscalibration_by_chance": self.null,
            "p_value": self.p_value,
            "rms_error": self.error,
            "held_out": self.held_out
            and {"brier_stated": self.held_out[0], "brier_recalibrated": self.held_out[1]},
            "curve": [
                {"stated": s, "contracts": n, "made": m, "fitted": f, "band": [low, high]}
                for s, n, m, f, low, high in zip(
                    self.stated.tolist(),
                    self.contracts.tolist(),
                    self.made.tolist(),
                    self.fitted.tolist(),
                    self.band[0].tolist(),
                    self.band[1].tolist(),
                    strict=True,
                )
            ],
            "sentence": self.sentence(),
        }


def judge(
    entrant: str,
    contracts: np.ndarray,
    made: np.ndarray,
    bias: Clustered,
    squares: Clustered,
    draws: int = DRAWS,
) -> Reliability:
    """Judge stated chances.

    Parameters
    ----------
    entrant : str
    contracts, made : int64 arrays, shape (2, 1001)
        Counts by stated chance, of two halves of the deals.
    bias : Clustered
        Events are 1000 for a made contract, less the per mille stated.
    squares : Clustered
        Events are the squares of these.
    draws : int
        Of the consistency band.
    """
    there = contracts.sum(axis=0) > 0
    n, hits = contracts.sum(axis=0)[there], made.sum(axis=0)[there]
    stated = _STATED[there]
    # Over independent deals the deviations of a calibrated bidder have no covariance.
    effect = max(1.0, bias.events2 / squares.events) if squares.events else 1.0
    fits, nulls = draw_calibrated(stated, n, effect, draws)
    low, high = np.quantile(fits, [0.025, 0.975], axis=0)
    parts = decompose(brier, stated, n, hits)
    interval = squares.mean_interval()
    return Reliability(
        entrant=entrant,
        stated=stated,
        contracts=n,
        made=hits,
        fitted=isotonic(n, hits),
        band=(low, high),
        brier=parts,
        # Per mille 1000 says no more than 99.95 %: it is not held to certainty.
        log=decompose(log_score, np.clip(stated, _HALF_UNIT, 1 - _HALF_UNIT), n, hits),
        brier_interval=interval and Interval(interval.low / 1e6, interval.high / 1e6),
        effect=effect,
        null=float(nulls.mean()),
        p_value=float((1 + (nulls >= parts.miscalibration).sum()) / (1 + draws)),
        bias=bias,
        held_out=_held_out(contracts, made),
    )


def _held_out(contracts: np.ndarray, made: np.ndarray) -> tuple[float, float] | None:
    """Brier scores as stated, and recalibrated on the other half; None where a half is empty."""
    if not contracts.sum(axis=1).all():
        return None
    plain = mended = 0.0
    for half in (0, 1):
        fit = contracts[1 - half] > 0
        chances = isotonic(contracts[1 - half][fit], made[1 - half][fit])
        mapped = np.interp(_STATED, _STATED[fit], chances)
        n = contracts[half]
        plain += brier(_STATED, n, made[half]) * n.sum()
        mended += brier(mapped, n, made[half]) * n.sum()
    return plain / contracts.sum(), mended / contracts.sum()
