"""Sizes of memory on the command line: ``4096``, ``32kbit``, ``4KiB``."""

from __future__ import annotations

import re

from pan_promises.errors import InputError, shown


def parse_bits(text: str) -> int:
    """A memory size in bits: ``4096`` and ``4096B`` are bytes, ``32kbit`` are bits, ``4KiB`` is 4096 bytes."""
    match = re.fullmatch(r" *([0-9]{1,30}(?:\.[0-9]{1,30})?) *([kKmMgG]i?)?(bits?|b|B|bytes?)? *", text)
    if not match:
        raise InputError(
            f"a memory size is a number of bytes, or a number with a unit such as 32kbit or 4KiB; got {shown(text)}"
        )
    number, prefix, unit = match.groups()
    factor = 1
    if prefix:
        base = 1024 if prefix.endswith("i") else 1000
        factor = base ** ("kmg".index(prefix[0].lower()) + 1)
    bits = float(number) * factor * (1 if unit and unit.startswith("bit") else 8)
    if not 1 <= bits <= 2**50:
        raise InputError(f"a memory size must lie between 1 bit and 2**50 bits, got {shown(text)}")
    return int(bits)
