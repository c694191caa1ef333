"""Compilation of loops, once for all processes if the result can be stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import types

WORDS = types.Array(types.uint64, 1, "C", readonly=True)
"""Words that are only read. A signature with this type also accepts writable arrays."""
BYTES = types.Array(types.uint8, 1, "C", readonly=True)


def compiled(signature: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """The loop in machine code, for arguments of one signature. It is compiled at its first call."""
    made: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal made
        if made is None:
            made = machine_code(signature, loop)
        return made(*arguments)

    return call


@cache
def machine_code(signature: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code of the loop, made by numba.

    It is stored beside the package, or in the user's cache. If neither is writable, or the stored code
    is damaged, it is made again in each process.
    """
    try:
        made: Callable[..., Any] = numba.njit(signature, cache=True, nogil=True)(loop)
    except Exception:  # Files fail in many ways. An error of the loop itself is raised again below.
        made = numba.njit(signature, nogil=True)(loop)
    return made
