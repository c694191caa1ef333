"""Compiling a loop, once for all processes where there is a place to keep the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import types

WORDS = types.Array(types.uint64, 1, "C", readonly=True)
"""Words that are read: a signature with it takes arrays that may be written to as well."""
BYTES = types.Array(types.uint8, 1, "C", readonly=True)


def compiled(signature: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """The loop in machine code, for arguments of one signature; it is made when it is first called.

    Parameters
    ----------
    signature
        The types of the result and of the arguments.
    loop
        A function in the part of Python that numba knows.
    """
    made: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal made
        if made is None:
            made = machine_code(signature, loop)
        return made(*arguments)

    return call


@cache
def machine_code(signature: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """What numba makes of the loop.

    It is kept beside the package, or in the user's cache; where neither can be written to, or what is found there
    is damaged, it is made anew in each process.
    """
    try:
        made: Callable[..., Any] = numba.njit(signature, cache=True, nogil=True)(loop)
    except Exception:  # Files fail in many ways. What is wrong with the loop itself is raised again below.
        made = numba.njit(signature, nogil=True)(loop)
    return made
