"""The names of the continual counters, and the classes that they stand for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pan_estimators.continual.adaptive import TurnstileAdaptive
from pan_estimators.continual.best_of_both import TurnstileBestOfBoth
from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.calibrated_turnstile import CalibratedTurnstile
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.presence import Presence
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.running_count import PanPrivateRunningCount
from pan_estimators.continual.sparse_vector import SparseVector
from pan_promises.errors import InputError, shown, suggestion

MEMBERS: Mapping[str, Callable[..., Any]] = {
    "turnstile-given-flippancy": TurnstileGivenFlippancy,
    "turnstile-recompute": TurnstileRecompute,
    "turnstile-adaptive": TurnstileAdaptive,
    "turnstile-best-of-both": TurnstileBestOfBoth,
    "sparse-vector": SparseVector,
    "pan-private-running-count": PanPrivateRunningCount,
    "calibrated-turnstile": CalibratedTurnstile,
    "calibrated-adaptive": CalibratedAdaptive,
    "presence": Presence,
}
"""The counters by name. They take turnstile streams, not ids, and stand apart from the other estimators."""


def parameters_of(name: str) -> tuple[str, ...]:
    """The names of the parameters of a counter."""
    if name not in MEMBERS:
        raise InputError(f"unknown counter {shown(name)}; {suggestion(name, MEMBERS)}")
    return tuple(inspect.signature(MEMBERS[name]).parameters)


def create_counter(name: str, parameters: Mapping[str, Any]) -> Any:
    """A counter by its name."""
    known = parameters_of(name)
    if unknown := [one for one in parameters if one not in known]:
        raise InputError(f"{name} has no parameter {shown(unknown[0])}; {suggestion(unknown[0], known)}")
    needed = [one for one, found in inspect.signature(MEMBERS[name]).parameters.items() if found.default is found.empty]
    if missing := [one for one in needed if one not in parameters]:
        raise InputError(f"{name} needs the parameter {missing[0]}")
    return MEMBERS[name](**parameters)
