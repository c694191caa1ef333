"""Actions as signs: 1 for an insertion, -1 for a deletion, 0 for a no-op."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.sources.byte_stream import arrow_library
from pan_audits.sources.faults import Fault, first_of, where
from pan_promises.errors import shown

_ACTIONS = {
    1: ("insert", "insertion", "add", "in", "enter", "arrive", "+"),
    -1: ("delete", "deletion", "remove", "out", "leave", "depart", "-"),
}
_SIGNS = {word: sign for sign, words in _ACTIONS.items() for word in words}
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")

Signs = NDArray[np.int8]


def signs_of(column: Any, name: str) -> tuple[Signs, Fault | None]:
    """The signs of a column of actions, and its first bad row."""
    arrow = arrow_library()
    from pyarrow import compute, types

    if types.is_floating(column.type):
        missing = column.is_null(nan_is_null=True)
        signs = compute.fill_null(compute.sign(column), 0).to_numpy(zero_copy_only=False)
        return np.nan_to_num(signs).astype(np.int8), where(missing, lambda row: f"row {row} of {name} has no action")
    encoded = column.cast(arrow.large_string()).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    known = [_sign(text) for text in texts]
    places = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    blank = np.array([*(not text.strip() for text in texts), True])[places]
    unknown = np.array([*(sign is None for sign in known), True])[places]
    fault = first_of(
        where(blank, lambda row: f"row {row} of {name} has no action"),
        where(unknown, lambda row: f"row {row} of {name} has the action {shown(first)}; {_KNOWN}"),
    )
    first = "" if fault is None or blank[fault.row] else texts[places[fault.row]]
    return np.array([*(sign or 0 for sign in known), 0], dtype=np.int8)[places], fault


_KNOWN = "known are insert, delete, +, -, in, out, or a number by its sign"


def _sign(text: str) -> int | None:
    word = text.strip().lower()
    if word in _SIGNS:
        return _SIGNS[word]
    if _NUMBER.fullmatch(word):
        return 0 if not word.strip("+-0.") else -1 if word.startswith("-") else 1
    return None
