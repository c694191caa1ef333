"""Chains of equalities, and rounded decimals."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import sympy as sp

from pan_proofs.ledger.steps import equal

equality = equal
"""A chain of equalities, shown without repetitions."""


def floor_to(value: Fraction, digits: int) -> str:
    """A decimal that is not above the value."""
    scale = 10**digits
    return f"{Decimal(math.floor(value * scale)) / scale:.{digits}f}"


def cut(value: sp.Expr, digits: int) -> str:
    """The first decimals of an exact positive number, cut off and not rounded, since dots are to follow."""
    scale = 10**digits
    return floor_to(Fraction(int(sp.floor(value * scale)), scale), digits)


def ceiling_to(value: Fraction, digits: int) -> str:
    """A decimal that is not below the value."""
    scale = 10**digits
    return f"{Decimal(math.ceil(value * scale)) / scale:.{digits}f}"
