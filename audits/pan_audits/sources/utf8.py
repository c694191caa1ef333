"""UTF-8 text without a byte order mark. UTF-16, UTF-32 and binary files are refused."""

from __future__ import annotations

from typing import Any

from pan_promises.errors import InputError

_MARK = b"\xef\xbb\xbf"
# UTF-32 first: its mark for little-endian machines begins as that of UTF-16 does.
_OTHERS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_PARQUET = b"PAR1"


class Utf8Stream:
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
        self.closed = False
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
