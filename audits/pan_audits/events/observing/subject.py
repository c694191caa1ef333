"""The user that features are about, and the possible places of its entries in an array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from pan_audits.problems.inputs.streams.family import Id
from pan_estimators.universes.universe import Universe

_MOST_ENTRIES = 8
_SHORT = 32
"""Arrays up to this length are listed element by element anyway."""


@dataclass(frozen=True)
class Subject:
    """The user that the features are about.

    Attributes
    ----------
    user
        The id.
    index
        Its index in the universe, if there is a universe.
    universe_size
        Number of users, or 0.
    """

    user: Id
    index: int | None = None
    universe_size: int = 0

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        """The forms in which the user may occur."""
        if self.index is None or self.index == self.user:
            return (self.user,)
        return (self.user, self.index)

    @cached_property
    def scalars(self) -> tuple[int | str, ...]:
        """The forms that can occur in an array of ids."""
        return tuple(key for key in self.keys if not isinstance(key, tuple))

    @cached_property
    def place(self) -> int | None:
        """The probable place of the user in an array with one entry per user."""
        if self.index is not None:
            return self.index
        return self.user if isinstance(self.user, int) and self.user >= 0 else None


def subject_of(estimator: Any, user: Id) -> Subject:
    """The user, with its index if the estimator has a universe."""
    universe = getattr(estimator, "universe", None)
    if not isinstance(universe, Universe):
        return Subject(user)
    ids = [user] if isinstance(user, tuple) else user
    return Subject(user, int(universe.encode(ids)[0]), universe.size)


@dataclass(frozen=True)
class Entry:
    """An entry that may belong to the user.

    Attributes
    ----------
    name
        Its description, after the name of the array.
    place
        Its place in the array read row by row.
    shift
        The bit, counted from the lowest; negative for the whole entry.
    """

    name: str
    place: int
    shift: int = -1


@lru_cache(maxsize=4096)
def entries_of_user(shape: tuple[int, ...], word: int, place: int | None, universe_size: int) -> tuple[Entry, ...]:
    """The entries of an array of this shape that may belong to the user."""
    size = math.prod(shape)
    if place is None or size < 2:
        return ()
    found = _whole(shape, size, place, universe_size) + _bits(size, word, place, universe_size)
    return tuple(found)


def _whole(shape: tuple[int, ...], size: int, place: int, universe_size: int) -> list[Entry]:
    if universe_size in (0, size):
        return [Entry(" of the user", place)] if place < size else []
    found: list[Entry] = []
    for axis, length in enumerate(shape):
        if length == universe_size and len(shape) > 1:
            inner = math.prod(shape[axis + 1 :])
            outer = size // (length * inner)
            places = [(i * length + place) * inner + j for i in range(outer) for j in range(inner)]
            found += _numbered(" of the user" + f", axis {axis}" * bool(axis), places)
    if found or len(shape) > 1:
        return found
    if size % universe_size == 0:
        times = size // universe_size
        found += _numbered(" of the user", [place * times + j for j in range(min(times, _MOST_ENTRIES))])
        found += _numbered(
            " of the user, by column", [place + j * universe_size for j in range(min(times, _MOST_ENTRIES))]
        )
    elif universe_size % size == 0 and size > _SHORT:
        found.append(Entry(" of the user", place // (universe_size // size)))
        found.append(Entry(" of the user, by remainder", place % size))
    return found


def _numbered(name: str, places: list[int]) -> list[Entry]:
    if len(places) == 1:
        return [Entry(name, places[0])]
    return [Entry(f"{name}[{number}]", place) for number, place in enumerate(places[:_MOST_ENTRIES])]


def _bits(size: int, word: int, place: int, universe_size: int) -> list[Entry]:
    """A packed array of bits, in either order of the bits in a word."""
    bits = size * word
    fits = universe_size <= bits < universe_size + word if universe_size else word == 8
    if not fits or place >= bits:
        return []
    where, shift = divmod(place, word)
    return [
        Entry(", bit of the user", where, shift),
        Entry(", bit of the user (highest first)", where, word - 1 - shift),
    ]
