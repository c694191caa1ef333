"""Turnstile streams: insertions and deletions of elements, and entries that change nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

Entry: TypeAlias = tuple[int, int] | None
"""An insertion ``(element, 1)``, a deletion ``(element, -1)``, or ``None``: a no-op, by which time goes on."""

TurnstileStream: TypeAlias = tuple[Entry, ...]
"""A stream in whole-input form. The elements are whole numbers from 0 on."""


class Model(StrEnum):
    """The streams that are allowed, and the elements that exist.

    The count of an element is the number of its insertions minus the number of its deletions.

    ``GENERAL``
        All streams. An element exists while its count is positive.
    ``STRICT``
        No count is ever negative. An element exists while its count is positive.
    ``TOGGLE``
        An element is inserted only while it is absent, and deleted only while it is present.
    """

    GENERAL = "general"
    STRICT = "strict"
    TOGGLE = "toggle"
