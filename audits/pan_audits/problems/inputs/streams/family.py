"""Streams, cut at the times of observations, and families of them that differ in the appearances of one user."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate, combinations, pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_audits.judging.reading import Field
from pan_estimators.universes.ids import as_id_array
from pan_promises.errors import InputError, shown, suggestion
from pan_promises.promise import Adjacency

MOST_UPDATES = 10**6
"""Greatest number of updates of a stream from a document. A stream of an audit has at most half a million."""

_MOST_SEGMENTS = 64
_LARGEST_ID = 2**63 - 1

Id: TypeAlias = int | str | tuple[int, int]


class SegmentEnd(StrEnum):
    """The step after a segment of the stream."""

    INTRUSION = "intrusion"
    ANNOUNCED = "announced intrusion"
    RELEASE = "release"


Schedule: TypeAlias = tuple[SegmentEnd, ...]
"""One step after each segment of a stream."""


@dataclass(frozen=True)
class Updates:
    """A sequence of ids, repeated ``times`` times.

    Attributes
    ----------
    ids
        The ids.
    times
        Number of repetitions of the sequence.
    deletes
        Whether each update deletes its user; empty if none does.
    """

    ids: tuple[Id, ...]
    times: int = 1
    deletes: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return len(self.ids) * self.times


@dataclass(frozen=True)
class StreamSlice:
    """A stretch of a shipped real stream with all occurrences of one user left out.

    Attributes
    ----------
    stream
        Name for :func:`pan_estimators.load_stream`.
    start, stop
        Positions in the original stream.
    without
        The user that is left out.
    alternating
        Whether the appearances of each user insert and delete it in turn.
    """

    stream: str
    start: int
    stop: int
    without: Id
    alternating: bool = False

    def __len__(self) -> int:
        return int(_slice(self).size)


Piece: TypeAlias = Updates | StreamSlice
Segment: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True)
class Side:
    """One of two adjacent streams: a segment before each step of the schedule."""

    segments: tuple[Segment, ...]

    def __len__(self) -> int:
        return sum(len(piece) for segment in self.segments for piece in segment)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"segments": [[_piece_to_dict(piece) for piece in segment] for segment in self.segments]}

    @classmethod
    def from_dict(cls, values: Field | Mapping[str, Any]) -> Side:
        """Read the result of :meth:`to_dict`; :class:`InputError` names the place of a part that is wrong."""
        return cls(segments_in(Field.of(values)["segments"]))

    def fingerprint(self, schedule: Schedule) -> int:
        """A number that depends on the stream and the schedule alone, for seeding."""
        text = json.dumps([self.to_dict(), list(map(str, schedule))], sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:12], "little")


@lru_cache(maxsize=256)
def materialise(segment: Segment) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The ids of a segment as an array, and its deletions if it has any."""
    arrays: list[NDArray[Any]] = []
    deletes: list[NDArray[np.bool_]] = []
    for piece in segment:
        if isinstance(piece, StreamSlice):
            arrays.append(_slice(piece))
            deletes.append(_slice_deletes(piece))
        elif piece.ids:
            ids = np.array(piece.ids) if isinstance(piece.ids[0], tuple) else as_id_array(list(piece.ids))
            arrays.append(np.concatenate([ids] * piece.times))
            flags = np.array(piece.deletes or (False,) * len(piece.ids), dtype=np.bool_)
            deletes.append(np.tile(flags, piece.times))
    if not arrays:
        return np.empty(0, dtype=np.int64), None
    flags = np.concatenate(deletes)
    ids = np.concatenate(arrays)
    ids.setflags(write=False)
    return ids, flags if flags.any() else None


def _ids_of(stream: str) -> NDArray[Any]:
    # Most processes read no shipped stream.
    from pan_estimators.streams.real import load_stream

    return np.asarray(load_stream(stream, numbered=True).ids)


