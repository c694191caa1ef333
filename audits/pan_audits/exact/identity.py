"""Which values are the same for an adversary.

A quick description of plain values: numbers, texts, arrays, built-in containers, and objects made of them.

Two values with one description have the same types, contents, orders and shared parts, so that every slower
comparison finds them equal. Other values have no such description, and need the slower comparison.

Keys of states and of outputs.

An adversary who sees a state sees the memory of the process. Two states have one key only if such a dump shows no
difference: types, bits of numbers, the order of dictionaries and sets, the layout of arrays, attributes of derived
containers, and the identity of parts. Such states behave alike too, and are merged.

An output leaves the process as a value. Outputs are compared by contents: numbers by their value, with the sign of a
zero, sets without order, dictionaries with theirs.

The detection of an estimator that changes itself.
"""

from __future__ import annotations

import hashlib
import marshal
import math
import struct
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.followed import FollowedArray, identity_of
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.uniform import refuse_uniform
from pan_audits.events.observing.values import (
    GENERATORS,
    fields_of,
    fingerprint,
    fraction_text,
    layout_of,
    settings_of,
    whole_text,
)

_DEEPEST_PLAIN = 10
_SCALARS = frozenset({type(None), bool, int, float, complex, str, bytes})
_NUMERIC = "biufc"
_DEFINED_IN_PYTHON = 1 << 9
_PICKLING = ("__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__")
_SPECIAL = (
    *(bool, int, float, complex, str, bytes, bytearray, memoryview, list, tuple, set, frozenset, deque, Mapping),
    *(type, partial, ModuleType, Fraction, np.generic, np.dtype, np.ndarray, *GENERATORS),
)
"""Types whose subclasses have contents besides their attributes."""


class _NotPlainError(Exception):
    """Raised for a part that is not plain."""


def plain_bytes(value: Any, *, functions: bool = False) -> bytes | None:
    """A description that is equal only for equal plain values; ``None`` for a value that is not plain."""
    try:
        # Version 2 writes no references, so that the bytes depend on the contents alone.
        return marshal.dumps(_Walk(functions).describe(value, 0), 2)
    except _NotPlainError:
        return None


class _Walk:
    """Describes the parts of one value: scalars as they are, everything else as a tuple with its type."""

    def __init__(self, functions: bool) -> None:
        self.functions = functions
        # The number of each container by identity. The containers stay alive, so that identities stay unique.
        self.met: dict[int, tuple[int, Any]] = {}

    def describe(self, value: Any, depth: int) -> Any:
        kind: Any = type(value)
        if kind in _SCALARS:
            return value
        describer = _describer(kind)
        if describer is _number:
            return _number(self, value, depth)
        if describer is None or depth > _DEEPEST_PLAIN or value.__class__ is not kind:
            raise _NotPlainError
        if describer in (_function, _partial, _member, _derived) and not self.functions:
            raise _NotPlainError
        if id(value) in self.met:
            return ("same as", self.met[id(value)][0])
        self.met[id(value)] = (len(self.met), value)
        return describer(self, value, depth + 1)


@lru_cache(maxsize=1024)
def _describer(kind: Any) -> Callable[[_Walk, Any, int], Any] | None:
    if kind in _DESCRIBERS:
        return _DESCRIBERS[kind]
    if issubclass(kind, np.generic) and kind.__module__ == "numpy" and kind is not np.void:
        return _number
    if issubclass(kind, type):
        return _type
    if issubclass(kind, Enum):
        return _member
    if issubclass(kind, (int, float, str)) and kind is not bool:
        return _derived
    return None if issubclass(kind, _SPECIAL) else _object


def _number(_walk: _Walk, value: Any, _depth: int) -> Any:
    if type(value) is Fraction:
        return ("Fraction", value.numerator, value.denominator)
    return (type(value).__qualname__, value.dtype.str, value.tobytes())


def _sequence(walk: _Walk, value: Any, depth: int) -> Any:
    return (type(value).__name__, *[walk.describe(entry, depth) for entry in value])


def _dictionary(walk: _Walk, value: Any, depth: int) -> Any:
    return ("dict", *[(walk.describe(key, depth), walk.describe(entry, depth)) for key, entry in value.items()])


