"""Flippancy by its definition and by its descriptions, and existence vectors that are cut after too many flips."""

from __future__ import annotations

from itertools import pairwise

from pan_proofs.continual.streams import Bits, Stream, counts, differences, elements, existence


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
