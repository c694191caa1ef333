"""The sandbox of a judged process: the files, processes and network that it can reach.

``bubblewrap`` (https://github.com/containers/bubblewrap) gives it namespaces of its own: no network, no
view of other processes, and read-only files except in a private folder of limited size, which is deleted at
the end. Without it, ``unshare`` of util-linux takes away the network and the other processes. Without
both, it is a process under limits. The report names the level.

A judged process is new, and then ``bubblewrap`` or ``unshare`` starts it; or a fork server forks it, which has one such
sandbox for all its forks. Then each fork makes namespaces of its own inside.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import os
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pan_audits.workers.fork_server import start_server
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.workers import THREADS, environment, installed_places, python, search_path, start_workers

MOST_FILE_BYTES = 64 * 2**20
"""The limit on the total size of the files of a judged process."""

MOST_PROCESSES = 64
"""Greatest number of processes of a judged process, including itself."""

PROGRAM = "command:"
"""The beginning of the name of a program of any language. Its words follow, as for a shell."""

_SECONDS_TO_TRY = 60
_KEPT_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "NUMBA_NUM_THREADS",
)
_HASH_SEED = "0"
_HIDDEN = ("/tmp", "/var/tmp", "/run")
"""Folders with sockets of other programs, and with shared files."""

_PRIVATE = "/dev/shm"
"""The only folder in which a judged process may write."""


class Level(StrEnum):
    """The isolation of the judged code from the judge and from the machine."""

    BUBBLEWRAP = "bubblewrap"
    UNSHARE = "unshare"
    LIMITS = "limits"
    NONE = "none"


@dataclass(frozen=True)
class Isolation:
    """The isolation of a run.

    Attributes
    ----------
    level
        The tool.
    """

    level: Level

    @property
    def name(self) -> str:
        """``isolated``, ``in a process of its own`` or ``in one process``."""
        if self.level is Level.NONE:
            return "in one process"
        return "in a process of its own" if self.level is Level.LIMITS else "isolated"

    def describe(self) -> str:
        """The isolation in words, with its gaps."""
        return f"{self.name}: {_SENTENCES[self.level]}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"level": self.name, "by": str(self.level), "description": _SENTENCES[self.level]}


IN_ONE_PROCESS = Isolation(Level.NONE)
"""The isolation of this package's own code: it runs in the processes that judge it."""

_LIMITED = f"limits on time, memory and the size of files ({MOST_FILE_BYTES // 2**20} MiB); messages of plain data"
_SENTENCES = {
    Level.BUBBLEWRAP: "the estimator's code ran in separate processes without network, without a view of other "
    f"processes, and with read-only files except a private folder of {MOST_FILE_BYTES // 2**20} MiB (bubblewrap); "
    "limits on time, memory and processes; messages of plain data",
    Level.UNSHARE: "the estimator's code ran in separate processes without network and without a view of other "
    f"processes (unshare); {_LIMITED}; it could read and write the caller's files: install bubblewrap to prevent this",
    Level.LIMITS: f"the estimator's code ran in separate processes; {_LIMITED}; it could reach the network, the "
    "caller's files and the caller's other processes: install bubblewrap to prevent this",
    Level.NONE: "the estimator's code is trusted: it ran in the processes that judge it",
}


@functools.cache
def best_level() -> Level:
    """The strongest level that works here; tried once."""
    for level in (Level.BUBBLEWRAP, Level.UNSHARE):
        if _works(level):
            return level
    return Level.LIMITS


def level_named(name: str) -> Level:
    """The level that a person asked for; ``best`` for the strongest one that works."""
    if name == "best":
        return best_level()
    if isinstance(name, Level):
        return name  # another process has tried it
    if name not in (known := [str(level) for level in Level if level is not Level.NONE]):
        raise InputError(f"unknown isolation {shown(name)}; {suggestion(name, ['best', *known])}")
    level = Level(name)
    if level is not Level.LIMITS and not _works(level):
        raise InputError(f"isolation by {level} does not work on this system; best takes the strongest level that does")
    return level


