"""The phases of ``calibrated-adaptive``: the noise of each, and the budget that an element may spend in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
from numpy.typing import NDArray

from pan_estimators.continual.decaying_noise import factors
from pan_estimators.continual.mechanism import half_width, require_level
from pan_estimators.continual.right_factor import rounding
from pan_estimators.randomness.exact_draws import GRID_BITS as NOISE_BITS
from pan_promises.errors import InputError

GROWTH = 8
"""The factor by which the price of a change falls from phase to phase."""
BUDGET = 2**30
"""The whole budget in the units in which elements pay."""
_CHECKS = 512
"""The least number of checks in a long stream."""
_MOST_PHASES = 8
_FALSE_ALARM = 0.01
"""The probability that all phases together end without an element that is refused."""


@dataclass(frozen=True)
class Shares:
    """The division of the budget.

    Attributes
    ----------
    first
        The share that a pair of elements may spend in the first phase.
    recomputing
        The share of the computations after the last phase.
    alarm
        The price of a refusal, over that of a change.
    """

    first: float
    recomputing: float
    alarm: float


UNKNOWN = Shares(first=0.32, recomputing=0.2, alarm=0.5)
"""Without a hint: the first phase gets a third of the budget."""
HINTED = Shares(first=0.78, recomputing=0.08, alarm=0.125)
"""With a hint: most of the budget is for streams within it."""
_LEAST_FIRST = 0.6
"""With a hint, the first phase gets at least this share; else it is the only one."""


@dataclass(frozen=True)
class Phase:
    """The public numbers of a phase.

    Attributes
    ----------
    deviation, alarm_deviation
        The standard deviations of the noise of the released values, and of those of the refusals.
    price, alarm_price
        The units that an element pays for a change that is followed, and for its first change that is refused.
    limit
        The units that an element may have paid at the end of the phase.
    threshold
        The number of refusals that ends the phase.
    """

    deviation: float
    alarm_deviation: float
    price: int
    alarm_price: int
    limit: int
    threshold: float


@dataclass(frozen=True)
class Plan:
    """All that is fixed before the stream begins.

    Attributes
    ----------
    phases
        The phases in order, perhaps none.
    every
        The number of steps between two checks of the number of refusals.
    checks
        The number of checks.
    recomputing
        The budget of the computations after the last phase.
    """

    phases: tuple[Phase, ...]
    every: int
    checks: int
    recomputing: float

    @classmethod
    def of(cls, steps: int, rho: float, hint: int, period: int) -> Plan:
        """The plan for a number of steps and a budget."""
        shares, changes = (HINTED, hint) if hint else (UNKNOWN, 2)
        every = max(1, steps // _CHECKS)
        checks = max(1, steps // every)
        exact = _without_rounding(steps, checks, rho, shares, changes)
        count = _number_of_phases(steps, exact, shares, changes, period)
        if count == 0:
            return cls((), every, checks, exact)
        return cls(_phases(steps, checks, exact, shares, changes, count), every, checks, shares.recomputing * exact)


def period_of(steps: int, rho: float) -> int:
    """The number of steps between two computations by Theorem 3.10 of the source."""
    return min(steps, ceil(float((steps * log(max(2, steps)) / rho) ** (1 / 3))))


def _price(rho: float, shares: Shares, changes: int, count: int) -> float:
    """The loss that a change costs in the first phase, for a number of phases.

    Two vectors with w changes each lose at most ``2 w - 1`` prices, and two refusals the price of one. A second phase
    must allow what an element can spend in the first, with a change and a refusal.
    """
    last = 1 - shares.recomputing
    if count == 1:
        return last * rho / (2 * changes - 1 + shares.alarm)
    needed = 2 * changes + shares.alarm + (2 + shares.alarm) / GROWTH
    second = _share(1, count, shares.first, last)
    return min(shares.first / (2 * changes - 1 + shares.alarm), 0.9999 * second / needed) * rho


def _without_rounding(steps: int, checks: int, rho: float, shares: Shares, changes: int) -> float:
    """The budget that rounding leaves: the l2 distances over the deviations add up."""
    price = rho / (2 * changes - 1 + shares.alarm)
    added = 0.0
    for count, cost in ((steps, price), (checks, shares.alarm * price)):
        chosen = factors(count)
        added += sqrt(count) * (rounding(chosen) / sqrt(chosen.squared_column(count) / cost) + 2.0**-NOISE_BITS)
    added += sqrt(steps) * 2.0**-NOISE_BITS
    left = sqrt(2 * rho) - added
    if left < 0.9 * sqrt(2 * rho):
        raise InputError(f"rho must be larger for {steps} steps, because noise lies on a grid, got {rho!r}")
    return left * left / 2


def _number_of_phases(steps: int, rho: float, shares: Shares, changes: int, period: int) -> int:
    """The phases whose noise is at most that of recomputing."""
    chosen = factors(steps)
    price = _price(rho, shares, changes, 2)
    single = shares is HINTED and price * (2 * changes - 1 + shares.alarm) < _LEAST_FIRST * rho
    if single:
        price = _price(rho, shares, changes, 1)
    variance = chosen.squared_column(steps) * chosen.squared_row(steps) / price
    if variance > _recomputing_variance(steps, rho, period):
        return 0
    if single:
        return 1
    left, count = _recomputing_variance(steps, shares.recomputing * rho, period), 1
    while variance * GROWTH**count <= left and count < _MOST_PHASES:
        count += 1
    return count


def _recomputing_variance(steps: int, rho: float, period: int) -> float:
    return ceil(steps / (period or period_of(steps, rho))) / (2 * rho)


def _phases(steps: int, checks: int, rho: float, shares: Shares, changes: int, count: int) -> tuple[Phase, ...]:
    column, alarms = factors(steps).squared_column(steps), factors(checks)
    last = 1 - shares.recomputing
    first = _price(rho, shares, changes, count)
    found = []
    for number in range(count):
        price = first / GROWTH**number
        alarm_price = price * shares.alarm
        units, alarm_units = ceil(price / rho * BUDGET), ceil(alarm_price / 2 / rho * BUDGET)
        limit = int(_share(number, count, shares.first, last) * BUDGET / 2) if number else 0
        alarm_deviation = sqrt(alarms.squared_column(checks) / alarm_price)
        noise = alarm_deviation * sqrt(alarms.squared_row(checks))
        found.append(
            Phase(
                sqrt(column / price),
                alarm_deviation,
                units,
                alarm_units,
                limit or changes * units + alarm_units,
                half_width(noise, count * checks, 1 - 2 * _FALSE_ALARM),
            )
        )
    return tuple(found)


def _share(number: int, count: int, first: float, last: float) -> float:
    """The share of the budget that two elements may have spent at the end of a phase."""
    return first + (last - first) * number / (count - 1)


@dataclass(frozen=True)
class PhaseIntervals:
    """Half widths in standard deviations, for all outputs of all phases together.

    Let a be the error, ``1 - level``. The first phase has ``a/2``. The later phases, and the computations after the
    last one, have an equal part of the other half. The parts add up to a. Each part is divided equally among the
    outputs, so that all intervals hold together with the probability ``level``. The proof, for each output:

    - An output at step t carries the noise ``sum over s <= t of l_(t-s) sigma_s z_s`` for independent standard normal
      z. The past before s determines sigma_s. The stream may depend on earlier outputs as well.
    - While the first phase lasts all sigma are equal. Then the noise is the normal variable that it would be without
      an end of the phase. So the event "the first phase lasts, and this noise is larger than c" has at most the
      probability of a normal tail.
    - The sums over ``s <= u`` for ``u <= t`` are a Brownian motion at random times. The noise never falls from phase to
      phase, so that in phase j the last time is at most ``v = sigma_j**2 * sum of l_k**2 over k < t``. So the event
      "step t is in phase j, and the noise is larger than c" implies that the motion leaves ``[-c, c]`` before v. By
      reflection its probability is at most twice that of a normal tail of variance v.
    - The noise of a computation is drawn when its variance is known. It is normal for every past.

    Attributes
    ----------
    outputs
        The number of outputs.
    phases
        The number of phases; 0 if there are computations alone.
    level
        The probability that all intervals hold, in (0, 1).
    """

    outputs: int
    phases: int
    level: float

    def __post_init__(self) -> None:
        require_level(self.level)

    def of_phase(self, place: int) -> float:
        """The half width of an interval in a phase, over the largest standard deviation that it allows at the step."""
        if place == 0:
            return half_width(1.0, self.outputs, (1 + self.level) / 2)
        return half_width(1.0, 2 * self.outputs, self._later)

    def of_computations(self, computations: int) -> float:
        """The half width of an interval after the last phase, over the standard deviation."""
        return half_width(1.0, computations, self._later if self.phases else self.level)

    @property
    def _later(self) -> float:
        return 1 - (1 - self.level) / (2 * self.phases)


def parts_of(ended: Sequence[int], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of parts of a stream that have ended before each of some steps."""
    return np.searchsorted(np.asarray(ended, dtype=np.int64), times, side="left")
