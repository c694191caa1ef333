"""Calibration of a distinct counter that releases several times.

The bits have a symmetric pair, ``p1 = 1 - p0``, and lose ``s`` alone. The noise of each release falls by the factor
``exp(-eta/R)``, where eta is the rate for one release. The joint loss of one state and of R releases is then the
promised one (distinct.releases). The search is over ``s``, for the levels of a counter with one release.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from pan_estimators.density.calibration import Calibration, calibrate_noise, checked_epsilon
from pan_estimators.density.cell_loss import MOST_RELEASES, log_of, worst_ratio
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct_geometry import Geometry
from pan_estimators.density.distinct_likelihood import LevelLaw, law_of
from pan_estimators.density.distinct_planning import CounterPlan, plan_counter
from pan_promises.errors import InputError, require_count

_MARGIN = 2.0**-44
_LARGEST_EPSILON = 10.0
"""A larger budget is not used up, as for one release."""


def calibrate_releases(epsilon: float, p_init: float, releases: int) -> Calibration:
    """The least noise for one intrusion and several releases of cells with the pair ``p_init, 1 - p_init``."""
    total = 2 * checked_epsilon(epsilon)
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if not 0 < p_init < 0.5:
        raise InputError(f"for several releases p_init is below 1/2 and p_upd is 1 - p_init, got p_init = {p_init!r}")
    noise = _noise(total, p_init, releases)
    cells = BernoulliCells(p_init, 1 - p_init)
    pair = (Fraction(cells.p_init), Fraction(cells.p_upd))
    ratio = worst_ratio([pair], up=Fraction(noise), down=Fraction(noise), releases=releases)
    if ratio > Fraction(math.exp(total)) * (1 - Fraction(4 + math.ceil(total), 2**52)):
        raise InputError(f"no noise with a loss of {total!r} was found for this pair; choose another one")
    return Calibration((cells,), 0.0, noise, noise, log_of(ratio))


def calibrate_pair_for(epsilon: float, cells: BernoulliCells, releases: int) -> Calibration:
    """The least noise of given cells for one intrusion and a number of releases."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if releases == 1:
        return calibrate_noise(epsilon, cells)
    if cells.p_upd != 1 - cells.p_init:
        raise InputError(f"for several releases p_upd is 1 - p_init, got {cells.p_init!r} and {cells.p_upd!r}")
    return calibrate_releases(epsilon, cells.p_init, releases)


def require_calibrated(calibration: Calibration, total: float, releases: int) -> None:
    """Refuse a number of releases for which a calibration was not made."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    if releases == 1:
        return
    (cells,) = calibration.pairs
    if cells.p_upd != 1 - cells.p_init or calibration.up != calibration.down:
        raise InputError("for several releases the pair and the noise are symmetric, and this calibration is not")
    loss = calibration.loss_of(deletions=False, releases=releases)
    if loss > total:
        raise InputError(f"with {releases} releases this calibration loses {loss:.6g}, and the promise is {total:.6g}")


def _noise(total: float, p_init: float, releases: int) -> float:
    alone = math.log1p(-p_init) - math.log(p_init)
    if alone >= total:
        raise InputError(
            f"the state alone loses {alone:.6g}, and the promise is {total:.6g}: choose closer probabilities"
        )
    # The rate for one release, without cancellation where the state loses nearly everything.
    rate = math.log1p(math.expm1(total - alone) * (1 + math.exp(-alone)))
    return min(math.exp(-rate / releases) * (1 + _MARGIN), math.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class ReleasesCost:
    """The price of several releases.

    Attributes
    ----------
    releases
        The number of releases R.
    worst_error
        The greatest relative standard error of each release on the range.
    factor
        The same over that of a counter with one release.
    """

    releases: int
    worst_error: float
    factor: float


def plan_releases(size: int, epsilon: float, bits: int, least: float, most: float, releases: int) -> CounterPlan:
    """The counter with several releases and a small greatest error on a range, with the levels of one release."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    plan = plan_counter(size, epsilon, bits, least, most)
    if releases == 1:
        return plan
    return plan_releases_of(plan.geometry, epsilon, least, min(most, size), releases)


def plan_releases_of(geometry: Geometry, epsilon: float, least: float, most: float, releases: int) -> CounterPlan:
    """The symmetric pair and the noise of a counter with given levels and several releases. It needs no scipy."""
    require_count("the number of releases", releases, most=MOST_RELEASES)
    epsilon = min(checked_epsilon(epsilon), _LARGEST_EPSILON)
    return _planned(geometry, float(epsilon), float(least), float(most), int(releases))


@lru_cache(maxsize=64)
def _planned(geometry: Geometry, epsilon: float, least: float, most: float, releases: int) -> CounterPlan:
    users = np.geomspace(least, most, 64)

    def chance(share: float) -> float:
        return max(round(2**40 / (1 + math.exp(2 * epsilon * share))), 1) / 2**40

    def error(share: float) -> float:
        p_init = chance(share)
        noise = _noise(2 * epsilon, p_init, releases)
        law = LevelLaw(geometry, p_init, 1 - p_init, noise, noise)
        return math.sqrt(float(law.relative_variance(users).max()))

    low, high, best = 0.05, 0.999, 0.9
    for _ in range(4):
        best = min((best, *np.linspace(low, high, 13).tolist()), key=error)
        reach = (high - low) / 12
        low, high = max(0.05, best - reach), min(0.999, best + reach)
    # Fractions are slow: only the loss of the final pair is computed in them.
    calibration = calibrate_releases(epsilon, chance(best), releases)
    return CounterPlan(geometry, calibration, law_of(geometry, calibration).worst_error(least, most))


def costs_of_releases(
    size: int, epsilon: float, bits: int, least: float, most: float, numbers: tuple[int, ...] = (1, 2, 4, 8)
) -> list[ReleasesCost]:
    """The price of several numbers of releases, before anything is counted.

    Parameters
    ----------
    size, epsilon, bits, least, most
        As for :func:`plan_releases`.
    numbers
        The numbers of releases.
    """
    one = plan_releases(size, epsilon, bits, least, most, 1).worst_error
    plans = [(number, plan_releases(size, epsilon, bits, least, most, number).worst_error) for number in numbers]
    return [ReleasesCost(number, error, error / one) for number, error in plans]
