"""A uniform number, and the limits to which comparisons confine it.

Comparisons of a uniform number with constants: which fractions they mean, and which ones doubles decide.

A uniform number that is not drawn: a comparison with a constant has an exact probability.
"""

from __future__ import annotations

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


@refusing_the_rest
class UniformNumber:
    """A uniform number between two constants.

    A comparison with a constant draws one bit with the probability of its outcome, given all earlier comparisons.
    Any other use raises :class:`UnfollowableError`, which is remembered if the estimator catches it.
    """

    __slots__ = ("_bernoulli", "_high", "_limits", "_low")

    def __init__(self, low: Any, high: Any, bernoulli: Callable[[Any, int], Any]) -> None:
        self._limits = UniformLimits(low, high)
        self._low, self._high = self._limits.low, self._limits.high
        self._bernoulli = bernoulli
        self._note(low)
        self._note(high)

    def _note(self, constant: Any) -> None:
        note_constant(constant, self._bernoulli)

    def _below(self, constant: Any, strictly: bool) -> Any:
        if isinstance(constant, np.ndarray):
            sides = [self._below(one, strictly) for one in constant.ravel().tolist()]
            return np.array(sides, dtype=np.bool_).reshape(constant.shape)
        if constant is self:
            # numpy.searchsorted compares in this way.
            return not strictly
        if not isinstance(constant, (int, float, Fraction, np.number, np.bool_)):
            raise unfollowable(
                f"the estimator compares a uniform number with a {type(constant).__name__}, not with a constant; "
                f"{_INSTEAD}"
            )
        limit = self._limits.place_of(constant, strictly=strictly)
        if limit <= self._low or limit >= self._high:
            return limit > self._low
        self._note(constant)
        below = bool(self._bernoulli((limit - self._low) / (self._high - self._low), 1)[0])
        if below:
            self._high = limit
        else:
            self._low = limit
        return below

    def __lt__(self, constant: Any) -> Any:
        return self._below(constant, True)

    def __le__(self, constant: Any) -> Any:
        return self._below(constant, False)

    def __gt__(self, constant: Any) -> Any:
        return np.logical_not(below) if isinstance(below := self <= constant, np.ndarray) else not below

    def __ge__(self, constant: Any) -> Any:
        return np.logical_not(below) if isinstance(below := self < constant, np.ndarray) else not below

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        raise unfollowable(
            "the estimator uses a number of random or uniform outside of a comparison with a constant, and this "
            f"cannot be followed exactly; {_INSTEAD}"
        )

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.refuse() if asked_by_judged_code() else UniformNumber

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and asked_by_judged_code():
            self.refuse()
        raise AttributeError(f"a uniform number has no {name!r}")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        turned = _TURNED.get(function)
        if turned is None or method != "__call__" or options:
            return self.refuse()
        left, right = inputs
        if type(left) is UniformNumber:
            return getattr(left, turned[0])(right)
        return getattr(right, turned[1])(left)


_TURNED: dict[Any, tuple[str, str]] = {
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
}
"""The comparisons of numpy, as methods of a uniform number at the left and at the right."""


def uniform_numbers(low: Any, high: Any, size: int, bernoulli: Callable[[Any, int], Any]) -> np.ndarray[Any, Any]:
    """An array of uniform numbers that are not drawn."""
    made = np.empty(size, dtype=object)
    for place in range(size):
        made[place] = UniformNumber(low, high, bernoulli)
    return made


def refuse_uniform(value: Any) -> None:
    """Raise the error of a uniform number, if a value is one."""
    if isinstance(value, UniformNumber):
        value.refuse()
