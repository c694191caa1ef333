"""Mechanisms on tables with a wrong sensitivity, distribution of choice or accounting. Each docstring says why it is
refuted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.mechanisms.tables.two_bits import CELLS, OnTwoBits, histogram, ones


@dataclass(frozen=True)
class PairsOfEqualRows(OnTwoBits):
    """One row is in n - 1 pairs of rows. The noise of the number of equal pairs is for one pair."""

    def release(self, table, randomness):
        equal = sum(one == other for place, one in enumerate(table) for other in table[:place])
        return randomness.laplace(3 * equal, 1 / self.epsilon)


@dataclass(frozen=True)
class ShareOfAGroup(OnTwoBits):
    """The scale is 1 over the exact size of the group: it is data, and differs between neighbours."""

    def release(self, table, randomness):
        group = [row for row in table if row[1]]
        return randomness.laplace(ones(group) / max(1, len(group)), 1 / (self.epsilon * (1 + len(group))))


@dataclass(frozen=True)
class WrongExponent(OnTwoBits):
    """The weights are exp(4 epsilon count), where exp(epsilon count / 2) is right: one cell gains, and one loses."""

    def release(self, table, randomness):
        return int(randomness.categorical([4 * self.epsilon * count for count in histogram(table)]))


@dataclass(frozen=True)
class WeightsAreScores(OnTwoBits):
    """The probability of a cell is in proportion to its count: an empty cell is impossible."""

    def release(self, table, randomness):
        counts = histogram(table)
        return int(randomness.choice(4, p=[count / len(table) for count in counts]))


@dataclass(frozen=True)
class LargestCount(OnTwoBits):
    """The cell with the largest count is chosen without noise."""

    def release(self, table, randomness):
        counts = histogram(table)
        return CELLS[counts.index(max(counts))]


@dataclass(frozen=True)
class CandidatesOfTheData(OnTwoBits):
    """The exponential mechanism chooses among the cells that occur: an absent cell is impossible."""

    def release(self, table, randomness):
        present = [(cell, count) for cell, count in zip(CELLS, histogram(table), strict=True) if count]
        return present[int(randomness.exponential_mechanism([count for _, count in present], self.epsilon, 1))][0]


@dataclass(frozen=True)
class TellsTheWinningScore(OnTwoBits):
    """The choice is private, and the exact count of the chosen cell follows."""

    def release(self, table, randomness):
        counts = histogram(table)
        chosen = int(randomness.exponential_mechanism(counts, self.epsilon, 1))
        return CELLS[chosen], counts[chosen]


@dataclass(frozen=True)
class BreaksTiesByTheData(OnTwoBits):
    """The choice has enough noise, and the first row breaks the tie between the columns that are left."""

    def release(self, table, randomness):
        chosen = int(randomness.exponential_mechanism([ones(table, 0), ones(table, 1)], self.epsilon, 1))
        return chosen, table[0][1 - chosen] == table[0][chosen]


@dataclass(frozen=True)
class WholeBudgetForEachColumn(OnTwoBits):
    """Each of two columns has the whole budget, and one row changes both: the loss is 2 epsilon."""

    def release(self, table, randomness):
        return [randomness.laplace(ones(table, column), 1 / self.epsilon) for column in (0, 1)]


@dataclass(frozen=True)
class BudgetOfChoicesIsForgotten(OnTwoBits):
    """The counts have the whole budget, and a choice by the exact larger column goes before them."""

    def release(self, table, randomness):
        chosen = int(randomness.exponential_mechanism([ones(table, 0), ones(table, 1)], 4 * self.epsilon, 1))
        return chosen, randomness.laplace(ones(table, chosen), 1 / self.epsilon)


@dataclass(frozen=True)
class RepeatsTheAnswer(OnTwoBits):
    """A count is answered three times with new noise, and the budget of one: the mean has less noise."""

    def release(self, table, randomness):
        return [randomness.laplace(ones(table), 1 / self.epsilon) for _ in range(3)]


@dataclass(frozen=True)
class SitesThatOverlap(OnTwoBits):
    """Each of two sites has the whole budget, and the row in the middle is at both of them."""

    def release(self, table, randomness):
        half = (len(table) + 1) // 2
        return [
            [randomness.laplace(count, 2 / self.epsilon) for count in histogram(site)]
            for site in (table[:half], table[half - 1 :])
        ]


@dataclass(frozen=True)
class NoiseIsSharedAmongSites(OnTwoBits):
    """Each of three sites adds a third of the noise, and the analyst sees each of the sums: the loss is 3 epsilon."""

    def release(self, table, randomness):
        return [randomness.laplace(ones(table[site::3]), 1 / (3 * self.epsilon)) for site in range(3)]


@dataclass(frozen=True)
class SiteKeepsSilent(OnTwoBits):
    """A site without a 1 sends nothing, so that its silence is an exact answer."""

    def release(self, table, randomness):
        sites = table[0::2], table[1::2]
        return [randomness.laplace(ones(site), 1 / self.epsilon) if ones(site) else None for site in sites]


@dataclass(frozen=True)
class SiteAnswersTwice(OnTwoBits):
    """A site that is asked again draws new noise with the budget of one answer: the loss is 2 epsilon."""

    def release(self, table, randomness):
        return [[randomness.laplace(ones(site), 1 / self.epsilon) for site in (table[0::2], table[1::2])] for _ in "ab"]


CHOICES = {
    "pairs-of-equal-rows": (PairsOfEqualRows, 3.0),
    "share-of-a-group": (ShareOfAGroup, math.inf),
    "wrong-exponent": (WrongExponent, None),
    "weights-are-scores": (WeightsAreScores, math.inf),
    "largest-count": (LargestCount, math.inf),
    "candidates-of-the-data": (CandidatesOfTheData, math.inf),
    "tells-the-winning-score": (TellsTheWinningScore, math.inf),
    "breaks-ties-by-the-data": (BreaksTiesByTheData, math.inf),
    "whole-budget-for-each-column": (WholeBudgetForEachColumn, 2.0),
    "budget-of-choices-is-forgotten": (BudgetOfChoicesIsForgotten, None),
    "repeats-the-answer": (RepeatsTheAnswer, 3.0),
    "sites-that-overlap": (SitesThatOverlap, 2.0),
    "noise-is-shared-among-sites": (NoiseIsSharedAmongSites, 3.0),
    "site-keeps-silent": (SiteKeepsSilent, math.inf),
    "site-answers-twice": (SiteAnswersTwice, 2.0),
}
"""The mechanisms by name, with their losses on tables of at most 2 rows at epsilon 1. ``None``: only above 1."""
