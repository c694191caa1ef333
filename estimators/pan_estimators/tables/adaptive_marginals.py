"""Adaptive marginals: noisy counts of the pairs of attributes that the model so far describes worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.budgets import (
    NoisyCounts,
    Rounds,
    Spending,
    cost_of_counts,
    deviation_for,
    noise_norm,
    promised_rho,
    require_budget,
    require_share,
)
from pan_estimators.tables.junction_tree import JunctionMarginals, JunctionTree, Pair
from pan_estimators.tables.mechanism import MOST_CELLS, require_degree
from pan_estimators.tables.mirror_descent import Factors, Measurement, fitted
from pan_estimators.tables.network import GivesRows, Network
from pan_estimators.tables.reports import report_on_adaptive
from pan_estimators.tables.schema import binary
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError, require_count

_ROUNDS, _LAST_ROUNDS = 40, 1000
"""The steps of the descent after each choice, and at the end."""

_REST = Fraction(1, 10**9)
"""The share of the budget that rounding may leave unspent."""


@dataclass(frozen=True)
class AdaptiveTranscript:
    """Everything that leaves the holder of a table, before post-processing.

    Attributes
    ----------
    rows
        The number of rows, which is public.
    measured
        The noisy counts, in the order of their choice.
    """

    rows: int
    measured: tuple[NoisyCounts, ...]


@dataclass(frozen=True)
class AdaptiveMarginals(GivesRows):
    """A model of a table with a rho for one replaced row: pairs of attributes are counted one after the other.

    The counts of each attribute come first. In each round the exponential mechanism chooses a pair whose counts differ
    much from those of the model so far, and the pair is counted with Gaussian noise. The score of a pair is the L1
    distance from the model, less the expected norm of the noise. One replaced row changes it by at most 2. A choice
    with the epsilon ``e`` costs the rho ``e^2/8``, and a table of counts with the standard deviation ``s`` costs
    ``1/s^2``. The costs add up, for adaptive steps as well (Bun and Steinke 2016, Lemma 2.3). They are added as
    fractions, and never exceed the promised rho. The noise falls after a round that taught less than its noise.

    The model is the distribution of a junction tree that fits all noisy counts. Pairs whose cliques would have too many
    cells are no candidates: this depends on the earlier choices alone.
    """

    schema: Any = field(default_factory=lambda: binary(3))
    epsilon: float = 1.0
    delta: float = 1e-6
    rho: float | None = None
    selection: float = 0.1
    singles: float = 0.4
    cells: int = 50_000
    rows: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        require_budget(self.epsilon, 0.0 if self.rho is not None else self.delta, self.rho)
        if self.rho is None and not self.delta:
            raise InputError("the noise is Gaussian: give a delta above 0, or a rho")
        require_share("selection", self.selection)
        require_share("singles", self.singles)
        require_degree(1, self.schema)
        require_count("the number of cells", self.cells, most=MOST_CELLS)
        _ = self._rho  # Computed here, so that a wrong parameter is refused at once.

    @cached_property
    def _rho(self) -> float:
        found = promised_rho(self.epsilon, self.delta, self.rho)
        assert found is not None
        return found

    def release(self, table: Any, randomness: Randomness) -> AdaptiveTranscript:
        """The noisy counts of each attribute and of the chosen pairs."""
        read, spending = Table.of(table, self.schema), Spending(Fraction(self._rho))
        places = range(len(self.schema.attributes))
        deviation = deviation_for(Fraction(self.singles) * spending.rho / len(places))
        measured = []
        for place in places:
            spending.spend(cost_of_counts(deviation))
            measured.append(self._noisy(read, (place,), deviation, 0.0, randomness))
        rounds = Rounds.of(spending.left, len(places), Fraction(self.selection))
        exact = {pair: read.counts(pair) for pair in combinations(places, 2)}
        model, factors = self._model(read.rows, measured, None, _ROUNDS)
        while spending.left > spending.rho * _REST:
            given = rounds.next(spending.left)
            spending.spend(given.rho)
            candidates = self._candidates(measured, float(spending.spent / spending.rho))
            joints = model.pairs()
            scores = [
                float(np.abs(exact[pair] - read.rows * joints[pair]).sum())
                - noise_norm(given.deviation, exact[pair].size)
                for pair in candidates
            ]
            pair = candidates[int(randomness.exponential_mechanism(scores, given.epsilon, 2))]
            measured.append(self._noisy(read, pair, given.deviation, given.epsilon, randomness))
            model, factors = self._model(read.rows, measured, factors, _ROUNDS)
            taught = read.rows * float(np.abs(model.marginal(pair) - joints[pair]).sum())
            rounds = rounds.grown(taught, noise_norm(given.deviation, exact[pair].size))
        return AdaptiveTranscript(read.rows, tuple(measured))

    def _noisy(
        self, table: Table, places: tuple[int, ...], deviation: float, epsilon: float, randomness: Randomness
    ) -> NoisyCounts:
        drawn: NDArray[Any] = randomness.gaussian(table.counts(places).ravel(), deviation)
        return NoisyCounts(places, deviation, epsilon, drawn.tolist())

    def _candidates(self, measured: Sequence[NoisyCounts], spent: float) -> list[Pair]:
        """The pairs whose cliques together have few enough cells. It reads the places of the counts alone."""
        edges, sizes = {one.places for one in measured if len(one.places) == 2}, self.schema.sizes
        now = JunctionTree.of(edges, sizes)
        allowed = max(now.cells, spent * self.cells)
        found = []
        for pair in combinations(range(len(sizes)), 2):
            if now.holder(pair) is not None or JunctionTree.of({*edges, pair}, sizes).cells <= allowed:
                found.append(pair)
        return found or list(edges) or [min(combinations(range(len(sizes)), 2), key=self._cells_of)]

    def _cells_of(self, pair: Pair) -> int:
        cells: int = self.schema.sizes[pair[0]] * self.schema.sizes[pair[1]]
        return cells

    def _model(
        self, rows: int, measured: Sequence[NoisyCounts], start: Factors | None, rounds: int
    ) -> tuple[JunctionMarginals, Factors]:
        sizes = self.schema.sizes
        tree = JunctionTree.of([(one.places[0], one.places[1]) for one in measured if len(one.places) == 2], sizes)
        shaped = [
            Measurement(
                one.places,
                np.array(one.counts, dtype=np.float64).reshape([sizes[place] for place in one.places]),
                one.deviation,
            )
            for one in measured
        ]
        return fitted(tree, shaped, rows, rounds, start)

    def post_process(self, observation: AdaptiveTranscript) -> Network:
        """The network of a transcript: the attributes in the order of a junction tree."""
        model, _ = self._model(observation.rows, observation.measured, None, _LAST_ROUNDS)
        return model.network(self.schema)

    def report(self, observation: AdaptiveTranscript, model: Network, rows: int) -> dict[str, Any]:
        """Marginals with intervals, the chosen pairs and the budget of each step."""
        return report_on_adaptive(model, rows, observation.measured)
