"""Which values are the same for an adversary.

Keys of states and of outputs.

An adversary who sees a state sees the memory of the process. Two states have one key only if such a dump shows no
difference: types, bits of numbers, the order of dictionaries and sets, the layout of arrays, attributes of derived
containers, and the identity of parts. Such states behave alike too, and are merged.

An output leaves the process as a value. Outputs are compared by contents: numbers by their value, with the sign of a
zero, sets without order, dictionaries with theirs.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import astuple
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.followed import FollowedArray, identity_of
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.uniform import refuse_uniform
from pan_audits.events.observing.values import (
    GENERATORS,
    fields_of,
    fraction_text,
    layout_of,
    settings_of,
    whole_text,
)

_DEEPEST = 60
_NUMBERS = (bool, int, float, complex, np.number, np.bool_, Fraction, NoisyNumber)
_PLAIN = (list, tuple, dict, set, frozenset, deque, bytes, bytearray, str, int, float, bool, complex, np.ndarray)


def state_key(value: Any) -> str:
    """A key that is equal only for values with the same behaviour, and with no difference in a dump of the memory."""
    return hashlib.sha256(repr(_Description(exact=True).of(value, 0)).encode()).hexdigest()


def seen_key(value: Any) -> str:
    """A key that is equal for equal contents, as of outputs; it raises the errors of :func:`state_key`."""
    return hashlib.sha256(repr(_Description(exact=False).of(value, 0)).encode()).hexdigest()


def _text(number: Any) -> str:
    """A text of a number, equal only for equal bits."""
    if isinstance(number, int):
        return whole_text(int(number))
    if isinstance(number, Fraction):
        return f"{whole_text(number.numerator)}/{whole_text(number.denominator)}"
    if isinstance(number, float):
        return struct.pack(">d", number).hex()
    if isinstance(number, complex):
        return struct.pack(">dd", number.real, number.imag).hex()
    return repr(number)


def form_key(value: Any, number: Callable[[Any], str]) -> str:
    """Equal for values that are alike but for their numbers."""
    return hashlib.sha256(repr(_Description(exact=False, number=number).of(value, 0)).encode()).hexdigest()


class _Description:
    """Nested tuples of plain values that describe a value."""

    def __init__(self, *, exact: bool, number: Callable[[Any], str] | None = None) -> None:
        self.exact = exact
        self.of_what = "state or the output" if exact else "output"
        self.number = number
        self.met: dict[int, int] = {}
        self.kept: list[Any] = []

    def of(self, value: Any, depth: int) -> Any:
        """The description of one part."""
        if depth > _DEEPEST:
            raise UnfollowableError(f"the {self.of_what} is nested too deeply to be compared")
        if isinstance(value, (np.str_, np.bytes_)) and not self.exact:
            value = value.item()
        if self.number is not None and isinstance(value, _NUMBERS):
            return ("any number", self.number(value))
        if value is None or isinstance(value, (type, np.dtype)):
            return ("is", repr(value))
        if isinstance(value, (bool, int, float, complex, np.generic, Fraction)) and not isinstance(value, np.void):
            extra = self._extra(value, depth)
            return (*self._number(value), extra) if extra else self._number(value)
        if type(value) is Decimal:
            # Its text has the sign of a zero, and all digits.
            return ("decimal", str(value))
        if isinstance(value, (str, bytes)):
            text = str(value) if isinstance(value, str) else bytes(value)
            return (type(value).__name__, text, self._extra(value, depth))
        if self.exact:
            # A change of one object is visible in all its places.
            if id(value) in self.met:
                return ("same as", self.met[id(value)])
            self.met[id(value)] = len(self.met)
            self.kept.append(value)
        return self._container(value, depth)

    def _number(self, value: Any) -> Any:
        if self.exact:
            kind = (type(value).__module__, type(value).__qualname__)
            return (*kind, *_bits(value)) if isinstance(value, np.generic) else (*kind, _text(value))
        plain = value
        if isinstance(value, (np.datetime64, np.timedelta64)):
            return _bits(value)
        if isinstance(value, np.generic) and not isinstance(value, (bool, int, float, complex)):
            plain = value.item()
            if not isinstance(plain, (bool, int, float, complex, str, bytes)):
                return _bits(value)
        if isinstance(plain, float) and plain == 0 and math.copysign(1, plain) < 0:
            return ("number", "-0")
        if isinstance(plain, (float, complex)):
            # Numpy writes its own infinity in another way.
            plain = float(plain) if isinstance(plain, float) else complex(plain)
        finite = not isinstance(plain, (complex, str, bytes)) and (not isinstance(plain, float) or math.isfinite(plain))
        return ("number", fraction_text(Fraction(plain)) if finite else repr(plain))

    def _container(self, value: Any, depth: int) -> Any:
        refuse_uniform(value)
        if type(value) is FollowedArray:
            return ("followed", identity_of(value))
        contained = isinstance(value, (np.ndarray, Mapping, set, frozenset, list, tuple, deque, bytearray))
        extra = self._extra(value, depth) if contained else ()
        kind = (type(value).__module__, type(value).__qualname__) if self.exact else ""
        if isinstance(value, np.ma.MaskedArray):
            settings = settings_of(value) if self.exact else ()
            wholes = (np.asarray(value.data), np.ma.getmaskarray(value), *settings)
            parts = [self.of(part, depth + 1) for part in wholes]
            return (kind, "masked", parts, extra)
        if isinstance(value, np.ndarray):
            return (kind, *self._array(value, depth), extra)
        if isinstance(value, Mapping):
            return (kind, "map", [(self.of(k, depth + 1), self.of(v, depth + 1)) for k, v in value.items()], extra)
        if isinstance(value, (set, frozenset)):
            entries = [self.of(entry, depth + 1) for entry in value]
            return (kind, "set", entries if self.exact else sorted(entries, key=repr), extra)
        if isinstance(value, (list, tuple, deque)):
            room = (value.maxlen,) if self.exact and isinstance(value, deque) else ()
            if isinstance(value, tuple) and type(value) is not tuple:
                # A named tuple is a record: its name is a part of what it shows.
                kind = kind or type(value).__qualname__
            return (kind, "list", [self.of(entry, depth + 1) for entry in value], extra, *room)
        if isinstance(value, bytearray):
            return (kind, bytes(value), extra)
        if isinstance(value, GENERATORS):
            what = f"the {self.of_what} holds a random generator"
            raise UnfollowableError(f"{what}, whose later draws cannot be followed")
        if isinstance(value, FunctionType):
            raise UnfollowableError(f"the {self.of_what} holds a function, whose behaviour cannot be compared")
        fields = fields_of(value)
        if fields is None:
            if type(value).__module__ == "builtins" and type(value).__name__ == "object":
                return (kind, "object")
            what = f"the {self.of_what} holds a {type(value).__qualname__}"
            raise UnfollowableError(f"{what}, whose contents cannot be compared")
        # A type is visible only if it determines the meaning of the attributes.
        return (type(value).__qualname__, kind, [(name, self.of(part, depth + 1)) for name, part in fields.items()])

    def _array(self, value: np.ndarray[Any, Any], depth: int) -> Any:
        if value.dtype.hasobject and value.dtype.names:
            what = f"the {self.of_what} holds an array of records with objects"
            raise UnfollowableError(f"{what}, which cannot be compared")
        if not self.exact:
            # Bytes have a meaning by their type only.
            raw = value.dtype.names or value.dtype.kind in "mMV"
            flat = [value.tobytes()] if raw else value.ravel().tolist()
            kind = repr(value.dtype) if raw else ""
            return (kind, value.shape, [self.of(entry, depth + 1) for entry in flat])
        if value.dtype.hasobject:
            entries: Any = [self.of(entry, depth + 1) for entry in value.ravel().tolist()]
        else:
            entries = value.tobytes()
        layout = layout_of(value)
        laid = () if layout is None else (*astuple(layout)[:4], self.of(layout.metadata, depth + 1))
        return (value.dtype.str, repr(value.dtype), value.shape, entries, laid)

    def _extra(self, value: Any, depth: int) -> Any:
        """The attributes of a class derived from a built-in type, beside its contents."""
        kind = type(value)
        if kind in _PLAIN or kind is Fraction or isinstance(value, (Enum, np.generic)):
            return ()
        parts = [(name, self.of(part, depth + 1)) for name, part in (fields_of(value) or {}).items()]
        if self.exact and isinstance(value, defaultdict):
            parts.append(("default_factory", self._factory(value.default_factory, depth)))
        return tuple(parts)

    def _factory(self, factory: Any, depth: int) -> Any:
        """The default of a dictionary for missing keys: a function without a closure is known by its name."""
        if isinstance(factory, FunctionType) and not (factory.__closure__ or factory.__defaults__ or vars(factory)):
            return ("is", factory.__module__, factory.__qualname__, factory.__code__.co_code.hex())
        return self.of(factory, depth + 1)


def _bits(value: np.generic) -> tuple[str, bytes]:
    return value.dtype.str, value.tobytes()
