"""The values of nodes of plain data, read without running code of the sender."""

from __future__ import annotations

import array
import random
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from pan_audits.isolation.kinds import (
    BASES,
    DEEPEST,
    FACTORIES,
    DataError,
    Inert,
    Node,
    Rebuilt,
    Registry,
    inert_class,
    opaque,
)
from pan_audits.observing.numbers import Raised
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_promises.exact_epsilon import LogFraction

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
            found = self.met[_index(parts[0])]
            if found is _UNFINISHED:
                raise DataError("a message refers to a part that is not complete")
            return found
        if tag == "~" and self.revive is not None:
            return self.revive(parts)
        if tag in _SIMPLE:
            return _SIMPLE[tag](parts)
        if tag in ("t", "z", "R"):
            made: Any = {"t": tuple, "z": frozenset, "R": _range}[tag]
            return made([self.value(part, depth + 1) for part in parts])
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
                return self._keep(place, _array(self.value(parts[0], depth), parts[1], parts[2]))
            metadata = self.value(parts[6], depth)
            return self._keep(place, _laid_out(self.value(parts[0], depth), *parts[1:6], metadata=metadata))
        if tag == "A":
            shape, entries = _shape(parts[0], len(parts) - 1), parts[1:]
            made = self._keep(place, np.empty(len(entries), dtype=object).reshape(shape))
            flat = made.reshape(-1)
            for number, entry in enumerate(entries):
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
            return self._keep(place, Rebuilt(_bytes(parts[0]), tuple(self.value(parts[1], depth))))
        if tag == "b":
            return self._keep(place, bytearray(_bytes(parts[0])))
        if tag == "y":
            return self._keep(place, array.array(str(parts[0]), _bytes(parts[1])))
        raise DataError("a message cannot be read as data")

    def _fill(self, mapping: Any, parts: list[Any], depth: int) -> Any:
        if len(parts) % 2:
            raise DataError("a message cannot be read as data")
        for key, content in zip(parts[::2], parts[1::2], strict=True):
            mapping[self.value(key, depth)] = self.value(content, depth)
        return mapping

    def _opaque(self, module: Any, qualname: Any, digest: Any, token: Any) -> Any:
        if self.registry is not None:
            return self.registry.part(token)
        return opaque(_text(module), _text(qualname), _text(digest), _text(token))

    def _object(self, parts: list[Any], place: int, depth: int) -> Any:
        module, qualname, base, inner, *fields = parts
        kind: Any = None if base is None else BASES[base]
        contents = None if kind is None else self.value(inner, depth)
        if self.registry is not None:
            made = _of_class(self.registry.class_of(_text(module), _text(qualname)), kind, contents)
        else:
            made = _of_class(inert_class(_text(module), _text(qualname), kind or Inert), kind, contents)
        self._keep(place, made)
        if len(fields) % 2:
            raise DataError("a message cannot be read as data")
        for name, content in zip(fields[::2], fields[1::2], strict=True):
            found = self.value(content, depth)
            if self.registry is not None:
                object.__setattr__(made, _text(name), found)
            elif hasattr(made, "__dict__"):
                made.__dict__[_text(name)] = found
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


def _index(number: Any) -> int:
    if not isinstance(number, int) or number < 0:
        raise DataError("a message cannot be read as data")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise DataError("a message cannot be read as data")
    return value


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise DataError("a message cannot be read as data")
    return value


def _range(parts: list[Any]) -> range:
    return range(*parts)


def _shape(shape: Any, size: int) -> tuple[int, ...]:
    extents = tuple(_index(extent) for extent in shape)
    if int(np.prod(extents, dtype=object)) != size:
        raise DataError("a message holds an array whose shape does not fit its contents")
    return extents


def _dtype(dtype: Any) -> np.dtype[Any]:
    descr: Any = [tuple(each) for each in dtype] if isinstance(dtype, list) else _text(dtype)
    kind = np.lib.format.descr_to_dtype(descr)
    if kind.hasobject:
        raise DataError("a message holds an array of objects as bytes")
    return kind


def _laid_out(
    dtype: Any, shape: Any, memory: Any, place: Any, strides: Any, writeable: Any, *, metadata: Any
) -> np.ndarray[Any, Any]:
    """An array in its place in a larger memory. Numpy refuses a place outside of it."""
    kind = _dtype(dtype)
    if metadata:
        kind = np.dtype(kind, metadata=metadata)
    extents, distances = tuple(map(_index, shape)), tuple(int(each) for each in strides)
    owner = np.frombuffer(_bytes(memory), dtype=np.uint8).copy()
    made = np.ndarray(extents, kind, owner, _index(place), distances)
    made.flags.writeable = bool(writeable)
    return made


def _masked(data: Any, mask: Any, fill: Any, hard: Any) -> Any:
    made: Any = np.ma.MaskedArray(data, np.ma.nomask if mask is None else mask)
    made._fill_value = fill
    if hard:
        made.harden_mask()
    return made


def _array(dtype: Any, shape: Any, content: Any) -> np.ndarray[Any, Any]:
    kind = _dtype(dtype)
    content = _bytes(content)
    if kind.itemsize == 0:
        return np.zeros(tuple(_index(extent) for extent in shape), dtype=kind)
    # A copy of records would lose the bytes between their fields.
    flat = np.frombuffer(bytearray(content), dtype=kind) if kind.names else np.frombuffer(content, dtype=kind).copy()
    return flat.reshape(_shape(shape, flat.size))


def _scalar(parts: list[Any]) -> Any:
    dtype = np.dtype(_text(parts[0]))
    if dtype.hasobject:
        raise DataError("a message holds an object as bytes")
    return np.frombuffer(_bytes(parts[1]), dtype=dtype)[0] if dtype.itemsize else dtype.type()


_SIMPLE: dict[str, Callable[[list[Any]], Any]] = {
    "i": lambda parts: int(_text(parts[0]), 16),
    "u": lambda parts: _bytes(parts[0]).decode("utf-8", "surrogatepass"),
    "n": _scalar,
    "c": lambda parts: complex(parts[0], parts[1]),
    "L": lambda parts: LogFraction(Fraction(_text(parts[0])), Fraction(_text(parts[1])), _index(parts[2] + 1) - 1),
    "q": lambda parts: Fraction(int(_text(parts[0]), 16), int(_text(parts[1]), 16)),
    "D": lambda parts: Decimal(_text(parts[0])),
    "E": lambda parts: Raised(_text(parts[0]), _text(parts[1])),
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
