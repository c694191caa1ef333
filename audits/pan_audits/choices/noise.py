"""Noise that is not enumerated: numbers with noise in them, and what code may do with them.

The context variables of the noise that is followed. Judged code does not set them.

Values with noisy numbers as texts, for a reader.

A deep copy replaces noisy numbers, so that the rest of a value can be compared.

Results of arithmetic with noise that are kept: code that runs on many inputs computes the same sums each time.

A result depends on its operands alone. Operands are recognised by identity, so that no fraction is compared. A number
that is kept is alive, and no other object has its identity.

Functions of numpy on noisy numbers.

Noise that is not drawn: a number of the form constant plus multiples of noise variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np

from pan_audits.choices.distributions import (
    DOUBLE,
    Noise,
    common_divisor,
    is_integer,
    is_short,
    is_whole,
    least_scale,
    require_coarser,
)
from pan_audits.choices.errors import asked_by_judged_code, refusing_the_rest, unfollowable
from pan_audits.choices.numbers import COMPUTED, fraction, is_rounded, rounding_of

DECIDER: ContextVar[Any] = ContextVar("DECIDER", default=None)
"""A :class:`pan_audits.choices.enumerating.Decider` of comparisons and roundings of noisy numbers, if there is one."""

SHOWING: ContextVar[bool] = ContextVar("SHOWING", default=False)
"""Whether noisy numbers may be written as text."""

CONTEXT = (DECIDER, SHOWING)


def as_text(value: Fraction) -> str:
    """A location of noise with six digits, for a reader."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "a number beyond all doubles"


def shown(value: Any) -> str:
    """The text of a value that may hold noisy numbers, for a reader."""
    token = SHOWING.set(True)
    try:
        return repr(value)
    except ValueError:
        # Python writes no whole number of more than 4300 digits in decimal digits.
        return f"a value of the type {type(value).__name__} with a number of more than 4300 digits"
    finally:
        SHOWING.reset(token)


COLLECTED = "noisy numbers"
"""Key of the memo of a deep copy under which noisy numbers are collected and replaced."""

REPLACING = "replacing"
"""Key of that memo for a function that gives another number for each noisy number."""

REPLACED = "replaced"
"""Key of that memo under which the copy tells that it replaced a noisy number."""


@dataclass(frozen=True)
class Placeholder:
    """It replaces a noisy number, so that the rest of a value can be compared."""

    number: int


T = TypeVar("T")

KEPT_TYPES = frozenset({int, float, Fraction, np.float64, np.int64})
"""Types of plain operands. An object of another type may say of itself that it equals another one."""

_MOST = 10_000

_RESULTS: dict[Hashable, tuple[tuple[Any, ...], Any]] = {}


