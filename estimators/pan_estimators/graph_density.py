"""Density of a graph whose edges are inserted and deleted: paper, Section 3; thesis, Chapter 4."""

from __future__ import annotations

from dataclasses import replace

from pan_estimators.optimal_bernoulli import optimal_bernoulli
from pan_estimators.sampled_cells import SampledCells
from pan_estimators.universe import EdgeUniverse


def graph_density(
    *,
    vertices: int,
    epsilon: float,
    sample_size: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
) -> SampledCells:
    """The fraction of all possible edges that are present, ``2 |E| / (|V| (|V| - 1))``.

    The estimator is :func:`optimal_bernoulli` with deletions, its users are the edges: an id is a
    pair of vertices, and a stream is an array of shape ``(n, 2)`` with an array of deletions.

    Promise (density.insert_delete): 2 epsilon for the presence of one edge, one intrusion, state
    and output jointly. The audit refutes it.

    Parameters
    ----------
    vertices
        Number of vertices, at least 2.
    epsilon
        Budget of the state and of the output, in nats.
    sample_size, alpha, beta
        The number of sampled edges, or the accuracy from which it is planned.

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
    universe = EdgeUniverse(vertices)
    estimator = optimal_bernoulli(
        universe=universe, epsilon=epsilon, sample_size=sample_size, alpha=alpha, beta=beta, deletions=True
    )
    return replace(estimator, name="graph-density")
