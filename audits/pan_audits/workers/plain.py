"""Results of tasks as plain data, in MessagePack: reading them runs no code of their sender.

A task may have run foreign code, so that its process may answer with anything. Besides numbers, texts, arrays and
containers of them, a result holds records of this project: dataclasses, enumerations and errors, by their names.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import msgpack
import numpy as np

from pan_promises.errors import InputError
from pan_promises.exact_epsilon import LogFraction
from pan_promises.workers import PACKAGES

_PARTS: dict[str, Any] = {"l": list, "t": tuple, "s": set, "z": frozenset}
_CONTAINERS: dict[Any, str] = {kind: letter for letter, kind in _PARTS.items()}


Node: TypeAlias = Any
"""None, a boolean, an integer of 64 bits, a double, a text, bytes, or a list that begins with a letter."""


class DataError(Exception):
    """A value is not plain data, or no value can be made of some data. The text of the error is one sentence."""


def _in_hex(value: Fraction) -> tuple[str, str]:
    """A fraction as texts, which Python writes at once however long they are."""
    return hex(value.numerator), hex(value.denominator)


def _of_hex(numerator: Node, denominator: Node) -> Fraction:
    return Fraction(int(text_in(numerator), 16), int(text_in(denominator), 16))


SCALARS: dict[type, Callable[[Any], Node]] = {
    int: lambda value: value if -(2**63) <= value < 2**63 else ["i", hex(value)],
    str: lambda value: value if value.isascii() or _encodable(value) else ["u", value.encode("utf-8", "surrogatepass")],
    complex: lambda value: ["c", value.real, value.imag],
    Fraction: lambda value: ["q", *_in_hex(value)],
    LogFraction: lambda value: ["L", *_in_hex(value.base), *_in_hex(value.coefficient), value.power],
    Decimal: lambda value: ["D", str(value)],
}
"""The nodes of numbers and texts, which have no parts."""

READ: dict[str, Callable[[list[Any]], Any]] = {
    "i": lambda parts: int(text_in(parts[0]), 16),
    "u": lambda parts: bytes_in(parts[0]).decode("utf-8", "surrogatepass"),
    "n": lambda parts: array_in(parts[0], [1], parts[1])[0],
    "c": lambda parts: complex(parts[0], parts[1]),
    "q": lambda parts: _of_hex(*parts),
    "L": lambda parts: LogFraction(_of_hex(*parts[:2]), _of_hex(*parts[2:4]), whole_in(parts[4], -1)),
    "D": lambda parts: Decimal(text_in(parts[0])),
}
"""The values of such nodes."""


def scalar_node(value: Any, kind: type) -> Node:
    """The node of a number or a text, or ``None`` for any other value."""
    if (write := SCALARS.get(kind)) is not None:
        return write(value)
    if issubclass(kind, np.generic) and not issubclass(kind, np.void):
        return ["n", value.dtype.str, value.tobytes()]
    return None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole_in(number: Any, least: int = 0) -> int:
    """A whole number, of at least 0 by default."""
    if not isinstance(number, int) or number < least:
        raise TypeError
    return number


def text_in(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError
    return value


def bytes_in(value: Any) -> bytes:
    """Some bytes."""
    if not isinstance(value, bytes):
        raise TypeError
    return value


def shape_in(shape: Any, size: int) -> tuple[int, ...]:
    """The shape of an array with a number of entries."""
    extents = tuple(map(whole_in, shape))
    if math.prod(extents) != size:
        raise DataError("a message holds an array whose shape does not fit its contents")
    return extents


def dtype_in(dtype: Any) -> np.dtype[Any]:
    """The type of the entries of an array of plain data."""
    descr: Any = [tuple(each) for each in dtype] if isinstance(dtype, list) else text_in(dtype)
    kind: np.dtype[Any] = np.lib.format.descr_to_dtype(descr)
    if kind.hasobject:
        raise DataError("a message holds an array of objects as bytes")
    return kind


def array_in(dtype: Any, shape: Any, content: Any) -> np.ndarray[Any, Any]:
    """An array of plain data."""
    kind, content = dtype_in(dtype), bytes_in(content)
    if kind.itemsize == 0:
        return np.zeros(tuple(map(whole_in, shape)), dtype=kind)
    # A copy of records would lose the bytes between their fields.
    flat = np.frombuffer(bytearray(content), dtype=kind) if kind.names else np.frombuffer(content, dtype=kind).copy()
    return flat.reshape(shape_in(shape, flat.size))


def objects_in(shape: Any, entries: list[Any]) -> np.ndarray[Any, Any]:
    """An array of objects."""
    made = np.empty(len(entries), object)
    made[:] = entries
    return made.reshape(shape_in(shape, len(entries)))


def to_bytes(value: Any) -> bytes:
    """A result as bytes."""
    try:
        packed: bytes = msgpack.packb(_node(value))
    except (ValueError, RecursionError) as problem:
        raise DataError(str(problem)) from None
    return packed


def from_bytes(content: bytes) -> Any:
    """The result that :func:`to_bytes` wrote."""
    try:
        return _value(msgpack.unpackb(content, strict_map_key=False))
    except DataError:
        raise
    except Exception:
        raise DataError("the bytes are no result") from None


def _node(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, float, bytes):
        return value
    if (node := scalar_node(value, kind)) is not None:
        return node
    if kind in _CONTAINERS:
        return [_CONTAINERS[kind], *map(_node, value)]
    if kind in (dict, MappingProxyType):
        return ["d", *(_node(part) for item in value.items() for part in item)]
    if kind is np.ndarray:
        return _array(value)
    flint = sys.modules.get("flint")  # without it there are no such numbers
    if flint is not None and kind is flint.fmpq:
        return ["Q", hex(int(value.p)), hex(int(value.q))]
    if flint is not None and kind is flint.arb:
        # The written ball contains the original ball.
        return ["B", value.str(flint.ctx.prec // 3, radius=True)]
    return _record(value, kind)


def _flint() -> Any:
    import flint

    return flint


def _array(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.hasobject:
        return ["A", list(value.shape), *map(_node, value.ravel().tolist())]
    return ["a", _node(np.lib.format.dtype_to_descr(value.dtype)), list(value.shape), value.tobytes()]


def _record(value: Any, kind: type) -> Any:
    place = [kind.__module__, kind.__qualname__]
    if _is_own(kind) and isinstance(value, enum.Enum):
        return ["e", *place, value.name]
    if _is_record(kind):
        return ["o", *place, *(_node(part) for pair in _fields(value) for part in pair)]
    if _is_own(kind) and isinstance(value, InputError):
        return ["E", *place, _node(value.args), _node(vars(value))]
    raise DataError(f"a {kind.__module__}.{kind.__qualname__} is no plain data")


def _fields(value: Any) -> list[tuple[str, Any]]:
    names = [field.name for field in dataclasses.fields(value)]
    return [(name, getattr(value, name)) for name in names if hasattr(value, name)]


def _is_own(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in PACKAGES and _named(kind.__module__, kind.__qualname__) is kind


def _named(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, None)


def _is_record(kind: type) -> bool:
    """Whether a class of this project holds values only: it cannot act when it is made, changed or given up."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return _is_own(kind) and parameters is not None and bool(parameters.frozen) and not hasattr(kind, "__del__")


