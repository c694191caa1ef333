"""Whole inputs: all small turnstile streams, all small tables, or the given inputs, and their adjacent pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pan_audits.choices.errors import TooLargeError
from pan_audits.exact.scope import Stream, Update
from pan_audits.inputs.problems import all_small_inputs
from pan_audits.inputs.streams.side import Id, SegmentEnd
from pan_audits.inputs.turnstile.neighbours import adjacent
from pan_audits.inputs.turnstile.small import SmallStreams
from pan_audits.inputs.turnstile.streams import from_text, intrusion_in, look_in
from pan_audits.intake.discovery import Variant
from pan_audits.notions import Exactly, notion_of
from pan_audits.notions.gaussian_losses import Places
from pan_promises.errors import InputError
from pan_promises.problem import Kind, Problem
from pan_promises.promise import Promise


@dataclass(frozen=True)
class Inputs:
    """Inputs, and the adjacent pairs among them, which are read once.

    Attributes
    ----------
    labels
        The inputs.
    blocks, groups
        The places of pairs, in two columns; and the places of inputs that are all adjacent.
    size, length
        Elements or rows, and entries.
    """

    labels: tuple[str, ...]
    blocks: Iterable[Places]
    groups: Iterable[Places]
    size: int
    length: int = 1

    @property
    def number(self) -> int:
        """The number of inputs."""
        return len(self.labels)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs, one by one."""
        for block in self.blocks:
            yield from map(tuple, block.tolist())
        for group in self.groups:
            yield from combinations(group.tolist(), 2)


def _sizes(problem: Problem, most: int, longest: int) -> Iterator[tuple[int, int]]:
    """The sizes of the scopes: rows, or elements and entries, the small ones first."""
    if problem.kind is Kind.GIVEN:
        yield 1, 1
    elif problem.kind is Kind.TABLE:
        yield from ((size, 1) for size in range(1, most + 1))
    else:
        for elements in range(1, min(most, problem.elements) + 1):
            yield from ((elements, steps) for steps in range(1, min(longest, problem.steps) + 1))


def small_inputs(
    make: Callable[[int, int | None], Variant], most: int, longest: int, notes: list[str]
) -> Iterator[tuple[Variant, Inputs]]:
    """All inputs of one size after the other, the small ones first, until they are too many; notes say where."""
    problem = make(1, None).problem
    for size, length in _sizes(problem, most, longest):
        variant = make(size, None)
        promise = variant.promise
        if problem.kind is Kind.TURNSTILE:
            small = SmallStreams(size, length, problem.model, promise.adjacency, promise.observed)
            # Pairs that are compared one by one are fewer.
            if small.too_many or (notion_of(promise).exactly is not Exactly.OUTPUTS and not small.few):
                notes.append(f"there are too many streams of {length} entries with {size} elements")
                return
            blocks, groups = ((), small.groups()) if small.in_groups else (small.blocks(), ())
            yield variant, Inputs(small.labels, blocks, groups, size, length)
            continue
        listed = all_small_inputs(problem, promise, size)
        if listed is None:
            if size == 1:
                raise TooLargeError("there are too many tables of one row; give the columns fewer values")
            notes.append(f"there are too many tables of {size} rows")
            return
        if not listed.adjacent:
            raise TooLargeError("no two of the inputs differ: there are no neighbours to judge")
        if listed.remark:
            notes.append(listed.remark)
        pairs = np.array(listed.adjacent, dtype=np.int64)
        yield variant, Inputs(listed.labels, (pairs,), (), size if problem.kind is Kind.TABLE else len(listed.labels))


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
    ids: tuple[Id, ...], inputs: tuple[Stream, Stream], variant: Variant, promise: Promise
) -> None:
    """Refuse two turnstile streams that are not adjacent. Their labels say themselves which streams they are."""
    left, right = (str(ids[place]) for place in places_of(*inputs))
    if {look_in(left), look_in(right)} != {promise.observed} or intrusion_in(left) != intrusion_in(right):
        raise InputError(f"the promise is about another observation than the two inputs: {promise.describe()}")
    streams = from_text(left), from_text(right)
    if not adjacent(*streams, promise.adjacency, variant.problem):
        raise InputError(f"the two streams {left!r} and {right!r} are not adjacent ({promise.adjacency})")


def places_of(left: Stream, right: Stream) -> list[int]:
    """The places of the labels of two inputs."""
    places = []
    for stream in (left, right):
        if not (stream and isinstance(stream[0], Update)):
            raise InputError("a witness of a mechanism on whole inputs is about two of them")
        places.append(stream[0].user)
    return places
