"""The law of the table of two distinct counters, and the estimate of their union and intersection.

A cell of rate f is untouched in a counter of n users with probability ``z = (1-f)^n``. With ``a`` and ``b`` for the two
counters, and ``z`` for the union of their users, both bits are one with probability ``(p1 - g a)(p1 - g b) + g^2 (z -
a b)``, where ``g = p1 - p0`` (distinct.union). The four counts of a level are multinomial for Poisson many users, with
noise of the sum zero. The number of cells gives the first count from the three others, which have this law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.distinct_geometry import Geometry
from pan_estimators.density.distinct_likelihood import LEAST_FIT, LevelLaw, finite_counts
from pan_estimators.density.distinct_union_noise import zero_sum_variance
from pan_estimators.numerics.chi_squared import chi_squared_tail
from pan_promises.errors import InputError, require_probability

Numbers = NDArray[np.float64]

_LEAST_USERS = 1e-2
_STEPS = 30


@dataclass(frozen=True)
class Size:
    """An estimated number of users.

    Attributes
    ----------
    count
        The estimate, in users.
    standard_error
        Its standard error, in users.
    low, high
        The ends of the interval, in users.
    """

    count: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True)
class UnionEstimate:
    """The numbers of users of two counters, of their union and of their intersection.

    Attributes
    ----------
    one, other
        The users of each counter.
    union
        The users of one of them, or of both.
    intersection
        The users of both.
    level
        The confidence of the intervals.
    fit
        The p-value of the chi-squared test of fit.
    reliable
        Whether the fit is no reason for doubt.
    """

    one: Size
    other: Size
    union: Size
    intersection: Size
    level: float
    fit: float
    reliable: bool


@dataclass(frozen=True)
class TableLaw:
    """The first two moments of the noisy tables, as functions of the three numbers of users."""

    geometry: Geometry
    p_init: float
    p_upd: float
    ratio: float

    @property
    def noise(self) -> float:
        """The variance of the noise of a count. The covariance of two of them is minus a third of it."""
        return zero_sum_variance(self.ratio)

    def _laws(self, users: Numbers) -> tuple[Numbers, Numbers]:
        """The probabilities of the values 01, 10 and 11, ``(..., levels, 3)``, and their slopes in each ``log n``."""
        gap = self.p_upd - self.p_init
        rates = np.log1p(-np.minimum(self.geometry.rates, 1 - 2.0**-53))
        exponents = rates[:, None] * users[..., None, :]
        untouched = np.exp(exponents)
        slopes = untouched * exponents
        one, other, neither = np.moveaxis(untouched, -1, 0)
        of_one, of_other, of_neither = np.moveaxis(slopes, -1, 0)
        first, second = self.p_upd - gap * one, self.p_upd - gap * other
        both = first * second + gap**2 * (neither - one * other)
        nothing = np.zeros_like(of_one)
        firsts = np.stack([-gap * of_one, nothing, nothing], axis=-1)
        seconds = np.stack([nothing, -gap * of_other, nothing], axis=-1)
        boths = np.stack(
            [
                -gap * of_one * second - gap**2 * of_one * other,
                -gap * of_other * first - gap**2 * of_other * one,
                gap**2 * of_neither,
            ],
            axis=-1,
        )
        laws = np.stack([second - both, first - both, both], axis=-1)
        return laws, np.stack([seconds - boths, firsts - boths, boths], axis=-2)

    def moments(self, users: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The moments of the last three counts of each level."""
        laws, slopes = self._laws(users)
        widths = self.geometry.widths
        noise = self.noise * (4 * np.eye(3) - 1) / 3
        of_cells = laws[..., :, None] * np.eye(3) - laws[..., :, None] * laws[..., None, :]
        return widths[:, None] * laws, widths[:, None, None] * slopes, widths[:, None, None] * of_cells + noise

    def information(self, users: Numbers) -> Numbers:
        """The information of the tables on the logarithms of the three numbers of users, shape ``(..., 3, 3)``."""
        _, slopes, covariances = self.moments(users)
        return np.asarray((np.swapaxes(slopes, -1, -2) @ np.linalg.solve(covariances, slopes)).sum(axis=-3))

    def relative_variances(self, users: Numbers) -> Numbers:
        """The least variances of unbiased estimates of the logarithms of the three numbers, shape ``(..., 3)``."""
        return np.asarray(np.diagonal(_inverse(self.information(users)), axis1=-2, axis2=-1))

    def errors(self, one: float, other: float, union: float) -> tuple[float, float]:
        """The standard errors of the union and of the intersection, in users."""
        covariance = _inverse(self.information(np.array([one, other, union], dtype=np.float64)))
        of_union, of_both = np.array([0, 0, union]), np.array([one, other, -union])
        return math.sqrt(of_union @ covariance @ of_union), math.sqrt(of_both @ covariance @ of_both)

    def deviance(self, tables: Numbers, users: Numbers) -> tuple[float, float]:
        """Minus twice the log-likelihood up to a constant, and the squared distance of the tables from their means."""
        means, _, covariances = self.moments(users)
        rest = tables[:, 1:] - means
        squares = float(np.einsum("li,lij,lj->", rest, np.linalg.inv(covariances), rest))
        return squares + float(np.linalg.slogdet(covariances)[1].sum()), squares

    def estimate(self, tables: Any, *, level: float = 0.95) -> UnionEstimate:
        """The maximum likelihood estimate of the numbers of users."""
        require_probability("the confidence level", level)
        tables = finite_counts(tables, (self.geometry.widths.size, 4), "four finite counts")
        if (tables.sum(axis=1) != self.geometry.widths).any():
            raise InputError("the four counts of a level must add up to the number of its cells")
        users = self._fitted(tables, self._start(tables))
        covariance = _inverse(self.information(users))
        reach = NormalDist().inv_cdf((1 + level) / 2)
        one, other, union = users
        directions = np.array([[one, 0, 0], [0, other, 0], [0, 0, union], [one, other, -union]])
        first, second, joined, shared = (
            _size(float(count), math.sqrt(max(float(direction @ covariance @ direction), 0.0)), reach)
            for count, direction in zip((one, other, union, one + other - union), directions, strict=True)
        )
        fit = chi_squared_tail(self.deviance(tables, users)[1], 3 * len(tables) - 3)
        return UnionEstimate(first, second, joined, shared, level, fit, fit >= LEAST_FIT)

    def _start(self, tables: Numbers) -> Numbers:
        """The users of each counter from its own ones, and of the union from the likelihood of a few numbers."""
        # Two counts have 4/3 of the variance of the noise; this ratio has it in one: 2 r / (1 - r)^2 = v.
        both = self.noise * 4 / 3
        ratio = (both + 1 - math.sqrt(2 * both + 1)) / both
        law = LevelLaw(self.geometry, self.p_init, self.p_upd, ratio, ratio)
        alone = [max(law.estimate(tables[:, [place, 3]].sum(axis=1)).count, _LEAST_USERS) for place in (2, 1)]
        unions = np.linspace(max(alone), sum(alone), 33)
        return min((np.array([*alone, one]) for one in unions), key=lambda users: self.deviance(tables, users)[0])

    def _fitted(self, tables: Numbers, users: Numbers) -> Numbers:
        """Fisher scoring, with shorter steps where the likelihood falls, within what three numbers can be."""
        least = self.deviance(tables, users)[0]
        for _ in range(_STEPS):
            means, slopes, covariances = self.moments(users)
            inverse = np.linalg.inv(covariances)
            score = np.einsum("lia,lij,lj->a", slopes, inverse, tables[:, 1:] - means)
            step = np.clip(_inverse(np.einsum("lia,lij,ljb->ab", slopes, inverse, slopes)) @ score, -1, 1)
            for shorter in (1.0, 0.5, 0.25, 0.1, 0.01):
                moved = _possible(users * np.exp(shorter * step))
                found = self.deviance(tables, moved)[0]
                if found < least:
                    break
            else:
                return users
            near = least - found < 1e-9
            users, least = moved, found
            if near:
                break
        return users


def _possible(users: Numbers) -> Numbers:
    """The union is at least as large as each, and at most their sum."""
    one, other = np.maximum(users[:2], _LEAST_USERS)
    return np.array([one, other, min(max(users[2], one, other), one + other)])


def _inverse(information: Numbers) -> Numbers:
    """The covariance; numbers of which nothing is known have a large variance."""
    return np.asarray(np.linalg.inv(information + 1e-9 * np.eye(3)))


def _size(count: float, error: float, reach: float) -> Size:
    return Size(max(count, 0.0), error, max(0.0, count - reach * error), count + reach * error)
