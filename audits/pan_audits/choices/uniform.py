"""A uniform number that is not drawn, as the judged code computes with it.

A comparison with a constant has an exact probability, and confines the number. Sums and multiples are numbers of the
same kind. A whole part is a random choice. The logarithm of a number that is uniform from 0 on is exponential noise:
this is how code without a library makes Laplace, exponential and geometric noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from pan_audits.choices.errors import asked_by_judged_code, refusing_the_rest, unfollowable
from pan_audits.choices.numbers import fraction, is_simple

_NEAR = Fraction(1, 2**45)
"""Constants that are nearer to one another than this part of the range cannot be followed as real numbers."""


class UniformLimits:
    """The constants with which one uniform number was compared, and its bounds."""

    __slots__ = ("_constants", "high", "low")

    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = fraction(low), fraction(high)
        self._constants: dict[Fraction, Any] = {}
        if self.low >= self.high:
            raise unfollowable(f"there is no uniform number from {low!r} to {high!r}")

    def place_of(self, constant: Any, *, strictly: bool) -> Fraction:
        """The fraction that a constant means, for the question whether the number is below it, or at most it."""
        if isinstance(constant, (float, np.floating)) and not np.isfinite(constant):
            raise unfollowable(f"the estimator compares a uniform number with {constant!r}")
        limit = fraction(constant)
        if limit in (self.low, self.high, *self._constants) and float(limit) != constant:
            # A double next to an end, or to another constant, is not read as that one.
            limit = Fraction(constant)
        if limit == self.low and not strictly:
            raise unfollowable(
                f"the estimator tests whether a uniform number is at most {constant!r}, its least value: with 53 "
                f"bits this has the probability 2**-53, but the exact check follows real numbers; compare with <"
            )
        width = self.high - self.low
        known = self._constants.setdefault(limit, constant)
        places = [(end - self.low) / width for end in (limit, self.low, self.high, *self._constants)]
        near = any(0 < abs(places[0] - place) < _NEAR for place in places)
        same_distribution = strictly and all((place * 2**53).denominator == 1 for place in places)
        if (near and not same_distribution) or known != constant:
            raise unfollowable(
                f"the estimator compares a uniform number with {constant!r}, next to an end or to another constant: "
                "there the 53 bits of a double decide, but the exact check follows real numbers"
            )
        return limit


_NO_SIMPLE_FRACTION = 2.0**-0.5
"""A call with this probability draws no bit; it records that not all numbers are simple fractions."""

_INSTEAD = (
    "use integers for a uniform integer, choice with p for a distribution on finitely many values, laplace for noise, "
    "or "
    "bernoulli for bits"
)


def note_constant(constant: Any, bernoulli: Callable[[Any, int], Any]) -> None:
    """Record a constant that is no simple fraction."""
    if not is_simple(constant):
        bernoulli(_NO_SIMPLE_FRACTION, 0)


class _Variable:
    """A number that is uniform between two limits, to which comparisons have confined it."""

    __slots__ = ("_bernoulli", "_exponential", "_limits", "_logarithms", "high", "low")

    def __init__(self, low: Any, high: Any, bernoulli: Callable[[Any, int], Any], exponential: Any) -> None:
        self._limits = UniformLimits(low, high)
        self.low, self.high = self._limits.low, self._limits.high
        self._bernoulli, self._exponential = bernoulli, exponential
        self._logarithms: dict[tuple[Fraction, Fraction], Any] = {}
        self.note(low)
        self.note(high)

    def note(self, constant: Any) -> None:
        """Record a constant that is no simple fraction."""
        note_constant(constant, self._bernoulli)

    def _require_open(self) -> None:
        if self._logarithms:
            raise unfollowable("the estimator uses a uniform number again, whose logarithm it has taken")

    def below(self, constant: Any, strictly: bool) -> bool:
        """Whether it is below a constant, or at most it."""
        self._require_open()
        limit = self._limits.place_of(constant, strictly=strictly)
        if limit <= self.low or limit >= self.high:
            return limit > self.low
        self.note(constant)
        below = bool(self._bernoulli((limit - self.low) / (self.high - self.low), 1)[0])
        if below:
            self.high = limit
        else:
            self.low = limit
        return below

    def logarithm(self, factor: Fraction, shift: Fraction) -> Any:
        """The logarithm of a multiple with a shift, if this lies between 0 and a positive number."""
        if (factor, shift) not in self._logarithms:
            self._require_open()
            least, most = sorted((factor * self.low + shift, factor * self.high + shift))
            if least != 0:
                raise unfollowable(
                    f"the estimator takes the logarithm of a uniform number from {float(least)!r} to {float(most)!r}; "
                    "only from 0 on it is noise of a known distribution"
                )
            logarithm = 0 if most == 1 else math.log(most)
            self._logarithms[factor, shift] = logarithm - self._exponential(1, 1)[0]
        return self._logarithms[factor, shift]

    def whole_part(self, factor: Fraction, shift: Fraction) -> int:
        """The integer below a multiple with a shift, which is a random choice."""
        self._require_open()
        least, most = sorted((factor * self.low + shift, factor * self.high + shift))
        first, past = math.floor(least), math.ceil(most)
        if past - first > _MOST_PARTS:
            raise unfollowable(f"the whole part of a uniform number has {past - first} values")
        whole = first
        # One comparison after the other, so that the number is confined as by comparisons of the code.
        while whole < past - 1:
            limit = (whole + 1 - shift) / factor
            if self.below(limit, True) is (factor > 0):
                break
            whole += 1
        return whole


_MOST_PARTS = 256
_LARGEST_SHIFT = 2**20
"""The largest shift that leaves most of the bits of a uniform number, in units of its range."""


@refusing_the_rest
class UniformNumber:
    """A uniform number between two constants, or a multiple of it with a shift.

    A comparison with a constant draws one bit with the probability of its outcome, given all earlier comparisons.
    A use that has no known distribution raises :class:`UnfollowableError`, which is remembered if the estimator catches
    it.
    """

    __slots__ = ("_factor", "_shift", "_variable")

    def __init__(self, variable: _Variable, factor: Fraction, shift: Fraction) -> None:
        self._variable, self._factor, self._shift = variable, factor, shift

    def _below(self, constant: Any, strictly: bool) -> Any:
        if isinstance(constant, np.ndarray):
            sides = [self._below(one, strictly) for one in constant.ravel().tolist()]
            return np.array(sides, dtype=np.bool_).reshape(constant.shape)
        if constant is self:
            # numpy.searchsorted compares in this way.
            return not strictly
        if not _is_constant(constant):
            raise unfollowable(
                f"the estimator compares a uniform number with a {type(constant).__name__}, not with a constant; "
                f"{_INSTEAD}"
            )
        if self._factor == 1 and not self._shift:
            return self._variable.below(constant, strictly)
        if isinstance(constant, (float, np.floating)) and not np.isfinite(constant):
            return bool(constant > 0)
        place = (fraction(constant) - self._shift) / self._factor
        if self._factor > 0:
            return self._variable.below(place, strictly)
        return not self._variable.below(place, not strictly)

    def __lt__(self, constant: Any) -> Any:
        return self._below(constant, True)

    def __le__(self, constant: Any) -> Any:
        return self._below(constant, False)

    def __gt__(self, constant: Any) -> Any:
        return np.logical_not(below) if isinstance(below := self <= constant, np.ndarray) else not below

    def __ge__(self, constant: Any) -> Any:
        return np.logical_not(below) if isinstance(below := self < constant, np.ndarray) else not below

    def __eq__(self, constant: Any) -> Any:
        """A number with a density has any given value with probability 0."""
        return False if _is_constant(constant) else self.refuse()

    def __ne__(self, constant: Any) -> Any:
        return True if _is_constant(constant) else self.refuse()

    def _affine(self, factor: Any, shift: Any) -> Any:
        for constant in (factor, shift):
            if not _is_constant(constant) or not np.isfinite(float(constant)):
                return self.refuse()
            self._variable.note(constant)
        factor, shift = fraction(factor), fraction(shift)
        if factor == 0:
            return self.refuse()
        made = UniformNumber(self._variable, factor * self._factor, factor * self._shift + shift)
        width = self._variable.high - self._variable.low
        if abs(made._shift) > _LARGEST_SHIFT * abs(made._factor) * width:
            raise unfollowable(
                "the estimator adds a uniform number to a much larger one: there doubles round, but the exact check "
                "follows real numbers"
            )
        return made

    def __add__(self, other: Any) -> Any:
        return self._affine(1, other)

    def __sub__(self, other: Any) -> Any:
        return self._affine(1, -other)

    def __rsub__(self, other: Any) -> Any:
        return self._affine(-1, other)

    def __mul__(self, other: Any) -> Any:
        return self._affine(other, 0)

    def __truediv__(self, other: Any) -> Any:
        if not _is_constant(other) or not other or not np.isfinite(float(other)):
            return self.refuse()
        self._variable.note(other)
        return self._affine(1 / fraction(other), 0)

    def __neg__(self) -> Any:
        return self._affine(-1, 0)

    def __pos__(self) -> Any:
        return self

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __floor__(self) -> int:
        return self._variable.whole_part(self._factor, self._shift)

    def __ceil__(self) -> int:
        return self.__floor__() + 1

    def __trunc__(self) -> int:
        return self.__floor__() if self >= 0 else self.__ceil__()

    def log(self) -> Any:
        """The natural logarithm."""
        return self._variable.logarithm(self._factor, self._shift)

    def log1p(self) -> Any:
        """The natural logarithm of the number plus 1."""
        return (self + 1).log()

    def sign(self) -> float:
        """1 or -1."""
        return 1.0 if self > 0 else -1.0

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        raise unfollowable(
            "the estimator uses a number of random or uniform in a way that cannot be followed exactly: sums, "
            f"multiples, comparisons with constants, whole parts and logarithms can; {_INSTEAD}"
        )

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.refuse() if asked_by_judged_code() else UniformNumber

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and asked_by_judged_code():
            self.refuse()
        raise AttributeError(f"a uniform number has no {name!r}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        names = _OF_NUMPY.get(function)
        if names is None or method != "__call__" or options:
            return self.refuse()
        if len(inputs) == 2 and any(isinstance(one, np.ndarray) and one.ndim for one in inputs):
            left, right = (np.asarray(one, dtype=object) for one in inputs)
            made = np.frompyfunc(lambda one, other: function(one, other), 2, 1)(left, right)
            return made.astype(np.bool_) if names[0] in _COMPARISONS else made
        if type(inputs[0]) is UniformNumber:
            return getattr(inputs[0], names[0])(*inputs[1:])
        return getattr(inputs[1], names[1])(inputs[0])


def _is_constant(value: Any) -> bool:
    return type(value) is not UniformNumber and isinstance(value, (int, float, Fraction, np.number, np.bool_))


_COMPARISONS = ("__lt__", "__gt__", "__le__", "__ge__", "__eq__", "__ne__")

_OF_NUMPY: dict[Any, tuple[str, str]] = {
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__ne__"),
    np.add: ("__add__", "__radd__"),
    np.subtract: ("__sub__", "__rsub__"),
    np.multiply: ("__mul__", "__rmul__"),
    np.true_divide: ("__truediv__", "refuse"),
    np.negative: ("__neg__", ""),
    np.absolute: ("__abs__", ""),
    np.sign: ("sign", ""),
    np.floor: ("__floor__", ""),
    np.ceil: ("__ceil__", ""),
    np.trunc: ("__trunc__", ""),
    np.log: ("log", ""),
    np.log1p: ("log1p", ""),
}
"""Functions of numpy, as methods of a uniform number at the left and at the right."""

_OF_MATH: dict[str, Callable[..., Any]] = {
    "log": lambda number, *base: number.log() if not base else number.log() / math.log(*base),
    "log1p": lambda number: number.log1p(),
    "fabs": abs,
}


def let_math_follow() -> None:
    """Let the functions of ``math`` follow uniform numbers, before judged code is imported."""
    for name, followed in {**_OF_MATH, "copysign": _copysign}.items():
        function = followed if name == "copysign" else _following(getattr(math, name), followed)
        # A compiler finds a function by its module and its name.
        function.__module__, function.__name__, function.__qualname__ = "math", name, name
        setattr(math, name, function)


def _following(original: Callable[..., Any], followed: Callable[..., Any]) -> Callable[..., Any]:
    def function(number: Any, *others: Any) -> Any:
        return (followed if type(number) is UniformNumber else original)(number, *others)

    return function


_plain_copysign = math.copysign


def _copysign(size: Any, sign: Any, /) -> float:
    return _plain_copysign(size, sign.sign() if type(sign) is UniformNumber else sign)


def uniform_numbers(
    low: Any, high: Any, size: int, bernoulli: Callable[[Any, int], Any], exponential: Callable[[Any, int], Any]
) -> np.ndarray[Any, Any]:
    """An array of uniform numbers that are not drawn; the last two arguments make the draws for what code asks."""
    made = np.empty(size, dtype=object)
    for place in range(size):
        made[place] = UniformNumber(_Variable(low, high, bernoulli, exponential), Fraction(1), Fraction(0))
    return made


def refuse_uniform(value: Any) -> None:
    """Raise the error of a uniform number, if a value is one."""
    if isinstance(value, UniformNumber):
        value.refuse()
