"""Exact numbers that are fractions of sums of exponentials: ``(2 e^(-1/2) + 1/3) / (1 + e^(-1))``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly

_ZERO, _ONE = fmpq(0), fmpq(1)
_LARGEST_DEGREE = 5_000
"""Fractions with polynomials of a larger degree are not reduced."""

_BITS, _MOST_BITS, _ACCURACY = 256, 2**15, 160

Sum = dict[fmpq, fmpq]
"""A sum of exponentials: the coefficient of each exponent; none of them is 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Exponential:
    """A fraction of two sums ``coefficient * e^exponent`` with rational coefficients and exponents.

    Exponentials of distinct rational numbers are linearly independent over the rationals (Lindemann and Weierstrass).
    Such a sum is therefore 0 only if it has no terms, and equality is decided exactly.

    Attributes
    ----------
    above, below
        Numerator and denominator.
    """

    above: Mapping[fmpq, fmpq]
    below: Mapping[fmpq, fmpq]

    @classmethod
    def of(cls, value: Any) -> Exponential:
        """A fraction as such a number."""
        if isinstance(value, Exponential):
            return value
        number = value if isinstance(value, fmpq) else fmpq(value.numerator, value.denominator)
        return cls({_ZERO: number} if number else {}, _UNIT)

    @classmethod
    def power(cls, exponent: fmpq, coefficient: fmpq = _ONE) -> Exponential:
        """The number ``coefficient * e^exponent``."""
        return cls({exponent: coefficient} if coefficient else {}, _UNIT)

    @property
    def is_zero(self) -> bool:
        """Whether it is exactly 0."""
        return not self.above

    @property
    def rational(self) -> fmpq | None:
        """The number as a fraction, if it is one."""
        if not self.above:
            return _ZERO
        plain = len(self.above) == 1 and len(self.below) == 1
        (place, top), (under, bottom) = next(iter(self.above.items())), next(iter(self.below.items()))
        return top / bottom if plain and place == under else None

    @property
    def exponent(self) -> fmpq | None:
        """The logarithm of the number, if it is a single exponential with the coefficient 1."""
        if len(self.above) != 1 or len(self.below) != 1:
            return None
        (place, top), (under, bottom) = next(iter(self.above.items())), next(iter(self.below.items()))
        return place - under if top == bottom else None

    def __add__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() + other
        other = _operand(other)
        if other is None:
            return NotImplemented
        if self.below == other.below:
            return _reduced(_added(self.above, other.above), self.below)
        above = _added(_multiplied(self.above, other.below), _multiplied(other.above, self.below))
        return _reduced(above, _multiplied(self.below, other.below))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() * other
        other = _operand(other)
        if other is None:
            return NotImplemented
        return _reduced(_multiplied(self.above, other.above), _multiplied(self.below, other.below))

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return self.ball() / other
        other = _operand(other)
        if other is None:
            return NotImplemented
        if other.is_zero:
            raise ZeroDivisionError("a number is divided by 0")
        return self * Exponential(other.below, other.above)

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, arb):
            return other / self.ball()
        left = _operand(other)
        return NotImplemented if left is None else left / self

    def __neg__(self) -> Exponential:
        return Exponential({place: -one for place, one in self.above.items()}, self.below)

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, arb):
            return bool(self.ball() == other)
        known = _operand(other)
        return known is not None and (self - known).is_zero

    def __hash__(self) -> int:
        # Equal numbers can be written as different fractions. Their balls hold one real number.
        number = self.rational
        return hash(number) if number is not None else hash(round(math.log(abs(float(self.ball().mid()))), 6))

    def ball(self) -> arb:
        """A ball that holds the number, of 160 or more correct bits."""
        bits = _BITS
        while True:
            with ctx.workprec(bits):
                found = _sum_as_ball(self.above) / _sum_as_ball(self.below)
            if not self.above or found.rel_accuracy_bits() >= _ACCURACY or bits >= _MOST_BITS:
                return found
            bits *= 2

    def sign(self) -> int:
        """Its sign: -1, 0 or 1."""
        if not self.above:
            return 0
        found = self.ball()
        if found > 0:
            return 1
        if found < 0:
            return -1
        raise ArithmeticError("a number lies too near to 0 for its sign")

    def __repr__(self) -> str:
        return self.text()

    def text(self) -> str:
        """The number in words of a formula."""
        above, below = self.above, self.below
        if below == _UNIT:
            return _sum_as_text(above)
        # Whole coefficients, with a positive first one below, are easier to read.
        whole = math.lcm(*(int(one.q) for one in (*above.values(), *below.values())))
        whole *= -1 if below[max(below)] < 0 else 1
        top, bottom = ({place: one * whole for place, one in terms.items()} for terms in (above, below))
        return f"({_sum_as_text(top)})/({_sum_as_text(bottom)})"


