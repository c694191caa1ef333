"""Results as plain data, and back. The type of the wanted result determines the reading. The data chooses nothing.

A dataclass is written as an object with its fields. Under the type ``Any``, a value without a form in JSON
is written as an object with one key: a fraction, a ball, a budget, a universe, a tuple.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from flint import arb, fmpq

from pan_audits.choices.numbers import BITS
from pan_audits.judging.reading import Field
from pan_estimators.universes.universe import (
    EdgeUniverse,
    HashedUniverse,
    IntegerUniverse,
    LabelUniverse,
    universe_from_dict,
)
from pan_promises.errors import InputError
from pan_promises.exact_epsilon import LogFraction, parse_epsilon

_OURS = (IntegerUniverse, LabelUniverse, HashedUniverse, EdgeUniverse)
_MOST_DIGITS, _LONGEST_BUDGET = 10**6, 1000
_MOST_ELEMENTS = 10**6

_T = TypeVar("_T")


def to_plain(value: Any) -> Any:
    """A result as JSON-ready data."""
    if is_dataclass(value) and not isinstance(value, (type, *_OURS)):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value) if field.init}
    if value is None or isinstance(value, (bool, str)):
        return str(value) if isinstance(value, Enum) else value
    if isinstance(value, LogFraction):
        return {"budget": str(value)} if value.power == 1 else float(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"number": str(float(value))}
    if hasattr(value, "__index__"):
        return int(value)
    for name, kind, written in _TAGS:
        if isinstance(value, kind):
            return {name: written(value)}
    if isinstance(value, list):
        return [to_plain(element) for element in value]
    raise TypeError(f"{type(value).__qualname__} has no plain form")


def from_plain(kind: type[_T], field: Field) -> _T:
    """Read what :func:`to_plain` wrote of a value of this type."""
    return cast(_T, _read(kind, field))


def _read(kind: Any, field: Field) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(arguments, field)
    if origin is Literal:
        if field.value not in arguments:
            field.refuse(f"one of {', '.join(map(str, arguments))}")
        return field.value
    if origin is tuple:
        repeated = len(arguments) == 2 and arguments[1] is Ellipsis
        size = (0, _MOST_ELEMENTS) if repeated else (len(arguments),) * 2
        elements = _tagged(field, "tuple").items(least=size[0], most=size[1])
        kinds = (arguments[0],) * len(elements) if repeated else arguments
        return tuple(_read(one, element) for one, element in zip(kinds, elements, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        return {key: _read(arguments[1], value) for key, value in _tagged(field, "mapping").entries()}
    if is_dataclass(kind):
        return _dataclass(kind, field)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return field.choice(kind)
    found = _any(field)
    # An exact budget is a float as well. True and false are not numbers.
    fits = kind is Any or (isinstance(found, kind) and isinstance(found, bool) == (kind is bool))
    if not fits and not (kind is float and type(found) is int):
        field.refuse(f"a value of the kind {kind.__name__}")
    return found


def _dataclass(kind: Any, field: Field) -> Any:
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind) if one.init]
    field.only(names)
    with field.placed():
        return kind(**{name: _read(hints[name], field[name]) for name in names})


def _one_of(kinds: tuple[Any, ...], field: Field) -> Any:
    if field.value is None and NoneType in kinds:
        return None
    for kind in kinds:
        if kind is not NoneType:
            try:
                return _read(kind, field)
            except InputError:
                continue
    return field.refuse(f"one of {', '.join(getattr(kind, '__name__', str(kind)) for kind in kinds)}")


def _tagged(field: Field, name: str) -> Field:
    return field.only([name])[name]


def _any(field: Field) -> Any:
    """A value of the type ``Any``."""
    value = field.value
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, list):
        return [_any(element) for element in field.items(most=_MOST_ELEMENTS)]
    if isinstance(value, dict):
        if len(value) != 1 or (name := next(iter(value))) not in _READERS:
            field.refuse("plain data")
        return _READERS[name](field[name])
    return field.whole(-(2**1024), 2**1024) if isinstance(value, int) else field.number()


def _fraction(field: Field) -> Any:
    try:
        above, below = (int(part, 16) for part in field.text(_MOST_DIGITS).split("/"))
        return fmpq(above, below)
    except (ValueError, ArithmeticError):
        field.refuse("a fraction")


def _ball(field: Field) -> Any:
    try:
        found = arb(field.text(_MOST_DIGITS))
    except (TypeError, ValueError, ArithmeticError):
        field.refuse("a ball")
    if not found.is_finite():
        field.refuse("a finite ball")
    return found


def _infinite(field: Field) -> float:
    if field.value not in ("inf", "-inf", "nan"):
        field.refuse("inf, -inf or nan")
    return float(field.value)


def _universe(field: Field) -> Any:
    with field.placed():
        return universe_from_dict(field.needs("a universe", "kind").value)


_TAGS: tuple[tuple[str, Any, Callable[[Any], Any]], ...] = (
    # Hexadecimal numbers: Python reads them at any length.
    ("fraction", fmpq, lambda value: f"{int(value.numer()):x}/{int(value.denom()):x}"),
    # The written ball contains the original ball.
    ("ball", arb, lambda ball: ball.str(BITS // 3, radius=True)),
    ("universe", _OURS, lambda universe: universe.to_dict()),
    ("tuple", tuple, lambda elements: [to_plain(element) for element in elements]),
    ("mapping", Mapping, lambda mapping: {str(key): to_plain(value) for key, value in mapping.items()}),
)

_READERS: Mapping[str, Callable[[Field], Any]] = {
    "fraction": _fraction,
    "ball": _ball,
    "universe": _universe,
    "number": _infinite,
    "budget": lambda field: parse_epsilon(field.text(_LONGEST_BUDGET)),
    "tuple": lambda field: tuple(_any(element) for element in field.items(most=_MOST_ELEMENTS)),
    "mapping": lambda field: {key: _any(value) for key, value in field.entries()},
}
