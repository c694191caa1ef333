"""The checks of parameters that the mechanisms on tables share."""

from __future__ import annotations

import math
from typing import Any

from pan_estimators.tables.schema import Schema
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count, shown
from pan_promises.looks import Observed
from pan_promises.promise import Promise

MOST_CELLS = 1_000_000
"""The largest number of cells of one joint distribution."""

LEAST_BUDGET = 1e-100
"""The least epsilon or rho."""

MOST_EPSILON = 1e100
"""The largest epsilon."""

_PUBLIC = ("n", "schema")


def require_epsilon(epsilon: Any) -> None:
    """Raise :class:`InputError` unless a budget is positive and finite."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)) or not 0 < epsilon < math.inf:
        raise InputError(f"epsilon must be positive and finite, got {shown(epsilon)}")
    require_not_tiny("epsilon", epsilon)
    if epsilon > MOST_EPSILON:
        raise InputError(f"epsilon must be at most {MOST_EPSILON:g}, got {shown(epsilon)}")


def require_not_tiny(name: str, budget: float) -> None:
    """Raise :class:`InputError` for a budget whose noise is beyond the range of doubles."""
    if budget < LEAST_BUDGET:
        raise InputError(f"{name} must be at least {LEAST_BUDGET:g}, got {budget:.3g}")


def require_degree(degree: Any, schema: Schema) -> None:
    """Raise :class:`InputError` unless a network of this degree exists and its joint distributions are small enough."""
    if len(schema.attributes) < 2:
        raise InputError("a network needs at least two attributes, and the schema has one")
    require_count("the degree", degree, most=len(schema.attributes) - 1)
    cells = math.prod(sorted(schema.sizes)[-1 - degree :])
    if cells > MOST_CELLS:
        raise InputError(
            f"joint distributions of {degree + 1} attributes have up to {cells:,} cells, more than {MOST_CELLS:,}"
        )


def promise_of(epsilon: float = math.inf, *, rho: float | None = None) -> Promise:
    """The promise of a mechanism on tables whose number of rows is public: an epsilon or a rho."""
    return Promise(
        epsilon=epsilon,
        rho=rho,
        adjacency=Adjacency.REPLACE_ROW,
        observed=Observed.TRANSCRIPT,
        intrusions=0,
        public=_PUBLIC,
    )
