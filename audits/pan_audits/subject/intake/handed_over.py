"""A class, a function or an object that the person holds, handed over to a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

import cloudpickle

from pan_audits.events.observing.values import fields_of, fingerprint
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_audits.subject.running.course import is_shipped
from pan_audits.workers.limits import Limits
from pan_estimators.common.registry import estimator_from_dict, one_epsilon, ships, with_promised
from pan_promises.adjacency import OF_TABLES
from pan_promises.errors import InputError, shown
from pan_promises.promise import Observed, Promise


def packed(thing: Any, neighbours: Any = None, *, module: ModuleType | None = None) -> bytes:
    """A thing and its neighbours as bytes, from which a judged process makes them again.

    The judge writes these bytes and never reads any that a judged process wrote.
    """
    by_value = (
        module if module is not None and module.__name__ not in cloudpickle.list_registry_pickle_by_value() else None
    )
    if by_value is not None:
        cloudpickle.register_pickle_by_value(by_value)
    try:
        data: bytes = cloudpickle.dumps((thing, neighbours))
    except Exception as problem:
        raise InputError(f"{name_of(thing)} cannot be sent to a separate process: {problem}") from None
    finally:
        if by_value is not None:
            cloudpickle.unregister_pickle_by_value(by_value)
    return data


def name_of(thing: Any) -> str:
    """A name to show: that of the class or function, or of the object's class."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return str(named.__qualname__)


def find_thing(thing: Any, inputs: Sequence[Any] = (), **options: Any) -> Mechanism:
    """A thing, ready to be judged.

    Its code does not run in this process, unless it is a shipped estimator.
    """
    return find_mechanism(**asked_about(thing, inputs, **options))


def asked_about(
    thing: Any,
    inputs: Sequence[Any] = (),
    *,
    epsilon: float | str | None = None,
    promise_epsilon: float | str | None = None,
    delta: float | None = None,
    rho: float | None = None,
    adjacency: str | None = None,
    promise: Promise | str | Mapping[str, Any] | None = None,
    neighbours: Any = None,
    parameters: Mapping[str, Any],
    isolation: str = "best",
    limits: Limits | None = None,
    module: ModuleType | None = None,
) -> dict[str, Any]:
    """The arguments of :func:`pan_audits.find_mechanism` for a thing."""
    shipped = isinstance(thing, str) and ships(thing)
    if shipped:
        parameters = with_promised(thing, parameters, epsilon, promise_epsilon)
    budget = one_epsilon(epsilon, promise_epsilon)
    stated = _promise(promise)
    if stated is not None and adjacency is not None:
        raise InputError("a promise names its adjacency itself: give either an adjacency or a promise, not both")
    if inputs and neighbours is not None:
        raise InputError("give either two inputs or neighbours, not both")
    if inputs and len(inputs) != 2:
        raise InputError(f"give two inputs that are neighbours, got {len(inputs)}")
    pairs = [tuple(inputs)] if inputs else neighbours
    if stated is None and adjacency is not None:
        if budget is None and rho is None:
            raise InputError("an adjacency makes a promise with an epsilon only, or with a rho: give both")
        if budget is not None and rho is not None:
            raise InputError("an adjacency makes a promise with an epsilon or a rho: give only one of them")
        # Only a mechanism that reads a stream has a state to be seen.
        seen: dict[str, Any] = {}
        if pairs is not None or adjacency in OF_TABLES:
            seen = {"observed": Observed.OUTPUT, "intrusions": 0}
        bound = {"epsilon": budget, "delta": delta or 0.0} if rho is None else {"rho": rho}
        stated = Promise(**bound, adjacency=adjacency, **seen)  # type: ignore[arg-type]
    if delta is not None and rho is not None:
        raise InputError("a promise has either a rho, or an epsilon with or without a delta, got both")
    if budget is not None and parameters.get("epsilon") is not None and not shipped:
        raise InputError("give the epsilon of the promise or the parameter epsilon, not both")
    # The parameters of a shipped estimator have the budget already, by its own name.
    given = {"epsilon": None if shipped else budget, "delta": delta, "rho": rho, **parameters}
    if isinstance(thing, str):
        if pairs is not None and not isinstance(pairs, str):
            raise InputError("for a mechanism by name give the name of its neighbours, such as 'module:neighbours'")
        return {
            "name": thing,
            "parameters": given,
            "promise": stated,
            "limits": limits or Limits(),
            "isolation": isolation,
            "inputs": pairs or "",
            "promised": None if shipped else budget,
        }
    if is_shipped(thing) and hasattr(thing, "to_dict") and _is_as_made(thing):
        if pairs is not None:
            raise InputError(f"{thing.name} reads a stream: it takes no inputs and no neighbours")
        budgets = [name for name in ("epsilon", "delta", "rho") if given[name] is not None and adjacency is None]
        if parameters or budgets:
            named = ", ".join([*parameters, *budgets])
            raise InputError(f"{thing.name} is made already: it takes no {named}; judge another promise with promise=")
        own = {key: value for key, value in thing.to_dict().items() if key not in ("estimator", "universe")}
        return {
            "name": thing.name,
            "parameters": {**own, "universe": thing.universe},
            "promise": stated,
            "isolation": isolation,
        }
    return {
        "name": name_of(thing),
        "parameters": given,
        "promise": stated,
        "limits": limits or Limits(),
        "isolation": isolation,
        "thing": packed(thing, pairs, module=module),
        "with_neighbours": pairs is not None,
        "promised": budget,
    }


def _is_as_made(estimator: Any) -> bool:
    """Whether a shipped estimator is the one that its configuration makes, with nothing changed."""
    try:
        made = estimator_from_dict({**estimator.to_dict(), "universe": estimator.universe.to_dict()})
    except (InputError, AttributeError, TypeError):
        return False
    return type(made) is type(estimator) and _contents(made) == _contents(estimator)


def _contents(estimator: Any) -> str:
    kind = type(estimator)
    # Values that were computed once and kept change nothing.
    kept = {name for base in kind.__mro__ for name, part in vars(base).items() if isinstance(part, cached_property)}
    return fingerprint({name: part for name, part in (fields_of(estimator) or {}).items() if name not in kept})


def _promise(promise: Promise | str | Mapping[str, Any] | None) -> Promise | None:
    if promise is None or isinstance(promise, Promise):
        return promise
    if not isinstance(promise, (str, Mapping)):
        raise InputError(f"a promise is a Promise, a dictionary or a text, got {shown(promise)}")
    return Promise.parse(promise) if isinstance(promise, str) else Promise.from_dict(promise)
