"""Quantities in sentences about experiments: errors, probabilities, distributions, with bounds from runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log, log1p, nan, prod, sqrt
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from experiments.toolkit.runs import Configuration, Runs
from pan_audits.statistics import proportion_lower, proportion_upper
from pan_estimators.common.accuracy_statement import Estimand

Floats = NDArray[np.float64]

_WIDEST = 300.0
"""The bounds are searched within this number of powers of e of the mean."""


def mean_square_bounds(averages: Floats, *, group: int, flatness: float, error: float) -> tuple[float, float]:
    """A lower and an upper bound of the mean, each of which fails with probability at most ``error``."""
    if averages.size == 0 or not np.isfinite(averages).all() or averages.min() < 0:
        raise ValueError("the averages must be finite nonnegative numbers, and there must be some")
    if not (group >= 1 and flatness > 1 and 0 < error < 1):
        raise ValueError(f"group {group}, flatness {flatness} and error {error} must be >= 1, > 1 and in (0, 1)")
    mean = float(averages.mean())
    if mean == 0.0:
        return 0.0, inf
    spread, needed, count = (flatness - 1) / group, -log(error), averages.size
    rate = sqrt(2 * needed / (count * spread))
    limit = count * log1p(rate * rate * spread / 2) + needed
    return mean * _crossing(averages / mean, rate, limit), mean * _crossing(averages / mean, rate, -limit)


def groups(values: Floats, group: int) -> Floats:
    """Averages of consecutive groups. An incomplete group at the end is dropped."""
    whole = values.size // group
    return np.asarray(values[: whole * group].reshape(whole, group).mean(axis=1))


def _crossing(values: Floats, rate: float, level: float) -> float:
    """The c at which the sum of influences of ``values/c - 1`` falls to ``level``: 0 or infinity if it is beyond."""
    from scipy.optimize import brentq

    def excess(logarithm: float) -> float:
        return _influence(rate * (values * np.exp(-logarithm) - 1)) - level

    low, high = -0.5, 0.5
    while excess(low) < 0:
        low *= 2
        if low < -_WIDEST:
            return 0.0
    while excess(high) > 0:
        high *= 2
        if high > _WIDEST:
            return inf
    # Rounded outwards, by more than the tolerance of the root.
    root = float(brentq(excess, low, high, xtol=1e-10, rtol=1e-12))
    return float(np.exp(root - 1e-9 if level > 0 else root + 1e-9))


def _influence(values: Floats) -> float:
    size = np.abs(values)
    return float((np.sign(values) * np.log1p(size * (1 + size / 2))).sum())


RunsOf = Callable[[Configuration], Runs]


@dataclass(frozen=True)
class Interval:
    """Bounds of a quantity, and its estimate; all three are equal for a known number."""

    low: float
    estimate: float
    high: float

    @classmethod
    def of(cls, number: float) -> Interval:
        """A known number."""
        return cls(number, number, number)


class Quantity(Protocol):
    """A number that is a property of estimators on streams."""

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        """The configurations whose runs measure it."""
        ...

    def bounds(self, runs_of: RunsOf, error: float) -> Interval:
        """Bounds each of which fails with probability at most ``error``."""
        ...


@dataclass(frozen=True)
class MeanSquaredError:
    """The mean squared error about an estimand, over all random choices of the estimator."""

    configuration: Configuration
    target: Estimand

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        return (self.configuration,)

    def bounds(self, runs_of: RunsOf, error: float) -> Interval:
        runs = runs_of(self.configuration)
        averages, flatness = runs.squares[self.target], runs.flatness[self.target]
        low, high = mean_square_bounds(averages, group=runs.group, flatness=flatness, error=error)
        return Interval(low, float(averages.mean()), high)


@dataclass(frozen=True)
class ProbabilityOfError:
    """The probability that the output is at least alpha away from the first estimand, for alpha of the setting."""

    configuration: Configuration

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        return (self.configuration,)

    def bounds(self, runs_of: RunsOf, error: float) -> Interval:
        runs = runs_of(self.configuration)
        x, n = runs.exceeding, runs.count
        return Interval(
            proportion_lower(x, n, error=error) if x else 0.0,
            x / n,
            proportion_upper(x, n, error=error) if x < n else 1.0,
        )


@dataclass(frozen=True)
class DistanceOfDistributions:
    """The Kolmogorov distance of two outputs: the largest difference of their distribution functions.

    Each empirical distribution function is within ``sqrt(log(2/e)/(2n))`` of its distribution with probability at least
    ``1 - e`` (Dvoretzky, Kiefer and Wolfowitz 1956, with the constant of Massart 1990). With half the error for
    each sample, the distance of the two distributions differs from that of the samples by at most the sum of both.
    """

    first: Configuration
    second: Configuration

    @property
    def configurations(self) -> tuple[Configuration, ...]:
        return (self.first, self.second)

    def bounds(self, runs_of: RunsOf, error: float) -> Interval:
        one, other = (_sorted_outputs(runs_of(configuration)) for configuration in self.configurations)
        points = np.concatenate([one, other])
        below = (np.searchsorted(sample, points, side="right") / sample.size for sample in (one, other))
        distance = float(np.abs(np.subtract(*below)).max())
        slack = sum(sqrt(log(4 / error) / (2 * sample.size)) for sample in (one, other))
        return Interval(max(0.0, distance - slack), distance, min(1.0, distance + slack))


def _sorted_outputs(runs: Runs) -> NDArray[np.float64]:
    assert runs.outputs is not None, "the outputs of these runs were not kept"
    return np.sort(runs.outputs)


Part: TypeAlias = Quantity | float | Interval
"""The parts of a ratio: the quantities to measure, a known number, or one that is known between bounds."""


@dataclass(frozen=True)
class Ratio:
    """A product of quantities and known numbers over another such product."""

    over: tuple[Part, ...]
    under: tuple[Part, ...] = ()

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities that must be measured."""
        return tuple(part for part in (*self.over, *self.under) if not isinstance(part, (float, Interval)))

    def bounds(self, interval_of: Callable[[Quantity], Interval]) -> Interval:
        """Its bounds, from bounds of all measured quantities. The estimate is NaN if it is 0/0."""
        over, under = (self._joined([_known(one, interval_of) for one in part]) for part in (self.over, self.under))
        return Interval(
            over.low / under.high,
            over.estimate / under.estimate if under.estimate else inf if over.estimate else nan,
            over.high / under.low if under.low else inf,
        )

    def _joined(self, parts: Sequence[Interval]) -> Interval:
        """Bounds of one side."""
        return Interval(*(prod(getattr(one, end) for one in parts) for end in ("low", "estimate", "high")))


@dataclass(frozen=True)
class RatioOfSums(Ratio):
    """A sum of quantities and known numbers over another such sum."""

    def _joined(self, parts: Sequence[Interval]) -> Interval:
        return Interval(*(sum(getattr(one, end) for one in parts) for end in ("low", "estimate", "high")))


def _known(part: Part, interval_of: Callable[[Quantity], Interval]) -> Interval:
    if isinstance(part, float):
        return Interval.of(part)
    return part if isinstance(part, Interval) else interval_of(part)
