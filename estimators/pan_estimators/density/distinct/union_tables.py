"""The table of two distinct counters: its noise, its loss, its distribution, and the estimate of their union.

A cell of rate f is untouched in a counter of n users with probability ``z = (1-f)^n``. With ``a`` and ``b`` for the two
counters, and ``z`` for the union of their users, both bits are one with probability ``(p1 - g a)(p1 - g b) + g^2 (z -
a b)``, where ``g = p1 - p0`` (distinct.union). The four counts of a level are multinomial for Poisson many users, with
noise of the sum zero. The number of cells gives the first count from the three others, which have this
distribution.

A user has one pair of bits, one in each counter. Of the noise only a factor ``rho`` matters at each of the four counts
of the table: that by which the distribution of the noise changes if the user is counted there. A ratio of two
likelihoods is monotone in each of them, so that it is largest where each is ``r`` or ``1/r``. The loss is therefore
the largest of finitely many ratios (distinct.union), which are computed in fractions.

The four counts of a level have a known sum, the number of its cells. Noise with another sum would be wasted. It has the
distribution ``P(x) ∝ ratio^(|x_1| + |x_2| + |x_3| + |x_4|)`` on the vectors of whole numbers with the sum zero. Its
likelihood ratios are those of four independent numbers, and its variance is about 0.7 of theirs in every direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.density.calibration import safe_ratio
from pan_estimators.density.cell_loss import log_of
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct.geometry import Geometry
from pan_estimators.density.distinct.likelihood import LEAST_FIT, LevelDistribution, finite_counts
from pan_estimators.numerics import chi_squared_tail
from pan_estimators.randomness.interface import Randomness
from pan_promises.errors import InputError, require_probability

_SLACK = Fraction(1, 2**44)
"""The ratio of the noise is raised by this fraction, which outweighs all rounding of doubles."""

VALUES = ((0, 0), (0, 1), (1, 0), (1, 1))
"""The values of a pair of bits, in the order of the columns of a table."""


def union_ratio(cells: BernoulliCells, ratio: Any, looks: int) -> Any:
    """The largest ratio of the likelihoods of what is seen, for two streams that differ in one user."""
    exact = isinstance(ratio, Fraction)
    pair = (Fraction(cells.p_init), Fraction(cells.p_upd)) if exact else (cells.p_init, cells.p_upd)
    ends = (ratio, 1 / ratio)
    largest = ratio
    for seen in product((0, 1), repeat=looks):
        # For each distribution of the bits in the end the largest and the least probability of what was seen.
        chances: dict[tuple[Any, Any], list[Any]] = {}
        for weight, distribution in _patterns(pair, seen):
            chances.setdefault(distribution, []).append(weight)
        distributions = [
            (*_table(*distribution), max(weights), min(weights)) for distribution, weights in chances.items()
        ]
        for corner in product(ends, repeat=4):
            sums = [
                sum(p * rho for p, rho in zip(distribution[:4], corner, strict=True)) for distribution in distributions
            ]
            above = max(one * distribution[4] for one, distribution in zip(sums, distributions, strict=True))
            below = min(one * distribution[5] for one, distribution in zip(sums, distributions, strict=True))
            largest = max(largest, above / below)
    return largest


def union_noise(cells: BernoulliCells, total: float, looks: int) -> float:
    """The least noise on each count of a table with a loss of at most a total."""
    return _union_noise(cells.p_init, cells.p_upd, float(total), looks)


@lru_cache(maxsize=256)
def _union_noise(p_init: float, p_upd: float, total: float, looks: int) -> float:
    cells, most = BernoulliCells(p_init, p_upd), math.exp(total)
    alone = union_ratio(cells, 1 - 2.0**-40, looks)
    if alone >= most:
        raise InputError(
            f"the states alone lose {math.log(alone):.6g} with {looks} intrusion{'s' * (looks > 1)}, and the promise "
            f"is {total:.6g}: choose cells with closer probabilities, or a larger promise"
        )
    low, high = 0.0, 1.0
    for _ in range(54):
        middle = (low + high) / 2
        low, high = (low, middle) if middle and union_ratio(cells, middle, looks) <= most else (middle, high)
    ratio = Fraction(high) * (1 + _SLACK)
    found = min(float(ratio), math.nextafter(1.0, 0.0))
    if union_ratio(cells, Fraction(found), looks) > safe_ratio(total):
        raise InputError(f"no noise with a loss of {total!r} was found for this pair; choose another total")
    return found


def union_loss(cells: BernoulliCells, ratio: float, looks: int) -> float:
    """The privacy loss of a table in nats, computed in fractions. The parameters are those of :func:`union_ratio`."""
    return log_of(union_ratio(cells, Fraction(ratio), looks))


def _patterns(pair: tuple[Any, Any], seen: tuple[int, ...]) -> list[tuple[Any, tuple[Any, Any]]]:
    """For each pattern of appearances the probability of what is seen, and those of a one in the end."""
    found = []
    for before_one, after_one, before_two, after_two in product((0, 1), repeat=4):
        weight, distribution = 1, []
        for place, (before, after) in enumerate(((before_one, after_one), (before_two, after_two))):
            chance = pair[before]
            if place < len(seen):
                weight = weight * (chance if seen[place] else 1 - chance)
                chance = seen[place]
            distribution.append(pair[1] if after else chance)
        found.append((weight, (distribution[0], distribution[1])))
    return found


def _table(one: Any, two: Any) -> tuple[Any, ...]:
    return tuple((one if first else 1 - one) * (two if second else 1 - two) for first, second in VALUES)


_COUNTS = 4


def zero_sum_noise(randomness: Randomness, ratio: float, size: int) -> NDArray[np.int64]:
    """Independent vectors of four numbers with the sum zero, shape ``(size, 4)``.

    Three two-sided geometric numbers give the fourth, ``x``. They are kept with a probability that is proportional to
    ``ratio^|x|``: if one more such number is at least ``|x|``.
    """
    found = np.empty((0, _COUNTS), dtype=np.int64)
    while len(found) < size:
        tries = 8 * (size - len(found)) + 8
        drawn = randomness.two_sided_geometric(ratio, ratio, _COUNTS * tries).reshape(tries, _COUNTS)
        free, limit = drawn[:, 1:], drawn[:, 0]
        last = -free.sum(axis=1)
        kept = limit >= np.abs(last)
        found = np.concatenate([found, np.column_stack([last, free])[kept]])
    return found[:size]


def zero_sum_variance(ratio: float) -> float:
    """The variance of one of the four numbers; the covariance of two of them is minus a third of it."""
    square = ratio**2
    rest = (1 - ratio) * (1 + ratio)
    return 6 * square * (square**2 + 5 * square + 1) / (rest**2 * (square**2 + 8 * square + 1))


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
class TableDistribution:
    """The first two moments of the noisy tables, as functions of the three numbers of users."""

    geometry: Geometry
    p_init: float
    p_upd: float
    ratio: float

    @property
    def noise(self) -> float:
        """The variance of the noise of a count. The covariance of two of them is minus a third of it."""
        return zero_sum_variance(self.ratio)

    def _distributions(self, users: Numbers) -> tuple[Numbers, Numbers]:
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
        distributions = np.stack([second - both, first - both, both], axis=-1)
        return distributions, np.stack([seconds - boths, firsts - boths, boths], axis=-2)

    def moments(self, users: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The moments of the last three counts of each level."""
        distributions, slopes = self._distributions(users)
        widths = self.geometry.widths
        noise = self.noise * (4 * np.eye(3) - 1) / 3
        of_cells = distributions[..., :, None] * np.eye(3) - distributions[..., :, None] * distributions[..., None, :]
        return widths[:, None] * distributions, widths[:, None, None] * slopes, widths[:, None, None] * of_cells + noise

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
        distribution = LevelDistribution(self.geometry, self.p_init, self.p_upd, ratio, ratio)
        alone = [max(distribution.estimate(tables[:, [place, 3]].sum(axis=1)).count, _LEAST_USERS) for place in (2, 1)]
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
