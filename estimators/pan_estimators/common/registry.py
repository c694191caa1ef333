"""The registry of the shipped estimators of all families, by name, and the epsilon that each of them promises."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from pan_estimators.universes.universe import Universe, universe_from_dict
from pan_promises.errors import CollectedInputError, InputError, shown, suggestion
from pan_promises.exact_epsilon import parse_epsilon
from pan_promises.families import FamilyParts, family_parts

P = ParamSpec("P")
T = TypeVar("T")

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
    refuse_former(name, parameters)
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


def refuse_former(name: str, given: Mapping[str, Any]) -> None:
    """Refuse a parameter epsilon of a shipped estimator that takes its promise."""
    known = inspect.signature(ESTIMATORS[name]).parameters
    if given.get("epsilon") is not None and "epsilon" not in known and "promise_epsilon" in known:
        raise _former(name, known, given)


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
    values["universe"] = universe_from_dict(values["universe"])
    if name in ESTIMATORS and "epsilon" in values and takes(name, "promise_epsilon"):
        # Written by an earlier version: the promise was a multiple of the parameter.
        values = with_budget(name, values.pop("epsilon"), values)
    return create_estimator(name, **values)


def promises(factory: Callable[P, T]) -> Callable[P, T]:
    """A function that takes the promise, and for one release refuses epsilon: it was a part of the promise so far."""
    known = inspect.signature(factory).parameters
    own = sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in known.values())
    place = list(known).index("promise_epsilon")

    @wraps(factory)
    def made(*positional: P.args, **given: P.kwargs) -> T:
        if len(positional) > max(own, place):
            given.setdefault("epsilon", positional[place])
        if "epsilon" in given:
            raise _former(factory.__qualname__.removesuffix(".__init__"), known, given)
        return factory(*positional, **given)

    return made


def _former(name: str, known: Mapping[str, inspect.Parameter], given: Mapping[str, Any]) -> InputError:
    """The refusal of a parameter epsilon that is not the promise."""
    epsilon, times = given["epsilon"], _times(known, given)
    promised = f"promise_epsilon={times * epsilon!r}" if isinstance(epsilon, (int, float)) else "promise_epsilon"
    return InputError(
        f"epsilon = {shown(epsilon)} was so far a parameter of {name}, which promises {times} times as much: give "
        f"{promised} for the noise that it had"
    )


def _times(known: Mapping[str, inspect.Parameter], given: Mapping[str, Any]) -> int:
    """The number of looks and outputs that share a promise: the promise was so many times the parameter epsilon."""
    announced = given.get("announced", known["announced"].default if "announced" in known else 0)
    return 2 + (announced if isinstance(announced, int) else 0)


def with_budget(name: str, epsilon: Any, others: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a shipped estimator with a budget for each look and for the output.

    It is the parameter epsilon of the papers; an estimator that takes its promise gets the sum of the budgets.
    """
    if not takes(name, "promise_epsilon"):
        return {**others, "epsilon": epsilon}
    if not isinstance(epsilon, (int, float)):
        raise InputError(f"epsilon is a number of nats, got {shown(epsilon)}")
    return {**others, "promise_epsilon": _times(inspect.signature(ESTIMATORS[name]).parameters, others) * epsilon}


_SIZES = {"universe": 16, "sample_size": 8}
_OF_THE_SIZE = frozenset({"universe", "vertices", "sample_size", "alpha", "beta"})
_PROBE = 0.1


def multiple_of_parameter(name: str, parameters: Mapping[str, Any]) -> int:
    """The multiple of its parameter epsilon that a shipped estimator promises; 1 if it makes another promise or none.

    The published density estimators promise twice their parameter, and more with announced intrusions. For one that
    takes its promise it is the multiple that it promised so far.
    """
    if takes(name, "promise_epsilon"):
        return _times(inspect.signature(ESTIMATORS[name]).parameters, parameters)
    if not takes(name, "epsilon"):
        return 1
    sizes = {key: size for key, size in _SIZES.items() if takes(name, key)}
    others = {key: value for key, value in parameters.items() if value is not None and key not in _OF_THE_SIZE}
    promise = create_estimator(name, **{**sizes, **others, "epsilon": _PROBE}).promise
    return 1 if promise is None or promise.rho is not None else round(float(promise.epsilon) / _PROBE)


def with_promised(
    name: str,
    parameters: Mapping[str, Any],
    epsilon: float | str | None = None,
    promise_epsilon: float | str | None = None,
) -> dict[str, Any]:
    """The parameters of a shipped estimator that promises an epsilon.

    Parameters
    ----------
    name
        The estimator.
    parameters
        Its other parameters; they may hold its parameter epsilon instead.
    epsilon
        The promised epsilon. It is refused where it was another number so far: the parameter of an estimator that
        promises a multiple of it.
    promise_epsilon
        The same, in a form that had no other meaning.

    Raises
    ------
    InputError
        If epsilon is ambiguous, is given twice, or is no parameter of the estimator.
    """
    promised = one_epsilon(epsilon, promise_epsilon)
    if promised is None:
        return dict(parameters)
    if parameters.get("epsilon") is not None or parameters.get("promise_epsilon") is not None:
        raise InputError("give the epsilon of the promise or the parameter epsilon, not both")
    direct = takes(name, "promise_epsilon")
    if not (direct or takes(name, "epsilon")):
        raise InputError(f"{name} promises no epsilon that could be chosen: leave it out")
    multiple = multiple_of_parameter(name, {key: value for key, value in parameters.items() if key != "epsilon"})
    if multiple != 1 and epsilon is not None:
        raise _ambiguous(name, multiple, promised)
    return {**parameters, **({"promise_epsilon": promised} if direct else {"epsilon": promised / multiple})}


def one_epsilon(epsilon: float | str | None, promise_epsilon: float | str | None) -> float | None:
    """The promised epsilon, given in one of its two forms or not at all."""
    if epsilon is not None and promise_epsilon is not None:
        raise InputError("--epsilon and --promise-epsilon are the same number: give one of them")
    given = epsilon if promise_epsilon is None else promise_epsilon
    return None if given is None else _number(given)


def _number(epsilon: Any) -> float:
    """A budget of any type of number, or a text such as ``log(3/2)``; an exact one stays exact."""
    if isinstance(epsilon, str):
        return parse_epsilon(epsilon)
    try:
        number = float(epsilon)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"epsilon is a number that a double can hold, or a text, got {shown(epsilon)}") from None
    return epsilon if isinstance(epsilon, (int, float)) else number


def _ambiguous(name: str, multiple: int, epsilon: float) -> InputError:
    """The refusal of an epsilon that was a parameter so far, and would be the promised number now."""
    return InputError(
        f"epsilon {epsilon} was so far the parameter of {name}, which promises {multiple} times as much: give "
        f"--promise-epsilon '{multiple * epsilon}' for the noise that it had (promise_epsilon in Python), or "
        f"--promise-epsilon '{epsilon}' to promise this number"
    )
