"""Streams of the turnstile model, their neighbours, and their flippancy, by the definitions of section 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise, product

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


PAIRS = ((0, 0), (1, 1), (1, 0), (-1, -1), (-1, 0))
"""An entry of one element with the entry of its neighbour: the same, or a no-op."""


def both(word: tuple[tuple[int, int], ...]) -> tuple[Stream, Stream]:
    """The two streams of a word of pairs."""
    one, other = zip(*word, strict=True)
    return of_one_element(one), of_one_element(other)


def one_at_most(word: tuple[tuple[int, int], ...]) -> bool:
    """Whether the two streams of a word of pairs differ in one entry at most."""
    return sum(one != other for one, other in word) <= 1


def last_entries(stream: Stream, element: int) -> Bits:
    """Whether the last entry of an element so far is an insertion: its existence vector in the toggle model."""
    found, present = [], 0
    for entry in stream:
        if entry is not None and entry[0] == element:
            present = int(entry[1] == 1)
        found.append(present)
    return tuple(found)


def difference(one: Bits, other: Bits) -> int:
    """The number of times at which two vectors change differently."""
    return sum(a != b for a, b in zip(differences(one), differences(other), strict=True))


def in_turn(length: int, *, first_twice: bool = False) -> tuple[Stream, Stream]:
    """Insertions and deletions of one element in turn, and the same with a no-op in place of the first entry."""
    start = (1, 1) if first_twice else (1,)
    signs = (*start, *((-1) ** (place + 1) for place in range(length)))[:length]
    return of_one_element(signs), of_one_element((0, *signs[1:]))


def flips(bits: Bits) -> int:
    """The number of adjacent entries that differ (Definition 1.3)."""
    return sum(one != other for one, other in pairwise(bits))


def changes(bits: Bits) -> int:
    """The number of changes, with 0 before the first entry."""
    return sum(one != 0 for one in differences(bits))


def rises(bits: Bits) -> int:
    """The number of changes from 0 to 1, with 0 before the first entry."""
    return sum(one == 1 for one in differences(bits))


def drops(bits: Bits) -> int:
    """The number of changes from 1 to 0."""
    return sum(one == -1 for one in differences(bits))


def flippancy(stream: Stream) -> int:
    """The maximum flippancy of a stream (Definition 1.3)."""
    return max(flips(existence(stream, element)) for element in elements(stream))


def emptied(stream: Stream) -> int:
    """The greatest number of times that the count of one element changes from a positive number to 0 (abstract)."""
    return max(
        sum(before > 0 and after == 0 for before, after in pairwise((0, *counts(stream, element))))
        for element in elements(stream)
    )


def contributions(stream: Stream) -> int:
    """The greatest number of changes of one element's contribution to the distinct count, which is 0 at first."""
    return max(changes(existence(stream, element)) for element in elements(stream))


def truncated(bits: Bits, bound: int) -> Bits:
    """The vector of Algorithm 1: an entry is kept while the flippancy up to it is at most a bound, and is 0 later."""
    return tuple(bit if flips(bits[: place + 1]) <= bound else 0 for place, bit in enumerate(bits))
