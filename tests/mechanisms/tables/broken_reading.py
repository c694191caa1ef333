"""Mechanisms on tables that read more of the table than they protect. Each docstring says why it is refuted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.mechanisms.tables.two_bits import CELLS, OnAddedRows, OnTwoBits, histogram, ones


@dataclass(frozen=True)
class DomainOfTheData(OnTwoBits):
    """Only cells that occur are listed: the list tells the presence of a row without noise."""

    def release(self, table, randomness):
        return [
            (cell, randomness.laplace(count, 2 / self.epsilon))
            for cell, count in zip(CELLS, histogram(table), strict=True)
            if count
        ]


@dataclass(frozen=True)
class OrderOfAppearance(OnTwoBits):
    """The cells are listed in the order of their first row, although each count has enough noise."""

    def release(self, table, randomness):
        order = list(dict.fromkeys((*table, *CELLS)))
        counts = dict(zip(CELLS, histogram(table), strict=True))
        return [(cell, randomness.laplace(counts[cell], 2 / self.epsilon)) for cell in order]


@dataclass(frozen=True)
class BoundOfTheData(OnTwoBits):
    """The bound of a value, and so the scale, is the largest value of the table."""

    def release(self, table, randomness):
        return randomness.laplace(ones(table), (1 + max(row[0] for row in table)) / self.epsilon)


@dataclass(frozen=True)
class NoNoiseOnConstantColumns(OnTwoBits):
    """A constant column is released as it is, since it seems to tell nothing about a single row."""

    def release(self, table, randomness):
        count = ones(table)
        return count if count in (0, len(table)) else randomness.laplace(count, 1 / self.epsilon)


@dataclass(frozen=True)
class SuppressesSmallCounts(OnTwoBits):
    """A count below 2 is suppressed before the noise: whether it is missing is decided without noise."""

    def release(self, table, randomness):
        return [randomness.laplace(count, 2 / self.epsilon) if count >= 2 else None for count in histogram(table)]


@dataclass(frozen=True)
class OneOutputForEachOne(OnTwoBits):
    """The number of outputs is the number of rows with a 1."""

    def release(self, table, randomness):
        return [randomness.laplace(0.0, 1 / self.epsilon) for _ in range(ones(table))]


@dataclass(frozen=True)
class StopsAtTheFirstOne(OnTwoBits):
    """It adds noise row by row, and stops at the first 1: the length of the output is that place."""

    def release(self, table, randomness):
        found = []
        for row in table:
            found.append(randomness.laplace(row[0], 1 / self.epsilon))
            if row[0]:
                break
        return found


@dataclass(frozen=True)
class ClippedAtTheTruth(OnTwoBits):
    """A noisy count is clipped at the exact number of rows of the other column: its largest value is that number."""

    def release(self, table, randomness):
        return min(randomness.laplace(ones(table), 1 / self.epsilon), float(ones(table, 1)))


@dataclass(frozen=True)
class DividedByTheTruth(OnTwoBits):
    """A noisy count is divided by an exact one, which sets the scale of the output."""

    def release(self, table, randomness):
        return randomness.laplace(ones(table), 1 / self.epsilon) / (1 + ones(table, 1))


@dataclass(frozen=True)
class RowsThatWereDrawn(OnTwoBits):
    """It releases a row that is drawn at random: drawing hides a row, and yet shows it as it is."""

    def release(self, table, randomness):
        return table[int(randomness.integers(len(table)))]


@dataclass(frozen=True)
class SizesOfGroups(OnTwoBits):
    """The number of rows of each group is taken for public. A replaced row can change its group."""

    def release(self, table, randomness):
        groups = [[row for row in table if row[1] == value] for value in (0, 1)]
        return [(len(group), randomness.laplace(ones(group), 1 / self.epsilon)) for group in groups]


@dataclass(frozen=True)
class NumberOfRowsIsPublic(OnAddedRows):
    """The number of rows is released, and the promise is about an added row."""

    def release(self, table, randomness):
        return len(table), randomness.laplace(ones(table), 1 / self.epsilon)


@dataclass(frozen=True)
class LastRowIsDropped(OnAddedRows):
    """Whether a row is dropped to make the number of rows even is decided by the exact number of rows."""

    def release(self, table, randomness):
        return "odd" if len(table) % 2 else "even", randomness.laplace(ones(table), 1 / self.epsilon)


READING = {
    "domain-of-the-data": (DomainOfTheData, math.inf),
    "order-of-appearance": (OrderOfAppearance, math.inf),
    "bound-of-the-data": (BoundOfTheData, math.inf),
    "no-noise-on-constant-columns": (NoNoiseOnConstantColumns, math.inf),
    "suppresses-small-counts": (SuppressesSmallCounts, math.inf),
    "one-output-for-each-one": (OneOutputForEachOne, math.inf),
    "stops-at-the-first-one": (StopsAtTheFirstOne, math.inf),
    "clipped-at-the-truth": (ClippedAtTheTruth, math.inf),
    "divided-by-the-truth": (DividedByTheTruth, math.inf),
    "rows-that-were-drawn": (RowsThatWereDrawn, math.inf),
    "sizes-of-groups": (SizesOfGroups, math.inf),
    "number-of-rows-is-public": (NumberOfRowsIsPublic, math.inf),
    "last-row-is-dropped": (LastRowIsDropped, math.inf),
}
"""The mechanisms by name, with their losses on tables of at most 2 rows at epsilon 1."""
