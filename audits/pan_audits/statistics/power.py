"""The power of an audit that refuted nothing."""

from __future__ import annotations

from math import exp, expm1, log, sqrt

import numpy as np

from pan_audits.statistics.betting import CAREFUL, best_stake, betting_factors


def detectable_loss(
    runs: int,
    *,
    log_threshold: float,
    epsilon: float,
    delta: float = 0.0,
    mass: float = 0.5,
    power: float = 0.95,
    least_fraction: float = 0.0,
) -> float:
    """The smallest loss that a bet on the right event would have refuted with the given power.

    The event has probability ``mass`` on the one stream and ``(mass - delta) exp(-loss)`` on the
    other. The log-wealth of the best constant bet after ``runs`` pairs of runs is a sum of
    independent terms; its lower quantile is taken from their mean and variance, which is accurate
    for a *statement about power* and decides no verdict.
    """
    from scipy.special import ndtri

    quantile = float(ndtri(power))

    def caught(loss: float) -> bool:
        likely, unlikely = np.array(mass), np.array((mass - delta) * exp(-loss))
        best = best_stake(likely, unlikely, epsilon=epsilon, delta=delta)
        if CAREFUL * best.fraction < least_fraction:
            return False
        careful = best._replace(fraction=CAREFUL * best.fraction)
        left, right = np.array([[False, False, True, True], [False, True, False, True]])
        gained = np.log(betting_factors(left, right, careful, epsilon=epsilon, delta=delta))
        weights = np.where(left, likely, 1 - likely) * np.where(right, unlikely, 1 - unlikely)
        mean = float(weights @ gained)
        deviation = sqrt(float(weights @ (gained - mean) ** 2))
        return runs * mean - quantile * sqrt(runs) * deviation >= log_threshold

    if mass <= delta or runs == 0 or not caught(epsilon + 40):
        return float("inf")
    low, high = epsilon, epsilon + 40
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if caught(middle) else (middle, high)
    return high


_SCALES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def detectable_rho(runs: int, *, error: float, rho: float, power: float = 0.95) -> float:
    """The smallest rho of two normal laws that a known score would have shown to be above ``rho``, with this power.

    The two laws have equal variances, so that their log-likelihood ratio is normal with the mean rho and the variance
    ``2 rho``. The score is a part of it. The lower bound is taken from its mean and variance, which is accurate for a
    *statement about power* and decides no verdict.
    """
    from scipy.special import ndtri

    deviations = sqrt(2 * -log(error)) + float(ndtri(power))

    def shown(true: float) -> float:
        return max(
            true * (2 * scale - scale**2)
            - deviations * sqrt((scale**2 * 2 * true + expm1(min(scale**2 * 2 * true, 700.0))) / runs)
            for scale in _SCALES
        )

    low, high = rho, 64 * rho + 64
    # The bound first grows with rho, and falls where the runs are too few for it.
    tried = np.geomspace(low, high, 256)
    found = next((place for place, true in enumerate(tried) if shown(float(true)) > rho), None)
    if found is None:
        return float("inf")
    low, high = float(tried[max(found - 1, 0)]), float(tried[found])
    while high - low > 1e-4 * rho:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) > rho else (middle, high)
    return high
