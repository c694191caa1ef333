"""In the judged process: the values outside the state that the judged code can reach, and digests of their contents.

An honest author forgets a list, a cache or a global there. Data that are hidden elsewhere are not looked for.
"""

from __future__ import annotations

import contextlib
import contextvars
import copyreg
import gc
import hashlib
import io
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from pan_audits.events.observing.values import fields_of, fingerprint, is_filled, is_of_compiler
from pan_audits.subject.isolation.own_code import OwnCode
from pan_audits.subject.isolation.sources import owned

_LEFT_OUT = frozenset({"__builtins__", "__spec__", "__loader__", "__cached__", "__dict__", "__weakref__", "type"})
_WARNINGS = "__warningregistry__"
_OPAQUE_PACKAGES = frozenset({"pan_audits", "pan_estimators"})
_WITHOUT_CONTENTS = frozenset({"builtins", "_thread", "_abc", "types", "functools", "_io", "_socket", "_weakref"})
"""Modules whose unreadable objects hold nothing more: locks, descriptors, files, connections."""

_MOST_PARTS = 20_000
_DEEPEST = 40
_MOST_FILES = 256
_FIRST_BYTES = 2**20
_PRIMITIVE = (type(None), bool, int, float, complex, str, bytes, np.generic)


class Memory:
    """The values outside the state, by the names of their places."""

    def __init__(self, estimator: Any, own: OwnCode, folder: str = "") -> None:
        self.estimator = estimator
        self.own = own
        self.folder = folder
        self.unreadable: dict[str, str] = {}
        """Places with an object whose contents nobody can read, and its type."""
        for kind in own.classes:
            # Python keeps this in the class when it first copies or pickles an instance.
            with contextlib.suppress(Exception):
                copyreg._slotnames(kind)  # type: ignore[attr-defined]

    def digests(self) -> dict[str, str]:
        """A digest of the contents of each place, by its name."""
        found: dict[str, str] = {}
        for name, value in self._values():
            contents = _Contents()
            try:
                found[name] = contents.digest(value)
                if contents.unreadable:
                    self.unreadable[name] = ", ".join(sorted(contents.unreadable))
            except Exception as problem:  # any object may raise any error
                found[name] = f"cannot be read ({type(problem).__name__})"
        return found

    def _values(self) -> Iterator[tuple[str, Any]]:
        for name, value in (fields_of(self.estimator) or {}).items():
            yield f"the attribute {name!r}", value
        for kind in self.own.classes:
            for name, value in list(vars(kind).items()):
                if name not in _LEFT_OUT and not self._is_reached(value):
                    yield f"{kind.__name__}.{name}", value
        for module in self.own.modules:
            for name, value in list(vars(module).items()):
                # A class of the judged code has its own places. A warning is remembered by the library of warnings.
                if name not in {*_LEFT_OUT, _WARNINGS} and not isinstance(value, type) and not self._is_reached(value):
                    yield f"{module.__name__}.{name}", value
        for function in self.own.functions.values():
            yield f"{function.__qualname__} (its defaults, closure or attributes)", function
        yield "files", list(_files(self.folder))

    def _is_reached(self, value: Any) -> bool:
        """Whether a function has a place of its own."""
        return isinstance(value, FunctionType) and value.__code__ in self.own.functions


