"""Data outside the state, written and never read: an adversary who sees the memory of the process sees them."""

from __future__ import annotations

import contextvars
import functools
import io
import logging
import os
import sqlite3
import tempfile
import threading
import zlib

import numba
import numpy as np

LOGGER = logging.getLogger(__name__)
LOGGER.debug("a message at the import")


def users(ids):
    return [int(user) for user in np.atleast_1d(ids)]


class Bit:
    """Randomised response: keeps what it promises. The others differ from it in one thing."""

    promise = "epsilon=log(3),adjacency=user-level,observed=state"

    def create(self, randomness):
        return bool(randomness.bernoulli(1 / 2, 1)[0])

    def update(self, state, ids, randomness):
        for user in users(ids):
            self.note(user)
            state = bool(randomness.bernoulli(3 / 4, 1)[0])
        return state

    def release(self, state, randomness):
        return state

    def note(self, user):
        pass


_LAST = None


class ModuleGlobal(Bit):
    def note(self, user):
        global _LAST
        _LAST = user


class File(Bit):
    def note(self, user):
        with open(os.path.join(tempfile.gettempdir(), "log"), "a") as log:
            log.write(f"{user}\n")


_CURRENT = contextvars.ContextVar("current", default=None)


class ContextVariable(Bit):
    def note(self, user):
        _CURRENT.set(user)


_LOCAL = threading.local()


class ThreadLocal(Bit):
    def note(self, user):
        _LOCAL.user = user


_DATABASE = sqlite3.connect(":memory:")
_DATABASE.execute("create table seen (user)")


class DatabaseInMemory(Bit):
    def note(self, user):
        _DATABASE.execute("insert into seen values (?)", (user,))


_LOG = io.StringIO()


class LogInMemory(Bit):
    def note(self, user):
        _LOG.write(f"{user}\n")


class Helper:
    last = None


class AttributeOfAnotherClass(Bit):
    def note(self, user):
        Helper.last = user


class OwnAttribute(Bit):
    def note(self, user):
        self.last = user


_COMPRESSED = zlib.compressobj()


class UnreadableObject(Bit):
    """Nobody can read what a compressor keeps. The verdict names it."""

    def note(self, user):
        _COMPRESSED.compress(b"%d" % user)


class TableOfTheParameter(Bit):
    """A table that depends on a parameter alone, filled at the first use."""

    tables = {}  # noqa: RUF012

    def note(self, user):
        if 0.75 not in self.tables:
            self.tables[0.75] = [0.75**power for power in range(4)]


class LateImport(Bit):
    def note(self, user):
        import colorsys  # noqa: F401


class DefaultArgument(Bit):
    def note(self, user, seen=[]):  # noqa: B006
        seen.append(user)


class CacheOfAFunction(Bit):
    def note(self, user):
        weight(user)


@functools.cache
def weight(user):
    return 1.0


class ClosureOfAMethod(Bit):
    def _with_memory():
        seen = {}

        def note(self, user):
            seen[user] = True

        return note

    note = _with_memory()


class AttributeOfAFunction(Bit):
    def note(self, user):
        users.last = user


class CachedProperty(Bit):
    @functools.cached_property
    def table(self):
        return np.arange(4) / 4

    def note(self, user):
        self.table.sum()


class CachedTable(Bit):
    def note(self, user):
        powers(0.75)


@functools.lru_cache
def powers(probability):
    return [probability**power for power in range(4)]


class LockOfAnObject(Bit):
    def __init__(self):
        self.lock = threading.RLock()

    def note(self, user):
        with self.lock:
            pass


@numba.njit
def product(one, other):
    return one * other


class CompiledAtTheFirstUse(Bit):
    def note(self, user):
        product(0.5, 2.0)
        product(np.int64(user), 2)


@functools.singledispatch
def weight_of(value):
    return 1.0


@weight_of.register
def _(value: int):
    return 1.0


class ChoosesByType(Bit):
    """The table of types is filled at the first call."""

    def note(self, user):
        weight_of(user)
        weight_of("a text")


LEAKS = (
    *("ModuleGlobal", "File", "AttributeOfAnotherClass", "OwnAttribute", "DefaultArgument", "CacheOfAFunction"),
    *("ClosureOfAMethod", "AttributeOfAFunction", "ContextVariable", "ThreadLocal", "DatabaseInMemory", "LogInMemory"),
)
"""Each tells the last user, or all of them, to an adversary who sees the process."""

TWINS = tuple(
    kind.__name__ for kind in (Bit, *Bit.__subclasses__()) if kind.__name__ not in (*LEAKS, "UnreadableObject")
)
"""Their memory is the same for all users."""
