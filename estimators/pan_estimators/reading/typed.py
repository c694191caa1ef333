"""Parquet and Arrow: some columns with their types, and their strings as arrays of numpy."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from pan_estimators.reading.byte_streams import arrow_library, decompressed, is_compressed
from pan_estimators.reading.options import Progress
from pan_estimators.reading.text import Choose
from pan_estimators.universes.columns import is_text
from pan_promises.errors import InputError

_UUID = 16
"""Bytes of a UUID."""


def is_uuid(kind: Any) -> bool:
    """Whether values of a type of Arrow are UUIDs: 16 bytes each, with the type of UUIDs or without it."""
    from pyarrow import types

    plain = getattr(kind, "storage_type", kind)
    return bool(types.is_fixed_size_binary(plain) and plain.byte_width == _UUID)


def uuid_texts(column: Any) -> Any:
    """UUIDs as their usual texts of 36 letters, such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8, as large strings."""
    import pyarrow

    plain = (column.storage if hasattr(column, "storage") else column).to_pylist()
    texts = [None if value is None else str(UUID(bytes=value)) for value in plain]
    return pyarrow.array(texts, pyarrow.large_string())


_ROWS = 2**18
"""Number of rows read at a time."""


def parquet_columns(stream: Any, name: str, choose: Choose, progress: Progress | None) -> Iterator[list[Any]]:
    """Several columns, batch by batch: a list of Arrow arrays in the order of the places."""
    arrow = arrow_library()
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(stream, pre_buffer=False) as opened:
            known = opened.schema_arrow.names
            names = [known[place] for place in choose(known)]
            total, size, seen = opened.metadata.num_rows, os.fstat(stream.fileno()).st_size, 0
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


_OF_FILES = b"ARROW1"


def arrow_columns(stream: Any, name: str, choose: Choose) -> Iterator[list[Any]]:
    """Several columns, batch by batch: a list of Arrow arrays in the order of the places."""
    arrow = arrow_library()
    import pyarrow.ipc as ipc

    try:
        head = stream.read(len(_OF_FILES)) if stream.seekable() else b""
        if head:
            stream.seek(0)
        if head == _OF_FILES:
            opened = ipc.open_file(stream)
            found = (opened.get_batch(number) for number in range(opened.num_record_batches))
        else:
            if is_compressed(head):
                # The raw file is read below, and its place is not that of the buffer.
                getattr(stream, "raw", stream).seek(0)
                stream = decompressed(stream, None)
            opened = ipc.open_stream(stream)
            found = iter(opened)
        places = choose(list(opened.schema.names))
        for batch in found:
            batch.validate(full=True)
            yield [plain_column(batch.column(place)) for place in places]
    except (arrow.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError) as problem:
        told = " ".join(str(problem).split())
        raise InputError(f"{name} is damaged or not an Arrow file: {told[:200]}") from None