_UNIT: Mapping[fmpq, fmpq] = {_ZERO: _ONE}
NOTHING = Exponential({}, _UNIT)
UNIT = Exponential(_UNIT, _UNIT)


def _operand(value: Any) -> Exponential | None:
    if isinstance(value, Exponential):
        return value
    if isinstance(value, int):
        return Exponential.of(fmpq(value))
    return Exponential.of(value) if isinstance(value, fmpq) else None


def _added(left: Mapping[fmpq, fmpq], right: Mapping[fmpq, fmpq]) -> Sum:
    made = dict(left)
    for place, one in right.items():
        together = made.get(place, _ZERO) + one
        if together:
            made[place] = together
        else:
            del made[place]
    return made


def _multiplied(left: Mapping[fmpq, fmpq], right: Mapping[fmpq, fmpq]) -> Mapping[fmpq, fmpq]:
    if right is _UNIT:
        return left
    if left is _UNIT:
        return right
    made: Sum = {}
    for place, one in left.items():
        for other_place, other in right.items():
            both = place + other_place
            together = made.get(both, _ZERO) + one * other
            if together:
                made[both] = together
            else:
                del made[both]
    return made


def _reduced(above: Mapping[fmpq, fmpq], below: Mapping[fmpq, fmpq]) -> Exponential:
    """The fraction with the common factors cancelled, and with 1 as the first term of the denominator."""
    if not above:
        return NOTHING
    if below is _UNIT:
        return Exponential(above, _UNIT)
    if len(below) > 1:
        above, below = _without_common_factor(above, below)
    place = min(below)
    first = below[place]
    above = {each - place: one / first for each, one in above.items()}
    if len(below) == 1:
        return Exponential(above, _UNIT)
    return Exponential(above, {each - place: one / first for each, one in below.items()})


def _without_common_factor(
    above: Mapping[fmpq, fmpq], below: Mapping[fmpq, fmpq]
) -> tuple[Mapping[fmpq, fmpq], Mapping[fmpq, fmpq]]:
    """Numerator and denominator divided by their common divisor, as polynomials in ``e^(1/n)``."""
    first, second = min(above), min(below)
    unit = math.lcm(*(int((place - first).q) for place in above), *(int((place - second).q) for place in below))
    degree = unit * max(max(above) - first, max(below) - second)
    if degree > _LARGEST_DEGREE:
        return above, below
    top, bottom = _polynomial(above, first, unit), _polynomial(below, second, unit)
    common = top.gcd(bottom)
    if common.degree() == 0:
        return above, below
    return _sum_of(top // common, first, unit), _sum_of(bottom // common, second, unit)


def _polynomial(terms: Mapping[fmpq, fmpq], first: fmpq, unit: int) -> fmpq_poly:
    degrees = {int(((place - first) * unit).p): one for place, one in terms.items()}
    return fmpq_poly([degrees.get(degree, _ZERO) for degree in range(max(degrees) + 1)])


def _sum_of(polynomial: fmpq_poly, first: fmpq, unit: int) -> Sum:
    found = enumerate(polynomial.coeffs())
    return {first + fmpq(degree, unit): one for degree, one in found if one}


def _sum_as_ball(terms: Mapping[fmpq, fmpq]) -> arb:
    return sum((arb(one) * arb(place).exp() for place, one in terms.items()), arb(0))


def _sum_as_text(terms: Mapping[fmpq, fmpq]) -> str:
    parts: list[str] = []
    for place in sorted(terms, reverse=True):
        one = terms[place]
        size = abs(one)
        exponent = str(place) if place.q == 1 and place > 0 else f"({place})"
        letters = "" if place == 0 else "e" if place == 1 else f"e^{exponent}"
        number = str(size) if size != 1 or not letters else ""
        sign = ("-" if one < 0 else "") if not parts else (" - " if one < 0 else " + ")
        parts.append(sign + " ".join(part for part in (number, letters) if part))
    return "".join(parts) or "0"
