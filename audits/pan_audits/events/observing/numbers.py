"""What an adversary reads in a value: numbers.

Numbers of any kind are read as doubles; digits that do not fit have separate columns. Containers are reduced to the few
kinds that features are taken from. An error is an observation: who asks for an output, and gets an error, sees it.
"""

from __future__ import annotations

import array
import math
import numbers
import re
from collections import UserList, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.observing.values import checksum

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


_WHOLE = frozenset({bool, int, np.int64, np.bool_})


def as_doubles(values: Sequence[Any]) -> NDArray[np.float64] | None:
    """Numbers of Python or numpy as doubles, if doubles tell them apart."""
    kinds = set(map(type, values))
    if not kinds <= _WHOLE | {float, np.float64}:
        return None
    try:
        found = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    if kinds & _WHOLE and bool((np.abs(found) >= EXACT).any()):
        return None
    return found


_PLAIN = frozenset({bool, int, float, str, bytes, dict, set, frozenset, type(None), np.float64, np.int64, np.bool_})


def plain(value: Any) -> Any:
    """The same contents as an ndarray, a list, a mapping, or bytes, if one of these can hold them."""
    kind = type(value)
    if kind in _PLAIN or (kind is np.ndarray and value.dtype.kind in "biufUS"):
        return value
    if isinstance(value, (list, tuple, deque, UserList)):
        listed = list(value)
        as_array = _as_array(listed)
        return listed if as_array is None else as_array
    if isinstance(value, (bytearray, bytes)):
        return bytes(value)
    if isinstance(value, array.array):
        return np.array(value) if value.typecode not in "uw" else value.tounicode()
    if isinstance(value, memoryview):
        return bytes(value) if value.itemsize == 1 else np.array(value)
    if isinstance(value, range):
        return {"start": value.start, "stop": value.stop, "step": value.step}
    if isinstance(value, np.ma.MaskedArray):
        return {"data": value.data, "mask": np.ma.getmaskarray(value)}
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names:
        return {name: value[name] for name in value.dtype.names}
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    return value


def _plain_array(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind == "c":
        return {"real": value.real, "imag": value.imag}
    if value.dtype.kind in "mM":
        return {"numbers": value.view(np.int64), "unit": value.dtype.str}
    if value.dtype.kind == "V":
        return value.tobytes()
    if value.dtype.kind == "O":
        return plain(value.ravel().tolist()) if value.ndim else plain(value.item())
    return value


def _as_array(listed: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Numbers, texts, or rows of equal length with numbers, as an array, if no number changes."""
    if not listed:
        return None
    first = listed[0]
    rows = isinstance(first, (list, tuple))
    if rows and not all(type(row) is type(first) and len(row) == len(first) for row in listed):
        return None
    entries = [entry for row in listed for entry in row] if rows else listed
    texts = all(isinstance(entry, str) for entry in entries)
    if not entries or not (texts or all(map(is_number, entries))):
        return None
    try:
        found = np.asarray(listed)
    except (OverflowError, ValueError):
        return None
    if found.dtype.kind == "O":
        return None
    if found.dtype.kind == "f" and any(
        isinstance(entry, (int, np.integer)) and abs(int(entry)) >= EXACT for entry in entries
    ):
        return None
    return found


def holds(value: Sequence[Any], key: Any) -> bool:
    """Whether a sequence has an entry equal to an id; arrays among its entries are not ids."""
    if isinstance(key, tuple):
        return any(
            isinstance(entry, tuple)
            and len(entry) == len(key)
            and all(is_number(part) or isinstance(part, str) for part in entry)
            and entry == key
            for entry in value
        )
    return any((is_number(entry) or isinstance(entry, str)) and entry == key for entry in value)


def extra_attributes(value: Any) -> Mapping[str, Any]:
    """The attributes of a class derived from a built-in container, beside its entries."""
    if type(value).__module__ in {"builtins", "collections", "numpy"} or not isinstance(
        value, (list, tuple, dict, set, frozenset, deque, bytearray)
    ):
        return {}
    return getattr(value, "__dict__", None) or {}


_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
_LATER_DECIMALS = re.compile(r"(?<=\d\.\d{6})\d+")
_LONGEST = 200


@dataclass(frozen=True)
class Raised:
    """The observation of a step that raised an error.

    Attributes
    ----------
    kind
        The name of the class of the error.
    message
        Its message on one line, without what differs from process to process or lies below the sixth decimal.
    """

    kind: str
    message: str = ""

    def __post_init__(self) -> None:
        # The text may come from foreign code.
        name = self.kind if self.kind.isidentifier() and len(self.kind) <= _LONGEST else "an error"
        text = _LATER_DECIMALS.sub("", _ADDRESS.sub("0x...", " ".join(self.message.split())))[:_LONGEST]
        object.__setattr__(self, "kind", name)
        object.__setattr__(self, "message", "".join(letter if letter.isprintable() else "?" for letter in text))

    @classmethod
    def of(cls, problem: BaseException) -> Raised:
        """The observation of an error."""
        try:
            message = str(problem)
        except Exception:  # the class of the error is foreign code
            message = ""
        return cls(type(problem).__name__, message)

    def __repr__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind
