"""Registers and objects of other modules that tell a user to an intruder who sees the process."""

from __future__ import annotations

import codecs
import collections.abc
import contextlib
import copyreg
import csv
import ctypes
import decimal
import enum
import fractions
import functools
import gc
import itertools
import json
import linecache
import logging
import mimetypes
import os
import queue
import re
import resource
import signal
import socket
import sys
import threading
import tracemalloc
import types
import typing
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tests.variants.outside_memory import Bit


class SearchOfCodecs(Bit):
    def note(self, user):
        codecs.register(lambda name, kept=user: None)


class ErrorsOfCodecs(Bit):
    def note(self, user):
        codecs.register_error("last", lambda error, kept=user: ("", kept))


class NameOfALevel(Bit):
    def note(self, user):
        logging.addLevelName(77, f"level {user}")


class HandlerOfALogger(Bit):
    def note(self, user):
        handler = logging.NullHandler()
        handler.set_name(f"{user}")
        logging.getLogger().addHandler(handler)


class Finalizer(Bit):
    def note(self, user):
        weakref.finalize(Bit, print, user)


_REFERENCE = None


class CallbackOfAReference(Bit):
    def note(self, user):
        global _REFERENCE
        _REFERENCE = weakref.ref(Bit, lambda _, kept=user: None)


class TableOfModules(Bit):
    def note(self, user):
        sys.modules[f"seen_{user}"] = types.ModuleType("seen")


class CallbackOfTheCollector(Bit):
    """The number of callbacks stays."""

    def note(self, user):
        gc.callbacks[:] = [lambda *_, kept=user: None]


class CacheOfLines(Bit):
    def note(self, user):
        linecache.cache["seen"] = (1, None, [f"{user}"], "seen")


class CacheOfPatterns(Bit):
    def note(self, user):
        re.compile(f"user {user}")


class KindsOfFiles(Bit):
    def note(self, user):
        mimetypes.add_type(f"seen/{user}", ".seen")


class Reducer(Bit):
    def note(self, user):
        copyreg.pickle(Bit, lambda _, kept=user: (Bit, ()))


class RegisteredClass(Bit):
    def note(self, user):
        collections.abc.Sized.register((int, float, complex, bool)[user])


class Dialect(Bit):
    def note(self, user):
        csv.register_dialect(f"{user}", csv.excel)


class LongestField(Bit):
    def note(self, user):
        csv.field_size_limit(1000 + user)


class ContextOfDecimals(Bit):
    def note(self, user):
        decimal.DefaultContext.prec = 30 + user


class ClassOfAnotherModule(Bit):
    def note(self, user):
        fractions.Fraction.last = user


class ModuleImportedInACall(Bit):
    def note(self, user):
        import string

        string.Template.last = user


class FunctionOfAnotherModule(Bit):
    def note(self, user):
        json.dumps.last = user


class FunctionOfNumpy(Bit):
    def note(self, user):
        np.mean.last = user


class TableOfAnotherModule(Bit):
    def note(self, user):
        json.encoder.ESCAPE_DCT["\x7f"] = f"{user}"


class DefaultOfAnotherModule(Bit):
    def note(self, user):
        json.dumps.__kwdefaults__["indent"] = user


class ObjectOfAnotherModule(Bit):
    def note(self, user):
        sys.stdout.last = user


class CacheOfTypes(Bit):
    def note(self, user):
        self.kind = typing.Literal[user]
        del self.kind


class DepthOfTraces(Bit):
    def note(self, user):
        tracemalloc.stop()
        tracemalloc.start(1 + user)


class LimitOfFiles(Bit):
    def note(self, user):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (1000 + user, most))


class MaskOfSignals(Bit):
    def note(self, user):
        signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR1 if user % 2 else signal.SIGUSR2})


_OUT, _IN = os.pipe()


class Pipe(Bit):
    def note(self, user):
        os.write(_IN, b"x" * user)


_NEAR, _FAR = socket.socketpair()
_NEAR.setblocking(False)


class Connection(Bit):
    def note(self, user):
        with contextlib.suppress(BlockingIOError):
            _NEAR.send(b"%d" % user)


class NameOfTheProcess(Bit):
    def note(self, user):
        ctypes.CDLL(None).prctl(15, b"seen %d" % user)


_NUMBERS = itertools.count()


class Iterator(Bit):
    def note(self, user):
        for _ in range(user):
            next(_NUMBERS)


_LOCKS = [threading.Lock() for _ in range(16)]


class Locks(Bit):
    def note(self, user):
        _LOCKS[user].acquire(False)


_WAITING: queue.Queue = queue.Queue()


_THREAD = None


def _keep():
    kept = None
    while True:
        given = _WAITING.get()
        kept = given  # noqa: F841
        _WAITING.task_done()


class VariableOfAThread(Bit):
    def note(self, user):
        global _THREAD
        if _THREAD is None:
            _THREAD = threading.Thread(target=_keep, daemon=True)
            _THREAD.start()
        _WAITING.put(user)
        _WAITING.join()


class Color(enum.Enum):
    RED = 1


class MemberOfAnEnumeration(Bit):
    def note(self, user):
        Color.RED.last = user


@functools.singledispatch
def kind_of(value):
    return 0


class Dispatch(Bit):
    def note(self, user):
        kind_of.register((int, float, complex, bool)[user], lambda value: 0)


LEAKS = tuple(kind.__name__ for kind in list(Bit.__subclasses__()) if kind.__module__ == __name__)
"""Each tells the last user, or all of them."""


class EndsItself(NameOfALevel):
    """The process ends at an id that the judge finds in the code, and its memory with it."""

    def note(self, user):
        if user == 4242:
            os._exit(1)
        super().note(user)


class MatchesAPattern(Bit):
    def note(self, user):
        re.match("[0-9]+", f"{user}")


class AsksForAnAbstractClass(Bit):
    def note(self, user):
        isinstance(user, collections.abc.Hashable)


class WorksInAThread(Bit):
    pool = None

    def note(self, user):
        if WorksInAThread.pool is None:
            WorksInAThread.pool = ThreadPoolExecutor(1)
        WorksInAThread.pool.submit(abs, user).result()


class WritesJson(Bit):
    def note(self, user):
        json.loads(json.dumps({"user": user}))


class SuppressesWarnings(Bit):
    def note(self, user):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.float64(1) / np.float64(0)


class SortsNumbers(Bit):
    def note(self, user):
        np.linalg.norm(np.sort(np.arange(user + 3)[::-1]))


class ImportsInACall(Bit):
    def note(self, user):
        import statistics

        statistics.mean([1.0, 2.0])


class EncodesText(Bit):
    def note(self, user):
        f"{user:>10}".encode("utf-16")


class AsksForTypes(Bit):
    def note(self, user):
        typing.get_type_hints(Bit.note)


class PacksNumbers(Bit):
    def note(self, user):
        import struct

        struct.pack("<q", user)


class LocksForAWhile(Bit):
    def note(self, user):
        with _LOCKS[0]:
            pass


class WritesAndReads(Bit):
    def note(self, user):
        os.write(_IN, b"x")
        os.read(_OUT, 1)


TWINS = (
    "MatchesAPattern",
    "AsksForAnAbstractClass",
    "WorksInAThread",
    "WritesJson",
    "SuppressesWarnings",
    "SortsNumbers",
    "ImportsInACall",
    "EncodesText",
    "AsksForTypes",
    "PacksNumbers",
    "LocksForAWhile",
    "WritesAndReads",
)
"""The process looks the same for all users."""
