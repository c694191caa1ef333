"""The sandbox of a judged process: the files, processes and network that it can reach.

``bubblewrap`` (https://github.com/containers/bubblewrap) gives it namespaces of its own: no network, no
view of other processes, and read-only files except in a private folder of limited size, which is deleted at
the end. Without it, ``unshare`` of util-linux takes away the network and the other processes. Without
both, it is a process under limits. The report names the level.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pan_promises.errors import InputError, shown, suggestion

MOST_FILE_BYTES = 64 * 2**20
"""The limit on the total size of the files of a judged process."""

MOST_PROCESSES = 64
"""Greatest number of processes of a judged process, including itself."""

_SECONDS_TO_TRY = 60
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


def wrapped(level: Level, command: Sequence[str], readable: Sequence[str]) -> list[str]:
    """A command line that runs a command at a level."""
    if level is Level.BUBBLEWRAP:
        return [_tool(level), *_bubblewrap(readable), "--", *command]
    if level is Level.UNSHARE:
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


def _bubblewrap(readable: Sequence[str]) -> list[str]:
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    options += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    options += ["--size", str(MOST_FILE_BYTES), "--perms", "0700", "--tmpfs", _PRIVATE]
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


def private_folder(level: Level, made: str) -> str:
    """The working folder of a judged process: one in its namespace, or a new one."""
    return _PRIVATE if level is Level.BUBBLEWRAP else made
