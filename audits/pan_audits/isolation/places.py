"""In the judged process: the places outside the state in which code can keep data, and digests of their contents.

An intruder who sees the memory of the process sees them all: attributes, default arguments, closures, caches, globals,
context variables, the variables of threads, the environment, and files.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import copyreg
import gc
import hashlib
import io
import locale
import os
import resource
import signal
import stat
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping
from ctypes import _Pointer
from dataclasses import replace
from functools import cached_property, partial
from types import CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

# The judge itself loads it when it sends a state. It must not look like a change by the judged code.
import numpy.ma

from pan_audits.choices.context import CONTEXT
from pan_audits.isolation.library_settings import part_of_open_file, settings_of_libraries, waiting_in
from pan_audits.isolation.own_code import OwnCode
from pan_audits.isolation.reachable import without_count
from pan_audits.observing.fields import fields_of, is_filled
from pan_audits.observing.fingerprint import fingerprint
from pan_audits.observing.layout import layout_of

_LEFT_OUT = frozenset({"__builtins__", "__spec__", "__loader__", "__cached__", "__dict__", "__weakref__", "type"})
_OPAQUE_PACKAGES = frozenset({"numba", "llvmlite", "pan_audits", "pan_estimators"})
OTHERS = "names of the module "
"""First words of the names of places in modules that are not the judged code."""

_OF_OTHERS = (OTHERS, "context variables", "settings of")
_WITHOUT_CONTENTS = frozenset({"builtins", "_thread", "_abc", "types", "functools", "_io", "_socket", "_weakref"})
"""Modules whose unreadable objects hold nothing more: locks, descriptors, files, connections."""

_OF_THREADS = frozenset({"_ident", "_native_id", "_tstate_lock", "_started"})
_STANDARD = frozenset({1, 2})
_MOST_PARTS = 20_000
_DEEPEST = 40
_MOST_FILES = 256
_FIRST_BYTES = 2**20
_PRIMITIVE = (type(None), bool, int, float, complex, str, bytes, np.generic)


class Places:
    """The places of one estimator.

    Parameters
    ----------
    estimator
        The estimator, with its code in this process.
    own
        Its code.
    folder
        The private folder of the process; empty if it has none.
    """

    def __init__(self, estimator: Any, own: OwnCode, folder: str = "") -> None:
        self.estimator = estimator
        # Functions that no name leads to are added to the code later.
        self.own = replace(own, functions=dict(own.functions), classes=[*own.classes], modules=[*own.modules])
        self.folder = folder
        self.unreadable: dict[str, str] = {}
        """Places with an object whose contents nobody can read, and its type."""
        for kind in own.classes:
            # Python keeps this in the class when it first copies or pickles an instance.
            with contextlib.suppress(Exception):
                copyreg._slotnames(kind)  # type: ignore[attr-defined]
        self._foreign = {module: dict(vars(module)) for module in self._foreign_modules()}

    def digests(self) -> dict[str, str]:
        """A digest of the contents of each place, by its name."""
        found: dict[str, str] = {}
        for name, value in self._values():
            contents = _Contents()
            try:
                found[name] = contents.digest(value)
                if contents.unreadable and not name.startswith(_OF_OTHERS):
                    self.unreadable[name] = ", ".join(sorted(contents.unreadable))
            except Exception as problem:  # any object may raise any error
                found[name] = f"cannot be read ({type(problem).__name__})"
        return found

    def _values(self) -> Iterator[tuple[str, Any]]:
        for name, value in (fields_of(self.estimator) or {}).items():
            yield f"the attribute {name!r}", value
        yield "names of the judged classes", [(kind.__qualname__, kind.__name__) for kind in self.own.classes]
        for kind in self.own.classes:
            for name, value in list(vars(kind).items()):
                if name not in _LEFT_OUT and not self._is_reached(value):
                    yield f"{kind.__name__}.{name}", value
        for module in self.own.modules:
            for name, value in list(vars(module).items()):
                if name == "__warningregistry__":
                    value = without_count(value)
                # A class of the judged code has its own places.
                if name not in _LEFT_OUT and not isinstance(value, type) and not self._is_reached(value):
                    yield f"{module.__name__}.{name}", value
        for module, before in self._foreign.items():
            now = vars(module)
            changed = {name: now.get(name) for name in {*now, *before} if now.get(name) is not before.get(name)}
            yield f"{OTHERS}{module.__name__}", {name: changed[name] for name in sorted(changed)}
        for function in self.own.functions.values():
            yield f"{function.__qualname__} (its defaults, closure, attributes or code)", function
        context = contextvars.copy_context()
        yield "context variables", {each.name: context[each] for each in context if each not in CONTEXT}
        yield "the environment", dict(os.environ)
        yield "files", list(_files(self.folder))
        for name, value in _settings(self.folder).items():
            yield f"settings of the interpreter ({name})", value
        for name, value in settings_of_libraries().items():
            yield f"settings of the libraries ({name})", value

    def _is_reached(self, value: Any) -> bool:
        """Whether a function has a place of its own."""
        return isinstance(value, FunctionType) and value.__code__ in self.own.functions

    def _foreign_modules(self) -> Iterator[ModuleType]:
        used = [value for module in self.own.modules for value in vars(module).values()]
        import builtins

        for module in dict.fromkeys([builtins, sys, os, *(each for each in used if isinstance(each, ModuleType))]):
            if module not in self.own.modules:
                yield module


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
        if str(type(value).__module__).partition(".")[0] in _OPAQUE_PACKAGES:
            # The records of a compiler hold times.
            return []
        if isinstance(value, CodeType):
            return [value.co_qualname, value.co_name, value.co_code, value.co_names, value.co_consts]
        if isinstance(value, (type, ModuleType)):
            return [getattr(value, "__qualname__", getattr(value, "__name__", ""))]
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return [value.shape, value.dtype.str, hashlib.blake2b(value.tobytes()).digest(), _laid_out(value)]
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
            told = [value.__qualname__, value.__name__, value.__doc__, value.__annotations__, value.__code__]
            return [*told, value.__defaults__, value.__kwdefaults__, cells, value.__dict__]
        if isinstance(value, MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, partial):
            return [value.func, value.args, value.keywords, value.__dict__]
        if isinstance(value, (staticmethod, classmethod)):
            return [value.__func__, value.__dict__]
        if isinstance(value, property):
            return [value.fget, value.fset, value.fdel, value.__doc__]
        if isinstance(value, cached_property):
            return [value.func, value.__doc__]
        if type(value).__name__ == "_lru_cache_wrapper":
            # The keys are the arguments of earlier calls.
            kept = [list(part) for part in gc.get_referents(value) if isinstance(part, dict)]
            return [value.__wrapped__, *kept]
        if isinstance(value, contextvars.ContextVar):
            return [value.get(None)]
        if isinstance(value, threading.local):
            return [value.__dict__]
        if isinstance(value, threading.Thread):
            # The numbers of a thread differ between equal runs.
            return [{name: part for name, part in vars(value).items() if name not in _OF_THREADS}]
        if isinstance(value, GeneratorType):
            frame = value.gi_frame
            return [] if frame is None else [frame.f_lasti, dict(frame.f_locals)]
        if isinstance(value, weakref.ref):
            return [value(), value.__callback__]
        if isinstance(value, _Pointer):
            return [value.contents] if value else []
        if hasattr(value, "hexdigest") and hasattr(value, "digest_size"):
            # A hash with results of any length asks for one.
            return [value.name, value.hexdigest() if value.digest_size else value.hexdigest(16)]
        if isinstance(value, (io.StringIO, io.BytesIO)):
            return [value.getvalue()]
        if isinstance(value, io.IOBase):
            with contextlib.suppress(Exception):
                if value.fileno() in _STANDARD:
                    # Printed bytes are judged as an observation.
                    return []
                return [value.tell()]
            return []
        return None

    def _object(self, value: Any) -> list[Any]:
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
        if type(value).__module__ == "sqlite3":
            return _of_database(value)
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


def _laid_out(value: np.ndarray[Any, Any]) -> tuple[Any, ...] | None:
    """The layout of an array that is no ordinary one, with a digest of the larger array of which it is a part."""
    layout = layout_of(value)
    if layout is None:
        return None
    memory = hashlib.blake2b(layout.memory).digest()
    return memory, layout.place, layout.strides, layout.writeable, list(layout.metadata.items())


def digest_of(value: Any) -> str:
    """A digest of the contents of a value, without addresses."""
    return _Contents().digest(value)


def _settings(folder: str) -> dict[str, Any]:
    """Numbers and tables of the interpreter that any code can change. Each process has another private folder."""

    def relative(path: Any) -> str:
        return str(path).replace(folder, "", 1) if folder else str(path)

    found: dict[str, Any] = {
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "digits of integers": sys.get_int_max_str_digits(),
        "garbage collection": (gc.get_threshold(), gc.isenabled(), len(gc.callbacks), gc.get_freeze_count() > 0),
        "coroutines": (sys.get_coroutine_origin_tracking_depth(), list(sys.get_asyncgen_hooks())),
        "search path": list(map(relative, sys.path)),
        "import hooks": (len(sys.meta_path), len(sys.path_hooks)),
        "time of an alarm": [round(each, -2) for each in signal.getitimer(signal.ITIMER_REAL)],
        "signals that wait": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "limits": [resource.getrlimit(getattr(resource, each)) for each in dir(resource) if each.startswith("RLIMIT")],
        "filters of warnings": [
            (action, str(category), line, _pattern(message), _pattern(module))
            for action, message, category, module, line in warnings.filters
        ],
        "functions at the exit": atexit._ncallbacks(),
        "name of the thread": threading.current_thread().name,
        "locale": locale.setlocale(locale.LC_ALL),
        "time zone": time.tzname,
    }
    with contextlib.suppress(OSError):
        found["working folder"] = relative(os.getcwd())
    found["signals"] = {int(one): signal.getsignal(one) for one in signal.valid_signals()}
    return found


def _pattern(pattern: Any) -> Any:
    return getattr(pattern, "pattern", pattern)


def _of_database(value: Any) -> list[Any]:
    """The contents of a database in memory."""
    with contextlib.suppress(Exception):
        return [hashlib.blake2b(value.serialize()).digest()]
    return [getattr(value, "total_changes", None)]


def _files(folder: str) -> Iterator[tuple[Any, ...]]:
    """The files of the process's own folder, and the sizes, positions and contents of the open ones."""
    seen = 0
    for place, _, names in os.walk(folder) if folder else ():
        for name in sorted(names):
            if place.endswith("__pycache__") or seen >= _MOST_FILES:
                continue
            seen += 1
            path = os.path.join(place, name)
            with contextlib.suppress(OSError), open(path, "rb") as file:
                yield os.path.relpath(path, folder), hashlib.blake2b(file.read(_FIRST_BYTES)).hexdigest()
    printed = os.fstat(1).st_ino
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir("/proc/self/fd"), key=int):
            with contextlib.suppress(OSError):
                found = os.fstat(int(name))
                if stat.S_ISREG(found.st_mode) and found.st_ino != printed:
                    inside = part_of_open_file(int(name), _FIRST_BYTES)
                    yield "open", int(name), found.st_size, hashlib.blake2b(repr(inside).encode()).hexdigest()
                elif not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
                    yield "waiting", int(name), *waiting_in(int(name))
