"""The enumerating randomness that follows Gaussian noise as a formula."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from pan_audits.choices.distributions import DiscreteGaussianDistribution, GaussianDistribution
from pan_audits.choices.enumerating import EnumeratingRandomness, without_noise
from pan_audits.choices.errors import unfollowable
from pan_audits.choices.noise import NoisyNumber, kept
from pan_audits.choices.numbers import fraction, is_simple
from pan_promises.exact_epsilon import LogFraction

_LARGEST_DENOMINATOR = 10**5
_ROUNDING = Fraction(1, 2**49)
"""The relative error of a square that a few roundings of doubles leave."""


class GaussianRandomness(EnumeratingRandomness):
    """Random choices that follow a script, with Gaussian noise that is kept as a variable.

    Its sums and multiples are followed, and comparisons of one sum with numbers. A rounding of it raises an error.
    """

    def normal_noise(self, location: Any, scale: Any, size: int) -> NDArray[Any]:
        if scale == 0:
            return without_noise(location, size)
        drawn = self._array(GaussianDistribution(self._variance(scale)), size)
        # A sum with the location 0.0 is the noise as a double.
        if type(location) is float and location == 0:
            drawn[:] = [_as_double(noise) for noise in drawn.tolist()]
        else:
            drawn[:] = [location + noise for noise in drawn.tolist()]
        return drawn

    def discrete_gaussian_noise(self, scale: Any, size: int) -> NDArray[Any]:
        return self._array(DiscreteGaussianDistribution(self._variance(scale)), size)

    def _variance(self, scale: Any) -> Fraction:
        variance, simple = variance_of(scale)
        self.exact &= simple
        if not variance:
            raise unfollowable("the scale of Gaussian noise must be positive, got 0")
        return variance

    def whole_part(self, number: Any, towards_zero: Any, signed: Any) -> Any:
        if any(isinstance(noise.distribution, GaussianDistribution) for noise, _ in getattr(number, "terms", ())):
            raise unfollowable("the estimator rounds Gaussian noise; sums, multiples and comparisons are followed")
        return super().whole_part(number, towards_zero, signed)


def _as_double(number: NoisyNumber) -> NoisyNumber:
    """The draw as a double: one object for equal draws of different runs."""
    ((noise, _),) = number.terms
    return kept(("draw", noise), (), lambda: replace(number, double=True))


def variance_of(scale: Any) -> tuple[Fraction, bool]:
    """The square of a scale: of a fraction, or a fraction whose square root the author meant."""
    if isinstance(scale, LogFraction):
        return fraction(float(scale)) ** 2, False
    found = fraction(scale)
    if found < 0:
        raise unfollowable(f"the scale of Gaussian noise must be positive, got {scale!r}")
    square = found**2
    if is_simple(scale):
        return square, True
    simple = square.limit_denominator(_LARGEST_DENOMINATOR)
    meant = simple > 0 and abs(simple - square) <= _ROUNDING * square
    return (simple, True) if meant else (square, False)
