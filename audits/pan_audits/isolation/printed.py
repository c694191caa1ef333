"""The bytes that judged code writes to its standard output and error: an observation beside states and outputs."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

PRINTED = "the bytes that the code writes to its standard output and error"
DIFFER = "differ between neighbours by more than the promise allows"

_PARTS = re.compile(rb"[0-9a-zA-Z]+|[^0-9a-zA-Z]")
_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_MOST_NUMBERS = 64
_LONGEST = 4096


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
