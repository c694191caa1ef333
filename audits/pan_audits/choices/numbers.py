"""Exact numbers: probabilities as fractions, and as balls if noise is involved.

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

from flint import arb, ctx, fmpq

from pan_audits.choices.errors import unfollowable
from pan_audits.choices.meant import fraction
from pan_audits.regions.exponential import Exponential
from pan_promises.exact_epsilon import LogFraction

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


def as_ball(value: Number) -> arb:
    """A number as a ball."""
    if isinstance(value, Exponential):
        return value.ball()
    return value if isinstance(value, arb) else arb(value)


def as_float(value: Number) -> float:
    """The nearest double, or one next to it."""
    return float(as_ball(value).mid())


def greater(left: Number, right: Number) -> bool | None:
    """Whether ``left > right``; ``None`` where two balls overlap."""
    if isinstance(left, fmpq) and isinstance(right, fmpq):
        return bool(left > right)
    if not isinstance(left, arb) and not isinstance(right, arb):
        return bool((Exponential.of(left) - right).sign() > 0)
    difference = as_ball(left) - as_ball(right)
    if difference > 0:
        return True
    return False if difference <= 0 else None
