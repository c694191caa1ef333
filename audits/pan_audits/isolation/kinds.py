"""Kinds of things that plain data stand for: inert objects, what is no data, and the classes of one process."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from pan_audits.observing.fingerprint import fingerprint

Node: TypeAlias = Any
"""None, a boolean, an integer of 64 bits, a double, a text, bytes, or a list that begins with a letter."""

DEEPEST = 100
FACTORIES: dict[str, Any] = {"int": int, "float": float, "list": list, "dict": dict, "set": set, "str": str}
"""Factories of a ``defaultdict`` that have a name."""

BASES: dict[str, type] = {
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "str": str,
    "int": int,
    "float": float,
    "bytes": bytes,
    "bytearray": bytearray,
    "ndarray": np.ndarray,
}
"""Classes from which others may be derived without losing what they are."""

_MOST_CLASSES = 4096


class DataError(Exception):
    """A message is no data, or a value cannot be made of it; the message is one sentence."""


class Inert:
    """An object of a class that is known by its name alone: attributes, and no behaviour."""


class Opaque:
    """Something that is no data: its kind, a digest of it, and the token by which its owner knows it."""

    # Not listed among its attributes: it has none that could be looked into.
    __slots__ = ("__digest__", "__token__")

    def __init__(self, digest: str, token: str) -> None:
        self.__digest__ = digest
        self.__token__ = token

    def __deepcopy__(self, memo: dict[int, Any]) -> Opaque:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        kind = type(self)
        return opaque, (kind.__module__, kind.__qualname__, self.__digest__, self.__token__)


@lru_cache(maxsize=_MOST_CLASSES)
def inert_class(module: str, qualname: str, base: type) -> type:
    """The class of objects without behaviour that has this name."""
    if base is Inert:
        members: dict[str, Any] = {"__reduce_ex__": _reduce_inert}
    else:
        members = {}
    made = type(qualname.rpartition(".")[2] or "object", (base,), members)
    made.__module__, made.__qualname__ = module, qualname
    return made


def _reduce_inert(value: Any, protocol: int) -> tuple[Any, ...]:
    kind = type(value)
    return _blank, (kind.__module__, kind.__qualname__), dict(vars(value))


def _blank(module: str, qualname: str) -> Any:
    return object.__new__(inert_class(module, qualname, Inert))


@lru_cache(maxsize=_MOST_CLASSES)
def _opaque_class(module: str, qualname: str) -> type[Opaque]:
    made = type(qualname.rpartition(".")[2] or "object", (Opaque,), {"__slots__": ()})
    made.__module__, made.__qualname__ = module, qualname
    return made


def opaque(module: str, qualname: str, digest: str, token: str) -> Opaque:
    """A part that is not data, as it was sent."""
    return _opaque_class(module, qualname)(digest, token)


class Registry:
    """Of one judged process: its classes by name, and the parts that are no data by token."""

    def __init__(self) -> None:
        self.classes: dict[tuple[str, str], type] = {}
        self.parts: dict[str, Any] = {}

    def token_of(self, value: Any) -> tuple[str, str]:
        """A digest of what is no data, and the token by which :meth:`part` finds it."""
        self.parts[str(id(value))] = value
        return fingerprint(value), str(id(value))

    def part(self, token: str) -> Any:
        if token not in self.parts:
            raise DataError("the state holds an object that is not data and cannot leave its process")
        return self.parts[token]

    def class_of(self, module: str, qualname: str) -> type:
        """The class that a value was sent from, or that another process has sent one from."""
        found: Any = self.classes.get((module, qualname))
        if found is None:
            found = sys.modules.get(module)
            for part in qualname.split("."):
                found = getattr(found, part, None)
        if not isinstance(found, type):
            raise DataError(f"the class {module}.{qualname} of a part of the state is not known in a fresh process")
        return found
