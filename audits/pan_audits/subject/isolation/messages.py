"""The messages between the judge and a judged process: one class each, which both sides import.

A message travels as its length and MessagePack, never as a pickle: the name of its class and its fields as plain data.
Only messages and records can be read, and each value must have the type of its field. What a judged process sends is
still a statement of foreign code.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgpack
import numpy as np

from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation.data import DataError, Node, from_data, to_data
from pan_audits.subject.running.course import Course
from pan_estimators.universes.universe import Universe, universe_from_dict
from pan_promises.problem import Problem
from pan_promises.promise import Promise

KINDS: dict[str, type[Message]] = {}
"""The messages by name."""


class Message:
    """A message. A field of the type ``Node`` is data already."""

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = cls


class Record(Message):
    """A part of a message, or an answer, about the judged code. No text of it acts on a terminal."""


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
    """Many runs on a stream, or on two in turn, in a random order; without a seed, with the randomness of a deployment.

    Each run shows its states, its outputs, its sampled users, and the bytes that it prints, as far as they are wanted.
    """

    courses: Sequence[Course]
    runs: int
    seed: Sequence[int] | None
    states: bool = False
    users: bool = False
    printed: bool = False


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


@dataclass(frozen=True)
class Script(Record):
    """Create, update with the first ids, look at the state, update with the rest, release.

    Attributes
    ----------
    first, rest
        Ids before and after the look.
    seed
        Of the randomness that is handed in.
    global_seed
        Of ``random`` and ``numpy.random``, which an estimator must not use.
    resume_from
        State and randomness to start with, in place of creating and updating with ``first``.
    times
        Number of performances in one process, at most; the result is that of the first one.
    global_step
        Each later performance has a global seed that is larger by this number than the one before.
    """

    first: tuple[Any, ...]
    rest: tuple[Any, ...]
    seed: int
    global_seed: int = 1
    resume_from: bytes | None = None
    times: int = 1
    global_step: int = 0


@dataclass(frozen=True)
class Performance(Record):
    """The results of one performance of a script.

    Attributes
    ----------
    midway, end, after_release
        The state after the first ids, after all of them, and after the release.
    output
        The release.
    generator
        The state of the randomness midway.
    draws
        Calls of the randomness.
    before, after
        Digests of the estimator's own attributes.
    """

    midway: Node
    end: Node
    after_release: Node
    output: Node
    generator: Node
    draws: int
    before: Mapping[str, str]
    after: Mapping[str, str]
    performed: tuple[str, ...] = ()


@dataclass
class Perform(Question):
    """Perform the script of the checks of conduct a number of times, from the start or from a state."""

    script: Script


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
class Begin(Message):
    """The first message to a process: where it finds the judged code, its private folder, and its limits."""

    name: str
    folder: str
    search_path: Sequence[str]
    private: str
    memory_bytes: int
    level: str
    seconds: float


@dataclass
class Explore(Question):
    """Draw pairs of a space: each is a :class:`Part`, and the answer to it a :class:`Weighed`."""

    packed: bytes
    examples: int
    seed: int
    numbers: Sequence[int]
    texts: Sequence[str]


@dataclass
class Weighed(Message):
    """The weight of a pair, and whether it is what is looked for."""

    weight: float
    found: bool


@dataclass
class Ready(Message):
    """The process has started."""


@dataclass
class Reply(Message):
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
class DrawResult(Message):
    """The value of a draw, or the reason why there is none."""

    value: Node
    error: str = ""


@dataclass
class Part(Message):
    """A part of a long answer. The process waits for a :class:`GoOn`."""

    value: Node


AS_IT_IS = "o"
NUMPY_LETTERS: dict[Any, str] = {np.float64: "d", np.int64: "l", np.bool_: "?"}
"""The letters of outputs that are sent as a number of Python."""
_FROM_LETTERS = {letter: (kind, type(kind().item())) for kind, letter in NUMPY_LETTERS.items()}


_NUMBERS = frozenset((bool, int, float))


@dataclass
class Outputs(Part):
    """The outputs of runs that show nothing else, each with a letter for its form."""

    letters: str

    def read(self) -> list[Any]:
        """The outputs."""
        nodes = self.value
        if not isinstance(nodes, list) or len(nodes) != len(self.letters):
            raise DataError("it sent invalid observations")
        # Ordinary numbers are as they are.
        if _NUMBERS.issuperset(map(type, nodes)) and set(self.letters) <= {AS_IT_IS}:
            return nodes
        return [
            from_data(node) if letter == AS_IT_IS else _of_numpy(node, letter)
            for node, letter in zip(nodes, self.letters, strict=True)
        ]


def _of_numpy(number: Any, letter: str) -> Any:
    made, plain = _FROM_LETTERS.get(letter, (None, None))
    if made is None or type(number) is not plain:
        raise DataError("it sent invalid observations")
    return made(number)


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
_DOCUMENTS: Mapping[str, tuple[Any, Callable[[Any], Any]]] = {
    "promise": (Promise, Promise.from_dict),
    "problem": (Problem, Problem.from_dict),
    "universe": (Universe, universe_from_dict),
}
_LONGEST = 4096
"""Letters of a text of a record, and parts of a list, that are read."""


@cache
def _fields(kind: Any) -> tuple[tuple[str, bool, Any], ...]:
    """The fields of a message, whether each is data already, and its type."""
    hints = get_type_hints(kind)
    return tuple((each.name, each.type == "Node", hints[each.name]) for each in fields(kind))


def written(message: Message) -> Node:
    """A message as data."""
    kind: Any = type(message)
    parts = ((getattr(message, name), is_node) for name, is_node, _ in _fields(kind))
    return [kind.__name__, *(part if is_node else to_data(part, special=_alone) for part, is_node in parts)]


def read(kind: type[_Message], node: Node) -> _Message:
    """The message of some data, which must be of a kind, with values of the types of its fields."""
    name, *parts = node if isinstance(node, list) and node else [None]
    found: Any = KINDS.get(name) if isinstance(name, str) else None
    if found is None or not issubclass(found, kind) or len(parts) != len(_fields(found)):
        raise DataError("it sent an invalid answer")
    shown = issubclass(found, Record)
    values = (
        part if is_node else _typed(from_data(part, revive=_read_alone), hint, shown=shown)
        for part, (_, is_node, hint) in zip(parts, _fields(found), strict=True)
    )
    made: _Message = found(*values)
    return made


def _typed(value: Any, hint: Any, *, shown: bool) -> Any:
    """A value that must have a type. The text of a record is made harmless for a terminal."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind is Any:
        return value
    if kind is UnionType:
        for part in parts:
            with contextlib.suppress(DataError):
                return _typed(value, part, shown=shown)
    elif kind in (tuple, Sequence) and isinstance(value, (list, tuple)):
        given = value[:_LONGEST] if shown else value
        each = parts if kind is tuple and parts[-1] is not Ellipsis else parts[:1] * len(given)
        if len(each) == len(given):
            found = [_typed(one, inner, shown=shown) for one, inner in zip(given, each, strict=True)]
            return tuple(found) if kind is tuple else found
    elif kind is Mapping and isinstance(value, dict):
        of_key, of_value = parts
        return {_typed(key, of_key, shown=shown): _typed(value[key], of_value, shown=shown) for key in value}
    elif isinstance(value, (int, float) if kind is float else kind) and (kind is bool or not isinstance(value, bool)):
        if shown and kind is str:
            return "".join(letter if letter.isprintable() else "?" for letter in str(value)[:_LONGEST])
        return value
    raise DataError("it sent an invalid answer")


def _alone(value: Any) -> Node:
    """A step of a stream, a record, a document; each array without a reference to another one: code may change it."""
    if type(value) in (list, tuple, dict):
        return None
    if isinstance(value, SegmentEnd):
        return ["~", "step", str(value)]
    if isinstance(value, np.ndarray):
        return ["~", "array", to_data(value)]
    if isinstance(value, Record):
        return ["~", "record", written(value)]
    name = next((name for name, (kind, _) in _DOCUMENTS.items() if isinstance(value, kind)), None)
    return None if name is None else ["~", name, to_data(value.to_dict())]


def _read_alone(parts: list[Any]) -> Any:
    name, content = parts
    if name in _DOCUMENTS:
        return _DOCUMENTS[name][1](from_data(content))
    known: dict[str, Callable[[Any], Any]] = {"step": SegmentEnd, "array": from_data, "record": partial(read, Record)}
    return known[name](content)


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
