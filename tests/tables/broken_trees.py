"""Calibrated trees with one error each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pan_estimators.tables.calibrated_tree import CalibratedTree, TreeTranscript
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_structure import choose_tree


@dataclass(frozen=True)
class PairsForOneTable(CalibratedTree):
    """The noise of its edges is that of one edge: the budget is not divided among them."""

    @property
    def budget(self):
        right = super().budget
        return replace(right, pair_scale=right.pair_scale / (len(self.schema.attributes) - 1))


@dataclass(frozen=True)
class NoiseForAnAddedRow(CalibratedTree):
    """Its noise has the sensitivity of an added row, and its promise is about a replaced row."""

    @property
    def budget(self):
        right = super().budget
        return replace(right, single_scale=right.single_scale / 2, pair_scale=right.pair_scale / 2)


@dataclass(frozen=True)
class NoiseOfShares(CalibratedTree):
    """Its noise has the scale for shares of the rows, and is added to numbers of rows."""

    @property
    def budget(self):
        right = super().budget
        return replace(right, single_scale=right.single_scale / self.rows, pair_scale=right.pair_scale / self.rows)


@dataclass(frozen=True)
class TreeWithoutNoise(CalibratedTree):
    """Its tree is that of the largest scores."""

    def release(self, table, randomness):
        read = Table.of(table, self.schema)
        edges = choose_tree(read, 1.0, Largest())
        pairs = [self._noisy(read.counts(edge), self.budget.pair_scale, randomness) for edge in edges]
        return TreeTranscript(read.rows, edges, [], pairs)


class Largest:
    """A source that chooses the largest score."""

    def exponential_mechanism(self, scores, epsilon, sensitivity):
        return scores.index(max(scores))
