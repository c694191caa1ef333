"""In the judged process: functions, names and events by which code looks around or writes."""

from __future__ import annotations

import faulthandler
import gc
import getpass
import importlib.metadata
import importlib.util
import inspect
import multiprocessing.process
import os
import pathlib
import platform
import pwd
import resource
import signal
import socket
import sys
import threading
import time
import traceback
import uuid
from types import BuiltinFunctionType, CodeType
from typing import Any

READS, WRITES, ENTROPY = "reads", "writes", "entropy"

BUILTINS: dict[Any, tuple[str, str]] = {
    **{
        getattr(time, name): (READS, f"the clock (time.{name})")
        for clock in ("time", "perf_counter", "monotonic", "process_time", "thread_time", "clock_gettime")
        for name in (clock, f"{clock}_ns")
        if isinstance(getattr(time, name, None), BuiltinFunctionType)
    },
    **{
        getattr(time, name): (READS, f"the clock (time.{name})")
        for name in ("localtime", "gmtime", "ctime", "strftime")
    },
    **{
        getattr(os, name): (READS, f"the process (os.{name})")
        for name in ("getpid", "getppid", "getpgid", "getsid", "times", "getcwd", "getloadavg", "getuid", "uname")
    },
    **{
        getattr(os, name): (READS, f"the process (os.{name})")
        for name in ("geteuid", "getgid", "getegid", "getgroups", "getlogin", "getpriority", "cpu_count", "isatty")
        if hasattr(os, name)
    },
    **{
        getattr(os, name): (READS, f"the machine (os.{name})")
        for name in ("sysconf", "statvfs", "get_terminal_size", "readlink", "listdir", "scandir")
    },
    **{
        getattr(sys, name): (READS, f"the interpreter (sys.{name})")
        for name in ("getrefcount", "getallocatedblocks", "getrecursionlimit", "getswitchinterval")
    },
    **{
        getattr(gc, name): (READS, f"the objects of the process (gc.{name})")
        for name in ("get_count", "get_stats", "get_referents", "isenabled", "get_threshold")
    },
    **{getattr(signal, name): (READS, f"its signals (signal.{name})") for name in ("getitimer", "sigpending")},
    threading.get_native_id: (READS, "the process (threading.get_native_id)"),
    pwd.getpwuid: (READS, "the user of the machine (pwd.getpwuid)"),
    socket.gethostname: (READS, "the machine (socket.gethostname)"),
    faulthandler.is_enabled: (READS, "the interpreter (faulthandler.is_enabled)"),
    time.get_clock_info: (READS, "the clock (time.get_clock_info)"),
    time.clock_getres: (READS, "the clock (time.clock_getres)"),
    resource.getpagesize: (READS, "the machine (resource.getpagesize)"),
    gc.get_objects: (READS, "the objects of the process (gc.get_objects)"),
    gc.get_referrers: (READS, "the objects of the process (gc.get_referrers)"),
    sys._getframe: (READS, "its callers (sys._getframe)"),
    sys._current_frames: (READS, "its callers (sys._current_frames)"),
    sys.gettrace: (READS, "whether it is traced (sys.gettrace)"),
    sys.getprofile: (READS, "whether it is traced (sys.getprofile)"),
    threading.get_ident: (READS, "the process (threading.get_ident)"),
    resource.getrlimit: (READS, "its limits (resource.getrlimit)"),
    resource.getrusage: (READS, "its limits (resource.getrusage)"),
    getattr(os, "sched_getaffinity", os.getpid): (READS, "the process (os.sched_getaffinity)"),
    os.stat: (READS, "the times of a file (os.stat)"),
    os.lstat: (READS, "the times of a file (os.lstat)"),
    os.fstat: (READS, "the times of a file (os.fstat)"),
    **{
        getattr(faulthandler, name): (WRITES, f"the handler of faults (faulthandler.{name})")
        for name in ("register", "unregister", "dump_traceback_later")
        if hasattr(faulthandler, name)
    },
    os.urandom: (ENTROPY, "os.urandom"),
    getattr(os, "getrandom", os.urandom): (ENTROPY, "os.urandom"),
}
NAMES = {function.__name__ for function in BUILTINS} | {"now", "utcnow", "today"}


