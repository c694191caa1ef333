"""Exact numbers: those that the code means by its doubles, and arithmetic with them.

The fraction that an author means by a double.

Exact numbers: probabilities as fractions, and as balls if noise is involved.

A probability is a fraction of arbitrary size. With noise of a transcendental decay, values
are balls of 256 bits: an interval that is proved to hold the true value. The probability of a result of
comparisons of noise is an :class:`Exponential`: a fraction of sums of exponentials.
"""

from __future__ import annotations

import copyreg
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from flint import arb, ctx, fmpq

from pan_audits.choices.errors import unfollowable
from pan_audits.choices.regions.exponential import Exponential
from pan_promises.exact_epsilon import LogFraction

_LARGEST_DENOMINATOR = 10**5
_ROUNDING = 2.0**-50
COMPUTED = 2.0**-44
"""The relative error allowed for in the location of noise, which is the result of some arithmetic."""

_NOTHING = Fraction(0)


def fraction(value: Any, *, rounding: float = _ROUNDING) -> Fraction:
    """A number as the fraction that its author meant.

    A double within four units in the last place of a fraction with a denominator up to 100,000 is
    read as that fraction, so that 0.6 is 3/5; any other double is the fraction that it is.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (int, np.integer, np.bool_)):
        return Fraction(int(value))
    if not isinstance(value, (float, np.floating)):
        raise unfollowable(f"a {type(value).__name__} is combined with noise, and this cannot be followed exactly")
    if not math.isfinite(value):
        raise unfollowable(f"{value!r} is combined with noise or a probability, and is not a finite number")
    return _meant(float(value), rounding)


@lru_cache(maxsize=4096)
def _meant(exact: float, rounding: float) -> Fraction:
    simple = Fraction(exact).limit_denominator(_LARGEST_DENOMINATOR)
    return simple if abs(float(simple) - exact) <= rounding * abs(exact) else Fraction(exact)


@lru_cache(maxsize=4096)
def _misread(exact: float) -> Fraction:
    return abs(_meant(exact, COMPUTED) - Fraction(exact))


def rounding_of(value: Any) -> Fraction:
    """The distance of a number from the fraction that it is read as in the location of noise."""
    if not isinstance(value, (float, np.floating)) or not math.isfinite(value):
        return _NOTHING
    return _misread(float(value))


def is_rounded(value: Any) -> bool:
    """Whether a double is read as a fraction that has another nearest double, as ``0.1 + 0.2`` is read as 3/10."""
    if not isinstance(value, (float, np.floating)) or not math.isfinite(value):
        return False
    return float(_meant(float(value), COMPUTED)) != value


def probability(value: Any) -> Fraction:
    """A probability as the fraction that its author meant. A number next to 1 is not read as 1."""
    meant = fraction(value)
    complement = 1 - Fraction(float(value)) if isinstance(value, (float, np.floating)) else 1 - meant
    if abs((1 - meant) - complement) > _ROUNDING * complement:
        return 1 - complement
    return meant


def is_simple(value: Any) -> bool:
    """Whether a number is not a double, or is a double that is read as a simple fraction."""
    if isinstance(value, LogFraction) or not isinstance(value, (float, np.floating)):
        return True
    return fraction(value).denominator <= _LARGEST_DENOMINATOR


Number: TypeAlias = Any
"""An ``fmpq``, an :class:`Exponential` or an ``arb``; python-flint has no types."""

BITS = 256
ZERO, ONE = fmpq(0), fmpq(1)

ctx.prec = BITS

# The written ball contains the original ball.
copyreg.pickle(arb, lambda ball: (arb, (ball.str(BITS // 3, radius=True),)))


@lru_cache(maxsize=1024)
def log_of(base: Fraction) -> float:
    """The natural logarithm of a positive fraction, as a double."""
    near = Fraction(1, 2) < base < 2
    return math.log1p(float(base - 1)) if near else math.log(base.numerator) - math.log(base.denominator)


def rational(value: Any) -> fmpq:
    """The fraction that the author meant, for fast arithmetic."""
    found = fraction(value)
    return fmpq(found.numerator, found.denominator)


@dataclass(frozen=True)
class Exponent:
    """The real number ``coefficient * log(base)``, or ``coefficient`` without a base."""

    coefficient: Fraction
    base: Fraction | None = None

    def times(self, factor: Fraction) -> Exponent:
        """The product with a fraction."""
        return Exponent(self.coefficient * factor, self.base)

    def power(self) -> Number:
        """``e`` to this exponent: a fraction if possible, else a ball."""
        if self.coefficient == 0:
            return ONE
        if self.base is None:
            return _ball(self.coefficient).exp()
        if self.coefficient.denominator == 1:
            return rational(self.base) ** self.coefficient.numerator
        return (_ball(self.coefficient) * _ball(self.base).log()).exp()


def exponent(value: Any) -> Exponent:
    """A budget or a rate as an exponent."""
    if isinstance(value, LogFraction) and value.power == 1:
        return Exponent(value.coefficient, value.base)
    return Exponent(fraction(value if not isinstance(value, LogFraction) else float(value)))


def reciprocal(value: Any) -> Exponent:
    """The reciprocal of a scale of noise: its rate of decay."""
    if isinstance(value, LogFraction) and value.power == -1:
        return Exponent(1 / value.coefficient, value.base)
    if isinstance(value, LogFraction):
        return Exponent(fraction(1 / float(value)))
    if not value > 0:
        raise unfollowable(f"the scale of noise must be positive, got {value!r}")
    return Exponent(1 / fraction(value))


def _ball(value: Fraction) -> arb:
    return arb(value.numerator) / value.denominator


def plain(number: Number) -> Number:
    """The number as a fraction, if it is an :class:`Exponential` that is one."""
    found = number.rational if isinstance(number, Exponential) else None
    return number if found is None else found


def as_ball(value: Number) -> arb:
    """A number as a ball."""
    if isinstance(value, Exponential):
        return value.ball()
    return value if isinstance(value, arb) else arb(value)


def require_finite(ball: arb) -> arb:
    """The ball; an error for one without a bound: it is neither larger than a number nor smaller."""
    if not ball.is_finite():
        raise unfollowable("the noise is so small beside the numbers that its probabilities cannot be computed")
    return ball


def normal_mass(variance: Fraction, low: Fraction | None, high: Fraction | None) -> arb:
    """The probability that a normal variable with mean 0 lies between two numbers; ``None`` is infinite."""
    deviation = _ball(variance).sqrt()
    return standard_mass(*(None if end is None else _ball(end) / deviation for end in (low, high)))


def standard_mass(low: arb | None, high: arb | None) -> arb:
    """The same for the variance 1, and numbers in order."""
    if low is not None and low > 0:
        # The tail above has more correct bits than the difference from 1.
        return standard_mass(None if high is None else -high, -low)
    return (arb(1) if high is None else _below(high)) - (arb(0) if low is None else _below(low))


def _below(value: arb) -> arb:
    return (-value / arb(2).sqrt()).erfc() / 2


def as_float(value: Number) -> float:
    """The nearest double, or one next to it."""
    return float(as_ball(value).mid())


def greater(left: Number, right: Number) -> bool | None:
    """Whether ``left > right``; ``None`` where two balls overlap."""
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return bool(left > right)
    if not isinstance(left, arb) and not isinstance(right, arb):
        return bool((Exponential.of(left) - right).sign() > 0)
    difference = require_finite(as_ball(left) - as_ball(right))
    if difference > 0:
        return True
    return False if difference <= 0 else None
