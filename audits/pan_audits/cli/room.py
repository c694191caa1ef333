"""Memory limits: a state that cannot fit is refused before it is allocated."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pan_promises.errors import InputError

_SAMPLED = 9
"""Bytes for a sampled user."""
_UNKNOWN = 2**40


def require_room(estimator: Any) -> None:
    """Raise :class:`InputError` if the cells of an estimator take more memory than this machine has."""
    sampled = getattr(estimator, "sample_size", None)
    cells = int(sampled or estimator.universe.size)
    # A cell takes a byte, and the random word that it is made from, or the user that it belongs to, eight.
    needed = max(cells * (_SAMPLED if sampled else 1), int(estimator.state_bits) // 8)
    if needed > _machine():
        raise InputError(
            f"{cells} cells take at least {needed / 2**30:,.0f} GiB, and this machine has {_machine() / 2**30:,.0f}: "
            "sample fewer users with --memory or --sample-size"
        )


@contextmanager
def enough_room(purpose: str) -> Iterator[None]:
    """Convert a lack of memory to :class:`InputError`."""
    try:
        yield
    except MemoryError:
        raise InputError(f"{purpose} needs more memory than this machine has") from None


def _machine() -> int:
    """Bytes of memory, or a guess if the system does not report them."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN
