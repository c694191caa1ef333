"""Displays that are set by hand, where the printed form of sympy's is hard to read, and rounded decimals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import sympy as sp

from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import equal


def displayed(step: Step, *lines: str) -> Step:
    """The same step with other rows of its display, each with an ``&``."""
    return replace(step, lines=lines)


def equal_as(name: str, text: str, chain: tuple[sp.Expr | Callable[[], sp.Expr], ...], *lines: str) -> Step:
    """As :func:`pan_proofs.ledger.steps.equal`, with the rows of the display given.

    Parameters
    ----------
    name, text
        As in :class:`pan_proofs.ledger.claim.Step`.
    chain
        Two expressions or more; neighbours must be identically equal.
    *lines
        The same expressions in LaTeX, with an ``&`` in each row.
    """
    return equal(name, text, "", *chain, lines=lines)


def floor_to(value: Fraction, digits: int) -> str:
    """A decimal that is not above the value."""
    scale = 10**digits
    return f"{Decimal(math.floor(value * scale)) / scale:.{digits}f}"


def ceiling_to(value: Fraction, digits: int) -> str:
    """A decimal that is not below the value."""
    scale = 10**digits
    return f"{Decimal(math.ceil(value * scale)) / scale:.{digits}f}"
