"""The report about a calibrated tree: marginals with intervals, the edges, and the budget of each step."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.calibrated_tree import CalibratedTree, TreeTranscript
from pan_estimators.tables.network import Network
from pan_estimators.tables.tree_budget import TreeBudget
from pan_estimators.tables.tree_fit import Single

LEVEL = 0.95
"""The confidence of each interval."""


def report_on(mechanism: CalibratedTree, observation: TreeTranscript, model: Network) -> dict[str, Any]:
    """The report, as a JSON-ready dictionary.

    An interval covers the number of rows of the table with this value, with probability 0.95 over the noise. For
    Laplace noise it is wider than needed: its probability is bounded by the moment generating function (Chernoff).

    Parameters
    ----------
    mechanism
        The mechanism.
    observation
        Its transcript. The report reads nothing else.
    model
        The model of the transcript.
    """
    schema, budget = mechanism.schema, mechanism.budget
    marginals = {}
    for attribute, single in zip(schema.attributes, mechanism.fit_singles(observation), strict=True):
        width = half_width(single, budget)
        marginals[attribute.name] = [
            {
                "value": category,
                "rows": round(float(count), 3),
                "low": round(max(0.0, centre - width), 3),
                "high": round(min(float(observation.rows), max(0.0, centre + width)), 3),
            }
            for category, count, centre in zip(
                attribute.categories, single.counts.tolist(), single.unbiased.tolist(), strict=True
            )
        ]
    unit = "rho" if budget.gaussian else "epsilon"
    steps = ("choice of the tree", "counts of one attribute", "counts of two attributes")
    return {
        "level": LEVEL,
        "marginals": marginals,
        "edges": [
            {"attributes": [schema.names[one], schema.names[two]], "dependence": round(strength, 6)}
            for (one, two), strength in edge_strengths(model)
        ],
        "budget": [{"step": step, unit: part} for step, part in zip(steps, budget.parts, strict=True)],
        "noise": {
            "law": "Gaussian" if budget.gaussian else "Laplace",
            "scale of one attribute": budget.single_scale,
            "scale of two attributes": budget.pair_scale,
        },
    }


def half_width(single: Single, budget: TreeBudget, level: float = LEVEL) -> float:
    """Half of the length of the interval of a count of one attribute.

    Parameters
    ----------
    single
        The estimate.
    budget
        The noise.
    level
        The confidence.
    """
    weights = _weights(single)
    scales = np.concatenate(
        [[budget.single_scale] * len(weights[0])] + [[budget.pair_scale] * len(w) for w in weights[1:]]
    )
    parts = np.concatenate(weights) * scales
    if budget.gaussian:
        return NormalDist().inv_cdf((1 + level) / 2) * float(np.sqrt((parts**2).sum()))
    return _laplace_width(parts, 1 - level)


def _weights(single: Single) -> list[NDArray[np.float64]]:
    """The weight of each noisy count in the estimate of one count, for each table that is used.

    The estimate of a value is moved by the mean over all values, so that the other values take part.
    """
    size = len(single.unbiased)
    return [
        np.concatenate([np.full(summed, weight * (1 - 1 / size)), np.full(summed * (size - 1), weight / size)])
        for weight, summed in single.weights
    ]


def _laplace_width(scales: NDArray[np.float64], beyond: float) -> float:
    """A width that a sum of Laplace variables of these scales exceeds with at most this probability."""
    rates = np.geomspace(1e-3, 0.999, 400) / scales.max()
    logs = -np.log1p(-((rates[:, None] * scales) ** 2)).sum(axis=1)
    return float(((logs + math.log(2 / beyond)) / rates).min())


def edge_strengths(model: Network) -> list[tuple[tuple[int, int], float]]:
    """The parent and the child of each edge of a tree, and the distance of the pair to independence in total variation.

    Parameters
    ----------
    model
        A network in which each attribute has at most one parent, which comes before it.
    """
    margins: dict[int, NDArray[np.float64]] = {}
    found = []
    for (place, parents), conditional in zip(model.structure, model.conditionals, strict=True):
        if not parents:
            margins[place] = conditional[0]
            continue
        joint = margins[parents[0]][:, None] * conditional
        margins[place] = joint.sum(axis=0)
        distance = np.abs(joint - np.outer(margins[parents[0]], margins[place])).sum() / 2
        found.append(((parents[0], place), float(distance)))
    return found
