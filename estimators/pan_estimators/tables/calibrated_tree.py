"""The calibrated tree: noisy counts of one and of two attributes along a tree that is chosen privately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.budgets import TreeBudget, promised_rho, require_budget, shares_of
from pan_estimators.tables.junction_tree import JunctionTree
from pan_estimators.tables.mechanism import MOST_CELLS, require_degree
from pan_estimators.tables.mirror_descent import Measurement, fitted
from pan_estimators.tables.network import GivesRows, Network
from pan_estimators.tables.reports import report_on_tree
from pan_estimators.tables.schema import binary
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_fit import Counts, Noisy, Single, bounded, fit_pair, fit_singles
from pan_estimators.tables.tree_structure import Candidates, Edge, choose_pairs, from_the_root
from pan_promises.errors import require_count

_STEPS = 300
"""The largest number of steps of the descent that fits cliques."""


_LEAST = 1e-9
"""The least probability of a cell with which the descent begins."""


@dataclass(frozen=True)
class TreeTranscript:
    """Everything that leaves the holder of a table, before post-processing.

    Attributes
    ----------
    rows
        The number of rows, which is public.
    edges
        The pairs of attributes in the order of their choice, by their places in the schema.
    singles
        The noisy counts of each attribute.
    pairs
        The noisy counts of each edge, the values of the second attribute running fastest.
    """

    rows: int
    edges: tuple[Edge, ...]
    singles: list[list[Any]]
    pairs: list[list[Any]]


@dataclass(frozen=True)
class CalibratedTree(GivesRows):
    """A tree of a table with consistent marginals, with pure epsilon or with rho for one replaced row.

    Three steps read the table. They share the budget:

    1. Pairs of attributes are chosen, one after the other, by the exponential mechanism: first the ``N - 1`` edges of a
       tree, and with a higher degree pairs that close small cliques. The score is the distance to independence in total
       variation, with the sensitivity ``3/n`` (bayesnet.score_sensitivities), less a number for the noise of the
       counts that follow. A choice with the epsilon ``e`` is ``e``-private. The range of its loss is at most ``e``, so
       that it is ``e^2/8``-zCDP (Cesar and Rogers 2021).
    2. The counts of each attribute. One row changes a table by 2 in the L1 norm and by ``sqrt(2)`` in the L2 norm. A
       table has a part of the share by its number of values, which is public.
    3. The counts of each chosen pair, in the same way.

    The noise of the counts is Laplace noise for a pure epsilon, and Gaussian noise for a rho. The epsilons of the steps
    add up to the promised epsilon, and their rhos to the promised rho (Bun and Steinke 2016, Lemma 2.3, for adaptive
    steps). All later work reads the transcript alone. With an epsilon and a delta the mechanism promises a
    rho that implies them (Canonne, Kamath and Steinke 2020, Proposition 12).
    """

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    delta: float = 0.0
    rho: float | None = None
    selection: float = 0.1
    singles: float = 0.45
    degree: int = 1
    cells: int = 50_000
    rows: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        require_budget(self.epsilon, self.delta, self.rho)
        require_degree(self.degree, self.schema)
        require_count("the number of cells", self.cells, most=MOST_CELLS)
        _ = self.budget  # Computed here, so that a wrong parameter is refused at once.

    @cached_property
    def budget(self) -> TreeBudget:
        """The noise of each step, and what it costs."""
        shares, sizes = shares_of(self.selection, self.singles), self.schema.sizes
        if self._rho is None:
            return TreeBudget.of_epsilon(self.epsilon, sizes, self.most_pairs, shares)
        return TreeBudget.of_rho(self._rho, sizes, self.most_pairs, shares)

    @property
    def most_pairs(self) -> int:
        """The largest number of pairs: those of a tree, and half as many for each further degree."""
        edges = len(self.schema.attributes) - 1
        return edges + (self.degree - 1) * edges // 2

    @cached_property
    def _rho(self) -> float | None:
        return promised_rho(self.epsilon, self.delta, self.rho)

    def release(self, table: Any, randomness: Randomness) -> TreeTranscript:
        """The chosen pairs, and the noisy counts of the attributes and of these pairs."""
        read = Table.of(table, self.schema)
        candidates = Candidates(self.schema.sizes, self.degree, self.cells)
        edges = choose_pairs(read, self.budget, randomness, self.most_pairs, candidates)
        singles = [
            self._noisy(read.counts((place,)), scale, randomness) for place, scale in enumerate(self.budget.singles)
        ]
        pairs = [
            self._noisy(read.counts(edge), scale, randomness)
            for edge, scale in zip(edges, self._scales(edges), strict=True)
        ]
        return TreeTranscript(read.rows, edges, singles, pairs)

    def _noisy(self, counts: NDArray[np.int64], scale: float, randomness: Randomness) -> list[Any]:
        if self.budget.gaussian:
            drawn: list[Any] = randomness.gaussian(counts.ravel(), scale).tolist()
            return drawn
        return [randomness.laplace(int(count), scale) for count in counts.ravel()]

    def fit_singles(self, observation: TreeTranscript) -> list[Single]:
        """The counts of each attribute, from all noisy counts of a transcript."""
        singles = [
            self._bounded(counts, (size,), scale, observation.rows)
            for counts, size, scale in zip(observation.singles, self.schema.sizes, self.budget.singles, strict=True)
        ]
        return fit_singles(singles, self._pairs(observation), observation.rows)

    def post_process(self, observation: TreeTranscript) -> Network:
        """The network of a transcript: a tree whose marginals are consistent, or the nearest one with cliques."""
        margins = [one.counts for one in self.fit_singles(observation)]
        pairs = self._pairs(observation)
        joints = {edge: fit_pair(noisy, margins[edge[0]], margins[edge[1]]) for edge, noisy in pairs.items()}
        if self.degree > 1:
            return self._with_cliques(observation, margins, joints)
        structure: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        counts = [margins[0]]
        for child, parent in from_the_root(observation.edges):
            structure.append((child, (parent,)))
            counts.append(joints[child, parent] if child < parent else joints[parent, child].T)
        return Network.from_counts(self.schema, tuple(structure), [one.ravel().tolist() for one in counts])

    def _with_cliques(self, observation: TreeTranscript, margins: list[Counts], joints: dict[Edge, Counts]) -> Network:
        """The distribution that fits the counts of all pairs. The descent begins with the tree of the first pairs."""
        budget, edges, rows = self.budget, observation.edges, observation.rows
        singles = [
            Measurement((place,), one, scale)
            for place, (one, scale) in enumerate(zip(margins, budget.singles, strict=True))
        ]
        pairs = [Measurement(edge, joints[edge], scale) for edge, scale in zip(edges, self._scales(edges), strict=True)]
        start = {one.places: _logarithm(one.counts / rows) for one in singles}
        for one, two in edges[: len(margins) - 1]:
            start[one, two] = _logarithm(joints[one, two] / rows) - start[one,][:, None] - start[two,]
        tree = JunctionTree.of(edges, self.schema.sizes)
        model, _ = fitted(tree, [*singles, *pairs], rows, _STEPS, start)
        return model.network(self.schema)

    def report(self, observation: TreeTranscript, model: Network, rows: int) -> dict[str, Any]:
        """Marginals with intervals, the pairs and the budget of each step."""
        pairs = dict(zip(observation.edges, self._scales(observation.edges), strict=True))
        return report_on_tree(model, rows, self.fit_singles(observation), pairs, self.budget)

    def _scales(self, edges: Sequence[Edge]) -> tuple[float, ...]:
        sizes = self.schema.sizes
        return self.budget.pairs([sizes[one] * sizes[two] for one, two in edges])

    def _pairs(self, observation: TreeTranscript) -> dict[Edge, Noisy]:
        sizes, edges = self.schema.sizes, observation.edges
        return {
            (one, two): self._bounded(counts, (sizes[one], sizes[two]), scale, observation.rows)
            for (one, two), counts, scale in zip(edges, observation.pairs, self._scales(edges), strict=True)
        }

    def _bounded(self, counts: list[Any], shape: tuple[int, ...], scale: float, rows: int) -> Noisy:
        read = bounded(np.array(counts, dtype=np.float64), rows).reshape(shape)
        return Noisy(read, scale, self.budget.variance(scale))


def _logarithm(shares: Counts) -> Counts:
    return np.log(np.maximum(shares, _LEAST))
