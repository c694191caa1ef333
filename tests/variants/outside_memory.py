"""Data outside the state, written and never read: an intruder who sees the memory of the process sees them."""

from __future__ import annotations

import contextvars
import ctypes
import decimal
import hashlib
import logging
import math
import mmap
import os
import re
import sqlite3
import tempfile
import threading
import warnings
import weakref
import zlib
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


_HASH = hashlib.sha256()


class HashOfAllUsers(Bit):
    def note(self, user):
        _HASH.update(b"%d" % user)


_COMPRESSED = zlib.compressobj()


class UnreadableObject(Bit):
    """Nobody can read what a compressor keeps. The verdict names it."""

    def note(self, user):
        _COMPRESSED.compress(b"%d" % user)


_PART = np.zeros(64)[32:]


class OutsideOfAPart(Bit):
    """The array is a part of a larger one, whose other entries change."""

    def note(self, user):
        _PART.base[user % 32] = 1


class RightsOfAnArray(Bit):
    table = np.zeros(4)

    def note(self, user):
        self.table.flags.writeable = bool(user % 2)


_POINTER = ctypes.pointer(ctypes.c_int(0))


class BehindAPointer(Bit):
    def note(self, user):
        _POINTER.contents.value = user


_PAGE = mmap.mmap(-1, 4096)


class SharedMemory(Bit):
    def note(self, user):
        _PAGE[user % 4096] = 1


LEAKS = (
    "ModuleGlobal",
    "ContextVariable",
    "ThreadLocal",
    "Environment",
    "File",
    "OpenFile",
    "AttributeOfAModule",
    "AttributeOfAnotherClass",
    "AttributeOfAnObject",
    "FrameOfAGenerator",
    "Logger",
    "OwnAttribute",
    "WeakDictionary",
    "DatabaseInMemory",
    "SharedMemory",
    "HashOfAllUsers",
    "OutsideOfAPart",
    "RightsOfAnArray",
    "BehindAPointer",
)
"""Each tells the last user, or all of them, to an intruder who sees the process."""


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
    "LateImport",
    "LateGlobalImport",
    "CompiledPattern",
    "LogsADebugMessage",
)
"""Their memory is the same for all users."""
