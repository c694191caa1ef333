"""The judged processes of this process, and the noise that was drawn for each of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_audits.isolation.noise import NoiseTable
from pan_audits.isolation.process import Subject, SubjectProcess
from pan_audits.workers.limits import Limits

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


def end_all() -> None:
    """End the judged processes of this process."""
    for (owner, *_), connection in list(_connections.items()):
        if owner == os.getpid():
            connection.process.end()
    _connections.clear()
