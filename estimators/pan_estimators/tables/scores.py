"""Scores of a pair of attributes: how much a parent tells, with the sensitivity of each score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, shown, suggestion
from pan_promises.exact_epsilon import LogFraction


class Score(Protocol):
    """The strength of the dependence of an attribute on its parents, and by how much one row changes it.

    Attributes
    ----------
    unit
        The unit of its values.
    """

    unit: str

    def value(self, counts: NDArray[np.int64]) -> Any:
        """The score of a table of counts, as an exact number for small tables."""
        ...

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        """A bound on the change of the score by the replacement of one row."""
        ...

    def why_not(self, sizes: tuple[int, ...]) -> str:
        """The reason why the score is not defined for attributes of these sizes; empty if it is."""
        ...


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


class DistanceToIndependence:
    """Half of the L1 distance between the joint distribution and the product of its two margins, a probability.

    Its sensitivity is less than ``3/n``, and at most ``2(n-1)/n^2`` if one of the two has two values
    (bayesnet.score_sensitivities). The bound ``3/n`` is used for all shapes. The printed value is ``3/n + 2/n^2``.
    """

    unit = "probability"

    def value(self, counts: NDArray[np.int64]) -> Any:
        rows = int(counts.sum())
        product = np.outer(counts.sum(axis=1), counts.sum(axis=0))
        return Fraction(int(np.abs(rows * counts - product).sum()), 2 * rows**2)

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        return Fraction(3, rows)

    def why_not(self, sizes: tuple[int, ...]) -> str:
        return ""


class DistanceToDependence:
    """Minus half of the L1 distance from the nearest joint distribution of the largest mutual information.

    It is a probability, for binary attributes. Each combination of the parents belongs to one value of the attribute;
    with ``K`` and ``L`` rows on these places, the distance is the least ``max(0, 1/2 - K/n) + max(0, 1/2 - L/n)``.
    A row changes ``K`` and ``L`` together by at most one in the direction that counts, so that the sensitivity is
    ``1/n`` (bayesnet.score_sensitivities). Without parents the same formula gives at most ``-1/2``.
    """

    unit = "probability"

    def value(self, counts: NDArray[np.int64]) -> Any:
        rows = int(counts.sum())
        reached = {(0, 0)}
        for first, second in counts.T.tolist():
            reached = {pair for one, other in reached for pair in ((one + first, other), (one, other + second))}
        return -Fraction(min(_lacking(rows, one, other) for one, other in reached), 2 * rows)

    def sensitivity(self, rows: int, values: int, combinations: int) -> Any:
        return Fraction(1, rows)

    def why_not(self, sizes: tuple[int, ...]) -> str:
        return "" if set(sizes) <= {2} else "the score F is for binary attributes alone"


def _lacking(rows: int, first: int, second: int) -> int:
    """Twice the number of rows that the two values lack from a half each."""
    return max(0, rows - 2 * first) + max(0, rows - 2 * second)


SCORES: Mapping[str, Score] = {
    "mutual-information": MutualInformation(),
    "F": DistanceToDependence(),
    "R": DistanceToIndependence(),
}
"""The scores by name."""


def score_named(name: str) -> Score:
    """A score by its name."""
    if name not in SCORES:
        raise InputError(f"unknown score {shown(name)}; {suggestion(str(name), SCORES)}")
    return SCORES[name]
