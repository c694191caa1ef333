"""Auditing a plain object with an update and a result method; all its attributes are the state."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pan_audits.observing.features import fields_of
from pan_promises.errors import InputError
from pan_promises.promise import Promise

UPDATE_METHODS = ("update", "add", "insert", "process", "observe", "push")
RESULT_METHODS = ("release", "result", "estimate", "query", "output", "get", "density", "count")
RANDOMNESS_PARAMETERS = ("randomness", "rng", "generator", "random_state")


@dataclass(eq=False)
class ObjectState:
    """The state of a plain object: all its attributes."""

    attributes: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ObjectEstimator:
    """Makes an estimator of a class whose objects keep their state in attributes.

    A run creates a fresh object, calls its update method with one id after the other, and its result
    method at the end. The state that the intruder sees is the whole attribute dictionary. An object
    can take its randomness as a parameter named ``randomness``, ``rng``, ``generator`` or
    ``random_state``, or draw from ``random`` and ``numpy.random``, which are seeded for every run.

    Parameters
    ----------
    factory
        Makes an object from keyword arguments.
    arguments
        The arguments.
    promise
        The promise.
    update_method, result_method
        Names of the two methods.
    """

    factory: Callable[..., Any]
    update_method: str
    result_method: str
    arguments: dict[str, Any] = field(default_factory=dict)
    promise: Promise | None = None
    name: str = "object"

    def create(self, randomness: Any) -> ObjectState:
        """A fresh object's attributes."""
        generator = _seeded(randomness)
        arguments = dict(self.arguments)
        parameters = inspect.signature(self.factory).parameters
        for name in RANDOMNESS_PARAMETERS:
            if name in parameters:
                arguments[name] = randomness if name == "randomness" else generator
        if "seed" in parameters:
            arguments["seed"] = int(generator.integers(2**31))
        return ObjectState(self._attributes(self.factory(**arguments)))

    def update(self, state: ObjectState, ids: Any, randomness: Any) -> ObjectState:
        """Call the update method for each id."""
        _seeded(randomness)
        instance = self._instance(state)
        update = getattr(instance, self.update_method)
        values = ids.tolist() if isinstance(ids, np.ndarray) else [ids]
        for value in values:
            update(tuple(value) if isinstance(value, list) else value)
        return ObjectState(self._attributes(instance))

    def release(self, state: ObjectState, randomness: Any) -> Any:
        """Call the result method on a copy, so that looking changes nothing."""
        _seeded(randomness)
        return getattr(self._instance(copy.deepcopy(state)), self.result_method)()

    def _instance(self, state: ObjectState) -> Any:
        instance: Any = object.__new__(self._kind)
        for name, value in state.attributes.items():
            object.__setattr__(instance, name, value)
        return instance

    @property
    def _kind(self) -> type:
        if not isinstance(self.factory, type):
            raise InputError(f"{self.name} must be a class, so that its state can be taken out and put back")
        return self.factory

    @staticmethod
    def _attributes(instance: Any) -> dict[str, Any]:
        return fields_of(instance) or {}


def _seeded(randomness: Any) -> np.random.Generator:
    """Seed the global generators from the randomness of the run."""
    high, low = (int(word) for word in randomness.uniform_integers(0, 2**31, 2))
    random.seed(high)
    np.random.seed(low)
    return np.random.default_rng([high, low])


def find_method(kind: Any, names: tuple[str, ...]) -> str | None:
    """The first of ``names`` that is a method of ``kind``."""
    return next((name for name in names if callable(getattr(kind, name, None))), None)
