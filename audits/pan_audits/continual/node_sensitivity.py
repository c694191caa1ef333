"""The exact sensitivity of the node vector of a dyadic tree, for any number of leaves.

A stream of one element has a vector v of counted values, 0 before the first entry. The node of an interval ``(a, b]``
has the value ``v[b] - v[a]``. The largest squared l2 distance of the node vectors of two neighbours comes from dynamic
programming over the tree: a state has the kept counts of both streams and the states of the truncation, and a tree of
double length is two trees that meet in a state. So the time grows with the logarithm of the number of leaves.

Two neighbouring streams of one element are read at once by finite machines. The counts of a stream have no bound, and
the existence of the element depends on their sign alone. Let c and c' be the counts of the element in both streams.

Item-level: entries of the second stream are entries of the first one, or no-ops. The second count can be kept in
{0, 1}: an entry that leaves the kept count as it is becomes a no-op in the second stream alone. So at each entry c'
changes and ``g = c - c'`` does not, or g changes and c' does not. The element exists in the first stream if and only if
``g + c' > 0``. For c' in {0, 1} this depends on whether g is negative, 0 or positive. So g can be kept in {-1, 0, 1}.

Event-level: the difference changes once. For g in {-1, 0, 1} both existences depend on c' kept in {-1, 0, 1, 2}; an
entry that leaves the kept count as it is becomes a no-op in both streams.

User-level: the two streams are independent of each other, so that both counts can be kept in {0, 1}.

In the strict model no kept count is negative; in the toggle model c and c' are 0 or 1. The kept counts have these
properties if the counts themselves have them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError, require_count
from pan_promises.turnstile import Model

_MOST_FLIPS = 64


class Afterwards(StrEnum):
    """The value that is counted once an element has flipped too often.

    ``ZERO``
        Nothing is counted of it, as in Algorithm 1 of the turnstile paper.
    ``LAST``
        The value before that flip.
    """

    ZERO = "zero"
    LAST = "last"


Counts: TypeAlias = tuple[int, int, bool]
"""The kept counts of both streams, and whether an entry differed (event-level only)."""

START: Counts = (0, 0, False)

State: TypeAlias = tuple[Counts, Hashable, Hashable, int, int]
"""The kept counts, the states of the truncation of both streams, and their counted values."""


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

    def after(
        self, counts: Counts, one: Hashable, other: Hashable, adjacency: Adjacency, model: Model
    ) -> Iterator[State]:
        """The states of two streams after one more entry of both."""
        for moved in moves(counts, adjacency, model):
            after_one, shown_one = self.step(one, moved[0] > 0)
            after_other, shown_other = self.step(other, moved[1] > 0)
            yield moved, after_one, after_other, shown_one, shown_other


_SIGNS = (-1, 0, 1)


def moves(counts: Counts, adjacency: Adjacency, model: Model) -> Iterator[Counts]:
    """The kept counts after one more entry of both streams, each at least once."""
    if adjacency not in OF_TURNSTILE_STREAMS:
        raise InputError(f"turnstile streams have the adjacencies {', '.join(OF_TURNSTILE_STREAMS)}, got {adjacency}")
    one, other, differed = counts
    if adjacency is Adjacency.USER_LEVEL:
        found = [(a, b, False) for a in (0, 1) for b in (0, 1)]
    elif adjacency is Adjacency.ITEM_LEVEL:
        found = [(one + sign, other + sign, False) for sign in _SIGNS]
        found += [(one + sign, other, False) for sign in _SIGNS]
    else:
        found = [(one + sign, other + sign, differed) for sign in _SIGNS]
        found += [] if differed else [(one + sign, other, True) for sign in (-1, 1)]
    yield from (after for after in found if _is_kept(after, adjacency, model))


def _is_kept(counts: Counts, adjacency: Adjacency, model: Model) -> bool:
    one, other, _ = counts
    if model is Model.TOGGLE and not (one in (0, 1) and other in (0, 1)):
        return False
    if model is Model.STRICT and min(one, other) < 0:
        return False
    if adjacency is Adjacency.EVENT_LEVEL:
        return -1 <= other <= 2
    return other in (0, 1) and -1 <= one - other <= 1


_IMPOSSIBLE = np.int64(-(2**40))
"""The value of a way that no streams take. A sum of two such values is impossible as well."""

_MOST_LEAVES = 2**40

Sums: TypeAlias = NDArray[np.int64]
"""The greatest sum by the states at both ends of an interval."""


@dataclass(frozen=True)
class NodeSensitivity:
    """The largest squared distance of node vectors between neighbours.

    Attributes
    ----------
    rule
        The rule of truncation.
    adjacency
        Item-level, event-level or user-level.
    model
        The model of the streams.
    """

    rule: Truncation
    adjacency: Adjacency
    model: Model

    def squared(self, leaves: int) -> int:
        """The largest squared l2 distance.

        A tree whose number of leaves is no power of 2 is completed: the values at the further leaves are the last one.
        """
        require_count("the number of leaves", leaves, most=_MOST_LEAVES)
        height = (leaves - 1).bit_length()
        complete = [self._with_node(self._leaf)]
        for _ in range(height):
            complete.append(self._with_node(_joined(complete[-1], complete[-1])))

        def part(level: int, count: int) -> Sums:
            """A tree of a height whose first leaves are entries."""
            if count >= 1 << level:
                return complete[level]
            if count <= 0:
                return self._nothing
            half = 1 << (level - 1)
            return self._with_node(_joined(part(level - 1, count), part(level - 1, count - half)))

        return int(part(height, leaves)[0].max())

    def squared_of_outputs(self, leaves: int) -> int:
        """The largest squared l2 distance of the nodes that outputs reveal.

        An output sums the nodes of the decomposition of ``(0, t]``. One of these nodes ends at t, and no earlier output
        uses it. So the outputs and the nodes that they use determine each other. These nodes are the root and all left
        children that end with an entry.
        """
        require_count("the number of leaves", leaves, most=_MOST_LEAVES)
        height = (leaves - 1).bit_length()
        right = [self._leaf]
        left = [self._with_node(self._leaf)]
        for _ in range(height):
            right.append(_joined(left[-1], right[-1]))
            left.append(self._with_node(right[-1]))

        def part(level: int, count: int, complete: list[Sums]) -> Sums:
            """A tree of a height whose first leaves are entries, as a left or a right child."""
            if count >= 1 << level:
                return complete[level]
            if count <= 0:
                return self._nothing
            half = 1 << (level - 1)
            return _joined(part(level - 1, count, left), part(level - 1, count - half, right))

        return int(part(height, leaves, left)[0].max())

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The states that some streams reach; the first is the state before the first entry."""
        found: dict[State, None] = {(START, self.rule.start, self.rule.start, 0, 0): None}
        left = list(found)
        while left:
            for after in self._after(left.pop()):
                if after not in found:
                    found[after] = None
                    left.append(after)
        return tuple(found)

    def _after(self, state: State) -> list[State]:
        return list(self.rule.after(*state[:3], self.adjacency, self.model))

    @cached_property
    def _leaf(self) -> Sums:
        """0 for each entry that is possible."""
        places = {state: place for place, state in enumerate(self.states)}
        sums = np.full((len(places), len(places)), _IMPOSSIBLE)
        for state, place in places.items():
            sums[place, [places[after] for after in self._after(state)]] = 0
        return sums

    @cached_property
    def _nothing(self) -> Sums:
        """No entry: the state stays."""
        sums = np.full(self._leaf.shape, _IMPOSSIBLE)
        np.fill_diagonal(sums, 0)
        return sums

    @cached_property
    def _node(self) -> Sums:
        """The squared difference of both values of a node, by the states at its ends."""
        gaps = np.array([state[3] - state[4] for state in self.states], dtype=np.int64)
        return np.asarray((gaps[None, :] - gaps[:, None]) ** 2)

    def _with_node(self, sums: Sums) -> Sums:
        return np.where(sums < 0, _IMPOSSIBLE, sums + self._node)


def _joined(left: Sums, right: Sums) -> Sums:
    """The greatest sums over two intervals, one after the other."""
    found = np.full(left.shape, _IMPOSSIBLE)
    for middle in range(len(right)):
        starts = np.flatnonzero(left[:, middle] >= 0)
        ends = np.flatnonzero(right[middle] >= 0)
        if len(starts) and len(ends):
            block = np.ix_(starts, ends)
            found[block] = np.maximum(found[block], left[starts, middle][:, None] + right[middle, ends][None, :])
    return found