class _Contents:
    """A digest by contents, without addresses, of a bounded number of parts."""

    def __init__(self, met: Mapping[int, tuple[int, Any]] | None = None) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.met: dict[int, tuple[int, Any]] = dict(met or {})
        self.unreadable: set[str] = set()

    def digest(self, value: Any, depth: int = 0) -> str:
        """The digest of a value."""
        self._feed(value, depth)
        return self.hash.hexdigest()

    def _tell(self, *words: Any) -> None:
        for word in words:
            self.hash.update(repr(word).encode())

    def _feed(self, value: Any, depth: int) -> None:
        kind = type(value)
        self._tell(kind.__qualname__)
        if kind in _PRIMITIVE or isinstance(value, np.generic):
            self.hash.update(fingerprint(value).encode())
            return
        if id(value) in self.met:
            self._tell(self.met[id(value)][0])
            return
        if len(self.met) >= _MOST_PARTS or depth > _DEEPEST:
            return
        self.met[id(value)] = (len(self.met), value)
        for part in self._parts(value, depth):
            self._feed(part, depth + 1)

    def _parts(self, value: Any, depth: int) -> list[Any]:
        """The parts of a value that is no number and no text."""
        if is_of_compiler(value) or str(type(value).__module__).partition(".")[0] in _OPAQUE_PACKAGES:
            return []
        if isinstance(value, (type, ModuleType)):
            return [getattr(value, "__qualname__", getattr(value, "__name__", ""))]
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return [value.shape, value.dtype.str, hashlib.blake2b(value.tobytes()).digest()]
        if isinstance(value, Mapping):
            return [each for item in list(value.items()) for each in item] + self._fields(value)
        if isinstance(value, (set, frozenset)):
            # An entry may lead back to the set.
            return [*sorted(_Contents(self.met).digest(each, depth + 1) for each in value), *self._fields(value)]
        if isinstance(value, (list, tuple, np.ndarray)) or type(value).__name__ == "deque":
            return [*value, *self._fields(value)]
        if isinstance(value, (bytearray, memoryview)):
            return [bytes(value)]
        special = self._special(value)
        return special if special is not None else self._object(value)

    def _special(self, value: Any) -> list[Any] | None:
        """The parts of a function, a cache, or another place that has no attributes."""
        if isinstance(value, FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or () if is_filled(cell)]
            return [value.__qualname__, value.__defaults__, value.__kwdefaults__, cells, value.__dict__]
        if isinstance(value, MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, partial):
            return [value.func, value.args, value.keywords]
        if isinstance(value, (staticmethod, classmethod)):
            return [value.__func__]
        if isinstance(value, property):
            return [value.fget, value.fset, value.fdel]
        if isinstance(value, cached_property):
            return [value.func]
        if type(value).__name__ == "_lru_cache_wrapper":
            # The keys are the arguments of earlier calls.
            kept = [list(part) for part in gc.get_referents(value) if isinstance(part, dict)]
            return [value.__wrapped__, *kept]
        if isinstance(value, contextvars.ContextVar):
            return [value.get(None)]
        if isinstance(value, threading.local):
            return [value.__dict__]
        if type(value).__module__ == "sqlite3" and hasattr(value, "serialize"):
            return [value.serialize()]
        if isinstance(value, (io.StringIO, io.BytesIO)):
            return [value.getvalue()]
        # Files are looked at by their folder, and printed bytes are an observation.
        return [] if isinstance(value, (io.IOBase, weakref.ref)) else None

    def _object(self, value: Any) -> list[Any]:
        if owned(value):
            return []
        if isinstance(value, np.random.Generator):
            return [value.bit_generator.state]
        if isinstance(value, np.random.BitGenerator):
            return [value.state]
        if isinstance(value, np.random.RandomState):
            return [value.get_state()]
        if type(value).__module__ == "random":
            return [value.getstate()]
        fields = self._fields(value)
        if fields:
            return fields
        with contextlib.suppress(TypeError, ValueError, BufferError):
            return [hashlib.blake2b(memoryview(value).tobytes()).digest()]
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:  # any object may raise any error
            if str(type(value).__module__) not in _WITHOUT_CONTENTS:
                self.unreadable.add(f"{type(value).__module__}.{type(value).__qualname__}")
            return []
        if isinstance(reduced, str):
            return [reduced]
        return [list(part) if hasattr(part, "__next__") else part for part in reduced[1:]]

    def _fields(self, value: Any) -> list[Any]:
        fields = None if type(value) in (list, tuple, dict, set, frozenset, np.ndarray) else fields_of(value)
        return [each for item in (fields or {}).items() for each in item]


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """The files of the process's own folder, with digests of their first bytes."""
    walked = os.walk(folder) if folder else ()
    for path in [os.path.join(place, name) for place, _, names in walked for name in sorted(names)][:_MOST_FILES]:
        if "__pycache__" not in path:
            with contextlib.suppress(OSError), open(path, "rb") as file:
                yield os.path.relpath(path, folder), hashlib.blake2b(file.read(_FIRST_BYTES)).hexdigest()
