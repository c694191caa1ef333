"""The registry of the shipped estimators of all families, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pan_estimators.universes.universe import Universe, universe_from_dict
from pan_promises.errors import CollectedInputError, InputError, shown, suggestion
from pan_promises.families import FamilyParts, family_parts

ESTIMATORS: Mapping[str, Callable[..., Any]] = FamilyParts(lambda: {**_named("members"), **_named("counters")})
"""The factories by name. They take keyword arguments only."""

ESTIMATORS_OF_IDS: Mapping[str, Callable[..., Any]] = FamilyParts(
    lambda: {name: factory for name, factory in _named("members").items() if _reads_ids(factory)}
)
"""Those that read a stream of ids, from a universe of ids or of edges, and release the estimate itself.

Of the others, some read another kind of input, and some release noisy counts.
"""


def ships(name: str) -> bool:
    """Whether a name is that of a shipped estimator.

    Parameters
    ----------
    name
        Any name. One with a colon means other code, for which no family is imported.
    """
    return isinstance(name, str) and ":" not in name and name in ESTIMATORS


def create_estimator(name: str, **parameters: Any) -> Any:
    """The shipped estimator with a name and parameters.

    Parameters
    ----------
    name
        A key of ``ESTIMATORS``, for example ``"optimal-bernoulli"``.
    parameters
        The keyword arguments of its factory.

    Raises
    ------
    InputError
        For an unknown name or parameter, or a parameter outside its range.
    """
    if not isinstance(name, str):
        raise InputError(f"the name of an estimator is a text, got {shown(name)}")
    if name not in ESTIMATORS:
        raise InputError(f"unknown estimator {shown(name)}; {suggestion(name, ESTIMATORS)}")
    factory = ESTIMATORS[name]
    known = inspect.signature(factory).parameters
    require_parameters(name, parameters, known)
    if missing := [key for key, one in known.items() if one.default is one.empty and key not in parameters]:
        raise InputError(f"{name} needs a value for {missing[0]}")
    try:
        return factory(**parameters)
    except TypeError:
        wrong = [key for key, value in parameters.items() if not isinstance(value, (int, float, Universe))]
        told = ", ".join(f"{key} = {shown(parameters[key])}" for key in wrong or parameters)
        raise InputError(f"a parameter of {name} has a value of the wrong kind: {told}") from None


def takes(name: str, parameter: str) -> bool:
    """Whether a shipped estimator has a parameter."""
    return parameter in inspect.signature(ESTIMATORS[name]).parameters


def require_parameters(name: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise :class:`InputError` for every given parameter that an estimator does not have."""
    names = sorted(known)
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise CollectedInputError(
            *(f"{name} has no parameter {shown(one)}; {suggestion(one, names)}" for one in unknown)
        )


def _named(part: str) -> dict[str, Callable[..., Any]]:
    """The factories of one part of all families, by name."""
    return {name: factory for found in family_parts("pan_estimators", part) for name, factory in found.items()}


def _reads_ids(factory: Callable[..., Any]) -> bool:
    return not {"universe", "vertices"}.isdisjoint(inspect.signature(factory).parameters)


def estimator_from_dict(configuration: Mapping[str, Any]) -> Any:
    """The estimator with the configuration that its ``to_dict`` wrote.

    Parameters
    ----------
    configuration
        The dictionary.

    Raises
    ------
    InputError
        If the dictionary is not the configuration of a shipped estimator.
    """
    values = dict(configuration)
    name = values.pop("estimator", None)
    if not isinstance(name, str):
        raise InputError("the configuration names no estimator")
    if not isinstance(values.get("universe"), dict):
        raise InputError("the configuration describes no universe")
    return create_estimator(name, **{**values, "universe": universe_from_dict(values["universe"])})
