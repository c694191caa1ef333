"""The observations of an intruder along a stream. Equal histories are one object, which is computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pan_audits.choices.noise import NoisyNumber
from pan_audits.exact.observation import Path, path_of

Key = str


@dataclass(frozen=True, eq=False)
class Seen:
    """One observation of an intruder. Equal observations are one object.

    Attributes
    ----------
    key
        Its discrete part.
    numbers
        The noisy numbers in it.
    """

    key: Key
    numbers: tuple[NoisyNumber, ...] = ()

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key that is equal for equal observations only."""
        return self.key, tuple(number.identity for number in self.numbers)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The common form of histories that differ only in the names of their noise; equal ones are one object.

    Attributes
    ----------
    key
        The discrete part of all observations.
    path
        The noisy numbers in it.
    """

    key: tuple[Any, ...]
    path: Path


@dataclass(eq=False)
class History:
    """All observations, in order; made by :meth:`then` from an empty history.

    Attributes
    ----------
    seen
        The observations.
    """

    seen: tuple[Seen, ...] = ()
    _next: dict[Seen, History] = field(default_factory=dict)
    _outcomes: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)
    _paths: dict[Path, Path] = field(default_factory=dict)

    def then(self, one: Seen) -> History:
        """The history with one more observation."""
        found = self._next.get(one)
        if found is None:
            found = self._next[one] = History((*self.seen, one), {}, self._outcomes, self._paths)
        return found

    @cached_property
    def outcome(self) -> Outcome:
        """The common form of this history."""
        marks, path = path_of(tuple(number for one in self.seen for number in one.numbers))
        key = (*(one.key for one in self.seen), *marks)
        path = self._paths.setdefault(path, path)
        return self._outcomes.setdefault((key, path), Outcome(key, path))
