"""The calibrated tree: noisy counts of one and of two attributes along a tree that is chosen privately."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.gives_rows import GivesRows
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Schema, binary
from pan_estimators.tables.settings import require_degree
from pan_estimators.tables.table import Table
from pan_estimators.tables.tree_budget import TreeBudget, promised_rho, require_budget, shares_of
from pan_estimators.tables.tree_fit import Single, bounded, fit_pair, fit_singles
from pan_estimators.tables.tree_report import report_on_tree
from pan_estimators.tables.tree_structure import Edge, choose_tree, from_the_root
from pan_promises.errors import require_count


@dataclass(frozen=True)
class TreeTranscript:
    """Everything that leaves the holder of a table, before post-processing.

    Attributes
    ----------
    rows
        The number of rows, which is public.
    edges
        The edges of the tree in the order of their choice, by the places of their attributes in the schema.
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

    1. The ``N - 1`` edges of the tree, one after the other. Each is chosen by the exponential mechanism among the pairs
       of attributes that are not connected. The score is the distance to independence in total variation, with the
       sensitivity ``3/n`` (bayesnet.score_sensitivities). A choice with the epsilon ``e`` is ``e``-private. The range
       of its loss is at most ``e``, so that it is ``e^2/8``-zCDP (Cesar and Rogers 2021).
    2. The counts of each attribute. One row changes the ``N`` tables by ``2 N`` in the L1 norm and by ``sqrt(2 N)`` in
       the L2 norm.
    3. The counts of each edge, in the same way ``N - 1`` tables.

    The noise of the counts is Laplace noise for a pure epsilon, and Gaussian noise for a rho. The epsilons of the steps
    add up to the promised epsilon, and their rhos to the promised rho (Bun and Steinke 2016, Lemma 2.3, for adaptive
    steps). All later work reads the transcript alone. With an epsilon and a delta the mechanism promises a
    rho that implies them (Canonne, Kamath and Steinke 2020, Proposition 12).

    Parameters
    ----------
    schema
        The schema, or a form of it that :meth:`~pan_estimators.tables.schema.Schema.of` reads.
    epsilon
        The budget, in nats, if there is no rho.
    delta
        0 for a pure epsilon; else in (0, 1).
    rho
        The budget in place of epsilon and delta.
    selection, singles
        The shares of the first two steps. The third has the rest.
    rows
        The number of rows of the tables on which it is audited.

    Raises
    ------
    InputError
        If a parameter is out of range, or the schema has one attribute.

    Source: the steps of MST (McKenna, Miklau and Sheldon 2021), with a score of low sensitivity on the table itself.
    """

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    delta: float = 0.0
    rho: float | None = None
    selection: float = 0.05
    singles: float = 0.55
    rows: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema.of(self.schema))
        require_budget(self.epsilon, self.delta, self.rho)
        require_degree(1, self.schema)
        require_count("the number of rows", self.rows)
        assert self.budget

    @cached_property
    def budget(self) -> TreeBudget:
        """The noise of each step, and what it costs."""
        shares, attributes = shares_of(self.selection, self.singles), len(self.schema.attributes)
        if self._rho is None:
            return TreeBudget.of_epsilon(self.epsilon, attributes, shares)
        return TreeBudget.of_rho(self._rho, attributes, shares)

    @cached_property
    def _rho(self) -> float | None:
        return promised_rho(self.epsilon, self.delta, self.rho)

    def release(self, table: Any, randomness: Randomness) -> TreeTranscript:
        """The tree, and the noisy counts of its attributes and edges.

        Parameters
        ----------
        table
            A :class:`~pan_estimators.tables.table.Table`, or data from which one is made.
        randomness
            The source of the random choices.

        Raises
        ------
        InputError
            If the data is no table of the schema.
        """
        read = Table.of(table, self.schema)
        edges = choose_tree(read, self.budget.choice, randomness)
        places = range(len(self.schema.attributes))
        singles = [self._noisy(read.counts((place,)), self.budget.single_scale, randomness) for place in places]
        pairs = [self._noisy(read.counts(edge), self.budget.pair_scale, randomness) for edge in edges]
        return TreeTranscript(read.rows, edges, singles, pairs)

    def _noisy(self, counts: NDArray[np.int64], scale: float, randomness: Randomness) -> list[Any]:
        if self.budget.gaussian:
            drawn: list[Any] = randomness.gaussian(counts.ravel(), scale).tolist()
            return drawn
        return [randomness.laplace(int(count), scale) for count in counts.ravel()]

    def fit_singles(self, observation: TreeTranscript) -> list[Single]:
        """The counts of each attribute, from all noisy counts of a transcript.

        Parameters
        ----------
        observation
            The transcript.
        """
        budget = self.budget
        return fit_singles(
            [bounded(np.array(one, dtype=np.float64), observation.rows) for one in observation.singles],
            self._pairs(observation),
            observation.rows,
            budget.variance(budget.single_scale),
            budget.variance(budget.pair_scale),
        )

    def post_process(self, observation: TreeTranscript) -> Network:
        """The network of a transcript: a tree whose marginals are consistent.

        Parameters
        ----------
        observation
            The transcript.
        """
        margins = [one.counts for one in self.fit_singles(observation)]
        variance = self.budget.variance(self.budget.pair_scale)
        fitted = {
            edge: fit_pair(noisy, margins[edge[0]], margins[edge[1]], variance)
            for edge, noisy in self._pairs(observation).items()
        }
        structure: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        counts = [margins[0]]
        for child, parent in from_the_root(observation.edges):
            structure.append((child, (parent,)))
            counts.append(fitted[child, parent] if child < parent else fitted[parent, child].T)
        return Network.from_counts(self.schema, tuple(structure), [one.ravel().tolist() for one in counts])

    def report(self, observation: TreeTranscript, model: Network, rows: int) -> dict[str, Any]:
        """Marginals with intervals, the edges and the budget of each step.

        Parameters
        ----------
        observation
            The transcript.
        model
            Its network.
        rows
            The number of rows of the table, which is public.
        """
        return report_on_tree(model, rows, self.fit_singles(observation), self.budget)

    def _pairs(self, observation: TreeTranscript) -> dict[Edge, NDArray[np.float64]]:
        sizes = self.schema.sizes
        return {
            (one, two): bounded(np.array(counts, dtype=np.float64), observation.rows).reshape(sizes[one], sizes[two])
            for (one, two), counts in zip(observation.edges, observation.pairs, strict=True)
        }
