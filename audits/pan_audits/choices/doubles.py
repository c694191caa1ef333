"""Where doubles compute otherwise than real numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from pan_audits.choices.errors import unfollowable
from pan_audits.choices.laws import Noise

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
    return min(abs(weight) * noise.law.scale for noise, weight in terms)


def require_coarser(terms: tuple[tuple[Noise, Fraction], ...], misread: Fraction) -> None:
    """Refuse noise so small that a location, read as the fraction that its author meant, is another location."""
    scale = least_scale(terms)
    if misread > _MISREAD * scale:
        raise unfollowable(
            f"noise of the scale {float(scale):.3g} is too small for the number that it is added to: the check reads "
            f"numbers that differ by {float(misread):.3g} as one number there (noise of a larger scale can be followed)"
        )
