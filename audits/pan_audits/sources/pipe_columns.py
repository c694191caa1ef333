"""Several columns of a pipe, batch by batch, as they arrive: CSV, JSON lines or a stream of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from pan_audits.sources.arrow_batches import arrow_columns
from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.json_lines import json_rows
from pan_audits.sources.live import live_rows
from pan_audits.sources.live_lines import Lines, Wait
from pan_promises.errors import InputError


def pipe_columns(
    stream: BinaryIO,
    name: str,
    choose: Callable[[list[str]], list[int]],
    *,
    kind: str = "auto",
    wait: Wait | None = None,
) -> Iterator[list[Any]]:
    """Several columns of a pipe, as lists of Arrow arrays that hold the rows that have arrived."""
    if kind == "parquet":
        raise InputError("Parquet cannot be read from a pipe; give a file, or a stream of Arrow")
    if kind == "arrow":
        yield from arrow_columns(stream, name, choose)
        return
    arrow = arrow_library()
    rows: Iterator[list[list[Any]]]
    if kind == "jsonl":
        rows = json_rows(Lines.of_pipe(stream.fileno(), name), name, choose, wait=wait)
    else:
        rows = live_rows(stream.fileno(), name, choose, separator="\t" if kind == "tsv" else ",", wait=wait)
    for batch in rows:
        yield [arrow.array(column, arrow.large_string()) for column in batch]
