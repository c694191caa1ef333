"""The region of noise that the comparisons on one path leave, and its exact probability."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from typing import Any

from flint import fmpq

from pan_audits.choices.distributions import (
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
)
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import ONE, Exponent, Number, plain, rational
from pan_audits.choices.regions import distributions
from pan_audits.choices.regions.distributions import towards_zero, whole_part
from pan_audits.choices.regions.exponential import Exponential
from pan_audits.choices.regions.function import Function
from pan_audits.choices.regions.orders import Constraint, marginal, probability, probability_of_order
from pan_audits.choices.regions.orders import RegionError as RegionError


@dataclass(frozen=True)
class Comparison:
    """The statement ``constant + sum of weight * noise > 0``, or ``>= 0`` if it is not strict."""

    terms: tuple[tuple[Noise, Fraction], ...]
    constant: Fraction
    strict: bool

    @classmethod
    def of(cls, number: NoisyNumber, strict: bool) -> Comparison:
        """That a noisy number is above 0, or at least 0; of rounded noise, as a statement about the noise itself."""
        if any(isinstance(noise.distribution, WholeDistribution) for noise, _ in number.terms):
            return _of_rounded(number, strict)
        weights: dict[Noise, Fraction] = {}
        for noise, weight in number.terms:
            weights[noise] = weights.get(noise, Fraction(0)) + weight
        return cls(tuple((noise, weight) for noise, weight in weights.items() if weight), number.constant, strict)

    @property
    def negated(self) -> Comparison:
        """The opposite statement."""
        return Comparison(tuple((noise, -weight) for noise, weight in self.terms), -self.constant, not self.strict)

    @property
    def noises(self) -> set[Noise]:
        """Its noise variables."""
        return {noise for noise, _ in self.terms}


def _of_rounded(number: NoisyNumber, strict: bool) -> Comparison:
    """``constant + weight * floor(inner) > 0``, or ``>= 0``, as a comparison of ``inner`` with an integer."""
    if len(number.terms) > 1:
        raise RegionError("rounded noise is compared with other noise")
    ((rounded, weight),) = number.terms
    assert isinstance(rounded.distribution, WholeDistribution)
    limit = -number.constant / weight
    if weight > 0:
        return whole_at_least(rounded.distribution, math.floor(limit) + 1 if strict else math.ceil(limit))
    return whole_at_least(rounded.distribution, math.ceil(limit) if strict else math.floor(limit) + 1).negated


def whole_at_least(distribution: WholeDistribution, least: int) -> Comparison:
    """That rounded noise is at least an integer, as a statement about the noise itself."""
    return Comparison(
        ((distribution.noise, distribution.weight),), distribution.constant - distribution.least(least), strict=False
    )


@dataclass(frozen=True)
class Region:
    """All values of noise variables for which some comparisons hold.

    Attributes
    ----------
    comparisons
        The comparisons, in order.
    """

    comparisons: tuple[Comparison, ...] = ()

    def where(self, *more: Comparison) -> Region:
        """The part of the region in which further comparisons hold."""
        return Region((*self.comparisons, *more))

    @cached_property
    def noises(self) -> set[Noise]:
        """All noise variables in the comparisons."""
        return {noise for one in self.comparisons for noise in one.noises}

    @cached_property
    def parts(self) -> list[Region]:
        """Regions of disjoint sets of noise variables, which are independent."""
        groups: list[tuple[set[Noise], list[Comparison]]] = []
        for one in self.comparisons:
            joined = [group for group in groups if group[0] & one.noises]
            kept = [group for group in groups if not group[0] & one.noises]
            noises = one.noises.union(*(group[0] for group in joined))
            together = [each for group in joined for each in group[1]] + [one]
            groups = [*kept, (noises, together)]
        return [Region(tuple(together)) for _, together in groups]

    def touching(self, noises: Iterable[Noise]) -> Region:
        """The comparisons on which the distribution of some noise variables depends."""
        wanted = set(noises)
        return Region(tuple(each for part in self.parts if part.noises & wanted for each in part.comparisons))

    @cached_property
    def probability(self) -> Number:
        """The probability of the region: a fraction, or a fraction of sums of exponentials."""
        total: Any = ONE
        for part in self.parts:
            total = total * part._probability_of_part
        return plain(total)

    def distribution_of(self, noise: Noise) -> Function:
        """The part of the distribution of a noise variable that lies in the region.

        Its total is the probability of the comparisons on which it depends.
        """
        if isinstance(noise.distribution, WholeDistribution):
            return _whole(noise.distribution, self.distribution_of(noise.distribution.noise))
        if noise not in self.noises:
            return function_of(noise.distribution)
        (part,) = self.touching([noise]).parts
        functions, constraints = part._numbered
        return marginal(functions, constraints, list(part._order).index(noise))

    @cached_property
    def _sorted(self) -> list[Comparison]:
        """The comparisons in an order that does not tell noise variables apart: regions that are alike look alike."""
        return sorted(
            self.comparisons, key=lambda one: (len(one.terms), one.constant, one.strict, [w for _, w in one.terms])
        )

    @cached_property
    def _order(self) -> dict[Noise, int]:
        found: dict[Noise, int] = {}
        for one in self._sorted:
            for noise, _ in one.terms:
                found.setdefault(noise, len(found))
        return found

    @property
    def _probability_of_part(self) -> Exponential:
        """The probability, if the comparisons connect all noise variables."""
        gumbel = [noise for noise in self._order if isinstance(noise.distribution, GumbelDistribution)]
        if not gumbel:
            return probability(*self._numbered)
        if len(gumbel) < len(self._order):
            raise RegionError("Gumbel noise is compared with other noise")
        return probability_of_order(tuple(_rate(noise.distribution) for noise in gumbel), self._constraints)

    @cached_property
    def _numbered(self) -> tuple[tuple[Function, ...], tuple[Constraint, ...]]:
        """The distributions, and the comparisons with the variables as numbers: equal for regions that are alike."""
        return tuple(function_of(noise.distribution) for noise in self._order), self._constraints

    @property
    def _constraints(self) -> tuple[Constraint, ...]:
        order = self._order
        return tuple(
            Constraint(
                tuple(sorted((order[noise], rational(weight)) for noise, weight in one.terms)),
                rational(one.constant),
                one.strict,
            )
            for one in self._sorted
        )


@lru_cache(maxsize=1024)
def function_of(distribution: Distribution) -> Function:
    """A distribution as a piecewise function."""
    if isinstance(distribution, RegionDistribution):
        return distribution.function
    if isinstance(distribution, WholeDistribution):
        return _whole(distribution, function_of(distribution.noise.distribution))
    if isinstance(distribution, GeometricDistribution):
        return distributions.two_sided_geometric(_ratio(distribution.up), _ratio(distribution.down))
    if isinstance(distribution, (GaussianDistribution, DiscreteGaussianDistribution)):
        raise RegionError("Gaussian noise is compared or rounded")
    if isinstance(distribution, MixedDistribution):
        return reduce(Function.plus, (_part(*part) for part in distribution.parts))
    if isinstance(distribution, GumbelDistribution):
        raise RegionError("Gumbel noise is used otherwise than to choose the largest of several numbers")
    made = distributions.laplace if isinstance(distribution, LaplaceDistribution) else distributions.exponential
    return made(_rate(distribution))


def _part(weight: Fraction, location: Fraction, factor: Fraction, exponential: bool) -> Function:
    """The density of a part of a mixture."""
    own = distributions.exponential(fmpq(1)) if exponential else distributions.uniform()
    moved = own.after(rational(1 / factor), rational(-location / factor))
    return moved.scaled(Exponential.of(weight / abs(factor)))


def _rate(distribution: Distribution) -> fmpq:
    assert isinstance(distribution, (LaplaceDistribution, ExponentialDistribution, GumbelDistribution))
    if distribution.rate.base is not None:
        raise RegionError("noise is compared whose rate is the logarithm of a fraction")
    return rational(distribution.rate.coefficient)


def _whole(distribution: WholeDistribution, inner: Function) -> Function:
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
