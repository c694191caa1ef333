"""Families of streams that differ in the appearances of one user, and the adjacent pairs among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Any, ClassVar

from pan_audits.inputs.streams.side import Id, Piece, Schedule, Segment, SegmentEnd, Side, StreamSlice, Updates
from pan_promises.promise import Adjacency

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
        return ((often,) * segments, *(_raised((often,) * segments, place) for place in range(segments)))
    units = tuple(tuple(often * int(place == unit) for place in range(segments)) for unit in range(segments))
    return ((0,) * segments, (1,) * segments, *units, (often,) * segments)


def _raised(pattern: Pattern, place: int) -> Pattern:
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
