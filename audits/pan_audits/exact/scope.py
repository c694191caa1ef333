"""The inputs of an exact check: small streams, and whole inputs.

Streams of bounded length with the moments of observations, and their adjacency.

Whole inputs: all small turnstile streams, all small tables, or the given inputs, and their adjacent pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, TypeAlias

from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.catalogue import schedules
from pan_audits.problems.inputs.streams.family import Id, Schedule, SegmentEnd
from pan_audits.subject.intake.discovery import Mechanism
from pan_promises.errors import InputError
from pan_promises.promise import Adjacency, Promise


@dataclass(frozen=True)
class Update:
    """One update of a stream.

    Attributes
    ----------
    user
        The user, by number.
    deletes
        Whether it deletes.
    """

    user: int
    deletes: bool = False


Item: TypeAlias = Update | SegmentEnd
Stream: TypeAlias = tuple[Item, ...]
"""Updates, and between them the observations of a state or an output."""


@dataclass(frozen=True)
class Scope:
    """The streams that an exact check covers.

    Attributes
    ----------
    users
        Number of users.
    length
        Most updates in a stream.
    schedules
        The orders in which states and outputs are seen.
    adjacency
        The adjacency of streams.
    deletions
        Whether a user who is present may be deleted.
    exchangeable
        Whether users are interchangeable, so that one stream of each kind is enough.
    """

    users: int
    length: int
    schedules: tuple[Schedule, ...]
    adjacency: Adjacency
    deletions: bool = False
    exchangeable: bool = False

    @classmethod
    def of(cls, promise: Promise, users: int, length: int, *, deletions: bool, exchangeable: bool) -> Scope:
        """The scope for a promise."""
        orders: dict[Schedule, None] = {}
        for announced in range(promise.announced + 1):
            # The promise also covers fewer announced intrusions.
            if promise.intrusions + announced or not promise.sees_state:
                orders |= dict.fromkeys(schedules(replace(promise, announced=announced)))
        return cls(users, length, tuple(orders), promise.adjacency, deletions, exchangeable)

    @property
    def subjects(self) -> range:
        """The users whose occurrences differ between adjacent streams."""
        return range(1 if self.exchangeable else self.users)

    def streams(self, schedule: Schedule, length: int) -> Iterator[Stream]:
        """All streams with exactly this many updates."""
        for updates in self.updates(length):
            yield from placements(updates, schedule)

    def updates(self, length: int) -> Iterator[tuple[Update, ...]]:
        """All sequences of this many updates."""
        kinds = (False, True) if self.deletions else (False,)
        choices = [Update(user, deletes) for user in range(self.users) for deletes in kinds]
        for updates in product(choices, repeat=length):
            if self.deletions and not well_formed(updates):
                continue
            if self.exchangeable and not _others_in_order(updates):
                continue
            yield updates

    def size(self, length: int) -> int:
        """Number of streams with exactly this many updates, without regard to symmetry."""
        choices = self.users * (1 + self.deletions)
        return sum(choices**length * comb(length + len(order) - 1, len(order) - 1) for order in self.schedules)


def placements(updates: tuple[Update, ...], schedule: Schedule) -> Iterator[Stream]:
    """Every way to place the steps of a schedule among updates.

    The last step comes at the end: nobody sees later updates.
    """
    for places in combinations_with_replacement(range(len(updates) + 1), len(schedule) - 1):
        items: list[Item] = []
        begin = 0
        for step, end in zip(schedule, (*places, len(updates)), strict=True):
            items += [*updates[begin:end], step]
            begin = end
        yield tuple(items)


def without(stream: Stream, user: int) -> Stream:
    """The stream with all updates of one user removed."""
    return tuple(item for item in stream if not (isinstance(item, Update) and item.user == user))


def length_of(stream: Stream) -> int:
    """Number of updates."""
    return sum(isinstance(item, Update) for item in stream)


def adjacent(left: Stream, right: Stream, adjacency: Adjacency) -> bool:
    """Whether two streams that differ in one user only are also adjacent in a narrower sense."""
    if adjacency is Adjacency.USER_LEVEL:
        return True
    shorter, longer = sorted((left, right), key=len)
    rest = iter(longer)
    nested = all(item in rest for item in shorter)
    return nested and (adjacency is Adjacency.USER_LEVEL_NESTED or len(longer) - len(shorter) == 1)


def well_formed(updates: tuple[Update, ...]) -> bool:
    """Whether every deleted user is present."""
    present: set[int] = set()
    for update in updates:
        if update.deletes:
            if update.user not in present:
                return False
            present.discard(update.user)
        else:
            present.add(update.user)
    return True


def _others_in_order(updates: tuple[Update, ...]) -> bool:
    """Whether the users other than the first appear for the first time in the order of their numbers."""
    largest = 0
    for update in updates:
        if update.user > largest + 1:
            return False
        largest = max(largest, update.user)
    return True


def describe(stream: Stream, ids: tuple[Id, ...]) -> str:
    """A stream in words: ``7, 3, [state seen], 7, [output]``."""
    names: dict[Any, str] = {
        SegmentEnd.INTRUSION: "[state seen]",
        SegmentEnd.ANNOUNCED: "[state seen, announced]",
        SegmentEnd.RELEASE: "[output]",
    }
    parts = [
        names[item] if isinstance(item, SegmentEnd) else ("delete " if item.deletes else "") + str(ids[item.user])
        for item in stream
    ]
    return ", ".join(parts)


def stream_of(place: int) -> Stream:
    """The stream that stands for an input, with its output."""
    return (Update(place), SegmentEnd.RELEASE)


def two_inputs(
    ids: tuple[Id, ...], streams: tuple[Stream, Stream]
) -> tuple[tuple[Id, ...], tuple[Stream, Stream], int]:
    """The labels of two inputs, the streams that stand for them, and the place of the first."""
    labels = tuple(ids[item.user] for stream in streams for item in stream if isinstance(item, Update))
    return labels, (stream_of(0), stream_of(1)), 0


def require_adjacent_inputs(
    ids: tuple[Id, ...], inputs: tuple[Stream, Stream], mechanism: Mechanism, promise: Promise
) -> None:
    """Refuse two whole inputs that are not adjacent, where their labels say themselves which inputs they are."""
    left, right = (str(ids[place]) for place in places_of(*inputs))
    judged(mechanism.problem).require_adjacent(left, right, promise)


def places_of(left: Stream, right: Stream) -> list[int]:
    """The places of the labels of two inputs."""
    places = []
    for stream in (left, right):
        if not (stream and isinstance(stream[0], Update)):
            raise InputError("a witness of a mechanism on whole inputs is about two of them")
        places.append(stream[0].user)
    return places
