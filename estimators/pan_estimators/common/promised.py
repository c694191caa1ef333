"""The epsilon of a promise, and the parameter with which a shipped estimator makes this promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pan_estimators.common.registry import create_estimator, takes
from pan_promises.errors import InputError, shown
from pan_promises.exact_epsilon import parse_epsilon

_SIZES = {"universe": 16, "sample_size": 8}
_OF_THE_SIZE = frozenset({"universe", "vertices", "sample_size", "alpha", "beta"})
_PROBE = 0.1


def multiple_of_parameter(name: str, parameters: Mapping[str, Any]) -> int:
    """The multiple of its parameter epsilon that a shipped estimator promises; 1 if it makes another promise or none.

    The published density estimators promise twice their parameter, and more with announced intrusions.
    """
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
    if parameters.get("epsilon") is not None:
        raise InputError("give the epsilon of the promise or the parameter epsilon, not both")
    if not takes(name, "epsilon"):
        raise InputError(f"{name} promises no epsilon that could be chosen: leave it out")
    multiple = multiple_of_parameter(name, {key: value for key, value in parameters.items() if key != "epsilon"})
    if multiple != 1 and epsilon is not None:
        raise ambiguous(name, multiple, promised)
    return {**parameters, "epsilon": promised / multiple}


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


def ambiguous(name: str, multiple: int, epsilon: float) -> InputError:
    """The refusal of an epsilon that was a parameter so far, and would be the promised number now."""
    return InputError(
        f"epsilon {epsilon} was so far the parameter of {name}, which promises {multiple} times as much: give "
        f"--promise-epsilon '{multiple * epsilon}' for the noise that it had (promise_epsilon in Python), or "
        f"--promise-epsilon '{epsilon}' to promise this number"
    )
