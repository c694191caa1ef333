"""The learned score: log-odds of left against right."""

from __future__ import annotations

import numpy as np

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.features.residuals import RESIDUAL
from pan_audits.events.names import OUTPUT
from pan_audits.events.polynomial import Polynomial
from pan_audits.events.regression import MOST_PREDICTORS, logistic, usable
from pan_audits.events.table import Table

_NAME = "learned score"
_LEAST_RUNS = 192


def _derive(left: Table, right: Table) -> list[Derived]:
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
    return [Derived(whole, *columns)]


def _score(left: Table, right: Table) -> Polynomial | None:
    """Logistic regression on the features and their products.

    The products are those of a residual with every other feature. Without a residual, an output takes its place.
    """
    pooled = np.concatenate([left.values, right.values])
    names = [name for place, name in enumerate(left.names) if usable(pooled[:, place])][:MOST_PREDICTORS]
    if not names:
        return None
    pivots = [name for name in names if name.endswith(RESIDUAL)] or [name for name in names if name == OUTPUT]
    terms: list[tuple[str, ...]] = [(name,) for name in names]
    terms += [(pivot, name) for pivot in pivots for name in names if name != pivot]
    columns = {name: pooled[:, left.names.index(name)] for name in names}
    design = np.column_stack([np.prod([columns[name] for name in term], axis=0) for term in terms])
    centre, spread = design.mean(axis=0), design.std(axis=0) + 1e-12
    labels = np.repeat([1.0, 0.0], [left.runs, right.runs])
    weights = logistic((design - centre) / spread, labels)
    if weights is None:
        return None
    scaled = weights[1:] / spread
    constant = float(weights[0] - (scaled * centre).sum())
    return Polynomial(_NAME, (((), constant), *((term, float(w)) for term, w in zip(terms, scaled, strict=True))))


FEATURE = Feature(name=_NAME, order=30, derive=_derive, learned=True)
