"""The report about PrivBayes: marginals with intervals, the parents of each attribute, and the budget of each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_estimators.tables.network import Network
from pan_estimators.tables.report_parts import LEVEL, edge, laplace_width, marginal, weights_of_a_count


def report_on_privbayes(
    model: Network, counts: Sequence[Sequence[float]], rows: int, scale: float, budget: tuple[float, float]
) -> dict[str, Any]:
    """The report, as a JSON-ready dictionary.

    An interval covers the number of rows of the table with this value, with probability 0.95 over the noise. It is
    wider than needed: its probability is bounded by the moment generating function (Chernoff).
    """
    schema = model.schema
    marginals, edges = {}, []
    for (place, parents), flat in zip(model.structure, counts, strict=True):
        noisy = np.array(flat, dtype=np.float64).reshape([schema.sizes[one] for one in (place, *parents)])
        sums = noisy.reshape(len(noisy), -1).sum(axis=1)
        centres = sums + (rows - sums.sum()) / len(sums)
        (weights,) = weights_of_a_count([(1.0, noisy[0].size)], len(sums))
        kept = np.maximum(noisy, 0.0)
        shares = kept / kept.sum() if kept.sum() > 0 else np.full(kept.shape, 1 / kept.size)
        own = shares.reshape(len(noisy), -1).sum(axis=1)
        marginals[schema.names[place]] = marginal(
            schema.attributes[place], rows * own, centres, laplace_width(weights * scale), rows
        )
        for axis, parent in enumerate(parents, 1):
            others = tuple(one for one in range(1, noisy.ndim) if one != axis)
            edges.append(edge(schema.names[parent], schema.names[place], shares.sum(axis=others).T))
    return {
        "level": LEVEL,
        "marginals": {name: marginals[name] for name in schema.names},
        "edges": edges,
        "budget": [{"step": "structure", "epsilon": budget[0]}, {"step": "counts", "epsilon": budget[1]}],
        "noise": {"law": "Laplace", "scale of counts": scale},
    }
