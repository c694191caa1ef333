"""Settings of libraries, and times, rights and positions of files, that tell a user to who sees the process."""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import gc
import os
import signal
import sys
import tempfile
import threading

import numpy as np

from tests.variants.outside_memory import Bit

_ON_DISK = tempfile.NamedTemporaryFile("w+b", buffering=0)  # noqa: SIM115
_ON_DISK.write(b"0000")


class NumpyErrors(Bit):
    def note(self, user):
        np.seterr(over=("ignore", "warn", "raise")[user % 3])


class NumpyErrorCallback(Bit):
    def note(self, user):
        np.seterrcall(lambda kind, flag, last=user: None)


class WrittenNumpyErrors(Bit):
    """The callback is an object with a method ``write``."""

    def note(self, user):
        np.seterrcall(Written(user))


class Written:
    def __init__(self, user):
        self.user = user

    def write(self, message):
        pass


class NumpyBuffer(Bit):
    def note(self, user):
        np.setbufsize(8192 + 16 * user)


class NumpyPrinting(Bit):
    def note(self, user):
        np.set_printoptions(threshold=1000 + user)


class TimeOfAFile(Bit):
    def note(self, user):
        os.utime(_ON_DISK.name, (user, user))


class TimeOfAnOpenFile(Bit):
    def note(self, user):
        os.utime(_ON_DISK.file.fileno(), (user, user))


class ModeOfAFile(Bit):
    def note(self, user):
        os.chmod(_ON_DISK.name, 0o600 + user)


class PositionInAFile(Bit):
    def note(self, user):
        os.lseek(_ON_DISK.file.fileno(), user, os.SEEK_SET)


class OverwrittenFile(Bit):
    """The size of the file stays."""

    def note(self, user):
        os.pwrite(_ON_DISK.file.fileno(), b"%04d" % user, 0)


class MaskOfNewFiles(Bit):
    def note(self, user):
        os.umask(user)


class SizeOfStacks(Bit):
    def note(self, user):
        threading.stack_size(2**20 + 4096 * user)


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


class ErrorNumber(Bit):
    def note(self, user):
        ctypes.set_errno(user)


class DepthOfCoroutines(Bit):
    def note(self, user):
        sys.set_coroutine_origin_tracking_depth(user)


class HookOfGenerators(Bit):
    def note(self, user):
        sys.set_asyncgen_hooks(firstiter=lambda _, last=user: None)


class HandlerOfFaults(Bit):
    def note(self, user):
        faulthandler.register(signal.SIGUSR2, chain=bool(user % 2))


class HookOfAudits(Bit):
    def note(self, user):
        for _ in range(user):
            sys.addaudithook(lambda *_: None)


class NameOfTheClass(Bit):
    def note(self, user):
        type(self).__qualname__ = f"NameOfTheClass{user}"


LEAKS = (
    "ErrorNumber",
    "DepthOfCoroutines",
    "HookOfGenerators",
    "HandlerOfFaults",
    "HookOfAudits",
    "NameOfTheClass",
    "SettingOfTheInterpreter",
    "SearchPath",
    "FunctionAtTheExit",
    "HandlerOfASignal",
    "NameOfTheThread",
    "BackAtTheFirstValue",
    "NumpyErrors",
    "NumpyErrorCallback",
    "WrittenNumpyErrors",
    "NumpyBuffer",
    "NumpyPrinting",
    "TimeOfAFile",
    "TimeOfAnOpenFile",
    "ModeOfAFile",
    "PositionInAFile",
    "OverwrittenFile",
    "MaskOfNewFiles",
    "SizeOfStacks",
)
"""Each tells the last user."""


class NumpyErrorsForAWhile(Bit):
    def note(self, user):
        with np.errstate(over=("ignore", "warn", "raise")[user % 3]), np.printoptions(threshold=user):
            np.exp(np.float64(user))


class ReadsATable(Bit):
    def note(self, user):
        with open(_ON_DISK.name, "rb") as table:
            table.read()


class ReadsAnOpenTable(Bit):
    def note(self, user):
        os.pread(_ON_DISK.file.fileno(), 4, 0)


TWINS = (
    "NumpyErrorsForAWhile",
    "ReadsATable",
    "ReadsAnOpenTable",
)
"""Their settings and files are the same for all users."""
