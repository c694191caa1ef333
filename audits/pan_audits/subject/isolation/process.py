"""The judged processes of this process: they import an estimator's code, and answer questions with plain data."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.messages import (
    Begin,
    Channel,
    ClosedError,
    Draw,
    Failed,
    Make,
    Message,
    Part,
    Question,
    Ready,
    Reply,
    SlowError,
)
from pan_audits.subject.isolation.noise import NoiseTable
from pan_audits.subject.isolation.sandbox import (
    MOST_FILE_BYTES,
    MOST_PROCESSES,
    Level,
    Place,
    private_folder,
)
from pan_audits.workers.fork_server import Fork, fork_at, refuse_server
from pan_audits.workers.limits import DiedError, Limits, MechanismError, count_busy, count_printed, stretched
from pan_promises.errors import InputError

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def family_of(process: int) -> list[int]:
    """The process and its descendants, as far as this system shows them."""
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        waiting += _children(found[-1])
    return found


def _children(process: int) -> Iterator[int]:
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            yield from map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    except OSError:
        return


def use_more_than(most: int, processes: list[int]) -> bool:
    """Whether the processes together hold more bytes of memory. A page that several share counts once."""
    return sum(map(_resident, processes)) > most and sum(map(_proportional, processes)) > most


def _resident(process: int) -> int:
    """Quick to read. A page that several processes share counts in each."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def _proportional(process: int) -> int:
    """Each page divided by the number of processes that share it, where the system tells it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return _resident(process)
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), _resident(process))


def folder_bytes(folder: str) -> int:
    """The size of the files below a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total


SECONDS_TO_START = 180.0
_SECONDS_BETWEEN_GLANCES = 0.5

Process: TypeAlias = subprocess.Popen[bytes] | Fork
Answer = Callable[[Message], Message]
"""Answers a message of the judged process during a call: a draw, or a part of the answer."""


@dataclass(frozen=True)
class Subject:
    """The judged code, described as plain data. It is not imported here.

    Attributes
    ----------
    name
        ``module:Class``, ``file.py:Class``, or the name of an installed estimator.
    folder
        The folder in which the module is searched.
    search_path
        Folders of installed modules.
    level
        The isolation of the process.
    sources
        Source texts of the modules that are not installed, by their place below the folder, for a machine
        without them.
    inputs
        The place of the neighbours, for a mechanism on a whole input, as ``module:attribute``.
    thing
        The object that the caller gave, in place of the name.
    """

    name: str
    folder: str
    search_path: tuple[str, ...]
    level: Level
    sources: tuple[tuple[str, bytes], ...] = field(default=(), repr=False, compare=False)
    inputs: str = ""
    thing: bytes = field(default=b"", repr=False)