def _value(node: Any) -> Any:
    if not isinstance(node, list):
        return node
    letter, *parts = node
    if letter in _PARTS:
        return _PARTS[letter](map(_value, parts))
    if letter == "d":
        values = list(map(_value, parts))
        return dict(zip(values[::2], values[1::2], strict=True))
    if letter in READ:
        return READ[letter](parts)
    if letter == "a":
        return array_in(_value(parts[0]), *parts[1:])
    if letter == "A":
        return objects_in(parts[0], list(map(_value, parts[1:])))
    if letter == "Q":
        return _flint().fmpq(int(parts[0], 16), int(parts[1], 16))
    if letter == "B":
        return _flint().arb(parts[0])
    return _read_record(letter, *parts)


def _read_record(letter: str, module: str, name: str, *parts: Any) -> Any:
    package, _, rest = module.partition(".")
    if package not in PACKAGES or package not in sys.modules or rest == "__main__":
        raise DataError(f"{module} is no module of this project")
    import_module(module)
    kind = _named(module, name)
    if not (isinstance(kind, type) and _is_own(kind)):
        raise DataError(f"{name} is no record of this project")
    if letter == "e" and issubclass(kind, enum.Enum):
        return kind[parts[0]]
    if letter == "E" and issubclass(kind, InputError):
        problem = kind.__new__(kind)
        problem.args, problem.__dict__ = map(_value, parts)
        return problem
    if letter != "o" or not _is_record(kind):
        raise DataError(f"{name} is no record of this project")
    made: Any = object.__new__(kind)
    known = {field.name for field in dataclasses.fields(kind)}
    for key, part in zip(parts[::2], parts[1::2], strict=True):
        if key not in known:
            raise DataError(f"{name} has no field of this name")
        object.__setattr__(made, key, _value(part))
    return made
