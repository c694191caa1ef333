"""A score that sums decision trees: boosted trees as numbers, which a document can hold and numpy computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.events.table import Floats, Table
from pan_audits.judging.reading import LARGEST_NUMBER, Field

KIND = "tree score"
_MOST_TREES, _MOST_NODES, _MOST_COLUMNS = 200, 4095, 500
"""Of a score that is read; a learned one has fewer."""


@dataclass(frozen=True)
class Node:
    """A node of a tree.

    Attributes
    ----------
    column
        Place of the column that is compared; -1 for a leaf.
    threshold
        Runs with at most this number go to ``below``, others to ``above``.
    missing_below
        Where runs go that lack the feature.
    below, above
        Places of the next nodes, both after this node; 0 for a leaf.
    value
        The number that a leaf adds to the score.
    """

    column: int
    threshold: float
    missing_below: bool
    below: int
    above: int
    value: float


@dataclass(frozen=True)
class TreeScore:
    """The sum of the leaves that a run reaches, one in each tree.

    Attributes
    ----------
    name
        Name of the derived column.
    columns
        The columns that the trees read.
    trees
        The nodes of each tree, the root first.
    """

    name: str
    columns: tuple[str, ...]
    trees: tuple[tuple[Node, ...], ...]

    @property
    def inputs(self) -> frozenset[str]:
        """Names of the columns that it reads."""
        return frozenset(self.columns)

    def __call__(self, table: Table) -> Floats:
        values = bounded(np.column_stack([np.empty((table.runs, 0)), *(table.column(name) for name in self.columns)]))
        if len(self.columns) == 1:
            return self._steps(values[:, 0])
        return self._total(values)

    def _total(self, values: Floats) -> Floats:
        total = np.zeros(len(values))
        for tree in self.trees:
            total += _leaves(tree, values)
        return total

    def _steps(self, column: Floats) -> Floats:
        """The score of one column: a step function, which is constant between two thresholds."""
        cuts = np.unique([node.threshold for tree in self.trees for node in tree if node.column == 0])
        # A value above all thresholds and a missing value stand at the end.
        heights = self._total(np.append(cuts, [np.inf, np.nan])[:, None])
        places = np.searchsorted(cuts, column, side="left")
        return np.where(np.isnan(column), heights[-1], heights[np.minimum(places, cuts.size)])

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "kind": KIND,
            "name": self.name,
            "columns": list(self.columns),
            "trees": [
                [[n.column, n.threshold, n.missing_below, n.below, n.above, n.value] for n in tree]
                for tree in self.trees
            ],
        }

    @classmethod
    def from_field(cls, field: Field) -> TreeScore:
        """Read what :meth:`to_dict` wrote, from ``field``."""
        columns = tuple(name.text() for name in field["columns"].items(most=_MOST_COLUMNS))
        trees = []
        for tree in field["trees"].items(most=_MOST_TREES):
            nodes = tree.items(least=1, most=_MOST_NODES)
            trees.append(tuple(_node(node, place, len(nodes), len(columns)) for place, node in enumerate(nodes)))
        return cls(field["name"].text(), columns, tuple(trees))


def _node(field: Field, place: int, nodes: int, columns: int) -> Node:
    """A node whose next nodes come later, so that every way through the tree ends."""
    what = "a column, a threshold, a truth value, two later nodes and a number: a list"
    column, threshold, missing, below, above, value = field.items(least=6, most=6, what=what)
    if column.value == -1:
        return Node(-1, 0.0, False, 0, 0, value.number())
    return Node(
        column.whole(most=columns - 1),
        threshold.number(),
        missing.truth(),
        below.whole(place + 1, nodes - 1),
        above.whole(place + 1, nodes - 1),
        0.0,
    )


def bounded(values: Floats) -> Floats:
    """The values without infinities, as a score reads them."""
    return np.clip(values, -LARGEST_NUMBER, LARGEST_NUMBER)


def _leaves(tree: tuple[Node, ...], values: Floats) -> Floats:
    """The value of the leaf that each run reaches."""
    found = np.zeros(len(values))
    waiting = {0: np.arange(len(values))}
    # The next nodes come later: one pass through the nodes meets every run.
    for place, node in enumerate(tree):
        runs = waiting.pop(place, None)
        if runs is None or not runs.size:
            continue
        if node.column < 0:
            found[runs] = node.value
            continue
        column = values[runs, node.column]
        below = (column <= node.threshold) | (np.isnan(column) & node.missing_below)
        for next_, chosen in ((node.below, runs[below]), (node.above, runs[~below])):
            waiting[next_] = np.concatenate([waiting[next_], chosen]) if next_ in waiting else chosen
    return found