@dataclass
class SubjectProcess:
    """A running judged process.

    Attributes
    ----------
    starts
        The number of times that the process was started.
    """

    subject: Subject
    limits: Limits
    hash_seed: str | None = None
    starts: int = field(default=0, init=False)
    _channel: Channel | None = field(default=None, init=False)
    _process: Process | None = field(default=None, init=False)
    _folder: str = field(default="", init=False)
    _made: dict[str, bool] = field(default_factory=dict, init=False)
    _used: bool = field(default=False, init=False)

    def ask(self, question: Question, answer: Answer | None = None) -> Any:
        """The answer to a question."""
        try:
            channel = self._started()
            self._used |= not isinstance(question, Make)
            began = time.monotonic()
            channel.send(question)
            while True:
                message = self._receive(channel, began, self.limits.seconds)
                if isinstance(message, (Draw, Part)) and answer is not None:
                    channel.send(answer(message))
                elif isinstance(message, Reply):
                    count_printed(max(0, message.printed))
                    # The process may say anything; it has no more processors than the machine.
                    most = (time.monotonic() - began) * (os.cpu_count() or 1)
                    count_busy(min(message.busy, most) if message.busy > 0 else 0.0)
                    return message.value
                elif isinstance(message, Failed):
                    raise (InputError if message.bad_input else MechanismError)(_sentence(message.sentence))
                else:
                    raise ClosedError
        except SlowError:
            self.end()
            raise MechanismError(f"it did not finish within {self.limits.seconds:g} s; --timeout allows more") from None
        except ClosedError:
            reason = self._how_it_ended()
            self.end()
            raise DiedError(reason) from None
        except DataError as problem:
            self.end()
            raise MechanismError(str(problem)) from None
        except (MechanismError, InputError):
            raise
        except BaseException:
            # Otherwise the late answer would be taken for the answer to the next question.
            self.end()
            raise

    def _receive(self, channel: Channel, began: float, seconds: float) -> Message:
        while True:
            deadline = began + stretched(seconds)
            glance = min(deadline, time.monotonic() + _SECONDS_BETWEEN_GLANCES)
            if channel.waits(glance):
                return channel.receive(deadline)
            if time.monotonic() >= deadline:
                raise SlowError
            self._look_at_usage()

    def _look_at_usage(self) -> None:
        assert self._process is not None
        family = family_of(self._process.pid)
        most = self.limits.memory_bytes + 2**29
        if len(family) > MOST_PROCESSES:
            why = f"it started more than {MOST_PROCESSES} processes"
        elif use_more_than(most, family):
            why = f"it asked for more than {self.limits.memory_bytes / 2**30:.3g} GiB of memory"
        elif folder_bytes(self._folder) > MOST_FILE_BYTES:
            why = f"it wrote more than {MOST_FILE_BYTES // 2**20} MiB of files"
        else:
            return
        self.end()
        raise MechanismError(why)

    def _started(self) -> Channel:
        if self._channel is not None:
            return self._channel
        self.starts += 1
        self._folder = tempfile.mkdtemp(prefix="panproof-")
        folder = self.subject.folder
        if self.subject.sources and not os.path.isdir(folder):
            folder = _written(self.subject.sources, self._folder)
        place = Place.of(self.subject.level, folder, self.subject.search_path, self.hash_seed)
        begin = Begin(
            self.subject.name,
            folder,
            place.search_path,
            private_folder(place.level, self._folder),
            self.limits.memory_bytes,
            str(place.level),
            self.limits.seconds,
        )
        if (fork := fork_at(place)) is not None:
            try:
                return self._begun(fork, fork.end, begin)
            except ClosedError:
                # No judged code has run yet: no namespaces can be made inside of the sandbox of a server.
                refuse_server(place)
                fork.kill()
                fork.end.close()
        ours, theirs = socket.socketpair()
        try:
            process = subprocess.Popen(
                place.command(f"from pan_audits.subject.isolation.child import main; main({theirs.fileno()})"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=place.environment(begin.private),
                cwd=self._folder,
                start_new_session=True,
            )
        except OSError as problem:
            ours.close()
            self.end()
            raise MechanismError(f"no process can be started for it: {problem.strerror}") from None
        finally:
            theirs.close()
        return self._begun(process, ours, begin)

    def _begun(self, process: Process, end: socket.socket, begin: Begin) -> Channel:
        self._process, self._channel = process, Channel(end)
        self._channel.send(begin)
        try:
            started = self._receive(self._channel, time.monotonic(), SECONDS_TO_START)
        except SlowError:
            self.end()
            raise MechanismError(f"its process did not start within {SECONDS_TO_START:g} s") from None
        if not isinstance(started, Ready):
            raise ClosedError
        return self._channel

    def made(self, key: str, *, surveyed: bool = False) -> bool:
        """Whether the process has made the instance with this key, and follows it, if it must."""
        return self._channel is not None and self._made.get(key, False) >= surveyed and key in self._made

    def is_fresh(self, key: str) -> bool:
        """Whether the process has made the one instance with this key, which it follows, and has not run it."""
        return self._channel is not None and not self._used and self._made == {key: True}

    def remember(self, key: str, *, surveyed: bool) -> None:
        """Record that the process has made the instance with this key."""
        self._made[key] = surveyed

    def _how_it_ended(self) -> str:
        if self._process is None:
            return "its process could not be started"
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "it sent an invalid answer"
        if code in (-signal.SIGKILL, 128 + signal.SIGKILL):
            return "its process was killed, by a crash, for lack of memory, or by itself"
        return f"it ended its process (exit code {code})"

    def end(self) -> None:
        """End the process and all its descendants."""
        channel, process, folder = self._channel, self._process, self._folder
        self._channel, self._process, self._folder = None, None, ""
        self._made.clear()
        self._used = False
        # A process that notices that the channel is closed leaves its descendants alone. The number of a process that
        # has ended may be that of another one.
        family = family_of(process.pid) if process is not None and process.poll() is None else []
        if channel is not None:
            channel.end.close()
        if process is not None:
            for each in reversed(family):
                _kill(each)
            process.kill()
            process.wait()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)

    def __del__(self) -> None:
        if getattr(self, "_folder", ""):
            self.end()


