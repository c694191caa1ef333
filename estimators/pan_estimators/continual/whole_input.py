"""Turnstile streams in whole-input form: a tuple of entries ``(element, 1)``, ``(element, -1)`` and ``None``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, shown


def columns_of(stream: Any) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """The elements and the signs of a stream; a no-op has the element 0 and the sign 0."""
    elements, signs = [], []
    for entry in stream:
        if entry is None:
            elements.append(0)
            signs.append(0)
            continue
        if not (isinstance(entry, (tuple, list)) and len(entry) == 2 and all(map(_whole, entry))):
            raise InputError(f"an entry is None or a pair of an element and 1 or -1, got {shown(str(entry))}")
        if entry[1] not in (1, -1) or not 0 <= entry[0] < 2**31:
            raise InputError(f"an entry has an element from 0 on and a sign 1 or -1, got {shown(str(entry))}")
        elements.append(int(entry[0]))
        signs.append(int(entry[1]))
    return np.array(elements, dtype=np.int64), np.array(signs, dtype=np.int8)


def _whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)
