"""The first bad row of a batch of entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Fault:
    """A bad row.

    Attributes
    ----------
    row
        Its place in the batch, from 0 on.
    sentence
        The sentence about it, from the number of the row in the file.
    """

    row: int
    sentence: Callable[[int], str]


def first_of(*faults: Fault | None) -> Fault | None:
    """The fault that comes first; ``None`` if there is none."""
    return min((fault for fault in faults if fault is not None), key=lambda fault: fault.row, default=None)


def where(marks: Any, sentence: Callable[[int], str]) -> Fault | None:
    """The fault of the first marked row."""
    if not isinstance(marks, np.ndarray):
        from pyarrow import compute

        if not compute.any(marks).as_py():
            return None
        marks = marks.to_numpy(zero_copy_only=False)
    return Fault(int(np.argmax(marks)), sentence) if marks.any() else None
