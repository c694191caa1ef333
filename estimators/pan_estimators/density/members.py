"""The registry of the density estimators by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pan_estimators.density.calibrated import (
    calibrated_announced_intrusions,
    calibrated_bernoulli,
    calibrated_continual_output,
    calibrated_insert_delete,
)
from pan_estimators.density.distinct.counter import distinct_counter
from pan_estimators.density.exact_counter import exact_counter
from pan_estimators.density.pan_private_distinct_sampling import pan_private_distinct_sampling
from pan_estimators.density.printed import (
    announced_intrusions,
    bernoulli_family,
    dwork,
    graph_density,
    laplace,
    lecture,
    optimal_bernoulli,
    quantized_laplace,
)

MEMBERS: Mapping[str, Callable[..., Any]] = {
    "dwork": dwork,
    "lecture": lecture,
    "bernoulli-family": bernoulli_family,
    "optimal-bernoulli": optimal_bernoulli,
    "laplace": laplace,
    "quantized-laplace": quantized_laplace,
    "pan-private-distinct-sampling": pan_private_distinct_sampling,
    "dwork-insert-delete": partial(dwork, deletions=True),
    "optimal-bernoulli-insert-delete": partial(optimal_bernoulli, deletions=True),
    "graph-density": graph_density,
    "announced-intrusions": announced_intrusions,
    "calibrated-bernoulli": calibrated_bernoulli,
    "calibrated-insert-delete": calibrated_insert_delete,
    "calibrated-announced-intrusions": calibrated_announced_intrusions,
    "calibrated-continual-output": calibrated_continual_output,
    "exact-counter": exact_counter,
}
"""The factories by name. They take keyword arguments only."""

COUNTERS: Mapping[str, Callable[..., Any]] = {"distinct-counter": distinct_counter}
"""The factories of counters by name. Their output is noisy counts, from which the number of users is estimated."""
