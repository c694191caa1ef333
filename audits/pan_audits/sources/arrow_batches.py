"""Arrow: some columns of a file, or of a stream that may be a pipe, with their types."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

from pan_audits.sources.byte_stream import arrow_library, decompressed, is_compressed
from pan_audits.sources.delimited import chosen
from pan_audits.sources.parquet import plain_column, require_ids
from pan_audits.sources.reading import Reading
from pan_promises.errors import InputError

_OF_FILES = b"ARROW1"


def arrow_values(stream: Any, name: str, reading: Reading) -> Iterator[Any]:
    """The ids in a column: strings, integers or floating-point numbers of Arrow."""
    place: list[int] = []

    def choose(names: list[str]) -> list[int]:
        place.append(chosen(names, reading.column, name))
        return place

    for (column,) in arrow_columns(stream, name, choose):
        require_ids(column.type, f"column {place[0] + 1} of {name}")
        yield column


def arrow_columns(stream: Any, name: str, choose: Callable[[list[str]], list[int]]) -> Iterator[list[Any]]:
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
