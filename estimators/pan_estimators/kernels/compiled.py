"""Compiling a loop, once for all processes where there is a place to keep the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

WORDS = types.Array(types.uint64, 1, "C", readonly=True)
"""Words that are read: a signature with it takes arrays that may be written to as well."""


def compiled(signature: Any, loop: Callable[..., Any]) -> Callable[..., Any]:
    """The loop in machine code, for arguments of one signature.

    The code is kept beside the package, or in the user's cache; where neither can be written to, or what
    is found there is damaged, it is compiled anew in each process.

    Parameters
    ----------
    signature
        The types of the result and of the arguments.
    loop
        A function in the part of Python that numba knows.
    """
    try:
        found: Callable[..., Any] = numba.njit(signature, cache=True, nogil=True)(loop)
    except Exception:  # Files fail in many ways. What is wrong with the loop itself is raised again below.
        found = numba.njit(signature, nogil=True)(loop)
    return found
