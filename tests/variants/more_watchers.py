"""More estimators that look around for a judge, and twins that do ordinary work in a call."""

from __future__ import annotations

import faulthandler
import gc
import getpass
import importlib.metadata
import multiprocessing
import os
import platform
import resource
import signal
import socket
import sys
import threading
import time
import uuid

import numpy as np

from tests.variants.watchers import Watcher


class ClockOfNumpy(Watcher):
    def judged(self):
        return np.datetime64("now") < np.datetime64("2024-01-01")


class ClockOfAnIdentity(Watcher):
    def judged(self):
        return uuid.uuid1().time < 0


class KindOfClock(Watcher):
    def judged(self):
        return time.get_clock_info("time").adjustable


class StopsTheTrace(Watcher):
    def judged(self):
        sys.setprofile(None)
        sys.settrace(None)
        return True


class CountOfReferences(Watcher):
    def judged(self):
        return sys.getrefcount(None) > 10**9


class BlocksOfMemory(Watcher):
    def judged(self):
        return sys.getallocatedblocks() > 10**9


class DepthOfCalls(Watcher):
    def judged(self):
        return sys.getrecursionlimit() > 10**6


class CountOfTheCollector(Watcher):
    def judged(self):
        return gc.get_count()[0] > 10**9


class RunsOfTheCollector(Watcher):
    def judged(self):
        return gc.get_stats()[0]["collections"] > 10**9


class PartsOfTheRandomness(Watcher):
    def judged(self):
        return len(gc.get_referents(self)) > 10**9


class NativeThread(Watcher):
    def judged(self):
        return threading.get_native_id() == 1


class NameOfTheThread(Watcher):
    def judged(self):
        return threading.current_thread().name != "MainThread"


class CurrentProcess(Watcher):
    def judged(self):
        return multiprocessing.current_process().name != "MainProcess"


class ParentProcess(Watcher):
    def judged(self):
        return multiprocessing.parent_process() is not None


class UserOfTheMachine(Watcher):
    def judged(self):
        return os.geteuid() == 12345


class NameOfTheUser(Watcher):
    def judged(self):
        return getpass.getuser() == "nobody else"


class NameOfTheMachine(Watcher):
    def judged(self):
        return socket.gethostname() == "judge"


class KindOfTheMachine(Watcher):
    def judged(self):
        return "container" in platform.platform()


class Processors(Watcher):
    def judged(self):
        return os.cpu_count() == 1000


class Terminal(Watcher):
    def judged(self):
        return os.isatty(0)


class OpenFiles(Watcher):
    def judged(self):
        return len(os.listdir("/proc/self/fd")) > 10**6


class PathOfTheProgram(Watcher):
    def judged(self):
        return os.readlink("/proc/self/exe") == ""


class InstalledPackage(Watcher):
    def judged(self):
        return importlib.metadata.version("numpy") == ""


class HandlerOfASignal(Watcher):
    def judged(self):
        return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


class Alarm(Watcher):
    def judged(self):
        return signal.getitimer(signal.ITIMER_REAL)[0] > 0


class SizeOfAPage(Watcher):
    def judged(self):
        return resource.getpagesize() == 1


class Faults(Watcher):
    def judged(self):
        return faulthandler.is_enabled()


class NameInAText(Watcher):
    def judged(self):
        return __import__("pan_audits") is None


class WholeOfSys(Watcher):
    def judged(self):
        return len(getattr(sys, "mod" + "ules"[:])) > 10**6


class Program(Watcher):
    def judged(self):
        return sys.executable == ""


class OptionsOfTheInterpreter(Watcher):
    def judged(self):
        return bool(sys.warnoptions)


class FindersOfModules(Watcher):
    def judged(self):
        return len(sys.meta_path) > 100


class AllClasses(Watcher):
    def judged(self):
        return len(object.__subclasses__()) > 10**6


WORDS = {
    "ClockOfNumpy": "numpy.datetime64",
    "ClockOfAnIdentity": "uuid.uuid1",
    "KindOfClock": "time.get_clock_info",
    "StopsTheTrace": "sys.settrace",
    "CountOfReferences": "sys.getrefcount",
    "BlocksOfMemory": "sys.getallocatedblocks",
    "DepthOfCalls": "sys.getrecursionlimit",
    "CountOfTheCollector": "gc.get_count",
    "RunsOfTheCollector": "gc.get_stats",
    "PartsOfTheRandomness": "gc.get_referents",
    "NativeThread": "threading.get_native_id",
    "NameOfTheThread": "threading.current_thread",
    "CurrentProcess": "multiprocessing.current_process",
    "ParentProcess": "multiprocessing.parent_process",
    "UserOfTheMachine": "os.geteuid",
    "NameOfTheUser": "getpass.getuser",
    "NameOfTheMachine": "socket.gethostname",
    "KindOfTheMachine": "platform.platform",
    "Processors": "os.cpu_count",
    "Terminal": "os.isatty",
    "OpenFiles": "os.listdir",
    "PathOfTheProgram": "os.readlink",
    "InstalledPackage": "importlib.metadata.version",
    "HandlerOfASignal": "signal.getsignal",
    "Alarm": "signal.getitimer",
    "SizeOfAPage": "resource.getpagesize",
    "Faults": "faulthandler.is_enabled",
    "NameInAText": "its name in a text",
    "WholeOfSys": "sys as a whole",
    "Program": "sys.executable",
    "OptionsOfTheInterpreter": "sys.warnoptions",
    "FindersOfModules": "sys.meta_path",
    "AllClasses": "__subclasses__",
}
"""Each look, and a part of its name in the verdict."""


class AsksForAPlatform(Watcher):
    def judged(self):
        return sys.byteorder == "neither" or sys.maxsize < 0


class JoinsPaths(Watcher):
    def judged(self):
        return os.path.join("a", "b") == "" and sys.float_info.max < 0


class WritesAnError(Watcher):
    def judged(self):
        print("an update", file=sys.stderr)
        return False


class DatesOfNumpy(Watcher):
    def judged(self):
        return np.datetime64("2024-01-01") < np.datetime64("2020-01-01")


class CollectsGarbage(Watcher):
    def judged(self):
        return gc.collect() < 0


class RandomIdentity(Watcher):
    def judged(self):
        return uuid.UUID(int=3).int == 4


class SharesALock(Watcher):
    lock = threading.Lock()

    def judged(self):
        with self.lock:
            return False


TWINS = (
    "AsksForAPlatform",
    "JoinsPaths",
    "WritesAnError",
    "DatesOfNumpy",
    "CollectsGarbage",
    "RandomIdentity",
    "SharesALock",
)
