"""Steps as they are displayed: chains without repetitions, rounded decimals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import sympy as sp

from pan_proofs.ledger.claim import Step, rows
from pan_proofs.ledger.steps import equal


def equality(
    name: str, text: str, left: str, *chain: sp.Expr | Callable[[], sp.Expr], lines: str | Sequence[str] = ()
) -> Step:
    """A chain of equalities as :func:`equal` makes it, shown without repetitions, or by the given lines."""
    step = equal(name, text, left, *chain)
    kept: list[str] = []
    for line in step.lines:
        if not kept or line.partition("&=")[2] != kept[-1].partition("&=")[2]:
            kept.append(line)
    return replace(step, lines=rows(lines) or tuple(kept))


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
