"""Calibrated trees with one error each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pan_estimators.tables.calibrated_tree import CalibratedTree
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
class TreeWithoutNoise(CalibratedTree):
    """Its tree is that of the largest scores."""

    def release(self, table, randomness):
        found = super().release(table, randomness)
        return replace(found, edges=choose_tree(self._read(table), 1.0, Largest()))

    def _read(self, table):
        from pan_estimators.tables.table import Table

        return Table.of(table, self.schema)


class Largest:
    """A source that chooses the largest score."""

    def exponential_mechanism(self, scores, epsilon, sensitivity):
        return scores.index(max(scores))
