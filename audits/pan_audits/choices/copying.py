"""A deep copy replaces noisy numbers, so that the rest of a value can be compared."""

from __future__ import annotations

from dataclasses import dataclass

COLLECTED = "noisy numbers"
"""Key of the memo of a deep copy under which noisy numbers are collected and replaced."""

REPLACING = "replacing"
"""Key of that memo for a function that gives another number for each noisy number."""

REPLACED = "replaced"
"""Key of that memo under which the copy tells that it replaced a noisy number."""


@dataclass(frozen=True)
class Placeholder:
    """It replaces a noisy number, so that the rest of a value can be compared."""

    number: int
