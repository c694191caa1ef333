"""The power of an audit that refuted nothing."""

from __future__ import annotations

from math import exp, log1p, sqrt

import numpy as np

from pan_audits.statistics.betting import CAREFUL, best_fraction, growth


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

    Parameters
    ----------
    runs
        Pairs of runs that were bet on.
    log_threshold
        Log-wealth at which the promise is refuted, in nats.
    epsilon, delta
        The promise.
    mass
        Probability of the event on the stream where it is likelier.
    power
        Probability of refuting.
    least_fraction
        The smallest fraction of the wealth for a bet. A loss that needs a smaller one is not found.

    Returns
    -------
    A loss above ``epsilon`` in nats, or ``inf`` if no loss would have been caught.
    """
    from scipy.special import ndtri

    quantile = float(ndtri(power))

    def caught(loss: float) -> bool:
        p, q = mass, (mass - delta) * exp(-loss)
        likely, unlikely = np.array(p), np.array(q)
        fraction = CAREFUL * best_fraction(likely, unlikely, epsilon=epsilon, delta=delta)
        if fraction < least_fraction:
            return False
        mean = float(growth(likely, unlikely, fraction, epsilon=epsilon, delta=delta))
        odds = exp(epsilon)
        outcomes = (
            (p * (1 - q), 1 - delta),
            (p * q, 1 - odds - delta),
            ((1 - p) * q, -odds - delta),
            ((1 - p) * (1 - q), -delta),
        )
        square = sum(weight * log1p(float(fraction) * gain) ** 2 for weight, gain in outcomes if weight > 1e-15)
        deviation = sqrt(max(square - mean**2, 0.0))
        return bool(runs * mean - quantile * sqrt(runs) * deviation >= log_threshold)

    if mass <= delta or runs == 0 or not caught(epsilon + 40):
        return float("inf")
    low, high = epsilon, epsilon + 40
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if caught(middle) else (middle, high)
    return high
