"""Objects with an update and a result method as estimators: plain ones, and ones of compiled code.

All attributes of a plain object are its state. Those of compiled code cannot be listed, and often cannot be pickled:
the adversary sees the bytes that the object writes of itself. In another process the object is made again: by a fresh
object that is fed the same ids. The ids are not part of what the adversary sees.
"""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from pan_audits.events.observing.values import fields_of
from pan_audits.subject.isolation.data import Rebuilt, made_of_attributes
from pan_promises.promise import Promise

UPDATE_METHODS = ("update", "add", "insert", "process", "observe", "push")
RESULT_METHODS = (
    *("release", "result", "estimate", "query", "output", "get", "density", "count"),
    *("get_estimate", "estimate_elements", "cardinality"),
)
RANDOMNESS_PARAMETERS = ("randomness", "rng", "generator", "random_state")
SERIALISERS = ("serialize", "serialize_updatable", "serialize_compact", "to_bytes", "tobytes", "save_bytes", "dumps")
"""Methods without arguments by which objects of compiled code write themselves."""


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

    Attributes
    ----------
    factory
        Makes an object from keyword arguments.
    update_method
        Name of the method that takes one id.
    result_method
        Name of the method without arguments that returns the output; empty if there is none.
    arguments
        The arguments of the factory.
    kind
        The class of the objects, if the factory is another one.
    """

    factory: Callable[..., Any]
    update_method: str
    result_method: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    promise: Promise | None = None
    name: str = "object"
    kind: type | None = None

    plain: ClassVar[bool] = True

    @property
    def code(self) -> Any:
        """The judged code."""
        return self.factory

    def create(self, randomness: Any) -> Any:
        """A fresh object's attributes."""
        generator = seeded_globally(randomness)
        return self._state(self._fresh(randomness, generator), generator)

    def update(self, state: Any, ids: Any, randomness: Any) -> Any:
        """Call the update method for each id."""
        generator = seeded_globally(randomness)
        instance = self._instance(state, generator)
        self._feed(instance, _each(ids))
        return self._state(instance, generator)

    def release(self, state: Any, randomness: Any) -> Any:
        """Call the result method on a copy, so that looking changes nothing."""
        generator = seeded_globally(randomness)
        return getattr(self._instance(copy.deepcopy(state), generator), self.result_method)()

    def _fresh(self, randomness: Any, generator: np.random.Generator) -> Any:
        return self.factory(**seeded_arguments(self.factory, self.arguments, randomness, generator))

    def _feed(self, instance: Any, ids: Iterator[Any] | tuple[Any, ...]) -> None:
        update = getattr(instance, self.update_method)
        for value in ids:
            update(value)

    def _instance(self, state: ObjectState, generator: np.random.Generator) -> Any:
        instance: Any = object.__new__(self.kind if self.kind is not None else cast(type, self.factory))
        for name, value in state.attributes.items():
            object.__setattr__(instance, name, value)
        for name in state.handed_in:
            object.__setattr__(instance, name, generator)
        return instance

    def _state(self, instance: Any, generator: np.random.Generator) -> ObjectState:
        """The attributes. A generator of the judge is no part of the state: every call gets a fresh one."""
        attributes = fields_of(instance) or {}
        handed_in = tuple(name for name, value in attributes.items() if value is generator)
        return ObjectState({name: attributes[name] for name in attributes if name not in handed_in}, handed_in)


@dataclass(frozen=True, kw_only=True)
class CompiledEstimator(ObjectEstimator):
    """Makes an estimator of an object of compiled code.

    Attributes
    ----------
    written_by
        The function that gives the bytes of an object; ``None`` if nobody can read its state.
    """

    written_by: Callable[[Any], bytes] | None = None

    rebuilds_states: ClassVar[bool] = True
    """In another process a state is made again from its ids, with other random numbers."""

    @property
    def unreadable_state(self) -> bool:
        """Whether the state cannot be read, so that only the output can be judged."""
        return self.written_by is None

    def create(self, randomness: Any) -> Rebuilt:
        """The bytes of a fresh object."""
        return self._seen(self._fresh(randomness, seeded_globally(randomness)), ())

    def update(self, state: Rebuilt, ids: Any, randomness: Any) -> Rebuilt:
        """The bytes after some ids. The object itself goes on, so that no id is fed twice in one process."""
        values = tuple(_each(ids))
        instance = self._again(state, randomness)
        state.__live__ = None
        seeded_globally(randomness)
        self._feed(instance, values)
        return self._seen(instance, (*state.__ids__, *values))

    def release(self, state: Rebuilt, randomness: Any) -> Any:
        """The output; a call that changes the object changes the state."""
        if not self.result_method:
            return None
        instance = self._again(state, randomness)
        seeded_globally(randomness)
        output = getattr(instance, self.result_method)()
        state.contents, state.__live__ = self._seen(instance, state.__ids__).contents, instance
        return output

    def _again(self, state: Rebuilt, randomness: Any) -> Any:
        if state.__live__ is not None:
            return state.__live__
        instance = self._fresh(randomness, seeded_globally(randomness))
        self._feed(instance, state.__ids__)
        return instance

    def _seen(self, instance: Any, ids: tuple[Any, ...]) -> Rebuilt:
        return Rebuilt(b"" if self.written_by is None else self.written_by(instance), ids, instance)


def _each(ids: Any) -> Iterator[Any]:
    """The ids one after the other, as an update method takes them."""
    for value in ids.tolist() if isinstance(ids, np.ndarray) else [ids]:
        yield tuple(value) if isinstance(value, list) else value


def seeded_globally(randomness: Any) -> np.random.Generator:
    """Seed the global generators from the randomness of the run; another generator for the run."""
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


def writer_of(instance: Any) -> Callable[[Any], bytes] | None:
    """A function that gives the bytes of objects like this one: by a method of its own, or by its pickle."""
    if (method := _serialiser(instance)) is not None:
        return partial(_by_method, method)
    try:
        _pickled(instance)
    except Exception:  # any object may raise any error
        return None
    return _pickled


def _serialiser(instance: Any) -> str | None:
    """The name of a method that gives the bytes of an object."""
    for name in SERIALISERS:
        try:
            _by_method(name, instance)
        except Exception:  # there is none, it needs arguments, or it cannot write objects of this kind
            continue
        return name
    return None


def _by_method(name: str, instance: Any) -> bytes:
    found = getattr(instance, name)()
    if not isinstance(found, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name}() gives no bytes")
    return bytes(found)


class _Pickler(pickle.Pickler):
    """Writes parts of compiled code by their own methods where they have one."""

    def reducer_override(self, part: Any) -> Any:
        kind = type(part)
        python = isinstance(part, type) or made_of_attributes(kind) or kind.__module__ in ("builtins", "numpy")
        method = None if python else _serialiser(part)
        return NotImplemented if method is None else (bytes, (_by_method(method, part),))


def _pickled(instance: Any) -> bytes:
    written = io.BytesIO()
    _Pickler(written, protocol=4).dump(instance)
    return written.getvalue()