def _python_functions() -> dict[CodeType, tuple[str, str]]:
    """Functions of the standard library that are written in Python."""
    environment = {
        name: getattr(type(os.environ), name).__code__ for name in ("__getitem__", "__iter__", "__len__", "copy")
    }
    found = dict.fromkeys(environment.values(), (READS, "the environment (os.environ)"))
    found[os.getenv.__code__] = (READS, "the environment (os.getenv)")
    found[type(os.environ).get.__code__] = (READS, "the environment (os.environ)")
    found[type(os.environ).__contains__.__code__] = (READS, "the environment (os.environ)")
    for callers in (inspect.stack, inspect.currentframe, traceback.extract_stack, traceback.format_stack):
        found[callers.__code__] = (READS, f"its callers ({callers.__module__}.{callers.__name__})")
    for threads in (threading.active_count, threading.enumerate):
        found[threads.__code__] = (READS, f"the process (threading.{threads.__name__})")
    found[uuid.getnode.__code__] = (READS, "the machine (uuid.getnode)")
    found[importlib.util.find_spec.__code__] = (READS, "the table of modules (importlib.util.find_spec)")
    for times in (os.path.getmtime, os.path.getatime, os.path.getctime):
        found[times.__code__] = (READS, f"the times of a file (os.path.{times.__name__})")
    for status in (pathlib.Path.stat, pathlib.Path.lstat):
        found[status.__code__] = (READS, f"the times of a file (pathlib.Path.{status.__name__})")
    for function in (platform.node, platform.uname, platform.platform, platform.machine, platform.release):
        found[function.__code__] = (READS, f"the machine (platform.{function.__name__})")
    found[getpass.getuser.__code__] = (READS, "the user of the machine (getpass.getuser)")
    found[importlib.metadata.version.__code__] = (READS, "the installed packages (importlib.metadata.version)")
    found[importlib.metadata.distribution.__code__] = (
        READS,
        "the installed packages (importlib.metadata.distribution)",
    )
    found[uuid.uuid1.__code__] = (READS, "the clock (uuid.uuid1)")
    found[signal.getsignal.__code__] = (READS, "its signals (signal.getsignal)")
    for own in (threading.current_thread, threading.main_thread):
        found[own.__code__] = (READS, f"the process (threading.{own.__name__})")
    for process in (multiprocessing.process.current_process, multiprocessing.process.parent_process):
        found[process.__code__] = (READS, f"the process (multiprocessing.{process.__name__})")
    return found


PYTHON = _python_functions()
OF_SYS = {
    "modules": (READS, "the table of modules (sys.modules)"),
    "argv": (READS, "the command line (sys.argv)"),
    "orig_argv": (READS, "the command line (sys.orig_argv)"),
    "flags": (READS, "the settings of the interpreter (sys.flags)"),
    "stdin": (READS, "its input (sys.stdin)"),
    "executable": (READS, "the settings of the interpreter (sys.executable)"),
    "warnoptions": (READS, "the settings of the interpreter (sys.warnoptions)"),
    "_xoptions": (READS, "the settings of the interpreter (sys._xoptions)"),
    "meta_path": (READS, "the table of modules (sys.meta_path)"),
    "excepthook": (READS, "the settings of the interpreter (sys.excepthook)"),
}
BY_NAME = {
    "tb_frame": (READS, "its callers (tb_frame)"),
    "f_back": (READS, "its callers (f_back)"),
    "__subclasses__": (READS, "the classes of the process (__subclasses__)"),
    "__main__": (READS, "the module that was started (__main__)"),
    "pan_audits": (READS, "whether a judge is there (pan_audits)"),
    "panproof": (READS, "whether a judge is there (panproof)"),
}
"""Names that hardly occur in code that does not look around."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
EVENTS = (
    "os.putenv",
    "os.unsetenv",
    "os.remove",
    "os.rename",
    "os.link",
    "os.symlink",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
    "os.utime",
    "os.setxattr",
    "os.system",
    "os.fork",
    "os.exec",
    "os.posix_spawn",
    "subprocess.Popen",
    "sqlite3.connect",
    "sys.addaudithook",
)
