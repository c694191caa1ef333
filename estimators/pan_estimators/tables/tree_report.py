"""The report about a calibrated tree: marginals with intervals, the edges, and the budget of each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pan_estimators.tables.junction_marginals import JunctionMarginals
from pan_estimators.tables.network import Network
from pan_estimators.tables.report_parts import (
    LEVEL,
    edge,
    gaussian_width,
    laplace_width,
    marginal,
    weights_of_a_count,
)
from pan_estimators.tables.tree_budget import TreeBudget
from pan_estimators.tables.tree_fit import Single
from pan_estimators.tables.tree_structure import Edge


def report_on_tree(
    model: Network, rows: int, singles: Sequence[Single], pairs: Mapping[Edge, float], budget: TreeBudget
) -> dict[str, Any]:
    """The report, as a JSON-ready dictionary.

    An interval covers the number of rows of the table with this value, with probability 0.95 over the noise. For
    Laplace noise it is wider than needed: its probability is bounded by the moment generating function (Chernoff).
    """
    names, joints = model.schema.names, JunctionMarginals.of_network(model)
    unit = "rho" if budget.gaussian else "epsilon"
    steps = ("choice of the pairs", "counts of one attribute", "counts of two attributes")
    return {
        "level": LEVEL,
        "marginals": {
            attribute.name: marginal(attribute, single.counts, single.unbiased, half_width(single, budget), rows)
            for attribute, single in zip(model.schema.attributes, singles, strict=True)
        },
        "edges": [
            edge(names[one], names[two], joints.marginal((one, two))) | {"scale": scale}
            for (one, two), scale in pairs.items()
        ],
        "budget": [{"step": step, unit: float(part)} for step, part in zip(steps, budget.parts, strict=True)],
        "noise": {
            "law": "Gaussian" if budget.gaussian else "Laplace",
            "scale of one attribute": dict(zip(names, budget.singles, strict=True)),
        },
    }


def half_width(single: Single, budget: TreeBudget, level: float = LEVEL) -> float:
    """Half of the length of the interval of a count of one attribute."""
    weights = weights_of_a_count(single.weights, len(single.unbiased))
    scaled = [each * scale for each, scale in zip(weights, single.scales, strict=True)]
    width = gaussian_width if budget.gaussian else laplace_width
    return width(np.concatenate(scaled), level)
