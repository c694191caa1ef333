"""All turnstile streams of a length, and all adjacent pairs among them, each once.

The pairs come in blocks, since one element and 8 entries give 21 million user-level pairs. An item-level neighbour is
found by its number: a stream is a number with one digit for each entry, and a no-op is the digit 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_audits.problems.inputs.turnstile.streams import JUDGED, all_streams, to_text
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.promise import Observed
from pan_promises.turnstile import Model, TurnstileStream

_MOST_LISTED = 50_000
"""Greatest number of pairs that are listed."""

MOST_STREAMS = 50_000
"""Greatest number of streams of one length."""


def small_streams(
    problem: Problem, adjacency: Adjacency, elements: int, steps: int, *, observed: Observed
) -> LabelledInputs | None:
    """All streams of a problem with this many elements and entries, and their pairs; ``None`` if they are too many."""
    small = SmallStreams(elements, steps, problem.model, adjacency, observed)
    if small.too_many or small.count() > _MOST_LISTED:
        return None
    if small.in_groups:
        pairs = [pair for group in small.groups() for pair in combinations(group.tolist(), 2)]
    else:
        pairs = [(one, other) for block in small.blocks() for one, other in block.tolist()]
    name = f"all streams of {steps} entries with {elements} elements"
    return LabelledInputs(name, small.labels, tuple(pairs), adjacency)


@dataclass(frozen=True)
class SmallStreams:
    """All streams of a model with a number of elements and of entries.

    If all outputs and a state are observed, each stream stands once for each time of the intrusion: all streams with an
    intrusion before the first entry, then those with one after the first entry, and so on.

    Attributes
    ----------
    elements, steps, model
        The streams.
    adjacency
        The adjacency.
    observed
        The observation, which is a part of the labels.
    """

    elements: int
    steps: int
    model: Model
    adjacency: Adjacency
    observed: Observed = Observed.OUTPUT

    def __post_init__(self) -> None:
        if self.adjacency not in JUDGED:
            raise InputError(
                f"panproof has no pairs of turnstile streams for {self.adjacency}; it has {', '.join(JUDGED)}"
            )

    @property
    def too_many(self) -> bool:
        """Whether there are more streams than a check covers, by a bound that all models share."""
        return bool((2 * self.elements + 1) ** self.steps * len(self.intrusions) > MOST_STREAMS)

    @property
    def intrusions(self) -> range:
        """The numbers of entries before an intrusion; for a state alone, all entries."""
        first = 0 if self.observed is Observed.STATE_AND_OUTPUT else self.steps
        return range(first, self.steps + 1)

    @property
    def in_groups(self) -> bool:
        """Whether the pairs come as :meth:`groups`; else they come as :meth:`blocks`."""
        return self.adjacency is Adjacency.USER_LEVEL

    @cached_property
    def streams(self) -> tuple[TurnstileStream, ...]:
        """The streams, in the order of their numbers."""
        return tuple(all_streams(self.elements, self.steps, self.model))

    @property
    def labels(self) -> tuple[str, ...]:
        """The streams as texts, for each time of the intrusion."""
        return tuple(to_text(stream, self.observed, after) for after in self.intrusions for stream in self.streams)

    def groups(self) -> Iterator[NDArray[np.int64]]:
        """For user-level pairs: the places of inputs that are equal outside of one element. All pairs are adjacent."""
        yield from self._for_each_intrusion(self._groups())

    def blocks(self) -> Iterator[NDArray[np.int64]]:
        """For item-level and event-level pairs: arrays of two columns with the places of both inputs."""
        yield from self._for_each_intrusion(self._blocks())

    def _for_each_intrusion(self, places: Iterator[NDArray[np.int64]]) -> Iterator[NDArray[np.int64]]:
        for found in places:
            yield from (found + number * len(self.streams) for number in range(len(self.intrusions)))

    def _groups(self) -> Iterator[NDArray[np.int64]]:
        for element in range(self.elements):
            own = self._is_of(element)
            outside = np.where(own, 0, self._digits) @ self._weights
            order = np.argsort(outside, kind="stable")
            cuts = np.flatnonzero(np.diff(outside[order])) + 1
            yield from (group for group in np.split(order, cuts) if len(group) > 1)

    def _blocks(self) -> Iterator[NDArray[np.int64]]:
        sizes = (1,) if self.adjacency is Adjacency.EVENT_LEVEL else range(1, self.steps + 1)
        for element in range(self.elements):
            own = self._is_of(element)
            chosen = (np.array(each) for size in sizes for each in combinations(range(self.steps), size))
            for places in chosen:
                first = np.flatnonzero(own[:, places].all(axis=1))
                fewer = self._numbers[first] - self._digits[np.ix_(first, places)] @ self._weights[places]
                second = np.minimum(np.searchsorted(self._numbers, fewer), len(self._numbers) - 1)
                legal = self._numbers[second] == fewer
                if legal.any():
                    yield np.column_stack([first[legal], second[legal]])

    def count(self) -> int:
        """The number of adjacent pairs."""
        if self.in_groups:
            return sum(len(group) * (len(group) - 1) // 2 for group in self.groups())
        return sum(len(block) for block in self.blocks())

    def _is_of(self, element: int) -> NDArray[np.bool_]:
        return np.asarray((self._digits == 2 * element + 1) | (self._digits == 2 * element + 2))

    @cached_property
    def _digits(self) -> NDArray[np.int64]:
        """One row for each stream: 0 for a no-op, ``2 e + 1`` for an insertion of ``e``, ``2 e + 2`` for a deletion."""
        rows = [
            [0 if entry is None else 2 * entry[0] + (1 if entry[1] > 0 else 2) for entry in stream]
            for stream in self.streams
        ]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.steps)

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        base = 2 * self.elements + 1
        return np.array([base**place for place in reversed(range(self.steps))], dtype=np.int64)

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The numbers of the streams. They are in increasing order, as the letters of :func:`all_streams` are."""
        return self._digits @ self._weights