@lru_cache(maxsize=64)
def _slice(piece: StreamSlice) -> NDArray[Any]:
    ids = _ids_of(piece.stream)[piece.start : piece.stop]
    return np.asarray(ids[ids != piece.without])


@lru_cache(maxsize=64)
def _slice_deletes(piece: StreamSlice) -> NDArray[np.bool_]:
    if not piece.alternating:
        return np.zeros(len(piece), dtype=np.bool_)
    ids = _ids_of(piece.stream)
    order = np.argsort(ids, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], ids[order][1:] != ids[order][:-1]]))
    counts = np.diff(np.append(starts, ids.size))
    occurrence = np.empty(ids.size, dtype=np.int64)
    occurrence[order] = np.arange(ids.size) - np.repeat(starts, counts)
    kept = ids[piece.start : piece.stop] != piece.without
    return np.asarray(occurrence[piece.start : piece.stop][kept] % 2 == 1)


def _piece_to_dict(piece: Piece) -> dict[str, Any]:
    if isinstance(piece, StreamSlice):
        return {
            "stream": piece.stream,
            "start": piece.start,
            "stop": piece.stop,
            "without": list(piece.without) if isinstance(piece.without, tuple) else piece.without,
            "alternating": piece.alternating,
        }
    ids = [list(identifier) if isinstance(identifier, tuple) else identifier for identifier in piece.ids]
    described: dict[str, Any] = {"ids": ids}
    if piece.times != 1:
        described["times"] = piece.times
    if piece.deletes:
        described["deletes"] = list(piece.deletes)
    return described


def segments_in(field: Field) -> tuple[Segment, ...]:
    """The segments of a stream, as :meth:`Side.to_dict` wrote them."""
    found = tuple(tuple(_piece(piece) for piece in segment.items()) for segment in field.items(most=_MOST_SEGMENTS))
    updates = sum(len(piece.ids) * piece.times for segment in found for piece in segment if isinstance(piece, Updates))
    if updates > MOST_UPDATES:
        raise InputError(f"{field.place}: a stream may have at most {MOST_UPDATES} updates here, got {updates}")
    return found


def _piece(field: Field) -> Piece:
    if field.get("stream") is not None:
        from pan_estimators.streams.real import STREAMS

        name = field["stream"].text()
        with field["stream"].placed():
            if name not in STREAMS:
                raise InputError(f"unknown stream {shown(name)}; {suggestion(name, STREAMS)}")
        alternating = field.get("alternating")
        start = field["start"].whole(most=MOST_UPDATES)
        stop = field["stop"].whole(least=start, most=MOST_UPDATES)
        return StreamSlice(name, start, stop, id_in(field["without"]), alternating is not None and alternating.truth())
    ids = tuple(id_in(identifier) for identifier in field["ids"].items(most=MOST_UPDATES))
    times, flags = field.get("times"), field.get("deletes")
    deletes = () if flags is None else tuple(flag.truth() for flag in flags.items(most=len(ids)))
    if deletes and len(deletes) != len(ids):
        raise InputError(f"{field.place}.deletes: there must be one for each of {len(ids)} ids, got {len(deletes)}")
    return Updates(ids, 1 if times is None else times.whole(most=MOST_UPDATES), deletes)


def id_in(field: Field, longest: int = 1000) -> Id:
    """The id of a user as it was written to JSON: a number, a text, or a pair of numbers."""
    if isinstance(field.value, list):
        low, high = (end.whole(most=_LARGEST_ID) for end in field.items(least=2, most=2, what="an id: a list"))
        return (low, high)
    if isinstance(field.value, str):
        return field.text(longest)
    return field.whole(least=-_LARGEST_ID, most=_LARGEST_ID)


Pattern = tuple[int, ...]
"""Number of appearances of the user in each segment."""


