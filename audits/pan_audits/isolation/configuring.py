"""From an imported class, function or object to an estimator, in a judged process only."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

from pan_audits.isolation.adapter import (
    RANDOMNESS_PARAMETERS,
    RESULT_METHODS,
    UPDATE_METHODS,
    ObjectEstimator,
    find_method,
    parameters_of,
    seeded_arguments,
    seeded_globally,
)
from pan_audits.isolation.compiled import CompiledEstimator, writer_of
from pan_audits.isolation.conformance import is_estimator, is_plain_object, missing, takes_ids
from pan_audits.isolation.data import DataError, Registry, made_of_attributes, to_data
from pan_audits.isolation.description import promise_of
from pan_audits.observing.values import fields_of
from pan_estimators.common.registry import require_parameters
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError

OPTIONAL = frozenset({"universe", "epsilon", "delta", "rho", "sample_size"})
"""Parameters that an estimator without them ignores."""

_LONGEST = 200


def accepts(kind: Any, parameter: str) -> bool:
    """Whether a class or a function takes a parameter of this name. Code without a signature may take any other."""
    if not callable(kind):
        return False
    parameters = parameters_of(kind)
    if parameters is None:
        return parameter not in OPTIONAL
    return parameter in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def configured(kind: Any, name: str, given: Mapping[str, Any]) -> Any:
    """The estimator that a class, a function or an object makes."""
    if not callable(kind):
        if is_estimator(kind):
            require_parameters(name, set(given) - OPTIONAL, ())
            return kind
        raise InputError(missing(kind, name))
    parameters = parameters_of(kind)
    if parameters is None:
        arguments = {key: value for key, value in given.items() if key not in OPTIONAL}
        made = _made(kind, name, arguments)
        return made if is_estimator(made) else _of_object(kind, made, name, arguments)
    require_parameters(name, [key for key in given if key not in OPTIONAL and not accepts(kind, key)], parameters)
    arguments = {key: value for key, value in given.items() if key in parameters}
    plain = isinstance(kind, type) and not is_estimator(kind) and takes_ids(kind)
    automatic = {*RANDOMNESS_PARAMETERS, "seed"} if plain or not isinstance(kind, type) else set()
    needed = [
        key
        for key, p in parameters.items()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and key not in arguments
    ]
    if wanting := [key for key in needed if key not in automatic]:
        hint = "--epsilon E" if wanting[0] == "epsilon" else f"--set {wanting[0]}=VALUE"
        raise InputError(f"{name} needs the parameter {wanting[0]!r}: give {hint}")
    if plain and made_of_attributes(kind) and is_plain_object(kind) and not _holds_compiled_code(kind, arguments):
        return _of_attributes(kind, kind, name, arguments)
    made = _made(kind, name, arguments)
    return made if is_estimator(made) else _of_object(kind, made, name, arguments)


def _made(kind: Any, name: str, arguments: dict[str, Any]) -> Any:
    try:
        return kind(**_first_arguments(kind, arguments))
    except InputError:
        raise
    except (Exception, SystemExit) as problem:
        text = f"{name} could not be made: {type(problem).__name__}: {_first_words(problem)}"
    if parameters_of(kind) is None:
        text += "; it shows no signature: give its parameters with --set NAME=VALUE, or name a function that makes it"
    raise InputError(text)


def _first_arguments(kind: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with which an object is made to be looked at."""
    randomness = NumpyRandomness(0)
    return seeded_arguments(kind, arguments, randomness, seeded_globally(randomness))


def _of_object(factory: Any, made: Any, name: str, arguments: dict[str, Any]) -> Any:
    """The estimator of a plain object that a class or a function has made."""
    kind = type(made)
    if made is None:
        raise InputError(f"{name} returned None: it must return the object to be judged")
    if not takes_ids(kind):
        raise InputError(missing(made, name))
    compiled = not made_of_attributes(kind) or bool(_compiled_parts(made))
    if is_plain_object(kind) and not compiled:
        return _of_attributes(factory, kind, name, arguments)
    update = find_method(kind, UPDATE_METHODS)
    if not compiled or update is None:
        raise InputError(missing(made, name))
    return CompiledEstimator(
        factory=factory,
        update_method=update,
        result_method=_result_method(made),
        arguments=arguments,
        written_by=writer_of(made),
        name=name,
        promise=promise_of(getattr(factory, "promise", None) or getattr(kind, "promise", None), name),
    )


def _of_attributes(factory: Any, kind: type, name: str, arguments: dict[str, Any]) -> ObjectEstimator:
    update, result = find_method(kind, UPDATE_METHODS), find_method(kind, RESULT_METHODS)
    assert update is not None
    assert result is not None
    return ObjectEstimator(
        factory=factory,
        update_method=update,
        result_method=result,
        arguments=arguments,
        name=name,
        promise=promise_of(getattr(factory, "promise", None) or getattr(kind, "promise", None), name),
        kind=kind,
    )


def _result_method(made: Any) -> str:
    """The result method of a fresh object; empty if each of them needs an argument."""
    for method in RESULT_METHODS:
        if callable(getattr(made, method, None)):
            try:
                getattr(made, method)()
            except TypeError:
                continue
            except Exception:  # an empty object may have no result yet
                return method
            return method
    return ""


def _holds_compiled_code(kind: type, arguments: dict[str, Any]) -> bool:
    """Whether fresh objects of a class hold parts whose contents are not attributes."""
    try:
        return bool(_compiled_parts(kind(**_first_arguments(kind, arguments))))
    except (Exception, SystemExit):  # the audit reports it
        return False


def _compiled_parts(made: Any) -> list[Any]:
    """The parts of an object whose contents are neither data nor attributes."""
    registry, fields = Registry(), fields_of(made) or {}
    try:
        to_data(fields, registry)
    except DataError:
        return []
    named = (type, enum.Enum, partial)
    found = [part for part in registry.parts.values() if not isinstance(part, named) and not inspect.isroutine(part)]
    return [part for part in found if not made_of_attributes(type(part))]


def _first_words(problem: BaseException) -> str:
    text = " ".join(str(problem).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
