"""Auditing a plain object with an update and a result method; all its attributes are the state."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from pan_audits.events.observing.values import fields_of
from pan_promises.promise import Promise

UPDATE_METHODS = ("update", "add", "insert", "process", "observe", "push")
RESULT_METHODS = (
    *("release", "result", "estimate", "query", "output", "get", "density", "count"),
    *("get_estimate", "estimate_elements", "cardinality"),
)
RANDOMNESS_PARAMETERS = ("randomness", "rng", "generator", "random_state")


@dataclass(eq=False)
class ObjectState:
    """The state of a plain object: all its attributes, without the randomness that was handed in."""

    attributes: dict[str, Any]
    handed_in: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ObjectEstimator:
    """Makes an estimator of a class whose objects keep their state in attributes.

    A run creates a fresh object, calls its update method with one id after the other, and its result
    method at the end. The state that the adversary sees is the whole attribute dictionary, without a
    generator that was handed in. An object can take its randomness as a parameter named ``randomness``,
    ``rng``, ``generator`` or ``random_state``, or draw from ``random`` and ``numpy.random``, which are seeded
    for every run.
    """

    factory: Callable[..., Any]
    update_method: str
    result_method: str
    arguments: dict[str, Any] = field(default_factory=dict)
    promise: Promise | None = None
    name: str = "object"
    kind: type | None = None

    def create(self, randomness: Any) -> ObjectState:
        """A fresh object's attributes."""
        generator = seeded_globally(randomness)
        arguments = seeded_arguments(self.factory, self.arguments, randomness, generator)
        return self._state(self.factory(**arguments), generator)

    def update(self, state: ObjectState, ids: Any, randomness: Any) -> ObjectState:
        """Call the update method for each id."""
        generator = seeded_globally(randomness)
        instance = self._instance(state, generator)
        update = getattr(instance, self.update_method)
        values = ids.tolist() if isinstance(ids, np.ndarray) else [ids]
        for value in values:
            update(tuple(value) if isinstance(value, list) else value)
        return self._state(instance, generator)

    def release(self, state: ObjectState, randomness: Any) -> Any:
        """Call the result method on a copy, so that looking changes nothing."""
        generator = seeded_globally(randomness)
        return getattr(self._instance(copy.deepcopy(state), generator), self.result_method)()

    def _instance(self, state: ObjectState, generator: np.random.Generator) -> Any:
        instance: Any = object.__new__(self._kind)
        for name, value in state.attributes.items():
            object.__setattr__(instance, name, value)
        for name in state.handed_in:
            object.__setattr__(instance, name, generator)
        return instance

    def _state(self, instance: Any, generator: np.random.Generator) -> ObjectState:
        """The attributes. A generator of the judge is no part of the state: every call gets a fresh one."""
        attributes = self._attributes(instance)
        handed_in = tuple(name for name, value in attributes.items() if value is generator)
        return ObjectState({name: attributes[name] for name in attributes if name not in handed_in}, handed_in)

    @property
    def _kind(self) -> type:
        """The class whose objects are put together again from their attributes."""
        return self.kind if self.kind is not None else cast(type, self.factory)

    @staticmethod
    def _attributes(instance: Any) -> dict[str, Any]:
        return fields_of(instance) or {}


def seeded_globally(randomness: Any) -> np.random.Generator:
    """Seed the global generators from the randomness of the run."""
    high, low = (int(word) for word in randomness.uniform_integers(0, 2**31, 2))
    random.seed(high)
    np.random.seed(low)
    return np.random.default_rng([high, low])


def seeded_arguments(
    factory: Callable[..., Any], given: dict[str, Any], randomness: Any, generator: np.random.Generator
) -> dict[str, Any]:
    """The arguments of a factory, with the randomness or the generator of the run where it has a parameter for it."""
    arguments, parameters = dict(given), parameters_of(factory) or {}
    for name in RANDOMNESS_PARAMETERS:
        if name in parameters:
            arguments[name] = randomness if name == "randomness" else generator
    if "seed" in parameters:
        arguments["seed"] = int(generator.integers(2**31))
    return arguments


def parameters_of(kind: Any) -> Mapping[str, inspect.Parameter] | None:
    """The parameters of a class or a function; ``None`` if it shows no signature, as compiled code often does."""
    try:
        return inspect.signature(kind).parameters
    except (TypeError, ValueError):
        return None


def find_method(kind: Any, names: tuple[str, ...]) -> str | None:
    """The first of ``names`` that is a method of ``kind``."""
    return next((name for name in names if callable(getattr(kind, name, None))), None)
