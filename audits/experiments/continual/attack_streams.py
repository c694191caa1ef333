"""The streams of both reductions, and the answers that the outputs of a counter give.

A counter of distinct elements answers inner product queries and releases one-way marginals: the claims
``turnstile.inner_product_reduction`` and ``turnstile.marginals_reduction``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Entry = tuple[int, int] | None
"""An element with 1 for an insertion or -1 for a deletion; ``None`` is the no-op."""
Bits = NDArray[np.int64]


def entries_of(bits: Bits, sign: int) -> Iterator[Entry]:
    """One entry for each bit: its element where it is 1, a no-op where it is 0."""
    return ((element, sign) if bit else None for element, bit in enumerate(bits.tolist()))


def stream_of_queries(secret: Bits, queries: Bits) -> tuple[Entry, ...]:
    """The secret bits as insertions; then the ones of each query, inserted and deleted again."""
    entries: list[Entry] = [*entries_of(secret, 1)]
    for query in queries:
        entries += [*entries_of(query, 1), *entries_of(query, -1)]
    return tuple(entries)


def inner_products(outputs: Sequence[float], queries: Bits) -> NDArray[np.float64]:
    """For each query ``r[n] + |q_j| - r[2 j n]``, from the outputs ``r`` of a counter."""
    found = np.asarray(outputs, dtype=np.float64)
    number, size = queries.shape
    times = 2 * size * np.arange(1, number + 1)
    return np.asarray(found[size - 1] + queries.sum(axis=1) - found[times - 1], dtype=np.float64)


def stream_of_rows(row: Bits, records: int) -> tuple[Entry, ...]:
    """A table of equal rows: for each attribute that the row has, all records are inserted, and deleted again."""
    entries: list[Entry] = []
    for bit in row.tolist():
        column = np.full(records, bit, dtype=np.int64)
        entries += [*entries_of(column, 1), *entries_of(column, -1)]
    return tuple(entries)


def marginals(outputs: Sequence[float], attributes: int, records: int) -> NDArray[np.float64]:
    """For each attribute ``r[(2 j - 1) n] / n``, from the outputs ``r`` of a counter."""
    found = np.asarray(outputs, dtype=np.float64)
    times = (2 * np.arange(1, attributes + 1) - 1) * records
    return np.asarray(found[times - 1] / records, dtype=np.float64)
