"""The names of the continual counters, and the classes that they stand for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pan_estimators.continual.adaptive import TurnstileAdaptive, TurnstileBestOfBoth
from pan_estimators.continual.calibrated_adaptive import CalibratedAdaptive
from pan_estimators.continual.given_flippancy import TurnstileGivenFlippancy
from pan_estimators.continual.recompute import TurnstileRecompute
from pan_estimators.continual.running_count import PanPrivateRunningCount
from pan_estimators.continual.sparse_vector import SparseVector
from pan_estimators.continual.square_root_counter import CalibratedTurnstile, Presence
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


def parameters_for(name: str, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Those of some parameters that a counter takes, or ``None`` if it needs others or follows no stream."""
    known = inspect.signature(MEMBERS[name]).parameters
    if not hasattr(MEMBERS[name], "follow"):
        return None
    if any(one.default is one.empty and key not in given for key, one in known.items()):
        return None
    return {key: value for key, value in given.items() if key in known}


def counters_with(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The counters that some parameters determine, each with those that it takes."""
    return {name: found for name in MEMBERS if (found := parameters_for(name, given)) is not None}


SMALL: Mapping[str, Any] = {"steps": 4, "rho": 0.5, "epsilon": 1.0, "flippancy": 2, "period": 1}
"""A small size, at which all counters can be made."""


def remark(name: str) -> str | None:
    """A remark for listings: that the state holds the counts in clear, if the promise leaves the state out."""
    parameters = parameters_for(name, SMALL) if name in MEMBERS else None
    if parameters is None or create_counter(name, parameters).promise.sees_state:
        return None
    return "the state holds the counts in clear"
