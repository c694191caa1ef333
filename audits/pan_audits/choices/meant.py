"""The fraction that an author means by a double."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from pan_audits.choices.errors import unfollowable
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
