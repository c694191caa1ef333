"""The messages between the judge and a judged process: one class each, which both sides import.

A message travels as its length and MessagePack, never as a pickle: the name of its class and its fields as plain data.
Only the classes of this file can be read. What a judged process sends is still a statement of foreign code: the judge
checks the values of its messages where it uses them.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar

import msgpack
import numpy as np

from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation.data import DataError, Node, from_data, to_data
from pan_audits.subject.running.course import Course


@dataclass
class Message:
    """A message. A field of the type ``Node`` is data already."""


@dataclass
class Question(Message):
    """A question of the judge, about the instance of the estimator with a key."""

    key: str


@dataclass
class Make(Question):
    """Import and configure the estimator: its :mod:`description <pan_audits.subject.isolation.description>`."""

    parameters: Node
    inputs: str
    thing: bytes
    surveyed: bool = True


@dataclass
class Call(Question):
    """Call one method, with draws that the judge makes: a :class:`Called` or an :class:`Unfollowable`."""

    method: str
    state: Node
    arguments: Node
    options: Node
    watch: bool
    apart: int
    open: bool


@dataclass
class Runs(Question):
    """Many runs on one stream; without a seed, with the randomness of a deployment."""

    course: Course
    runs: int
    seed: Sequence[int] | None
    states: bool = False
    users: bool = False


@dataclass
class PrintedRuns(Question):
    """Runs on two streams in turn, in a random order, with the bytes that each of them prints."""

    courses: Sequence[Course]
    runs: int
    seed: Sequence[int]
    states: bool


@dataclass
class Turns(Question):
    """The outputs of one run on each of some streams: together, apart, or with states that go on as data."""

    courses: Sequence[Course]
    seed: Sequence[int]
    apart: bool = False
    as_data: bool = False


@dataclass
class Batches(Question):
    """The outputs of batches of runs, each by one call."""

    label: str
    sizes: Sequence[int]
    seed: Sequence[int]


@dataclass
class SideBySide(Question):
    """Whether a function makes many runs by one call on an input."""

    label: str


@dataclass
class Perform(Question):
    """Perform the script of the checks of conduct a number of times, from the start or from a state."""

    first: Sequence[Any]
    rest: Sequence[Any]
    seed: int
    global_seed: int
    global_step: int
    resume: Node
    times: int


@dataclass
class StatedValue(Question):
    """The value that the estimator states for its error, given the numbers on which it depends."""

    number: int
    given: Sequence[float]


@dataclass
class Digest(Question):
    """A digest of the estimator's own attributes."""


@dataclass
class NeverAnswers(Question):
    """A failure if a step fails in all of many runs on some streams."""

    courses: Sequence[Course]


@dataclass
class Follow(Question):
    """The conduct in runs on some streams that are followed line by line, and then with some ids."""

    courses: Sequence[Course]
    runs: int
    seed: Sequence[int]
    ids: Sequence[Any]
    seconds: float


@dataclass
class TellConduct(Question):
    """The conduct so far."""


@dataclass
class Ready(Message):
    """The process has started."""


@dataclass
class Answered(Message):
    """The answer to a question, the number of bytes that were printed meanwhile, and the time of the processor."""

    value: Node
    printed: int
    busy: float


@dataclass
class Failed(Message):
    """The reason why a question has no answer: bad input, or the code."""

    bad_input: bool
    sentence: str


@dataclass
class Draw(Message):
    """A draw that the code asks for during a call."""

    method: str
    arguments: Node
    options: Node


@dataclass
class Drawn(Message):
    """The value of a draw, or the reason why there is none."""

    value: Node
    error: str = ""


@dataclass
class Part(Message):
    """A part of a long answer. The process waits for a :class:`GoOn`."""

    value: Node


@dataclass
class GoOn(Message):
    """A part was taken."""


@dataclass
class Called(Message):
    """The result of a call, the state afterwards if it may have changed, and the bytes that both of its calls print."""

    result: Node
    state: Node
    printed: bytes = b""
    digest: str | None = None


