"""Overwriting of counted ids that stay in freed memory.

Freed memory keeps its contents until it is used again: blocks of a file, columns of Arrow and arrays of
numpy leave ids behind. The C library of GNU can overwrite memory when it is freed, and Arrow can allocate from it.
Python keeps small objects itself, such as one string for each id of a short batch. This module does not reach them.
The page docs/deployment.md lists the remaining traces.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys

_M_PERTURB = -6
"""Option of ``mallopt``: overwrite memory when it is freed."""
_FILLER = 0x5A


def wipe_freed_memory() -> bool:
    """Let the C library overwrite freed memory, in the whole process and from now on.

    Call it before ids are read, and before pyarrow is imported. It costs one more pass over that memory.

    Returns
    -------
    Whether the C library can do it. If not, nothing is changed.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    try:
        accepted = bool(ctypes.CDLL(None).mallopt(_M_PERTURB, _FILLER))
    except (AttributeError, OSError):
        return False
    if accepted:
        _take_arrows_memory_from_the_system()
    return accepted


def return_unused_memory() -> None:
    """Free the memory that Arrow keeps for later use."""
    if "pyarrow" in sys.modules:
        import pyarrow

        pyarrow.default_memory_pool().release_unused()


def _take_arrows_memory_from_the_system() -> None:
    # Arrow's own allocators keep freed memory with its contents.
    if "pyarrow" in sys.modules:
        import pyarrow

        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    else:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