def _array(walk: _Walk, value: Any, depth: int) -> Any:
    kind = value.dtype.kind
    if layout_of(value) is not None:
        raise _NotPlainError
    if kind in _NUMERIC:
        return ("array", value.dtype.str, value.shape, value.tobytes())
    if kind != "O":
        raise _NotPlainError
    return ("array", "O", value.shape, *[walk.describe(entry, depth) for entry in value.ravel().tolist()])


def _object(walk: _Walk, value: Any, depth: int) -> Any:
    fields = fields_of(value)
    if fields is None and not _is_empty(value):
        raise _NotPlainError
    parts = [(name, walk.describe(part, depth)) for name, part in (fields or {}).items()]
    return ("object", type(value).__module__, type(value).__qualname__, *parts)


def _is_empty(value: Any) -> bool:
    """Whether an object without attributes is empty: all its classes are written in Python and pickled as usual."""
    kind: Any = type(value)
    python = all(base is object or base.__flags__ & _DEFINED_IN_PYTHON for base in kind.__mro__)
    usual = all(getattr(kind, name, None) is getattr(object, name, None) for name in _PICKLING)
    return bool(python and usual)


def _type(_walk: _Walk, value: type, _depth: int) -> Any:
    return ("type", value.__module__, value.__qualname__, repr(value))


def _member(walk: _Walk, value: Enum, depth: int) -> Any:
    # Members know their class, which is part of their text.
    parts = [(name, walk.describe(part, depth)) for name, part in vars(value).items() if name != "__objclass__"]
    return ("member", type(value).__module__, type(value).__qualname__, str(value), repr(value), *parts)


def _derived(walk: _Walk, value: Any, depth: int) -> Any:
    base = next(base for base in (int, float, str) if isinstance(value, base))
    content = {int: int.__int__, float: float.__float__, str: str.__str__}[base](value)
    return ("derived", content, *_object(walk, value, depth))


def _function(walk: _Walk, value: FunctionType, depth: int) -> Any:
    try:
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
    except ValueError:
        raise _NotPlainError from None
    carried = [cells, value.__defaults__, value.__kwdefaults__, value.__dict__]
    return ("function", value.__module__, value.__qualname__, *[walk.describe(part, depth) for part in carried])


def _partial(walk: _Walk, value: partial[Any], depth: int) -> Any:
    carried = [value.func, value.args, value.keywords, value.__dict__]
    return ("partial", *[walk.describe(part, depth) for part in carried])


_DESCRIBERS: dict[type, Callable[[_Walk, Any, int], Any]] = {
    **dict.fromkeys((list, tuple, set, frozenset), _sequence),
    dict: _dictionary,
    np.ndarray: _array,
    Fraction: _number,
    FunctionType: _function,
    partial: _partial,
}


_DEEPEST = 60
_NUMBERS = (bool, int, float, complex, np.number, np.bool_, Fraction, NoisyNumber)
_PLAIN = (list, tuple, dict, set, frozenset, deque, bytes, bytearray, str, int, float, bool, complex, np.ndarray)


def state_key(value: Any) -> str:
    """A key that is equal only for values with the same behaviour, and with no difference in a dump of the memory."""
    return hashlib.sha256(repr(_Description(exact=True).of(value, 0)).encode()).hexdigest()


@dataclass
class StateKeys:
    """:func:`state_key` of many values. It keeps the keys of plain values."""

    _known: dict[bytes, str] = field(default_factory=dict)

    def of(self, value: Any) -> str:
        """The key of a value."""
        quick = plain_bytes(value)
        if quick is None:
            return state_key(value)
        if quick not in self._known:
            self._known[quick] = state_key(value)
        return self._known[quick]


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


@dataclass
class Constancy:
    """The fingerprint of an estimator, taken again only if a quick description of it has changed.

    Attributes
    ----------
    estimator
        The estimator whose attributes are watched.
    """

    estimator: Any
    _quick: bytes | None = None
    _print: str = ""

    def now(self) -> str:
        """The fingerprint of the estimator as it is."""
        told = getattr(self.estimator, "own_digest", None)
        if told is not None:
            # It runs in another process, and is described there.
            return str(told())
        quick = plain_bytes(self.estimator, functions=True)
        if quick is None or quick != self._quick:
            self._print = fingerprint(self.estimator)
            self._quick = quick
        return self._print
