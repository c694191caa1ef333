"""The bytes of a file or pipe: counted as they are read, and decompressed."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

from pan_audits.sources.reading import Progress
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
    counted = Counted(stream, progress)
    head = counted.peek(4)
    for magic, codec in _COMPRESSIONS.items():
        if head.startswith(magic):
            if codec == "gzip":
                import gzip

                return gzip.GzipFile(fileobj=counted)  # type: ignore[call-overload]
            arrow = arrow_library()
            return arrow.CompressedInputStream(arrow.PythonFile(counted, mode="r"), codec)
    return counted


class Counted:
    """A binary stream that counts the bytes read from it, and shows the next ones."""

    def __init__(self, stream: Any, progress: Progress | None) -> None:
        # Unbuffered: Python's own buffer keeps the first ids to the end.
        self._stream = getattr(stream, "raw", stream)
        self._room = bytearray()
        self._progress = progress
        self._ahead = b""
        self._total = 0
        self.closed = False

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
