"""Mechanisms on tables whose noise has a wrong scale or a wrong support. Each docstring says why it is refuted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.mechanisms.tables.two_bits import OnTwoBits, histogram, ones


@dataclass(frozen=True)
class SensitivityOfAnAddedRow(OnTwoBits):
    """A replaced row changes two cells by 1. The noise is for one of them: the loss is 2 epsilon."""

    def release(self, table, randomness):
        return [randomness.laplace(count, 1 / self.epsilon) for count in histogram(table)]


@dataclass(frozen=True)
class ScaleOfShares(OnTwoBits):
    """The noise is for shares of rows, which change by 2/n, and it is added to counts: the loss is n epsilon."""

    def release(self, table, randomness):
        return [randomness.laplace(count, 2 / (len(table) * self.epsilon)) for count in histogram(table)]


@dataclass(frozen=True)
class RateInPlaceOfScale(OnTwoBits):
    """The parameter of the noise is epsilon/2 where the scale 2/epsilon is meant: the loss is 4/epsilon."""

    def release(self, table, randomness):
        return [randomness.laplace(count, self.epsilon / 2) for count in histogram(table)]


@dataclass(frozen=True)
class RatioOfHalfEpsilon(OnTwoBits):
    """The ratio of the geometric noise is exp(-2 epsilon): the loss is 2 epsilon."""

    def release(self, table, randomness):
        ratio = math.exp(-2 * self.epsilon)
        return ones(table) + randomness.two_sided_geometric(ratio, ratio, 1)[0]


@dataclass(frozen=True)
class PositiveNoise(OnTwoBits):
    """Exponential noise is never negative: an output below the larger count tells the tables apart for certain."""

    def release(self, table, randomness):
        return [count + randomness.exponential(2 / self.epsilon) for count in histogram(table)]


@dataclass(frozen=True)
class BoundedNoise(OnTwoBits):
    """The noise is one of -3, ..., 3: an output at the end of its range is possible on one table only."""

    def release(self, table, randomness):
        return ones(table) + int(randomness.integers(-3, 4))


@dataclass(frozen=True)
class NoNoiseOnEmptyCells(OnTwoBits):
    """An empty cell stays exactly 0, so that a noisy count tells that the cell has a row."""

    def release(self, table, randomness):
        return [randomness.laplace(count, 2 / self.epsilon) if count else 0.0 for count in histogram(table)]


@dataclass(frozen=True)
class OneNoiseForAllCells(OnTwoBits):
    """All cells get the same noise, which their differences cancel."""

    def release(self, table, randomness):
        noise = randomness.laplace(0.0, 2 / self.epsilon)
        return [count + noise for count in histogram(table)]


@dataclass(frozen=True)
class NoiseByTheCount(OnTwoBits):
    """The scale grows with the count, so that the tails of the two distributions have no bounded ratio."""

    def release(self, table, randomness):
        return randomness.laplace(ones(table), 2 * (1 + ones(table)) / self.epsilon)


@dataclass(frozen=True)
class NoNoiseForTheFirstCell(OnTwoBits):
    """The first count is exact, as if it followed from the number of rows and the others."""

    def release(self, table, randomness):
        first, *rest = histogram(table)
        return [first, *(randomness.laplace(count, 2 / self.epsilon) for count in rest)]


NOISE = {
    "sensitivity-of-an-added-row": (SensitivityOfAnAddedRow, 2.0),
    "scale-of-shares": (ScaleOfShares, 2.0),
    "rate-in-place-of-scale": (RateInPlaceOfScale, 4.0),
    "ratio-of-half-epsilon": (RatioOfHalfEpsilon, 2.0),
    "positive-noise": (PositiveNoise, math.inf),
    "bounded-noise": (BoundedNoise, math.inf),
    "no-noise-on-empty-cells": (NoNoiseOnEmptyCells, math.inf),
    "one-noise-for-all-cells": (OneNoiseForAllCells, math.inf),
    "noise-by-the-count": (NoiseByTheCount, math.inf),
    "no-noise-for-the-first-cell": (NoNoiseForTheFirstCell, math.inf),
}
"""The mechanisms by name, with their losses on tables of at most 2 rows at epsilon 1."""
