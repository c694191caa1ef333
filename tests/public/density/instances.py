"""Every shipped estimator at a size that a test can enumerate or run often."""

from __future__ import annotations

from inspect import signature

from pan_estimators import create_estimator, exact_counter, graph_density
from pan_estimators.common.registry import with_budget


def budgeted(make, epsilon, **sizes):
    """An estimator with this budget for its state, and as much for its output."""
    takes_half = "epsilon" in signature(make).parameters
    return make(**sizes, **({"epsilon": epsilon} if takes_half else {"promise_epsilon": 2 * epsilon}))


def small(name):
    if name == "exact-counter":
        return exact_counter(universe=12)
    if name == "graph-density":
        return graph_density(vertices=6, epsilon=0.4, sample_size=15)
    return create_estimator(name, **with_budget(name, 0.4, {"universe": 12, "sample_size": 12}))
