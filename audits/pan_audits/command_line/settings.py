"""Parameters of an estimator that have no option of their own: ``--set name=value``."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from typing import Any

from pan_promises.errors import InputError, Problems, shown

_OWN_OPTIONS = {
    "epsilon": "--epsilon",
    "universe": "--universe (--users in check)",
    "sample_size": "--sample-size",
}


def read_settings(pairs: list[str] | None) -> list[str] | None:
    """The value of an option that was read without an error."""
    parse_settings(pairs or [])
    return pairs


def require_known(name: str, pairs: Sequence[str] | None) -> None:
    """Raise :class:`InputError` for every parameter that a shipped estimator does not have."""
    from pan_estimators.common.registry import ESTIMATORS, require_parameters

    if name in ESTIMATORS:
        require_parameters(name, parse_settings(pairs or []), inspect.signature(ESTIMATORS[name]).parameters)


def require_budget(name: str, epsilon: float | None, pairs: Sequence[str] | None) -> None:
    """Raise :class:`InputError` for a shipped estimator that needs a privacy budget and has none.

    A rho among the settings is a budget too, if the estimator takes one.
    """
    from pan_estimators.common.registry import ESTIMATORS

    if epsilon is not None or name not in ESTIMATORS:
        return
    taken = inspect.signature(ESTIMATORS[name]).parameters
    has_rho = "rho" in taken and "rho" in parse_settings(pairs or [])
    if "epsilon" in taken and not has_rho:
        raise InputError(f"{name} needs a privacy budget: give --epsilon")


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``name=value`` pairs; a value is JSON if possible, else text."""
    found: dict[str, Any] = {}
    problems = Problems()
    for pair in pairs:
        with problems.collected():
            name, equals, value = pair.partition("=")
            if not equals or not name.isidentifier():
                raise InputError(f"--set takes name=value, got {shown(pair)}")
            if name in _OWN_OPTIONS:
                raise InputError(
                    f"--set is for parameters without an option of their own; for {name} give {_OWN_OPTIONS[name]}"
                )
            if name in found:
                raise InputError(f"--set gives {shown(name)} twice")
            found[name] = _value(name, value)
    problems.raise_any()
    return found


def _value(name: str, text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            raise InputError(f"--set {name} has an object with a repeated key, got {shown(text)}")
        return made

    try:
        # NaN and Infinity are not JSON: they stay text.
        return json.loads(text, object_pairs_hook=once, parse_constant=_refuse)
    except InputError:
        raise
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
