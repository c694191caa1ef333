"""In the judged process: the objects that all modules reach, and which of them have changed.

Code can leave data in any object that lives longer than a call: a table of the standard library, an attribute of a
class of another package, the registered codecs, the frame of a thread. The collector of garbage knows the parts of each
object, so that no kind of place needs a rule of its own.
"""

from __future__ import annotations

import abc
import array
import codecs
import contextlib
import encodings
import gc
import hashlib
import io
import itertools
import mmap
import operator
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

_JUDGE = frozenset({"pan_audits", "pan_estimators", "pan_promises", "numba", "llvmlite", "msgpack", "cloudpickle"})
_ATOMS = (type(None), bool, int, float, complex, str, bytes, CodeType, np.generic)
_USUAL_ATOMS = frozenset({type(None), bool, int, float, str, bytes, CodeType})
_PASSING = frozenset(
    {"tempfile._name_sequence", "threading._active", "warnings._filters_version", "importlib.metadata.FastPath"}
)
"""Places that differ between equal runs: names of files, threads, a count of filters, times of folders."""

_WARNINGS = "__warningregistry__"

_USUAL = frozenset({tuple, dict, list, set, frozenset, FunctionType, property, classmethod, staticmethod})
_CACHE = type(lru_cache(abs))
_LEFT_OUT = (ModuleType, FrameType, BuiltinFunctionType)

_MOST_OBJECTS = 400_000
_MOST_BYTES = 2**20

Parts = list[Any]


class Reachable:
    """The objects that the modules reach at one moment, with their parts.

    The parts are kept, so that no address is used twice.

    Parameters
    ----------
    told
        A digest of contents, without addresses.
    """

    def __init__(self, told: Callable[[Any], str]) -> None:
        self._told = told
        self._running = {name: told(new) for name, new in _of_threads().items()}
        with _without_collections():
            self._kept = _walked()

    def changes(self) -> dict[str, str]:
        """The places of objects that have other parts now, each with a digest of the new parts."""
        told = self._told
        for stream in (sys.stdout, sys.stderr):
            # Bytes that wait to be printed are no kept data.
            with contextlib.suppress(Exception):
                stream.flush()
        found: dict[str, list[Any]] = {}
        places: Counter[str] = Counter()
        for kept in self._kept:
            places[kept.name] += 1
            parts, now = _parts(kept.value), None if kept.inside is None else _inside(kept.value)
            if now == kept.inside and len(parts) == len(kept.parts) and all(map(operator.is_, parts, kept.parts)):
                continue
            for name, new in kept.news(parts):
                # Objects without parts differ by their places alone.
                found.setdefault(name, []).append(new if now is None else [places[kept.name], now, new])
        running = {name: told(new) for name, new in _of_threads().items()}
        running = {name: digest for name, digest in running.items() if self._running.get(name) != digest}
        return {name: told(new) for name, new in found.items() if name not in _PASSING} | running