@functools.cache
def _works(level: Level) -> bool:
    if sys.platform != "linux" or shutil.which(_TOOLS[level]) is None:
        return False
    try:
        command = wrapped(level, ["/bin/sh", "-c", "exit 0"], ())
        return subprocess.run(command, capture_output=True, timeout=_SECONDS_TO_TRY, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def wrapped(level: Level, command: Sequence[str], readable: Sequence[str], *, forks: bool = False) -> list[str]:
    """A command line that runs a command at a level; or one for a process whose forks are at that level."""
    if level is Level.BUBBLEWRAP:
        return [_tool(level), *_bubblewrap(readable, forks=forks), "--", *command]
    if level is Level.UNSHARE and not forks:
        # Without this it would outlive a killed judge.
        bound = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
        return [
            *bound,
            _tool(level),
            *("--user", "--map-root-user", "--net", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"),
            *command,
        ]
    return list(command)


_TOOLS = {Level.BUBBLEWRAP: "bwrap", Level.UNSHARE: "unshare"}


def _tool(level: Level) -> str:
    return shutil.which(_TOOLS[level]) or _TOOLS[level]


def _bubblewrap(readable: Sequence[str], *, forks: bool) -> list[str]:
    if forks:
        # A fork can see no more than the processes in its own namespace, if the whole of /proc is here.
        options = ["--unshare-user", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        # The superuser may make a namespace with its own number only with this capability, which a fork gives up.
        options += ["--new-session", "--cap-drop", "ALL", *(["--cap-add", "CAP_SETFCAP"] if os.getuid() == 0 else [])]
        options += ["--ro-bind", "/", "/", "--dev", "/dev", "--bind", "/proc", "/proc"]
    else:
        options = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        options += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    options += ["--size", str(MOST_FILE_BYTES), "--perms", "0700", "--tmpfs", _PRIVATE, "--remount-ro", "/dev"]
    needed = {Path(folder).resolve() for folder in (*_own_folders(), *readable) if os.path.isdir(folder)}
    for folder in map(Path, _HIDDEN):
        if not folder.is_dir() or folder.is_symlink() or any(folder.is_relative_to(each) for each in needed):
            continue
        options += ["--perms", "0755", "--tmpfs", str(folder)]
        # Python and the modules may lie below a folder that is hidden otherwise.
        for each in sorted(needed):
            if each.is_relative_to(folder):
                options += ["--ro-bind", str(each), str(each)]
        options += ["--remount-ro", str(folder)]
    return [*options, "--chdir", _PRIVATE]


@functools.cache
def _own_folders() -> tuple[str, ...]:
    places = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *filter(None, sys.path)]
    return tuple(dict.fromkeys(str(Path(place).resolve()) for place in places if os.path.isdir(place)))


@dataclass(frozen=True)
class Place:
    """Where a judged process lives: what its sandbox shows, and its environment. It is the key of a fork server.

    Attributes
    ----------
    folder, search_path
        The folder of the judged code, and those of other modules.
    variables
        The variables of the environment, without those that name the working folder.
    """

    level: Level
    folder: str
    search_path: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, level: Level, folder: str, search_path: Sequence[str], hash_seed: str | None = None) -> Place:
        """The place of a new process."""
        given = environment()
        kept = {name: given[name] for name in (*_KEPT_VARIABLES, *THREADS) if name in given}
        # No compiled file stays in the caller's folders, where it could pass for that of a later version.
        kept["PYTHONDONTWRITEBYTECODE"] = "1"
        kept["PYTHONHASHSEED"] = hash_seed or os.environ.get("PYTHONHASHSEED", _HASH_SEED)
        # The sandbox holds folders under their own paths, and no links to them.
        return cls(level, folder, tuple(dict.fromkeys(map(os.path.realpath, search_path))), tuple(kept.items()))

    def command(self, program: str, *, forks: bool = False) -> list[str]:
        """The command line for a new process, or for a server."""
        interpreter = os.path.join(os.path.realpath(os.path.dirname(sys.executable)), os.path.basename(sys.executable))
        readable = self.folder, *installed_places(), *self.search_path
        return wrapped(self.level, python(program, interpreter), readable, forks=forks)

    def environment(self, private: str) -> dict[str, str]:
        """All variables of the environment."""
        return dict(self.variables) | private_variables(private)

    def start_server(self) -> None:
        """Start a server of such processes, before the first one is needed."""
        start_server(
            self,
            "pan_audits.subject.isolation.child",
            lambda program: self.command(program, forks=True),
            self.environment(os.sep),
        )


def words_of(name: str) -> list[str]:
    """The words of the name of a program."""
    try:
        return shlex.split(name.removeprefix(PROGRAM))
    except ValueError as problem:
        raise InputError(f"the words of {shown(name)} cannot be read: {problem}") from None


def place_of(name: str) -> tuple[str, str, tuple[str, ...]]:
    """The module to import by a name, the folder in which it is searched, and the folders of other modules."""
    folder = os.getcwd()
    if name.startswith(PROGRAM):
        # The folders of the files that the words name.
        paths = (os.path.join(folder, word) for word in words_of(name))
        named = dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in paths if os.path.isfile(path))
        return name, folder, (*search_path(), *named)
    module, _, attribute = name.partition(":")
    if not module.endswith(".py"):
        return name, folder, search_path()
    path = Path(folder, module).resolve()
    if not path.is_file():
        raise InputError(f"there is no file {shown(module)}")
    return f"{path.name}:{attribute}", str(path.parent), (*search_path(), folder)


