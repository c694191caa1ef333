"""Noise that is not drawn: a number of the form constant plus multiples of noise variables."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from pan_audits.choices.errors import asked_by_judged_code, unfollowable
from pan_audits.choices.numbers import COMPUTED, ZERO, Exponent, Number, fraction, log_of, rounding_of

_DOUBLE = Fraction(1, 2**40)
"""A number with noise is not followed if larger ones, by more than this factor, cancel on the way to it."""

_MISREAD = Fraction(1, 10**6)
"""Greatest part of the scale of noise by which its location may be misread: a loss of as many nats."""


@dataclass(frozen=True)
class LaplaceLaw:
    """The density ``rate/2 exp(-rate abs(y))`` on the reals."""

    rate: Exponent

    @property
    def scale(self) -> Fraction:
        """The reciprocal of the rate, up to the rounding of a logarithm."""
        base = self.rate.base
        return 1 / (self.rate.coefficient * (1 if base is None else Fraction(log_of(base))))

    def decay(self, distance: Fraction) -> Number:
        """Density at a distance from the location, relative to the peak."""
        return self.rate.times(-abs(distance)).power()

    def scaled(self, factor: Fraction) -> LaplaceLaw:
        """The law of a multiple."""
        return LaplaceLaw(self.rate.times(1 / abs(factor)))


@dataclass(frozen=True)
class GeometricLaw:
    """Integers with probability proportional to ``up**k``, or ``down**(-k)`` below 0.

    Each ratio is a fraction, or its logarithm as an exponent.
    """

    up: Exponent | Fraction
    down: Exponent | Fraction

    @property
    def scale(self) -> Fraction:
        """The distance of two neighbouring integers."""
        return Fraction(1)

    def decay(self, distance: Fraction) -> Number:
        """Probability at a distance from the location, relative to that of 0; none off the integers."""
        if distance.denominator != 1:
            return ZERO
        side = self.up if distance >= 0 else self.down
        steps = abs(distance.numerator)
        if isinstance(side, Exponent):
            return side.times(Fraction(steps)).power()
        return fmpq(side.numerator, side.denominator) ** steps


Law = LaplaceLaw | GeometricLaw


@dataclass(frozen=True)
class Noise:
    """One noise variable. The moment of its draw distinguishes it from others."""

    name: tuple[int, ...]
    law: Law


@dataclass(frozen=True, eq=False, repr=False)
class NoisyNumber:
    """A constant plus multiples of independent noise variables.

    It can be added to and multiplied with numbers. An operation that needs its value (a comparison, a rounding, a
    look-up or a text) raises :class:`UnfollowableError`, which is remembered if the estimator catches it.
    """

    constant: Fraction
    terms: tuple[tuple[Noise, Fraction], ...]
    peak: Fraction = Fraction(0)
    """The largest constant on the way to this one. Doubles round there."""

    def __post_init__(self) -> None:
        peak = max(self.peak, abs(self.constant))
        object.__setattr__(self, "peak", peak)
        if self.terms and peak * _DOUBLE > abs(self.constant) + _least_scale(self.terms):
            raise unfollowable(
                "large numbers with noise cancel, and doubles round the noise before: this cannot be followed exactly"
            )

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key that is equal for equal noisy numbers only."""
        return self.constant, self.terms

    @property
    def plain(self) -> Any:
        """The constant as code would have computed it without noise: an integer, or a double."""
        return self.constant.numerator if self.constant.denominator == 1 else float(self.constant)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        if asked_by_judged_code():
            raise unfollowable(f"the estimator asks for the type of a noisy number, {_NO_DOUBLE}")
        return NoisyNumber

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and asked_by_judged_code():
            raise unfollowable(f"the estimator asks a noisy number for {name!r}, {_NO_DOUBLE}")
        raise AttributeError(f"a noisy number has no {name!r}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        operation = _OPERATIONS.get(function) if method == "__call__" and not options else None
        if operation is None:
            raise unfollowable(
                f"the estimator applies numpy.{function.__name__} to a noisy number; only sums and multiples of noise "
                "can be followed exactly"
            )
        return operation(*inputs)

    def _affine(self, factor: Any, shift: Any) -> NoisyNumber:
        misread = abs(self.constant) * rounding_of(factor) + rounding_of(shift)
        factor, shift = fraction(factor, rounding=COMPUTED), fraction(shift, rounding=COMPUTED)
        terms = tuple((noise, weight * factor) for noise, weight in self.terms) if factor else ()
        if misread and terms:
            _require_coarser(terms, misread)
        return NoisyNumber(self.constant * factor + shift, terms, self.peak * abs(factor))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, NoisyNumber):
            weights = dict(self.terms)
            for noise, weight in other.terms:
                weights[noise] = weights.get(noise, Fraction(0)) + weight
            terms = tuple(sorted(((n, w) for n, w in weights.items() if w), key=lambda term: term[0].name))
            return NoisyNumber(self.constant + other.constant, terms, max(self.peak, other.peak))
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: self + value)
        return self._affine(1, other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, NoisyNumber):
            raise unfollowable("the product of two noisy numbers cannot be followed exactly")
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: self * value)
        return self._affine(other, 0)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, NoisyNumber):
            raise unfollowable("a quotient by a noisy number cannot be followed exactly")
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: self / value)
        return self._affine(1 / fraction(other, rounding=COMPUTED), 0)

    def __neg__(self) -> NoisyNumber:
        return self._affine(-1, 0)

    def __pos__(self) -> NoisyNumber:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    __radd__, __rmul__ = __add__, __mul__

    def _value(self, *_: Any) -> Any:
        raise unfollowable(
            "the estimator compares, rounds or converts a noisy number; only sums and multiples of noise can be "
            "followed exactly (release the plain number, and clip or round it afterwards)"
        )

    def __repr__(self) -> str:
        if not _showing.get():
            self._value()
        return as_text(self.constant) + " + noise" * len(self.terms)

    __float__ = __int__ = __index__ = __bool__ = __round__ = __floor__ = __ceil__ = __trunc__ = _value
    __lt__ = __le__ = __gt__ = __ge__ = __floordiv__ = __mod__ = __pow__ = __rtruediv__ = __abs__ = _value
    __rfloordiv__ = __rmod__ = __rpow__ = __divmod__ = __rdivmod__ = _value
    __eq__ = __ne__ = __hash__ = __str__ = __format__ = __reduce__ = __reduce_ex__ = __complex__ = _value

    def __copy__(self) -> NoisyNumber:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        found = memo.get(COLLECTED)
        if found is None:
            return self
        if not self.terms:
            # No noise is left in it: it looks like any other number.
            memo[REPLACED] = True
            return self.plain
        found.append(self)
        memo[REPLACED] = True
        return Placeholder(len(found))


