"""Values as plain data, which a judged process sends and the judge reads.

It is not pickle: a message holds numbers, texts, bytes and lists of them. Reading it runs no code of the
sender. On the judge's side, an object of a foreign class becomes an :class:`Inert` one, which has the
name of the class and its attributes, and no behaviour. In the judged process, where the class is known,
it becomes an object of that class again.

Of a mutable part that occurs in several places, the later places refer to the first. A part that is not
data (a function, an object of compiled code, a file) is sent as :class:`Opaque`: its kind and a digest.
"""

from __future__ import annotations

import array
import copyreg
import enum
import math
import struct
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgpack
import numpy as np

from pan_audits.isolation.kinds import BASES, DEEPEST, FACTORIES, DataError, Node, Opaque, Rebuilt, Registry
from pan_audits.isolation.reading import Revive, from_data
from pan_audits.observing.numbers import Raised
from pan_audits.observing.values import fields_of, fingerprint, layout_of, settings_of
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_promises.exact_epsilon import LogFraction

__all__ = ["DataError", "Node", "Opaque", "Registry", "Revive", "Special", "comparable", "from_data", "to_data"]

Special = Callable[[Any], "Node | None"]
"""Makes a node of a value that it knows, or ``None``."""


def to_data(value: Any, registry: Registry | None = None, special: Special | None = None) -> Node:
    """A value as data."""
    return _Writer(registry, special).node(value, 0)


