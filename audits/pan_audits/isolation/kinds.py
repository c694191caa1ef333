"""Kinds of plain data: inert objects, parts that are not data, and the classes of one process."""

from __future__ import annotations

import sys
from functools import lru_cache
from reprlib import recursive_repr
from typing import Any, TypeAlias

import numpy as np

from pan_audits.observing.values import fingerprint

Node: TypeAlias = Any
"""None, a boolean, an integer of 64 bits, a double, a text, bytes, or a list that begins with a letter."""

DEEPEST = 100
FACTORIES: dict[str, Any] = {"int": int, "float": float, "list": list, "dict": dict, "set": set, "str": str}
"""Named factories of a ``defaultdict``."""

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
"""Base classes whose derived classes keep their contents."""

_MOST_CLASSES = 4096


class DataError(Exception):
    """A message is not data, or no value can be made of it. The text of the error is one sentence."""


class Inert:
    """An object of a class that is known by its name alone: attributes, and no behaviour."""

    @recursive_repr()
    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class Opaque:
    """A part that is not data: its kind, its digest, and the token by which its owner finds it."""

    # It has no attributes: its contents cannot be read.
    __slots__ = ("__digest__", "__token__")

    def __init__(self, digest: str, token: str) -> None:
        self.__digest__ = digest
        self.__token__ = token

    def __deepcopy__(self, memo: dict[int, Any]) -> Opaque:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        kind = type(self)
        return opaque, (kind.__module__, kind.__qualname__, self.__digest__, self.__token__)


class Rebuilt:
    """The state of an object that is made again from ids: what the intruder sees of it, and the ids.

    The ids and the object itself are under names that no intruder is shown: they are not part of the state.
    """

    __slots__ = ("__ids__", "__live__", "contents")

    def __init__(self, contents: Any, ids: tuple[Any, ...], live: Any = None) -> None:
        self.contents = contents
        self.__ids__ = ids
        self.__live__ = live

    def __deepcopy__(self, memo: dict[int, Any]) -> Rebuilt:
        return Rebuilt(self.contents, self.__ids__)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rebuilt, (self.contents, self.__ids__)


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
    """The classes of one judged process by name, and its parts that are not data by token."""

    def __init__(self) -> None:
        self.classes: dict[tuple[str, str], type] = {}
        self.parts: dict[str, Any] = {}

    def token_of(self, value: Any) -> tuple[str, str]:
        """The digest of a part that is not data, and the token by which :meth:`part` finds it."""
        self.parts[str(id(value))] = value
        return fingerprint(value), str(id(value))

    def part(self, token: str) -> Any:
        if token not in self.parts:
            raise DataError("the state holds an object that is not data and cannot leave its process")
        return self.parts[token]

    def class_of(self, module: str, qualname: str) -> type:
        """The class of a value that this process or another one has sent."""
        found: Any = self.classes.get((module, qualname))
        if found is None:
            found = sys.modules.get(module)
            for part in qualname.split("."):
                found = getattr(found, part, None)
        if not isinstance(found, type):
            raise DataError(f"the class {module}.{qualname} of a part of the state is not known in a fresh process")
        return found
