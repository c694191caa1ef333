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
import random
import struct
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from reprlib import recursive_repr
from typing import Any

import msgpack
import numpy as np

from pan_audits.events.observing.numbers import Raised
from pan_audits.events.observing.values import fields_of, fingerprint, layout_of, settings_of
from pan_audits.workers.plain import (
    READ,
    SCALARS,
    array_in,
    bytes_in,
    dtype_in,
    objects_in,
    scalar_node,
    text_in,
    whole_in,
)
from pan_audits.workers.plain import DataError as DataError
from pan_audits.workers.plain import Node as Node
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness

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
    """The state of an object that is made again from ids: what the adversary sees of it, and the ids.

    The ids and the object itself are under names that no adversary is shown: they are not part of the state.
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


_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")

Revive = Callable[[list[Any]], Any]
"""Makes a value of the rest of a node that :data:`Special` made."""


def from_data(node: Node, registry: Registry | None = None, revive: Revive | None = None) -> Any:
    """The value of a node."""
    try:
        return _Reader(registry, revive).value(node, 0)
    except DataError:
        raise
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, ArithmeticError) as problem:
        raise DataError(f"a message cannot be read as data: {type(problem).__name__}") from None


_UNFINISHED = object()


class _Reader:
    def __init__(self, registry: Registry | None, revive: Revive | None) -> None:
        self.registry = registry
        self.revive = revive
        self.met: list[Any] = []

    def value(self, node: Node, depth: int) -> Any:
        if node is None or isinstance(node, (bool, int, float, str, bytes)):
            return node
        if not isinstance(node, list) or not node or depth > 2 * DEEPEST:
            raise DataError("a message cannot be read as data")
        tag, *parts = node
        if tag == "r":
            found = self.met[whole_in(parts[0])]
            if found is _UNFINISHED:
                raise DataError("a message refers to a part that is not complete")
            return found
        if tag == "~" and self.revive is not None:
            return self.revive(parts)
        if tag in _SIMPLE:
            return _SIMPLE[tag](parts)
        if tag in ("t", "z", "R"):
            inner = [self.value(part, depth + 1) for part in parts]
            return range(*inner) if tag == "R" else (tuple if tag == "t" else frozenset)(inner)
        place = len(self.met)
        self.met.append(_UNFINISHED)
        return self._mutable(tag, parts, place, depth + 1)

    def _keep(self, place: int, value: Any) -> Any:
        self.met[place] = value
        return value

    def _mutable(self, tag: str, parts: list[Any], place: int, depth: int) -> Any:
        if tag == "l":
            listed: list[Any] = self._keep(place, [])
            listed.extend(self.value(part, depth) for part in parts)
            return listed
        if tag == "d":
            return self._fill(self._keep(place, {}), parts, depth)
        if tag == "s":
            found: set[Any] = self._keep(place, set())
            for part in parts:
                found.add(self.value(part, depth))
            return found
        if tag == "k":
            return self._keep(place, deque((self.value(part, depth) for part in parts[1:]), maxlen=parts[0]))
        if tag == "O":
            return self._fill(
                self._keep(place, {"OrderedDict": OrderedDict, "Counter": Counter}[parts[0]]()), parts[1:], depth
            )
        if tag == "f":
            factory = None if parts[0] is None else FACTORIES[parts[0]]
            return self._fill(self._keep(place, defaultdict(factory)), parts[1:], depth)
        if tag == "a":
            if len(parts) == 3:
                return self._keep(place, array_in(self.value(parts[0], depth), parts[1], parts[2]))
            metadata = self.value(parts[6], depth)
            return self._keep(place, _laid_out(self.value(parts[0], depth), *parts[1:6], metadata=metadata))
        if tag == "A":
            made = self._keep(place, objects_in(parts[0], [None] * (len(parts) - 1)))
            # An entry may lead back to the array.
            flat = made.reshape(-1)
            for number, entry in enumerate(parts[1:]):
                flat[number] = self.value(entry, depth)
            return made
        if tag == "m":
            return self._keep(place, _masked(*(self.value(part, depth) for part in parts)))
        if tag in "GBSP":
            return self._keep(place, _generator(tag, parts, self.value(parts[-1], depth)))
        if tag == "N":
            return self._keep(place, _randomness(parts[0], self.value(parts[1], depth)))
        if tag == "x":
            return self._keep(place, self._opaque(*parts))
        if tag == "o":
            return self._object(parts, place, depth)
        if tag == "h":
            return self._keep(place, Rebuilt(bytes_in(parts[0]), tuple(self.value(parts[1], depth))))
        if tag == "b":
            return self._keep(place, bytearray(bytes_in(parts[0])))
        if tag == "y":
            return self._keep(place, array.array(str(parts[0]), bytes_in(parts[1])))
        raise DataError("a message cannot be read as data")

    def _fill(self, mapping: Any, parts: list[Any], depth: int) -> Any:
        for key, content in zip(parts[::2], parts[1::2], strict=True):
            mapping[self.value(key, depth)] = self.value(content, depth)
        return mapping

    def _opaque(self, module: Any, qualname: Any, digest: Any, token: Any) -> Any:
        if self.registry is not None:
            return self.registry.part(token)
        return opaque(text_in(module), text_in(qualname), text_in(digest), text_in(token))

    def _object(self, parts: list[Any], place: int, depth: int) -> Any:
        module, qualname, base, inner, *fields = parts
        kind: Any = None if base is None else BASES[base]
        contents = None if kind is None else self.value(inner, depth)
        if self.registry is not None:
            made = _of_class(self.registry.class_of(text_in(module), text_in(qualname)), kind, contents)
        else:
            made = _of_class(inert_class(text_in(module), text_in(qualname), kind or Inert), kind, contents)
        self._keep(place, made)
        for name, content in zip(fields[::2], fields[1::2], strict=True):
            found = self.value(content, depth)
            if self.registry is not None:
                object.__setattr__(made, text_in(name), found)
            elif hasattr(made, "__dict__"):
                made.__dict__[text_in(name)] = found
        return made


def _of_class(kind: type, base: Any, contents: Any) -> Any:
    if base is None:
        try:
            return object.__new__(kind)
        except TypeError:
            # Python demands the constructor of a class with a layout of its own, such as SimpleNamespace.
            made: Any = kind
            return made.__new__(made)
    if base is np.ndarray:
        return np.asarray(contents).view(kind)
    if base in (list, dict, set, bytearray):
        made = base.__new__(kind)
        (base.extend if base in (list, bytearray) else base.update)(made, contents)
        return made
    return base.__new__(kind, contents)


def _laid_out(
    dtype: Any, shape: Any, memory: Any, place: Any, strides: Any, writeable: Any, *, metadata: Any
) -> np.ndarray[Any, Any]:
    """An array in its place in a larger memory. Numpy refuses a place outside of it."""
    kind = dtype_in(dtype)
    if metadata:
        kind = np.dtype(kind, metadata=metadata)
    extents, distances = tuple(map(whole_in, shape)), tuple(int(each) for each in strides)
    owner = np.frombuffer(bytes_in(memory), dtype=np.uint8).copy()
    made = np.ndarray(extents, kind, owner, whole_in(place), distances)
    made.flags.writeable = bool(writeable)
    return made


def _masked(data: Any, mask: Any, fill: Any, hard: Any) -> Any:
    made: Any = np.ma.MaskedArray(data, np.ma.nomask if mask is None else mask)
    made._fill_value = fill
    if hard:
        made.harden_mask()
    return made


_SIMPLE: dict[str, Callable[[list[Any]], Any]] = {
    **READ,
    "E": lambda parts: Raised(text_in(parts[0]), text_in(parts[1])),
}


def _randomness(name: Any, generator: Any) -> Any:
    if name == "SecureRandomness":
        return SecureRandomness()
    if name != "NumpyRandomness" or not (generator is None or isinstance(generator, np.random.Generator)):
        raise DataError("a message cannot be read as data")
    return NumpyRandomness(generator if generator is not None else 0)


def _generator(tag: str, parts: list[Any], state: Any) -> Any:
    """A random generator in a given state, of a kind of numpy only."""
    if tag == "P":
        made = random.Random(0)
        made.setstate(state)
        return made
    if tag == "S":
        legacy = np.random.RandomState(0)
        legacy.set_state(state)
        return legacy
    if parts[0] not in _BIT_GENERATORS:
        raise DataError("a message holds a random generator of an unknown kind")
    bits = getattr(np.random, parts[0])(0)
    bits.state = state
    return np.random.Generator(bits) if tag == "G" else bits


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
        if kind is int or kind is str:
            return SCALARS[kind](value)
        if depth > DEEPEST:
            raise DataError(f"the state is nested more than {DEEPEST} levels deep")
        if self.special is not None and (made := self.special(value)) is not None:
            return made
        if kind is tuple:
            return ["t", *(self.node(part, depth + 1) for part in value)]
        if kind is frozenset:
            return ["z", *(self.node(part, depth + 1) for part in value)]
        if kind is Fraction and not _is_reduced(value):
            raise DataError("it holds a Fraction that is not in lowest terms, which is compared by its value alone")
        if (node := scalar_node(value, kind)) is not None:
            return node
        if isinstance(value, Opaque):
            return ["x", kind.__module__, kind.__qualname__, value.__digest__, value.__token__]
        if kind is Raised:
            return ["E", value.kind, value.message]
        if kind is range:
            return ["R", *(self.node(part, depth) for part in (value.start, value.stop, value.step))]
        if hasattr(kind, "of_draws"):
            value, kind = value.view(np.ndarray), np.ndarray
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