_IMPORTED_FOR_RUNS = "pan_audits.audit.sampler, pan_audits.subject.isolation.estimator"
IMPORTED_BY_WORKERS = "pan_audits.exact.instances, pan_audits.subject.isolation.estimator"
"""What an exact check and the runs of judged code need."""


def start_ahead(thing: Any, isolation: str, workers: int = 1, *, exact: bool = True) -> None:
    """Start the processes that will judge a thing: they import what they need while this process does the same."""
    if ":" not in thing if isinstance(thing, str) else type(thing).__module__.startswith("pan_estimators."):
        return
    # Bad input is told where it is read.
    with contextlib.suppress(InputError, OSError, TypeError):
        Place.of(level_named(isolation), *place_of(thing if isinstance(thing, str) else "")[1:]).start_server()
        start_workers(min(workers, 2), IMPORTED_BY_WORKERS if exact else _IMPORTED_FOR_RUNS)


def private_folder(level: Level, made: str) -> str:
    """The working folder of a judged process: one in its namespace, or a new one."""
    return _PRIVATE if level is Level.BUBBLEWRAP else made


def private_variables(private: str) -> dict[str, str]:
    """The variables of the environment that name the working folder."""
    return dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), private)


_NAMESPACES = 0x00020000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""Of mounts, of communication, of users, of processes, and of networks (sched.h)."""

_MOUNTED = 1 | 2 | 4 | 8
"""Read-only, without devices, programs and rights of others (mount.h)."""

_DROP_CAPABILITY, _MOST_CAPABILITIES = 24, 64
_VERSION_OF_CAPABILITIES = 0x20080522
_FLAGS_OF_INTERFACE, _UP = 0x8914, 0x41


def leave() -> None:
    """Leave the namespaces of the server, in a fork of it; its children are processes of a new one."""
    user, group = os.getuid(), os.getgid()
    _succeed("unshare", _NAMESPACES)
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", file).write_text(text)


def enter(level: Level) -> None:
    """Arrange the namespaces for judged code, in the first process there, and give up the right to change them."""
    _succeed("mount", b"proc", b"/proc", b"proc", _MOUNTED, None)
    if level is Level.BUBBLEWRAP:
        options = f"size={MOST_FILE_BYTES},mode=0700".encode()
        _succeed("mount", b"tmpfs", _PRIVATE.encode(), b"tmpfs", _MOUNTED & 0b110, options)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            # Code may talk with itself.
            fcntl.ioctl(any_socket, _FLAGS_OF_INTERFACE, struct.pack("16sH22x", b"lo", _UP))
    library = ctypes.CDLL(None)
    for capability in range(_MOST_CAPABILITIES):
        library.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)
    head, none = (ctypes.c_uint32 * 2)(_VERSION_OF_CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    _succeed("capset", head, none)


def _succeed(name: str, *arguments: Any) -> None:
    """Call a function of the system."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name} does not work here")
