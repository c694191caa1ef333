"""Reduction of a uniform 128-bit number to a cell: the integer part of its product with the size over 2**128."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)


@numba.njit
def _product(a: Any, b: Any) -> Any:
    """The two words of the product of two words, the higher one first."""
    a_high, a_low, b_high, b_low = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    lowest = a_low * b_low
    middle = a_high * b_low + (lowest >> _HALF)
    other = a_low * b_high + (middle & _LOW)
    return a_high * b_high + (middle >> _HALF) + (other >> _HALF), (other << _HALF) | (lowest & _LOW)


@numba.njit
def cell_of(high: Any, low: Any, size: Any) -> Any:
    """The cell of the number ``high * 2**64 + low``, of ``size`` cells. No cell is favoured by more than 2**-128."""
    cell, part = _product(high, size)
    carried, _ = _product(low, size)
    return np.int64(cell + np.uint64(part + carried < part))