class _Writer:
    def __init__(self, registry: Registry | None, special: Special | None) -> None:
        self.registry = registry
        self.special = special
        self.met: dict[int, int] = {}
        self.kept: list[Any] = []

    def node(self, value: Any, depth: int) -> Node:
        kind = type(value)
        if value is None or kind is bool or kind is float or kind is bytes:
            return value
        if kind is int:
            return value if -(2**63) <= value < 2**63 else ["i", hex(value)]
        if kind is str:
            return value if value.isascii() or _encodable(value) else ["u", value.encode("utf-8", "surrogatepass")]
        if depth > DEEPEST:
            raise DataError(f"the state is nested more than {DEEPEST} levels deep")
        if self.special is not None and (made := self.special(value)) is not None:
            return made
        if kind is tuple:
            return ["t", *(self.node(part, depth + 1) for part in value)]
        if kind is frozenset:
            return ["z", *(self.node(part, depth + 1) for part in value)]
        if issubclass(kind, np.generic) and not issubclass(kind, np.void):
            return ["n", value.dtype.str, value.tobytes()]
        if kind is LogFraction:
            return ["L", str(value.base), str(value.coefficient), value.power]
        if isinstance(value, Opaque):
            return ["x", kind.__module__, kind.__qualname__, value.__digest__, value.__token__]
        if kind is complex:
            return ["c", value.real, value.imag]
        if kind is Fraction:
            if not _is_reduced(value):
                raise DataError("it holds a Fraction that is not in lowest terms, which is compared by its value alone")
            return ["q", hex(value.numerator), hex(value.denominator)]
        if kind is Decimal:
            return ["D", str(value)]
        if kind is Raised:
            return ["E", value.kind, value.message]
        if kind is range:
            return ["R", *(self.node(part, depth) for part in (value.start, value.stop, value.step))]
        if id(value) in self.met:
            return ["r", self.met[id(value)]]
        self.met[id(value)] = len(self.met)
        # A temporary object must stay alive, so that no other object gets its identity.
        self.kept.append(value)
        return self._mutable(value, kind, depth + 1)

    def _mutable(self, value: Any, kind: type, depth: int) -> Node:
        if kind is list:
            return ["l", *(self.node(part, depth) for part in value)]
        if kind is dict:
            return ["d", *self._items(value.items(), depth)]
        if kind is set:
            return ["s", *(self.node(part, depth) for part in value)]
        if kind is np.ndarray:
            return self._array(value, depth)
        if kind is bytearray:
            return ["b", bytes(value)]
        if kind is deque:
            return ["k", value.maxlen, *(self.node(part, depth) for part in value)]
        if kind is OrderedDict or kind is Counter:
            return ["O", kind.__name__, *self._items(value.items(), depth)]
        if kind is defaultdict:
            factory = next((name for name, made in FACTORIES.items() if made is value.default_factory), None)
            if factory is not None or value.default_factory is None:
                return ["f", factory, *self._items(value.items(), depth)]
            return self._no_data(value)
        if kind is array.array:
            return ["y", value.typecode, value.tobytes()]
        if kind is np.ma.MaskedArray:
            unmasked, fill, hard = settings_of(value)
            mask = None if unmasked else self.node(np.ma.getmaskarray(value), depth)
            return ["m", self.node(np.asarray(value.data), depth), mask, self.node(fill, depth), hard]
        if kind in (NumpyRandomness, SecureRandomness):
            return ["N", kind.__name__, self.node(getattr(value, "generator", None), depth)]
        if isinstance(value, np.random.Generator):
            bits = value.bit_generator
            return ["G", type(bits).__name__, self.node(bits.state, depth)]
        if isinstance(value, np.random.BitGenerator):
            return ["B", type(value).__name__, self.node(value.state, depth)]
        if isinstance(value, np.random.RandomState):
            return ["S", self.node(value.get_state(legacy=False), depth)]
        if isinstance(value, (type, enum.Enum)):
            return self._no_data(value)
        if kind is Rebuilt:
            return ["h", value.contents, self.node(value.__ids__, depth)]
        if kind.__module__ == "random" and hasattr(value, "getstate"):
            return ["P", self.node(value.getstate(), depth)]
        return self._object(value, kind, depth)

    def _items(self, items: Iterable[tuple[Any, Any]], depth: int) -> list[Node]:
        return [self.node(part, depth) for item in items for part in item]

    def _array(self, value: np.ndarray[Any, Any], depth: int) -> Node:
        shape = list(value.shape)
        if value.dtype.hasobject:
            if value.dtype.names:
                return self._no_data(value)
            return ["A", shape, *(self.node(part, depth) for part in value.ravel().tolist())]
        dtype: Any = np.lib.format.dtype_to_descr(value.dtype) if value.dtype.names else value.dtype.str
        node = ["a", self.node(dtype, depth), shape]
        layout = layout_of(value)
        if layout is None:
            return [*node, value.tobytes()]
        metadata = self.node(layout.metadata, depth)
        return [*node, layout.memory, layout.place, list(layout.strides), layout.writeable, metadata]

    def _object(self, value: Any, kind: type, depth: int) -> Node:
        base = next((name for name, each in BASES.items() if isinstance(value, each)), None)
        if base is None and not made_of_attributes(kind):
            return self._no_data(value)
        if self.registry is not None:
            self.registry.classes[kind.__module__, kind.__qualname__] = kind
        inner = None if base is None else self.node(_plainly(value, base), depth)
        fields = fields_of(value) or {}
        parts = [part for name, field in fields.items() for part in (str(name), self.node(field, depth))]
        return ["o", kind.__module__, kind.__qualname__, base, inner, *parts]

    def _no_data(self, value: Any) -> Node:
        digest, token = self.registry.token_of(value) if self.registry is not None else (fingerprint(value), "")
        kind = value if isinstance(value, type) else type(value)
        return ["x", kind.__module__, kind.__qualname__, digest, token]


def _is_reduced(number: Fraction) -> bool:
    return number.denominator > 0 and math.gcd(number.numerator, number.denominator) == 1


def _plainly(value: Any, base: str) -> Any:
    """The contents of a value of a derived class, as a value of the base class."""
    if base == "ndarray":
        return np.asarray(value)
    if base == "dict":
        return dict(dict.items(value))
    return BASES[base](value)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def made_of_attributes(kind: Any) -> bool:
    """Whether objects of a class consist of attributes only. Objects of compiled code may have further contents."""
    size = object.__basicsize__ + _POINTER * len(copyreg._slotnames(kind))  # type: ignore[attr-defined]
    # A negative offset is that of a place before the object.
    size += _POINTER * ((kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0))
    return bool(kind.__itemsize__ == 0 and kind.__basicsize__ <= size)


_POINTER = struct.calcsize("P")


def comparable(node: Any) -> bytes:
    """A node as bytes that are equal for equal contents. A part that is not data is compared by its digest."""

    def without_tokens(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: without_tokens(content) for key, content in part.items()}
        if isinstance(part, list):
            return part[:-1] if part and part[0] == "x" else [without_tokens(each) for each in part]
        return part

    packed: bytes = msgpack.packb(without_tokens(node))
    return packed
