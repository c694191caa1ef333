"""The density of a graph with insertions and deletions of edges: paper, Section 3; thesis, Chapter 4."""

from __future__ import annotations

import math
from dataclasses import replace

from pan_estimators.density.optimal_bernoulli import optimal_bernoulli
from pan_estimators.density.sampled_cells import SampledCells
from pan_estimators.universes.universe import EdgeUniverse, Universe, as_universe
from pan_promises.errors import InputError


def graph_density(
    *,
    vertices: int | None = None,
    universe: Universe | int | None = None,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The fraction of all possible edges that are present, ``2 |E| / (|V| (|V| - 1))``.

    Model: :func:`pan_estimators.optimal_bernoulli` with deletions, whose users are the edges. An id is a
    pair of vertices. A stream is an array of shape ``(n, 2)`` with an array of deletions.

    Promise (density.insert_delete): 2 epsilon for the presence of one edge, one intrusion, state
    and output jointly. The audit refutes it.

    Parameters
    ----------
    vertices
        Number of vertices, from 2 to ``2**31``.
    universe
        In place of ``vertices``: a universe of edges, or a number of edges, for the least graph with as many.
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    sample_size
        Number m of sampled edges, from 1 to the number of possible edges; or else give ``alpha`` and ``beta``.
    alpha, beta
        Deviation from the density and its probability, both in (0, 1). The least sample size for them is planned.

    Raises
    ------
    InputError
        If a parameter is out of range, or unless exactly one of ``vertices`` and ``universe`` is given.

    Examples
    --------
    >>> import numpy as np
    >>> from pan_estimators import NumpyRandomness, graph_density
    >>> estimator = graph_density(vertices=4, epsilon=0.5, sample_size=6)
    >>> randomness = NumpyRandomness(1)
    >>> state = estimator.create(randomness)
    >>> edges = np.array([[0, 1], [2, 3], [0, 1]])
    >>> state = estimator.update(state, edges, randomness, deletions=[False, False, True])
    >>> density = estimator.release(state, randomness)
    """
    if vertices is not None and universe is not None:
        raise InputError("give graph-density either a universe or its number of vertices, not both")
    if vertices is None:
        if universe is None:
            raise InputError("graph-density needs its number of vertices, or a universe of edges")
        vertices = _vertices(as_universe(universe))
    estimator = optimal_bernoulli(
        universe=EdgeUniverse(vertices),
        epsilon=epsilon,
        sample_size=sample_size,
        alpha=alpha,
        beta=beta,
        deletions=True,
    )
    return replace(estimator, name="graph-density")


def _vertices(universe: Universe) -> int:
    if isinstance(universe, EdgeUniverse):
        return universe.vertices
    # The least v with v (v - 1) / 2 edges or more.
    vertices = max(2, (1 + math.isqrt(8 * universe.size)) // 2)
    return vertices if vertices * (vertices - 1) // 2 >= universe.size else vertices + 1
