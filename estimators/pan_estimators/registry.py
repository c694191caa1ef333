"""The shipped estimators by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pan_estimators.announced_intrusions import announced_intrusions
from pan_estimators.bernoulli_family import bernoulli_family
from pan_estimators.calibrated_announced_intrusions import calibrated_announced_intrusions
from pan_estimators.calibrated_bernoulli import calibrated_bernoulli
from pan_estimators.calibrated_continual_output import calibrated_continual_output
from pan_estimators.calibrated_insert_delete import calibrated_insert_delete
from pan_estimators.dwork import dwork
from pan_estimators.errors import InputError
from pan_estimators.exact_counter import exact_counter
from pan_estimators.graph_density import graph_density
from pan_estimators.laplace import laplace
from pan_estimators.lecture import lecture
from pan_estimators.optimal_bernoulli import optimal_bernoulli
from pan_estimators.pan_private_distinct_sampling import pan_private_distinct_sampling
from pan_estimators.quantized_laplace import quantized_laplace
from pan_estimators.universe import EdgeUniverse, Universe, as_universe, universe_from_dict

ESTIMATORS: Mapping[str, Callable[..., Any]] = {
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
"""Factories by name; each takes keyword arguments only."""


def create_estimator(name: str, **parameters: Any) -> Any:
    """The shipped estimator ``name`` with the given parameters.

    ``graph-density`` takes a number of vertices, or a universe of edges; all others a universe.

    Raises
    ------
    InputError
        For an unknown name or parameter, or a parameter outside its range.
    """
    if name not in ESTIMATORS:
        raise InputError(f"unknown estimator {name!r}; shipped are {', '.join(ESTIMATORS)}")
    factory = ESTIMATORS[name]
    if name == "graph-density" and "universe" in parameters:
        if "vertices" in parameters:
            raise InputError("give graph-density either a universe or its number of vertices, not both")
        parameters["vertices"] = _vertices(as_universe(parameters.pop("universe")))
    known = set(inspect.signature(factory).parameters)
    if unknown := sorted(set(parameters) - known):
        raise InputError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}")
    try:
        return factory(**parameters)
    except TypeError as problem:
        raise InputError(f"{name}: {problem}") from None


def estimator_from_dict(configuration: Mapping[str, Any]) -> Any:
    """Read what ``to_dict`` of a shipped estimator wrote; :class:`InputError` if it is none."""
    values = dict(configuration)
    name = values.pop("estimator", None)
    if not isinstance(name, str):
        raise InputError("the configuration names no estimator")
    if not isinstance(values.get("universe"), dict):
        raise InputError("the configuration describes no universe")
    return create_estimator(name, **{**values, "universe": universe_from_dict(values["universe"])})


def _vertices(universe: Universe) -> int:
    if isinstance(universe, EdgeUniverse):
        return universe.vertices
    # The least v with v (v - 1) / 2 edges or more.
    vertices = max(2, (1 + math.isqrt(8 * universe.size)) // 2)
    return vertices if vertices * (vertices - 1) // 2 >= universe.size else vertices + 1
