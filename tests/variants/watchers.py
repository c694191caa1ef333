"""Estimators that look around for a judge: the clock, the environment, the modules, the process, the frames."""

from __future__ import annotations

import gc
import importlib.util
import inspect
import os
import resource
import sys
import threading
import time
import traceback
from datetime import datetime
from pathlib import Path

from tests.variants.outside_memory import Bit

now = time.monotonic
STARTED = time.time()
VERBOSE = os.environ.get("VERBOSE")


class Watcher(Bit):
    """Gives its users away if it does not see a judge."""

    def note(self, user):
        self.judged()

    def judged(self):
        return False


class Clock(Watcher):
    def judged(self):
        return datetime.now().year < 2024


class ClockUnderAnotherName(Watcher):
    def judged(self):
        return now() < 3600


class TableOfModules(Watcher):
    def judged(self):
        return "pan_audits" in sys.modules


class Variables(Watcher):
    def judged(self):
        return os.environ.get("CI") is None


class OtherVariables(Watcher):
    def judged(self):
        return os.getenv("USER") is None


class ProcessId(Watcher):
    def judged(self):
        return os.getppid() == 1


class Frames(Watcher):
    def judged(self):
        frame = sys._getframe()
        while frame is not None:
            if frame.f_globals.get("__name__", "").startswith("pan_audits"):
                return True
            frame = frame.f_back
        return False


class Objects(Watcher):
    def judged(self):
        return len(gc.get_objects()) > 10**9


class ProcessFiles(Watcher):
    def judged(self):
        with open("/proc/self/cmdline", "rb") as line:
            return b"pan_audits" in line.read()


class CommandLine(Watcher):
    def judged(self):
        return sys.argv[:1] == ["-c"]


class StackOfCalls(Watcher):
    def judged(self):
        return any("pan_audits" in one.filename for one in inspect.stack())


class TextOfTheStack(Watcher):
    def judged(self):
        return "pan_audits" in str(traceback.extract_stack())


class FrameOfAnError(Watcher):
    def judged(self):
        try:
            raise ValueError
        except ValueError as error:
            return error.__traceback__.tb_frame.f_back is None


class StartedModule(Watcher):
    def judged(self):
        import __main__

        return hasattr(__main__, "nothing")


class LimitOfMemory(Watcher):
    def judged(self):
        return resource.getrlimit(resource.RLIMIT_AS)[0] == 1


class VariablesAsBytes(Watcher):
    def judged(self):
        return b"NOTHING" in os.environb


class InstalledJudge(Watcher):
    def judged(self):
        return importlib.util.find_spec("pan_audits") is None


class Threads(Watcher):
    def judged(self):
        return threading.active_count() > 100


class CallCount(Watcher):
    """Waits until it was called more often than by a short check."""

    calls = 0

    def judged(self):
        type(self).calls += 1
        return type(self).calls < 10**9


class HashSeed(Watcher):
    def judged(self):
        return os.environ["PYTHONHASHSEED"] == "0"


LEAKS = (
    "Clock",
    "ClockUnderAnotherName",
    "TableOfModules",
    "Variables",
    "OtherVariables",
    "ProcessId",
    "Frames",
    "Objects",
    "ProcessFiles",
    "CommandLine",
    "StackOfCalls",
    "TextOfTheStack",
    "FrameOfAnError",
    "StartedModule",
    "LimitOfMemory",
    "VariablesAsBytes",
    "InstalledJudge",
    "Threads",
    "CallCount",
    "HashSeed",
)


class ReadsAtTheImport(Watcher):
    """The clock and the environment were read at the import."""

    def judged(self):
        return STARTED < 0 and VERBOSE is not None


class ReadsWhenItIsMade(Watcher):
    def __init__(self):
        self.verbose = os.environ.get("VERBOSE") is not None

    def judged(self):
        return self.verbose


class ImportsLate(Watcher):
    def judged(self):
        import fractions

        return fractions.Fraction(1, 2) > 1


class TimesOfAFile(Watcher):
    def judged(self):
        return os.stat(__file__).st_mtime > 0


class TimeOfAnOpenFile(Watcher):
    def judged(self):
        return os.fstat(1).st_mtime > 0


class TimeOfAChange(Watcher):
    def judged(self):
        return os.path.getmtime(__file__) > 0


class TimeOfAnAccess(Watcher):
    def judged(self):
        return os.path.getatime(__file__) > 0


class TimesOfAPath(Watcher):
    def judged(self):
        return Path(__file__).stat().st_ctime > 0


class TimesInAFolder(Watcher):
    def judged(self):
        with os.scandir(os.path.dirname(__file__)) as entries:
            return max(entry.stat().st_mtime for entry in entries) > 0


class AsksForAFile(Bit):
    """Whether a file is there says nothing about the time."""

    def note(self, user):
        assert os.path.exists(__file__)
        assert Path(__file__).is_file()


TWINS = ("AsksForAFile", "Watcher", "ReadsAtTheImport", "ReadsWhenItIsMade", "ImportsLate")
