"""Numbers of any kind as doubles. Digits that do not fit into a double have separate columns."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.observing.fingerprint import checksum

EXACT = 2**53
"""Below this, a double holds every whole number."""

_LIMB = 32
_MOST_READABLE_DIGITS = 12
_MOST_LIMBS = 8


def is_number(value: Any) -> bool:
    """Whether a value is a real number of Python or numpy."""
    return is_whole(value) or isinstance(value, (float, np.floating, np.bool_))


def is_double(text: str) -> bool:
    """Whether a text is a fraction with all digits of a double, as Python writes it: its digits are no text."""
    try:
        number = float(text)
    except ValueError:
        return False
    return len(text) > _MOST_READABLE_DIGITS and repr(number) == text


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number of Python or numpy."""
    # Numpy counts a time difference among its integers, but it has a unit.
    return isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64)


def rounded(value: Any) -> float:
    """The nearest double; infinite beyond all doubles."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def total(values: Iterable[float]) -> float:
    """Their sum, infinite or NaN if it is not a finite number."""
    listed = list(values)
    try:
        return math.fsum(listed)
    except (OverflowError, ValueError):
        return array_total(np.array(listed))


def array_total(values: NDArray[Any]) -> float:
    """The sum of an array, infinite or NaN if it is not a finite number."""
    if values.dtype.kind != "f":
        return float(np.add.reduce(values, axis=None))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.add.reduce(values, axis=None))


def sums_of_blocks(values: NDArray[Any], blocks: int) -> list[tuple[str, NDArray[np.float64]]]:
    """The sums of equally long blocks of the last axis, with the places of each block."""
    ends = np.arange(blocks + 1) * values.shape[-1] // blocks
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.reduceat(values.astype(np.float64), ends[:-1], axis=-1)
    return [(f"[{low}:{high}].sum", sums[..., place]) for place, (low, high) in enumerate(pairwise(ends.tolist()))]


def add_whole(value: int, label: str, row: dict[str, float], place: int | None) -> None:
    """A whole number; of a large one also parts, and the bit of the user if it is a set of users."""
    row[label] = rounded(value)
    if place is not None:
        row[f"{label}, bit of the user"] = float((value >> place) & 1)
    if -EXACT < value < EXACT:
        return
    magnitude = abs(value)
    limbs = -(-magnitude.bit_length() // _LIMB)
    row[f"{label}, bits set"] = float(magnitude.bit_count())
    for number in range(limbs) if limbs <= _MOST_LIMBS else (0, limbs - 1):
        name = "highest" if number == limbs - 1 and limbs > _MOST_LIMBS else str(number)
        row[f"{label}, word {name}"] = float((magnitude >> (_LIMB * number)) & (2**_LIMB - 1))
    if limbs > _MOST_LIMBS:
        row[f"{label} checksum"] = checksum(value)


def add_number(value: Any, label: str, row: dict[str, float]) -> bool:
    """Add a number that is neither whole nor a float. Return whether the value was such a number."""
    if isinstance(value, (complex, np.complexfloating)):
        row[f"{label}.real"], row[f"{label}.imag"] = rounded(value.real), rounded(value.imag)
    elif isinstance(value, (np.datetime64, np.timedelta64)):
        row[label], row[f"{label}, unit"] = float(value.astype(np.int64)), checksum(value.dtype.str)
        return True
    elif isinstance(value, (Decimal, Fraction, np.floating)):
        row[label] = rounded(value)
        if not _held_by_double(value):
            row[f"{label} checksum"] = checksum(value)
        return True
    else:
        return isinstance(value, numbers.Number) and _any_number(value, label, row)
    return True


def _any_number(value: Any, label: str, row: dict[str, float]) -> bool:
    try:
        row[label] = rounded(value)
    except TypeError:
        return False
    row[f"{label} checksum"] = checksum(value)
    return True


def _held_by_double(value: Any) -> bool:
    nearest = rounded(value)
    if isinstance(value, Decimal) and not value.is_finite():
        return True
    return bool(value == nearest) if isinstance(value, np.floating) else math.isfinite(nearest) and value == nearest


def loses_precision(values: NDArray[Any]) -> bool:
    """Whether an array holds whole numbers, or long floats, that doubles cannot tell apart."""
    if values.dtype.itemsize < 8 or values.size == 0:
        return False
    if values.dtype.kind == "f":
        return values.dtype.itemsize > 8
    # One pass over the bits is enough for nonnegative numbers, that is, for nearly all arrays.
    if 0 <= int(np.bitwise_or.reduce(values, axis=None)) < EXACT:
        return False
    return int(values.max()) >= EXACT or int(values.min()) <= -EXACT