@contextlib.contextmanager
def _without_collections() -> Iterator[None]:
    """Many new objects would start the collector of garbage again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Kept(NamedTuple):
    """An object with its parts at one moment, the name of its place, and contents that are no objects."""

    value: Any
    parts: Parts
    name: str
    inside: Any

    def news(self, parts: Parts) -> Iterator[tuple[str, Any]]:
        """The parts that it has now and had not before, by the names of their places."""
        known = set(map(id, self.parts))
        new = [part for part in parts if id(part) not in known]
        own = getattr(self.value, "__dict__", None) if len(new) == 1 and type(new[0]) is dict else None
        if own is not None and own is new[0]:
            # Python makes the dictionary of the attributes at the first question for it.
            new = [part for part in own.values() if id(part) not in known]
            if not new:
                return
            parts = [*own.values()]
        if type(self.value) is dict and self.name.endswith("."):
            # The names of a module are places of their own.
            changed = set(map(id, new))
            for key, part in self.value.items():
                if (id(key) in changed or id(part) in changed) and f"{self.name}{key}" not in _PASSING:
                    told = without_count(part) if key == _WARNINGS else part
                    # A warning that is suppressed leaves an empty register behind.
                    if key != _WARNINGS or told:
                        yield f"{self.name}{key}", [told]
        elif self.name.endswith(_WARNINGS):
            if warned := [part for part in new if not isinstance(part, int)]:
                yield self.name, warned
        else:
            yield self.name, [set(new) if isinstance(self.value, (set, frozenset)) else new, len(parts)]


def without_count(registry: dict[Any, Any]) -> dict[Any, Any]:
    """The register of the warnings of a module, without the count of changes of the filters."""
    return {key: shown for key, shown in registry.items() if key != "version"}


def _walked() -> list[_Kept]:
    """Each object with its parts, and the name by which a module reaches it."""
    seen: set[int] = {id(sys.modules)}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _JUDGE:
            seen.add(id(vars(module)))
    waiting: list[tuple[Any, str]] = list(_roots())
    seen |= {id(value) for value, _ in waiting}
    found = [_Kept(sys.modules, _parts(sys.modules), "the table of modules", None)]
    for value, name in waiting:
        if len(seen) > _MOST_OBJECTS:
            break
        parts = _parts(value)
        found.append(_Kept(value, parts, name, _inside(value)))
        named = {id(each): key for key, each in value.items()} if type(value) is dict and name.endswith(".") else {}
        for part in parts:
            # Most parts are texts, or are known: these two questions take the least time.
            if type(part) in _USUAL_ATOMS:
                continue
            place = id(part)
            if place in seen or isinstance(part, _ATOMS):
                continue
            seen.add(place)
            if not _is_the_judges(part):
                waiting.append((part, f"{name}{named.get(place, '')}" if named else name))
    return found


def _parts(value: Any) -> Parts:
    """The parts of an object. The collector passes over keys that are texts, and over attributes of some functions."""
    if isinstance(value, dict):
        own = [] if type(value) is dict else gc.get_referents(value)
        return [*dict.keys(value), *dict.values(value), *own]
    parts = gc.get_referents(value)
    if type(value).__name__ == "_ArrayFunctionDispatcher":
        parts.append(vars(value))
    return parts


def _roots() -> Iterator[tuple[Any, str]]:
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and name.partition(".")[0] not in _JUDGE and name != "__main__":
            yield vars(module), f"{name}."
            # A compiled module keeps more than its names.
            yield module, f"the module {name}"
    for register in _registers_of_codecs():
        yield register, "the register of codecs"


@lru_cache(maxsize=1)
def _registers_of_codecs() -> tuple[Any, ...]:
    """The tables of functions that find codecs and that treat errors. No module names them.

    They are looked for once: later, this module holds copies of their parts.
    """
    holders = (codecs.strict_errors, encodings.search_function)
    return tuple(
        each
        for holder in holders
        for each in gc.get_referrers(holder)
        if type(each) is list or (type(each) is dict and "__name__" not in each)
    )


def _of_threads() -> dict[str, Any]:
    """The local variables of the functions that other threads run."""
    found: dict[str, Any] = {}
    here = threading.get_ident()
    for ident, running in sys._current_frames().items():
        frame: FrameType | None = running if ident != here else None
        while frame is not None:
            found.setdefault(f"variables of a thread ({frame.f_code.co_qualname})", []).append(dict(frame.f_locals))
            frame = frame.f_back
    return found


def _is_the_judges(value: Any) -> bool:
    """Whether a value belongs to the judge, or is a module, which is looked at by itself."""
    kind = type(value)
    if kind in _USUAL:
        return False
    if issubclass(kind, _LEFT_OUT):
        return True
    named = issubclass(kind, type) or kind is _CACHE
    module = value.__module__ if named else kind.__module__
    return isinstance(module, str) and (module == "_abc" or module.partition(".")[0] in _JUDGE)


_COUNTING: tuple[type, ...] = (
    itertools.count,
    itertools.cycle,
    itertools.repeat,
    itertools.islice,
    type(iter([])),
    type(iter(range(1))),
)


def _inside(value: Any) -> Any:
    """The contents of an object that the collector of garbage does not see; ``None`` if it has none."""
    kind = type(value)
    if kind in _USUAL:
        return None
    try:
        read = _READING.get(kind)
        return _of_derived(value) if read is None else read(value)
    except Exception:  # any object may raise any error
        return None


def _of_derived(value: Any) -> Any:
    if isinstance(value, abc.ABCMeta):
        return _registered(value)
    if isinstance(value, np.ndarray):
        return _of_array(value)
    return None


def _registered(kind: Any) -> Any:
    """The names of the classes that were registered for an abstract class."""
    from _abc import _get_dump  # type: ignore[import-not-found]

    return sorted(one.__qualname__ for each in _get_dump(kind)[0] if (one := each()) is not None)


def _of_array(value: Any) -> Any:
    if value.dtype.hasobject or value.nbytes > _MOST_BYTES:
        return None
    return hashlib.blake2b(np.ndarray.tobytes(value), digest_size=16).digest()


_READING: dict[type, Callable[[Any], Any]] = {
    bytearray: bytes,
    array.array: lambda value: value.tobytes(),
    np.ndarray: _of_array,
    mmap.mmap: lambda value: value[: min(len(value), _MOST_BYTES)],
    io.StringIO: lambda value: value.getvalue(),
    io.BytesIO: lambda value: value.getvalue(),
    type(threading.Lock()): lambda value: value.locked(),
    random.Random: lambda value: value.getstate(),
    np.random.RandomState: lambda value: repr(value.get_state(legacy=False)),
    **{kind: lambda value: repr(value.__reduce__()[1:]) for kind in _COUNTING},
}
