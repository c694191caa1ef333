"""The pairs of a calibrated tree, one after the other, by the exponential mechanism."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.budgets import TreeBudget
from pan_estimators.tables.junction_tree import JunctionTree
from pan_estimators.tables.scores import DistanceToIndependence
from pan_estimators.tables.table import Table

Edge: TypeAlias = tuple[int, int]
"""Two attributes by their places in the schema, the smaller place first."""

_DIGITS = 10**6


def choose_pairs(
    table: Table,
    budget: TreeBudget,
    randomness: Randomness,
    chosen: int,
    candidates: Callable[[Sequence[Edge]], list[Edge]],
) -> tuple[Edge, ...]:
    """The pairs of attributes that are counted, in the order of their choice.

    The score of a pair is half of the L1 distance between its joint distribution and the product of the margins, less
    half of the part of such a distance that the noise of its counts has in expectation. One replaced row changes the
    distance by at most ``3/n`` (bayesnet.score_sensitivities), and the part of the noise not at all.
    """
    score, sizes = DistanceToIndependence(), table.schema.sizes
    pairs = list(combinations(range(len(sizes)), 2))
    noise = budget.expected_noise([sizes[one] * sizes[two] for one, two in pairs], chosen)
    scores = {
        pair: score.value(table.counts(pair)) - _share_of_rows(norm / 2, table.rows)
        for pair, norm in zip(pairs, noise, strict=True)
    }
    found: list[Edge] = []
    while len(found) < chosen and (open_pairs := candidates(found)):
        ranked = [scores[pair] for pair in open_pairs]
        place = randomness.exponential_mechanism(ranked, budget.choice, score.sensitivity(table.rows, 2, 2))
        found.append(open_pairs[int(place)])
    return tuple(found)


def _share_of_rows(norm: float, rows: int) -> Fraction:
    """Half of an L1 norm as a share of the rows, at most 1 and with few digits: no distance is larger."""
    return min(Fraction(1), Fraction(round(min(norm / (2 * rows), 1.0) * _DIGITS), _DIGITS))


@dataclass
class Candidates:
    """The pairs that may be chosen next: first those that join two parts of a forest, then those that close cliques.

    After a tree of all attributes, a pair is a candidate if the cliques of all pairs have at most ``degree + 1``
    attributes, and few enough cells. A pair that is none stays none.
    """

    sizes: tuple[int, ...]
    degree: int
    cells: int
    _open: list[Edge] | None = None

    def __call__(self, chosen: Sequence[Edge]) -> list[Edge]:
        """The candidates after some pairs."""
        width = len(self.sizes)
        every = combinations(range(width), 2)
        if len(chosen) < width - 1:
            part = list(range(width))
            for one, two in chosen:
                joined, name = part[two], part[one]
                part = [name if each == joined else each for each in part]
            return [(one, two) for one, two in every if part[one] != part[two]]
        if self._open is None:
            self._open = list(every) if self.degree > 1 else []
        self._open = [pair for pair in self._open if pair not in chosen and self._fits([*chosen, pair])]
        return self._open

    def _fits(self, pairs: Sequence[Edge]) -> bool:
        tree = JunctionTree.of(pairs, self.sizes)
        return tree.cells <= self.cells and all(len(one) <= self.degree + 1 for one in tree.cliques.values())


def from_the_root(edges: Sequence[Edge]) -> list[tuple[int, int]]:
    """The edges as pairs of a child and its parent, from the attribute 0 outwards."""
    beside: dict[int, list[int]] = {}
    for one, two in edges:
        beside.setdefault(one, []).append(two)
        beside.setdefault(two, []).append(one)
    found: list[tuple[int, int]] = []
    waiting, known = deque([0]), {0}
    while waiting:
        parent = waiting.popleft()
        for child in sorted(beside.get(parent, [])):
            if child not in known:
                known.add(child)
                found.append((child, parent))
                waiting.append(child)
    return found
