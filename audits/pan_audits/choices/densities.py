"""Noise variables, and sums of them, as piecewise functions: densities, or probabilities on the integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

from flint import fmpq

from pan_audits.choices.distributions import (
    CutGaussianDistribution,
    DiscreteGaussianDistribution,
    Distribution,
    ExponentialDistribution,
    GaussianDistribution,
    GeometricDistribution,
    GumbelDistribution,
    LaplaceDistribution,
    MixedDistribution,
    Noise,
    RegionDistribution,
    WholeDistribution,
    is_integer,
)
from pan_audits.choices.numbers import ONE, Exponent, rational
from pan_audits.choices.regions import distributions
from pan_audits.choices.regions.distributions import towards_zero, whole_part
from pan_audits.choices.regions.exponential import Exponential
from pan_audits.choices.regions.function import Function, convolved
from pan_audits.choices.regions.orders import RegionError

Terms = Sequence[tuple[Noise, Fraction]]
Names = dict[Noise, Noise | None]
"""The variable that takes the place of another one; ``None`` if it is a part of the one of another variable."""


def sums_in(rows: Sequence[Terms]) -> Names:
    """One variable for each sum of noise variables outside of which they do not occur in any row."""
    columns: dict[Noise, list[tuple[int, Fraction]]] = defaultdict(list)
    for number, row in enumerate(rows):
        for noise, weight in row:
            columns[noise].append((number, weight))
    groups: dict[Any, list[tuple[Noise, Fraction]]] = defaultdict(list)
    for noise, column in columns.items():
        first = column[0][1]
        unit = abs(first) if is_integer(noise.distribution) else None
        gaussian = isinstance(noise.distribution, GaussianDistribution)
        shape = tuple((number, weight / first) for number, weight in column)
        if not isinstance(noise.distribution, _NOT_SUMMED):
            groups[unit, gaussian, shape].append((noise, first))
    found: Names = {}
    for terms in groups.values():
        if len(terms) > 1:
            # A first weight of 1 leaves the sum without a factor.
            made, _ = summed([(noise, weight / terms[0][1]) for noise, weight in terms])
            found |= {noise: None for noise, _ in terms[1:]} | {terms[0][0]: made}
    return found


def renamed(terms: Terms, names: Names) -> tuple[tuple[Noise, Fraction], ...]:
    """The terms with other variables."""
    return tuple((name, weight) for noise, weight in terms if (name := names.get(noise, noise)) is not None)


_NOT_SUMMED = (GumbelDistribution, DiscreteGaussianDistribution, WholeDistribution, CutGaussianDistribution)


def joined(terms: Terms) -> list[tuple[Noise, Fraction]]:
    """The same sum with fewer noise variables.

    A sum of Gaussian variables is a Gaussian variable.
    The difference of two exponential variables of equal scale is a Laplace variable. The difference of two geometric
    variables has the two-sided geometric distribution, with the ratio of the first above 0 and of the second below 0.
    """
    if all(isinstance(noise.distribution, GaussianDistribution) for noise, _ in terms):
        variance = sum((noise.distribution.variance * weight**2 for noise, weight in terms), Fraction(0))  # type: ignore[union-attr]
        return [(Noise(sum((noise.name for noise, _ in terms), ()), GaussianDistribution(variance)), Fraction(1))]
    left = list(terms)
    found: list[tuple[Noise, Fraction]] = []
    while left:
        noise, weight = left.pop(0)
        for place, (other, its_weight) in enumerate(left):
            above, below = (noise, other) if weight > 0 else (other, noise)
            distribution = _difference(above.distribution, below.distribution) if its_weight == -weight else None
            if distribution is not None:
                del left[place]
                noise, weight = Noise(noise.name + other.name, distribution), abs(weight)
                break
        found.append((noise, weight))
    return found


_MOST_SUMMED = 16
"""Greatest number of noise variables of which the distribution of the sum is computed."""


def summed(terms: Terms) -> tuple[Noise, Fraction]:
    """A sum of independent noise variables as one variable with a weight: its distribution is their convolution."""
    terms = joined(terms)
    if len(terms) == 1:
        return terms[0]
    weights = {abs(weight) for _, weight in terms}
    integer = {is_integer(noise.distribution) for noise, _ in terms}
    if len(integer) > 1 or (integer == {True} and len(weights) > 1):
        raise RegionError("integer noise is added to other noise, or to multiples of it")
    if len(terms) > _MOST_SUMMED:
        raise RegionError(f"more than {_MOST_SUMMED} noise variables are added")
    unit = weights.pop() if integer == {True} else Fraction(1)
    made = _convolution(tuple((noise.distribution, weight / unit) for noise, weight in terms))
    return Noise(sum((noise.name for noise, _ in terms), ()), made), unit


@lru_cache(maxsize=1024)
def _convolution(terms: tuple[tuple[Distribution, Fraction], ...]) -> RegionDistribution:
    functions = (multiple(function_of(distribution), weight) for distribution, weight in terms)
    scale = min(distribution.scale * abs(weight) for distribution, weight in terms)
    return RegionDistribution(scale, reduce(convolved, functions))


def multiple(function: Function, weight: Fraction) -> Function:
    """The distribution of a multiple of a variable."""
    moved = function.after(rational(1 / weight), rational(Fraction(0)))
    return moved if abs(weight) == 1 else moved.scaled(Exponential.of(1 / abs(weight)))


def _difference(above: Distribution, below: Distribution) -> Distribution | None:
    if isinstance(above, ExponentialDistribution) and isinstance(below, ExponentialDistribution):
        return LaplaceDistribution(above.rate) if above.rate == below.rate else None
    if (
        isinstance(above, GeometricDistribution)
        and isinstance(below, GeometricDistribution)
        and above.down == below.down == 0
    ):
        return GeometricDistribution(above.up, below.up)
    return None


@lru_cache(maxsize=1024)
def function_of(distribution: Distribution) -> Function:
    """A distribution as a piecewise function."""
    if isinstance(distribution, RegionDistribution):
        return distribution.function
    if isinstance(distribution, WholeDistribution):
        return whole_of(distribution, function_of(distribution.noise.distribution))
    if isinstance(distribution, GeometricDistribution):
        return distributions.two_sided_geometric(_ratio(distribution.up), _ratio(distribution.down))
    if isinstance(distribution, (GaussianDistribution, CutGaussianDistribution, DiscreteGaussianDistribution)):
        raise RegionError("Gaussian noise is rounded, or compared in several sums")
    if isinstance(distribution, MixedDistribution):
        return reduce(Function.plus, (_part(*part) for part in distribution.parts))
    if isinstance(distribution, GumbelDistribution):
        raise RegionError("Gumbel noise is used otherwise than to choose the largest of several numbers")
    made = distributions.laplace if isinstance(distribution, LaplaceDistribution) else distributions.exponential
    return made(rate_of(distribution))


def _part(weight: Fraction, location: Fraction, factor: Fraction, exponential: bool) -> Function:
    """The density of a part of a mixture."""
    own = distributions.exponential(fmpq(1)) if exponential else distributions.uniform()
    moved = own.after(rational(1 / factor), rational(-location / factor))
    return moved.scaled(Exponential.of(weight / abs(factor)))


def rate_of(distribution: Distribution) -> fmpq:
    """The rate of noise with a density, as a fraction."""
    assert isinstance(distribution, (LaplaceDistribution, ExponentialDistribution, GumbelDistribution))
    if distribution.rate.base is not None:
        raise RegionError("noise is compared whose rate is the logarithm of a fraction")
    return rational(distribution.rate.coefficient)


def whole_of(distribution: WholeDistribution, inner: Function) -> Function:
    """The probabilities of rounded noise, from the density of the noise."""
    rounded = towards_zero if distribution.towards_zero else whole_part
    return rounded(inner, rational(distribution.weight), rational(distribution.constant))


def _ratio(side: Exponent | Fraction) -> distributions.Ratio:
    if isinstance(side, Fraction):
        return rational(side), fmpq(0)
    if side.base is None:
        return ONE, rational(side.coefficient)
    if side.coefficient.denominator != 1:
        raise RegionError("noise is compared whose ratio is a root of a fraction")
    return rational(side.base) ** side.coefficient.numerator, fmpq(0)
