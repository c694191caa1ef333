"""The distributions of noise, and which doubles it gives.

The distributions of noise that is not drawn.

Where doubles compute otherwise than real numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import fmpq

from pan_audits.choices.errors import unfollowable
from pan_audits.choices.numbers import ZERO, Exponent, Number, log_of
from pan_audits.choices.regions.function import Function


@dataclass(frozen=True)
class _OfRate:
    rate: Exponent

    @property
    def scale(self) -> Fraction:
        """The reciprocal of the rate, up to the rounding of a logarithm."""
        base = self.rate.base
        return 1 / (self.rate.coefficient * (1 if base is None else Fraction(log_of(base))))


class LaplaceDistribution(_OfRate):
    """The density ``rate/2 exp(-rate abs(y))`` on the reals."""

    def decay(self, distance: Fraction) -> Number:
        """Density at a distance from the location, relative to the peak."""
        return self.rate.times(-abs(distance)).power()

    def scaled(self, factor: Fraction) -> LaplaceDistribution:
        """The distribution of a multiple."""
        return LaplaceDistribution(self.rate.times(1 / abs(factor)))


@dataclass(frozen=True)
class GeometricDistribution:
    """Integers with probability proportional to ``up**k``, or ``down**(-k)`` below 0.

    Each ratio is a fraction, or its logarithm as an exponent.
    """

    up: Exponent | Fraction
    down: Exponent | Fraction
    scale: ClassVar[Fraction] = Fraction(1)

    def decay(self, distance: Fraction) -> Number:
        """Probability at a distance from the location, relative to that of 0; none off the integers."""
        if distance.denominator != 1:
            return ZERO
        side = self.up if distance >= 0 else self.down
        steps = abs(distance.numerator)
        if isinstance(side, Exponent):
            return side.times(Fraction(steps)).power()
        return fmpq(side.numerator, side.denominator) ** steps


class ExponentialDistribution(_OfRate):
    """The density ``rate exp(-rate y)`` for positive numbers."""


class GumbelDistribution(_OfRate):
    """The distribution function ``exp(-exp(-rate y))`` on the reals.

    Only comparisons of it have exact probabilities here: which of several sums is the largest.
    """


@dataclass(frozen=True)
class MixedDistribution:
    """A mixture of uniform and exponential variables, moved and scaled.

    Attributes
    ----------
    parts
        Weight, location and factor of each, and whether it is an exponential variable, or else one from 0 to 1.
    """

    parts: tuple[tuple[Fraction, Fraction, Fraction, bool], ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.parts)

    @cached_property
    def scale(self) -> Fraction:
        """The smallest scale of a part."""
        return min(abs(factor) for _, _, factor, _ in self.parts)


@dataclass(frozen=True)
class GaussianDistribution:
    """The normal distribution with mean 0 on the reals."""

    variance: Fraction

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.variance)

    @cached_property
    def scale(self) -> Fraction:
        """The standard deviation, up to the rounding of a square root."""
        return Fraction(math.sqrt(self.variance))


@dataclass(frozen=True)
class CutGaussianDistribution:
    """A normal variable with mean 0, given that it lies between two ends; ``None`` is infinite."""

    variance: Fraction
    low: Fraction | None
    high: Fraction | None

    @property
    def scale(self) -> Fraction:
        """The standard deviation without the ends."""
        return GaussianDistribution(self.variance).scale


@dataclass(frozen=True)
class DiscreteGaussianDistribution:
    """Integers ``k`` with probability proportional to ``exp(-k**2 / (2 variance))``.

    Only multiples of it, and sums with numbers, are followed.
    """

    variance: Fraction
    scale: ClassVar[Fraction] = Fraction(1)


@dataclass(frozen=True, eq=False)
class RegionDistribution:
    """The distribution of noise, given the results of comparisons with it.

    Attributes
    ----------
    scale
        The scale of the noise itself.
    function
        Its density, or its probabilities on the integers.
    """

    scale: Fraction
    function: Function


@dataclass(frozen=True)
class Noise:
    """One noise variable. The moment of its draw distinguishes it from others."""

    name: tuple[int, ...]
    distribution: Distribution


@dataclass(frozen=True)
class WholeDistribution:
    """``constant + weight * noise`` as an integer, for noise with a density: rounded down, or towards 0.

    It depends on that noise. It is replaced before the distribution of an observation is computed.
    """

    noise: Noise
    weight: Fraction
    constant: Fraction
    towards_zero: bool = False
    scale: ClassVar[Fraction] = Fraction(1)

    def least(self, whole: int) -> int:
        """The number that the noise exceeds if the integer is at least ``whole``."""
        return whole - 1 if self.towards_zero and whole <= 0 else whole


Distribution = (
    LaplaceDistribution
    | GeometricDistribution
    | ExponentialDistribution
    | GumbelDistribution
    | MixedDistribution
    | GaussianDistribution
    | CutGaussianDistribution
    | DiscreteGaussianDistribution
    | RegionDistribution
    | WholeDistribution
)


def is_integer(distribution: Distribution) -> bool:
    """Whether a distribution is one on the integers."""
    return isinstance(distribution, (GeometricDistribution, DiscreteGaussianDistribution, WholeDistribution)) or (
        isinstance(distribution, RegionDistribution) and distribution.function.discrete
    )


DOUBLE = Fraction(1, 2**40)
"""A number with noise is not followed if larger ones, by more than this factor, cancel on the way to it."""

_FINEST, _LARGEST = 2**12, 2**40
"""Binary fractions within these limits have less than 53 bits."""

_MISREAD = Fraction(1, 10**6)
"""Greatest part of the scale of noise by which its location may be misread: a loss of as many nats."""


def common_divisor(one: Fraction, other: Fraction) -> Fraction:
    """The largest number of which both are integer multiples."""
    denominator = math.lcm(one.denominator, other.denominator)
    return Fraction(math.gcd(int(one * denominator), int(other * denominator)), denominator)


def is_short(value: Fraction) -> bool:
    """Whether a double holds the number, and its sums with others of this kind."""
    power_of_two = not value.denominator & (value.denominator - 1)
    return power_of_two and value.denominator <= _FINEST and abs(value) <= _LARGEST


def is_whole(value: Fraction) -> bool:
    """Whether the number is an integer."""
    return value.denominator == 1


def least_scale(terms: tuple[tuple[Noise, Fraction], ...]) -> Fraction:
    """The smallest scale of the noise in a number."""
    return min(abs(weight) * noise.distribution.scale for noise, weight in terms)


def require_coarser(terms: tuple[tuple[Noise, Fraction], ...], misread: Fraction) -> None:
    """Refuse noise so small that a location, read as the fraction that its author meant, is another location."""
    scale = least_scale(terms)
    if misread > _MISREAD * scale:
        raise unfollowable(
            f"noise of the scale {float(scale):.3g} is too small for the number that it is added to: the check reads "
            f"numbers that differ by {float(misread):.3g} as one number there (noise of a larger scale can be followed)"
        )
