"""The bytes of a file or pipe: counted as they are read, decompressed, and checked to be UTF-8 text."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

from pan_estimators.reading.options import Progress
from pan_promises.errors import InputError, MissingExtraError

_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def arrow_library() -> Any:
    """The library pyarrow; :class:`MissingExtraError` if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("reading this file", "files") from None
    return pyarrow


def standard_input() -> BinaryIO:
    """The bytes of standard input; :class:`InputError` if it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input is closed: give a file, or a pipe")
    return sys.stdin.buffer


def is_compressed(head: bytes) -> bool:
    """Whether the first bytes of a file are those of gzip or zstd."""
    return any(head.startswith(magic) for magic in _COMPRESSIONS)


def decompressed(stream: BinaryIO, progress: Progress | None) -> Any:
    """The contents of a gzip or zstd stream; any other stream unchanged."""
    counted = CountingStream(stream, progress)
    head = counted.peek(4)
    for magic, codec in _COMPRESSIONS.items():
        if head.startswith(magic):
            if codec == "gzip":
                import gzip

                return gzip.GzipFile(fileobj=counted)  # type: ignore[call-overload]
            arrow = arrow_library()
            return arrow.CompressedInputStream(arrow.PythonFile(counted, mode="r"), codec)
    return counted


class _Readable:
    """What libraries ask of a binary stream beside its bytes."""

    closed = False
    _stream: Any

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """Always false."""
        return False

    def writable(self) -> bool:
        """Always false."""
        return False

    def close(self) -> None:
        """Close the stream below."""
        self.closed = True
        self._stream.close()

    def flush(self) -> None:
        """Do nothing. The interface of file objects requires it."""


class CountingStream(_Readable):
    """A binary stream that counts the bytes read from it, and shows the next ones."""

    def __init__(self, stream: Any, progress: Progress | None) -> None:
        # Unbuffered: Python's own buffer keeps the first ids to the end.
        self._stream = getattr(stream, "raw", stream)
        self._room = bytearray()
        self._progress = progress
        self._ahead = b""
        self._total = 0

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay unread."""
        while len(self._ahead) < size and (more := self._next(size - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def read(self, size: int = -1) -> bytes:
        """A number of bytes, or all."""
        taken, self._ahead = (self._ahead, b"") if size < 0 else (self._ahead[:size], self._ahead[size:])
        if size < 0 or len(taken) < size:
            taken += self._next(size - len(taken)) if size >= 0 else self._stream.read()
        self._total += len(taken)
        if self._progress:
            self._progress(self._total)
        return taken

    def _next(self, size: int) -> bytes:
        """A number of bytes of the stream, or all up to its end, through one reused piece of memory."""
        if len(self._room) < size:
            self._room = bytearray(size)
        filled = 0
        with memoryview(self._room) as room:
            while filled < size and (more := self._stream.readinto(room[filled:size])):
                filled += more
            found = bytes(room[:filled])
            if filled < size:
                room[:] = bytes(len(room))
        return found


_MARK = b"\xef\xbb\xbf"
# UTF-32 first: its mark for little-endian machines begins as that of UTF-16 does.
_OTHERS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_PARQUET = b"PAR1"


class Utf8Stream(_Readable):
    """The bytes of a text, without its byte order mark.

    The decoder later checks that they are UTF-8. This class detects other Unicode: by its mark,
    or by a zero byte, which text in UTF-16 has at every line break.
    """

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        self._name = name
        self._end = b""
        self._begun = False
        self._ahead = b""
        self._last = b""
        self.problem: InputError | None = None
        """The error that was raised. A library that reads from this object may replace it by its own."""

    def end_with(self, end: bytes) -> None:
        """Append bytes to the text, after a line break."""
        self._end = end

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay unread."""
        while len(self._ahead) < size and (more := self._checked(size - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def read(self, size: int) -> bytes:
        """A number of bytes; fewer at the end, or one fewer so that a CR stays with what follows."""
        # A read must not return more bytes than requested, and Arrow needs large pieces.
        if len(self.peek(size)) < size and self._end:
            self._ahead += (b"" if self._last.endswith((b"\n", b"\r")) else b"\n") + self._end
            self._end = b""
        # Arrow leaves out a LF at the beginning of a piece after a CR, also inside of quotation marks.
        size -= size > 1 and self._ahead[size - 1 : size] == b"\r"
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken

    def _checked(self, size: int) -> bytes:
        block = bytes(self._stream.read(size))
        if not self._begun:
            while len(block) < len(_PARQUET) and (more := self._stream.read(len(_PARQUET) - len(block))):
                block += bytes(more)
            block = self._without_mark(block)
            self._begun = True
            if not block:
                block = bytes(self._stream.read(size))
        if b"\0" in block:
            self._refuse(
                "has a zero byte, as UTF-16 text and binary files have; ids are read from UTF-8 text "
                "(iconv -f UTF-16 -t UTF-8 converts)"
            )
        # The search for its first byte, which is rare, is many times faster.
        if _MARK in self._last + block[:2] or (_MARK[:1] in block and _MARK in block):
            self._refuse("has a byte order mark after its beginning, as joined files have; remove it")
        self._last = (self._last + block[-2:])[-2:]
        return block

    def _without_mark(self, block: bytes) -> bytes:
        for mark, encoding in _OTHERS.items():
            if block.startswith(mark):
                self._refuse(f"is {encoding} text; ids are read from UTF-8 (iconv -f {encoding} -t UTF-8 converts)")
        if block == _PARQUET or block.startswith(_PARQUET + b"\x15"):
            self._refuse("is a Parquet file; give --format parquet")
        return block.removeprefix(_MARK)

    def _refuse(self, reason: str) -> None:
        self.problem = InputError(f"{self._name} {reason}")
        raise self.problem
