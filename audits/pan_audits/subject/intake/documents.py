"""The reference in a document to an estimator, which is data and chooses no code.

A shipped estimator is made by its name. Any other is third-party code: it is looked up only if the person
who replays the document names it as well.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_audits.judging.reading import Field
from pan_audits.problems.problem import MOST_OUTPUTS
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_audits.workers.limits import Limits
from pan_estimators.common.registry import ESTIMATORS, require_parameters, ships, with_budget
from pan_estimators.universes.universe import Universe, universe_from_dict
from pan_promises.errors import InputError, shown
from pan_promises.exact_epsilon import parse_epsilon
from pan_promises.promise import Adjacency, Observed, Promise
from pan_promises.turnstile import Model

_LARGEST_WHOLE = 2**62
_LONGEST_BUDGET = 64
_MOST_LABELS = 10**6
_DEEPEST, _MOST_ELEMENTS = 4, 10_000
_UNIVERSES = {
    "integers": ("kind", "size", "first"),
    "labels": ("kind", "labels"),
    "hashed": ("kind", "size", "key"),
    "edges": ("kind", "vertices"),
}


@dataclass(frozen=True)
class Reference:
    """An estimator by name, with plain parameters; nothing of it has been looked up yet.

    Attributes
    ----------
    name
        A shipped one, or the one that the person named.
    parameters
        Numbers, texts, and universes of our own.
    promise
        The promise to judge.
    place
        Where in the document the parameters stand.
    inputs
        The neighbours that the person named, for a mechanism that is given its whole input.
    """

    name: str
    parameters: Mapping[str, Any]
    promise: Promise
    place: str = field(default="", compare=False)
    inputs: str = ""

    @property
    def shipped(self) -> bool:
        """Whether it belongs to this package."""
        return ships(self.name)


def mechanism_of(reference: Reference, limits: Limits | None = None) -> Mechanism:
    """The mechanism of a reference: the only place where a replay makes one."""
    mechanism = find_mechanism(
        reference.name,
        parameters=reference.parameters,
        promise=reference.promise,
        limits=limits,
        inputs=reference.inputs,
    )
    # An estimator may ignore what it does not take; a document that says more is not about this one.
    taken = set(mechanism.parameters) | set(
        inspect.signature(ESTIMATORS[reference.name]).parameters if reference.shipped else ()
    )
    with Field(None, reference.place).placed():
        require_parameters(reference.name, reference.parameters, taken)
    return mechanism


def reference_in(
    name: Field, parameters: Mapping[str, Field], promise: Promise, third_party: str | None, inputs: str = ""
) -> Reference:
    """Read which estimator a document asks for."""
    wanted = name.text()
    if not wanted.isprintable() or not wanted:
        name.refuse("the name of an estimator")
    if third_party is not None and third_party != wanted:
        raise InputError(f"the file is about the estimator {shown(wanted)}, but --estimator names {shown(third_party)}")
    if not ships(wanted) and third_party is None:
        raise InputError(
            f"{name.place}: the file names the estimator {shown(wanted)}, which panproof does not ship, and a file "
            f"cannot choose the code that is run; if you trust that code, name it: {named(wanted)}"
        )
    place = name.place
    if not ships(wanted):
        return Reference(wanted, {key: _plain(value) for key, value in parameters.items()}, promise, place, inputs)
    known = {*inspect.signature(ESTIMATORS[wanted]).parameters, "universe"}
    # Earlier versions wrote a parameter epsilon of which the promise was a multiple.
    former = parameters.get("epsilon") if "epsilon" not in known and "promise_epsilon" in known else None
    others = {key: value for key, value in parameters.items() if value is not former}
    with name.placed():
        require_parameters(wanted, others, known)
    read = {key: _parameter(key, value) for key, value in others.items()}
    if former is not None:
        with name.placed():
            read = with_budget(wanted, _parameter("epsilon", former), read)
    return Reference(wanted, {key: value for key, value in read.items() if value is not None}, promise, place)


def named(name: str) -> str:
    """The option that names an estimator, for a shell."""
    return shlex.join(["--estimator", name])


def promise_in(field: Field) -> Promise:
    """A promise, its epsilon a number, or a text such as ``log(3/2)`` that stays exact."""
    parts = field.only(Promise.__dataclass_fields__).entries()
    given = {name: _part_of_promise(name, part) for name, part in parts if part.value is not None}
    with field.placed():
        return Promise.from_dict(given)


_CHOSEN: dict[str, Any] = {"adjacency": Adjacency, "observed": Observed}


def _part_of_promise(name: str, field: Field) -> Any:
    if name == "epsilon":
        return _budget(field)
    if name in _CHOSEN:
        return field.choice(_CHOSEN[name])
    if isinstance(field.value, list):
        return [each.text() for each in field.items(most=_MOST_LABELS)]
    if type(field.value) is int:
        return field.whole(most=MOST_OUTPUTS)
    return field.number() if isinstance(field.value, float) else field.text()


def _parameter(key: str, field: Field) -> Any:
    """A parameter of a shipped estimator."""
    if field.value is None:
        return None
    if key == "universe" and isinstance(field.value, dict):
        return _universe(field)
    if key in ("universe", "vertices", "sample_size"):
        return field.whole(1, _LARGEST_WHOLE)
    if key in ("epsilon", "promise_epsilon"):
        return _budget(field)
    if isinstance(field.value, bool) or field.value in (*Model, *Adjacency):
        return field.value
    return field.whole(-_LARGEST_WHOLE, _LARGEST_WHOLE) if isinstance(field.value, int) else field.number()


def _budget(field: Field) -> float:
    if not isinstance(field.value, str):
        return field.number()
    text = field.text(_LONGEST_BUDGET)
    with field.placed():
        return parse_epsilon(text)


def _universe(field: Field) -> Universe:
    kind = field["kind"].text()
    if kind not in _UNIVERSES:
        field["kind"].refuse(f"one of {', '.join(_UNIVERSES)}")
    field.only(_UNIVERSES[kind])
    for name in ("size", "first", "vertices"):
        if (number := field.get(name)) is not None:
            number.whole(0 if name != "first" else -_LARGEST_WHOLE, _LARGEST_WHOLE)
    if (labels := field.get("labels")) is not None:
        for label in labels.items(most=_MOST_LABELS):
            label.text()
    with field.placed():
        return universe_from_dict(field.value)


_TUPLE = "tuple"


def in_document(parameter: Any) -> Any:
    """A parameter of an estimator as JSON from which :func:`reference_in` makes it again."""
    if isinstance(parameter, tuple):
        return {"kind": _TUPLE, "items": [in_document(item) for item in parameter]}
    if isinstance(parameter, list):
        return [in_document(item) for item in parameter]
    if isinstance(parameter, Mapping):
        return {key: in_document(value) for key, value in parameter.items()}
    return parameter


def _plain(field: Field, depth: int = 0) -> Any:
    """A parameter of a third-party estimator: plain values, and a universe of this package."""
    if isinstance(field.value, dict):
        if field.value.get("kind") == _TUPLE:
            return tuple(_plain(field["items"], depth))
        if "kind" in field.value:
            return _universe(field)
        if depth >= _DEEPEST or len(field.value) > _MOST_ELEMENTS:
            field.refuse(f"an object of at most {_MOST_ELEMENTS} fields, {_DEEPEST} deep")
        return {key: _plain(value, depth + 1) for key, value in field.entries()}
    if isinstance(field.value, list):
        if depth >= _DEEPEST:
            field.refuse(f"a value nested at most {_DEEPEST} deep")
        return [_plain(element, depth + 1) for element in field.items(most=_MOST_ELEMENTS)]
    if isinstance(field.value, str):
        return field.text(_MOST_ELEMENTS)
    if field.value is None or isinstance(field.value, bool):
        return field.value
    return field.whole(-_LARGEST_WHOLE, _LARGEST_WHOLE) if isinstance(field.value, int) else field.number()
