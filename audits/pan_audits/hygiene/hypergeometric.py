"""Hypergeometric probabilities without the import of scipy.stats, which takes longer than a small audit computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def at_most(count: Any, total: int, marked: Any, drawn: int) -> Floats:
    """The probability that at most ``count`` of the drawn ones are marked."""
    return _law("cdf", 0.0, 1.0, count, total, marked, drawn)


def above(count: Any, total: int, marked: Any, drawn: int) -> Floats:
    """The probability that more than ``count`` of the drawn ones are marked."""
    return _law("sf", 1.0, 0.0, count, total, marked, drawn)


def _law(name: str, below: float, beyond: float, count: Any, total: int, marked: Any, drawn: int) -> Floats:
    function = _quick(name)
    if function is None:
        from scipy.stats import hypergeom

        return np.asarray(getattr(hypergeom, name)(count, total, marked, drawn), dtype=np.float64)
    count, marked = np.broadcast_arrays(np.asarray(count, dtype=np.float64), np.asarray(marked, dtype=np.float64))
    least, most = np.maximum(0, drawn - (total - marked)), np.minimum(marked, drawn)
    inside = np.clip(count, least, most)
    found = np.clip(function(inside, marked, float(drawn), float(total)), 0.0, 1.0)
    return np.asarray(np.where(count < least, below, np.where(count >= most, beyond, found)))


def _quick(name: str) -> Any:
    from scipy.special import _ufuncs

    # scipy.stats calls this function. It is no public one, and older releases of scipy do not have it.
    return getattr(_ufuncs, f"_hypergeom_{name}", None)
