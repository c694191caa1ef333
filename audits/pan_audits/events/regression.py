"""Regressions with a penalty, for derived features."""

from __future__ import annotations

import numpy as np

from pan_audits.events.table import Floats

MOST_PREDICTORS = 48
"""A regression uses no more columns."""


def usable(column: Floats) -> bool:
    """Whether a regression can use ``column``: its values are finite, not huge, and not all equal."""
    return bool(np.isfinite(column).all() and column.max() > column.min() and np.abs(column).max() < 1e12)


def ridge(design: Floats, target: Floats) -> tuple[float, Floats] | None:
    """Intercept and weights of a linear regression; ``None`` if a target is not finite."""
    if not np.isfinite(target).all():
        return None
    centre, spread = design.mean(axis=0), design.std(axis=0)
    scaled = (design - centre) / spread
    gram = scaled.T @ scaled + np.eye(scaled.shape[1])
    weights = np.linalg.solve(gram, scaled.T @ (target - target.mean())) / spread
    return float(target.mean() - weights @ centre), weights


def logistic(design: Floats, labels: Floats) -> Floats | None:
    """Weights of a logistic regression after a few Newton steps, the intercept first; ``None`` if they diverge."""
    design = np.column_stack([np.ones(labels.size), design])
    penalty = np.eye(design.shape[1]) * 2.0
    penalty[0, 0] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(12):
        probability = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (labels - probability) - penalty @ weights
        curvature = (design * (probability * (1 - probability) + 1e-6)[:, None]).T @ design + penalty
        step = np.linalg.solve(curvature, slope)
        weights = weights + step
        if not np.isfinite(weights).all():
            return None
        if np.abs(step).max() < 1e-4:
            break
    return weights
