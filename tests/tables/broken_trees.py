"""Calibrated trees with one error each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pan_estimators.tables.calibrated_tree import CalibratedTree, TreeTranscript
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_structure import Candidates, choose_pairs


def scaled(right, of_singles, of_pairs):
    """A budget whose noise is divided by a number for the counts of one attribute, and by one for those of two."""
    choices, singles, pairs = right.parts
    return replace(
        right,
        singles=tuple(scale / of_singles for scale in right.singles),
        parts=(choices, singles, pairs * of_pairs ** (2 if right.gaussian else 1)),
    )


@dataclass(frozen=True)
class PairsForOneTable(CalibratedTree):
    """The noise of its edges is that of one edge: the budget is not divided among them."""

    @property
    def budget(self):
        return scaled(super().budget, 1, len(self.schema.attributes) - 1)


@dataclass(frozen=True)
class NoiseForAnAddedRow(CalibratedTree):
    """Its noise has the sensitivity of an added row, and its promise is about a replaced row."""

    @property
    def budget(self):
        return scaled(super().budget, 2, 2)


@dataclass(frozen=True)
class NoiseOfShares(CalibratedTree):
    """Its noise has the scale for shares of the rows, and is added to numbers of rows."""

    @property
    def budget(self):
        return scaled(super().budget, self.rows, self.rows)


@dataclass(frozen=True)
class TreeWithoutNoise(CalibratedTree):
    """Its tree is that of the largest scores."""

    def release(self, table, randomness):
        read = Table.of(table, self.schema)
        edges = choose_pairs(read, self.budget, Largest(), 2, Candidates(self.schema.sizes, 1, 1))
        scale, _ = self.budget.pairs([4, 4])
        pairs = [self._noisy(read.counts(edge), scale, randomness) for edge in edges]
        return TreeTranscript(read.rows, edges, [], pairs)


class Largest:
    """A source that chooses the largest score."""

    def exponential_mechanism(self, scores, epsilon, sensitivity):
        return scores.index(max(scores))
