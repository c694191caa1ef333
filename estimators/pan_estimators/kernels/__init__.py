"""Inner loops: compiled if numba is installed (extra ``fast``), else written with numpy, with the same results.

Each module is imported at its first use, because the import of numba is slow.
"""

from __future__ import annotations

from functools import cache


@cache
def compiling() -> bool:
    """Whether numba is installed and fits the other libraries."""
    try:
        import numba
    except ImportError:
        return False
    return True
