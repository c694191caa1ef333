"""Features that are derived from the columns that the adversary sees, and regressions with a penalty for them.

The state at the intrusion and a noisy output can each reveal little, and together reveal much. The deviation of the
output from its prediction given the state carries the information, and its meaning changes with single elements of the
state. So each output has its residual after a linear regression on the state, and there is a score with all products of
the residual and elements of the state. Outputs are also compared with one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from pan_audits.events.table import OUTPUT, Definition, Floats, Polynomial, Table

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


def log_odds(name: str, terms: Sequence[tuple[str, ...]], design: Floats, labels: Floats) -> Polynomial | None:
    """The logistic regression on some terms, which are the columns of the design, as a polynomial of them."""
    centre, spread = design.mean(axis=0), design.std(axis=0) + 1e-12
    weights = logistic((design - centre) / spread, labels)
    if weights is None:
        return None
    scaled = weights[1:] / spread
    constant = float(weights[0] - (scaled * centre).sum())
    return Polynomial(name, (((), constant), *((term, float(w)) for term, w in zip(terms, scaled, strict=True))))


_FEW_OUTPUTS, _MOST_PAIRS = 8, 32
_RESIDUAL = "minus its prediction from the state"
_SCORE = "learned score"
_LEAST_RUNS = 192


@dataclass(frozen=True, eq=False)
class DerivedColumn:
    """A derived column: its definition, and the values from which its thresholds are chosen.

    Attributes
    ----------
    definition
        The computation of the column.
    left, right
        The values on the two streams. Those of a learned score come from definitions that were fitted to other runs.
    """

    definition: Definition
    left: Floats
    right: Floats

    @classmethod
    def of(cls, definition: Definition, left: Table, right: Table) -> DerivedColumn:
        """A column with the values of its own ``definition`` on ``left`` and ``right``."""
        return cls(definition, definition(left), definition(right))


def _differences(left: Table, right: Table) -> list[DerivedColumn]:
    """Differences of two outputs: of all of them if they are few, else of neighbours only."""
    outputs = [
        name
        for place, name in enumerate(left.names)
        if name.startswith(OUTPUT) and (usable(left.values[:, place]) or usable(right.values[:, place]))
    ]
    pairs = combinations(outputs, 2) if len(outputs) <= _FEW_OUTPUTS else list(pairwise(outputs))[:_MOST_PAIRS]
    differences = [
        Polynomial(f"{first} minus {second}", (((first,), 1.0), ((second,), -1.0))) for first, second in pairs
    ]
    return [DerivedColumn.of(difference, left, right) for difference in differences]


def _residuals(left: Table, right: Table) -> list[DerivedColumn]:
    """The residual of each output after a linear regression on the numbers of the state."""
    pooled = np.concatenate([left.values, right.values])
    predictors = _predictors(left.names, pooled)
    if not predictors:
        return []
    design = pooled[:, [left.names.index(name) for name in predictors]]
    found = []
    for name in (name for name in left.names if name.startswith(OUTPUT)):
        fitted = ridge(design, pooled[:, left.names.index(name)])
        if fitted is None:
            continue
        intercept, weights = fitted
        terms = [((name,), 1.0), ((), -intercept)]
        terms += [((predictor,), -float(weight)) for predictor, weight in zip(predictors, weights, strict=True)]
        found.append(DerivedColumn.of(Polynomial(f"{name} {_RESIDUAL}", tuple(terms)), left, right))
    return found


def _predictors(names: tuple[str, ...], pooled: Floats) -> list[str]:
    """Numbers of the state that vary: sums and counts first, single elements if there are runs enough."""
    varying = [name for place, name in enumerate(names) if not name.startswith(OUTPUT) and usable(pooled[:, place])]
    summaries = [name for name in varying if name.rpartition(".")[2] in {"sum", "length"} or "[" not in name]
    elements = [name for name in varying if name not in summaries]
    room = min(MOST_PREDICTORS, pooled.shape[0] // 6)
    return (summaries + elements)[:room]


def _learned_scores(left: Table, right: Table) -> list[DerivedColumn]:
    """The log-odds of left against right."""
    whole = _score(left, right) if left.runs >= _LEAST_RUNS else None
    if whole is None:
        return []
    # Thresholds are chosen on scores of runs that the score was not fitted to.
    half = left.runs // 2
    columns = [np.full(table.runs, np.nan) for table in (left, right)]
    for fitted, scored in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
        part = _score(Table(left.names, left.values[fitted]), Table(right.names, right.values[fitted])) or whole
        for column, table in zip(columns, (left, right), strict=True):
            column[scored] = part(Table(table.names, table.values[scored]))
    return [DerivedColumn(whole, *columns)]


def _score(left: Table, right: Table) -> Polynomial | None:
    """Logistic regression on the features and their products.

    The products are those of a residual with every other feature. Without a residual, an output takes its place.
    """
    pooled = np.concatenate([left.values, right.values])
    names = [name for place, name in enumerate(left.names) if usable(pooled[:, place])][:MOST_PREDICTORS]
    if not names:
        return None
    pivots = [name for name in names if name.endswith(_RESIDUAL)] or [name for name in names if name == OUTPUT]
    terms: list[tuple[str, ...]] = [(name,) for name in names]
    terms += [(pivot, name) for pivot in pivots for name in names if name != pivot]
    columns = {name: pooled[:, left.names.index(name)] for name in names}
    design = np.column_stack([np.prod([columns[name] for name in term], axis=0) for term in terms])
    return log_odds(_SCORE, terms, design, np.repeat([1.0, 0.0], [left.runs, right.runs]))


PLAIN: tuple[Callable[[Table, Table], Sequence[DerivedColumn]], ...] = (_differences, _residuals)
"""The features whose meaning a reader can check, each from equally many runs on both streams."""
LEARNED: tuple[Callable[[Table, Table], Sequence[DerivedColumn]], ...] = (_learned_scores,)
"""Scores, which are derived from the columns of the others as well, and must be worth clearly more."""
