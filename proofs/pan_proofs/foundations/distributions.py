"""Distributions of single cells and of noise: every moment is a sum over outcomes or an integral over a density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import sympy as sp

_place = sp.Symbol("z", real=True)
_width = sp.Symbol("w", positive=True)
_ratio = sp.Symbol("a", positive=True)
_index = sp.Symbol("k", integer=True)


class Distribution(Protocol):
    """The distribution of a real random variable, of which the raw moments can be computed."""

    def moment(self, power: int) -> sp.Expr:
        """``E[X^power]``; the total mass for power 0."""
        ...


@dataclass(frozen=True)
class FiniteDistribution:
    """Finitely many outcomes.

    Attributes
    ----------
    outcomes
        Pairs of an outcome and its probability.
    """

    outcomes: tuple[tuple[sp.Expr, sp.Expr], ...]

    def moment(self, power: int) -> sp.Expr:
        return sp.Add(*(weight * sp.sympify(value) ** power for value, weight in self.outcomes))

    def transformed(self, kernel: Callable[[sp.Expr], FiniteDistribution]) -> FiniteDistribution:
        """The distribution after a random change: each outcome is replaced by a draw from its ``kernel``."""
        weights: dict[sp.Expr, sp.Expr] = {}
        for value, weight in self.outcomes:
            for changed, chance in kernel(value).outcomes:
                weights[changed] = weights.get(changed, sp.S.Zero) + weight * chance
        return FiniteDistribution(tuple(weights.items()))


def bernoulli(parameter: sp.Expr) -> FiniteDistribution:
    """The distribution of a bit that is 1 with probability ``parameter``."""
    return FiniteDistribution(((sp.S.One, parameter), (sp.S.Zero, 1 - parameter)))


@dataclass(frozen=True)
class LaplaceDistribution:
    """Density ``exp(-abs(z - centre)/scale)/(2 scale)``.

    Attributes
    ----------
    centre
        The centre of symmetry.
    scale
        The scale, a positive expression.
    """

    centre: sp.Expr
    scale: sp.Expr

    def moment(self, power: int) -> sp.Expr:
        return _laplace_moment(self.centre, power).subs(_width, self.scale)


@cache
def _laplace_moment(centre: sp.Expr, power: int) -> sp.Expr:
    """The moment for the scale ``w``."""
    power_of_value = sp.expand((centre + _place) ** power)
    left = sp.integrate(power_of_value * sp.exp(_place / _width) / (2 * _width), (_place, -sp.oo, 0))
    right = sp.integrate(power_of_value * sp.exp(-_place / _width) / (2 * _width), (_place, 0, sp.oo))
    return sp.expand(left + right)


@dataclass(frozen=True)
class TwoSidedGeometric:
    """Integers with probabilities proportional to ``up**k`` for ``k >= 0`` and to ``down**(-k)`` below.

    Attributes
    ----------
    up, down
        The two ratios, between 0 and 1.
    """

    up: sp.Expr
    down: sp.Expr

    def moment(self, power: int) -> sp.Expr:
        return self._total(power) / self._total(0)

    def _total(self, power: int) -> sp.Expr:
        at_zero = sp.Integer(0) ** power
        above, below = (power_series(power).subs(_ratio, ratio) for ratio in (self.up, self.down))
        return above + at_zero + sp.Integer(-1) ** power * below


@cache
def power_series(power: int) -> sp.Expr:
    """The sum of ``k^power a^k`` over ``k >= 1``, in the symbol ``a`` with ``0 < a < 1``."""
    found = sp.summation(_index**power * _ratio**_index, (_index, 1, sp.oo))
    closed, condition = found.args[0]
    if condition != (_ratio < 1):
        raise ArithmeticError(f"the series converges under another condition: {condition}")
    return closed


def power_series_tail(power: int, ratio: sp.Expr, start: sp.Expr) -> sp.Expr:
    """The sum of ``k^power ratio^k`` over ``k >= start``, by expanding ``(start + j)^power``."""
    terms = (
        sp.binomial(power, j) * start ** (power - j) * (power_series(j).subs(_ratio, ratio) + sp.Integer(0) ** j)
        for j in range(power + 1)
    )
    return ratio**start * sp.Add(*terms)


@dataclass(frozen=True)
class KnownMoments:
    """Any distribution of which the mean and the variance are known, and finite.

    Attributes
    ----------
    mean, variance
        The two.
    """

    mean: sp.Expr
    variance: sp.Expr

    def moment(self, power: int) -> sp.Expr:
        if power > 2:
            raise ValueError(f"the moment of order {power} is not known")
        return (sp.S.One, self.mean, self.variance + self.mean**2)[power]


@dataclass(frozen=True)
class Affine:
    """The distribution of ``shift + factor X``.

    Attributes
    ----------
    distribution
        The distribution of X.
    factor, shift
        The two constants.
    """

    distribution: Distribution
    factor: sp.Expr
    shift: sp.Expr = sp.S.Zero

    def moment(self, power: int) -> sp.Expr:
        terms = (
            sp.binomial(power, j) * self.factor**j * self.shift ** (power - j) * self.distribution.moment(j)
            for j in range(power + 1)
        )
        return sp.Add(*terms)


@dataclass(frozen=True)
class Mixture:
    """A draw from ``one`` with probability ``share``, otherwise from ``other``.

    Attributes
    ----------
    share
        Probability of the first distribution.
    one, other
        The two distributions.
    """

    share: sp.Expr
    one: Distribution
    other: Distribution

    def moment(self, power: int) -> sp.Expr:
        return self.share * self.one.moment(power) + (1 - self.share) * self.other.moment(power)


def mean(distribution: Distribution) -> sp.Expr:
    """The expectation."""
    return distribution.moment(1)


def central_moment(distribution: Distribution, power: int) -> sp.Expr:
    """``E[(X - E X)^power]``, from the raw moments."""
    return Affine(distribution, sp.S.One, -mean(distribution)).moment(power)


def variance(distribution: Distribution) -> sp.Expr:
    """``E[(X - E X)^2]``, not simplified."""
    return central_moment(distribution, 2)
