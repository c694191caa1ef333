"""Whole numbers of any size as text: Python writes no more than 4300 decimal digits."""

from __future__ import annotations

from fractions import Fraction

_FEWEST_BEYOND = 10**4300
"""The least number that Python does not write in decimal digits by default."""


def whole_text(value: int) -> str:
    """A whole number in decimal digits; a number of more than 4300 digits in hexadecimal ones."""
    return str(value) if -_FEWEST_BEYOND < value < _FEWEST_BEYOND else hex(value)


def fraction_text(value: Fraction) -> str:
    """A fraction as ``str`` writes it, with :func:`whole_text` of its two parts."""
    whole = value.denominator == 1
    return whole_text(value.numerator) if whole else f"{whole_text(value.numerator)}/{whole_text(value.denominator)}"


def fraction_in(text: str) -> Fraction:
    """The fraction that :func:`fraction_text` wrote."""
    above, _, below = text.partition("/")
    return Fraction(text) if "0x" not in text else Fraction(int(above, 0), int(below or "1", 0))
