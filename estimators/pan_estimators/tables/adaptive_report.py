"""The report about adaptive marginals: marginals with intervals, the chosen pairs, and the budget of each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pan_estimators.tables.adaptive_budget import Round
from pan_estimators.tables.counted_places import NoisyCounts
from pan_estimators.tables.junction_marginals import JunctionMarginals
from pan_estimators.tables.network import Network
from pan_estimators.tables.report_parts import LEVEL, edge, gaussian_width, marginal, weights_of_a_count


def report_on_adaptive(model: Network, rows: int, measured: Sequence[NoisyCounts]) -> dict[str, Any]:
    """The report, as a JSON-ready dictionary.

    An interval covers the number of rows of the table with this value, with probability 0.95 over the noise. It is
    computed from the noisy counts of the attribute alone: those of the pairs depend on earlier noise by their choice.
    """
    schema, joints = model.schema, JunctionMarginals.of_network(model)
    alone = [one for one in measured if len(one.places) == 1]
    pairs = [one for one in measured if len(one.places) == 2]
    marginals = {}
    for one in alone:
        (place,) = one.places
        counts = np.array(one.counts, dtype=np.float64)
        centres = counts + (rows - counts.sum()) / len(counts)
        (weights,) = weights_of_a_count([(1.0, 1)], len(counts))
        marginals[schema.names[place]] = marginal(
            schema.attributes[place],
            rows * joints.marginal((place,)),
            centres,
            gaussian_width(weights * one.deviation),
            rows,
        )
    every = sum(float(Round(0.0, one.deviation).rho) for one in alone)
    return {
        "level": LEVEL,
        "marginals": marginals,
        "edges": [
            edge(schema.names[one], schema.names[two], joints.marginal((one, two)))
            for one, two in dict.fromkeys((one.places[0], one.places[1]) for one in pairs)
        ],
        "budget": [
            {"step": "counts of one attribute", "rho": every},
            *(
                {
                    "step": "choice and counts of " + ", ".join(schema.names[place] for place in one.places),
                    "rho": float(Round(one.epsilon, one.deviation).rho),
                }
                for one in pairs
            ),
        ],
        "noise": {"law": "Gaussian", "scale of one attribute": alone[0].deviation},
    }
