"""The delta of a budget for an output with discrete Gaussian noise: a sum over the integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from flint import arb, fmpq

from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.laws import DiscreteGaussianLaw
from pan_audits.choices.numbers import ZERO, Number, as_ball, greater, rational
from pan_audits.exact.observation import Path

_DEVIATIONS = 20
"""Standard deviations beyond the outermost places that are summed. The rest is less than ``exp(-200)``."""

_MOST_VALUES = 20_000


def discrete_part(parts: Sequence[tuple[Number, Path]]) -> Number:
    """The integral of the positive part of a weighted sum of laws with discrete Gaussian noise."""
    kinds = {tuple((one.slope, one.law) for one in path.coordinates) for _, path in parts}
    (kind, *others) = kinds
    if others or len(kind) > 1 or not isinstance(law := kind[0][1], DiscreteGaussianLaw):
        raise UnfollowableError("delta is computed for one output with discrete Gaussian noise of one variance")
    places = [path.coordinates[0].location.numerator for _, path in parts]
    reach = _reach(law.variance)
    low, high = min(places) - reach, max(places) + reach
    if high - low > _MOST_VALUES:
        raise TooLargeError(f"the output has more than {_MOST_VALUES:,} likely values of discrete Gaussian noise")
    heights = _heights(law.variance, max(places) - min(places) + reach)
    total: Number = ZERO
    for value in range(low, high + 1):
        height = sum((w * heights[abs(value - place)] for (w, _), place in zip(parts, places, strict=True)), ZERO)
        # A sum whose sign is not known is 0 up to the precision of the balls.
        if greater(height, ZERO):
            total = total + height
    return total


def _reach(variance: Fraction) -> int:
    return int(_DEVIATIONS * float(variance) ** 0.5) + 2


@lru_cache(maxsize=64)
def _heights(variance: Fraction, most: int) -> list[arb]:
    """The probabilities of 0, 1, and so on, with a ball that covers the part of the sum that is left out."""
    rate = as_ball(fmpq(1) / (2 * rational(variance)))
    reach = max(most, _reach(variance))
    heights = [(-rate * value**2).exp() for value in range(reach + 1)]
    # Beyond the last value the terms fall at least as a geometric series with this ratio.
    ratio = (-rate * (2 * reach + 1)).exp()
    rest = heights[-1] * ratio / (1 - ratio)
    norm = heights[0] + 2 * sum(heights[1:], arb(0)) + 2 * rest * arb(0.5, 0.5)
    return [height / norm for height in heights]
