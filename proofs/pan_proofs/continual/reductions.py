"""Algorithms 4 and 5: streams that turn a counter of distinct elements into an answerer of batch queries."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from pan_proofs.continual.streams import Bits, Entry, Stream, counts, elements

Records = tuple[Bits, ...]
"""Rows of bits."""


def indicated(bits: Bits, sign: int = 1) -> Stream:
    """One entry for each bit: its element where it is 1, a no-op where it is 0."""
    return tuple((element, sign) if bit else None for element, bit in enumerate(bits))


def stream_of_queries(data: Bits, queries: tuple[Bits, ...]) -> Stream:
    """Algorithm 4: the elements of the data; then each query's elements, inserted and deleted again."""
    entries: list[Entry] = [*indicated(data)]
    for query in queries:
        entries += [*indicated(query), *indicated(query, -1)]
    return tuple(entries)


def inner_products(outputs: tuple[int, ...], queries: tuple[Bits, ...]) -> tuple[int, ...]:
    """The answers of Algorithm 4 from the outputs of a counter: ``r[n] + |q_j| - r[2 j n]``."""
    n = len(queries[0])
    return tuple(outputs[n - 1] + sum(query) - outputs[2 * j * n - 1] for j, query in enumerate(queries, start=1))


def inner_product(one: Bits, other: Bits) -> int:
    """The inner product of two vectors of bits."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def stream_of_records(records: Records) -> Stream:
    """Algorithm 5: for each attribute the records that have it are inserted, and deleted again."""
    entries: list[Entry] = []
    for attribute in zip(*records, strict=True):
        entries += [*indicated(attribute), *indicated(attribute, -1)]
    return tuple(entries)


def marginals(outputs: tuple[int, ...], records: int, attributes: int) -> tuple[Fraction, ...]:
    """The answers of Algorithm 5 from the outputs of a counter: ``r[(2 j - 1) n] / n``."""
    return tuple(Fraction(outputs[(2 * j - 1) * records - 1], records) for j in range(1, attributes + 1))


def averages(records: Records) -> tuple[Fraction, ...]:
    """The one-way marginals."""
    return tuple(Fraction(sum(attribute), len(records)) for attribute in zip(*records, strict=True))


def all_bits(length: int) -> tuple[Bits, ...]:
    """All vectors of bits of a length."""
    return tuple(product((0, 1), repeat=length))


def replaced_rows(records: Records) -> tuple[Records, ...]:
    """The neighbours of some records: one row is another."""
    return tuple(
        (*records[:place], row, *records[place + 1 :])
        for place in range(len(records))
        for row in all_bits(len(records[0]))
        if row != records[place]
    )


def last_operation(stream: Stream, element: int) -> Bits:
    """1 from an insertion of an element on, 0 from a deletion on: its existence vector in the toggle model."""
    found, present = [], 0
    for entry in stream:
        if entry is not None and entry[0] == element:
            present = int(entry[1] == 1)
        found.append(present)
    return tuple(found)


def largest_count(stream: Stream) -> int:
    """The largest count of an element at any time."""
    return max(count for element in elements(stream) for count in counts(stream, element))
