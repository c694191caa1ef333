"""The interface that an audit needs, and the missing parts of an estimator without it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from pan_audits.isolation.adapter import RESULT_METHODS, UPDATE_METHODS, find_method


@dataclass(frozen=True)
class Requirement:
    """One requirement of an estimator, whether it is met, and the remedy otherwise."""

    name: str
    satisfied: bool
    advice: str


def requirements(kind: Any) -> list[Requirement]:
    """The interface, method by method, for a class, a factory's product or an object."""
    found = []
    for method, arguments, purpose in (
        ("create", ("randomness",), "returns the state before the first update"),
        ("update", ("state", "ids", "randomness"), "returns the state after an id or an array of ids"),
        ("release", ("state", "randomness"), "returns an output computed from the state"),
    ):
        signature = f"{method}(self, {', '.join(arguments)})"
        satisfied = callable(getattr(kind, method, None)) and _accepts(getattr(kind, method), len(arguments), kind)
        found.append(Requirement(method, satisfied, f"define {signature}: it {purpose}"))
    return found


def is_estimator(kind: Any) -> bool:
    """Whether all requirements of the interface are satisfied."""
    return all(requirement.satisfied for requirement in requirements(kind))


def is_plain_object(kind: Any) -> bool:
    """Whether it has an update method for one id and a result method without arguments."""
    result = find_method(kind, RESULT_METHODS)
    return result is not None and takes_ids(kind) and _accepts(getattr(kind, result), 0, kind)


def takes_ids(kind: Any) -> bool:
    """Whether it has an update method for one id, and is no estimator with a state of its own."""
    update = find_method(kind, UPDATE_METHODS)
    if update is None or callable(getattr(kind, "create", None)):
        return False
    return _accepts(getattr(kind, update), 1, kind)


def missing(kind: Any, name: str) -> str:
    """One sentence that names the obstacle to an audit of ``kind``."""
    advice = "; ".join(r.advice for r in requirements(kind) if not r.satisfied)
    return (
        f"{name} cannot be audited: {advice} (or give it a method {' or '.join(UPDATE_METHODS[:3])} for one id "
        f"and a method {' or '.join(RESULT_METHODS[:3])} without arguments)"
    )


def _accepts(method: Any, arguments: int, kind: Any) -> bool:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return True
    # A function of a class still has the parameter self.
    own = isinstance(kind, type) and not isinstance(
        inspect.getattr_static(kind, getattr(method, "__name__", ""), None), (staticmethod, classmethod)
    )
    try:
        signature.bind(*([None] * (arguments + own)))
    except TypeError:
        return False
    return True
