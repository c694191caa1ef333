"""Streams of the turnstile model, their models, and their neighbours, by the definitions of section 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

Entry = tuple[int, int] | None
"""An element with 1 for an insertion or -1 for a deletion; ``None`` is the no-op."""
Stream = tuple[Entry, ...]
Bits = tuple[int, ...]


def counts(stream: Stream, element: int) -> tuple[int, ...]:
    """The insertions of an element minus its deletions, after each entry."""
    found, count = [], 0
    for entry in stream:
        if entry is not None and entry[0] == element:
            count += entry[1]
        found.append(count)
    return tuple(found)


def existence(stream: Stream, element: int) -> Bits:
    """The existence vector of an element (Definition 1.1)."""
    return tuple(int(count > 0) for count in counts(stream, element))


def elements(stream: Stream) -> tuple[int, ...]:
    """The elements that occur in a stream, and element 0."""
    return tuple(sorted({0} | {entry[0] for entry in stream if entry is not None}))


def distinct_counts(stream: Stream) -> tuple[int, ...]:
    """The number of distinct elements after each entry."""
    vectors = [existence(stream, element) for element in elements(stream)]
    return tuple(sum(column) for column in zip(*vectors, strict=True))


def differences(values: tuple[int, ...]) -> tuple[int, ...]:
    """The change at each step, from 0 before the first: the stream of the summation problem (section 1.2)."""
    return tuple(after - before for before, after in zip((0, *values), values, strict=False))


def changed_entries(stream: Stream, other: Stream) -> int:
    """The number of entries in which the summation streams of two streams differ."""
    one, two = (differences(distinct_counts(each)) for each in (stream, other))
    return sum(a != b for a, b in zip(one, two, strict=True))


def general(stream: Stream) -> bool:
    """Every stream is one of the general turnstile model."""
    return True


def strict(stream: Stream) -> bool:
    """Whether no count is ever negative."""
    return all(count >= 0 for element in elements(stream) for count in counts(stream, element))


def toggle(stream: Stream) -> bool:
    """Whether elements are inserted only when they are absent and deleted only when they are present."""
    return all(count in (0, 1) for element in elements(stream) for count in counts(stream, element))


def insertions_only(stream: Stream) -> bool:
    """Whether there is no deletion."""
    return all(entry is None or entry[1] == 1 for entry in stream)


MODELS: dict[str, Callable[[Stream], bool]] = {"general": general, "strict": strict, "toggle": toggle}


def streams(length: int, number_of_elements: int) -> Iterator[Stream]:
    """All streams of a length over some elements, up to the names of the elements: new ones come in order."""

    def extended(stream: Stream, known: int) -> Iterator[Stream]:
        if len(stream) == length:
            yield stream
            return
        yield from extended((*stream, None), known)
        for element in range(min(known + 1, number_of_elements)):
            for sign in (1, -1):
                yield from extended((*stream, (element, sign)), max(known, element + 1))

    return extended((), 0)


def item_neighbours(stream: Stream) -> Iterator[Stream]:
    """The streams with some entries of one element replaced by the no-op (Definition 1.2)."""
    for element in elements(stream):
        places = [place for place, entry in enumerate(stream) if entry is not None and entry[0] == element]
        for chosen in product((False, True), repeat=len(places)):
            gone = {place for place, one in zip(places, chosen, strict=True) if one}
            if gone:
                yield tuple(None if place in gone else entry for place, entry in enumerate(stream))


def event_neighbours(stream: Stream) -> Iterator[Stream]:
    """The streams with one entry replaced by the no-op (Definition 1.2)."""
    for place, entry in enumerate(stream):
        if entry is not None:
            yield (*stream[:place], None, *stream[place + 1 :])


NEIGHBOURS: dict[str, Callable[[Stream], Iterator[Stream]]] = {"item": item_neighbours, "event": event_neighbours}
"""One of two neighbours has the entries that the other has not. The other direction is the same pair."""


def of_one_element(signs: tuple[int, ...]) -> Stream:
    """A stream of one element: 1 and -1 for its insertions and deletions, 0 for the no-op."""
    return tuple((0, sign) if sign else None for sign in signs)
