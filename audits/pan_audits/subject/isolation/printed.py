"""The bytes that judged code writes to its standard output and error: an observation beside states and outputs."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import sys
import tempfile
import warnings
from difflib import SequenceMatcher

PRINTED = "the bytes that the code writes to its standard output and error"
DIFFER = "differ between neighbours by more than the promise allows"

_PARTS = re.compile(rb"[0-9a-zA-Z]+|[^0-9a-zA-Z]")
_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_MOST_NUMBERS = 64
_LONGEST = 4096
_MOST_KEPT = 2**20


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def in_both(first: bytes, second: bytes) -> bytes:
    """The parts of what a step prints that are the same in both of its calls, with the same draws.

    The rest is no statement about the input: the address of an object, for instance.
    """
    if first == second:
        return first
    ours, theirs = _PARTS.findall(first[:_LONGEST]), _PARTS.findall(second[:_LONGEST])
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return b"*".join(b"".join(ours[block.a : block.a + block.size]) for block in blocks)


def as_parts(printed: bytes) -> tuple[str, tuple[float, ...]]:
    """A text with a mark in the place of each number, and the numbers."""
    text = printed.decode("utf-8", "backslashreplace")
    numbers = tuple(float(found) for found in _NUMBERS.findall(text)[:_MOST_NUMBERS])
    return _NUMBERS.sub("#", text, count=_MOST_NUMBERS), numbers


class Printed:
    """In the judged process: redirect the printed output to a temporary file, and read it there."""

    def __init__(self) -> None:
        self.sink = tempfile.TemporaryFile()  # noqa: SIM115 - it is open until the process ends
        self.before = self.counted = 0
        for descriptor in (1, 2):
            os.dup2(self.sink.fileno(), descriptor)
        # The first text makes the parts of a stream, which would look like kept data.
        for stream in (sys.stdout, sys.stderr):
            stream.write("\n")
        self.take()
        self.counted = 0

    def take(self) -> bytes:
        """The bytes printed since the last call; of a long output its beginning."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        with contextlib.suppress(OSError, AttributeError):
            _library().fflush(None)
        descriptor, size = self.sink.fileno(), os.fstat(self.sink.fileno()).st_size
        found = os.pread(descriptor, min(size - self.before, _MOST_KEPT), self.before) if size > self.before else b""
        self.counted += max(size - self.before, 0)
        self.before = size
        if size > _MOST_KEPT:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                self.before = 0
        return found

    def count(self) -> int:
        """The number of bytes printed since the last call."""
        self.take()
        counted, self.counted = self.counted, 0
        return counted


def show_warnings_again() -> None:
    """Let Python show each warning again: it does so once in a process, and a deployed process may make one run."""
    with warnings.catch_warnings():
        pass
