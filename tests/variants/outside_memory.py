"""Data outside the state, written and never read: an intruder who sees the memory of the process sees them."""

from __future__ import annotations

import atexit
import contextvars
import decimal
import functools
import gc
import logging
import math
import mmap
import os
import re
import signal
import sqlite3
import sys
import tempfile
import threading
import warnings
import weakref
from types import SimpleNamespace

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


class Environment(Bit):
    def note(self, user):
        os.environ["LAST"] = str(user)


class File(Bit):
    def note(self, user):
        with open(os.path.join(tempfile.gettempdir(), "log"), "a") as log:
            log.write(f"{user}\n")


_SINK = tempfile.TemporaryFile("w+b", buffering=0)  # noqa: SIM115


class OpenFile(Bit):
    """The file was opened at the import."""

    def note(self, user):
        _SINK.write(b"%d\n" % user)


class AttributeOfAFunction(Bit):
    def note(self, user):
        users.last = user


class AttributeOfAModule(Bit):
    def note(self, user):
        setattr(math, f"last_{user}", True)


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


_DATABASE = sqlite3.connect(":memory:")
_DATABASE.execute("create table seen (user)")


class DatabaseInMemory(Bit):
    def note(self, user):
        _DATABASE.execute("insert into seen values (?)", (user,))


_PAGE = mmap.mmap(-1, 4096)


class SharedMemory(Bit):
    def note(self, user):
        _PAGE[user % 4096] = 1


class TextOfAFunction(Bit):
    def note(self, user):
        users.__doc__ = f"{user}"


class NameInTheCode(Bit):
    def note(self, user):
        users.__code__ = users.__code__.replace(co_name=f"users of {user}")


class TextOfAProperty(Bit):
    nothing = property(lambda self: None)

    def note(self, user):
        type(self).nothing.__init__(None, None, None, f"{user}")


class AttributeOfAPartial(Bit):
    number = functools.partial(int)

    def note(self, user):
        self.number.user = user


class AttributeOfAStaticMethod(Bit):
    @staticmethod
    def number():
        return 1

    def note(self, user):
        vars(type(self))["number"].user = user


class SettingOfTheInterpreter(Bit):
    def note(self, user):
        sys.setrecursionlimit(3000 + user)


class SearchPath(Bit):
    def note(self, user):
        sys.path.append(f"/{user}")


class FunctionAtTheExit(Bit):
    def note(self, user):
        for _ in range(user):
            atexit.register(int)


class HandlerOfASignal(Bit):
    def note(self, user):
        signal.signal(signal.SIGUSR1, lambda *_, kept=user: None)


class NameOfTheThread(Bit):
    def note(self, user):
        threading.current_thread().name = f"{user}"


class BackAtTheFirstValue(Bit):
    """The last user may be the one that leaves the first value."""

    def note(self, user):
        gc.set_threshold(700 + user)


LEAKS = (
    "DefaultArgument",
    "KeywordDefault",
    "CacheOfAFunction",
    "Closure",
    "ClosureOfAMethod",
    "ModuleGlobal",
    "ContextVariable",
    "ThreadLocal",
    "Environment",
    "File",
    "OpenFile",
    "AttributeOfAFunction",
    "AttributeOfAModule",
    "AttributeOfAnotherClass",
    "AttributeOfAnObject",
    "FrameOfAGenerator",
    "Logger",
    "OwnAttribute",
    "WeakDictionary",
    "DatabaseInMemory",
    "SharedMemory",
    "TextOfAFunction",
    "NameInTheCode",
    "TextOfAProperty",
    "AttributeOfAPartial",
    "AttributeOfAStaticMethod",
    "SettingOfTheInterpreter",
    "SearchPath",
    "FunctionAtTheExit",
    "HandlerOfASignal",
    "NameOfTheThread",
    "BackAtTheFirstValue",
)
"""Each tells the last user, or all of them, to an intruder who sees the process."""


class TableOfTheParameter(Bit):
    """A table that depends on a parameter alone, filled at the first use."""

    tables = {}  # noqa: RUF012

    def note(self, user):
        if 0.75 not in self.tables:
            self.tables[0.75] = [0.75**power for power in range(4)]


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


class ConstantWarning(Bit):
    def note(self, user):
        warnings.warn("an update", stacklevel=1)


class PrecisionForAWhile(Bit):
    def note(self, user):
        with decimal.localcontext() as context:
            context.prec = 20 + user


TWINS = (
    "Bit",
    "ConstantWarning",
    "PrecisionForAWhile",
    "TableOfTheParameter",
    "CachedProperty",
    "CachedTable",
    "LateImport",
    "LateGlobalImport",
    "CompiledPattern",
    "LogsADebugMessage",
)
"""Their memory is the same for all users."""
