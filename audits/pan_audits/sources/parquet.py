"""Parquet: one column of it, with its type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.delimited import chosen
from pan_audits.sources.reading import Progress, Reading
from pan_audits.sources.strings import is_text
from pan_promises.errors import InputError

_ROWS = 2**18
"""Number of rows read at a time."""


def values(file: Path, name: str, reading: Reading, progress: Progress | None) -> Iterator[Any]:
    """The ids in a column: strings, integers or floating-point numbers of Arrow."""
    arrow = arrow_library()
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(file, pre_buffer=False) as opened:
            schema = opened.schema_arrow
            place = chosen(schema.names, reading.column, name)
            column = schema.names[place]
            _require_ids(schema.field(place).type, f"column {column!r} of {name}")
            total, size, seen = opened.metadata.num_rows, file.stat().st_size, 0
            # Threads do not help with one column, and their memory keeps ids for longer.
            for batch in opened.iter_batches(batch_size=_ROWS, columns=[column], use_threads=False):
                # Arrow may also return a column whose name begins with this name.
                ids = batch.column(column)
                if arrow.types.is_dictionary(ids.type):
                    ids = ids.dictionary_decode()
                if is_text(ids.type):
                    ids.validate(full=True)
                seen += len(ids)
                if progress:
                    progress(size * seen // max(1, total))
                yield ids
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as problem:
        told = " ".join(str(problem).split())
        raise InputError(f"{name} is damaged or not a Parquet file: {told[:200]}") from None


def _require_ids(kind: Any, column: str) -> None:
    from pyarrow import types

    of_values = kind.value_type if types.is_dictionary(kind) else kind
    if not (is_text(of_values) or types.is_integer(of_values) or types.is_floating(of_values)):
        raise InputError(
            f"{column} has the type {str(kind)[:80]}, and ids are strings or integers; convert it to one of them"
        )
