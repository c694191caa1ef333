"""The largest loss over all pairs of adjacent streams of a scope."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from pan_audits.exact.errors import TooLargeError
from pan_audits.exact.loss import Loss
from pan_audits.exact.scope import Scope, Stream, adjacent, length_of, without
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.supremum import Extreme, Mixture, largest_ratio
from pan_estimators import Adjacency


@dataclass(frozen=True)
class ExactPair:
    """Two adjacent streams and the observation that tells them apart best.

    Attributes
    ----------
    left, right
        The streams; the observation is likelier on the left one.
    user
        The user whose updates differ.
    seen
        The discrete part of the observation.
    extreme
        The ratio of the two probabilities, and where it is attained.
    """

    left: Stream
    right: Stream
    user: int
    seen: tuple[Any, ...]
    extreme: Extreme

    @property
    def loss(self) -> Loss:
        """The loss."""
        return Loss(self.extreme.ratio, self.extreme.attained)

    @property
    def length(self) -> int:
        """Total number of updates in both streams."""
        return length_of(self.left) + length_of(self.right)


@dataclass
class Found:
    """The largest loss of a scope, and what was covered."""

    worst: ExactPair | None = None
    streams: int = 0
    pairs: int = 0

    def add(self, pair: ExactPair) -> None:
        """Keep the pair with the largest loss; of equal ones the shortest."""
        if (
            self.worst is None
            or pair.loss > self.worst.loss
            or (not self.worst.loss > pair.loss and pair.length < self.worst.length)
        ):
            self.worst = pair


def search_scope(stepper: Stepper, scope: Scope, *, deadline: float = float("inf")) -> Found:
    """Look at every stream of up to ``scope.length`` updates, every adjacent twin, every placement of steps.

    Raises
    ------
    TooLargeError
        When the deadline, a value of ``time.perf_counter``, has passed.
    """
    found = Found()
    for schedule in scope.schedules:
        streams = [s for length in range(scope.length + 1) for s in scope.streams(schedule, length)]
        found.streams += len(streams)
        for user in scope.subjects:
            families: dict[Stream, list[Stream]] = defaultdict(list)
            for stream in streams:
                families[without(stream, user)].append(stream)
            for family in families.values():
                if time.perf_counter() > deadline:
                    raise TooLargeError("the time is up")
                search_family(stepper, family, user, scope.adjacency, found)
    return found


def search_family(stepper: Stepper, family: list[Stream], user: int, adjacency: Adjacency, found: Found) -> None:
    """All pairs of streams that are equal once ``user`` is taken out of them."""
    laws = [stepper.law(stream) for stream in family]
    allowed = None
    if adjacency is Adjacency.USER_LEVEL:
        found.pairs += len(family) * (len(family) - 1) // 2
    else:
        pairs = {
            (i, j)
            for i, left in enumerate(family)
            for j, right in enumerate(family)
            if i != j and adjacent(left, right, adjacency)
        }
        found.pairs += len(pairs) // 2

        def allowed(i: int, j: int) -> bool:
            return (i, j) in pairs

    if len(family) < 2:
        return
    for seen in dict.fromkeys(key for law in laws for key in law):
        mixtures: list[Mixture] = [law.get(seen, ()) for law in laws]
        extreme = largest_ratio(mixtures, allowed)
        if extreme is not None:
            found.add(ExactPair(family[extreme.high], family[extreme.low], user, seen, extreme))
