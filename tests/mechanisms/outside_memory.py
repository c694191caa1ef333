"""Data outside the state, written and never read: an adversary who sees the memory of the process sees them."""

from __future__ import annotations

import contextlib
import contextvars
import enum
import functools
import hashlib
import logging
import math
import os
import queue
import re
import sqlite3
import tempfile
import threading
import weakref
import zlib
from types import SimpleNamespace

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


class File(Bit):
    def note(self, user):
        with open(os.path.join(tempfile.gettempdir(), "log"), "a") as log:
            log.write(f"{user}\n")


_SINK = tempfile.TemporaryFile("w+b", buffering=0)  # noqa: SIM115


class OpenFile(Bit):
    """The file was opened at the import."""

    def note(self, user):
        _SINK.write(b"%d\n" % user)


class Helper:
    last = None


class AttributeOfAnotherClass(Bit):
    def note(self, user):
        Helper.last = user


_PLACE = SimpleNamespace(last=None)


class AttributeOfAnObject(Bit):
    def note(self, user):
        _PLACE.last = user


def _sink():
    while True:
        seen = yield  # noqa: F841


_GENERATOR = _sink()
next(_GENERATOR)


class FrameOfAGenerator(Bit):
    def note(self, user):
        _GENERATOR.send(user)


class Logger(Bit):
    def note(self, user):
        LOGGER.last = user


class OwnAttribute(Bit):
    def note(self, user):
        self.last = user


_KEPT = weakref.WeakKeyDictionary()


class WeakDictionary(Bit):
    def note(self, user):
        _KEPT[WeakDictionary] = user


_HASH = hashlib.sha256()


class HashOfAllUsers(Bit):
    def note(self, user):
        _HASH.update(b"%d" % user)


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


class LateGlobalImport(Bit):
    def note(self, user):
        global sndhdr
        import statistics as sndhdr


_PATTERN = None


class CompiledPattern(Bit):
    def note(self, user):
        global _PATTERN
        if _PATTERN is None:
            _PATTERN = re.compile("[0-9]+")
        _PATTERN.match(str(user))


class LogsADebugMessage(Bit):
    """The logger keeps that this level is off."""

    def note(self, user):
        LOGGER.debug("an update")


class DefaultArgument(Bit):
    def note(self, user, seen=[]):  # noqa: B006
        seen.append(user)


class KeywordDefault(Bit):
    def note(self, user, *, seen=set()):  # noqa: B006
        seen.add(user)


class CacheOfAFunction(Bit):
    def note(self, user):
        weight(user)


@functools.cache
def weight(user):
    return 1.0


def counter_of_users():
    last = None

    def count(user):
        nonlocal last
        last = user

    return count


count_user = counter_of_users()


class Closure(Bit):
    def note(self, user):
        count_user(user)


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


@functools.cache
def table(probability, size):
    return tuple(probability**power for power in range(size))


class CacheOfPublicParameters(Bit):
    """The cache is filled by the first update, with parameters alone."""

    def note(self, user):
        table(0.75, 8)
        table(0.25, size=4)


class CacheOfAMethod(Bit):
    @functools.lru_cache  # noqa: B019
    def powers(self, probability):
        return [probability**power for power in range(4)]

    def note(self, user):
        self.powers(0.75)


class LockOfAnObject(Bit):
    def __init__(self):
        self.lock = threading.RLock()

    def note(self, user):
        with self.lock:
            pass


class ConditionOfThreads(Bit):
    """Each user notifies those who wait; nobody does."""

    changed = threading.Condition()

    def note(self, user):
        with self.changed:
            self.changed.notify_all()


class QueueThatIsEmptied(Bit):
    waiting = queue.SimpleQueue()

    def note(self, user):
        self.waiting.put(user)
        self.waiting.get()


class WritesToALogger(Bit):
    def note(self, user):
        LOGGER.info("an update")
        logging.getLogger(f"{__name__}.late").debug("another one")


@numba.njit
def product(one, other):
    return one * other


class CompiledAtTheFirstUse(Bit):
    def note(self, user):
        product(0.5, 2.0)
        product(np.int64(user), 2)


@numba.vectorize
def halved(one):
    return one / 2


class CompiledForArrays(Bit):
    def note(self, user):
        halved(np.arange(3.0))


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


class Steps(enum.Flag):
    READ = 1
    DRAW = 2


class MakesAFlag(Bit):
    """Python keeps each combination of flags. This one is the same for all users."""

    def note(self, user):
        (Steps.READ | Steps.DRAW) & Steps.READ


class VectorisesAFunction(Bit):
    weigh = np.vectorize(lambda value: 1.0)

    def note(self, user):
        self.weigh(np.array([user]))


class ScopedAttribute(Bit):
    """It is restored before the call ends."""

    last = None

    def note(self, user):
        with contextlib.ExitStack() as stack:
            self.last = user
            stack.callback(vars(self).pop, "last")


class ChecksATable(Bit):
    """A large table of the parameters, made at the first use."""

    made = None

    def note(self, user):
        if ChecksATable.made is None:
            ChecksATable.made = np.exp(-np.arange(100.0))
        math.fsum(ChecksATable.made)


LEAKS = (
    "ModuleGlobal",
    "ContextVariable",
    "ThreadLocal",
    "DatabaseInMemory",
    "File",
    "OpenFile",
    "AttributeOfAnotherClass",
    "AttributeOfAnObject",
    "FrameOfAGenerator",
    "Logger",
    "OwnAttribute",
    "WeakDictionary",
    "HashOfAllUsers",
    "DefaultArgument",
    "KeywordDefault",
    "CacheOfAFunction",
    "Closure",
    "ClosureOfAMethod",
    "AttributeOfAFunction",
)
"""Each tells the last user, or all of them, to an adversary who sees the process."""

TWINS = tuple(
    kind.__name__ for kind in (Bit, *Bit.__subclasses__()) if kind.__name__ not in (*LEAKS, "UnreadableObject")
)
"""Their memory is the same for all users."""
