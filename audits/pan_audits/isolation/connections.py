"""The judged processes of this process, and the noise that was drawn for each of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import msgpack

from pan_audits.isolation.noise import NoiseTable
from pan_audits.isolation.process import Subject, SubjectProcess
from pan_audits.workers.limits import Limits


@dataclass
class Connection:
    """A judged process, with the noise that was drawn for it."""

    process: SubjectProcess
    noises: NoiseTable
    digests: dict[str, Any]


_connections: dict[tuple[int, Subject, Limits], Connection] = {}
_MOST_CONNECTIONS = 4


def connection_to(subject: Subject, limits: Limits) -> Connection:
    """The connection to the process of a subject. Without one, a process is started.

    Parameters
    ----------
    subject
        The judged code.
    limits
        On the process.
    """
    # The parent of a forked process has its own judged processes.
    key = (os.getpid(), subject, limits)
    found = _connections.pop(key, None) or Connection(SubjectProcess(subject, limits), NoiseTable(), {})
    while len(_connections) >= _MOST_CONNECTIONS:
        oldest = next(iter(_connections))
        _connections.pop(oldest).process.end()
    _connections[key] = found
    return found


def end_all() -> None:
    """End the judged processes of this process."""
    for (owner, *_), connection in list(_connections.items()):
        if owner == os.getpid():
            connection.process.end()
    _connections.clear()


def question_to_make(subject: Subject, key: str, parameters: bytes, *, surveyed: bool = True) -> dict[str, Any]:
    """The question that makes an estimator.

    Parameters
    ----------
    subject, key, parameters
        The estimator.
    surveyed
        Whether the process reads its memory now, so that it can tell later what has changed.
    """
    return {
        "ask": "make",
        "key": key,
        "parameters": msgpack.unpackb(parameters),
        "inputs": subject.inputs,
        "thing": subject.thing,
        "surveyed": surveyed,
    }