_NO_DOUBLE = "which is not the double of a run; only its sums and multiples can be followed exactly"


def _difference(left: Any, right: Any) -> Any:
    return left - right if type(left) is NoisyNumber else -right + left


_OPERATIONS: dict[Any, Any] = {
    np.add: lambda left, right: left + right if type(left) is NoisyNumber else right + left,
    np.multiply: lambda left, right: left * right if type(left) is NoisyNumber else right * left,
    np.subtract: _difference,
    np.true_divide: lambda left, right: left / right if type(left) is NoisyNumber else right._value(),
    np.negative: lambda number: -number,
    np.positive: lambda number: number,
}
"""The functions of numpy that are sums and multiples. Numpy calls them for its own numbers and arrays."""


def _least_scale(terms: tuple[tuple[Noise, Fraction], ...]) -> Fraction:
    return min(abs(weight) * noise.law.scale for noise, weight in terms)


def _require_coarser(terms: tuple[tuple[Noise, Fraction], ...], misread: Fraction) -> None:
    """Refuse noise so small that a location, read as the fraction that its author meant, is another location."""
    scale = _least_scale(terms)
    if misread > _MISREAD * scale:
        raise unfollowable(
            f"noise of the scale {float(scale):.3g} is too small for the number that it is added to: the check reads "
            f"numbers that differ by {float(misread):.3g} as one number there (noise of a larger scale can be followed)"
        )


_showing: ContextVar[bool] = ContextVar("_showing", default=False)


def as_text(value: Fraction) -> str:
    """A location of noise with six digits, for a reader."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "a number beyond all doubles"


def shown(value: Any) -> str:
    """The text of a value that may hold noisy numbers, for a reader."""
    token = _showing.set(True)
    try:
        return repr(value)
    except ValueError:
        # Python writes no whole number of more than 4300 digits in decimal digits.
        return f"a value of the type {type(value).__name__} with a number of more than 4300 digits"
    finally:
        _showing.reset(token)


COLLECTED = "noisy numbers"
"""Key of the memo of a deep copy under which noisy numbers are collected and replaced."""

REPLACED = "replaced"
"""Key of that memo under which the copy tells that it replaced a noisy number."""


@dataclass(frozen=True)
class Placeholder:
    """It replaces a noisy number, so that the rest of a value can be compared."""

    number: int


def _each(array: Any, function: Any) -> Any:
    made = np.empty(array.shape, dtype=object)
    for place, value in np.ndenumerate(array):
        made[place] = function(value)
    return made
