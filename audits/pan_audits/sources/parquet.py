"""Parquet: some columns of it, with their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.delimited import chosen
from pan_audits.sources.reading import Progress, Reading
from pan_audits.sources.strings import is_text, is_uuid, uuid_texts
from pan_promises.errors import InputError

_ROWS = 2**18
"""Number of rows read at a time."""


def values(file: Path, name: str, reading: Reading, progress: Progress | None) -> Iterator[Any]:
    """The ids in a column: strings, integers or floating-point numbers of Arrow."""

    def choose(schema: Any) -> list[str]:
        place = chosen(schema.names, reading.column, name)
        require_ids(schema.field(place).type, f"column {schema.names[place]!r} of {name}")
        return [schema.names[place]]

    for columns in table(file, name, choose, progress):
        yield columns[0]


def table(file: Path, name: str, choose: Callable[[Any], list[str]], progress: Progress | None) -> Iterator[list[Any]]:
    """Several columns, batch by batch: a list of Arrow arrays in the order of the names."""
    arrow = arrow_library()
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(file, pre_buffer=False) as opened:
            names = choose(opened.schema_arrow)
            total, size, seen = opened.metadata.num_rows, file.stat().st_size, 0
            # Threads do not help with few columns, and their memory keeps ids for longer.
            for batch in opened.iter_batches(batch_size=_ROWS, columns=names, use_threads=False):
                # Arrow may also return a column whose name begins with one of these names.
                columns = [plain_column(batch.column(column)) for column in names]
                seen += batch.num_rows
                if progress:
                    progress(size * seen // max(1, total))
                yield columns
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as problem:
        told = " ".join(str(problem).split())
        raise InputError(f"{name} is damaged or not a Parquet file: {told[:200]}") from None


def plain_column(column: Any) -> Any:
    """A column without a dictionary, whose texts are valid. UUIDs become texts."""
    from pyarrow import types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if is_uuid(column.type):
        return uuid_texts(column)
    if is_text(column.type):
        column.validate(full=True)
    return column


def require_ids(kind: Any, column: str) -> None:
    """Raise :class:`InputError` if values of a type of Arrow are no ids."""
    from pyarrow import types

    of_values = kind.value_type if types.is_dictionary(kind) else kind
    known = types.is_integer(of_values) or types.is_floating(of_values) or types.is_null(of_values)
    if not (is_text(of_values) or is_uuid(of_values) or known):
        raise InputError(
            f"{column} has the type {str(kind)[:80]}, and ids are strings or integers; convert it to one of them"
        )
