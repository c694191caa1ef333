"""The region of noise that the comparisons on one path leave, and its exact probability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from pan_audits.choices.densities import Names, function_of, rate_of, renamed, sums_in, whole_of
from pan_audits.choices.distributions import (
    CutGaussianDistribution,
    Distribution,
    GaussianDistribution,
    GumbelDistribution,
    Noise,
    RegionDistribution,
    WholeDistribution,
)
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import ONE, Number, as_float, normal_mass, plain, rational
from pan_audits.choices.regions.exponential import UNIT
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

    @cached_property
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


def _joined(parts: Sequence[Region], more: Iterable[Comparison]) -> list[Region]:
    """The parts of a region with further comparisons."""
    found = list(parts)
    for one in more:
        touched = [part for part in found if part.noises & one.noises]
        made = Region((*(each for part in touched for each in part.comparisons), one))
        made.__dict__["parts"] = [made]
        found = [*(part for part in found if not part.noises & one.noises), made]
    return found


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
        found = Region((*self.comparisons, *more))
        # Most parts stay as they are, with their probabilities.
        found.__dict__["parts"] = _joined(self.parts, more)
        return found

    @cached_property
    def noises(self) -> set[Noise]:
        """All noise variables in the comparisons."""
        return {noise for one in self.comparisons for noise in one.noises}

    @cached_property
    def parts(self) -> list[Region]:
        """Regions of disjoint sets of noise variables, which are independent."""
        return _joined([], self.comparisons)

    def touching(self, noises: Iterable[Noise]) -> Region:
        """The comparisons on which the distribution of some noise variables depends."""
        wanted = set(noises)
        parts = [part for part in self.parts if part.noises & wanted]
        return parts[0] if len(parts) == 1 else Region(tuple(each for part in parts for each in part.comparisons))

    @cached_property
    def probability(self) -> Number:
        """The probability of the region: a fraction, or a fraction of sums of exponentials."""
        total: Any = ONE
        for part in self.parts:
            total = total * part._probability_of_part
        return plain(total)

    @property
    def chance(self) -> float:
        """The probability as a double."""
        return math.prod(as_float(part._probability_of_part) for part in self.parts)

    @property
    def is_possible(self) -> bool:
        """Whether its probability is above 0."""
        return all(part._is_possible for part in self.parts)

    def renamed(self, names: Names) -> Region:
        """The same with other variables."""
        return Region(tuple(Comparison(renamed(o.terms, names), o.constant, o.strict) for o in self.comparisons))

    @cached_property
    def _in_sums(self) -> Region:
        """A part with one variable for each sum, if no other way to its probability is known."""
        if self._is_gaussian or any(len(one.terms) > 2 for one in self.comparisons):
            return self.renamed(sums_in([one.terms for one in self.comparisons]))
        return self

    @cached_property
    def _is_gaussian(self) -> bool:
        return any(isinstance(noise.distribution, GaussianDistribution) for noise in self.noises)

    def distribution_of(self, noise: Noise) -> Function:
        """The part of the distribution of a noise variable that lies in the region.

        Its total is the probability of the comparisons on which it depends.
        """
        if isinstance(noise.distribution, WholeDistribution):
            return whole_of(noise.distribution, self.distribution_of(noise.distribution.noise))
        if noise not in self.noises:
            return function_of(noise.distribution)
        (part,) = self.touching([noise]).parts
        functions, constraints = part._numbered
        return marginal(functions, constraints, list(part._order).index(noise))

    def distribution_given(self, noise: Noise) -> Distribution:
        """The distribution of a noise variable, given the comparisons."""
        if isinstance(noise.distribution, GaussianDistribution):
            return self.touching([noise])._cut
        function = self.distribution_of(noise)
        return RegionDistribution(noise.distribution.scale, function.scaled(UNIT / function.total))

    @cached_property
    def _cut(self) -> CutGaussianDistribution:
        """The distribution of its one variable, which is normal, between the ends that the comparisons leave."""
        if len(self.noises) > 1:
            raise RegionError("Gaussian noise is compared in several sums, or with other noise")
        lows: list[Fraction] = []
        highs: list[Fraction] = []
        for one in self.comparisons:
            ((noise, weight),) = one.terms
            (lows if weight > 0 else highs).append(-one.constant / weight)
        assert isinstance(noise.distribution, GaussianDistribution)
        return CutGaussianDistribution(noise.distribution.variance, max(lows, default=None), min(highs, default=None))

    @property
    def _is_possible(self) -> bool:
        if not self._is_gaussian:
            return bool(self._probability_of_part != 0)
        cut = self._in_sums._cut
        return cut.low is None or cut.high is None or cut.low < cut.high

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

    @cached_property
    def _probability_of_part(self) -> Number:
        """The probability, if the comparisons connect all noise variables."""
        part = self._in_sums
        if part._is_gaussian:
            return normal_mass(part._cut.variance, part._cut.low, part._cut.high)
        gumbel = [noise for noise in part._order if isinstance(noise.distribution, GumbelDistribution)]
        if not gumbel:
            return probability(*part._numbered)
        if len(gumbel) < len(part._order):
            raise RegionError("Gumbel noise is compared with other noise")
        return probability_of_order(tuple(rate_of(noise.distribution) for noise in gumbel), part._constraints)

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