@dataclass
class Unfollowable(Message):
    """The reason why the outcomes of a call cannot be followed, and whether it draws elsewhere."""

    sentence: str
    bypass: bool


_Message = TypeVar("_Message", bound=Message)


def _all_kinds(kind: type[Message]) -> list[type[Message]]:
    return [one for each in kind.__subclasses__() for one in (each, *_all_kinds(each))]


_KINDS: Mapping[str, type[Message]] = {kind.__name__: kind for kind in _all_kinds(Message)}


@cache
def _fields(kind: Any) -> tuple[tuple[str, bool], ...]:
    """The fields of a message, and whether each is data already."""
    return tuple((each.name, each.type == "Node") for each in fields(kind))


def written(message: Message) -> Node:
    """A message as data."""
    kind: Any = type(message)
    parts = ((getattr(message, name), is_node) for name, is_node in _fields(kind))
    return [kind.__name__, *(part if is_node else to_data(part, special=_alone) for part, is_node in parts)]


def read(kind: type[_Message], node: Node) -> _Message:
    """The message of some data, which must be of a kind."""
    name, *parts = node if isinstance(node, list) and node else [None]
    found: Any = _KINDS.get(name) if isinstance(name, str) else None
    if found is None or not issubclass(found, kind) or len(parts) != len(_fields(found)):
        raise DataError("it sent an invalid answer")
    values = (
        part if is_node else from_data(part, revive=_read_alone)
        for part, (_, is_node) in zip(parts, _fields(found), strict=True)
    )
    made: _Message = found(*values)
    return made


def _alone(value: Any) -> Node:
    """A step of a stream; and each array without a reference to another one, since code may change its input."""
    if isinstance(value, SegmentEnd):
        return ["~", str(value)]
    return ["~", None, to_data(value)] if isinstance(value, np.ndarray) else None


def _read_alone(parts: list[Any]) -> Any:
    return from_data(parts[1]) if len(parts) == 2 else SegmentEnd(parts[0])


_SIZE = struct.Struct("<Q")
MOST_BYTES = 2**28
"""The largest message that is read."""

_PIECE = 2**20


class ClosedError(Exception):
    """The other side has closed the connection, or sent an invalid message."""


class SlowError(Exception):
    """The message did not come in time."""


class Channel:
    """One end of a connection."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end

    def send(self, message: Message) -> None:
        """Send a message."""
        try:
            content = msgpack.packb(written(message))
        except (TypeError, ValueError, OverflowError) as problem:
            raise DataError(f"a message cannot be sent: {problem}") from None
        if len(content) > MOST_BYTES:
            raise DataError(f"a state or an output takes more than {MOST_BYTES // 2**20} MiB")
        try:
            self.end.sendall(_SIZE.pack(len(content)) + content)
        except OSError:
            raise ClosedError from None

    def receive(self, deadline: float | None = None) -> Message:
        """The next message."""
        (size,) = _SIZE.unpack(self._read(_SIZE.size, deadline))
        if size > MOST_BYTES:
            raise ClosedError
        try:
            return read(Message, msgpack.unpackb(self._read(size, deadline), strict_map_key=False))
        except (ValueError, RecursionError, msgpack.exceptions.UnpackException, DataError):
            raise ClosedError from None

    def waits(self, deadline: float) -> bool:
        """Whether something comes before the deadline, a value of ``time.monotonic``."""
        return bool(select.select([self.end], [], [], max(0.0, deadline - time.monotonic()))[0])

    def _read(self, size: int, deadline: float | None) -> bytes:
        content = bytearray()
        while len(content) < size:
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self.end], [], [], left)[0]:
                    raise SlowError
            try:
                piece = self.end.recv(min(size - len(content), _PIECE))
            except OSError:
                raise ClosedError from None
            if not piece:
                raise ClosedError
            content += piece
        return bytes(content)
