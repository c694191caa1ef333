"""Values with noisy numbers as texts, for a reader."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pan_audits.choices.context import SHOWING


def as_text(value: Fraction) -> str:
    """A location of noise with six digits, for a reader."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "a number beyond all doubles"


def shown(value: Any) -> str:
    """The text of a value that may hold noisy numbers, for a reader."""
    token = SHOWING.set(True)
    try:
        return repr(value)
    except ValueError:
        # Python writes no whole number of more than 4300 digits in decimal digits.
        return f"a value of the type {type(value).__name__} with a number of more than 4300 digits"
    finally:
        SHOWING.reset(token)