def _kill(process: int) -> None:
    """Kill a process, and those of the group that it has made."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(process, signal.SIGKILL)


def _sentence(value: Any) -> str:
    """The judged process's message about its failure, made harmless for a terminal."""
    text = " ".join(str(value).split())[:400]
    return "".join(letter if letter.isprintable() else "?" for letter in text) or "it failed without a reason"


def _written(sources: tuple[tuple[str, bytes], ...], folder: str) -> str:
    """A folder with the modules' texts."""
    place = Path(folder) / "sources"
    for name, text in sources:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return str(place)


Stamp = tuple[int, int]
"""The time of the last change of a file, by the clock of the system, and its size. A program can set no such time."""


@dataclass
class Connection:
    """A judged process, with the noise that was drawn for it.

    Attributes
    ----------
    process, noises
        Both.
    digests
        The digests of the attributes of its instances, as far as they are known.
    stamps
        Those of its modules when it imported them.
    printed
        Whether any single call printed something.
    """

    process: SubjectProcess
    noises: NoiseTable
    digests: dict[str, Any]
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    printed: bool = False


_connections: dict[tuple[int, Subject, Limits], Connection] = {}
_MOST_CONNECTIONS = 4


def connection_to(subject: Subject, limits: Limits, stamps: Mapping[str, Stamp] | None = None) -> Connection:
    """The connection to the process of a subject. Without one, a process is started."""
    # The parent of a forked process has its own judged processes.
    key = (os.getpid(), subject, limits)
    found = _connections.pop(key, None)
    if found is not None:
        wanted = stamps_of(found.stamps) if stamps is None else stamps
        if any(found.stamps.get(file, stamp) != stamp for file, stamp in wanted.items()):
            found.process.end()
            found = None
    if found is None:
        found = Connection(SubjectProcess(subject, limits), NoiseTable(), {}, dict(stamps or {}))
    while len(_connections) >= _MOST_CONNECTIONS:
        oldest = next(iter(_connections))
        _connections.pop(oldest).process.end()
    _connections[key] = found
    return found


def stamps_of(files: Iterable[str]) -> dict[str, Stamp]:
    """The stamps of files, which are not read. A file that is not there has a stamp, too."""
    found = {}
    for file in files:
        try:
            told = os.stat(file)
            found[file] = told.st_ctime_ns, told.st_size
        except (OSError, ValueError):
            found[file] = 0, -1
    return found


def end(subject: Subject, limits: Limits) -> None:
    """End the judged process of a subject."""
    found = _connections.pop((os.getpid(), subject, limits), None)
    if found is not None:
        found.process.end()


@atexit.register
def end_all() -> None:
    """End the judged processes of this process."""
    for (owner, *_), connection in list(_connections.items()):
        if owner == os.getpid():
            connection.process.end()
    _connections.clear()
