"""Comparisons of a uniform number with constants: which fractions they mean, and which ones doubles decide."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from pan_audits.choices.errors import unfollowable
from pan_audits.choices.meant import fraction

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
        same_law = strictly and all((place * 2**53).denominator == 1 for place in places)
        if (near and not same_law) or known != constant:
            raise unfollowable(
                f"the estimator compares a uniform number with {constant!r}, next to an end or to another constant: "
                "there the 53 bits of a double decide, but the exact check follows real numbers"
            )
        return limit
