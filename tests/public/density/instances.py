"""Every shipped estimator at a size that a test can enumerate or run often."""

from __future__ import annotations

from pan_estimators import create_estimator, exact_counter, graph_density


def small(name):
    if name == "exact-counter":
        return exact_counter(universe=12)
    if name == "graph-density":
        return graph_density(vertices=6, epsilon=0.4, sample_size=15)
    return create_estimator(name, universe=12, epsilon=0.4, sample_size=12)
