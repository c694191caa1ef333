"""The events on a real stream: the target, the intrusion, and the releases that may follow it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators.streams.real import load_stream
from pan_estimators.universes.universe import IntegerUniverse
from pan_promises.errors import InputError

Indices = NDArray[np.int64]

_KINDS = {"online-retail": "customer", "nycflights13": "aircraft"}
_MOMENTS = 10
"""Number of releases after the intrusion, the first and the last included."""


class Pattern(StrEnum):
    """The appearances of one user: the four patterns that an adversary wants to distinguish."""

    NEVER = "never"
    BEFORE = "before"
    AFTER = "after"
    BOTH = "before and after"

    @property
    def seen_before(self) -> bool:
        """Whether the user appears before the intrusion."""
        return self in (Pattern.BEFORE, Pattern.BOTH)

    @property
    def seen_after(self) -> bool:
        """Whether the user appears between the intrusion and the release."""
        return self in (Pattern.AFTER, Pattern.BOTH)


@dataclass(frozen=True, eq=False)
class Story:
    """A real stream with a target, an intrusion, and the releases that may follow it.

    The intrusion falls right before the first update of the second half by a user who has not appeared
    before; that user is the target. So the target's true pattern is :attr:`Pattern.AFTER`.

    Attributes
    ----------
    name
        Name of the stream.
    users
        The user of each update, in order, shape ``(T,)``: users are numbered from 0.
    universe
        The users by number.
    target
        Number of the target.
    label
        The label of the target: the kind of user, and its name in the stream.
    intrusion
        Number of updates before the intrusion.
    moments
        Numbers of updates before each release. At the first one, the target's first uninterrupted run of
        updates ends. The last one is the length of the stream.
    """

    name: str
    users: Indices
    universe: IntegerUniverse
    target: int
    label: str
    intrusion: int
    moments: tuple[int, ...]

    def segments(self, pattern: Pattern) -> tuple[Indices, ...]:
        """The users between one event and the next, each once: up to the intrusion, then up to each moment.

        All other users do what they do in the stream. The target's updates stay where they are if it
        appears after the intrusion and are dropped if it does not; if it appears before, it does so
        right before the intrusion.

        The fresh draws of cells depend only on the users in a segment.
        """
        parts = []
        for start, end in zip((0, self.intrusion, *self.moments[:-1]), (self.intrusion, *self.moments), strict=True):
            present = np.unique(self.users[start:end])
            wanted = pattern.seen_before if start == 0 else pattern.seen_after
            if start == 0 and wanted:
                present = np.union1d(present, [self.target])
            parts.append(present if wanted else present[present != self.target])
        return tuple(parts)

    def redrawn_by(self) -> Indices:
        """For each user the first moment by which it has appeared after the intrusion; their number if never."""
        by = np.full(self.universe.size, len(self.moments))
        for place in reversed(range(len(self.moments))):
            by[self.users[self.intrusion : self.moments[place]]] = place
        return by

    def others_redrawn(self, moment: int) -> int:
        """The number of other users who appear between the intrusion and a moment, given by its place."""
        return np.unique(self.users[self.intrusion : self.moments[moment]]).size - 1

    def others_present(self, moment: int) -> int:
        """The number of other users who appear before a moment, given by its place."""
        return np.unique(self.users[: self.moments[moment]]).size - 1

    @property
    def target_updates(self) -> int:
        """The number of appearances of the target in the stream."""
        return int(np.count_nonzero(self.users == self.target))


def story_of(name: str) -> Story:
    """The story of a shipped stream."""
    labelled, numbered = load_stream(name), load_stream(name, numbered=True)
    return tell(name, numbered.universe.encode(numbered.ids), numbered.universe.size, labelled.ids)


def tell(name: str, users: Indices, size: int, labels: NDArray[Any]) -> Story:
    """The story of any stream of users numbered from 0 to ``size - 1``, whose names are ``labels``."""
    newcomers = np.flatnonzero(is_first_appearance(users))
    newcomers = newcomers[newcomers >= users.size // 2]
    if not newcomers.size:
        raise InputError(f"nobody appears for the first time in the second half of {name}: there is no target")
    intrusion = int(newcomers[0])
    target = int(users[intrusion])
    elsewhere = np.flatnonzero(users[intrusion:] != target)
    first = int(elsewhere[0]) if elsewhere.size else users.size - intrusion
    gaps = np.geomspace(first, users.size - intrusion, _MOMENTS).round().astype(np.int64)
    moments = tuple(sorted(set((intrusion + gaps).tolist())))
    label = f"{_KINDS.get(name, 'user')} {labels[intrusion]}"
    return Story(name, users, IntegerUniverse(size), target, label, intrusion, moments)


def is_first_appearance(users: Indices) -> NDArray[np.bool_]:
    """For each update whether its user has not appeared before, shape ``(T,)``."""
    first = np.zeros(users.size, dtype=np.bool_)
    first[np.unique(users, return_index=True)[1]] = True
    return first


def running_density(users: Indices, size: int) -> NDArray[np.float64]:
    """The density of the stream after 0, 1, ..., T updates, shape ``(T + 1,)``."""
    return np.concatenate([[0], np.cumsum(is_first_appearance(users))]) / size
