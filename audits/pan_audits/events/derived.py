"""Derived features: the residual of an output given the state, and a learned score of both.

The state at the intrusion and a noisy output can each reveal little, and together reveal much. The deviation of the
output from its prediction given the state carries the information, and its meaning changes with single elements of the
state. So each output has its residual after a linear regression on the state, and there is a score with all products of
the residual and elements of the state.
"""

from __future__ import annotations

import numpy as np

from pan_audits.events.event import Polynomial
from pan_audits.events.table import Floats, Table

OUTPUT = "output"
RESIDUAL = "minus its prediction from the state"
SCORE = "learned score"

_MOST_PREDICTORS = 48


def residuals(left: Table, right: Table) -> tuple[Polynomial, ...]:
    """For every output, its residual on the numbers of the state; and differences of outputs."""
    outputs = [name for name in left.names if name.startswith(OUTPUT)]
    pooled = np.concatenate([left.values, right.select(left.names).values])
    found: list[Polynomial] = []
    for position, first in enumerate(outputs):
        for second in outputs[position + 1 :]:
            found.append(Polynomial(f"{first} minus {second}", (((first,), 1.0), ((second,), -1.0))))
    predictors = _predictors(left.names, pooled)
    if not predictors:
        return tuple(found)
    design = pooled[:, [left.names.index(name) for name in predictors]]
    for name in outputs:
        target = pooled[:, left.names.index(name)]
        fitted = _ridge(design, target)
        if fitted is None:
            continue
        intercept, weights = fitted
        terms = [((name,), 1.0), ((), -intercept)]
        terms += [((predictor,), -float(weight)) for predictor, weight in zip(predictors, weights, strict=True)]
        found.append(Polynomial(f"{name} {RESIDUAL}", tuple(terms)))
    return tuple(found)


def score(left: Table, right: Table) -> Polynomial | None:
    """Log-odds of left against right: logistic regression on the features and their products.

    ``left`` and ``right`` already hold the derived columns. The products are those of a residual, or,
    without one, of an output, with every other feature.
    """
    pooled = np.concatenate([left.values, right.values])
    names = [name for place, name in enumerate(left.names) if _varies(pooled[:, place])][:_MOST_PREDICTORS]
    if not names:
        return None
    pivots = [name for name in names if name.endswith(RESIDUAL)] or [name for name in names if name == OUTPUT]
    terms: list[tuple[str, ...]] = [(name,) for name in names]
    terms += [(pivot, name) for pivot in pivots for name in names if name != pivot]
    columns = {name: pooled[:, left.names.index(name)] for name in names}
    design = np.column_stack([np.prod([columns[name] for name in term], axis=0) for term in terms])
    centre, spread = design.mean(axis=0), design.std(axis=0) + 1e-12
    labels = np.repeat([1.0, 0.0], [left.runs, right.runs])
    weights = _logistic((design - centre) / spread, labels)
    if weights is None:
        return None
    scaled = weights[1:] / spread
    constant = float(weights[0] - (scaled * centre).sum())
    return Polynomial(SCORE, (((), constant), *((term, float(w)) for term, w in zip(terms, scaled, strict=True))))


def _predictors(names: tuple[str, ...], pooled: Floats) -> list[str]:
    """Numbers of the state that vary: sums and counts first, single elements if there are runs enough."""
    usable = [name for place, name in enumerate(names) if not name.startswith(OUTPUT) and _varies(pooled[:, place])]
    summaries = [name for name in usable if name.rpartition(".")[2] in {"sum", "length"} or "[" not in name]
    elements = [name for name in usable if name not in summaries]
    room = min(_MOST_PREDICTORS, pooled.shape[0] // 6)
    return (summaries + elements)[:room]


def _varies(column: Floats) -> bool:
    return bool(np.isfinite(column).all() and column.max() > column.min() and np.abs(column).max() < 1e12)


def _ridge(design: Floats, target: Floats) -> tuple[float, Floats] | None:
    if not np.isfinite(target).all():
        return None
    centre, spread = design.mean(axis=0), design.std(axis=0)
    scaled = (design - centre) / spread
    gram = scaled.T @ scaled + np.eye(scaled.shape[1])
    weights = np.linalg.solve(gram, scaled.T @ (target - target.mean())) / spread
    return float(target.mean() - weights @ centre), weights


def _logistic(design: Floats, labels: Floats) -> Floats | None:
    """Ridge logistic regression by a few Newton steps; the intercept comes first."""
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
