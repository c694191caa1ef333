"""The call of a mechanism ``f(data, rng)``, read from its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pan_audits.isolation.adapter import RANDOMNESS_PARAMETERS
from pan_promises.errors import InputError

_SIZE = "size"
_NO_FUNCTION = {
    inspect.iscoroutinefunction: "an async function",
    inspect.isasyncgenfunction: "an async generator function",
    inspect.isgeneratorfunction: "a generator function",
}


@dataclass(frozen=True)
class CalledParameters:
    """The arguments of a mechanism besides its data.

    Attributes
    ----------
    keyword
        The name of its randomness, if it takes the randomness by keyword only; empty for the second position.
    take_size
        Whether it takes a number of outputs: ``size``, by default ``None`` or without a default. A size with another
        default is an ordinary parameter.
    """

    keyword: str = ""
    take_size: bool = False


def called_parameters(mechanism: Callable[..., Any], fixed: Mapping[str, Any], name: str) -> CalledParameters:
    """Read the signature of a mechanism."""
    _require_function(mechanism, name)
    try:
        signature = inspect.signature(mechanism)
    except (TypeError, ValueError):
        return CalledParameters()
    parameters = list(signature.parameters.values())
    keyword = next((p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in RANDOMNESS_PARAMETERS), "")
    positions = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    if len(positions) > 1 and positions[1].name in RANDOMNESS_PARAMETERS:
        keyword = ""
    others = parameters[1:] if keyword else parameters[2:]
    take_size = any(
        p.name == _SIZE and p.default in (None, p.empty) and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        for p in others
    )
    given = dict(fixed) if not take_size else {_SIZE: None, **fixed}
    if not keyword:
        _require_call(signature, (None, None), given, name)
    else:
        _require_call(signature, (None,), {**given, keyword: None}, name)
    return CalledParameters(keyword, take_size)


def _require_function(mechanism: Any, name: str) -> None:
    while isinstance(mechanism, partial):
        mechanism = mechanism.func
    codes: list[Any] = [mechanism, type(mechanism).__call__]
    for code in codes:
        for matches, kind in _NO_FUNCTION.items():
            if matches(code):
                raise InputError(f"{name} is {kind}; a mechanism is an ordinary function f(data, rng) with one output")


def _require_call(signature: inspect.Signature, places: tuple[None, ...], given: Mapping[str, Any], name: str) -> None:
    try:
        signature.bind(*places, **given)
    except TypeError:
        bound = signature.bind_partial(**{key: given[key] for key in given if key in signature.parameters}).arguments
        wanting = [
            p.name
            for p in list(signature.parameters.values())[2:]
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in bound
        ]
        if wanting:
            raise InputError(f"{name} needs a value for its parameter {wanting[0]!r}") from None
        raise InputError(
            f"a mechanism is called as f(data, rng), with its data and a randomness, but {name} takes "
            f"{', '.join(signature.parameters) or 'no parameters'}"
        ) from None