@dataclass(frozen=True)
class Pair:
    """Two adjacent streams of a family, by their patterns of the differing user.

    Attributes
    ----------
    family
        Their family: a :class:`Family`, or another group of inputs with the same interface.
    left, right
        Positions in ``family.patterns``.
    """

    family: Any
    left: int
    right: int

    @property
    def sides(self) -> tuple[Side, Side]:
        """The two streams."""
        return self.family.side(self.left), self.family.side(self.right)

    @property
    def nested(self) -> bool:
        """Whether one stream is the other with occurrences of the user removed."""
        ours, theirs = self.family.own_updates(self.left), self.family.own_updates(self.right)
        within = all(_is_part(a, b) for a, b in zip(ours, theirs, strict=True))
        return within or all(_is_part(b, a) for a, b in zip(ours, theirs, strict=True))

    @property
    def size(self) -> int:
        """Total length of the two streams."""
        return sum(map(len, self.sides))

    def describe(self) -> str:
        """The differences of both streams, in words."""
        return (
            f"on the left stream {self.family.describe(self.left)}; "
            f"on the right stream {self.family.describe(self.right)}"
        )


@dataclass(frozen=True)
class Family:
    """Streams with the same updates of all other users.

    Attributes
    ----------
    name
        The updates of the other users, in words.
    user
        The user whose appearances differ.
    schedule
        The step after each segment.
    others
        The updates of all other users, segment by segment.
    patterns
        Number of appearances of the user in each segment: one pattern for each stream.
    first
        Whether the user comes first in each segment, or last.
    alternating
        Whether the appearances of the user are insertions and deletions in turn.
    adjacency
        The adjacency of pairs.
    """

    name: str
    user: Id
    schedule: Schedule
    others: tuple[Segment, ...]
    patterns: tuple[Pattern, ...]
    adjacency: Adjacency
    first: bool = False
    alternating: bool = False
    noun: ClassVar[str] = "stream"

    def side(self, place: int) -> Side:
        """The stream with the given pattern."""
        segments: list[Segment] = []
        for flags, others in zip(self.own_updates(place), self.others, strict=True):
            own = self._own(flags)
            segments.append((*own, *others) if self.first else (*others, *own))
        return Side(tuple(segments))

    def own_updates(self, place: int) -> tuple[tuple[bool, ...], ...]:
        """The updates of the user with the given pattern, segment by segment: whether each is a deletion."""
        numbers = [0, *accumulate(self.patterns[place])]
        return tuple(
            tuple(self.alternating and number % 2 == 1 for number in range(start, stop))
            for start, stop in pairwise(numbers)
        )

    @property
    def sides(self) -> tuple[Side, ...]:
        """All streams of the family."""
        return tuple(self.side(place) for place in range(len(self.patterns)))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All adjacent pairs of the family, each once."""
        pairs = (Pair(self, i, j) for i, j in combinations(range(len(self.patterns)), 2))
        return tuple(pair for pair in pairs if self._adjacent(pair))

    def _adjacent(self, pair: Pair) -> bool:
        if self.adjacency is Adjacency.USER_LEVEL:
            return True
        if self.adjacency is Adjacency.USER_LEVEL_NESTED:
            return pair.nested
        ours, theirs = self.patterns[pair.left], self.patterns[pair.right]
        return pair.nested and abs(sum(ours) - sum(theirs)) == 1

    def _own(self, deletes: tuple[bool, ...]) -> tuple[Piece, ...]:
        if not deletes:
            return ()
        if not self.alternating:
            return (Updates((self.user,), len(deletes)),)
        return (Updates((self.user,) * len(deletes), 1, deletes),)

    def describe(self, place: int) -> str:
        """The updates of the user on one stream, in words: ``user 17 appears only after the intrusion``."""
        pattern = self.patterns[place]
        where = segment_names(self.schedule)
        spans = [(times, name) for times, name in zip(pattern, where, strict=True) if times]
        if not spans:
            return f"user {self.user} never appears"
        verb = "appears"
        if self.alternating:
            verb = "is inserted" if sum(pattern) == 1 else "is inserted and deleted in turn"
        if len(spans) == 1 and len(where) > 1:
            times, name = spans[0]
            often = "" if times == 1 else f" {times} times,"
            return f"user {self.user} {verb}{often} only {name}"
        return f"user {self.user} {verb} " + " and ".join(f"{_times(times)} {name}" for times, name in spans)

    def describe_pair(self, left: int, right: int) -> tuple[str, str]:
        """Both streams of a pair in words."""
        return self.describe(left), self.describe(right)

    def describe_others(self) -> str:
        """The other users' updates, in a sentence."""
        described = [
            f"{_described(segment)} {name}"
            for segment, name in zip(self.others, segment_names(self.schedule), strict=True)
            if segment
        ]
        return f"Of the other users there are {', and '.join(described)}." if described else "Nobody else appears."

    def to_dict(self) -> dict[str, Any]:
        """A short description, JSON-ready; the streams themselves are written out elsewhere."""
        return {"name": self.name, "user": list(self.user) if isinstance(self.user, tuple) else self.user}


