"""The density estimators that are compared at equal memory: those of insertions, without announced intrusions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from pan_estimators.density.members import MEMBERS

_GIVEN = {"universe", "epsilon", "sample_size"}
"""The parameters that the comparison gives."""


def _options(factory: Callable[..., Any]) -> Mapping[str, Any] | None:
    """The options of an estimator beside what the comparison gives, or ``None`` if it is not compared."""
    if not set(signature(factory).parameters) >= _GIVEN:
        return None
    small = factory(universe=2, epsilon=0.1, sample_size=1)
    promise = small.promise
    if getattr(small, "deletions", False) or (promise is not None and promise.announced):
        return None
    outputs = 1 if promise is None else promise.outputs
    return {"outputs": outputs} if outputs != 1 else {}


COMPARED: Mapping[str, Mapping[str, Any]] = {
    name: options for name, factory in MEMBERS.items() if (options := _options(factory)) is not None
}
"""The compared estimators with their further options."""
