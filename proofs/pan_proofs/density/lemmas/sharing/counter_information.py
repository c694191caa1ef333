"""The Fisher information of a cell of a distinct counter on the logarithm of the number of users."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

STATE = sp.Symbol("S", real=True)
"""The largest likelihood ratio of a value of a cell, above 1."""

TOTAL = sp.Symbol("T", positive=True)
"""Its logarithm."""

untouched = sp.Symbol("z", real=True)
"""The probability that a cell is untouched."""


def bit_information(ratio: sp.Expr = STATE, chance: sp.Expr = untouched) -> sp.Expr:
    """The information of the symmetric bit, over the square of the derivative of the probability ``chance``."""
    return (ratio - 1) ** 2 / ((chance + (1 - chance) * ratio) * (chance * ratio + 1 - chance))


def information_of(absent: Sequence[Fraction], present: Sequence[Fraction], chance: Fraction) -> Fraction:
    """The same for a cell with finitely many values, from its definition.

    Parameters
    ----------
    absent, present
        The distributions of an untouched and of a touched cell.
    chance
        The probability that the cell is untouched.
    """
    terms = (
        (after - before) ** 2 / (chance * before + (1 - chance) * after)
        for before, after in zip(absent, present, strict=True)
    )
    return sum(terms, Fraction(0))
