"""Reports on private networks: their edges and marginals with intervals, for people and as documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.budgets import NoisyCounts, Round, TreeBudget
from pan_estimators.tables.junction_tree import JunctionMarginals
from pan_estimators.tables.network import Network
from pan_estimators.tables.schema import Attribute
from pan_estimators.tables.tree_fit import Single
from pan_estimators.tables.tree_structure import Edge

LEVEL = 0.95
"""The confidence of each interval."""


def marginal(
    attribute: Attribute, counts: NDArray[np.float64], centres: NDArray[np.float64], width: float, rows: int
) -> list[dict[str, Any]]:
    """The number of rows of each value of an attribute, with its interval."""
    return [
        {
            "value": category,
            "rows": round(float(count), 3),
            "low": round(min(float(rows), max(0.0, centre - width)), 3),
            "high": round(min(float(rows), max(0.0, centre + width)), 3),
        }
        for category, count, centre in zip(attribute.categories, counts.tolist(), centres.tolist(), strict=True)
    ]


def edge(one: str, two: str, joint: NDArray[np.float64]) -> dict[str, Any]:
    """Two attributes, and the distance of their joint distribution to independence in total variation."""
    distance = np.abs(joint - np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum() / 2
    return {"attributes": [one, two], "dependence": round(float(distance), 6)}


def gaussian_width(deviations: NDArray[np.float64], level: float = LEVEL) -> float:
    """Half of the length of the interval of a sum of independent Gaussian variables."""
    return NormalDist().inv_cdf((1 + level) / 2) * float(np.sqrt((deviations**2).sum()))


def laplace_width(scales: NDArray[np.float64], level: float = LEVEL) -> float:
    """A width that a sum of independent Laplace variables exceeds with at most the rest of the probability.

    It is bounded by the moment generating function (Chernoff), so that it is wider than needed.
    """
    rates = np.geomspace(1e-3, 0.999, 400) / scales.max()
    logs = -np.log1p(-((rates[:, None] * scales) ** 2)).sum(axis=1)
    return float(((logs + math.log(2 / (1 - level))) / rates).min())


def weights_of_a_count(tables: Sequence[tuple[float, int]], size: int) -> list[NDArray[np.float64]]:
    """The weight of each noisy count in the estimate of one count, for each table that is used.

    The estimate of a value is moved by the mean over all values, so that the other values take part.
    """
    return [
        np.concatenate([np.full(summed, weight * (1 - 1 / size)), np.full(summed * (size - 1), weight / size)])
        for weight, summed in tables
    ]


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
        "noise": {"distribution": "Laplace", "scale of counts": scale},
    }


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
        "noise": {"distribution": "Gaussian", "scale of one attribute": alone[0].deviation},
    }


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
            "distribution": "Gaussian" if budget.gaussian else "Laplace",
            "scale of one attribute": dict(zip(names, budget.singles, strict=True)),
        },
    }


def half_width(single: Single, budget: TreeBudget, level: float = LEVEL) -> float:
    """Half of the length of the interval of a count of one attribute."""
    weights = weights_of_a_count(single.weights, len(single.unbiased))
    scaled = [each * scale for each, scale in zip(weights, single.scales, strict=True)]
    width = gaussian_width if budget.gaussian else laplace_width
    return width(np.concatenate(scaled), level)
