"""Auditing an object of compiled code, whose attributes cannot be listed and which often cannot be pickled.

The adversary sees the bytes that the object writes of itself. In another process the object is made again: by a fresh
object that is fed the same ids. The ids are not part of what the adversary sees.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pan_audits.subject.isolation.adapter import seeded_arguments, seeded_globally
from pan_audits.subject.isolation.data import Rebuilt, made_of_attributes
from pan_promises.promise import Promise

SERIALISERS = ("serialize", "serialize_updatable", "serialize_compact", "to_bytes", "tobytes", "save_bytes", "dumps")
"""Methods without arguments by which objects of compiled code write themselves."""


@dataclass(frozen=True, kw_only=True)
class CompiledEstimator:
    """Makes an estimator of an object of compiled code.

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
    written_by
        The function that gives the bytes of an object; ``None`` if nobody can read its state.
    """

    factory: Callable[..., Any]
    update_method: str
    result_method: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    written_by: Callable[[Any], bytes] | None = None
    promise: Promise | None = None
    name: str = "object"

    rebuilds_states: ClassVar[bool] = True
    """In another process a state is made again from its ids, with other random numbers."""

    @property
    def unreadable_state(self) -> bool:
        """Whether the state cannot be read, so that only the output can be judged."""
        return self.written_by is None

    def create(self, randomness: Any) -> Rebuilt:
        """The bytes of a fresh object."""
        return self._seen(self._fresh(randomness), ())

    def update(self, state: Rebuilt, ids: Any, randomness: Any) -> Rebuilt:
        """The bytes after some ids. The object itself goes on, so that no id is fed twice in one process."""
        values = tuple(
            tuple(value) if isinstance(value, list) else value
            for value in (ids.tolist() if isinstance(ids, np.ndarray) else [ids])
        )
        instance = self._instance(state, randomness)
        state.__live__ = None
        seeded_globally(randomness)
        self._feed(instance, values)
        return self._seen(instance, (*state.__ids__, *values))

    def release(self, state: Rebuilt, randomness: Any) -> Any:
        """The output; a call that changes the object changes the state."""
        if not self.result_method:
            return None
        instance = self._instance(state, randomness)
        seeded_globally(randomness)
        output = getattr(instance, self.result_method)()
        state.contents, state.__live__ = self._seen(instance, state.__ids__).contents, instance
        return output

    def _fresh(self, randomness: Any) -> Any:
        return self.factory(**seeded_arguments(self.factory, self.arguments, randomness, seeded_globally(randomness)))

    def _instance(self, state: Rebuilt, randomness: Any) -> Any:
        if state.__live__ is not None:
            return state.__live__
        instance = self._fresh(randomness)
        self._feed(instance, state.__ids__)
        return instance

    def _feed(self, instance: Any, values: tuple[Any, ...]) -> None:
        update = getattr(instance, self.update_method)
        for value in values:
            update(value)

    def _seen(self, instance: Any, ids: tuple[Any, ...]) -> Rebuilt:
        return Rebuilt(b"" if self.written_by is None else self.written_by(instance), ids, instance)


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
