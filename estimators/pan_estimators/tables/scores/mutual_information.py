"""The score I: the empirical mutual information, in nats."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_promises.exact_epsilon import LogFraction

EXACT_ROWS = 16
"""The largest number of rows for which values are exact logarithms. The two forms are equal up to rounding."""


class MutualInformation:
    """The empirical mutual information of an attribute and its parents, in nats.

    Its sensitivity is that of bayesnet.mutual_information_sensitivity: attained if the attribute or its parents have
    two values together, and a bound otherwise.
    """

    unit = "nats"

    def value(self, counts: NDArray[np.int64]) -> Any:
        rows = int(counts.sum())
        if rows <= EXACT_ROWS:
            power = Fraction(rows**rows * _product(counts), _product(counts.sum(axis=0)) * _product(counts.sum(axis=1)))
            return LogFraction(power, Fraction(1, rows)) if power != 1 else Fraction(0)
        total = _logarithms(counts) - _logarithms(counts.sum(axis=0)) - _logarithms(counts.sum(axis=1))
        return max(0.0, math.log(rows) + total / rows)

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        if rows == 1:
            return Fraction(0)
        if rows > EXACT_ROWS:
            return self._as_double(rows, binary=2 in (values, combinations))
        rest = Fraction(rows - 1)
        if 2 in (values, combinations):
            return LogFraction(rows**rows / rest ** (rows - 1), Fraction(1, rows))
        return LogFraction(Fraction(rows + 1, 2) ** 2 * ((rows + 1) / rest) ** (rows - 1), Fraction(1, rows))

    def why_not(self, sizes: tuple[int, ...]) -> str:
        return ""

    @staticmethod
    def _as_double(rows: int, *, binary: bool) -> float:
        rest = rows - 1
        if binary:
            return (math.log(rows) + rest * math.log1p(1 / rest)) / rows
        return (2 * math.log((rows + 1) / 2) + rest * math.log1p(2 / rest)) / rows


def _product(counts: NDArray[np.int64]) -> int:
    """The product of ``c**c`` over all counts."""
    return math.prod(count**count for count in counts.ravel().tolist())


def _logarithms(counts: NDArray[np.int64]) -> float:
    """The sum of ``c log c`` over all counts."""
    positive = counts[counts > 0].astype(np.float64)
    return float((positive * np.log(positive)).sum())
