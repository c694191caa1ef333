"""A table of observations as bytes: a line of JSON with its shape, then its numbers, compressed."""

from __future__ import annotations

import json
import zlib

import numpy as np

from pan_audits.events import Table
from pan_audits.judging.reading import Field, parse_document
from pan_promises.errors import InputError

_MOST_RUNS, _MOST_COLUMNS, _MOST_NUMBERS = 2**24, 100_000, 2**28
_MOST_PRINTED = 2**62
_NUMBER = np.dtype("<f8")


def table_to_bytes(table: Table, printed: int) -> bytes:
    """A table, and the number of bytes printed during its runs."""
    head = json.dumps({"names": list(table.names), "runs": table.runs, "printed": printed})
    values = np.ascontiguousarray(table.values, dtype=_NUMBER)
    return head.encode() + b"\n" + zlib.compress(values.tobytes(), 1)


def table_from_bytes(content: bytes) -> tuple[Table, int]:
    """Read what :func:`table_to_bytes` wrote; :class:`InputError` if it is anything else."""
    head, _, packed = content.partition(b"\n")
    try:
        document = parse_document(head.decode(), "a block")
    except UnicodeDecodeError:
        raise InputError("a block must begin with a line of JSON") from None
    names = tuple(name.text(10_000) for name in document["names"].items(most=_MOST_COLUMNS))
    runs, printed = document["runs"].whole(most=_MOST_RUNS), document["printed"].whole(most=_MOST_PRINTED)
    if len(set(names)) < len(names) or runs * len(names) > _MOST_NUMBERS:
        Field(head.decode()[:60], "a block").refuse("columns with distinct names, and not too many numbers")
    values = np.frombuffer(_unpacked(packed, runs * len(names) * _NUMBER.itemsize), dtype=_NUMBER)
    return Table(names, values.reshape(runs, len(names)).astype(np.float64)), printed


def _unpacked(packed: bytes, size: int) -> bytes:
    """Exactly ``size`` bytes. No more are ever in memory."""
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(packed, size + 1)
    except zlib.error as problem:
        raise InputError(f"a block cannot be unpacked: {problem}") from None
    if len(found) != size or not unpacking.eof or unpacking.unused_data:
        raise InputError(f"a block must hold {size} bytes of numbers")
    return found
