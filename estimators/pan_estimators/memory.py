"""Ids that stay in memory after they were counted, as far as something can be done about them.

Memory that is given back keeps its contents until it is used again: blocks of a file, columns of Arrow and arrays of
numpy leave ids behind. The C library of GNU can overwrite memory when it is given back, and Arrow can take its memory
from there. What Python itself keeps in small pieces, such as a string of its own for each id of a short batch, is
beyond that; docs/deployment.md says what remains.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys

_M_PERTURB = -6
"""Option of ``mallopt``: overwrite memory when it is given back."""
_FILLER = 0x5A


def wipe_freed_memory() -> bool:
    """Have memory overwritten when it is given back, in the whole process and from now on.

    Best called before ids are read, and before pyarrow is imported. It costs one more pass over that memory.

    Returns
    -------
    Whether the C library can do it; if not, nothing is changed.
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


def let_go_of_memory() -> None:
    """Give back what Arrow keeps for later use."""
    if "pyarrow" in sys.modules:
        import pyarrow

        pyarrow.default_memory_pool().release_unused()


def _take_arrows_memory_from_the_system() -> None:
    # Its own allocators keep what was given back, with its contents.
    if "pyarrow" in sys.modules:
        import pyarrow

        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    else:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
