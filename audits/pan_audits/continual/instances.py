"""The counters of the family at one size: parameters by name for each of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from pan_estimators.continual.members import MEMBERS, create_counter


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
