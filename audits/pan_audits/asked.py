"""The estimator that a document asks for, which is data and chooses no code.

A shipped estimator is made by its name. Any other is somebody's code: it is looked up only if the person
who replays the document names it as well.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_audits.discovery import Variant, find_variant
from pan_audits.reading import Field
from pan_estimators import ESTIMATORS, Adjacency, InputError, Observed, Promise, Universe, parse_epsilon
from pan_estimators.universe import universe_from_dict

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
class Asked:
    """An estimator by name, with plain parameters; nothing of it has been looked up yet.

    Attributes
    ----------
    name
        A shipped one, or the one that the person named.
    parameters
        Numbers, texts, and universes of our own.
    promise
        What is held against it.
    place
        Where in the document the parameters stand.
    """

    name: str
    parameters: Mapping[str, Any]
    promise: Promise
    place: str = field(default="", compare=False)

    @property
    def shipped(self) -> bool:
        """Whether it belongs to this package."""
        return self.name in ESTIMATORS


def make_estimator(asked: Asked) -> Variant:
    """The estimator that was asked for: the only place where a replay makes one."""
    variant = find_variant(asked.name, parameters=asked.parameters, promise=asked.promise)
    # An estimator may ignore what it does not take; a document that says more is not about this one.
    taken = set(variant.parameters) | set(inspect.signature(ESTIMATORS[asked.name]).parameters if asked.shipped else ())
    if unknown := sorted(set(asked.parameters) - taken):
        raise InputError(f"{asked.place}: {asked.name} has no parameter {unknown[0]!r}")
    return variant


def asked_in(name: Field, parameters: Mapping[str, Field], promise: Promise, third_party: str | None) -> Asked:
    """Read which estimator a document asks for.

    Parameters
    ----------
    name
        As the document names it.
    parameters
        As the document configures it.
    promise
        What is held against it.
    third_party
        The estimator that the person named, if any; it must be the one that the document names.

    Raises
    ------
    InputError
        If the document asks for code that the person has not named, or for what is no parameter of a
        shipped estimator.
    """
    wanted = name.text()
    if not wanted.isprintable() or not wanted:
        name.refuse("the name of an estimator")
    if third_party is not None and third_party != wanted:
        raise InputError(f"the file is about the estimator {wanted!r}, not about {third_party!r} of --estimator")
    if wanted not in ESTIMATORS and third_party is None:
        raise InputError(
            f"{name.place}: the file asks for the estimator {wanted!r}, which is none of panproof but somebody's code, "
            f"and a file does not choose what is run; if you trust that code, name it: {named(wanted)}"
        )
    place = name.place
    if wanted not in ESTIMATORS:
        return Asked(wanted, {key: _plain(value) for key, value in parameters.items()}, promise, place)
    known = {*inspect.signature(ESTIMATORS[wanted]).parameters, "universe"}
    if unknown := sorted(set(parameters) - known):
        raise InputError(f"{place}: {wanted} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}")
    read = {key: _parameter(key, value) for key, value in parameters.items()}
    return Asked(wanted, {key: value for key, value in read.items() if value is not None}, promise, place)


def named(name: str) -> str:
    """The option that names an estimator, for a shell."""
    return shlex.join(["--estimator", name])


def promise_in(field: Field) -> Promise:
    """A promise, its epsilon a number, or a text such as ``log(3/2)`` that stays exact."""
    epsilon = field.only(Promise.__dataclass_fields__)["epsilon"]
    claim, delta, observed = field.get("claim"), field.get("delta"), field.get("observed")
    values: dict[str, Any] = {
        "epsilon": _budget(epsilon),
        "delta": 0.0 if delta is None else delta.number(0, 1),
        "adjacency": field["adjacency"].choice(Adjacency),
        "observed": Observed.STATE_AND_OUTPUT if observed is None else observed.choice(Observed),
        "claim": None if claim is None else claim.text(),
    }
    for name in ("intrusions", "announced", "outputs"):
        if (count := field.get(name)) is not None:
            values[name] = count.whole(most=64)
    with field.placed():
        return Promise(**values)


def _parameter(key: str, field: Field) -> Any:
    """A parameter of a shipped estimator."""
    if field.value is None:
        return None
    if key == "universe" and isinstance(field.value, dict):
        return _universe(field)
    if key in ("universe", "vertices", "sample_size"):
        return field.whole(1, _LARGEST_WHOLE)
    if key == "epsilon":
        return _budget(field)
    if isinstance(field.value, bool):
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


def _plain(field: Field, depth: int = 0) -> Any:
    """A parameter of somebody's estimator: plain values, and a universe of our own."""
    if isinstance(field.value, dict):
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
