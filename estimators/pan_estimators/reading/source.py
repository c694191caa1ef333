"""Reading a column of ids, or several columns, from a file or a pipe, batch by batch."""

from __future__ import annotations

import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pan_estimators.reading.byte_streams import Utf8Stream, arrow_library, decompressed, standard_input
from pan_estimators.reading.ids import as_integers, without_missing
from pan_estimators.reading.live import json_columns
from pan_estimators.reading.options import IdKind, Progress, Reading
from pan_estimators.reading.text import Choose, chosen, csv_columns, id_place, lines
from pan_estimators.reading.typed import arrow_columns, parquet_columns, require_ids
from pan_estimators.universes.columns import is_text
from pan_estimators.universes.ids import as_id_array
from pan_promises.errors import InputError, on_one_line

_COMPRESSED = {".gz", ".zst", ".zstd"}
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".arrow", ".arrows", ".feather"), "arrow"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
}


def open_source(path: str, reading: Reading | None = None, *, progress: Progress | None = None) -> Iterator[Any]:
    """The ids of a file, a named pipe, or standard input for ``-``: arrays in order, of strings or integers."""
    reading = reading or Reading()
    kind, name = kind_of(path, reading.kind)
    _require_sense(reading, kind, name)
    if kind != "text":
        # Told before the first id is counted.
        arrow_library()
    if (path == "-" or _size(path, name, pipes=True) is None) and kind == "parquet":
        raise InputError("Parquet cannot be read from a pipe; give a file")
    stream = standard_input() if path == "-" else _opened(path, name)
    found = _lines(stream, name, progress) if kind == "text" else _column(stream, kind, name, reading, progress)
    place = {"text": "line", "jsonl": "object"}.get(kind, "row")
    return _as_asked(without_missing(found, reading, name, place), reading, name)


def _lines(stream: BinaryIO, name: str, progress: Progress | None) -> Iterator[Any]:
    with _told_damage(name):
        yield from lines(Utf8Stream(decompressed(stream, progress), name), name)


def _column(stream: BinaryIO, kind: str, name: str, reading: Reading, progress: Progress | None) -> Iterator[Any]:
    """The column of the ids."""
    column = f"the column of {name}"

    def choose(names: list[str]) -> list[int]:
        nonlocal column
        place = id_place(names, name, reading) if kind in ("csv", "tsv") else chosen(names, reading.column, name)
        column = f"column {names[place]!r} of {name}"
        return [place]

    for (ids,) in _columns(stream, kind, name, choose, reading.header is not False, progress):
        require_ids(ids.type, column)
        yield ids


def prepared(column: Any, reading: Reading, name: str, place: str, before: int) -> Iterator[Any]:
    """The ids of one batch, without missing ones, as text or integers."""
    yield from _as_asked(without_missing([column], reading, name, place, before), reading, name)


def open_columns(
    path: str, choose: Choose, *, kind: str = "auto", progress: Progress | None = None
) -> Iterator[list[Any]]:
    """Several columns of a file, batch by batch: of CSV, JSON lines, Parquet or Arrow."""
    kind, name = kind_of(path, kind)
    _size(path, name)
    yield from _columns(_opened(path, name), kind, name, choose, True, progress)


def _columns(
    stream: BinaryIO, kind: str, name: str, choose: Choose, header: bool, progress: Progress | None
) -> Iterator[list[Any]]:
    with _told_damage(name):
        if kind == "parquet":
            yield from parquet_columns(stream, name, choose, progress)
        elif kind == "arrow":
            yield from arrow_columns(stream, name, choose)
        elif kind == "jsonl":
            yield from json_columns(decompressed(stream, progress), name, choose)
        else:
            separator = "\t" if kind == "tsv" else ","
            yield from csv_columns(decompressed(stream, progress), name, separator, header, choose)


@contextmanager
def _told_damage(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{name} is damaged: {' '.join(str(problem).split())[:200]}") from None


def kind_of(path: str, kind: str = "auto") -> tuple[str, str]:
    """The format of a file or of standard input, and its name for messages."""
    name = "standard input" if path == "-" else on_one_line(path)
    own = "" if path == "-" else _own_suffix(Path(path))
    if kind == "auto":
        kind = _KINDS.get(own, "text")
    if kind == "csv" and own == ".tsv":
        kind = "tsv"
    return kind, name


def _opened(path: str, name: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as problem:
        raise InputError(f"cannot read {name}: {problem.strerror}") from None


def _own_suffix(file: Path) -> str:
    """The last suffix of a file's own name, without a suffix for compression."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _require_sense(reading: Reading, kind: str, name: str) -> None:
    """Refuse options that this format would ignore."""
    if kind == "text" and reading.column is not None:
        raise InputError(f"{name} is read as text, which has no columns; leave --column out, or give --format csv")
    if kind in ("text", "parquet", "arrow", "jsonl") and reading.header is not None:
        raise InputError(f"--header and --no-header are for CSV, and {name} is read as {kind}")


def _size(path: str, name: str, *, pipes: bool = False) -> int | None:
    """The size of a file in bytes; ``None`` for a named pipe, where one is allowed."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        raise InputError(f"there is no file {name}") from None
    except (OSError, ValueError) as problem:
        raise InputError(f"cannot read {name}: {getattr(problem, 'strerror', None) or problem}") from None
    if pipes and stat.S_ISFIFO(status.st_mode):
        return None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{name} is not a file")
    return status.st_size


def _as_asked(batches: Iterator[Any], reading: Reading, name: str) -> Iterator[Any]:
    """Batches without missing ids, as text or integers."""
    for batch in batches:
        ids = batch
        if not isinstance(ids, np.ndarray) and not is_text(ids.type):
            ids = _whole_numbers(ids, name, reading.ids is IdKind.TEXT)
        # The empty text is the id of all missing ids, beside the integers.
        elif reading.ids is IdKind.INTEGER and not _lone(ids):
            ids = as_integers(ids)
        if len(ids):
            yield ids


def _lone(ids: Any) -> bool:
    return len(ids) == 1 and str(ids[0]) == ""


def _whole_numbers(column: Any, name: str, text: bool) -> Any:
    """The integers of a column, or their texts."""
    import pyarrow

    if pyarrow.types.is_floating(column.type):
        try:
            column = pyarrow.array(as_id_array(column.to_numpy(zero_copy_only=False)))
        except InputError as problem:
            raise InputError(f"{name} has a column of floating-point numbers: {problem}") from None
    return column.cast(pyarrow.large_string()) if text else column.to_numpy(zero_copy_only=False)
