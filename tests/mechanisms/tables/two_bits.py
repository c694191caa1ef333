"""The promise and the tables that the mechanisms of this folder share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from pan_promises.adjacency import Adjacency
from pan_promises.problem import Problem
from pan_promises.promise import Observed, Promise

CELLS = tuple(product((0, 1), repeat=2))


def promised(epsilon, adjacency=Adjacency.REPLACE_ROW):
    return Promise(
        epsilon=epsilon, adjacency=adjacency, observed=Observed.OUTPUT, intrusions=0, public=("rows", "schema")
    )


@dataclass(frozen=True)
class OnTwoBits:
    """Tables of two bits, and a promise of epsilon for one replaced row."""

    epsilon: float = 1.0
    problem: ClassVar[Problem] = Problem.of_table({"a": [0, 1], "b": [0, 1]}, rows=3)

    @property
    def promise(self):
        return promised(self.epsilon)


@dataclass(frozen=True)
class OnAddedRows(OnTwoBits):
    """The same for one added row."""

    @property
    def promise(self):
        return promised(self.epsilon, Adjacency.ADD_ROW)


def histogram(table):
    """The counts of the four cells: one replaced row changes them by 2 in all, and one added row by 1."""
    return [sum(row == cell for row in table) for cell in CELLS]


def ones(table, column=0):
    """The rows with a 1 in a column: one replaced row changes their number by 1."""
    return sum(row[column] for row in table)
