"""The parts of a report about a model: marginals with intervals, the strength of an edge, widths of intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.tables.schema import Attribute

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
