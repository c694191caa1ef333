"""Increasing functions of a noisy number: what code may do with their values.

A release of such a value shows the number itself. A comparison of it is a comparison of the number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf, nan, pi
from typing import Any

import numpy as np

from pan_audits.choices.errors import asked_by_judged_code, refusing_the_rest, unfollowable
from pan_audits.choices.noise import COLLECTED, METHODS, OPERATIONS, REPLACED, REPLACING, NoisyNumber, Placeholder
from pan_audits.choices.numbers import fraction


@dataclass(frozen=True)
class Increasing:
    """An increasing function.

    Attributes
    ----------
    inverse
        The number of which the function has a value; ``None`` where that is no fraction.
    low, high
        The ends of its values.
    least
        The end of its arguments, if there is one.
    """

    inverse: Callable[[Fraction], Fraction | None]
    low: float = -inf
    high: float = inf
    least: int | None = None


def _only(place: int, value: int) -> Callable[[Fraction], Fraction | None]:
    """The inverse of a function of which one value is known."""
    return lambda number: Fraction(place) if number == value else None


def _power_of(base: int) -> Callable[[Fraction], Fraction | None]:
    return lambda number: Fraction(base) ** int(number) if number.denominator == 1 else None


FUNCTIONS = {
    "exp": Increasing(_only(0, 1), low=0),
    "expm1": Increasing(_only(0, 0), low=-1),
    "log": Increasing(_only(1, 0), least=0),
    "log2": Increasing(_power_of(2), least=0),
    "log10": Increasing(_power_of(10), least=0),
    "log1p": Increasing(_only(0, 0), least=-1),
    "sqrt": Increasing(lambda number: number**2 if number >= 0 else None, low=0, least=0),
    "cbrt": Increasing(lambda number: number**3),
    "tanh": Increasing(_only(0, 0), low=-1, high=1),
    "arctan": Increasing(_only(0, 0), low=-pi / 2, high=pi / 2),
}
"""The functions that are followed, by their names in numpy."""

_LARGEST, _FAR = 700, 64
"""The exponent beyond which doubles overflow, and a number of scales that noise exceeds with a probability of e^-64."""


@refusing_the_rest
@dataclass(frozen=True, eq=False, repr=False)
class FunctionOfNoise:
    """An increasing function of a noisy number.

    Attributes
    ----------
    name
        The name of the function.
    number
        The noisy number.
    """

    name: str
    number: NoisyNumber

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        if REPLACING in memo:
            changed = memo[REPLACING](self.number)
            # Noise with a density is never replaced by a value.
            return FunctionOfNoise(self.name, changed)
        if COLLECTED not in memo:
            return self
        memo[COLLECTED].append(replace(self.number, function=self.name))
        memo[REPLACED] = True
        return Placeholder(len(memo[COLLECTED]))

    def __copy__(self) -> FunctionOfNoise:
        return self

    def _above(self, other: Any, *, strict: bool) -> bool:
        if isinstance(other, FunctionOfNoise) and other.name == self.name:
            return bool(self.number > other.number if strict else self.number >= other.number)
        if not isinstance(other, (int, float, np.number)):
            return bool(self.refuse())
        known = FUNCTIONS[self.name]
        if not known.low < other < known.high:
            return bool(known.low >= other)
        place = known.inverse(fraction(other))
        if place is None:
            raise unfollowable(
                f"the estimator compares {self.name} of a noisy number with {other!r}, and this cannot be followed "
                "exactly (compare the noisy number itself)"
            )
        return bool(self.number > place if strict else self.number >= place)

    def __gt__(self, other: Any) -> Any:
        return self._above(other, strict=True)

    def __ge__(self, other: Any) -> Any:
        return self._above(other, strict=False)

    def __lt__(self, other: Any) -> Any:
        return not _is_nan(other) and not self._above(other, strict=False)

    def __le__(self, other: Any) -> Any:
        return not _is_nan(other) and not self._above(other, strict=True)

    def __eq__(self, other: Any) -> Any:
        # Noise with a density has any given value with probability 0.
        if isinstance(other, FunctionOfNoise):
            return bool(other.name == self.name and self.number == other.number)
        return False if isinstance(other, (int, float, np.number)) else self.refuse()

    def __ne__(self, other: Any) -> Any:
        return not self == other

    def __repr__(self) -> str:
        return f"{self.name}({self.number!r})"

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.refuse() if asked_by_judged_code() else FunctionOfNoise

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        raise unfollowable(
            f"the estimator computes with {self.name} of a noisy number, and this cannot be followed exactly: it can "
            "be released, or compared"
        )


def _is_nan(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and bool(value != value)


def increasing(name: str, number: NoisyNumber, outside: Callable[[], Any] = lambda: nan) -> Any:
    """A function of a noisy number; the value that a call has outside of its arguments is numpy's by default."""
    known = FUNCTIONS[name]
    if number.integer:
        raise unfollowable(f"the estimator takes {name} of integer noise, and this cannot be followed exactly")
    if known.least is not None and not number > known.least:
        return outside()
    reach = sum(abs(weight) * noise.distribution.scale for noise, weight in number.terms)
    if name.startswith("exp") and abs(number.constant) + _FAR * reach > _LARGEST:
        raise unfollowable(f"the estimator takes {name} of a noisy number that can be so large that doubles overflow")
    return FunctionOfNoise(name, number)


def of_math(name: str, number: NoisyNumber, *others: Any) -> Any:
    """The same as a function of the module math."""

    def outside() -> Any:
        raise ValueError("math domain error")

    # A logarithm to another base is not followed.
    return number.refuse() if others else increasing(name, number, outside)


def _sign(number: Any) -> Any:
    return 1.0 if number > 0 else -1.0 if number < 0 else 0.0


for _name in FUNCTIONS:
    METHODS[_name] = partial(increasing, _name)
    OPERATIONS[getattr(np, _name)] = METHODS[_name]
OPERATIONS[np.sign] = _sign