def kept(name: Hashable, alive: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """The result under a name, computed once."""
    found = _RESULTS.get(name)
    if found is None:
        result = compute()
        if len(_RESULTS) >= _MOST:
            _RESULTS.clear()
        _RESULTS[name] = alive, result
        return result
    known: T = found[1]
    return known


def _is_noisy(value: Any) -> bool:
    """Whether a value is a noisy number. That module imports this one."""
    return hasattr(type(value), "mirrored")


def _difference(left: Any, right: Any) -> Any:
    return left - right if _is_noisy(left) else right.__rsub__(left)


def _larger(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return left if left >= right else right


def _smaller(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return left if left <= right else right


def _require_numbers(*values: Any) -> None:
    if any(isinstance(value, np.ndarray) or value != value for value in values if not _is_noisy(value)):
        raise unfollowable("the estimator takes the larger or smaller one of a noisy number and of no single number")


OPERATIONS: dict[Any, Any] = {
    np.add: lambda left, right: left + right if _is_noisy(left) else right + left,
    np.multiply: lambda left, right: left * right if _is_noisy(left) else right * left,
    np.subtract: _difference,
    np.true_divide: lambda left, right: left / right if _is_noisy(left) else right.refuse(),
    np.negative: lambda number: -number,
    np.positive: lambda number: number,
    np.absolute: abs,
    np.floor: lambda number: number._whole_double(number),
    np.ceil: lambda number: number._whole_double(-number, down=False),
    np.trunc: lambda number: number._whole_double(number, towards_zero=True),
    np.rint: lambda number: round(number, 0),
    np.floor_divide: lambda left, right: left // right if _is_noisy(left) else right.refuse(),
    np.maximum: _larger,
    np.minimum: _smaller,
    np.greater: lambda left, right: left > right if _is_noisy(left) else right < left,
    np.greater_equal: lambda left, right: left >= right if _is_noisy(left) else right <= left,
    np.less: lambda left, right: left < right if _is_noisy(left) else right > left,
    np.less_equal: lambda left, right: left <= right if _is_noisy(left) else right >= left,
    np.equal: lambda left, right: left == right if _is_noisy(left) else right == left,
    np.not_equal: lambda left, right: left != right if _is_noisy(left) else right != left,
}
"""The functions of numpy that are sums, multiples, comparisons and roundings. Numpy calls them for its own numbers."""


def _numpy_round(number: Any, decimals: Any = 0, out: None = None) -> Any:
    return round(number, decimals)


def _numpy_clip(number: Any, low: Any = None, high: Any = None, out: None = None) -> Any:
    above = number if low is None else _larger(number, low)
    if high is None:
        return above
    return _smaller(above, high) if _is_noisy(above) else min(above, high)


METHODS: dict[str, Any] = {"round": _numpy_round, "clip": _numpy_clip, "rint": _numpy_round}
"""The methods that numpy asks numbers for."""


@refusing_the_rest
@dataclass(frozen=True, eq=False, repr=False)
class NoisyNumber:
    """A constant plus multiples of independent noise variables.

    It can be added to and multiplied with numbers. For a comparison it asks the decider
    (:class:`pan_audits.choices.enumerating.Decider`) for one of the possible results, and for a rounding for a number
    with integer noise. Any other operation that needs its value (a function, a look-up or a text) raises
    :class:`UnfollowableError`, which is remembered if the estimator catches it.
    """

    constant: Fraction
    terms: tuple[tuple[Noise, Fraction], ...]
    peak: Fraction = Fraction(0)
    """The largest constant on the way to this one. Doubles round there."""
    exact: bool = True
    """Whether doubles did not round on the way to it: all numbers were short binary fractions."""
    double: bool = False
    """Whether it is a double also where its noise is an integer: then a zero has a sign."""
    function: str = ""
    """The name of an increasing function of it that is seen in its place."""

    def __post_init__(self) -> None:
        peak = max(self.peak, abs(self.constant))
        object.__setattr__(self, "peak", peak)
        if self.terms and peak * DOUBLE > abs(self.constant) + least_scale(self.terms):
            raise unfollowable(
                "large numbers with noise cancel, and doubles round the noise before: this cannot be followed exactly"
            )

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key that is equal for equal noisy numbers only."""
        return self.function, self.constant, self.terms

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
        if name in METHODS:
            return partial(METHODS[name], self)
        if not name.startswith("__") and asked_by_judged_code():
            raise unfollowable(f"the estimator asks a noisy number for {name!r}, {_NO_DOUBLE}")
        raise AttributeError(f"a noisy number has no {name!r}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        operation = OPERATIONS.get(function) if method == "__call__" and not options else None
        if operation is None:
            raise unfollowable(
                f"the estimator applies numpy.{function.__name__} to a noisy number; only sums and multiples of noise "
                "can be followed exactly"
            )
        return operation(*inputs)

    def _affine(self, factor: Any, shift: Any) -> NoisyNumber:
        if type(factor) not in KEPT_TYPES or type(shift) not in KEPT_TYPES:
            return self._affine_of(factor, shift)
        name = (id(self), type(factor), factor, type(shift), shift)
        return kept(name, (self,), lambda: self._affine_of(factor, shift))

    def _affine_of(self, factor: Any, shift: Any) -> NoisyNumber:
        rounding = rounding_of(factor), rounding_of(shift)
        misread = abs(self.constant) * rounding[0] + rounding[1]
        double = self.double or any(isinstance(one, (float, np.floating)) for one in (factor, shift))
        if self.terms and self.integer and self.exact and is_rounded(shift):
            raise unfollowable(
                f"the estimator adds integer noise to {shift!r}, a double that a computation rounded: the output shows "
                "its last digit, but the exact check follows real numbers (round the number before, or add integers)"
            )
        factor, shift = fraction(factor, rounding=COMPUTED), fraction(shift, rounding=COMPUTED)
        terms = tuple((noise, weight * factor) for noise, weight in self.terms) if factor else ()
        if misread and terms:
            require_coarser(terms, misread)
        if factor < 0 and not shift and double and self.integer:
            raise unfollowable(
                "the estimator multiplies integer noise, as a double, by a negative number: the sign of a zero cannot "
                "be followed exactly (subtract it from a number, or convert it with int)"
            )
        constant = self.constant * factor + shift
        # Python's integers have any length.
        parts = (factor, shift, constant, *(weight for _, weight in terms))
        short = all(map(is_short if double else is_whole, parts))
        exact = self.exact and not any(rounding) and short
        return NoisyNumber(constant, terms, self.peak * abs(factor), exact, double)

    def _combined(self, other: NoisyNumber, sign: int) -> NoisyNumber:
        """The sum with another noisy number, or the difference."""
        return kept((id(self), id(other), sign), (self, other), lambda: self._combined_of(other, sign))

    def _combined_of(self, other: NoisyNumber, sign: int) -> NoisyNumber:
        weights = dict(self.terms)
        for noise, weight in other.terms:
            weights[noise] = weights.get(noise, Fraction(0)) + sign * weight
        terms = tuple(sorted(((n, w) for n, w in weights.items() if w), key=lambda term: term[0].name))
        same = sign < 0 and self.identity == other.identity
        if self.terms and not terms and not same and not all(number.integer for number in (self, other)):
            raise unfollowable(
                "all noise of a number cancels: doubles leave a rest of it, but the exact check follows real numbers"
            )
        exact, double = self.exact and other.exact, self.double or other.double
        peak = max(self.peak, other.peak)
        return NoisyNumber(self.constant + sign * other.constant, terms, peak, exact, double)

    @property
    def mirrored(self) -> NoisyNumber:
        """Its negative, for a comparison."""
        return NoisyNumber(Fraction(0), ())._combined(self, -1)

    @property
    def integer(self) -> bool:
        """Whether all its noise is integer noise."""
        return all(is_integer(noise.distribution) for noise, _ in self.terms)

    def __add__(self, other: Any) -> Any:
        other = shown_as_noise(other)
        if isinstance(other, NoisyNumber):
            return self._combined(other, 1)
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: self + value)
        return _without_noise(other) if _is_infinite(other) else self._affine(1, other)

    def __mul__(self, other: Any) -> Any:
        if _is_uniform(other):
            return NotImplemented
        if isinstance(other, NoisyNumber):
            raise unfollowable("the product of two noisy numbers cannot be followed exactly")
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: self * value)
        return math.nan if _is_nan(other) else self._affine(other, 0)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, NoisyNumber):
            raise unfollowable("a quotient by a noisy number cannot be followed exactly")
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: self / value)
        if _is_nan(other):
            return math.nan
        made = self._affine(1 / fraction(other, rounding=COMPUTED), 0.0)
        return replace(made, exact=made.exact and not rounding_of(other))

    def __neg__(self) -> NoisyNumber:
        return self._affine(-1, 0)

    def __pos__(self) -> NoisyNumber:
        return self

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, -1) if isinstance(other, NoisyNumber) else self + (-other)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return _each(other, lambda value: value - self)
        return _without_noise(other) if _is_infinite(other) else self._affine(-1, other)

    __radd__, __rmul__ = __add__, __mul__

    def refuse(self, *_: Any) -> Any:
        raise unfollowable(
            "the estimator converts a noisy number, or takes a function of it; only sums, multiples, comparisons and "
            "roundings of noise can be followed exactly (release the plain number, and convert it afterwards)"
        )

    def _whole_part(self, *, towards_zero: bool = False, signed: bool = False) -> Any:
        decider = DECIDER.get()
        if decider is None:
            return self.refuse()
        if not self.integer:
            return decider.whole_part(self, towards_zero, signed)
        if not self.exact or any(value.denominator != 1 for value in (self.constant, *dict(self.terms).values())):
            raise unfollowable(
                "the estimator rounds integer noise after arithmetic that leaves the integers, or that rounds: this "
                "cannot be followed exactly"
            )
        return self

    def _whole_double(self, number: NoisyNumber, *, towards_zero: bool = False, down: bool = True) -> Any:
        """The whole part of a number as the double that numpy gives, where a zero has the sign of this number."""
        whole = number._whole_part(towards_zero=towards_zero, signed=True)
        whole = whole if down else -whole
        if self.integer:
            return replace(whole, double=True)
        if whole == 0:
            return -0.0 if self < 0 else 0.0
        return replace(whole, double=True)

    def __floor__(self) -> Any:
        return self._whole_part()

    def __ceil__(self) -> Any:
        return self._whole_part() if self.integer else -(-self)._whole_part()

    def __trunc__(self) -> Any:
        return self._whole_part(towards_zero=True)

    def __round__(self, digits: Any = None) -> Any:
        if digits is None:
            return (self if self.integer else self + Fraction(1, 2))._whole_part()
        if not isinstance(digits, (int, np.integer)):
            return self.refuse()
        if self.integer:
            return self._whole_part() if digits >= 0 else self.refuse()
        unit = Fraction(10) ** -int(digits)
        whole = self._whole_double(self / unit + Fraction(1, 2))
        return whole * unit if type(whole) is NoisyNumber else whole

    def __floordiv__(self, other: Any) -> Any:
        if isinstance(other, (NoisyNumber, np.ndarray)):
            return self.refuse()
        quotient = self / other
        return quotient._whole_double(quotient)

    def __gt__(self, other: Any) -> Any:
        return _ordered(self, other, 1, strict=True)

    def __ge__(self, other: Any) -> Any:
        return _ordered(self, other, 1, strict=False)

    def __lt__(self, other: Any) -> Any:
        return _ordered(self, other, -1, strict=True)

    def __le__(self, other: Any) -> Any:
        return _ordered(self, other, -1, strict=False)

    def __eq__(self, other: Any) -> Any:
        return _equal(self, other)

    def __ne__(self, other: Any) -> Any:
        equal = _equal(self, other)
        if equal is NotImplemented or isinstance(equal, np.ndarray):
            return equal if equal is NotImplemented else np.logical_not(equal)
        return not equal

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __repr__(self) -> str:
        if not SHOWING.get():
            self.refuse()
        return as_text(self.constant) + " + noise" * len(self.terms)

    def __copy__(self) -> NoisyNumber:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        if REPLACING in memo:
            return memo[REPLACING](self)
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


def _is_uniform(value: Any) -> bool:
    """Whether a value is a function of a uniform number. That module imports this one."""
    return hasattr(type(value), "as_noise")


def shown_as_noise(value: Any) -> Any:
    """A value, and in place of a function of a uniform number its noise."""
    return value.as_noise() if _is_uniform(value) else value


_NO_DOUBLE = "which is not the double of a run; only its sums and multiples can be followed exactly"


def _is_nan(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _is_infinite(value: Any) -> bool:
    """Whether a number is infinite or NaN, beside which noise is lost: noise is finite."""
    return isinstance(value, (float, np.floating)) and not math.isfinite(value)


def _without_noise(value: Any) -> float:
    # The sign of NaN means nothing.
    return math.nan if _is_nan(value) else float(value)


def _ordered(number: NoisyNumber, other: Any, sign: int, *, strict: bool) -> Any:
    """Whether ``sign * (number - other)`` is above 0, or at least 0."""
    other = shown_as_noise(other)
    if isinstance(other, np.ndarray):
        return _each(other, lambda value: _ordered(number, value, sign, strict=strict)).astype(np.bool_)
    if not isinstance(other, (NoisyNumber, int, float, Fraction, np.integer, np.floating, np.bool_)):
        return NotImplemented if type(other).__module__ == "builtins" else number.refuse()
    decider = DECIDER.get()
    if decider is None:
        return number.refuse()
    if _is_infinite(other):
        # Noise is finite: it lies below infinity, and a comparison with no number is false.
        return bool(sign * other < 0)
    difference = number - other
    if difference.terms:
        _require_no_tie(difference)
        return bool(decider.compared(difference if sign > 0 else difference.mirrored, strict))
    return _of_constants(number, other, sign * difference.constant, strict)


def _require_no_tie(number: NoisyNumber) -> None:
    """Refuse a comparison of integer noise that real numbers decide otherwise than doubles."""
    if number.exact or not number.integer:
        return
    step = reduce(common_divisor, (weight for _, weight in number.terms))
    place = number.constant / step
    if abs(place - round(place)) <= DOUBLE * max(Fraction(1), abs(place)):
        raise unfollowable(
            "the estimator compares integer noise with a number that it may be equal to, after arithmetic that rounds: "
            "there doubles decide, but the exact check follows real numbers"
        )


def _of_constants(number: NoisyNumber, other: Any, constant: Fraction, strict: bool) -> bool:
    """A comparison in which all noise cancels."""
    sizes = [abs(weight) * noise.distribution.scale for noise, weight in number.terms]
    sizes += [number.peak, other.peak if isinstance(other, NoisyNumber) else abs(fraction(other))]
    # A number that is computed again, in another order, can be rounded to another double.
    if other is not number and abs(constant) <= DOUBLE * max(sizes):
        raise unfollowable(
            "the estimator compares numbers with the same noise that are nearly equal: there the rounding of doubles "
            "decides, but the exact check follows real numbers"
        )
    return constant > 0 or (constant == 0 and not strict)


def _equal(number: NoisyNumber, other: Any) -> Any:
    other = shown_as_noise(other)
    if isinstance(other, np.ndarray):
        return _each(other, lambda value: _equal(number, value)).astype(np.bool_)
    if DECIDER.get() is None:
        return number.refuse()
    if _is_infinite(other):
        return False
    if isinstance(other, (NoisyNumber, int, float, Fraction, np.integer, np.floating, np.bool_)):
        difference = number - other
        if difference.terms and not all(is_integer(noise.distribution) for noise, _ in difference.terms):
            # Noise with a density has any given value with probability 0.
            return False
    at_least = _ordered(number, other, 1, strict=False)
    return at_least if at_least is NotImplemented else at_least and not _ordered(number, other, 1, strict=True)


def _each(array: Any, function: Any) -> Any:
    made = np.empty(array.shape, dtype=object)
    for place, value in np.ndenumerate(array):
        made[place] = function(value)
    return made