def segment_names(schedule: Schedule) -> tuple[str, ...]:
    """When each segment of the stream takes place, in words."""
    intrusions = sum(step is not SegmentEnd.RELEASE for step in schedule)
    names: list[str] = []
    seen = releases = 0
    for step in schedule:
        if step is SegmentEnd.RELEASE:
            releases += 1
            last = "after the intrusion" if intrusions == 1 else f"after intrusion {seen}"
            more = "" if releases == 1 else f", after output {releases - 1}"
            names.append((last if seen else "before the output") + more)
            continue
        seen += 1
        label = "the intrusion" if intrusions == 1 else f"intrusion {seen}"
        names.append(f"before {label}" if seen == 1 else f"between intrusions {seen - 1} and {seen}")
    return tuple(names)


def _is_part(fewer: tuple[bool, ...], more: tuple[bool, ...]) -> bool:
    """Whether one sequence is the other with elements left out."""
    rest = iter(more)
    return all(flag in rest for flag in fewer)


def _times(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def basic_patterns(segments: int) -> tuple[Pattern, ...]:
    """Every way to appear at most once in each segment; beyond three segments, the extreme ones."""
    if segments <= 3:
        return tuple(tuple(number >> place & 1 for place in range(segments)) for number in range(2**segments))
    units = tuple(tuple(int(place == unit) for place in range(segments)) for unit in range(segments))
    return ((0,) * segments, *units, (1,) * segments)


def many_patterns(segments: int, often: int, adjacency: Adjacency) -> tuple[Pattern, ...]:
    """Appearing never, once everywhere, often in one segment, often everywhere."""
    if adjacency is Adjacency.EVENT_LEVEL:
        return ((often,) * segments, *(raised((often,) * segments, place) for place in range(segments)))
    units = tuple(tuple(often * int(place == unit) for place in range(segments)) for unit in range(segments))
    return ((0,) * segments, (1,) * segments, *units, (often,) * segments)


def raised(pattern: Pattern, place: int) -> Pattern:
    """The pattern with one more appearance in one segment."""
    return tuple(times + (position == place) for position, times in enumerate(pattern))


def empty_segments(count: int) -> tuple[Segment, ...]:
    """No other users at all."""
    return ((),) * count


def spread(ids: Sequence[Id], count: int) -> tuple[Segment, ...]:
    """The ids, divided among ``count`` segments, in order."""
    size = -(-len(ids) // count)
    return tuple((Updates(tuple(ids[i * size : (i + 1) * size])),) if ids[i * size :] else () for i in range(count))


def _described(segment: Segment) -> str:
    parts = []
    for piece in segment:
        if isinstance(piece, StreamSlice):
            parts.append(f"updates {piece.start} to {piece.stop} of {piece.stream}")
        else:
            distinct = len(set(piece.ids))
            parts.append(f"{len(piece)} update{'s' * (len(piece) > 1)} by {distinct} user{'s' * (distinct > 1)}")
    return " and ".join(parts)
