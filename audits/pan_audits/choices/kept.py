"""Results of arithmetic with noise that are kept: code that runs on many inputs computes the same sums each time.

A result depends on its operands alone. Operands are recognised by identity, so that no fraction is compared. A number
that is kept is alive, and no other object has its identity.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

KEPT_TYPES = frozenset({int, float, Fraction, np.float64, np.int64})
"""Types of plain operands. An object of another type may say of itself that it equals another one."""

_MOST = 10_000

_RESULTS: dict[Hashable, tuple[tuple[Any, ...], Any]] = {}


def kept(name: Hashable, alive: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """The result under a name, computed once."""
    found = _RESULTS.get(name)
    if found is None:
        result = compute()
        if len(_RESULTS) >= _MOST:
            _RESULTS.clear()
        _RESULTS[name] = alive, result
        return result
    known: T = found[1]
    return known
