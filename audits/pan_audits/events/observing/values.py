"""The parts of a value, whatever its class: layouts of arrays, attributes, large whole numbers, and its digest."""

from __future__ import annotations

import array
import dataclasses
import hashlib
import pickle
import random
import struct
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.randomness.numpy_randomness import NumpyRandomness


@dataclass(frozen=True)
class Layout:
    """The layout of an array that is no ordinary one.

    Attributes
    ----------
    memory
        The bytes that the array is a part of.
    place
        The number of the byte at which its first entry begins.
    strides
        The distances of its entries, in bytes.
    writeable
        Whether its entries can be changed.
    metadata
        The metadata of its type.
    """

    memory: bytes
    place: int
    strides: tuple[int, ...]
    writeable: bool
    metadata: dict[Any, Any]


def layout_of(value: NDArray[Any]) -> Layout | None:
    """The layout of an array; ``None`` for an ordinary one, and for one that holds objects.

    An ordinary array is writeable, has its entries in the order of C, has no metadata, and is no part of a larger one.
    """
    if value.dtype.hasobject:
        return None
    memory = _memory(value)
    larger = memory is not None and memory.nbytes != value.nbytes
    if value.flags.c_contiguous and value.flags.writeable and not value.dtype.metadata and not larger:
        return None
    if memory is None:
        value = np.array(value, order="C")
        memory = value.reshape(-1).view(np.uint8)
    place = _address(value) - _address(memory)
    metadata = dict(value.dtype.metadata or {})
    return Layout(memory.tobytes(), place, value.strides, bool(value.flags.writeable), metadata)


def _memory(value: NDArray[Any]) -> NDArray[np.uint8] | None:
    """All bytes that an array is a part of, or ``None`` if they cannot be read."""
    owner: Any = value
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    try:
        if not isinstance(owner, np.ndarray):
            return np.frombuffer(owner, dtype=np.uint8)
        ordered = owner if owner.flags.c_contiguous else owner.T
        return np.asarray(ordered).reshape(-1).view(np.uint8) if ordered.flags.c_contiguous else None
    except (TypeError, ValueError, BufferError):
        return None


def settings_of(value: np.ma.MaskedArray[Any, Any]) -> tuple[Any, ...]:
    """The settings of a masked array beside its entries and its mask: whether it has one, the fill value, hardness."""
    return value.mask is np.ma.nomask, value._fill_value, bool(value.hardmask)  # type: ignore[attr-defined]


def _address(value: NDArray[Any]) -> int:
    return int(value.__array_interface__["data"][0])


GENERATORS: tuple[type, ...] = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random)
"""The classes of random generators. A wrapper has its generator among its fields."""

_MISSING = object()

_COMPILERS = frozenset({"numba", "llvmlite"})


def is_of_compiler(value: Any) -> bool:
    """Whether an object belongs to a compiler, whose records hold times, and change when a function is first called."""
    return str(type(value).__module__).partition(".")[0] in _COMPILERS


def source_of(function: Any) -> Any:
    """The Python function of a compiled one; any other value is itself."""
    return getattr(function, "py_func", None) if is_of_compiler(function) else function


def fields_of(value: Any) -> dict[str, Any] | None:
    """The attributes of an object, or ``None`` if it has none that can be listed."""
    if isinstance(value, (type, ModuleType)):
        return None
    found: dict[str, Any] = {}
    kind: Any = type(value)
    for name in _declared(kind):
        attribute = getattr(value, name, _MISSING)
        if attribute is not _MISSING:
            found[name] = attribute
    found.update(getattr(value, "__dict__", {}))
    return found or None


@lru_cache(maxsize=1024)
def _declared(kind: Any) -> tuple[str, ...]:
    """Names of slots, under which Python looks private ones up, and of dataclass fields."""
    names: list[str] = []
    for ancestor in kind.__mro__:
        slots = ancestor.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot.startswith("__") and slot.endswith("__"):
                continue
            names.append(f"_{ancestor.__name__.lstrip('_')}{slot}" if slot.startswith("__") else slot)
    if dataclasses.is_dataclass(kind):
        names += [field.name for field in dataclasses.fields(kind)]
    return tuple(dict.fromkeys(names))


def holds_generator(value: Any) -> bool:
    """Whether a random generator is somewhere inside a value."""
    return _holds_generator(value, 0, set())


def _holds_generator(value: Any, depth: int, seen: set[int]) -> bool:
    if isinstance(value, (*GENERATORS, NumpyRandomness)):
        return True
    if value is None or isinstance(value, (str, bytes, int, float, np.generic)) or depth > 12 or id(value) in seen:
        return False
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return False
    seen.add(id(value))
    parts: list[Any] = []
    if isinstance(value, dict):
        parts += value.values()
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts += value
    elif isinstance(value, np.ndarray):
        parts += value.ravel().tolist()
    parts += (fields_of(value) or {}).values()
    return any(_holds_generator(part, depth + 1, seen) for part in parts)


def is_filled(cell: Any) -> bool:
    """Whether a cell of a closure has a value already."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


_FEWEST_BEYOND = 10**4300
"""The least number that Python does not write in decimal digits by default."""


def whole_text(value: int) -> str:
    """A whole number in decimal digits; a number of more than 4300 digits in hexadecimal ones."""
    return str(value) if -_FEWEST_BEYOND < value < _FEWEST_BEYOND else hex(value)


def fraction_text(value: Fraction) -> str:
    """A fraction as ``str`` writes it, with :func:`whole_text` of its two parts."""
    whole = value.denominator == 1
    return whole_text(value.numerator) if whole else f"{whole_text(value.numerator)}/{whole_text(value.denominator)}"


def fraction_in(text: str) -> Fraction:
    """The fraction that :func:`fraction_text` wrote."""
    above, _, below = text.partition("/")
    return Fraction(text) if "0x" not in text else Fraction(int(above, 0), int(below or "1", 0))


_DEEPEST = 12


def fingerprint(value: Any) -> str:
    """A digest that is equal for values with equal contents."""
    digest = hashlib.sha256()
    _feed(digest, value, 0, set())
    return digest.hexdigest()


def checksum(value: Any) -> float:
    """The fingerprint as a number that a double holds exactly. It identifies recurring values."""
    return float(int(fingerprint(value)[:13], 16))


def _feed(digest: Any, value: Any, depth: int, above: set[int]) -> None:
    digest.update(type(value).__qualname__.encode())
    if type(value) is int:
        digest.update(whole_text(value).encode())
    elif value is None or isinstance(value, (bool, int, str, bytes, np.bool_)):
        digest.update(repr(value).encode())
    elif isinstance(value, (float, np.floating)) and not isinstance(value, np.longdouble):
        digest.update(struct.pack("<d", float(value)))
    elif isinstance(value, (np.datetime64, np.timedelta64)):
        digest.update(value.dtype.str.encode() + value.tobytes())
    elif isinstance(value, np.integer):
        digest.update(repr(int(value)).encode())
    elif isinstance(value, (complex, np.longdouble, np.complexfloating)):
        digest.update(repr(value).encode())
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(repr((value.shape, value.dtype.str)).encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (bytearray, memoryview, array.array)):
        digest.update(bytes(value))
    elif isinstance(value, type):
        digest.update(f"{value.__module__}.{value.__qualname__}".encode())
    elif is_of_compiler(value):
        _feed(digest, source_of(value), depth + 1, above)
    elif id(value) in above:
        digest.update(b"...")
    elif depth > _DEEPEST:
        digest.update(_pickled(value))
    else:
        _feed_container(digest, value, depth, above | {id(value)})


def _feed_container(digest: Any, value: Any, depth: int, above: set[int]) -> None:
    def part(entry: Any) -> bytes:
        inner = hashlib.sha256()
        _feed(inner, entry, depth + 1, above)
        return inner.digest()

    if isinstance(value, np.random.Generator):
        digest.update(part(value.bit_generator.state))
    elif isinstance(value, np.random.BitGenerator):
        digest.update(part(value.state))
    elif isinstance(value, np.random.RandomState):
        digest.update(part(value.get_state()))
    elif isinstance(value, Mapping):
        for entry in sorted(part(key) + part(content) for key, content in value.items()):
            digest.update(entry)
    elif isinstance(value, (set, frozenset)):
        for entry in sorted(map(part, value)):
            digest.update(entry)
    elif isinstance(value, (list, tuple, deque, np.ndarray)):
        for content in value:
            digest.update(part(content))
    elif hasattr(value, "getstate") and type(value).__module__ == "random":
        digest.update(part(value.getstate()))
    elif isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if is_filled(cell)]
        digest.update(part([value.__qualname__, cells, value.__defaults__, value.__dict__]))
    elif isinstance(compiled := getattr(value, "__dict__", {}).get("py_func"), FunctionType):
        # What numba makes of it grows with each type of arguments.
        digest.update(part(compiled))
    else:
        fields = fields_of(value)
        digest.update(part(_reduced(value) if fields is None else fields))


def _pickled(value: Any) -> bytes:
    """The fingerprint of a value that is nested very deeply."""
    try:
        return pickle.dumps(value, protocol=4)
    except Exception:  # any object may raise any error
        return b"opaque"


def _reduced(value: Any) -> Any:
    """The contents of an object without attributes, from its pickle."""
    try:
        reduced = value.__reduce_ex__(4)
    except Exception:  # any object may raise any error
        return "opaque"
    if isinstance(reduced, str):
        return reduced
    maker, *rest = reduced
    # The items of lists and dictionaries come as iterators.
    return [getattr(maker, "__qualname__", ""), *(list(part) if hasattr(part, "__next__") else part for part in rest)]
