"""The residual of each output after a linear regression on the numbers of the state."""

from __future__ import annotations

import numpy as np

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.names import OUTPUT
from pan_audits.events.polynomial import Polynomial
from pan_audits.events.regression import MOST_PREDICTORS, ridge, usable
from pan_audits.events.table import Floats, Table

RESIDUAL = "minus its prediction from the state"


def _derive(left: Table, right: Table) -> list[Derived]:
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
        found.append(Derived.of(Polynomial(f"{name} {RESIDUAL}", tuple(terms)), left, right))
    return found


def _predictors(names: tuple[str, ...], pooled: Floats) -> list[str]:
    """Numbers of the state that vary: sums and counts first, single elements if there are runs enough."""
    varying = [name for place, name in enumerate(names) if not name.startswith(OUTPUT) and usable(pooled[:, place])]
    summaries = [name for name in varying if name.rpartition(".")[2] in {"sum", "length"} or "[" not in name]
    elements = [name for name in varying if name not in summaries]
    room = min(MOST_PREDICTORS, pooled.shape[0] // 6)
    return (summaries + elements)[:room]


FEATURE = Feature(name="residual on the state", order=20, derive=_derive)
