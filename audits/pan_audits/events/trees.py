"""Scores of boosted trees, and columns as steps.

A score that sums decision trees: boosted trees as numbers, which a document can hold and numpy computes.

A score of one column: a step function with many steps where the log-odds change much, and few where they do not.

The column is divided into 1,024 parts of about equal shares. A binary tree over these parts is pruned: a division
stays if it gains more likelihood than a penalty for each leaf. Runs that were held back choose the penalty. On one
column this score has about the likelihood of boosted trees or more, and takes a tenth of their time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


_LEVELS = 10
_PENALTIES = (0.5, 1.0, 2.0, 4.0, 8.0)
_HELD_BACK = 5
"""One run in this number is held back to choose the penalty."""
_UNKNOWN = 0.5
"""Runs on each side that are added to those of a leaf, so that its log-odds are finite."""


@dataclass(frozen=True, eq=False)
class _Counts:
    """Runs of the two sides in each part, for each level of the tree, from the root to the finest parts."""

    levels: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def of(cls, ours: Floats, theirs: Floats) -> _Counts:
        """The counts of all levels from those of the finest parts."""
        levels = [(ours, theirs)]
        for _ in range(_LEVELS):
            first, second = (side.reshape(-1, 2).sum(axis=1) for side in levels[0])
            levels.insert(0, (first, second))
        return cls(tuple(levels))

    def log_odds(self, level: int) -> Floats:
        """The log-odds of each part of a level."""
        ours, theirs = self.levels[level]
        return np.asarray(np.log((ours + _UNKNOWN) / (theirs + _UNKNOWN)))

    def leaves(self, penalty: float) -> list[NDArray[np.bool_]]:
        """For each level, the parts that are leaves of the pruned tree or lie in one."""
        stay: list[NDArray[np.bool_]] = []
        cost = np.empty(0)
        for level in reversed(range(_LEVELS + 1)):
            ours, theirs = self.levels[level]
            odds = self.log_odds(level)
            leaf = ours * np.logaddexp(0, -odds) + theirs * np.logaddexp(0, odds) + penalty
            divided = cost.reshape(-1, 2).sum(axis=1) if cost.size else np.full(leaf.shape, np.inf)
            stay.insert(0, leaf <= divided)
            cost = np.minimum(leaf, divided)
        return stay


def step_tree(left: Floats, right: Floats) -> tuple[Node, ...] | None:
    """The log-odds of left against right as a tree over one column."""
    pooled = np.concatenate([left, right])
    present = pooled[~np.isnan(pooled)]
    if not present.size:
        return None
    limits = np.unique(np.quantile(present, np.arange(1, 2**_LEVELS) / 2**_LEVELS, method="lower"))
    limits = limits[limits < present.max()]
    places = [np.where(np.isnan(side), -1, np.searchsorted(limits, side)) for side in (left, right)]
    kept = [_counted(side[np.arange(side.size) % _HELD_BACK > 0]) for side in places]
    held = _Counts.of(*(_counted(side[::_HELD_BACK]) for side in places))
    fitted, whole = _Counts.of(*kept), _Counts.of(*map(_counted, places))

    def lost(penalty: float) -> float:
        odds = _on_finest(fitted, fitted.leaves(penalty))
        ours, theirs = held.levels[-1]
        return float((ours * np.logaddexp(0, -odds) + theirs * np.logaddexp(0, odds)).sum())

    penalty = min(_PENALTIES, key=lost)
    nodes = _nodes(whole, whole.leaves(penalty), limits)
    missing = [int((side < 0).sum()) for side in places]
    if not any(missing):
        return nodes if len(nodes) > 1 else None
    odds = float(np.log((missing[0] + _UNKNOWN) / (missing[1] + _UNKNOWN)))
    first = Node(0, LARGEST_NUMBER, False, 1, len(nodes) + 1, 0.0)
    return (first, *(_moved(node) for node in nodes), Node(-1, 0.0, False, 0, 0, odds))


def _counted(places: NDArray[np.intp]) -> Floats:
    """The number of runs in each of the finest parts."""
    return np.bincount(places[places >= 0], minlength=2**_LEVELS).astype(np.float64)


def _on_finest(counts: _Counts, leaves: list[NDArray[np.bool_]]) -> Floats:
    """The score of each of the finest parts."""
    odds, settled = np.zeros(1), np.zeros(1, dtype=np.bool_)
    for level in range(_LEVELS + 1):
        if level:
            odds, settled = np.repeat(odds, 2), np.repeat(settled, 2)
        odds = np.where(settled, odds, counts.log_odds(level))
        settled = settled | leaves[level]
    return odds


def _nodes(counts: _Counts, leaves: list[NDArray[np.bool_]], limits: Floats) -> tuple[Node, ...]:
    """The pruned tree as nodes, each before those that follow it."""
    found: list[Node] = []

    def grow(level: int, part: int) -> int:
        # A limit beyond the last one divides nothing: the parts after it are empty.
        last = (2 * part + 1) * 2 ** (_LEVELS - level - 1) - 1 if level < _LEVELS else 0
        if not leaves[level][part] and last >= limits.size:
            return grow(level + 1, 2 * part)
        place = len(found)
        found.append(Node(-1, 0.0, False, 0, 0, float(counts.log_odds(level)[part])))
        if not leaves[level][part]:
            below, above = grow(level + 1, 2 * part), grow(level + 1, 2 * part + 1)
            found[place] = Node(0, float(limits[last]), False, below, above, 0.0)
        return place

    grow(0, 0)
    return tuple(found)


def _moved(node: Node) -> Node:
    """The node, one place later."""
    if node.column < 0:
        return node
    return Node(0, node.threshold, node.missing_below, node.below + 1, node.above + 1, 0.0)
