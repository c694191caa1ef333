"""Correct mechanisms on tables: no judge may refute them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.mechanisms.tables.two_bits import CELLS, OnAddedRows, OnTwoBits, histogram, ones


@dataclass(frozen=True)
class Histogram(OnTwoBits):
    """Laplace noise of scale 2/epsilon on four cells of which one row changes two by 1."""

    def release(self, table, randomness):
        return [randomness.laplace(count, 2 / self.epsilon) for count in histogram(table)]


@dataclass(frozen=True)
class HistogramOfAddedRows(OnAddedRows):
    """Laplace noise of scale 1/epsilon on four cells of which one added row changes one by 1."""

    def release(self, table, randomness):
        return [randomness.laplace(count, 1 / self.epsilon) for count in histogram(table)]


@dataclass(frozen=True)
class GeometricCount(OnTwoBits):
    """Two-sided geometric noise with the ratio exp(-epsilon) on a count of sensitivity 1."""

    def release(self, table, randomness):
        ratio = math.exp(-self.epsilon)
        return ones(table) + randomness.two_sided_geometric(ratio, ratio, 1)[0]


@dataclass(frozen=True)
class CommonestCell(OnTwoBits):
    """The exponential mechanism on counts of sensitivity 1."""

    def release(self, table, randomness):
        return CELLS[int(randomness.exponential_mechanism(histogram(table), self.epsilon, 1))]


@dataclass(frozen=True)
class RandomisedRows(OnTwoBits):
    """Each row tells its own cell with a probability that is exp(epsilon) times that of another cell."""

    def release(self, table, randomness):
        own = math.exp(self.epsilon)
        weights = [1 / (own + 3)] * 3
        found = []
        for row in table:
            others = [cell for cell in CELLS if cell != row]
            place = int(randomness.choice(4, p=[1 - sum(weights), *weights]))
            found.append(row if place == 0 else others[place - 1])
        return found


@dataclass(frozen=True)
class DisjointSites(OnTwoBits):
    """Rows at even and at odd places are at two sites. Each site has the whole budget, since a row is at one site."""

    def release(self, table, randomness):
        return [
            [randomness.laplace(count, 2 / self.epsilon) for count in histogram(site)]
            for site in (table[0::2], table[1::2])
        ]


@dataclass(frozen=True)
class ChoosesThenCounts(OnTwoBits):
    """A half of the budget chooses a column by its number of ones, and the other half counts in it."""

    def release(self, table, randomness):
        half = self.epsilon / 2
        chosen = int(randomness.exponential_mechanism([ones(table, 0), ones(table, 1)], half, 1))
        return chosen, randomness.laplace(ones(table, chosen), 1 / half)


@dataclass(frozen=True)
class ClippedHistogram(OnTwoBits):
    """Negative counts become 0 after the noise, by a rule that does not read the table."""

    def release(self, table, randomness):
        return [max(0.0, randomness.laplace(count, 2 / self.epsilon)) for count in histogram(table)]


@dataclass(frozen=True)
class Constant(OnTwoBits):
    """It does not read the table."""

    def release(self, table, randomness):
        return int(randomness.integers(4))


CORRECT = {
    "histogram": Histogram,
    "histogram-of-added-rows": HistogramOfAddedRows,
    "geometric-count": GeometricCount,
    "commonest-cell": CommonestCell,
    "randomised-rows": RandomisedRows,
    "disjoint-sites": DisjointSites,
    "chooses-then-counts": ChoosesThenCounts,
    "clipped-histogram": ClippedHistogram,
    "constant": Constant,
}
"""The mechanisms by name."""
