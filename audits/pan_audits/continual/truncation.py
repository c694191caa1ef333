"""Rules that follow the existence of an element for a number of flips."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pan_promises.errors import require_count

_MOST_FLIPS = 64


class Rule(Protocol):
    """A finite machine that reads the existence of an element after each entry, and shows what is counted of it."""

    @property
    def start(self) -> Hashable:
        """The state before the first entry."""
        ...

    def step(self, state: Hashable, exists: bool) -> tuple[Hashable, int]:
        """The state after an entry, and what is counted: 0 or 1."""
        ...


class Afterwards(StrEnum):
    """The value that is counted once an element has flipped too often.

    ``ZERO``
        Nothing is counted of it, as in Algorithm 1 of the turnstile paper.
    ``LAST``
        The value before that flip.
    """

    ZERO = "zero"
    LAST = "last"


@dataclass(frozen=True)
class Truncation:
    """Existence is followed for at most ``flips`` flips."""

    flips: int
    afterwards: Afterwards = Afterwards.ZERO
    first_entry: bool = False

    def __post_init__(self) -> None:
        require_count("the number of flips", self.flips, least=0, most=_MOST_FLIPS)
        object.__setattr__(self, "afterwards", Afterwards(self.afterwards))

    @property
    def start(self) -> Hashable:
        """No entry so far."""
        return (False, -1 if not self.first_entry else 0)

    def step(self, state: Hashable, exists: bool) -> tuple[Hashable, int]:
        """The existence and the flips after an entry, and what is counted."""
        if isinstance(state, int):
            return state, state
        assert isinstance(state, tuple)
        before, flips = state
        if flips < 0:
            flips = 0
        elif exists != before:
            flips += 1
        if flips <= self.flips:
            return (exists, flips), int(exists)
        # From now on the state is the value itself.
        last = int(before) if self.afterwards is Afterwards.LAST else 0
        return last, last
