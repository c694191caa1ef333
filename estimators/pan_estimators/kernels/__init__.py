"""Inner loops: compiled if numba is installed (extra ``fast``), else written with numpy, with the same results.

Each module is imported at its first use, because the import of numba is slow.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def compiling() -> bool:
    """Whether numba is installed and fits the other libraries."""
    try:
        import numba
    except ImportError:
        return False
    return True


def loops_of(room: str, *, many: bool = True) -> Any:
    """The loops of a module here, compiled; or the same ones written with numpy, without numba or for few values."""
    return import_module(f"{__name__}.{room if many and compiling() else 'plain'}")
