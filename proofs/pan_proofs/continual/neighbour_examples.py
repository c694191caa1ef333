"""Neighbours in whose summation streams many entries differ, and the most on all short streams."""

from __future__ import annotations

from collections import defaultdict

from pan_proofs.continual.flippancy import flippancy
from pan_proofs.continual.pair_machines import both
from pan_proofs.continual.streams import (
    MODELS,
    NEIGHBOURS,
    Stream,
    changed_entries,
    of_one_element,
    streams,
)

MOST_CHANGED = {
    "general": {"item": (1, 3, 5, 6, 6, 6), "event": (1, 2, 5, 6, 6, 6)},
    "strict": {"item": (1, 3, 5, 6, 6, 6), "event": (1, 2, 3, 4, 5, 6)},
    "toggle": {"item": (1, 2, 3, 4, 5, 6), "event": (1, 1, 1, 1, 1, 1)},
}
"""For streams of up to 6 entries the most entries that differ, by the larger flippancy of the two: 0 to 5."""


def example(length: int, *, first_twice: bool = False) -> tuple[Stream, Stream]:
    """Insertions and deletions of one element in turn, and the same with a no-op in place of the first entry."""
    start = (1, 1) if first_twice else (1,)
    signs = (*start, *((-1) ** (place + 1) for place in range(length)))[:length]
    return of_one_element(signs), of_one_element((0, *signs[1:]))


def worst(bound: int) -> tuple[Stream, Stream]:
    """Item-neighbours of the strict model whose existence vectors never change together: ``2 bound + 1`` changes."""
    cycle = (((1, 1),), ((-1, 0), (-1, 0)), ((1, 0), (1, 0)), ((-1, -1),))
    pairs: list[tuple[int, int]] = [(1, 0)]
    for turn in range(2 * bound):
        pairs += cycle[turn % 4]
    return both(tuple(pairs))


def largest(model: str, kind: str) -> tuple[int, ...]:
    """The most entries that differ, by the larger flippancy, for all streams of one element of up to 6 entries."""
    allowed = MODELS[model]
    most: defaultdict[int, int] = defaultdict(int)
    for length in range(1, 7):
        for stream in filter(allowed, streams(length, 1)):
            for other in filter(allowed, NEIGHBOURS[kind](stream)):
                flipped = max(flippancy(stream), flippancy(other))
                most[flipped] = max(most[flipped], changed_entries(stream, other))
    return tuple(most[flipped] for flipped in range(6))
