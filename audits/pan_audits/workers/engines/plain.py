"""Results of tasks as plain data, in MessagePack: reading them runs no code of their sender.

A task may have run foreign code, so that its process may answer with anything. Besides numbers, texts, arrays and
containers of them, a result holds records of this project: dataclasses, enumerations and errors, by their names.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import Any

import msgpack
import numpy as np

from pan_promises.errors import InputError
from pan_promises.exact_epsilon import LogFraction
from pan_promises.workers import PACKAGES

_PARTS: dict[str, Any] = {"l": list, "t": tuple, "s": set, "z": frozenset}
_CONTAINERS: dict[Any, str] = {kind: letter for letter, kind in _PARTS.items()}


class NoPlainDataError(Exception):
    """A value is no plain data."""


def to_bytes(value: Any) -> bytes:
    """A result as bytes."""
    try:
        packed: bytes = msgpack.packb(_node(value))
    except (ValueError, RecursionError) as problem:
        raise NoPlainDataError(str(problem)) from None
    return packed


def from_bytes(content: bytes) -> Any:
    """The result that :func:`to_bytes` wrote."""
    try:
        return _value(msgpack.unpackb(content, strict_map_key=False))
    except NoPlainDataError:
        raise
    except Exception:
        raise NoPlainDataError("the bytes are no result") from None


def _node(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, float, bytes):
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**63 else ["i", hex(value)]
    if kind is str:
        return value if value.isascii() else ["u", value.encode("utf-8", "surrogatepass")]
    if kind in _CONTAINERS:
        return [_CONTAINERS[kind], *map(_node, value)]
    if kind in (dict, MappingProxyType):
        return ["d", *(_node(part) for item in value.items() for part in item)]
    if kind is np.ndarray:
        return _array(value)
    if isinstance(value, np.generic) and kind.__module__ == "numpy" and kind is not np.void:
        return ["n", value.dtype.str, value.tobytes()]
    if kind is complex:
        return ["c", value.real, value.imag]
    if kind is Fraction:
        return ["q", hex(value.numerator), hex(value.denominator)]
    flint = sys.modules.get("flint")  # without it there are no such numbers
    if flint is not None and kind is flint.fmpq:
        return ["Q", hex(int(value.p)), hex(int(value.q))]
    if flint is not None and kind is flint.arb:
        # The written ball contains the original ball.
        return ["B", value.str(flint.ctx.prec // 3, radius=True)]
    if kind is LogFraction:
        return ["L", _node(value.base), _node(value.coefficient), value.power]
    if kind is Decimal:
        return ["D", str(value)]
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
    raise NoPlainDataError(f"a {kind.__module__}.{kind.__qualname__} is no plain data")


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
    if letter == "i":
        return int(parts[0], 16)
    if letter == "u":
        return parts[0].decode("utf-8", "surrogatepass")
    if letter == "a":
        return np.frombuffer(bytearray(parts[2]), _dtype(parts[0])).reshape(parts[1])
    if letter == "A":
        array = np.empty(len(parts) - 1, object)
        array[:] = list(map(_value, parts[1:]))
        return array.reshape(parts[0])
    if letter == "n":
        return np.frombuffer(parts[1], _dtype(parts[0]))[0]
    if letter == "c":
        return complex(*parts)
    if letter == "q":
        return Fraction(int(parts[0], 16), int(parts[1], 16))
    if letter == "Q":
        return _flint().fmpq(int(parts[0], 16), int(parts[1], 16))
    if letter == "B":
        return _flint().arb(parts[0])
    if letter == "L":
        return LogFraction(_value(parts[0]), _value(parts[1]), parts[2])
    if letter == "D":
        return Decimal(parts[0])
    return _read_record(letter, *parts)


def _dtype(node: Any) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.lib.format.descr_to_dtype(_value(node))
    if dtype.hasobject:
        raise NoPlainDataError("an array of objects is no plain data")
    return dtype


def _read_record(letter: str, module: str, name: str, *parts: Any) -> Any:
    package, _, rest = module.partition(".")
    if package not in PACKAGES or package not in sys.modules or rest == "__main__":
        raise NoPlainDataError(f"{module} is no module of this project")
    import_module(module)
    kind = _named(module, name)
    if not (isinstance(kind, type) and _is_own(kind)):
        raise NoPlainDataError(f"{name} is no record of this project")
    if letter == "e" and issubclass(kind, enum.Enum):
        return kind[parts[0]]
    if letter == "E" and issubclass(kind, InputError):
        problem = kind.__new__(kind)
        problem.args, problem.__dict__ = map(_value, parts)
        return problem
    if letter != "o" or not _is_record(kind):
        raise NoPlainDataError(f"{name} is no record of this project")
    made: Any = object.__new__(kind)
    known = {field.name for field in dataclasses.fields(kind)}
    for key, part in zip(parts[::2], parts[1::2], strict=True):
        if key not in known:
            raise NoPlainDataError(f"{name} has no field of this name")
        object.__setattr__(made, key, _value(part))
    return made
