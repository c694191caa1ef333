"""Text: one id to a line, unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.utf8 import Utf8Stream
from pan_estimators.universes.ids import text_array
from pan_promises.errors import InputError, MissingExtraError

BLOCK = 2**22
"""Number of bytes read at a time."""
LINE = 2**20
"""The longest line."""
SHORT = 2**16
"""Number of bytes up to which lines are split without Arrow, whose import takes time."""


def lines(stream: Utf8Stream, name: str) -> Iterator[Any]:
    """The lines, empty ones included, without the line breaks: LF, CR LF or CR."""
    rest = b""
    while block := stream.read(BLOCK):
        text = rest + block
        # A CR at the end may be one half of a line break.
        held = text.endswith(b"\r")
        text = _with_line_feeds(text[:-1] if held else text)
        whole, newline, rest = text.rpartition(b"\n")
        rest += b"\r" * held
        if len(rest) > LINE:
            raise InputError(f"{name} has a line of more than {LINE} bytes; is it a text file?")
        if newline:
            yield _split(whole + newline, name)
    if rest:
        yield _split(_with_line_feeds(rest).removesuffix(b"\n") + b"\n", name)


def _with_line_feeds(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _split(text: bytes, name: str) -> Any:
    """Lines that end with a line feed, as an array of numpy or Arrow."""
    try:
        return _split_by_arrow(text) if len(text) > SHORT else _split_one_by_one(text)
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text") from None


def _split_one_by_one(text: bytes) -> Any:
    return text_array(text.decode().split("\n")[:-1])


def _split_by_arrow(text: bytes) -> Any:
    """Without a Python object for each line, if pyarrow is installed."""
    try:
        arrow = arrow_library()
    except MissingExtraError:
        return _split_one_by_one(text)
    text.decode()  # Arrow counts this character as Unicode white space.
    breaks = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    ends = np.zeros(breaks.size + 1, dtype=np.int64)
    ends[1:] = breaks - np.arange(breaks.size)
    buffers = [None, arrow.py_buffer(ends), arrow.py_buffer(text.translate(None, b"\n"))]
    return arrow.Array.from_buffers(arrow.large_string(), breaks.size, buffers)
