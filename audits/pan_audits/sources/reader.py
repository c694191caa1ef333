"""Reading a column of ids from CSV, Parquet or text, compressed or not, batch by batch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pan_estimators import InputError, MissingExtraError

_BLOCK = 2**22
"""Bytes of text that are read at a time."""
_LINE = 2**20
"""The longest line."""
_ROWS = 2**18
"""Rows of Parquet that are read at a time."""
_SHORT = 2**16
"""Bytes of lines that are not worth loading Arrow for."""
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

Batches = Iterator[Any]
Progress = Callable[[int], None]
"""Called with the number of bytes that have been read in all."""


@dataclass(frozen=True)
class IdSource:
    """Where ids come from.

    Attributes
    ----------
    batches
        Arrays of ids in order, of numpy or Arrow: strings, or integers where the file says so.
    size
        Size of the file in bytes, if known.
    """

    batches: Batches
    size: int | None


def open_source(path: str, *, column: str | None, kind: str = "auto", progress: Progress | None = None) -> IdSource:
    """Open a file, or standard input for ``-``.

    Parameters
    ----------
    path
        The file.
    column
        Name of the column; needed for CSV and Parquet, unless there is only one.
    kind
        ``csv``, ``parquet``, ``text`` (one id to a line), or ``auto``: by the ending of the name,
        with ``.gz`` and ``.zst`` taken off; what has no known ending is text.
    progress
        Told about bytes read.

    Raises
    ------
    InputError
        If there is no such file or column, or the file is damaged; while reading as well.
    """
    if path == "-":
        kind = "text" if kind == "auto" else kind
        if kind == "parquet":
            raise InputError("Parquet cannot be read from a pipe; give a file")
        return IdSource(_read(kind, sys.stdin.buffer, "standard input", column, progress), None)
    file = Path(path)
    if not file.exists():
        raise InputError(f"there is no file {path}")
    if not file.is_file():
        raise InputError(f"{path} is not a file")
    if kind == "auto":
        kind = _kind_of(file)
    if kind == "parquet":
        return IdSource(_parquet(file, column, progress), file.stat().st_size)
    try:
        stream = file.open("rb")
    except OSError as problem:
        raise InputError(f"cannot read {path}: {problem.strerror}") from None
    return IdSource(_read(kind, stream, path, column, progress), file.stat().st_size)


def _kind_of(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in {".gz", ".zst", ".zstd"}:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}.get(last, "text")


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("reading this file", "files") from None
    return pyarrow


def _read(kind: str, stream: BinaryIO, name: str, column: str | None, progress: Progress | None) -> Batches:
    try:
        counted = _Counted(stream, progress)
        plain = _decompressed(counted)
        yield from _csv(plain, name, column) if kind == "csv" else _lines(plain, name)
    except (OSError, EOFError) as problem:
        raise InputError(f"{name} is damaged: {' '.join(str(problem).split())}") from None


def _decompressed(stream: _Counted) -> Any:
    head = stream.peek(4)
    for magic, codec in _COMPRESSIONS.items():
        if head.startswith(magic):
            if codec == "gzip":
                import gzip

                return gzip.GzipFile(fileobj=stream)  # type: ignore[call-overload]
            arrow = _arrow()
            return arrow.CompressedInputStream(arrow.PythonFile(stream, mode="r"), codec)
    return stream


def _lines(stream: Any, name: str) -> Batches:
    """One id to a line; blank lines are passed over, white space around ids is dropped."""
    rest = b""
    while block := stream.read(_BLOCK):
        whole, newline, rest = (rest + block).rpartition(b"\n")
        if len(rest) > _LINE:
            raise InputError(f"{name} has a line of more than {_LINE} bytes; is it a text file?")
        yield from _split(whole + newline, name)
    yield from _split(rest + b"\n", name)


def _split(lines: bytes, name: str) -> Batches:
    """The ids in some lines, each of which ends."""
    try:
        ids = _split_by_arrow(lines) if len(lines) > _SHORT else _split_one_by_one(lines)
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text") from None
    if len(ids):
        yield ids


def _split_one_by_one(lines: bytes) -> Any:
    return np.array([stripped.decode() for line in lines.split(b"\n") if (stripped := line.strip())], dtype=np.str_)


def _split_by_arrow(lines: bytes) -> Any:
    """Without a Python object for each line, if pyarrow is installed."""
    try:
        arrow = _arrow()
    except MissingExtraError:
        return _split_one_by_one(lines)
    from pyarrow import compute

    text = np.frombuffer(lines, dtype=np.uint8)
    lines.decode()  # Arrow takes it for Unicode.
    ends = np.concatenate([[0], np.flatnonzero(text == ord("\n")) + 1])
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(lines)]
    stripped = compute.ascii_trim_whitespace(arrow.Array.from_buffers(arrow.large_string(), ends.size - 1, buffers))
    return stripped.filter(compute.not_equal(stripped, ""))


def _csv(stream: Any, name: str, column: str | None) -> Batches:
    arrow = _arrow()
    import pyarrow.csv as csv

    source = stream if isinstance(stream, arrow.NativeFile) else arrow.PythonFile(stream, mode="r")
    separator = "\t" if ".tsv" in name else ","
    parse = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    try:
        # Ids are read as they stand: 007 is not 7.
        reader = csv.open_csv(
            source,
            read_options=csv.ReadOptions(block_size=_BLOCK),
            parse_options=parse,
            convert_options=csv.ConvertOptions(
                include_columns=[column] if column else None,
                column_types={column: arrow.string()} if column else None,
                strings_can_be_null=True,
                null_values=["", "NaN", "nan", "NA", "NULL", "null"],
            ),
        )
        chosen = _chosen(reader.schema.names, column, name)
        for batch in reader:
            values = batch.column(chosen)
            _refuse_missing(values, name)
            yield values.cast(arrow.large_string())
    except arrow.ArrowKeyError:
        raise InputError(f"{name} has no column {column!r}") from None
    except arrow.ArrowInvalid as problem:
        text = " ".join(str(problem).split())
        if "Empty CSV" in text:
            raise InputError(f"{name} is empty") from None
        raise InputError(f"{name} cannot be read as CSV: {text}") from None


def _parquet(file: Path, column: str | None, progress: Progress | None) -> Batches:
    arrow = _arrow()
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(file) as opened:
            chosen = _chosen(opened.schema_arrow.names, column, str(file))
            total, size, seen = opened.metadata.num_rows, file.stat().st_size, 0
            for batch in opened.iter_batches(batch_size=_ROWS, columns=[chosen]):
                values = batch.column(0)
                _refuse_missing(values, str(file))
                seen += len(values)
                if progress:
                    progress(size * seen // max(1, total))
                yield values
    except (arrow.ArrowInvalid, arrow.ArrowException, OSError) as problem:
        text = " ".join(str(problem).split())
        raise InputError(f"{file} is damaged or no Parquet file: {text}") from None


def _chosen(names: list[str], column: str | None, source: str) -> str:
    if column is None:
        if len(names) == 1:
            return names[0]
        raise InputError(f"{source} has several columns ({', '.join(names[:12])}); choose one with --column")
    if column not in names:
        raise InputError(f"{source} has no column {column!r}; it has {', '.join(names[:12])}")
    return column


def _refuse_missing(values: Any, name: str) -> None:
    if values.null_count:
        raise InputError(f"{name} has {values.null_count} missing ids in a batch; drop those rows first")


class _Counted:
    """A binary stream that counts what is read from it, and can be looked into."""

    def __init__(self, stream: BinaryIO, progress: Progress | None) -> None:
        self._stream = stream
        self._progress = progress
        self._ahead = b""
        self._total = 0
        self.closed = False

    def peek(self, size: int) -> bytes:
        while len(self._ahead) < size and (more := self._stream.read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def read(self, size: int = -1) -> bytes:
        taken, self._ahead = (self._ahead, b"") if size < 0 else (self._ahead[:size], self._ahead[size:])
        if size < 0 or len(taken) < size:
            taken += self._stream.read(size - len(taken) if size >= 0 else -1)
        self._total += len(taken)
        if self._progress:
            self._progress(self._total)
        return taken

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def writable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True
        self._stream.close()

    def flush(self) -> None:
        """Nothing to do for reading; file-like objects have it."""
