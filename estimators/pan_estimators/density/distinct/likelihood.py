"""The distribution of the noisy level counts of a distinct counter, and the estimate of the number of users.

A cell of a level with rate r is untouched with probability ``(1-r)^n`` if n users have appeared. The count of ones of a
level with W cells and the pair ``p0, p1`` has the mean ``W (p1 - (p1-p0) (1-r)^n)``. The counts of Poisson many users
are independent, with the variance ``W q (1-q)`` of W independent bits with mean q. For exactly n users the covariance
is smaller by ``n u u'``, where ``n u`` is the derivative of the means in ``log n`` (thinning of n users against Poisson
many). The noise adds its variance. For Gaussian counts with these moments the Fisher information on ``log n`` is
``I/(1 - I/n)``, with I that of independent counts: the relative variance is smaller by ``1/n``.

The error of the estimate is no multiple of this deviation where the means bend within an error: a last level that is
nearly full lets the estimate be many times too large. It exceeds x about when the derivative of the likelihood at x is
positive, which is a sum of many bits: a normal probability for each x, and no assumption on the form of the means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.calibration import Calibration, noise_mean, noise_variance
from pan_estimators.density.distinct.geometry import Geometry
from pan_estimators.numerics import chi_squared_tail
from pan_promises.errors import InputError, require_probability

Numbers = NDArray[np.float64]

_GRID = 64
"""Points of the first search in each decade."""
_MOST_USERS = 2.0**63
"""Largest number of users that an estimate considers."""
_RANGE_POINTS = 33
_ERROR_POINTS = 257
"""Points at which the distribution of an estimate is computed."""
RAREST = 1e-5
"""Upper tail of the estimates that a standard error leaves out: one release of 100,000 would decide it alone."""
LEAST_FIT = 1e-4
"""An estimate is not reliable if the counts fit less well than this p-value."""
LARGEST_RELATIVE_ERROR = 1.0
"""An estimate is not reliable if its standard error is a larger part of it: intervals then cover less than they say."""


@dataclass(frozen=True)
class DistinctEstimate:
    """An estimate of the number of distinct users from noisy level counts.

    Attributes
    ----------
    count
        The maximum likelihood estimate, in users.
    standard_error
        Its standard error, in users, from the curvature of the likelihood.
    level
        The confidence of the interval.
    low, high
        The ends of the interval, in users. The upper end is infinite if no number of users is too large.
    fit
        The p-value of the chi-squared test of fit: small if the counts of the levels contradict each other.
    reliable
        Whether the fit is no reason for doubt, the upper end is finite, and the standard error is at most the
        estimate.
    """

    count: float
    standard_error: float
    level: float
    low: float
    high: float
    fit: float
    reliable: bool


@dataclass(frozen=True)
class LevelDistribution:
    """The first two moments of the noisy level counts, as functions of the number of users."""

    geometry: Geometry
    p_init: float
    p_upd: float
    up: float
    down: float

    @property
    def gap(self) -> float:
        """The difference of the two probabilities."""
        return self.p_upd - self.p_init

    @cached_property
    def noise(self) -> float:
        """The variance of the noise of a level."""
        return float(noise_variance(self.up, self.down))

    @cached_property
    def shift(self) -> float:
        """The mean of the noise of a level."""
        return float(noise_mean(self.up, self.down))

    def untouched(self, users: Numbers) -> Numbers:
        """The probability that a cell of each level is untouched: shape ``(users, levels)``."""
        rates = np.minimum(self.geometry.rates, 1 - 2.0**-53)
        return np.asarray(np.exp(np.multiply.outer(users, np.log1p(-rates))))

    def means(self, users: Numbers) -> Numbers:
        """The means of the noisy counts: shape ``(users, levels)``."""
        ones = self.geometry.widths * (self.p_upd - self.gap * self.untouched(users))
        return np.asarray(ones + self.shift)

    def variances(self, users: Numbers) -> Numbers:
        """The variances of the noisy counts of Poisson many users: shape ``(users, levels)``."""
        ones = self.p_upd - self.gap * self.untouched(users)
        return np.asarray(self.geometry.widths * ones * (1 - ones) + self.noise)

    def slopes(self, users: Numbers) -> Numbers:
        """The derivatives of the means in ``log n``: shape ``(users, levels)``."""
        shares = np.multiply.outer(users, self.geometry.rates)
        return np.asarray(self.geometry.widths * self.gap * shares * self.untouched(users))

    def relative_variance(self, users: Numbers) -> Numbers:
        """The least variance of an unbiased estimate of ``log n`` from the counts, for exactly n users."""
        information = (self.slopes(users) ** 2 / self.variances(users)).sum(axis=1)
        return np.asarray(np.maximum(1 / np.maximum(information, 1e-300) - 1 / users, 1e-12))

    def relative_error(self, users: Numbers) -> Numbers:
        """The root mean squared error of the maximum likelihood estimate as a part of n, for exactly n users.

        It agrees with the square root of the relative variance where that is small. The largest estimates, of
        probability 1/100,000 together, are left out.
        """
        users, grid = np.asarray(users)[:, None], self._grid()
        spread = np.minimum(np.sqrt(self.relative_variance(users[:, 0])), 1)[:, None]
        low, high = (
            np.arcsinh(np.maximum(np.abs(np.log(end / users)), 1) / spread) for end in (grid[0] / 2, grid[-1] * 2)
        )
        # Dense near the truth, and out to every possible estimate.
        steps = np.linspace(-1, 1, _ERROR_POINTS)
        logs = spread * np.sinh(steps * np.where(steps < 0, low, high))
        at = users * np.exp(logs)
        means, variances, slopes = (
            of(at.ravel()).reshape(*at.shape, -1) for of in (self.means, self.variances, self.slopes)
        )
        weights = slopes / variances
        weights /= np.maximum(weights.max(axis=2, keepdims=True), 1e-300)
        score = (weights * (self.means(users[:, 0])[:, None] - means)).sum(axis=2)
        variance = (weights**2 * self.variances(users[:, 0])[:, None]).sum(axis=2)
        variance -= (weights * self.slopes(users[:, 0])[:, None]).sum(axis=2) ** 2 / users
        above = _normal(score / np.sqrt(np.maximum(variance, 1e-12)))
        above[:, 0] = 1
        above = np.minimum.accumulate(above, axis=1)
        above[above < RAREST] = 0
        errors = np.expm1(logs)
        # The mean square in each step, for estimates spread evenly over it.
        squares = (errors[:, 1:] ** 2 + errors[:, 1:] * errors[:, :-1] + errors[:, :-1] ** 2) / 3
        mean = (-np.diff(above, axis=1) * squares).sum(axis=1) + above[:, -1] * errors[:, -1] ** 2
        return np.asarray(np.sqrt(mean))

    def worst_error(self, least: float, most: float) -> float:
        """The greatest relative error on a range of numbers of users."""
        return float(self.relative_error(np.geomspace(least, most, _RANGE_POINTS)).max())

    def deviance(self, counts: Numbers, users: Numbers) -> Numbers:
        """Minus twice the logarithm of the likelihood of exactly n users, up to a constant: shape ``(users,)``."""
        residuals = counts - self.means(users)
        variances, slopes = self.variances(users), self.slopes(users)
        # The covariance is D - s s'/n; its inverse and determinant follow from those of the diagonal D.
        weighted = slopes / variances
        rest = np.maximum(1 - (slopes * weighted).sum(axis=1) / users, 1e-12)
        squares = (residuals**2 / variances).sum(axis=1) + (residuals * weighted).sum(axis=1) ** 2 / (users * rest)
        return np.asarray(squares + np.log(variances).sum(axis=1) + np.log(rest))

    def squares(self, counts: Numbers, users: float) -> float:
        """The squared distance of the counts from their means, in units of their covariance."""
        at = np.array([users])
        residuals, variances, slopes = counts - self.means(at)[0], self.variances(at)[0], self.slopes(at)[0]
        weighted = slopes / variances
        rest = max(1 - float(slopes @ weighted) / users, 1e-12)
        return float((residuals**2 / variances).sum() + (residuals @ weighted) ** 2 / (users * rest))

    def estimate(self, counts: Any, *, level: float = 0.95) -> DistinctEstimate:
        """The maximum likelihood estimate of the number of users, with its interval and the fit.

        The interval holds the numbers of users whose likelihood is not too small (Wilks).
        """
        require_probability("the confidence level", level)
        counts = finite_counts(counts, self.geometry.widths.shape, "one finite count")
        grid = self._grid()
        deviances = self.deviance(counts, grid)
        best, least = self._refined(counts, grid, deviances)
        far = least + NormalDist().inv_cdf((1 + level) / 2) ** 2
        inside = np.flatnonzero(deviances <= far)
        first, last = (int(inside[0]), int(inside[-1])) if inside.size else (None, None)
        if best < 2 * grid[0]:
            best = 0.0
        start, end = best if first is None else grid[first], best if last is None else grid[last]
        low = 0.0 if first == 0 else self._crossing(counts, start, False, far)
        high = math.inf if last == grid.size - 1 else self._crossing(counts, end, True, far)
        degrees = counts.size - 1
        at = max(best, grid[0])
        fit = chi_squared_tail(self.squares(counts, at), degrees) if degrees else 1.0
        error = at * math.sqrt(float(self.relative_variance(np.array([at]))[0]))
        reliable = fit >= LEAST_FIT and math.isfinite(high) and error <= LARGEST_RELATIVE_ERROR * best
        return DistinctEstimate(best, float(error), level, low, high, fit, bool(reliable))

    def _grid(self) -> Numbers:
        """Numbers of users from one that touches hardly a cell to one that leaves hardly a cell untouched."""
        touched = self.geometry.rates * self.geometry.widths
        low = 1e-3 / max(float(touched.max()), 1e-300)
        high = min(_MOST_USERS, 1e3 / float(self.geometry.rates.min()))
        points = math.ceil(_GRID * math.log10(high / low))
        return np.asarray(np.geomspace(low, high, points))

    def _refined(self, counts: Numbers, grid: Numbers, deviances: Numbers) -> tuple[float, float]:
        """The number of users with the least deviance, and the deviance."""
        place = int(np.argmin(deviances))
        low, high = grid[max(0, place - 1)], grid[min(grid.size - 1, place + 1)]
        for _ in range(6):
            near = np.geomspace(low, high, 17)
            found = self.deviance(counts, near)
            place = int(np.argmin(found))
            low, high = near[max(0, place - 1)], near[min(16, place + 1)]
        return float(near[place]), float(found[place])

    def _crossing(self, counts: Numbers, inside: float, upwards: bool, far: float) -> float:
        """The end of the interval beyond a number of users that it holds: where the deviance first exceeds ``far``."""
        step = 10 ** (1 / _GRID)
        low, high = (inside, inside * step) if upwards else (inside, inside / step)
        for _ in range(30):
            middle = math.sqrt(low * high)
            if float(self.deviance(counts, np.array([middle]))[0]) <= far:
                low = middle
            else:
                high = middle
        return high


def distribution_of(geometry: Geometry, calibration: Calibration) -> LevelDistribution:
    """The distribution of the counts of a counter."""
    cells = calibration.pairs[0]
    return LevelDistribution(geometry, cells.p_init, cells.p_upd, calibration.up, calibration.down)


def _normal(values: Numbers) -> Numbers:
    """The probability that a standard normal variable is below each value."""
    return np.asarray(0.5 + 0.5 * np.vectorize(math.erf, otypes=[np.float64])(values / math.sqrt(2)))


def finite_counts(counts: Any, shape: tuple[int, ...], each: str) -> Numbers:
    """The counts as numbers; :class:`InputError` if they are not finite numbers of the shape."""
    try:
        found = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != shape or not np.isfinite(found).all():
        raise InputError(f"there must be {each} for each of {shape[0]} levels")
    return found
